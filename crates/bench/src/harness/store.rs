//! Direct access to a product's store, without a server.

use std::path::Path;

use model::platform::id::{Kind, RANDOM_BYTES};
use model::{Id, Timestamp};
use service::{Random, SystemRandom};
use store::{Db, Place};

use crate::harness::outcome::Outcome;

/// Opens a store as the product does.
pub async fn open(file: &Path) -> Outcome<Db> {
    let readers = std::thread::available_parallelism().map_or(2, usize::from);
    let place = Place::Sqlite { file: file.to_owned(), readers };
    Ok(Db::open(place).await.map_err(|error| error.to_string())?)
}

/// Returns a new identifier with this timestamp.
pub fn new_id<K: Kind>(now: Timestamp) -> Id<K> {
    let mut random = [0; RANDOM_BYTES];
    SystemRandom.fill(&mut random);
    Id::new(now, random)
}
