//! The rules of the reference model for making shipments from orders, and for plans.

use std::collections::{BTreeMap, BTreeSet};

use super::requests::{GivenPackages, PlannedRow, ShipRequest};
use super::shipment::{LOCATION_BARE, Shipment};
use crate::reference_model::{Allocation, CANCELLED, Checked, ReferenceModel, STOCK_SHORT, Status, ensure};
use crate::requests::NewRow;
use crate::steps::LOCATIONS;

/// The units that each new shipment takes from a location, by item.
type NewShipments = Vec<(usize, BTreeMap<usize, i64>)>;

impl ReferenceModel {
    /// Makes shipments from the allocations of an order, all or nothing.
    pub fn ship(&mut self, request: &ShipRequest) -> Checked {
        let order = self.order(request.order)?;
        Self::refusal(order)?;
        ensure(order.status != Status::Draft, (409, "order_not_committed"))?;
        let destination = order.parcels.destination;
        let chosen = self.chosen(request)?;
        let places: BTreeSet<usize> =
            chosen.iter().map(|number| self.allocations[*number].location).collect();
        let new = match &request.packages {
            None => places.iter().map(|place| (*place, self.units_at(&chosen, *place))).collect(),
            Some(given) => {
                ensure(places.len() == 1, (422, "packages_need_location"))?;
                let place = places.iter().copied().next().unwrap_or_default();
                ensure_allocated(given, &self.units_at(&chosen, place))?;
                given.shipments(place)
            }
        };
        for place in &places {
            ensure(*place != LOCATION_BARE, (422, "location_configuration_missing"))?;
            ensure(destination.is_some(), (422, "destination_missing"))?;
        }
        self.ensure_on_hand(&new)?;
        let mut free: BTreeSet<usize> = chosen.into_iter().collect();
        for (location, units) in new {
            let shipment = self.shipments.len();
            for (item, quantity) in &units {
                self.pack(&mut free, shipment, (*item, location), *quantity);
            }
            self.shipments.push(Shipment::new(
                request.order,
                location,
                units,
                destination.unwrap_or_default(),
            ));
        }
        Ok(())
    }

    /// The allocations to ship: those that the request names, else all that are open and in no shipment.
    fn chosen(&self, request: &ShipRequest) -> Result<Vec<usize>, (u16, &'static str)> {
        let Some(named) = &request.allocations else {
            let is_free = |held: &Allocation| !held.is_completed && held.shipment.is_none();
            let is_of = |held: &Allocation| held.is_there && held.order == request.order && is_free(held);
            let free: Vec<_> =
                (0..self.allocations.len()).filter(|number| is_of(&self.allocations[*number])).collect();
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

    fn units_at(&self, chosen: &[usize], location: usize) -> BTreeMap<usize, i64> {
        let mut units = BTreeMap::new();
        for held in chosen.iter().map(|number| &self.allocations[*number]) {
            if held.location == location {
                *units.entry(held.item).or_default() += held.quantity;
            }
        }
        units
    }

    /// Refuses units that are not on hand, or that other shipments hold. An item without a level is not tracked.
    fn ensure_on_hand(&self, new: &NewShipments) -> Checked {
        let mut needed: BTreeMap<(usize, usize), i64> = BTreeMap::new();
        for (location, units) in new {
            for (item, quantity) in units {
                *needed.entry((*item, *location)).or_default() += quantity;
            }
        }
        let is_there = |(at, needed): (&(usize, usize), &i64)| {
            self.levels.get(at).is_none_or(|on_hand| on_hand - self.packed(*at, |_| true) >= *needed)
        };
        ensure(needed.iter().all(is_there), STOCK_SHORT)
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

    /// Refuses a plan that can't be made or has nothing to allocate.
    pub fn check_plan(&self, order: usize) -> Checked {
        let wanting = self.order(order)?;
        match wanting.status {
            Status::Draft => return Err((409, "order_not_committed")),
            Status::Cancelled => return Err(CANCELLED),
            Status::Committed | Status::Fulfilled => {}
        }
        ensure(!wanting.parcels.is_held, (409, "order_on_hold"))?;
        ensure(!self.supply(order).is_empty(), (409, "nothing_to_allocate"))
    }

    /// Makes the allocations of a plan, if they are what a plan must be: they supply as much as stock allows, from the fewest
    /// locations. Which ones of several such plans the product takes is not the model's business.
    pub fn apply_plan(&mut self, order: usize, rows: &[PlannedRow]) -> Result<(), String> {
        let mut planned: BTreeMap<usize, i64> = BTreeMap::new();
        let mut drawn: BTreeMap<(usize, usize), i64> = BTreeMap::new();
        for row in rows {
            *planned.entry(row.item).or_default() += row.quantity;
            *drawn.entry((row.item, row.location)).or_default() += row.quantity;
        }
        let supply = self.supply(order);
        if planned != supply {
            return Err(format!("the plan supplies {planned:?}, but stock allows {supply:?}"));
        }
        let over = drawn.iter().find(|(at, quantity)| self.available(**at) < **quantity);
        if let Some(over) = over {
            return Err(format!("the plan takes {over:?}, but {} are available", self.available(*over.0)));
        }
        let used: BTreeSet<usize> = rows.iter().map(|row| row.location).collect();
        let fewest = self.fewest_locations(&supply);
        if used.len() != fewest {
            return Err(format!("the plan uses {used:?}, but {fewest} locations suffice"));
        }
        let row =
            |row: &PlannedRow| NewRow { item: row.item, location: row.location, quantity: row.quantity };
        let rows: Vec<_> = rows.iter().map(row).collect();
        self.allocate(order, &rows).map_err(|refusal| format!("the plan can't be allocated: {refusal:?}"))
    }

    /// What stock allows of each item that the order still wants.
    fn supply(&self, order: usize) -> BTreeMap<usize, i64> {
        let lines = self.orders[order].iter().flat_map(|order| &order.lines);
        let supply = lines.map(|(item, quantity)| {
            let wanted = quantity - self.allocated(order, *item);
            let stock: i64 = (0..LOCATIONS).map(|location| self.available((*item, location)).max(0)).sum();
            (*item, wanted.min(stock))
        });
        supply.filter(|(_, quantity)| *quantity > 0).collect()
    }

    fn available(&self, at: (usize, usize)) -> i64 {
        self.levels.get(&at).map_or(0, |on_hand| on_hand - self.promised(at.0, at.1))
    }

    /// The smallest number of locations that together have the supply: found by trying all sets.
    fn fewest_locations(&self, supply: &BTreeMap<usize, i64>) -> usize {
        let has = |set: u32, item: usize| -> i64 {
            let members = (0..LOCATIONS).filter(|location| set & (1 << location) != 0);
            members.map(|location| self.available((item, location)).max(0)).sum()
        };
        let covers = |set: &u32| supply.iter().all(|(item, quantity)| has(*set, *item) >= *quantity);
        let sizes = (0..1_u32 << LOCATIONS).filter(covers).map(u32::count_ones);
        sizes.min().unwrap_or_default() as usize
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
        let units = |packages: &[Vec<(usize, i64)>]| {
            let mut units = BTreeMap::new();
            for (item, quantity) in packages.iter().flatten() {
                *units.entry(*item).or_default() += quantity;
            }
            (location, units)
        };
        match self.is_single {
            true => self.packages.chunks(1).map(units).collect(),
            false => vec![units(&self.packages)],
        }
    }
}
