//! Why a shipment of an order must not be bought, and how the shipment shows it.

use model::platform::problem::Issue;
use model::shipping::shipment::{ErrorCode, ErrorType, Shipment, ShipmentError, Source, Status};
use model::{Code, Problem, Timestamp};
use store::stock::inventory_levels::At;

/// Units that are missing at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    pub at: At,
    pub requested: i64,
    pub available: i64,
}

/// Why a shipment of an order must not be bought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotBuyable {
    /// The order is on hold, cancelled, or blocked by an exception.
    Order(Code),
    Short(Vec<Shortage>),
}

impl Shortage {
    fn message(&self) -> String {
        let Self { at, requested, available } = self;
        format!(
            "{requested} of {} are to be sent from {}, {available} are on hand and not in other shipments.",
            at.item, at.location
        )
    }
}

impl NotBuyable {
    /// Returns the shipment as it is after its purchase was refused. Nothing was sent to the carrier.
    pub fn refused(&self, old: Shipment, now: Timestamp) -> Shipment {
        let (code, message) = match self {
            NotBuyable::Short(short) => {
                let messages: Vec<_> = short.iter().map(Shortage::message).collect();
                (ErrorCode::InsufficientStock, messages.join(" "))
            }
            NotBuyable::Order(code) => {
                let word = match code {
                    Code::OrderOnHold => ErrorCode::OrderOnHold,
                    Code::OrderCancelled => ErrorCode::OrderCancelled,
                    _ => ErrorCode::OrderBlocked,
                };
                (word, code.title().to_owned())
            }
        };
        let mut new = Shipment { status: Status::PurchaseFailed, updated_at: now, ..old };
        new.errors.clear();
        new.add_error(ShipmentError::new(ErrorType::Purchase, code, Source::Service, message));
        new
    }
}

/// Refuses a request that needs more than is on hand.
pub fn insufficient_stock(short: &[Shortage]) -> Problem {
    let issue = |shortage: &Shortage| {
        Issue::new(Code::InsufficientStock.as_str(), "order_id", shortage.message())
            .with("item", shortage.at.item.to_string())
            .with("location", shortage.at.location.to_string())
            .with("requested", shortage.requested)
            .with("available", shortage.available)
    };
    Problem::fields(Code::InsufficientStock, short.iter().map(issue).collect::<Vec<_>>())
}
