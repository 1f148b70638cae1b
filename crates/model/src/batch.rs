//! Batches: shipments that are bought, labelled and handed over together.

use serde::{Deserialize, Serialize};

use crate::id::Kind as IdKind;

/// A batch. Its shipments say which batch they are in.
pub struct Batch;

impl IdKind for Batch {
    const PREFIX: &'static str = "batch";
}

/// Where a batch stands.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Open,
    Purchasing,
    /// Finalised: nothing of it may change any more.
    Purchased,
    PartiallyPurchased,
    PurchaseFailed,
}
