//! Events: what happened, in the order in which it was committed. One log feeds every listener.

use serde_json::Value;

use crate::id::Kind as IdKind;
use crate::shape::{Field, Kind, MOMENT, Pattern, Shape};

/// A marker for the identifiers of events, and what an operation says of one.
pub struct Event {
    /// `noun.verb`, such as `location.created`.
    pub r#type: &'static str,
    /// The resource it happened to.
    pub resource_id: String,
    /// The resource as it is afterwards, as JSON text; for a deletion, as it was.
    pub object: String,
    /// The fields that an update changed, with the values they had before.
    pub previous_attributes: Option<Value>,
}

impl IdKind for Event {
    const PREFIX: &'static str = "evt";
}

impl Event {
    /// Something came to be, or went, or changed its state as a whole.
    pub fn new(r#type: &'static str, resource_id: impl ToString, object: &str) -> Self {
        Self {
            r#type,
            resource_id: resource_id.to_string(),
            object: object.to_owned(),
            previous_attributes: None,
        }
    }

    /// The fields that a change touched, with the values they had.
    #[must_use]
    pub fn changed_from(mut self, previous_attributes: Value) -> Self {
        self.previous_attributes = Some(previous_attributes);
        self
    }
}

fn is_type(text: &str) -> bool {
    text.split_once('.').is_some_and(|(noun, verb)| {
        let word = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        word(noun) && word(verb)
    })
}

static ID: Shape = Shape::new(Kind::Identifier(Event::PREFIX), "An event's id.");
static SEQUENCE: Shape = Shape::new(
    Kind::Integer { min: 1, max: i64::MAX },
    "The event's place in the organisation's log: without gaps, in commit order.",
)
.example("1");
/// The type of an event.
pub static TYPE: Shape = Shape::new(
    Kind::Text {
        chars_min: 3,
        chars_max: 100,
        pattern: Some(Pattern { regex: "^[a-z_]+\\.[a-z_]+$", matches: is_type }),
    },
    "What happened to what.",
)
.example(r#""location.created""#);
static ANY_OBJECT: Shape = Shape::new(Kind::Open, "The resource, as its own endpoint shows it.");
static DATA: Shape =
    Shape::object("EventData", &[Field::required("object", &ANY_OBJECT)], "What it happened to.");

/// An event.
pub static EVENT: Shape = Shape::object(
    "Event",
    &[
        Field::given("id", &ID),
        Field::given("sequence", &SEQUENCE),
        Field::given("type", &TYPE),
        Field::given("created_at", &MOMENT),
        Field::given("data", &DATA),
        Field::given_or_null("previous_attributes", &ANY_OBJECT),
    ],
    "Something that happened, in the order of commits.",
);
