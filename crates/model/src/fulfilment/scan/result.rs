//! What a scanned code meant.

use serde::{Deserialize, Serialize};

/// What a scanned code meant for its shipment.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ScanResult {
    /// The units are counted as packed.
    Packed,
    NotInShipment,
    /// Fewer units are missing than were scanned.
    AlreadyPacked,
    /// The item belongs into another package than the request names.
    WrongPackage,
    /// The code is that of a bin from which units are missing.
    BinConfirmed,
    /// The code is that of a bin of the location from which nothing is missing.
    WrongBin,
    UnknownCode,
    /// Several items have the code as their SKU.
    AmbiguousCode,
}
