//! What a client specified for a batch, as it is stored.

use model::shipping::batch::Details;
use model::{Error, Result};
use store::shipping::batches::StoredBatch;

/// Returns what the client specified for a batch.
pub fn details(stored: &StoredBatch) -> Result<Details> {
    serde_json::from_str(&stored.details).map_err(Error::fault)
}
