//! Orders, and the reservations of committed orders.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::places::address::{CONTACT, COORDINATES, Contact, Coordinates, LINE, PostalAddress};
use crate::places::sandbox_address::POSTAL;
use crate::platform::id::Kind as IdKind;
use crate::platform::problem::{Code, Issue, Problem, Result};
use crate::platform::shape::{Field, Input, Kind, METADATA, Shape};
use crate::stock::inventory_item::ITEM_ID;
use crate::{Id, InventoryItem, Timestamp};

/// An order as it is stored and shown.
#[derive(Serialize)]
pub struct Order {
    pub id: Id<Order>,
    #[serde(flatten)]
    pub details: OrderInput,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Order {
    const PREFIX: &'static str = "ord";
}

/// The body of a request that creates an order.
#[derive(Serialize, Deserialize, Clone)]
pub struct OrderInput {
    pub reference: Option<String>,
    #[serde(default)]
    pub status: Status,
    pub destination: Option<Destination>,
    pub items: Vec<Line>,
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

impl Input for OrderInput {
    const SHAPE: &'static Shape = &ORDER;
}

/// The status of an order.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Draft,
    #[default]
    Committed,
    Fulfilled,
    Cancelled,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Draft => "draft",
            Status::Committed => "committed",
            Status::Fulfilled => "fulfilled",
            Status::Cancelled => "cancelled",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Status::Draft, Status::Committed, Status::Fulfilled, Status::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == word)
    }

    /// Returns whether the order has a reservation.
    pub fn is_reserved(self) -> bool {
        matches!(self, Status::Committed | Status::Fulfilled)
    }

    /// Returns the status after a commit.
    pub fn commit(self) -> Result<Status, Code> {
        match self {
            Status::Draft | Status::Committed => Ok(Status::Committed),
            Status::Fulfilled => Ok(Status::Fulfilled),
            Status::Cancelled => Err(Code::OrderCancelled),
        }
    }

    /// Returns the status after a cancellation. An order with completed allocations cannot be cancelled.
    pub fn cancel(self, has_completed: bool) -> Result<Status, Code> {
        match self {
            _ if has_completed => Err(Code::OrderPartlyFulfilled),
            Status::Draft | Status::Committed | Status::Cancelled => Ok(Status::Cancelled),
            Status::Fulfilled => Err(Code::OrderPartlyFulfilled),
        }
    }

    /// Returns the status after a change of its allocations.
    #[must_use]
    pub fn after_allocation(self, is_all_completed: bool) -> Status {
        match self {
            Status::Committed | Status::Fulfilled if is_all_completed => Status::Fulfilled,
            Status::Committed | Status::Fulfilled => Status::Committed,
            other => other,
        }
    }

    /// Fails if the order has ended, so that its items can no longer change.
    pub fn ensure_open(self) -> Result<(), Code> {
        match self {
            Status::Draft | Status::Committed => Ok(()),
            Status::Fulfilled => Err(Code::OrderFulfilled),
            Status::Cancelled => Err(Code::OrderCancelled),
        }
    }
}

/// The delivery address of an order.
#[derive(Serialize, Deserialize, Clone)]
pub struct Destination {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    pub address: PostalAddress,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<Contact>,
    pub coordinates: Option<Coordinates>,
}

/// An item and its quantity.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Debug)]
pub struct Line {
    pub id: Id<InventoryItem>,
    pub quantity: i64,
}

/// Maximum quantity of an item in one order or allocation.
pub const QUANTITY_MAX: i64 = 1_000_000;
/// Maximum number of lines of an order.
pub const LINES_MAX: usize = 1000;

/// Sums the lines of the same item, in the order of their first appearance.
pub fn sum_lines(lines: &[Line]) -> Result<Vec<Line>> {
    let mut sums: Vec<Line> = Vec::new();
    let mut places: BTreeMap<Id<InventoryItem>, usize> = BTreeMap::new();
    for (place, line) in lines.iter().enumerate() {
        let at = *places.entry(line.id).or_insert(sums.len());
        match sums.get_mut(at) {
            Some(sum) => sum.quantity += line.quantity,
            None => sums.push(*line),
        }
        if sums[at].quantity > QUANTITY_MAX {
            let message = format!("The lines of this item add up to more than {QUANTITY_MAX}.");
            let issue = Issue::new("out_of_range", format!("/items/{place}/quantity"), message);
            return Err(Problem::body(vec![issue]).into());
        }
    }
    Ok(sums)
}

/// The stock that a committed order requires.
#[derive(Serialize, Clone)]
pub struct Reservation {
    pub order: OrderReference,
    pub items: Vec<ReservedItem>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Reservation {
    const PREFIX: &'static str = "res";
}

/// An order by its id.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct OrderReference {
    pub id: Id<Order>,
}

/// The quantity of an item that an order requires, and the part of it that is allocated.
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
pub struct ReservedItem {
    pub id: Id<InventoryItem>,
    pub quantity: i64,
    pub allocated_quantity: i64,
}

/// The id of an order.
pub static ORDER_ID: Shape = Shape::new(
    Kind::Identifier(Order::PREFIX),
    "Made when the order is created. Its reservation and its allocations are found under it.",
);
static REFERENCE: Shape = Shape::text(
    1,
    255,
    "The order's number in your shop, for finding it again with `GET /orders?reference=`.",
)
.example(r#""1042""#);
/// The status of an order.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["draft", "committed", "fulfilled", "cancelled"]),
    "A new order is `draft` or `committed` (the default); then commit, cancel and completed allocations move it.",
)
.example(r#""committed""#);
static DESTINATION: Shape = Shape::object(
    "Destination",
    &[
        Field::optional("display_name", &LINE).about("A short name of the address for your screens."),
        Field::required("address", &POSTAL).about("Street, town and country of the recipient."),
        Field::optional("contact", &CONTACT)
            .about("The person or firm that receives the goods; a phone number helps the driver."),
        Field::optional("coordinates", &COORDINATES)
            .about("Where it is on the globe. Plans measure from here; without it they go by the post code."),
    ],
    "Where the order goes. Plans measure distances to it; shipments are given their own destination.",
);
/// The quantity of an item.
pub static QUANTITY: Shape =
    Shape::new(Kind::Integer { min: 1, max: QUANTITY_MAX }, "Pieces, 1 or more.").example("2");
/// An item and its quantity.
pub static LINE_ITEM: Shape = Shape::object(
    "LineItem",
    &[
        Field::required("id", &ITEM_ID)
            .about("The product's `inv_…`, not its SKU. The same one in several lines is summed."),
        Field::required("quantity", &QUANTITY).about("Pieces wanted, 1 to 1,000,000."),
    ],
    "One item of the inventory, and how many pieces.",
);
static ITEMS: Shape = Shape::some(
    &LINE_ITEM,
    LINES_MAX,
    "What is ordered. Lines of the same item are summed. While the order is committed, all of it is reserved.",
);

/// An order.
pub static ORDER: Shape = Shape::object(
    "Order",
    &[
        Field::given("id", &ORDER_ID),
        Field::optional("reference", &REFERENCE),
        Field::optional("status", &STATUS),
        Field::optional("destination", &DESTINATION),
        Field::required("items", &ITEMS),
        Field::optional("metadata", &METADATA),
        Field::created_at(),
        Field::updated_at(),
    ],
    "The items that a customer ordered. A committed order has a reservation.",
);

/// An order by its id.
pub static ORDER_REFERENCE: Shape =
    Shape::object("OrderReference", &[Field::required("id", &ORDER_ID)], "The order, by its `id`.");
static ALLOCATED: Shape = Shape::new(
    Kind::Integer { min: 0, max: QUANTITY_MAX },
    "Pieces that are allocated to locations, open and completed. Never exceeds `quantity`.",
)
.example("1");
static RESERVED_ITEM: Shape = Shape::object(
    "ReservationItem",
    &[
        Field::given("id", &ITEM_ID),
        Field::given("quantity", &QUANTITY)
            .about("Pieces that the order wants, and that are therefore reserved."),
        Field::given("allocated_quantity", &ALLOCATED),
    ],
    "What an order wants of an item, and how much of that is allocated.",
);
static RESERVED_ITEMS: Shape = Shape::list(
    &RESERVED_ITEM,
    LINES_MAX,
    "What the order reserves, and how much of that is assigned to locations.",
);
/// A reservation.
pub static RESERVATION: Shape = Shape::object(
    "Reservation",
    &[
        Field::given("order", &ORDER_REFERENCE)
            .about("The order, by its id. Cancelling or deleting it gives the reserved pieces free."),
        Field::given("items", &RESERVED_ITEMS),
        Field::created_at(),
        Field::updated_at(),
    ],
    "A committed order's claim on stock.",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: u128, quantity: i64) -> Line {
        Line { id: Id::from_bits(id), quantity }
    }

    #[test]
    fn the_same_item_twice_is_summed() {
        let sums = sum_lines(&[line(2, 1), line(1, 5), line(2, 3)]).unwrap();
        assert_eq!(sums, [line(2, 4), line(1, 5)]);
        assert!(sum_lines(&[line(1, QUANTITY_MAX), line(1, 1)]).is_err());
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        use crate::platform::shape::parse;
        let order = |quantity: &str| {
            let id = Id::<InventoryItem>::from_bits(1);
            let body = format!(r#"{{"items":[{{"id":"{id}","quantity":{quantity}}}]}}"#);
            let parsed = parse::<OrderInput>(crate::platform::json::parse(body.as_bytes()).unwrap());
            parsed.map(|order| order.items[0].quantity).map_err(|error| error.to_string())
        };
        assert_eq!([order("2"), order("2.0"), order("2e0")], [Ok(2), Ok(2), Ok(2)]);
        for quantity in ["0", "-1", "1.5", "1000001", "1e300", "18446744073709551615"] {
            assert!(order(quantity).is_err(), "{quantity}");
        }
    }

    #[test]
    fn statuses_move_as_the_life_of_an_order_allows() {
        use Status::{Cancelled, Committed, Draft, Fulfilled};
        assert_eq!(
            [Draft, Committed, Fulfilled].map(Status::commit),
            [Ok(Committed), Ok(Committed), Ok(Fulfilled)]
        );
        assert_eq!(Cancelled.commit(), Err(Code::OrderCancelled));
        assert_eq!([Draft, Committed, Cancelled].map(|status| status.cancel(false)), [Ok(Cancelled); 3]);
        assert_eq!(Committed.cancel(true), Err(Code::OrderPartlyFulfilled));
        assert_eq!(
            (Committed.after_allocation(true), Fulfilled.after_allocation(false)),
            (Fulfilled, Committed)
        );
        for status in [Draft, Committed, Fulfilled, Cancelled] {
            assert_eq!(Status::parse(status.as_str()), Some(status));
        }
    }
}
