//! Tasks: what a connector is asked to do, and the outcomes.

use model::Timestamp;

use crate::failure::Failure;
use crate::order::ShopOrder;
use crate::position::Position;
use crate::stock::{StockLevel, StockReport};

/// What a connector is asked to do.
#[derive(Clone, Copy, Debug)]
pub enum Task<'a> {
    /// Check that the shop answers and accepts the credentials.
    Test,
    /// Read the next page of orders that were changed since a position.
    Poll { position: &'a Position, now: Timestamp },
    /// Read one order, by its id in the shop.
    Fetch { order: &'a str },
    /// Report a shipment with its tracking numbers, unless the shop has it already.
    Fulfil(&'a Shipped),
    /// Take back the report of a shipment, which was voided.
    CancelFulfilment(&'a Shipped),
    /// Set how many pieces the shop may sell, at most [`crate::STOCK_LEVELS_MAX`] items at once.
    SetStock {
        /// A text that is the same for each repetition of this change, and for no other change.
        key: &'a str,
        levels: &'a [StockLevel],
    },
}

impl Task<'_> {
    /// Returns the word for the task in the log.
    pub fn as_str(&self) -> &'static str {
        match self {
            Task::Test => "test",
            Task::Poll { .. } => "poll",
            Task::Fetch { .. } => "fetch",
            Task::Fulfil(_) => "fulfil",
            Task::CancelFulfilment(_) => "cancel_fulfilment",
            Task::SetStock { .. } => "set_stock",
        }
    }
}

/// A shipment of an order, as the shop is told of it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Shipped {
    /// The shop's id of the order.
    pub order: String,
    /// The shipment's id, which never changes.
    pub reference: String,
    /// One for each package. The first one recognises the shipment at the shop; if there is none, its reference does.
    pub tracking_numbers: Vec<String>,
    /// The page on which the customer follows the parcel.
    pub tracking_url: Option<String>,
    /// The carrier's name.
    pub carrier: Option<String>,
    /// What was shipped of which lines, by the shop's ids of the lines.
    pub lines: Vec<LineQuantity>,
    /// Whether nothing of the order is left to be shipped. Shops without fulfilments by line are told so.
    pub is_last: bool,
}

impl Shipped {
    /// Returns the text that recognises the shipment at the shop.
    pub fn number(&self) -> &str {
        self.tracking_numbers.first().unwrap_or(&self.reference)
    }

    /// Returns the texts that the shop shows as tracking numbers, never none.
    pub(crate) fn numbers(&self) -> Vec<&str> {
        match self.tracking_numbers.as_slice() {
            [] => vec![self.reference.as_str()],
            numbers => numbers.iter().map(String::as_str).collect(),
        }
    }
}

/// A number of pieces of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineQuantity {
    /// The shop's id of the line.
    pub line: String,
    pub quantity: i64,
}

/// The result of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Tested(ShopDetails),
    Polled(OrderPage),
    Fetched(Box<ShopOrder>),
    /// The shop shows the shipment.
    Fulfilled(Fulfilled),
    /// The shop no longer shows the shipment, or says that it was voided.
    FulfilmentCancelled,
    StockSet(StockReport),
    Failed(Failure),
}

/// What a shop says of itself.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ShopDetails {
    pub name: Option<String>,
    /// ISO 4217, in capitals.
    pub currency: Option<String>,
    /// Permissions that the credentials lack for what Dockside does, in the shop's own words.
    pub missing_permissions: Vec<String>,
}

/// A page of orders that were changed.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderPage {
    /// Orders in no order of theirs. One may be there twice, and may have been seen before: compare `modified_at`.
    pub orders: Vec<ShopOrder>,
    /// The ids of orders that the page has only in part: fetch each.
    pub incomplete: Vec<String>,
    pub unreadable: Vec<UnreadableOrder>,
    /// Where the next page begins. Store it together with the orders.
    pub next: Position,
    /// Whether nothing more was changed until now. Else ask for the next page at once.
    pub is_last: bool,
}

/// An order that can't be read. The others of its page can.
#[derive(Clone, Debug, PartialEq)]
pub struct UnreadableOrder {
    pub external_id: Option<String>,
    /// What is wrong with it, in a sentence.
    pub why: String,
}

/// What the shop has of a shipment that was reported.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Fulfilled {
    /// The shop's ids of what it made of the shipment; empty if it has none of its own.
    pub external_ids: Vec<String>,
    /// What the shop does not show as shipped, because the line was removed, refunded or shipped by another way.
    pub missing: Vec<LineQuantity>,
}
