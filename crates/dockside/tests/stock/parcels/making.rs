//! The rules of the reference model for making shipments from orders.

use std::collections::{BTreeMap, BTreeSet};

use super::requests::{GivenPackages, ShipRequest};
use super::shipment::{LOCATION_BARE, Rule, Shipment, Units, sum};
use crate::reference_model::{
    Allocation, Answer, Checked, Order, ReferenceModel, STOCK_SHORT, Status, ensure,
};

/// The location of each new shipment, and what its packages hold.
pub type NewShipments = Vec<(usize, Vec<Units>)>;

impl ReferenceModel {
    /// Makes shipments from the allocations of an order, all or nothing.
    pub fn ship(&mut self, request: &ShipRequest) -> Checked {
        Self::ensure_shippable(self.order(request.order)?)?;
        let chosen = self.chosen(request)?;
        let new = match &request.packages {
            None => self.whole_shipments(&chosen),
            Some(given) => {
                let places = self.places(&chosen);
                ensure(places.len() == 1, (422, "packages_need_location"))?;
                let place = places.first().copied().unwrap_or_default();
                ensure_allocated(given, &self.units_at(&chosen, place))?;
                given.shipments(place)
            }
        };
        self.ensure_sendable(request.order, &chosen)?;
        ensure(self.short_levels(&new).is_empty(), STOCK_SHORT)?;
        let has_carrier = request.packages.as_ref().is_some_and(|given| given.is_single);
        self.make_shipments(request.order, &chosen, new, !has_carrier);
        Ok(())
    }

    /// Refuses an order of which nothing may be shipped.
    pub fn ensure_shippable(order: &Order) -> Checked {
        Self::refusal(order)?;
        ensure(order.status != Status::Draft, (409, "order_not_committed"))
    }

    /// Refuses allocations at a place without a configuration, and an order that goes nowhere.
    pub fn ensure_sendable(&self, order: usize, chosen: &[usize]) -> Checked {
        for place in self.places(chosen) {
            ensure(place != LOCATION_BARE, (422, "location_configuration_missing"))?;
            ensure(self.order(order)?.parcels.destination.is_some(), (422, "destination_missing"))?;
        }
        Ok(())
    }

    /// Puts allocations of an order into new shipments. If no request names their carrier, shipping rules say how they are sent.
    pub fn make_shipments(&mut self, order: usize, chosen: &[usize], new: NewShipments, is_by_rules: bool) {
        let destination = self.orders[order].as_ref().and_then(|order| order.parcels.destination);
        let destination = destination.unwrap_or_default();
        let mut free: BTreeSet<usize> = chosen.iter().copied().collect();
        for (location, packages) in new {
            let number = self.shipments.len();
            for (item, quantity) in sum(&packages) {
                self.pack(&mut free, number, (item, location), quantity);
            }
            let mut shipment = Shipment::new(order, location, packages, destination);
            shipment.is_service_asked = is_by_rules && destination.rule() == Rule::Service;
            self.shipments.push(shipment);
        }
    }

    /// The allocations to ship: those that the request names, else all that are open and in no shipment.
    fn chosen(&self, request: &ShipRequest) -> Result<Vec<usize>, Answer> {
        let Some(named) = &request.allocations else {
            let free = self.free(request.order);
            ensure(!free.is_empty(), (409, "nothing_to_ship"))?;
            return Ok(free);
        };
        for (place, number) in named.iter().enumerate() {
            let held =
                self.allocations.get(*number).filter(|held| held.is_there && held.order == request.order);
            let held = held.ok_or((422, "allocation_not_found"))?;
            ensure(!named[..place].contains(number), (422, "duplicate_allocation"))?;
            ensure(!held.is_completed, (409, "allocation_completed"))?;
        }
        let is_packed = |number: &usize| self.allocations[*number].shipment.is_some();
        ensure(!named.iter().any(is_packed), (409, "allocation_in_shipment"))?;
        Ok(named.clone())
    }

    /// The allocations of an order that are open and in no shipment.
    pub fn free(&self, order: usize) -> Vec<usize> {
        let is_free = |held: &Allocation| {
            held.is_there && held.order == order && !held.is_completed && held.shipment.is_none()
        };
        (0..self.allocations.len()).filter(|number| is_free(&self.allocations[*number])).collect()
    }

    fn places(&self, chosen: &[usize]) -> BTreeSet<usize> {
        chosen.iter().map(|number| self.allocations[*number].location).collect()
    }

    /// A shipment for each place, with all that is chosen there. How it is packed is not the model's business.
    pub fn whole_shipments(&self, chosen: &[usize]) -> NewShipments {
        let places = self.places(chosen);
        places.into_iter().map(|place| (place, vec![self.units_at(chosen, place)])).collect()
    }

    fn units_at(&self, chosen: &[usize], location: usize) -> Units {
        let mut units = Units::new();
        for held in chosen.iter().map(|number| &self.allocations[*number]) {
            if held.location == location {
                *units.entry(held.item).or_default() += held.quantity;
            }
        }
        units
    }

    /// Returns the levels that lack units: these are not on hand, or in other shipments. An item without a level is not tracked.
    pub fn short_levels(&self, new: &NewShipments) -> BTreeSet<(usize, usize)> {
        let mut needed: BTreeMap<(usize, usize), i64> = BTreeMap::new();
        for (location, packages) in new {
            for (item, quantity) in sum(packages) {
                *needed.entry((item, *location)).or_default() += quantity;
            }
        }
        let is_short = |(at, needed): &(&(usize, usize), &i64)| {
            self.levels.get(*at).is_some_and(|on_hand| on_hand - self.packed(**at, |_| true) < **needed)
        };
        needed.iter().filter(is_short).map(|(at, _)| *at).collect()
    }

    /// Puts units into a shipment, from the oldest free allocation on. If an allocation has more, its number keeps the packed
    /// part.
    fn pack(&mut self, free: &mut BTreeSet<usize>, shipment: usize, at: (usize, usize), mut quantity: i64) {
        while quantity > 0 {
            let is_next = |number: &&usize| {
                let held = &self.allocations[**number];
                (held.item, held.location) == at
            };
            let Some(next) = free.iter().find(is_next).copied() else { return };
            free.remove(&next);
            let held = &mut self.allocations[next];
            let taken = held.quantity.min(quantity);
            let rest = Allocation { quantity: held.quantity - taken, ..*held };
            (held.quantity, held.shipment) = (taken, Some(shipment));
            if rest.quantity > 0 {
                free.insert(self.allocations.len());
                self.allocations.push(rest);
            }
            quantity -= taken;
        }
    }
}

fn ensure_allocated(given: &GivenPackages, available: &BTreeMap<usize, i64>) -> Checked {
    let mut requested: BTreeMap<usize, i64> = BTreeMap::new();
    for (item, quantity) in given.packages.iter().flatten() {
        *requested.entry(*item).or_default() += quantity;
    }
    let is_there = |(item, quantity): (&usize, &i64)| available.get(item).is_some_and(|has| has >= quantity);
    ensure(requested.iter().all(is_there), (422, "packages_exceed_allocations"))
}

impl GivenPackages {
    /// What each new shipment takes: all packages together, or one of them.
    fn shipments(&self, location: usize) -> NewShipments {
        let packages: Vec<Units> =
            self.packages.iter().map(|items| items.iter().copied().collect()).collect();
        match self.is_single {
            true => packages.into_iter().map(|package| (location, vec![package])).collect(),
            false => vec![(location, packages)],
        }
    }
}
