//! Units that are missing in a shipment: they leave it before its purchase, and are reported to the order after it.

use model::orders::order_exception::ExceptionCode;
use model::platform::id::AllocationKind;
use model::{Allocation, Code, Id, InventoryItem, Order, Result, Shipment, ensure};

use super::{OrderContents, at_of, shipment_kind};
use crate::events::events::EventLog;
use crate::orders::exceptions::NewException;

impl OrderContents {
    /// Takes units of an item out of a shipment that is not bought, from its newest allocations on. An allocation of which some
    /// units stay is split, and keeps those. Returns the allocations that have the others.
    ///
    /// # Errors
    ///
    /// Refuses units that a request has completed already.
    pub fn take_out(
        &mut self,
        shipment: Id<Shipment>,
        item: Id<InventoryItem>,
        quantity: i64,
        log: &EventLog,
    ) -> Result<Vec<Id<AllocationKind>>> {
        let id = shipment_kind(shipment);
        let state = self.by_shipment.get(&id).and_then(|order| self.orders.get_mut(order));
        let state = state.ok_or(Code::ShipmentWithoutOrder)?;
        let (mut left, mut freed, mut split) = (quantity, Vec::new(), Vec::new());
        let is_usable = |held: &&mut Allocation| {
            held.shipment == Some(id) && held.item == item && held.completed_at.is_none()
        };
        for allocation in state.after.iter_mut().rev().filter(is_usable) {
            let taken = allocation.quantity.min(left);
            if taken == 0 {
                break;
            }
            let packed = allocation.packed();
            if taken == allocation.quantity {
                allocation.shipment = None;
                freed.push(allocation.id);
            } else {
                allocation.quantity -= taken;
                let rest = allocation.split(log.new_id(), taken);
                freed.push(rest.id);
                split.push(rest);
            }
            if let Some(level) = self.levels.get_mut(&at_of(allocation)) {
                level.count(allocation.packed() - packed, 0);
            }
            left -= taken;
        }
        ensure(left == 0, Code::AllocationCompleted)?;
        state.after.extend(split);
        Ok(freed)
    }

    /// Writes units off the level of an allocation. Returns how many: none if the location does not count the item.
    pub fn write_off(
        &mut self,
        order: Id<Order>,
        allocation: Id<AllocationKind>,
        quantity: i64,
        reason: &str,
    ) -> i64 {
        let held = self.allocations(order).iter().find(|held| held.id == allocation).map(at_of);
        let level = held.and_then(|at| self.levels.get_mut(&at));
        level.map_or(0, |level| level.write_off(quantity, reason.to_owned()))
    }

    /// Reports to the order that units of a bought shipment are missing.
    pub fn report_short(&mut self, order: Id<Order>, shipment: Id<Shipment>, message: String) {
        if let Some(state) = self.orders.get_mut(&order) {
            let shipment = Some(shipment_kind(shipment));
            state.exceptions.push(NewException { code: ExceptionCode::Short, shipment, message });
        }
    }
}
