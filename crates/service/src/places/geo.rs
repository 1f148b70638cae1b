//! The table of post codes: an operator imports it, and plans measure distances with it.

use std::time::Duration;

use model::Result;
use model::places::geo::PostalArea;
use store::Access;
use store::places::postal_places;

use crate::platform::context::Context;

/// Areas in one transaction: enough that its commit costs little, few enough that a running server's own writes don't
/// wait long behind it.
const AREAS_PER_WRITE: usize = 2000;
/// Between two transactions on SQLite. A server in another process looks only now and then whether it may write: with
/// nothing but a moment in between, it would find the file locked nearly every time.
const PAUSE: Duration = Duration::from_millis(10);

/// Where post codes are.
#[derive(Clone)]
pub struct PostalPlaces {
    context: Context,
}

impl PostalPlaces {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Writes areas into the table, in the place of what it says of the same post codes; all others stay. It is a row
    /// of transactions, since a plan may as well use a table that is half new, and one that ends early is repaired by
    /// importing again. `written` hears after each how many areas are in.
    pub async fn import(
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
            let write =
                self.context.db().write(Access::System, async move |tx| postal_places::put(tx, &some).await);
            write.await?;
            written(count);
            if !self.context.db().is_shared() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
