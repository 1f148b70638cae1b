//! The receipt of a purchase, as it is stored.

use ::carriers::Receipt;
use model::{Error, Result};
use serde::{Deserialize, Serialize};
use store::shipping::purchases::Purchase;

/// A carrier's receipt, as it is stored.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct StoredReceipt {
    #[serde(flatten)]
    pub receipt: Receipt,
    /// Receipts of duplicates, which are to be voided.
    #[serde(default)]
    pub duplicates: Vec<Receipt>,
    /// Whether the carrier has no label of its own: then it need not be asked for one, and Dockside draws it.
    #[serde(default)]
    pub is_label_ours: bool,
}

impl StoredReceipt {
    /// Returns the stored receipt of a purchase, if it has one.
    pub fn of(purchase: &Purchase) -> Result<Option<Self>> {
        purchase.receipt.as_deref().map(|text| serde_json::from_str(text).map_err(Error::fault)).transpose()
    }
}
