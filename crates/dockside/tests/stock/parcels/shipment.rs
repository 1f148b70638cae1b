//! What the reference model knows of destinations, exceptions, shipments and batches.

use std::collections::BTreeMap;

/// The origin whose location configuration completes allocations on hand-over.
pub const LOCATION_HAND_OVER: usize = 1;
/// The location that is the origin of no location configuration.
pub const LOCATION_BARE: usize = 2;

/// What the sandbox carrier does with a shipment to this destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Destination {
    #[default]
    Usual,
    /// The purchase is refused.
    Declined,
    /// The purchase succeeds at the third attempt.
    Flaky,
    VoidRejected,
    /// The parcel is delivered within half a minute.
    Near,
}

impl Destination {
    pub const ALL: [Destination; 5] = [
        Destination::Usual,
        Destination::Declined,
        Destination::Flaky,
        Destination::VoidRejected,
        Destination::Near,
    ];

    /// The post code, which the sandbox carrier obeys.
    pub fn post_code(self) -> &'static str {
        match self {
            Destination::Usual => "SW1A 1AA",
            Destination::Declined => "SBX-DECLINED",
            Destination::Flaky => "SBX-FLAKY-2",
            Destination::VoidRejected => "SBX-VOID-REJECTED",
            Destination::Near => "SBX-TRACK-DELIVERED",
        }
    }
}

/// What matters of an order to its shipments.
#[derive(Clone, Debug, Default)]
pub struct OrderParcels {
    pub destination: Option<Destination>,
    pub is_held: bool,
    pub exceptions: Vec<Exception>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Exception {
    pub code: &'static str,
    pub shipment: usize,
    pub is_resolved: bool,
}

impl Exception {
    pub fn is_blocking(&self) -> bool {
        self.code == "shipped_unallocated"
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShipmentStatus {
    Draft,
    Purchasing,
    Purchased,
    PurchaseFailed,
    Voided,
}

impl ShipmentStatus {
    pub fn name(self) -> &'static str {
        match self {
            ShipmentStatus::Draft => "draft",
            ShipmentStatus::Purchasing => "purchasing",
            ShipmentStatus::Purchased => "purchased",
            ShipmentStatus::PurchaseFailed => "purchase_failed",
            ShipmentStatus::Voided => "voided",
        }
    }

    pub fn is_open(self) -> bool {
        matches!(self, ShipmentStatus::Draft | ShipmentStatus::PurchaseFailed)
    }

    pub fn is_bought(self) -> bool {
        matches!(self, ShipmentStatus::Purchasing | ShipmentStatus::Purchased)
    }
}

#[derive(Clone, Debug)]
pub struct Shipment {
    /// The order that it belongs to, unless it was taken away from it.
    pub order: Option<usize>,
    pub location: usize,
    /// The units of each item in its packages.
    pub units: BTreeMap<usize, i64>,
    pub status: ShipmentStatus,
    pub destination: Destination,
    pub is_completing_on_hand_over: bool,
    pub is_handed_over: bool,
    pub is_delivered: bool,
    /// The carrier is being asked to void it.
    pub is_voiding: bool,
    pub is_manifested: bool,
    pub batch: Option<usize>,
    /// Why its last purchase failed.
    pub error: Option<&'static str>,
    /// The attempts of the carrier to sell it, and whether the next one is due now.
    pub attempts: u32,
    pub is_due: bool,
    /// The hour in which it was bought.
    pub bought_at: i64,
    /// False once it was deleted. Its number stays, for requests that still name it.
    pub is_there: bool,
}

impl Shipment {
    pub fn new(order: usize, location: usize, units: BTreeMap<usize, i64>, destination: Destination) -> Self {
        Self {
            order: Some(order),
            location,
            units,
            status: ShipmentStatus::Draft,
            destination,
            is_completing_on_hand_over: location == LOCATION_HAND_OVER,
            is_handed_over: false,
            is_delivered: false,
            is_voiding: false,
            is_manifested: false,
            batch: None,
            error: None,
            attempts: 0,
            is_due: false,
            bought_at: 0,
            is_there: true,
        }
    }

    pub fn is_of(&self, order: usize) -> bool {
        self.is_there && self.order == Some(order)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchStatus {
    Purchasing,
    Purchased,
    PartiallyPurchased,
    PurchaseFailed,
}

/// A batch whose purchase was requested.
#[derive(Clone, Debug)]
pub struct Batch {
    pub status: BatchStatus,
    /// The purchases of its members were begun.
    pub is_begun: bool,
}
