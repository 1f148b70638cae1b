//! The rules of the reference model for short picks: units of a shipment that a picker does not find.

use super::shipment::{Shipment, ShipmentStatus};
use super::short::{Short, ShortRequest};
use crate::reference_model::{Allocation, Answer, Checked, ReferenceModel, ensure};

impl ReferenceModel {
    /// Takes missing units out of a shipment, or reports them to the order of one that is bought.
    pub fn short(&mut self, request: &ShortRequest) -> Checked {
        let number = self.known(request.shipment)?;
        let known = &self.shipments[number];
        match known.status {
            ShipmentStatus::Purchasing => return Err((409, "shipment_purchasing")),
            ShipmentStatus::Voided => return Err((409, "shipment_voided")),
            _ => {}
        }
        let order = known.order.ok_or((409, "shipment_without_order"))?;
        let missing = known.missing(request.item);
        ensure(!missing.is_empty(), (422, "item_not_in_shipment"))?;
        let missing: i64 = missing.iter().map(|(_, quantity)| quantity).sum();
        ensure(request.quantity <= missing, (409, "short_exceeds_missing"))?;
        if known.status == ShipmentStatus::Purchased {
            self.raise(order, "short", number);
            self.last_short = Short { is_reported: true, ..Short::default() };
            return Ok(());
        }
        self.ensure_changeable(number)?;
        let at = (request.item, known.location);
        let allocations = self.take_units(number, at, request.quantity)?;
        self.last_short = Short { allocations, ..Short::default() };
        if let Some(on_hand) = self.levels.get_mut(&at).filter(|_| request.is_adjusting) {
            self.last_short.written_off = request.quantity.min(*on_hand);
            *on_hand -= self.last_short.written_off;
        }
        let shipment = &mut self.shipments[number];
        if shipment.units().values().sum::<i64>() == request.quantity {
            self.last_short.is_shipment_deleted = true;
            self.remove_shipment(number);
        } else {
            shipment.repack(request.item, request.quantity);
        }
        Ok(())
    }

    /// Takes units out of the allocations of a shipment, from the newest on. An allocation of which some stay is split, and its
    /// number keeps those. Returns the allocations that have the others.
    fn take_units(
        &mut self,
        shipment: usize,
        at: (usize, usize),
        quantity: i64,
    ) -> Result<Vec<usize>, Answer> {
        let is_usable = |held: &Allocation| {
            held.shipment == Some(shipment) && (held.item, held.location) == at && !held.is_completed
        };
        let all = 0..self.allocations.len();
        let usable: Vec<_> = all.filter(|number| is_usable(&self.allocations[*number])).collect();
        let there: i64 = usable.iter().map(|number| self.allocations[*number].quantity).sum();
        ensure(there >= quantity, (409, "allocation_completed"))?;
        let (mut left, mut freed) = (quantity, Vec::new());
        for number in usable.into_iter().rev() {
            let held = &mut self.allocations[number];
            let taken = held.quantity.min(left);
            left -= taken;
            match held.quantity - taken {
                _ if taken == 0 => break,
                0 => {
                    held.shipment = None;
                    freed.push(number);
                }
                rest => {
                    held.quantity = rest;
                    let split = Allocation { quantity: taken, shipment: None, ..*held };
                    freed.push(self.allocations.len());
                    self.allocations.push(split);
                }
            }
        }
        Ok(freed)
    }
}

impl Shipment {
    /// Takes missing units out of the packages, from the last one on. Packages without contents are removed, and the scans of
    /// those behind move up.
    fn repack(&mut self, item: usize, quantity: i64) {
        let mut left = quantity;
        for (place, missing) in self.missing(item).into_iter().rev() {
            let taken = missing.min(left);
            left -= taken;
            if let Some(units) = self.packages[place].get_mut(&item) {
                *units -= taken;
            }
            self.packages[place].retain(|_, units| *units > 0);
        }
        for place in (0..self.packages.len()).rev() {
            if self.packages[place].is_empty() {
                self.packages.remove(place);
                let parts = self.scans.iter_mut().flat_map(|scan| &mut scan.parts);
                parts.filter(|part| part.0 > place).for_each(|part| part.0 -= 1);
            }
        }
        self.unrate();
        self.is_packed = self.is_complete();
    }
}
