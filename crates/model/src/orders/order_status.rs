//! The status of an order, and how it moves.

use serde::{Deserialize, Serialize};

use crate::platform::problem::{Code, Result};
use crate::platform::shape::{Kind, Shape};

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

/// The status of an order.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["draft", "committed", "fulfilled", "cancelled"]),
    "A new order is `draft` or `committed` (the default); then commit, cancel and completed allocations move it.",
)
.example(r#""committed""#);

#[cfg(test)]
mod tests {
    use super::*;

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
