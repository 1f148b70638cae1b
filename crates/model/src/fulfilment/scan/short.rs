//! Short picks: units of a shipment that are not found, and the shipment without them.

use serde::{Deserialize, Serialize};

use super::contents::{PackedUnits, numbered};
use crate::orders::item_quantity::QUANTITY;
use crate::orders::order::ORDER_ID;
use crate::orders::order_exception::{EXCEPTION_ID, OrderException};
use crate::platform::id::AllocationKind;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Kind, Shape};
use crate::shipping::shipment::customs::CustomsItem;
use crate::shipping::shipment::package::{Package, round_up};
use crate::shipping::shipment::{SHIPMENT_ID, Shipment, ShipmentInput};
use crate::stock::inventory_item::{ALLOCATION_ID, ITEM_ID};
use crate::{Code, Id, InventoryItem, Order, Problem};

const MASS_DECIMALS: u32 = 3;
const GRAMS_PER_KILOGRAM: f64 = 1000.0;
/// Maximum number of allocations that one short pick leaves outside of its shipment.
const ALLOCATIONS_MAX: usize = 1000;

/// The body of a request that reports a short pick.
#[derive(Deserialize, Clone, Debug)]
pub struct ShortInput {
    pub item_id: Id<InventoryItem>,
    pub quantity: i64,
    pub reason: String,
    #[serde(default)]
    pub adjust_stock: bool,
}

impl Input for ShortInput {
    const SHAPE: &'static Shape = &SHORT_INPUT;
}

/// What a short pick changed.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct Short {
    pub shipment_id: Id<Shipment>,
    pub order_id: Id<Order>,
    pub item_id: Id<InventoryItem>,
    pub quantity: i64,
    pub reason: String,
    /// Units that were written off the level.
    pub written_off_quantity: i64,
    /// The allocations that hold the missing units now, outside of any shipment.
    pub allocation_ids: Vec<Id<AllocationKind>>,
    pub is_shipment_deleted: bool,
    /// The exception of the order, if the shipment was bought.
    pub exception_id: Option<Id<OrderException>>,
}

/// The item of a short pick.
#[derive(Clone, Copy, Debug)]
pub struct ShortItem<'a> {
    pub id: Id<InventoryItem>,
    pub sku: &'a str,
    /// Kilograms of one unit, if they are known.
    pub mass: Option<f64>,
}

/// A shipment without the missing units.
#[derive(Clone, Debug)]
pub struct Repacked {
    pub details: ShipmentInput,
    /// The numbers of the packages that held nothing else and are gone, as they were before, in ascending order.
    pub removed: Vec<u32>,
}

/// Takes units that are not packed out of the packages of a shipment, from the last package on, and out of its customs lines.
/// The caller has checked that so many are missing.
///
/// # Errors
///
/// Refuses a customs declaration in which the item has fewer units.
pub fn take_out(
    details: &ShipmentInput,
    packed: &PackedUnits,
    item: ShortItem<'_>,
    quantity: i64,
) -> Result<Repacked, Problem> {
    let mut details = details.clone();
    let (mut left, mut removed) = (quantity, Vec::new());
    for part in packed.missing(&details.packages, item.id).into_iter().rev() {
        let taken = part.quantity.min(left);
        let Some(package) = details.packages.get_mut(part.package as usize - 1).filter(|_| taken > 0) else {
            continue;
        };
        lighten(package, item, taken);
        if package.items.is_empty() {
            removed.push(part.package);
        }
        left -= taken;
    }
    removed.sort_unstable();
    let kept = numbered(&details.packages).filter(|(number, _)| !removed.contains(number));
    details.packages = kept.map(|(_, package)| package.clone()).collect();
    if let Some(customs) = details.customs.as_mut().filter(|customs| !customs.items.is_empty()) {
        reduce(&mut customs.items, item.sku, quantity)?;
    }
    Ok(Repacked { details, removed })
}

/// Takes units out of a package, and their mass.
fn lighten(package: &mut Package, item: ShortItem<'_>, taken: i64) {
    for units in package.items.iter_mut().filter(|units| units.id == item.id) {
        units.quantity -= taken;
    }
    package.items.retain(|units| units.quantity > 0);
    let geometry = package.geometry.as_mut();
    let mass = geometry.and_then(|geometry| geometry.mass.as_mut());
    if let Some((mass, unit)) = mass.zip(item.mass) {
        let less = round_up(unit, MASS_DECIMALS).saturating_mul(taken);
        // A mass that was given by hand may be less than that of the items.
        let grams = round_up(*mass, MASS_DECIMALS).saturating_sub(less).max(1);
        *mass = grams as f64 / GRAMS_PER_KILOGRAM;
    }
}

/// Takes units out of the customs lines of an item. What is left of a line keeps its share of value and mass.
fn reduce(lines: &mut Vec<CustomsItem>, sku: &str, quantity: i64) -> Result<(), Problem> {
    let mut left = quantity;
    for line in lines.iter_mut().rev().filter(|line| line.sku.as_deref() == Some(sku)) {
        let taken = line.quantity.min(left);
        let (before, after) = (line.quantity, line.quantity - taken);
        line.quantity = after;
        line.value = share(line.value, after, before);
        let grams = line.mass.map(|mass| share(round_up(mass, MASS_DECIMALS), after, before));
        line.mass = grams.map(|grams| grams as f64 / GRAMS_PER_KILOGRAM);
        left -= taken;
    }
    lines.retain(|line| line.quantity > 0);
    if left == 0 {
        return Ok(());
    }
    let code = Code::CustomsLinesUnmatched;
    let message = format!("The customs lines have {} units of {sku}.", quantity - left);
    let issue = Issue::new(code.as_str(), "/quantity", message);
    Err(Problem::field(code, issue.with("requested", quantity).with("available", quantity - left)))
}

/// Returns a part of an amount, rounded up.
fn share(amount: i64, part: i64, whole: i64) -> i64 {
    let (amount, part, whole) = (i128::from(amount), i128::from(part), i128::from(whole.max(1)));
    i64::try_from((amount * part + whole - 1) / whole).unwrap_or(i64::MAX)
}

static REASON: Shape = Shape::text(
    1,
    100,
    "Why the units are missing, such as `not found` or `damaged`. The order's exception and the stock's history have it.",
)
.example(r#""damaged""#);
static ADJUST_STOCK: Shape = Shape::new(
    Kind::Boolean,
    "`true` also writes the missing units off the level, in the same transaction, with your `reason`; the token then needs `inventory:write`. Not more than is on hand. After the purchase nothing is written off: the level no longer counts units that were bought to be sent. False if you leave it out.",
)
.example("true");
static WRITTEN_OFF: Shape = Shape::new(
    Kind::Integer { min: 0, max: 1_000_000 },
    "Units that the level of the item lost. 0 without `adjust_stock`, after the purchase, and where the location does not count the item.",
)
.example("2");
static IS_DELETED: Shape = Shape::new(
    Kind::Boolean,
    "Whether the shipment is gone, because nothing was left in it. Then its id answers 404.",
)
.example("false");
static ALLOCATION_IDS: Shape = Shape::list(
    &ALLOCATION_ID,
    ALLOCATIONS_MAX,
    "The open allocations that the missing units are in now, outside of any shipment. Empty after the purchase.",
);
/// The body of a request that reports a short pick.
pub static SHORT_INPUT: Shape = Shape::object(
    "ShortInput",
    &[
        Field::required("item_id", &ITEM_ID)
            .about("What the picker could not find: the `inv_…` that a package of the shipment names."),
        Field::required("quantity", &QUANTITY).about(
            "Units that are missing. Not more than the shipment still misses: what was scanned was found.",
        ),
        Field::required("reason", &REASON),
        Field::optional("adjust_stock", &ADJUST_STOCK),
    ],
    "Units of a shipment that a picker did not find.",
);
/// What a short pick changed.
pub static SHORT: Shape = Shape::object(
    "Short",
    &[
        Field::given("shipment_id", &SHIPMENT_ID),
        Field::given("order_id", &ORDER_ID),
        Field::given("item_id", &ITEM_ID).about("The item of which units are missing, by its `inv_…`."),
        Field::given("quantity", &QUANTITY).about("Units that were reported as missing."),
        Field::given("reason", &REASON),
        Field::given("written_off_quantity", &WRITTEN_OFF),
        Field::given("allocation_ids", &ALLOCATION_IDS),
        Field::given("is_shipment_deleted", &IS_DELETED),
        Field::given_or_null("exception_id", &EXCEPTION_ID)
            .about("The exception `short` of the order, which a person resolves. Null before the purchase."),
    ],
    "What a short pick changed: of the shipment before its purchase, of the order after it.",
);
