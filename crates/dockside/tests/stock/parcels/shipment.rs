//! What the reference model knows of destinations, exceptions, shipments and batches.

use std::collections::BTreeMap;

use super::scan::Scan;

/// The units of each item.
pub type Units = BTreeMap<usize, i64>;

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

    /// What the shipping rules of the organisation say about this destination.
    pub fn rule(self) -> Rule {
        match self {
            Destination::Usual | Destination::Declined | Destination::Flaky => Rule::Service,
            Destination::Near => Rule::ByRates,
            Destination::VoidRejected => Rule::None,
        }
    }
}

/// What the shipping rules say about a shipment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    None,
    Service,
    /// The service is chosen by rates, in a wave.
    ByRates,
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
    Rated,
    Purchasing,
    Purchased,
    PurchaseFailed,
    Voided,
}

impl ShipmentStatus {
    pub fn name(self) -> &'static str {
        match self {
            ShipmentStatus::Draft => "draft",
            ShipmentStatus::Rated => "rated",
            ShipmentStatus::Purchasing => "purchasing",
            ShipmentStatus::Purchased => "purchased",
            ShipmentStatus::PurchaseFailed => "purchase_failed",
            ShipmentStatus::Voided => "voided",
        }
    }

    pub fn is_open(self) -> bool {
        matches!(self, ShipmentStatus::Draft | ShipmentStatus::Rated | ShipmentStatus::PurchaseFailed)
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
    /// The units in each of its packages.
    pub packages: Vec<Units>,
    /// All of its units were scanned.
    pub is_packed: bool,
    /// Its scans, but for those that were undone, and how many there ever were.
    pub scans: Vec<Scan>,
    pub scans_made: usize,
    /// It asks for a service by itself, because a shipping rule said so.
    pub is_service_asked: bool,
    /// A service was chosen for it when its purchase began.
    pub is_service_chosen: bool,
    /// It was rated, or its purchase had failed, and it became a draft again.
    pub is_returned: bool,
    pub status: ShipmentStatus,
    pub destination: Destination,
    pub is_completing_on_hand_over: bool,
    pub is_handed_over: bool,
    pub is_delivered: bool,
    /// The carrier is being asked to void it.
    pub is_voiding: bool,
    pub is_manifested: bool,
    pub batch: Option<usize>,
    /// Its batch, and no request of its own, began its last purchase.
    pub is_bought_by_batch: bool,
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
    pub fn new(order: usize, location: usize, packages: Vec<Units>, destination: Destination) -> Self {
        Self {
            order: Some(order),
            location,
            packages,
            is_packed: false,
            scans: Vec::new(),
            scans_made: 0,
            is_service_asked: false,
            is_service_chosen: false,
            is_returned: false,
            status: ShipmentStatus::Draft,
            destination,
            is_completing_on_hand_over: location == LOCATION_HAND_OVER,
            is_handed_over: false,
            is_delivered: false,
            is_voiding: false,
            is_manifested: false,
            batch: None,
            is_bought_by_batch: false,
            error: None,
            attempts: 0,
            is_due: false,
            bought_at: 0,
            is_there: true,
        }
    }

    /// The units in all of its packages.
    pub fn units(&self) -> Units {
        sum(&self.packages)
    }

    /// Returns it to a draft: what carriers said about it no longer applies.
    pub fn unrate(&mut self) {
        self.is_returned |= self.status != ShipmentStatus::Draft;
        (self.status, self.error, self.is_service_chosen) = (ShipmentStatus::Draft, None, false);
    }

    pub fn is_of(&self, order: usize) -> bool {
        self.is_there && self.order == Some(order)
    }
}

/// The units of several packages together.
pub fn sum<'a>(packages: impl IntoIterator<Item = &'a Units>) -> Units {
    let mut sum = Units::new();
    for (item, quantity) in packages.into_iter().flatten() {
        *sum.entry(*item).or_default() += quantity;
    }
    sum
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchStatus {
    Open,
    Purchasing,
    Purchased,
    PartiallyPurchased,
    PurchaseFailed,
}

impl BatchStatus {
    pub fn name(self) -> &'static str {
        match self {
            BatchStatus::Open => "open",
            BatchStatus::Purchasing => "purchasing",
            BatchStatus::Purchased => "purchased",
            BatchStatus::PartiallyPurchased => "partially_purchased",
            BatchStatus::PurchaseFailed => "purchase_failed",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Batch {
    pub status: BatchStatus,
    /// It has a service for all of its members.
    pub has_service: bool,
    /// The purchases of its members were begun.
    pub is_begun: bool,
}
