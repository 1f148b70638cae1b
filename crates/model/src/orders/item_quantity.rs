//! Items and their quantities, as orders, reservations and allocations have them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::platform::problem::{Issue, Problem, Result};
use crate::platform::shape::{Field, Kind, Shape};
use crate::stock::inventory_item::ITEM_ID;
use crate::{Id, InventoryItem};

/// An item and its quantity.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Debug)]
pub struct Line {
    pub id: Id<InventoryItem>,
    pub quantity: i64,
}

/// Maximum quantity of an item in one order or allocation.
pub const QUANTITY_MAX: i64 = 1_000_000;
/// Maximum number of lines of an order.
pub const LINES_MAX: usize = 1000;

/// Sums the lines of the same item, in the order of their first appearance.
pub fn sum_lines(lines: &[Line]) -> Result<Vec<Line>> {
    sum_items(lines.iter().copied().enumerate(), "/items")
}

/// Sums lines of the same item. Each comes with its place in the list of this name, for the refusal of a sum that is too
/// large.
pub(crate) fn sum_items(lines: impl Iterator<Item = (usize, Line)>, list: &str) -> Result<Vec<Line>> {
    let mut sums: Vec<Line> = Vec::new();
    let mut places: BTreeMap<Id<InventoryItem>, usize> = BTreeMap::new();
    for (place, line) in lines {
        let at = *places.entry(line.id).or_insert(sums.len());
        match sums.get_mut(at) {
            Some(sum) => sum.quantity += line.quantity,
            None => sums.push(line),
        }
        if sums[at].quantity > QUANTITY_MAX {
            let message = format!("The lines of this item add up to more than {QUANTITY_MAX}.");
            let issue = Issue::new("out_of_range", format!("{list}/{place}/quantity"), message);
            return Err(Problem::body(vec![issue]).into());
        }
    }
    Ok(sums)
}

/// The quantity of an item.
pub static QUANTITY: Shape =
    Shape::new(Kind::Integer { min: 1, max: QUANTITY_MAX }, "Pieces, 1 or more.").example("2");
/// An item and its quantity.
pub static LINE_ITEM: Shape = Shape::object(
    "LineItem",
    &[
        Field::required("id", &ITEM_ID)
            .about("The product's `inv_…`, not its SKU. The same one in several lines is summed."),
        Field::required("quantity", &QUANTITY).about("Pieces wanted, 1 to 1,000,000."),
    ],
    "One item of the inventory, and how many pieces.",
);

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: u128, quantity: i64) -> Line {
        Line { id: Id::from_bits(id), quantity }
    }

    #[test]
    fn the_same_item_twice_is_summed() {
        let sums = sum_lines(&[line(2, 1), line(1, 5), line(2, 3)]).unwrap();
        assert_eq!(sums, [line(2, 4), line(1, 5)]);
        assert!(sum_lines(&[line(1, QUANTITY_MAX), line(1, 1)]).is_err());
    }
}
