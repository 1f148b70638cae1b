//! Holds: an order that is on hold is not planned.

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::platform::shape::{Field, Input, MOMENT, Shape};

/// Why an order is on hold, and until when.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct Hold {
    pub reason: String,
    /// When the hold ends by itself. `None` if a request has to end it.
    pub until: Option<Timestamp>,
}

/// The reason of the hold that the server puts on an order with lines that match no item.
pub const UNKNOWN_SKU: &str = "unknown_sku";

impl Hold {
    /// Returns the hold of an order with lines that match no item.
    pub fn unknown_sku() -> Self {
        Self { reason: UNKNOWN_SKU.to_owned(), until: None }
    }
}

impl Input for Hold {
    const SHAPE: &'static Shape = &HOLD;
}

static REASON: Shape = Shape::text(
    1,
    255,
    "Why the order is held, in your own words, such as `address_check`. The server itself writes `unknown_sku` while a line matches no inventory item.",
)
.example(r#""address_check""#);

/// A hold.
pub static HOLD: Shape = Shape::object(
    "Hold",
    &[
        Field::required("reason", &REASON),
        Field::optional("until", &MOMENT)
            .about("When the server ends the hold by itself. Without it, the hold ends with `POST /orders/{order_id}/release`."),
    ],
    "Why an order is held. A held order is not planned; allocations that you make yourself are allowed.",
);
