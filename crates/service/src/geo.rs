//! The table of post codes: an operator imports it, and plans measure distances with it.

use model::Result;
use model::geo::PostalArea;
use store::Access;
use store::postal_places::{self, Area};

use crate::Service;

/// Areas in one transaction: enough that its commit costs little, few enough that a running server's own writes
/// never wait long behind it.
const AREAS_PER_WRITE: usize = 2000;

impl Service {
    /// Writes areas into the table, in the place of what it says of the same post codes; all others stay. It is a row
    /// of transactions, since a plan may as well use a table that is half new, and one that ends early is repaired by
    /// importing again. `written` hears after each how many areas are in.
    pub async fn import_postal_areas(
        &self,
        areas: impl IntoIterator<Item = PostalArea>,
        mut written: impl FnMut(usize),
    ) -> Result<usize> {
        let mut areas = areas.into_iter();
        let mut count = 0;
        loop {
            let some: Vec<_> = areas.by_ref().take(AREAS_PER_WRITE).collect();
            if some.is_empty() {
                return Ok(count);
            }
            count += some.len();
            let write = self.db().write(Access::System, async move |tx| {
                for area in &some {
                    let PostalArea { country, post_code, latitude, longitude, spread } = area;
                    let place = Area { latitude: *latitude, longitude: *longitude, spread: *spread };
                    postal_places::put(tx, country.as_str(), post_code, place).await?;
                }
                Ok(())
            });
            write.await?;
            written(count);
        }
    }
}
