//! Exceptions of an order: what went wrong with it, and who resolved that.

use serde::{Deserialize, Serialize};

use crate::access::access_token::User;
use crate::orders::fulfilment::SHIPMENT_ID;
use crate::platform::id::{Kind as IdKind, ShipmentKind};
use crate::platform::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::{Id, Timestamp};

/// What went wrong with an order. The list is closed: a program may match the codes.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ExceptionCode {
    /// A picker found less than was to be packed, after the shipment was bought.
    Short,
    /// Stock became short between the purchase and its record.
    StockShort,
    /// A shipment was voided after the carrier had scanned it.
    VoidedAfterScan,
    /// Allocations were deleted although their shipment was bought.
    ShippedUnallocated,
}

/// The words of all codes, in their order.
const CODE_WORDS: [&str; 4] = ["short", "stock_short", "voided_after_scan", "shipped_unallocated"];

impl ExceptionCode {
    pub fn as_str(self) -> &'static str {
        CODE_WORDS[self as usize]
    }

    /// Returns whether nothing of the order may be bought until a person resolved the exception.
    pub fn is_blocking(self) -> bool {
        matches!(self, ExceptionCode::ShippedUnallocated)
    }
}

/// An exception of an order, as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct OrderException {
    pub id: Id<OrderException>,
    pub code: ExceptionCode,
    pub is_blocking: bool,
    pub shipment_id: Option<Id<ShipmentKind>>,
    pub message: String,
    pub created_at: Timestamp,
    pub resolved_at: Option<Timestamp>,
    pub resolved_by: Option<Id<User>>,
    pub note: Option<String>,
}

impl IdKind for OrderException {
    const PREFIX: &'static str = "exc";
}

/// Maximum number of exceptions that an order shows. Resolved ones give way to new ones, oldest first.
pub const EXCEPTIONS_MAX: usize = 100;

/// Maximum number of characters of an exception's message.
const MESSAGE_CHARS_MAX: usize = 1000;

/// Adds an exception to a list. Returns false if an unresolved one with the same code and shipment is there already.
///
/// A full list drops its oldest resolved exception. If all are unresolved, it drops the oldest that is not blocking;
/// blocking ones are never dropped.
pub fn add(list: &mut Vec<OrderException>, new: OrderException) -> bool {
    let is_same = |known: &OrderException| {
        known.resolved_at.is_none() && known.code == new.code && known.shipment_id == new.shipment_id
    };
    if list.iter().any(is_same) {
        return false;
    }
    if list.len() >= EXCEPTIONS_MAX {
        let resolved = list.iter().position(|known| known.resolved_at.is_some());
        if let Some(place) = resolved.or_else(|| list.iter().position(|known| !known.is_blocking)) {
            list.remove(place);
        }
    }
    list.push(new);
    true
}

/// Adds an exception to a list. If an unresolved one with the same code and shipment is there already, its message is extended.
/// Returns false if that one says the same already.
pub fn add_or_extend(list: &mut Vec<OrderException>, new: OrderException) -> bool {
    let is_same = |known: &&mut OrderException| {
        known.resolved_at.is_none() && known.code == new.code && known.shipment_id == new.shipment_id
    };
    let Some(known) = list.iter_mut().find(is_same) else { return add(list, new) };
    if known.message.contains(&new.message) {
        return false;
    }
    let message = format!("{} {}", known.message, new.message);
    known.message = message.chars().take(MESSAGE_CHARS_MAX).collect();
    true
}

/// The body of a request that resolves an exception.
#[derive(Deserialize)]
pub struct ExceptionResolution {
    pub note: Option<String>,
}

impl Input for ExceptionResolution {
    const SHAPE: &'static Shape = &EXCEPTION_RESOLUTION;
}

/// The id of an exception.
pub static EXCEPTION_ID: Shape = Shape::new(
    Kind::Identifier(OrderException::PREFIX),
    "Made when the exception is raised. Resolving the exception keeps it.",
);
static CODE: Shape = Shape::new(
    Kind::OneOf(&CODE_WORDS),
    "What went wrong. `short`: less was found than was to be packed. `stock_short`: stock became short after a purchase began. `voided_after_scan`: a shipment was voided after the carrier scanned it. `shipped_unallocated`: allocations were deleted although their shipment was bought.",
)
.example(r#""short""#);
static BLOCKING: Shape =
    Shape::new(Kind::Boolean, "Whether nothing more of the order may be bought until it is resolved.")
        .example("false");
static MESSAGE: Shape =
    Shape::text(1, MESSAGE_CHARS_MAX, "What happened, in a sentence for the person who deals with it.")
        .example(r#""2 of TEE-BLUE-M were not found.""#);
static NOTE: Shape = Shape::text(1, 1000, "What was done about it. Kept with the exception.")
    .example(r#""Sent the rest by courier""#);
static RESOLVER: Shape =
    Shape::new(Kind::Identifier(User::PREFIX), "The user whose token resolved it. Null while it is open.");

/// An exception.
pub static EXCEPTION: Shape = Shape::object(
    "OrderException",
    &[
        Field::given("id", &EXCEPTION_ID),
        Field::given("code", &CODE),
        Field::given("is_blocking", &BLOCKING),
        Field::given_or_null("shipment_id", &SHIPMENT_ID)
            .about("The parcels that are concerned, by their `shp_…`. Null if it concerns the whole order."),
        Field::given("message", &MESSAGE),
        Field::created_at(),
        Field::given_or_null("resolved_at", &MOMENT)
            .about("When a person resolved it. Null while it is open."),
        Field::given_or_null("resolved_by", &RESOLVER),
        Field::given_or_null("note", &NOTE),
    ],
    "Something that went wrong with an order and that a person should look at.",
);
pub(crate) static EXCEPTIONS: Shape = Shape::list(
    &EXCEPTION,
    EXCEPTIONS_MAX,
    "What went wrong with the order, oldest first. The server raises exceptions; `POST /orders/{order_id}/exceptions/{exception_id}/resolve` resolves one.",
);
/// The body of a request that resolves an exception.
pub static EXCEPTION_RESOLUTION: Shape = Shape::object(
    "OrderExceptionResolution",
    &[Field::optional("note", &NOTE)],
    "What was done about an exception.",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn exception(number: u128, code: ExceptionCode) -> OrderException {
        OrderException {
            id: Id::from_bits(number),
            code,
            is_blocking: code.is_blocking(),
            shipment_id: Some(Id::from_bits(number)),
            message: "Something".to_owned(),
            created_at: Timestamp::from_micros(5),
            resolved_at: None,
            resolved_by: None,
            note: None,
        }
    }

    #[test]
    fn an_exception_is_raised_once_until_it_is_resolved() {
        let mut list = Vec::new();
        assert!(add(&mut list, exception(1, ExceptionCode::Short)));
        assert!(!add(&mut list, exception(1, ExceptionCode::Short)));
        assert!(add(&mut list, exception(1, ExceptionCode::StockShort)), "another code");
        assert!(add(&mut list, exception(2, ExceptionCode::Short)), "another shipment");
        list[0].resolved_at = Some(Timestamp::from_micros(6));
        assert!(add(&mut list, exception(1, ExceptionCode::Short)), "it happened again");
        assert_eq!(list.len(), 4);
    }

    #[test]
    fn the_message_of_an_open_exception_is_extended_within_its_length() {
        let mut list = Vec::new();
        assert!(add_or_extend(&mut list, exception(1, ExceptionCode::Short)));
        let again = OrderException { id: Id::from_bits(2), ..exception(1, ExceptionCode::Short) };
        assert!(!add_or_extend(&mut list, again.clone()), "it says so already");
        let more = OrderException { message: "More".to_owned(), ..again.clone() };
        assert!(add_or_extend(&mut list, more));
        assert_eq!((list.len(), list[0].message.as_str()), (1, "Something More"));
        let long = OrderException { message: "x".repeat(MESSAGE_CHARS_MAX), ..again };
        assert!(add_or_extend(&mut list, long));
        assert_eq!(list[0].message.chars().count(), MESSAGE_CHARS_MAX);
    }

    #[test]
    fn a_full_list_drops_what_matters_least() {
        let mut list = Vec::new();
        assert!(add(&mut list, exception(0, ExceptionCode::ShippedUnallocated)));
        for number in 1..EXCEPTIONS_MAX as u128 {
            assert!(add(&mut list, exception(number, ExceptionCode::Short)));
        }
        list[7].resolved_at = Some(Timestamp::from_micros(6));
        assert!(add(&mut list, exception(500, ExceptionCode::Short)));
        assert!(list.iter().all(|known| known.id != Id::from_bits(7)), "the resolved one");
        assert!(add(&mut list, exception(501, ExceptionCode::Short)));
        assert!(list.iter().all(|known| known.id != Id::from_bits(1)), "the oldest that is not blocking");
        assert_eq!((list.len(), list[0].id), (EXCEPTIONS_MAX, Id::from_bits(0)));
    }

    #[test]
    fn the_stored_word_of_a_code_is_the_shown_one() {
        use ExceptionCode::{ShippedUnallocated, Short, StockShort, VoidedAfterScan};
        for code in [Short, StockShort, VoidedAfterScan, ShippedUnallocated] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
