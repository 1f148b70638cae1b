//! The part of the reference model that knows shipments and batches: what they are, and how an order and they follow each other.

use std::collections::BTreeMap;

use crate::reference_model::{Allocation, Answer, CANCELLED, Checked, Order, ReferenceModel, ensure};

/// The origin whose location configuration completes allocations on hand-over.
pub const LOCATION_HAND_OVER: usize = 1;
/// The location that is the origin of no location configuration.
pub const LOCATION_BARE: usize = 2;

pub const ORDER_HAS_SHIPMENTS: Answer = (409, "order_has_shipments");
const BATCH_PURCHASING: Answer = (409, "batch_purchasing");

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

impl ReferenceModel {
    pub fn parcels_mut(&mut self, order: usize) -> &mut OrderParcels {
        &mut self.orders[order].as_mut().expect("an order that exists").parcels
    }

    /// The shipments that belong to an order, voided ones as well.
    pub fn shipments_of(&self, order: usize) -> impl Iterator<Item = usize> {
        (0..self.shipments.len()).filter(move |number| self.shipments[*number].is_of(order))
    }

    /// Why nothing of an order may be made into a shipment or bought.
    pub fn refusal(order: &Order) -> Checked {
        ensure(order.status != crate::reference_model::Status::Cancelled, CANCELLED)?;
        ensure(!order.parcels.is_held, (409, "order_on_hold"))?;
        let is_blocking = |exception: &Exception| exception.is_blocking() && !exception.is_resolved;
        ensure(!order.parcels.exceptions.iter().any(is_blocking), (409, "order_blocked"))
    }

    /// Refuses to cancel or delete an order.
    pub fn ensure_endable(&self, order: usize) -> Checked {
        self.order(order)?;
        self.ensure_unbought(order)?;
        let open = self.shipments_of(order).filter(|number| self.shipments[*number].status.is_open());
        for shipment in open {
            self.ensure_changeable(shipment)?;
        }
        ensure(!self.of_order(order).any(|held| held.is_completed), (409, "order_partly_fulfilled"))
    }

    pub fn ensure_unbought(&self, order: usize) -> Checked {
        let is_bought = self.shipments_of(order).any(|number| self.shipments[number].status.is_bought());
        ensure(!is_bought, ORDER_HAS_SHIPMENTS)
    }

    /// Refuses to change a shipment whose batch is bought or being bought.
    pub fn ensure_changeable(&self, shipment: usize) -> Checked {
        match self.shipments[shipment].batch.map(|batch| self.batches[batch].status) {
            Some(BatchStatus::Purchasing) => Err(BATCH_PURCHASING),
            Some(BatchStatus::Purchased) => Err((409, "batch_finalised")),
            _ => Ok(()),
        }
    }

    /// Deletes a shipment that is not bought. Its units are free again.
    pub fn remove_shipment(&mut self, shipment: usize) {
        self.empty_shipment(shipment);
        self.shipments[shipment].is_there = false;
        if let Some(batch) = self.shipments[shipment].batch {
            self.follow_batch(batch);
        }
    }

    pub fn empty_shipment(&mut self, shipment: usize) {
        for held in self.allocations.iter_mut().filter(|held| held.shipment == Some(shipment)) {
            held.shipment = None;
        }
    }

    pub fn delete_open_shipments(&mut self, order: usize) {
        let open = self.shipments_of(order).filter(|number| self.shipments[*number].status.is_open());
        for shipment in open.collect::<Vec<_>>() {
            self.remove_shipment(shipment);
        }
    }

    /// Takes the shipments that are bought or being bought away from an order, which is blocked then.
    pub fn unlink_bought_shipments(&mut self, order: usize) {
        let bought = self.shipments_of(order).filter(|number| self.shipments[*number].status.is_bought());
        for shipment in bought.collect::<Vec<_>>() {
            self.raise(order, "shipped_unallocated", shipment);
            self.unlink(shipment);
        }
    }

    /// Takes all shipments away from an order that is deleted.
    pub fn unlink_shipments(&mut self, order: usize) {
        for shipment in self.shipments_of(order).collect::<Vec<_>>() {
            self.unlink(shipment);
        }
    }

    fn unlink(&mut self, shipment: usize) {
        self.empty_shipment(shipment);
        self.shipments[shipment].order = None;
    }

    /// Adds an exception to an order, unless the same one is open.
    pub fn raise(&mut self, order: usize, code: &'static str, shipment: usize) {
        let exception = Exception { code, shipment, is_resolved: false };
        let known = &mut self.parcels_mut(order).exceptions;
        if !known.contains(&exception) {
            known.push(exception);
        }
    }

    /// The units of a level in shipments: of all, or of those that are bought or being bought.
    pub fn packed(&self, at: (usize, usize), is_counted: impl Fn(ShipmentStatus) -> bool) -> i64 {
        let open = self.allocations.iter().filter(|held| held.is_there && !held.is_completed);
        let there = open.filter(|held| (held.item, held.location) == at);
        let is_in = |held: &&Allocation| {
            held.shipment.is_some_and(|shipment| is_counted(self.shipments[shipment].status))
        };
        there.filter(is_in).map(|held| held.quantity).sum()
    }

    /// Brings the status of a batch in line with its members.
    pub fn follow_batch(&mut self, number: usize) {
        let members =
            || self.shipments.iter().filter(|member| member.is_there && member.batch == Some(number));
        let purchased = members().filter(|member| member.status == ShipmentStatus::Purchased).count();
        let is_under_way = members().any(|member| member.status == ShipmentStatus::Purchasing);
        let has_unbought = members()
            .any(|member| !matches!(member.status, ShipmentStatus::Purchased | ShipmentStatus::Voided));
        let has_members = members().count() > 0;
        let batch = &mut self.batches[number];
        batch.status = match batch.status {
            BatchStatus::Purchased => return,
            BatchStatus::Purchasing if !batch.is_begun || is_under_way => return,
            BatchStatus::PurchaseFailed if purchased == 0 => return,
            _ if !has_unbought && has_members => BatchStatus::Purchased,
            BatchStatus::Purchasing if purchased == 0 => BatchStatus::PurchaseFailed,
            _ => BatchStatus::PartiallyPurchased,
        };
    }
}
