//! Notes of an order.

use serde::{Deserialize, Serialize};

use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::{Id, Timestamp};

/// A note of an order, as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct OrderNote {
    pub id: Id<OrderNote>,
    #[serde(flatten)]
    pub details: OrderNoteInput,
    pub created_at: Timestamp,
}

impl IdKind for OrderNote {
    const PREFIX: &'static str = "note";
}

/// The body of a request that adds a note.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct OrderNoteInput {
    pub text: String,
    #[serde(default)]
    pub is_for_customer: bool,
}

impl Input for OrderNoteInput {
    const SHAPE: &'static Shape = &NOTE;
}

/// Maximum number of notes of an order.
pub const NOTES_MAX: usize = 100;

static NOTE_ID: Shape =
    Shape::new(Kind::Identifier(OrderNote::PREFIX), "Made when the note is added. A note never changes.");
static TEXT: Shape = Shape::text(1, 2000, "The remark itself: up to 2,000 characters without line breaks.")
    .example(r#""Leave it with the neighbour""#);
static FOR_CUSTOMER: Shape = Shape::new(
    Kind::Boolean,
    "Whether the customer may see the note. `false` if you leave it out. It is kept and shown; nothing is printed or sent because of it yet.",
)
.example("false");

/// A note.
pub static NOTE: Shape = Shape::object(
    "OrderNote",
    &[
        Field::given("id", &NOTE_ID),
        Field::required("text", &TEXT),
        Field::optional("is_for_customer", &FOR_CUSTOMER),
        Field::created_at(),
    ],
    "A remark about an order, for your team or for the customer.",
);
pub(crate) static NOTES: Shape =
    Shape::list(&NOTE, NOTES_MAX, "Remarks, oldest first. `POST /orders/{order_id}/notes` adds one.");
