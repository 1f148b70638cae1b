//! Search results: which resources are searched, and how a hit is shown.

use serde::Serialize;

use crate::platform::shape::{Field, Kind, Shape};

/// Maximum number of characters of a query.
pub const QUERY_CHARS_MAX: usize = 200;

/// The kinds of resources that are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum SearchType {
    Order,
    InventoryItem,
    Shipment,
    Batch,
    Location,
}

impl SearchType {
    pub const ALL: [SearchType; 5] = [
        SearchType::Order,
        SearchType::InventoryItem,
        SearchType::Shipment,
        SearchType::Batch,
        SearchType::Location,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            SearchType::Order => "order",
            SearchType::InventoryItem => "inventory_item",
            SearchType::Shipment => "shipment",
            SearchType::Batch => "batch",
            SearchType::Location => "location",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|searched| searched.as_str() == word)
    }

    /// Returns the resource whose scope a token needs to find one.
    pub fn resource(self) -> &'static str {
        match self {
            SearchType::Order => "orders",
            SearchType::InventoryItem => "inventory",
            SearchType::Shipment => "shipments",
            SearchType::Batch => "batches",
            SearchType::Location => "locations",
        }
    }
}

/// A resource that was found.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct SearchResult {
    pub r#type: &'static str,
    pub id: String,
    pub title: String,
    pub subtitle: Option<String>,
    pub matched_field: &'static str,
    pub r#match: &'static str,
}

/// The words of [`SearchType`].
pub const TYPE_WORDS: [&str; 5] = ["order", "inventory_item", "shipment", "batch", "location"];

/// What is searched for.
pub static QUERY: Shape = Shape::text(
    0,
    QUERY_CHARS_MAX,
    "Words, in any order. Upper and lower case, accents and punctuation make no difference.",
)
.example(r#""muller 1001""#);
static TYPE: Shape = Shape::new(
    Kind::OneOf(&TYPE_WORDS),
    "Which kind of resource was found. Read it by its id, such as at `/orders/{id}` for an `order`.",
)
.example(r#""order""#);
static ID: Shape = Shape::text(1, 60, "Identifies what was found, within its type.")
    .example(r#""ord_01k8zr4e5t6y7m8n9pqrstvwxy""#);
static TITLE: Shape = Shape::text(
    0,
    255,
    "What people call it: the number of an order, the name of an item. The id, if it has neither a name nor a number.",
)
.example(r##""SO-1001""##);
static SUBTITLE: Shape = Shape::text(
    0,
    255,
    "What tells it from others of the same title: the customer of an order, the SKU of an item, the recipient of a shipment, the city of a location. Null if it has none.",
)
.example(r#""Anna Müller""#);
static MATCHED_FIELD: Shape =
    Shape::text(1, 100, "Which field of the resource matched first, as a JSON pointer into it.")
        .example(r#""/customer/name""#);
static MATCH: Shape = Shape::new(
    Kind::OneOf(&["exact", "prefix", "word"]),
    "How it matched: `exact` if the field is what you typed, `prefix` if it begins with it, `word` if every word that you typed begins a word of the resource.",
)
.example(r#""prefix""#);
/// A resource that was found.
pub static SEARCH_RESULT: Shape = Shape::object(
    "SearchResult",
    &[
        Field::given("type", &TYPE),
        Field::given("id", &ID),
        Field::given("title", &TITLE),
        Field::given_or_null("subtitle", &SUBTITLE),
        Field::given("matched_field", &MATCHED_FIELD),
        Field::given("match", &MATCH),
    ],
    "Something that a search found, and why.",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scope;

    #[test]
    fn every_type_has_its_word_and_a_scope() {
        assert_eq!(SearchType::ALL.map(SearchType::as_str), TYPE_WORDS);
        for searched in SearchType::ALL {
            assert_eq!(SearchType::parse(searched.as_str()), Some(searched));
            assert!(Scope::read(searched.resource()).is_some());
        }
    }
}
