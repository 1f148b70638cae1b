//! The part of the reference model that knows shipments and batches: how an order and its shipments follow each other.

use super::shipment::{BatchStatus, Exception, OrderParcels, ShipmentStatus};
use crate::reference_model::{Allocation, Answer, CANCELLED, Checked, Order, ReferenceModel, Status, ensure};

const ORDER_HAS_SHIPMENTS: Answer = (409, "order_has_shipments");
const BATCH_PURCHASING: Answer = (409, "batch_purchasing");

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
        ensure(order.status != Status::Cancelled, CANCELLED)?;
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
        let is_under_way =
            members().any(|member| member.status == ShipmentStatus::Purchasing && member.is_bought_by_batch);
        let has_unbought = members()
            .any(|member| !matches!(member.status, ShipmentStatus::Purchased | ShipmentStatus::Voided));
        let has_members = members().count() > 0;
        let batch = &mut self.batches[number];
        batch.status = match batch.status {
            BatchStatus::Open | BatchStatus::Purchased => return,
            BatchStatus::Purchasing if !batch.is_begun || is_under_way => return,
            BatchStatus::PurchaseFailed if purchased == 0 => return,
            _ if !has_unbought && has_members => BatchStatus::Purchased,
            BatchStatus::Purchasing if purchased == 0 => BatchStatus::PurchaseFailed,
            _ => BatchStatus::PartiallyPurchased,
        };
    }
}
