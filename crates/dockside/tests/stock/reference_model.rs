//! A simple model of what the product must do: plain lists in memory, sums that are computed anew each time, and the rules
//! for orders, stock and allocations. It does not depend on how the product does it.

use std::collections::{BTreeMap, BTreeSet};

use crate::parcels::shipment::{Batch, OrderParcels, Shipment};
use crate::parcels::short::Short;
use crate::parcels::wave::Wave;
use crate::requests::{ChangedRow, NewRow, Request};
use crate::steps::{ITEMS, LOCATIONS};

/// A status, and the code of the problem where it is one.
pub type Answer = (u16, &'static str);
pub type Checked = Result<(), Answer>;

const QUANTITY_MAX: i64 = 1_000_000;
pub const NOT_FOUND: Answer = (404, "not_found");
const INVALID: Answer = (422, "validation_failed");
pub const CANCELLED: Answer = (409, "order_cancelled");
pub const STOCK_SHORT: Answer = (409, "insufficient_stock");

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Status {
    Draft,
    Committed,
    Fulfilled,
    Cancelled,
}

#[derive(Clone, Debug)]
pub struct Order {
    pub status: Status,
    /// Item and quantity, each item once.
    pub lines: Vec<(usize, i64)>,
    /// What matters to its shipments. Sequences of stock alone never change it.
    pub parcels: OrderParcels,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allocation {
    pub order: usize,
    pub item: usize,
    pub location: usize,
    pub quantity: i64,
    pub is_completed: bool,
    pub took_stock: bool,
    /// The shipment that holds its units, and the one that completed it.
    pub shipment: Option<usize>,
    pub completed_by: Option<usize>,
    /// False once it was released. Its number stays, for requests that still name it.
    pub is_there: bool,
}

/// All orders, allocations and shipments there ever were; a deleted order is `None`.
#[derive(Clone)]
pub struct ReferenceModel {
    pub has_item: [bool; ITEMS],
    pub levels: BTreeMap<(usize, usize), i64>,
    pub orders: Vec<Option<Order>>,
    pub allocations: Vec<Allocation>,
    pub shipments: Vec<Shipment>,
    pub batches: Vec<Batch>,
    pub waves: Vec<Wave>,
    /// What the last short pick changed.
    pub last_short: Short,
    /// The hours that have passed.
    pub hours: i64,
}

impl ReferenceModel {
    pub fn new() -> Self {
        let (levels, orders, allocations, shipments, batches, waves) = Default::default();
        let (has_item, last_short) = ([true; ITEMS], Short::default());
        Self { has_item, levels, orders, allocations, shipments, batches, waves, last_short, hours: 0 }
    }

    /// Applies a request, or refuses all of it.
    pub fn answer(&mut self, request: &Request) -> Answer {
        let done = match request {
            Request::CreateOrder { status, items } => self.create_order(status, items),
            Request::PatchOrder { order, items, status } => self.patch_order(*order, items, *status),
            Request::CommitOrder { order } => self.commit(*order),
            Request::CancelOrder { order } => self.cancel(*order),
            Request::DeleteOrder { order } => self.delete_order(*order),
            Request::Allocate { order, entries } => self.allocate(*order, &entries.concat()),
            Request::Change { order, changes } => self.change(*order, changes),
            Request::Release { order } => self.release(*order),
            Request::SetLevel { item, location, on_hand } => self.set_level(*item, *location, *on_hand),
            Request::Adjust { item, location, delta, expected } => {
                self.adjust(*item, *location, *delta, *expected)
            }
            Request::DeleteItem { item } => self.delete_item(*item),
        };
        done.err().unwrap_or_else(|| (request.success(), ""))
    }

    /// How much of an order's item is allocated.
    pub fn allocated(&self, order: usize, item: usize) -> i64 {
        self.of_order(order).filter(|held| held.item == item).map(|held| held.quantity).sum()
    }

    /// Returns how much of an item is allocated at a location.
    pub fn promised(&self, item: usize, location: usize) -> i64 {
        let there = |held: &&Allocation| (held.item, held.location) == (item, location);
        let open = self.allocations.iter().filter(|held| held.is_there && !held.is_completed);
        open.filter(there).map(|held| held.quantity).sum()
    }

    pub fn of_order(&self, order: usize) -> impl Iterator<Item = &Allocation> {
        self.allocations.iter().filter(move |held| held.is_there && held.order == order)
    }

    pub fn order(&self, order: usize) -> Result<&Order, Answer> {
        self.orders.get(order).and_then(Option::as_ref).ok_or(NOT_FOUND)
    }

    fn knows(&self, item: usize) -> bool {
        self.has_item.get(item).copied().unwrap_or(false)
    }

    pub fn create_order(&mut self, status: &str, items: &[(usize, i64)]) -> Checked {
        ensure(items.iter().all(|(_, quantity)| is_quantity(*quantity)), INVALID)?;
        let status = match status {
            "draft" => Status::Draft,
            "committed" => Status::Committed,
            _ => return Err((422, "status_not_writable")),
        };
        ensure(items.iter().all(|(item, _)| self.knows(*item)), (422, "inventory_item_not_found"))?;
        self.orders.push(Some(Order { status, lines: summed(items), parcels: OrderParcels::default() }));
        Ok(())
    }

    fn patch_order(&mut self, order: usize, items: &[(usize, i64)], status: Option<&str>) -> Checked {
        let old = self.order(order)?;
        ensure(items.iter().all(|(_, quantity)| is_quantity(*quantity)), INVALID)?;
        ensure(status.is_none_or(|status| status == old.status.name()), (422, "status_not_writable"))?;
        let lines = summed(items);
        if lines == old.lines {
            return Ok(());
        }
        match old.status {
            Status::Fulfilled => return Err((409, "order_fulfilled")),
            Status::Cancelled => return Err(CANCELLED),
            Status::Draft | Status::Committed => {}
        }
        ensure(items.iter().all(|(item, _)| self.knows(*item)), (422, "inventory_item_not_found"))?;
        let covers = self.of_order(order).all(|held| {
            let wanted =
                lines.iter().find(|(item, _)| *item == held.item).map_or(0, |(_, quantity)| *quantity);
            self.allocated(order, held.item) <= wanted
        });
        ensure(covers, (409, "order_items_allocated"))?;
        if let Some(order) = &mut self.orders[order] {
            order.lines = lines;
        }
        self.follow(order);
        Ok(())
    }

    fn commit(&mut self, order: usize) -> Checked {
        match self.order(order)?.status {
            Status::Cancelled => Err(CANCELLED),
            Status::Committed | Status::Fulfilled => Ok(()),
            Status::Draft => {
                self.set_status(order, Status::Committed);
                Ok(())
            }
        }
    }

    fn cancel(&mut self, order: usize) -> Checked {
        self.ensure_endable(order)?;
        self.delete_open_shipments(order);
        self.take_back(order);
        self.set_status(order, Status::Cancelled);
        self.parcels_mut(order).is_held = false;
        Ok(())
    }

    fn delete_order(&mut self, order: usize) -> Checked {
        self.ensure_endable(order)?;
        self.delete_open_shipments(order);
        self.take_back(order);
        self.unlink_shipments(order);
        self.orders[order] = None;
        Ok(())
    }

    pub fn allocate(&mut self, order: usize, rows: &[NewRow]) -> Checked {
        ensure(rows.iter().all(|row| is_quantity(row.quantity)), INVALID)?;
        let wanting = self.order(order)?;
        match wanting.status {
            Status::Draft => return Err((409, "order_not_committed")),
            Status::Cancelled => return Err(CANCELLED),
            Status::Committed | Status::Fulfilled => {}
        }
        ensure(rows.iter().all(|row| row.location < LOCATIONS), (422, "location_not_found"))?;
        let is_ordered = |row: &NewRow| wanting.lines.iter().any(|(item, _)| *item == row.item);
        ensure(rows.iter().all(is_ordered), (422, "item_not_in_order"))?;
        for (item, quantity) in &wanting.lines {
            let asked: i64 = rows.iter().filter(|row| row.item == *item).map(|row| row.quantity).sum();
            ensure(self.allocated(order, *item) + asked <= *quantity, (409, "exceeds_reservation"))?;
        }
        self.allocations.extend(rows.iter().map(|row| Allocation {
            order,
            item: row.item,
            location: row.location,
            quantity: row.quantity,
            is_completed: false,
            took_stock: false,
            shipment: None,
            completed_by: None,
            is_there: true,
        }));
        Ok(())
    }

    fn change(&mut self, order: usize, rows: &[ChangedRow]) -> Checked {
        ensure(rows.iter().all(|row| row.line.is_none_or(|(_, quantity)| is_quantity(quantity))), INVALID)?;
        self.order(order)?;
        let mut after = self.allocations.clone();
        let mut seen = BTreeSet::new();
        for row in rows {
            ensure(seen.insert(row.allocation), (422, "duplicate_allocation"))?;
            let held = after.get_mut(row.allocation).filter(|held| held.is_there && held.order == order);
            change_one(held.ok_or((422, "allocation_not_found"))?, row)?;
        }
        ensure(after.iter().all(|held| held.location < LOCATIONS), (422, "location_not_found"))?;
        for (item, quantity) in &self.order(order)?.lines {
            let held = after.iter().filter(|held| held.is_there && held.order == order && held.item == *item);
            ensure(held.map(|held| held.quantity).sum::<i64>() <= *quantity, (409, "exceeds_reservation"))?;
        }
        let mut levels = self.levels.clone();
        for (before, held) in self.allocations.iter().zip(&mut after) {
            let level = levels.get_mut(&(held.item, held.location));
            if let Some(on_hand) = level.filter(|_| held.is_completed && !before.is_completed) {
                *on_hand -= held.quantity;
                held.took_stock = true;
            }
        }
        ensure(levels.values().all(|on_hand| *on_hand >= 0), STOCK_SHORT)?;
        (self.allocations, self.levels) = (after, levels);
        self.follow(order);
        Ok(())
    }

    fn release(&mut self, order: usize) -> Checked {
        self.order(order)?;
        self.delete_open_shipments(order);
        self.unlink_bought_shipments(order);
        self.take_back(order);
        self.follow(order);
        Ok(())
    }

    fn set_level(&mut self, item: usize, location: usize, on_hand: i64) -> Checked {
        ensure(on_hand >= 0, INVALID)?;
        ensure(self.knows(item) && location < LOCATIONS, NOT_FOUND)?;
        self.levels.insert((item, location), on_hand);
        Ok(())
    }

    fn adjust(&mut self, item: usize, location: usize, delta: i64, expected: Option<i64>) -> Checked {
        ensure(self.knows(item) && location < LOCATIONS, NOT_FOUND)?;
        let on_hand = self.levels.get(&(item, location)).copied().unwrap_or(0);
        ensure(expected.is_none_or(|expected| expected == on_hand), (409, "on_hand_changed"))?;
        ensure(on_hand + delta >= 0, STOCK_SHORT)?;
        self.levels.insert((item, location), on_hand + delta);
        Ok(())
    }

    fn delete_item(&mut self, item: usize) -> Checked {
        ensure(self.knows(item), NOT_FOUND)?;
        let is_ordered =
            self.orders.iter().flatten().any(|order| order.lines.iter().any(|line| line.0 == item));
        let is_stocked = self.levels.iter().any(|(at, on_hand)| at.0 == item && *on_hand > 0);
        ensure(!is_ordered && !is_stocked, (409, "inventory_item_in_use"))?;
        self.levels.retain(|at, _| at.0 != item);
        self.has_item[item] = false;
        Ok(())
    }

    fn take_back(&mut self, order: usize) {
        for held in self.allocations.iter_mut().filter(|held| held.is_there && held.order == order) {
            (held.is_there, held.shipment) = (false, None);
            let level = self.levels.get_mut(&(held.item, held.location));
            if let Some(on_hand) = level.filter(|_| held.took_stock) {
                *on_hand += held.quantity;
            }
        }
    }

    /// An order is fulfilled while all of it is allocated and completed.
    pub fn follow(&mut self, order: usize) {
        let Some(wanting) = &self.orders[order] else { return };
        if !matches!(wanting.status, Status::Committed | Status::Fulfilled) {
            return;
        }
        let is_done = wanting.lines.iter().all(|(item, quantity)| {
            let sent = self.of_order(order).filter(|held| held.item == *item && held.is_completed);
            sent.map(|held| held.quantity).sum::<i64>() == *quantity
        });
        self.set_status(order, if is_done { Status::Fulfilled } else { Status::Committed });
    }

    pub fn set_status(&mut self, order: usize, status: Status) {
        if let Some(order) = &mut self.orders[order] {
            order.status = status;
        }
    }
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Status::Draft => "draft",
            Status::Committed => "committed",
            Status::Fulfilled => "fulfilled",
            Status::Cancelled => "cancelled",
        }
    }

    pub fn is_reserved(self) -> bool {
        matches!(self, Status::Committed | Status::Fulfilled)
    }
}

fn change_one(held: &mut Allocation, row: &ChangedRow) -> Checked {
    let mut new = *held;
    new.location = row.location.unwrap_or(held.location);
    if let Some((item, quantity)) = row.line {
        ensure(item == held.item, (422, "item_not_in_allocation"))?;
        new.quantity = quantity;
    }
    let is_packed = held.shipment.is_some() && !held.is_completed;
    ensure(!(is_packed && new != *held), (409, "allocation_in_shipment"))?;
    let is_changed = new != *held || row.completed == Some(false);
    ensure(!(held.is_completed && is_changed), (409, "allocation_completed"))?;
    new.is_completed = held.is_completed || row.completed == Some(true);
    *held = new;
    Ok(())
}

pub fn ensure(holds: bool, answer: Answer) -> Checked {
    if holds { Ok(()) } else { Err(answer) }
}

fn is_quantity(quantity: i64) -> bool {
    (1..=QUANTITY_MAX).contains(&quantity)
}

fn summed(items: &[(usize, i64)]) -> Vec<(usize, i64)> {
    let mut lines: Vec<(usize, i64)> = Vec::new();
    for (item, quantity) in items {
        match lines.iter_mut().find(|(known, _)| known == item) {
            Some((_, sum)) => *sum += quantity,
            None => lines.push((*item, *quantity)),
        }
    }
    lines
}
