//! Lines: what a customer bought, as the shop says it. The items of an order follow from its lines.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::orders::item_quantity::{LINES_MAX, Line, QUANTITY_MAX, sum_items};
use crate::platform::id::Kind as IdKind;
use crate::platform::money::AMOUNT;
use crate::platform::problem::{Issue, Result};
use crate::platform::shape::{Field, Input, Issues, Kind, Path, Shape};
use crate::stock::inventory_item::ITEM_ID;
use crate::{Id, InventoryItem};

/// A line of an order.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub struct OrderLine {
    /// A stored line always has one. In a PATCH it names the line to keep. Other values count as none, as in every field
    /// that the server sets.
    #[serde(default, deserialize_with = "known_id")]
    pub id: Option<Id<OrderLine>>,
    /// The item that the line is about. `None` if the line is not shippable, or no item has its SKU.
    pub item_id: Option<Id<InventoryItem>>,
    pub sku: Option<String>,
    pub name: Option<String>,
    pub quantity: i64,
    /// The price of one piece that was paid: after discount, before tax, in the smallest unit of the order's currency.
    pub unit_price: Option<i64>,
    pub external_line_id: Option<String>,
    #[serde(default = "shippable")]
    pub is_shippable: bool,
}

impl IdKind for OrderLine {
    const PREFIX: &'static str = "line";
}

fn known_id<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Id<OrderLine>>, D::Error> {
    Ok(Value::deserialize(from)?.as_str().and_then(Id::parse))
}

fn shippable() -> bool {
    true
}

impl OrderLine {
    /// Returns whether something is to be shipped and it is unknown which item.
    pub fn is_unmatched(&self) -> bool {
        self.is_shippable && self.item_id.is_none()
    }
}

/// Returns what of the lines is to be shipped: the sum for each item, in the order of their first appearance. Lines that
/// match no item are left out.
pub fn items_of(lines: &[OrderLine]) -> Result<Vec<Line>> {
    let matched = lines.iter().enumerate().filter(|(_, line)| line.is_shippable);
    let matched = matched
        .filter_map(|(place, line)| Some((place, Line { id: line.item_id?, quantity: line.quantity })));
    sum_items(matched, "/lines")
}

/// Returns whether two lists of items want the same, whatever the order of their entries.
pub fn is_same_demand(one: &[Line], other: &[Line]) -> bool {
    one.len() == other.len() && one.iter().all(|line| other.contains(line))
}

/// Gives new lines their ids. A line is new if it has no id, or one that the stored lines don't have or an earlier line has.
pub fn name_lines(lines: &mut [OrderLine], stored: &[OrderLine], mut new_id: impl FnMut() -> Id<OrderLine>) {
    let mut free: BTreeSet<_> = stored.iter().filter_map(|line| line.id).collect();
    for line in lines {
        if !line.id.is_some_and(|id| free.remove(&id)) {
            line.id = Some(new_id());
        }
    }
}

/// Gives lines without an item the item that a stored line with the same id and the same SKU has. So a client may change
/// the quantity of a line that was matched by hand without naming its item.
pub fn keep_matches(lines: &mut [OrderLine], stored: &[OrderLine]) {
    for line in lines.iter_mut().filter(|line| line.is_unmatched() && line.id.is_some()) {
        let known = stored.iter().find(|known| known.id == line.id && known.sku == line.sku);
        line.item_id = known.and_then(|known| known.item_id);
    }
}

/// The body of a request that matches a line with an item.
#[derive(Deserialize)]
pub struct LineMatch {
    pub line_id: Id<OrderLine>,
    pub item_id: Id<InventoryItem>,
}

impl Input for LineMatch {
    const SHAPE: &'static Shape = &LINE_MATCH;
}

fn check_line(line: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let is_shippable = line.get("is_shippable").and_then(Value::as_bool).unwrap_or(true);
    let has = |name: &str| line.contains_key(name);
    if is_shippable && !has("item_id") && !has("sku") {
        let message = "A line that is shipped needs an `item_id` or a `sku`.";
        issues.push(Issue::new("required", &Path::Key(at, "sku"), message));
    }
    if !is_shippable && has("item_id") {
        let message = "A line that is not shipped has no item. Leave `item_id` out.";
        issues.push(Issue::new("invalid_value", &Path::Key(at, "item_id"), message));
    }
}

static LINE_ID: Shape = Shape::new(
    Kind::Identifier(OrderLine::PREFIX),
    "Made with the line. In a PATCH, an entry with the `id` of a line keeps that line; others are new ones. In a POST it is ignored.",
);
static SKU: Shape = Shape::text(
    1,
    100,
    "The shop's code of what was bought. Without `item_id`, the inventory item with this SKU is looked up.",
)
.example(r#""TEE-BLUE-M""#);
static NAME: Shape = Shape::text(1, 255, "What the shop calls it. Kept and shown, never looked at.")
    .example(r#""Blue T-shirt, M""#);
static QUANTITY: Shape =
    Shape::new(Kind::Integer { min: 1, max: QUANTITY_MAX }, "Pieces bought, 1 to 1,000,000.").example("2");
static EXTERNAL_ID: Shape =
    Shape::text(1, 255, "The line's id in the shop, as a string. Kept and shown, never looked at.")
        .example(r#""981""#);
static SHIPPABLE: Shape = Shape::new(
    Kind::Boolean,
    "`false` for what is never shipped, such as a download: it is not reserved, and has no item. `true` if you leave it out.",
)
.example("true");

/// A line of an order.
pub static ORDER_LINE: Shape = Shape {
    name: Some("OrderLine"),
    about: "One line of the shop's order. One that is shipped names an item, a SKU, or both.",
    kind: Kind::Object {
        fields: &[
            Field::given("id", &LINE_ID),
            Field::optional("item_id", &ITEM_ID).about("The inventory item that is shipped for the line. Null while no item has the line's SKU: the order is then a draft on hold."),
            Field::optional("sku", &SKU),
            Field::optional("name", &NAME),
            Field::required("quantity", &QUANTITY),
            Field::optional("unit_price", &AMOUNT).about("What was paid for one piece, after discount and before tax: a whole number of the smallest unit of the order's `currency_code`, which it needs."),
            Field::optional("external_line_id", &EXTERNAL_ID),
            Field::optional("is_shippable", &SHIPPABLE),
        ],
        rule: Some(check_line),
    },
    example: Some(r#"{"sku":"TEE-BLUE-M","quantity":2,"unit_price":1500}"#),
};
pub(crate) static LINES: Shape = Shape::list(
    &ORDER_LINE,
    LINES_MAX,
    "What the customer bought, as the shop says it. If there are lines, `items` follow from them: the sum of the shippable lines for each item. An order that was made from `items` alone has none.",
);
/// The body of a request that matches a line with an item.
pub static LINE_MATCH: Shape = Shape::object(
    "OrderLineMatch",
    &[
        Field::required("line_id", &LINE_ID)
            .about("The entry of the order that waits for its product: one whose `item_id` is null."),
        Field::required("item_id", &ITEM_ID)
            .about("The product that goes into the parcel for this entry, by its `inv_…`."),
    ],
    "Which item is shipped for a line.",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn line(item: Option<u128>, quantity: i64) -> OrderLine {
        OrderLine {
            id: Some(Id::from_bits(quantity as u128)),
            item_id: item.map(Id::from_bits),
            sku: Some("X".to_owned()),
            name: None,
            quantity,
            unit_price: None,
            external_line_id: None,
            is_shippable: true,
        }
    }

    fn item(id: u128, quantity: i64) -> Line {
        Line { id: Id::from_bits(id), quantity }
    }

    #[test]
    fn items_are_the_sum_of_what_is_shipped_and_known() {
        let download = OrderLine { is_shippable: false, ..line(None, 9) };
        let lines = [line(Some(2), 1), line(None, 7), line(Some(1), 5), download.clone(), line(Some(2), 3)];
        assert_eq!(items_of(&lines).unwrap(), [item(2, 4), item(1, 5)]);
        assert_eq!(lines.iter().filter(|line| line.is_unmatched()).count(), 1);
        assert!(items_of(&[line(Some(1), QUANTITY_MAX), download, line(Some(1), 1)]).is_err());
    }

    #[test]
    fn the_order_of_items_is_no_contradiction() {
        assert!(is_same_demand(&[item(1, 2), item(2, 1)], &[item(2, 1), item(1, 2)]));
        assert!(!is_same_demand(&[item(1, 2)], &[item(1, 3)]));
        assert!(!is_same_demand(&[item(1, 2)], &[item(1, 2), item(2, 1)]));
    }

    #[test]
    fn an_id_that_is_no_lines_makes_a_new_line() {
        let read = |id: Value| {
            let line = serde_json::json!({"id": id, "sku": "X", "quantity": 1});
            serde_json::from_value::<OrderLine>(line).unwrap().id
        };
        let id = Id::<OrderLine>::from_bits(1);
        assert_eq!(read(id.to_string().into()), Some(id));
        for other in [Value::Null, 7.into(), "x".into(), serde_json::json!({"a": []})] {
            assert_eq!(read(other), None);
        }
        let mut lines = [line(None, 2), line(None, 2), line(None, 9), line(None, 1)];
        name_lines(&mut lines, &[line(None, 1), line(None, 2)], || Id::from_bits(77));
        assert_eq!(lines.map(|line| line.id.map(Id::bits)), [Some(2), Some(77), Some(77), Some(1)]);
    }

    #[test]
    fn a_line_keeps_its_item_while_its_sku_stays() {
        let stored = [line(Some(5), 1), line(Some(6), 2)];
        let mut lines = [line(None, 1), line(None, 2), line(None, 3)];
        lines[1].sku = Some("Y".to_owned());
        keep_matches(&mut lines, &stored);
        assert_eq!(lines.map(|line| line.item_id), [Some(Id::from_bits(5)), None, None]);
    }
}
