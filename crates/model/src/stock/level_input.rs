//! What a client says of a level: what was counted, the bin where it lies, and when more is to be ordered.

use serde::Deserialize;
use serde_json::Value;

use crate::platform::problem::Result;
use crate::platform::shape::{self, Field, Input, Shape};
use crate::stock::inventory_item::{
    BIN, COUNT, ITEM_REFERENCE, LEFT, LOW_STOCK, PLACE_REFERENCE, PROMISED, REORDER_POINT,
};

/// The fields of a level that a client sets. [`LevelCount`] also tells which of them a request names.
#[derive(Deserialize)]
pub struct LevelInput {
    pub on_hand: i64,
    pub bin: Option<String>,
    pub reorder_point: Option<i64>,
}

impl Input for LevelInput {
    const SHAPE: &'static Shape = &LEVEL_INPUT;
}

/// A count of what is on hand. What else a level says stays as it is, unless the request names it: clients from before
/// these fields existed send `on_hand` alone.
#[derive(Debug, PartialEq)]
pub struct LevelCount {
    pub on_hand: i64,
    /// `Some(None)` removes the bin.
    pub bin: Option<Option<String>>,
    pub reorder_point: Option<Option<i64>>,
}

impl LevelCount {
    /// Parses the body of a request that sets a level.
    pub fn parse(body: Value) -> Result<Self> {
        let names = |field: &str| body.get(field).is_some();
        let (names_bin, names_reorder_point) = (names("bin"), names("reorder_point"));
        let input: LevelInput = shape::parse(body)?;
        Ok(Self {
            on_hand: input.on_hand,
            bin: names_bin.then_some(input.bin),
            reorder_point: names_reorder_point.then_some(input.reorder_point),
        })
    }
}

/// The body of a request that sets or changes a level.
pub static LEVEL_INPUT: Shape = Shape::object(
    "InventoryLevelInput",
    &[
        Field::given("item", &ITEM_REFERENCE),
        Field::given("location", &PLACE_REFERENCE),
        Field::required("on_hand", &COUNT)
            .about("Pieces that are there, as counted just now. Replaces what was on hand."),
        Field::given("allocated", &PROMISED),
        Field::given("available", &LEFT),
        Field::optional("bin", &BIN).about("Where at the location the pieces lie, such as a shelf. A request without it leaves it as it is; null removes it."),
        Field::optional("reorder_point", &REORDER_POINT).about("The quantity at which you want to order more: `low_stock` is true while `on_hand` is not above it. A request without it leaves it as it is; null removes it."),
        Field::given("low_stock", &LOW_STOCK),
        Field::updated_at(),
    ],
    "What is on hand, as counted, and where it lies.",
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_count_does_not_name_is_not_touched() {
        let read = |body| LevelCount::parse(body).unwrap();
        assert_eq!(read(json!({"on_hand": 4})), LevelCount { on_hand: 4, bin: None, reorder_point: None });
        assert_eq!(
            read(json!({"on_hand": 4, "bin": null, "reorder_point": 2})),
            LevelCount { on_hand: 4, bin: Some(None), reorder_point: Some(Some(2)) }
        );
        assert!(LevelCount::parse(json!({"bin": "A-1"})).is_err(), "a count needs what was counted");
        assert!(LevelCount::parse(json!([])).is_err());
    }
}
