//! Allocations: items of an order that are assigned to a location, and the rules for changing them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::orders::fulfilment::{Quantities, SHIPMENT_ID};
use crate::orders::item_quantity::LINES_MAX;
use crate::orders::order::{LINE_ITEM, Line, ORDER_REFERENCE, OrderReference};
use crate::platform::id::{AllocationKind, ShipmentKind};
use crate::platform::problem::Code;
use crate::platform::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::stock::inventory_item::{ALLOCATION_ID, LocationReference, PLACE_REFERENCE};
use crate::{Id, InventoryItem, Location, Order, Timestamp};

/// An allocation of one item. A request with several items creates several allocations.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Allocation {
    pub id: Id<AllocationKind>,
    pub order: Id<Order>,
    pub item: Id<InventoryItem>,
    pub location: Id<Location>,
    pub quantity: i64,
    pub completed_at: Option<Timestamp>,
    /// Whether its completion reduced a stock level. `false` if the location had no level of the item.
    pub took_stock: bool,
    /// The shipment that holds its units.
    pub shipment: Option<Id<ShipmentKind>>,
    /// The shipment whose purchase or hand-over completed it. `None` if a request completed it.
    pub completed_by: Option<Id<ShipmentKind>>,
    /// Whether its shipment is being bought or is bought.
    pub is_buying: bool,
    /// Whether the carrier reports its shipment as delivered.
    pub is_delivered: bool,
    /// Whether a plan made it, so that its level counts its units while it is open.
    pub is_planned: bool,
}

/// An allocation as the API shows it.
#[derive(Serialize)]
pub struct AllocationView {
    id: Id<AllocationKind>,
    location: LocationReference,
    order: OrderReference,
    items: [Line; 1],
    shipment_id: Option<Id<ShipmentKind>>,
    completed_at: Option<Timestamp>,
}

impl Allocation {
    /// Returns an open allocation that is in no shipment.
    pub fn open(
        id: Id<AllocationKind>,
        order: Id<Order>,
        item: Id<InventoryItem>,
        location: Id<Location>,
        quantity: i64,
    ) -> Self {
        Self {
            id,
            order,
            item,
            location,
            quantity,
            completed_at: None,
            took_stock: false,
            shipment: None,
            completed_by: None,
            is_buying: false,
            is_delivered: false,
            is_planned: false,
        }
    }

    /// Returns an open allocation of some of its units, which are in no shipment.
    pub fn split(&self, id: Id<AllocationKind>, quantity: i64) -> Self {
        let rest = Self::open(id, self.order, self.item, self.location, quantity);
        Self { is_planned: self.is_planned, ..rest }
    }

    /// Returns the quantities of an order that wants so many pieces and has these allocations.
    pub fn quantities(wanted: i64, held: &[Self]) -> Quantities {
        let sum = |is_counted: fn(&Self) -> bool| -> i64 {
            held.iter()
                .filter(|allocation| is_counted(allocation))
                .map(|allocation| allocation.quantity)
                .sum()
        };
        let is_completed = |allocation: &Self| allocation.completed_at.is_some();
        let is_delivered = |allocation: &Self| allocation.completed_at.is_some() && allocation.is_delivered;
        Quantities {
            wanted,
            allocated: sum(|_| true),
            shipped: sum(is_completed),
            delivered: sum(is_delivered),
        }
    }

    /// Returns the units that its level counts as packed: those of an open allocation in a shipment.
    pub fn packed(&self) -> i64 {
        if self.shipment.is_some() && self.completed_at.is_none() { self.quantity } else { 0 }
    }

    /// Returns the packed units whose shipment is being bought or is bought.
    pub fn buying(&self) -> i64 {
        if self.is_buying { self.packed() } else { 0 }
    }

    /// Returns the units that its level counts as planned: those of an open allocation that a plan made.
    pub fn planned(&self) -> i64 {
        if self.is_planned && self.completed_at.is_none() { self.quantity } else { 0 }
    }

    /// Takes its units out of its shipment. What the carrier reported of the shipment no longer concerns them.
    pub fn leave_shipment(&mut self) {
        (self.shipment, self.is_buying, self.is_delivered) = (None, false, false);
    }

    pub fn view(&self) -> AllocationView {
        AllocationView {
            id: self.id,
            location: LocationReference { id: self.location },
            order: OrderReference { id: self.order },
            items: [Line { id: self.item, quantity: self.quantity }],
            shipment_id: self.shipment,
            completed_at: self.completed_at,
        }
    }

    /// Returns the allocation after a change. Fields that the change does not name keep their values.
    pub fn change(&self, change: &AllocationChange, now: Timestamp) -> Result<Allocation, Code> {
        let mut new = *self;
        if let Some(location) = change.location {
            new.location = location.id;
            new.is_planned = self.is_planned && new.location == self.location;
        }
        if let Some(line) = change.items.as_ref().and_then(|items| items.first()) {
            if line.id != self.item {
                return Err(Code::ItemNotInAllocation);
            }
            new.quantity = line.quantity;
        }
        if self.packed() > 0 && new != *self {
            return Err(Code::AllocationInShipment);
        }
        let completes = change.completed == Some(true) || change.completed_at.is_some();
        match self.completed_at {
            // Completing it again, or sending back the values that were read, changes nothing.
            Some(_) if new == *self && change.completed != Some(false) => Ok(*self),
            Some(_) => Err(Code::AllocationCompleted),
            None => {
                new.completed_at = completes.then(|| change.completed_at.unwrap_or(now));
                Ok(new)
            }
        }
    }
}

/// The body of a request that creates allocations.
#[derive(Deserialize)]
pub struct AllocationsInput {
    pub allocations: Vec<AllocationInput>,
}

impl Input for AllocationsInput {
    const SHAPE: &'static Shape = &ALLOCATIONS_INPUT;
}

/// Items that a location is to send.
#[derive(Deserialize)]
pub struct AllocationInput {
    pub location: LocationReference,
    pub items: Vec<Line>,
}

/// The body of a request that changes allocations.
#[derive(Deserialize)]
pub struct AllocationChanges {
    pub allocations: Vec<AllocationChange>,
}

impl Input for AllocationChanges {
    const SHAPE: &'static Shape = &ALLOCATION_CHANGES;
}

/// The change of one allocation.
#[derive(Deserialize)]
pub struct AllocationChange {
    pub id: Id<AllocationKind>,
    pub location: Option<LocationReference>,
    pub items: Option<Vec<Line>>,
    pub completed: Option<bool>,
    pub completed_at: Option<Timestamp>,
}

/// Returns the increase of each item's allocated quantity that a set of changes requests.
pub fn demand(changes: impl Iterator<Item = (Id<InventoryItem>, i64)>) -> BTreeMap<Id<InventoryItem>, i64> {
    let mut demand = BTreeMap::new();
    for (item, quantity) in changes {
        *demand.entry(item).or_insert(0) += quantity;
    }
    demand
}

/// Maximum number of allocations in one request.
pub const ALLOCATIONS_MAX: usize = 1000;

static ITEMS: Shape = Shape::some(
    &LINE_ITEM,
    LINES_MAX,
    "What to send from there. Each item becomes an allocation of its own, within the order's reservation.",
);
static ONE_ITEM: Shape = Shape::some(
    &LINE_ITEM,
    1,
    "The one item that is allocated, and how many. A list, so that it reads like an order's `items`.",
);
static COMPLETED: Shape = Shape::new(
    Kind::Boolean,
    "`true` completes the allocation now: its quantity is taken from what is on hand. It can't be undone but by deleting all of the order's allocations.",
);

/// An allocation.
pub static ALLOCATION: Shape = Shape::object(
    "Allocation",
    &[
        Field::given("id", &ALLOCATION_ID),
        Field::given("location", &PLACE_REFERENCE)
            .about("The place that sends it. Its level counts the quantity as allocated until completion."),
        Field::given("order", &ORDER_REFERENCE)
            .about("The committed order whose reservation this is a part of."),
        Field::given("items", &ONE_ITEM),
        Field::given_or_null("shipment_id", &SHIPMENT_ID)
            .about("The parcels that hold these units. Null while none does, and again after they are voided or deleted."),
        Field::given_or_null("completed_at", &MOMENT)
            .about("When the stock was taken. Null while the allocation is open and may change."),
    ],
    "An item of an order, assigned to a location for fulfilment.",
);
static NEW: Shape = Shape::object(
    "AllocationInput",
    &[
        Field::given("id", &ALLOCATION_ID),
        Field::required("location", &PLACE_REFERENCE).about("The place that is to send the items. It need not have them on hand: what is missing is on backorder."),
        Field::given("order", &ORDER_REFERENCE),
        Field::required("items", &ITEMS),
        Field::given("shipment_id", &SHIPMENT_ID),
        Field::given("completed_at", &MOMENT),
    ],
    "Items to send from a location. Several items become one allocation each.",
);
static NEW_LIST: Shape = Shape::some(
    &NEW,
    ALLOCATIONS_MAX,
    "Up to so many allocations, made together or not at all: one that is refused refuses all.",
);
/// The body of a request that creates allocations.
pub static ALLOCATIONS_INPUT: Shape = Shape::object(
    "AllocationsInput",
    &[Field::required("allocations", &NEW_LIST)],
    "Up to so many allocations, made together or not at all: one that is refused refuses all.",
);
static CHANGED: Shape = Shape::object(
    "AllocationChangeInput",
    &[
        Field::required("id", &ALLOCATION_ID),
        Field::optional("location", &PLACE_REFERENCE).about("Moves the open allocation to another place."),
        Field::given("order", &ORDER_REFERENCE),
        Field::optional("items", &ONE_ITEM),
        Field::given("shipment_id", &SHIPMENT_ID),
        Field::optional("completed", &COMPLETED),
        Field::optional("completed_at", &MOMENT)
            .about("Completes the allocation, as `completed` does, with the moment at which the goods left. Null or absent leaves it open."),
    ],
    "What becomes of one allocation; what is not named stays.",
);
static CHANGED_LIST: Shape = Shape::some(
    &CHANGED,
    ALLOCATIONS_MAX,
    "The allocations to change, together or not at all: one that is refused leaves all as they were.",
);
/// The body of a request that changes allocations.
pub static ALLOCATION_CHANGES: Shape = Shape::object(
    "AllocationChangesInput",
    &[Field::required("allocations", &CHANGED_LIST)],
    "The allocations to change, together or not at all: one that is refused leaves all as they were.",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn open() -> Allocation {
        Allocation::open(Id::from_bits(1), Id::from_bits(2), Id::from_bits(3), Id::from_bits(4), 5)
    }

    fn change() -> AllocationChange {
        AllocationChange {
            id: Id::from_bits(1),
            location: None,
            items: None,
            completed: None,
            completed_at: None,
        }
    }

    const NOW: fn() -> Timestamp = || Timestamp::from_micros(9);

    #[test]
    fn what_is_not_named_stays() {
        assert_eq!(open().change(&change(), NOW()), Ok(open()));
        let line = Line { id: Id::from_bits(3), quantity: 2 };
        let smaller = AllocationChange { items: Some(vec![line]), ..change() };
        assert_eq!(open().change(&smaller, NOW()).map(|new| new.quantity), Ok(2));
        let other = AllocationChange { items: Some(vec![Line { id: Id::from_bits(8), ..line }]), ..change() };
        assert_eq!(open().change(&other, NOW()), Err(Code::ItemNotInAllocation));
    }

    #[test]
    fn a_completed_allocation_stands() {
        let completing = AllocationChange { completed: Some(true), ..change() };
        let done = open().change(&completing, NOW()).unwrap();
        assert_eq!(done.completed_at, Some(NOW()));
        assert_eq!(done.change(&completing, Timestamp::from_micros(99)), Ok(done));
        let moving =
            AllocationChange { location: Some(LocationReference { id: Id::from_bits(7) }), ..change() };
        assert_eq!(done.change(&moving, NOW()), Err(Code::AllocationCompleted));
        let reopening = AllocationChange { completed: Some(false), ..change() };
        assert_eq!(done.change(&reopening, NOW()), Err(Code::AllocationCompleted));
    }

    #[test]
    fn demand_is_summed_per_item() {
        let (a, b) = (Id::from_bits(1), Id::from_bits(2));
        let sums = demand([(a, 2), (b, 1), (a, 3)].into_iter());
        assert_eq!((sums[&a], sums[&b]), (5, 1));
    }
}
