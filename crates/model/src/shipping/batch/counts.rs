//! Counts of a batch's shipments, and how they add up.

use std::ops::{Add, AddAssign, Sub};

use serde::Serialize;

/// The counts of a batch's shipments.
#[derive(Serialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    #[serde(rename = "shipments_count")]
    pub shipments: i64,
    #[serde(rename = "purchased_count")]
    pub purchased: i64,
    /// Number of errors, not of shipments with errors.
    #[serde(rename = "error_count")]
    pub errors: i64,
    #[serde(rename = "packages_count")]
    pub packages: i64,
    /// Purchased shipments whose carrier delivers the label later.
    #[serde(rename = "labels_pending_count")]
    pub labels_pending: i64,
}

/// The difference between two counts.
pub type Delta = Counts;

impl Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            shipments: self.shipments + other.shipments,
            purchased: self.purchased + other.purchased,
            errors: self.errors + other.errors,
            packages: self.packages + other.packages,
            labels_pending: self.labels_pending + other.labels_pending,
        }
    }
}

impl Sub for Counts {
    type Output = Counts;

    fn sub(self, other: Counts) -> Counts {
        Counts {
            shipments: self.shipments - other.shipments,
            purchased: self.purchased - other.purchased,
            errors: self.errors - other.errors,
            packages: self.packages - other.packages,
            labels_pending: self.labels_pending - other.labels_pending,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        *self = *self + other;
    }
}
