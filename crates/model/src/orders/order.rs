//! Orders, and the reservations of committed orders.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::orders::fulfilment::FULFILMENT;
use crate::orders::hold::HOLD;
use crate::orders::item_quantity::LINES_MAX;
use crate::orders::order_details::{CHANNEL, CUSTOMER, Customer, REQUESTED_SERVICE, SOURCE, Source, TAGS};
use crate::orders::order_exception::EXCEPTIONS;
use crate::orders::order_line::{LINES, OrderLine};
use crate::orders::order_note::NOTES;
use crate::orders::order_progress::{MATCHED_STATUS, OrderProgress};
use crate::places::address::{CONTACT, COORDINATES, Contact, Coordinates, LINE, PostalAddress};
use crate::places::sandbox_address::POSTAL;
use crate::platform::id::Kind as IdKind;
use crate::platform::money::CURRENCY;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, METADATA, MOMENT, Path, Shape};
use crate::stock::inventory_item::ITEM_ID;
use crate::{Id, InventoryItem, Timestamp};

pub use crate::orders::item_quantity::{LINE_ITEM, Line, QUANTITY, QUANTITY_MAX, sum_lines};
pub use crate::orders::order_status::{STATUS, Status};

/// An order as it is stored and shown.
#[derive(Serialize)]
pub struct Order {
    pub id: Id<Order>,
    #[serde(flatten)]
    pub details: OrderInput,
    #[serde(flatten)]
    pub progress: OrderProgress,
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
    #[serde(default)]
    pub items: Vec<Line>,
    #[serde(default)]
    pub lines: Vec<OrderLine>,
    pub customer: Option<Customer>,
    pub channel: Option<String>,
    pub source: Option<Source>,
    pub placed_at: Option<Timestamp>,
    pub ship_by: Option<Timestamp>,
    pub requested_service: Option<String>,
    pub currency_code: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

impl Input for OrderInput {
    const SHAPE: &'static Shape = &ORDER;
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
static ITEMS: Shape = Shape::list(
    &LINE_ITEM,
    LINES_MAX,
    "What is to be shipped, at least one entry unless there are `lines`. Entries of the same item are summed. If there are `lines`, it follows from them and may be left out. While the order is committed, all of it is reserved.",
);
/// Checks that the order says what is ordered, and in which currency its prices are.
fn check_order(order: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let list = |name: &str| order.get(name).and_then(Value::as_array);
    let lines = list("lines").map(Vec::as_slice).unwrap_or_default();
    match list("items") {
        _ if !lines.is_empty() => {}
        None => issues.push(Issue::new(
            "required",
            &Path::Key(at, "items"),
            "Is required, unless there are `lines`.",
        )),
        Some(items) if items.is_empty() => {
            let message = "Must have at least 1 entry, unless there are `lines`.";
            issues.push(Issue::new("too_few", &Path::Key(at, "items"), message));
        }
        Some(_) => {}
    }
    if !order.contains_key("currency_code") && lines.iter().any(|line| line.get("unit_price").is_some()) {
        let message = "Is required if a line has a `unit_price`.";
        issues.push(Issue::new("required", &Path::Key(at, "currency_code"), message));
    }
}

/// An order.
pub static ORDER: Shape = Shape {
    name: Some("Order"),
    about: "What a customer ordered. A committed order has a reservation.",
    kind: Kind::Object {
        fields: &[
            Field::given("id", &ORDER_ID),
            Field::optional("reference", &REFERENCE),
            Field::optional("status", &STATUS),
            Field::optional("destination", &DESTINATION),
            Field::optional("items", &ITEMS),
            Field::optional("lines", &LINES),
            Field::optional("customer", &CUSTOMER),
            Field::optional("channel", &CHANNEL),
            Field::optional("source", &SOURCE),
            Field::optional("placed_at", &MOMENT)
                .about("When the customer ordered. `GET /orders?placed_after=&placed_before=` finds it by that."),
            Field::optional("ship_by", &MOMENT)
                .about("When it must have left. `GET /orders?ship_by_before=` finds it by that."),
            Field::optional("requested_service", &REQUESTED_SERVICE),
            Field::optional("currency_code", &CURRENCY)
                .about("The currency of the lines' prices (ISO 4217, in capitals). Required if a line has one."),
            Field::optional("tags", &TAGS),
            Field::optional("metadata", &METADATA),
            Field::given_or_null("status_when_matched", &MATCHED_STATUS),
            Field::given_or_null("hold", &HOLD)
                .about("Why the order is on hold, and until when; null if it is not. POST /orders/{order_id}/hold and /release change it."),
            Field::given("notes", &NOTES),
            Field::given("exceptions", &EXCEPTIONS),
            Field::given("fulfilment", &FULFILMENT),
            Field::created_at(),
            Field::updated_at(),
        ],
        rule: Some(check_order),
    },
    example: None,
};

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
}
