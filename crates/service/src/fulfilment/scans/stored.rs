//! Stored scans.

use model::{Error, Result, Scan};
use store::fulfilment::scans::StoredScan;

/// Reads what is kept of a scan.
pub fn read_scan(stored: &StoredScan) -> Result<Scan> {
    serde_json::from_str(&stored.doc).map_err(Error::fault)
}
