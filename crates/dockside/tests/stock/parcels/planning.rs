//! The rules of the reference model for plans: where what an order lacks is allocated.

use std::collections::{BTreeMap, BTreeSet};

use super::requests::PlannedRow;
use super::shipment::Units;
use crate::reference_model::{CANCELLED, Checked, ReferenceModel, Status, ensure};
use crate::requests::NewRow;
use crate::steps::LOCATIONS;

/// All locations.
pub const EVERYWHERE: [usize; LOCATIONS] = [0, 1, 2];

impl ReferenceModel {
    /// Refuses a plan that can't be made or has nothing to allocate.
    pub fn check_plan(&self, order: usize) -> Checked {
        let wanting = self.order(order)?;
        match wanting.status {
            Status::Draft => return Err((409, "order_not_committed")),
            Status::Cancelled => return Err(CANCELLED),
            Status::Committed | Status::Fulfilled => {}
        }
        ensure(!wanting.parcels.is_held, (409, "order_on_hold"))?;
        ensure(!self.supply(order, &EVERYWHERE).is_empty(), (409, "nothing_to_allocate"))
    }

    /// Makes the allocations of a plan, if they are what a plan must be: they supply as much as stock allows, from the fewest
    /// locations. Which ones of several such plans the product takes is not the model's business.
    pub fn apply_plan(&mut self, order: usize, rows: &[PlannedRow], places: &[usize]) -> Result<(), String> {
        let mut planned: BTreeMap<usize, i64> = BTreeMap::new();
        let mut drawn: BTreeMap<(usize, usize), i64> = BTreeMap::new();
        for row in rows {
            *planned.entry(row.item).or_default() += row.quantity;
            *drawn.entry((row.item, row.location)).or_default() += row.quantity;
        }
        let supply = self.supply(order, places);
        if planned != supply {
            return Err(format!("the plan supplies {planned:?}, but stock allows {supply:?}"));
        }
        let over = drawn.iter().find(|(at, quantity)| self.available(**at) < **quantity);
        if let Some(over) = over {
            return Err(format!("the plan takes {over:?}, but {} are available", self.available(*over.0)));
        }
        let used: BTreeSet<usize> = rows.iter().map(|row| row.location).collect();
        let fewest = self.fewest_locations(&supply, places);
        if used.len() != fewest || !used.iter().all(|place| places.contains(place)) {
            return Err(format!("the plan uses {used:?}, but {fewest} of {places:?} suffice"));
        }
        let row =
            |row: &PlannedRow| NewRow { item: row.item, location: row.location, quantity: row.quantity };
        let rows: Vec<_> = rows.iter().map(row).collect();
        self.allocate(order, &rows).map_err(|refusal| format!("the plan can't be allocated: {refusal:?}"))
    }

    /// What of each item of an order is not allocated.
    pub fn wanted(&self, order: usize) -> Units {
        let lines = self.orders.get(order).into_iter().flatten().flat_map(|order| &order.lines);
        let wanted = lines.map(|(item, quantity)| (*item, quantity - self.allocated(order, *item)));
        wanted.filter(|(_, quantity)| *quantity > 0).collect()
    }

    /// What the stock of some places allows of each item that the order still wants.
    pub fn supply(&self, order: usize, places: &[usize]) -> Units {
        let supply = self.wanted(order).into_iter().map(|(item, wanted)| {
            let stock: i64 = places.iter().map(|place| self.available((item, *place)).max(0)).sum();
            (item, wanted.min(stock))
        });
        supply.filter(|(_, quantity)| *quantity > 0).collect()
    }

    fn available(&self, at: (usize, usize)) -> i64 {
        self.levels.get(&at).map_or(0, |on_hand| on_hand - self.promised(at.0, at.1))
    }

    /// The smallest number of places that together have the supply: found by trying all sets.
    fn fewest_locations(&self, supply: &Units, places: &[usize]) -> usize {
        let has = |set: u32, item: usize| -> i64 {
            let members = places.iter().filter(|place| set & (1 << **place) != 0);
            members.map(|place| self.available((item, *place)).max(0)).sum()
        };
        let covers = |set: &u32| supply.iter().all(|(item, quantity)| has(*set, *item) >= *quantity);
        let sizes = (0..1_u32 << LOCATIONS).filter(covers).map(u32::count_ones);
        sizes.min().unwrap_or_default() as usize
    }
}
