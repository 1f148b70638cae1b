//! Inventory items, which orders request and locations hold, and the levels of their stock.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::places::address;
use crate::places::country::CountryCode;
use crate::places::location::{LOCATION_ID, TAG, TAGS_MAX};
use crate::platform::id::{AllocationKind, Kind as IdKind};
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, METADATA, Path, Pattern, Shape};
use crate::stock::barcode::{BARCODES, comparable, refuse_repeated};
use crate::{Id, Location, Timestamp};

/// An item as it is stored and shown.
#[derive(Serialize)]
pub struct InventoryItem {
    pub id: Id<InventoryItem>,
    #[serde(flatten)]
    pub details: InventoryItemInput,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for InventoryItem {
    const PREFIX: &'static str = "inv";
}

/// The body of a request that creates an item.
#[derive(Serialize, Deserialize)]
pub struct InventoryItemInput {
    pub sku: String,
    pub name: String,
    /// Kilograms.
    pub mass: Option<f64>,
    pub dimensions: Option<Dimensions>,
    pub hs_code: Option<String>,
    pub origin_country_code: Option<CountryCode>,
    #[serde(default)]
    pub barcodes: Vec<String>,
    /// The value of one piece, in the smallest unit of the currency.
    pub unit_value: Option<i64>,
    pub currency_code: Option<String>,
    pub customs_description: Option<String>,
    #[serde(default)]
    pub ships_alone: bool,
    #[serde(default)]
    pub keep_upright: bool,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub metadata: Map<String, Value>,
}

impl Input for InventoryItemInput {
    const SHAPE: &'static Shape = &INVENTORY_ITEM;
}

impl InventoryItemInput {
    /// Returns the barcodes in the form in which they are compared, in their order.
    pub fn comparable_barcodes(&self) -> Vec<String> {
        self.barcodes.iter().map(|code| comparable(code).into_owned()).collect()
    }
}

/// Returns the form in which names are compared: the letters A to Z in lower case. Both engines can compute it, which
/// filled the column for items from before it existed.
pub fn name_key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// Centimetres.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct Dimensions {
    pub length: f64,
    pub width: f64,
    pub height: f64,
}

/// The stock of an item at a location: on hand, allocated and available. Allocated may exceed on hand. The difference
/// is then on backorder, and available is negative.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Level {
    pub item: ItemReference,
    pub location: LocationReference,
    pub on_hand: i64,
    pub allocated: i64,
    pub available: i64,
    pub bin: Option<String>,
    pub reorder_point: Option<i64>,
    pub low_stock: bool,
    pub updated_at: Timestamp,
}

/// An item by its id.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct ItemReference {
    pub id: Id<InventoryItem>,
}

/// A location by its id.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct LocationReference {
    pub id: Id<Location>,
}

impl Level {
    pub fn new(
        item: Id<InventoryItem>,
        location: Id<Location>,
        on_hand: i64,
        allocated: i64,
        updated_at: Timestamp,
    ) -> Self {
        Self {
            item: ItemReference { id: item },
            location: LocationReference { id: location },
            on_hand,
            allocated,
            available: on_hand - allocated,
            bin: None,
            reorder_point: None,
            low_stock: false,
            updated_at,
        }
    }

    /// Returns the level with its bin and its reorder point.
    #[must_use]
    pub fn with_details(mut self, bin: Option<String>, reorder_point: Option<i64>) -> Self {
        self.low_stock = reorder_point.is_some_and(|point| self.on_hand <= point);
        (self.bin, self.reorder_point) = (bin, reorder_point);
        self
    }
}

/// One change of a level.
#[derive(Serialize, Clone, Debug)]
pub struct Change {
    pub id: Id<Change>,
    pub delta: i64,
    /// The quantity on hand after the change.
    pub on_hand: i64,
    pub reason: String,
    pub allocation: Option<AllocationReference>,
    pub created_at: Timestamp,
}

impl IdKind for Change {
    const PREFIX: &'static str = "ic";
}

/// An allocation by its id.
#[derive(Serialize, Clone, Copy, Debug)]
pub struct AllocationReference {
    pub id: Id<AllocationKind>,
}

/// The reasons that the service itself records for a change.
pub const REASON_SET: &str = "set";
pub const REASON_COMPLETED: &str = "allocation_completed";
pub const REASON_DELETED: &str = "allocation_deleted";
pub const REASON_VOIDED: &str = "shipment_voided";
/// The units are with the carrier: what the void returned is written off.
pub const REASON_VOIDED_AFTER_SCAN: &str = "shipment_voided_after_scan";

/// The body of a request that changes a level by an amount.
#[derive(Deserialize)]
pub struct Adjustment {
    pub delta: i64,
    pub reason: Option<String>,
    pub expected_on_hand: Option<i64>,
}

impl Input for Adjustment {
    const SHAPE: &'static Shape = &ADJUSTMENT;
}

/// Maximum quantity of an item at a location.
pub const ON_HAND_MAX: i64 = 1_000_000_000;

fn is_hs_code(text: &str) -> bool {
    matches!(text.len(), 6 | 8 | 10) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The id of an item.
pub static ITEM_ID: Shape = Shape::new(
    Kind::Identifier(InventoryItem::PREFIX),
    "Made when the item is created. Orders, levels and allocations name the item by it, not by its SKU.",
);
static SKU: Shape =
    Shape::text(1, 100, "Your own code for what is sold. Unique in the organisation; `GET /inventory_items?sku=` finds the item by it.").example(r#""TEE-BLUE-M""#);
static NAME: Shape = Shape::text(1, 255, "What pickers and customers call it. Need not be unique.")
    .example(r#""Blue T-shirt, M""#);
static MASS: Shape = Shape::new(
    Kind::Number { min: 0.001, max: 1000.0 },
    "Kilograms of one piece, without the parcel's own packaging.",
)
.example("0.2");
static SIDE: Shape =
    Shape::new(Kind::Number { min: 0.1, max: 600.0 }, "Centimetres of one piece.").example("30");
static DIMENSIONS: Shape = Shape::object(
    "Dimensions",
    &[
        Field::required("length", &SIDE).about("The longest side of one piece, in centimetres."),
        Field::required("width", &SIDE).about("The second side of one piece, in centimetres."),
        Field::required("height", &SIDE).about("The third side of one piece, in centimetres."),
    ],
    "The sides of one piece in centimetres; all three or none.",
);
pub(crate) static HS_CODE: Shape = Shape::new(
    Kind::Text {
        chars_min: 6,
        chars_max: 10,
        pattern: Some(Pattern { regex: r"^([0-9]{6}|[0-9]{8}|[0-9]{10})$", matches: is_hs_code }),
    },
    "The customs tariff number: 6, 8 or 10 digits.",
)
.example(r#""610910""#);

static CUSTOMS_DESCRIPTION: Shape = Shape::text(
    1,
    255,
    "What a customs officer is told: what it is and what it is made of (`Cotton shirt`, not `Gift`). Kept and returned; a shipment's `customs` do not take it from here yet.",
)
.example(r#""Cotton T-shirt""#);
static SHIPS_ALONE: Shape = Shape::new(
    Kind::Boolean,
    "Whether each piece needs a package of its own. Packing obeys it. False if you leave it out.",
)
.example("false");
static KEEP_UPRIGHT: Shape = Shape::new(
    Kind::Boolean,
    "Whether `height` must stay vertical. Packing then turns the item around its vertical axis only, and puts it into no envelope. False if you leave it out.",
)
.example("false");
static ITEM_TAGS: Shape = Shape::list(
    &TAG,
    TAGS_MAX,
    "Your own words for the item, such as `fragile`. Kept and returned; nothing else uses them yet.",
);

/// Refuses a value without its currency, and a barcode that is named twice.
fn check_item(item: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let pair = ["unit_value", "currency_code"];
    let missing = pair.iter().find(|field| !item.contains_key(**field));
    if let Some(missing) = missing.filter(|_| pair.iter().any(|field| item.contains_key(*field))) {
        let message = "The value of a piece and its currency go together.";
        issues.push(Issue::new("required", &Path::Key(at, missing), message));
    }
    if let Some(Value::Array(codes)) = item.get("barcodes") {
        refuse_repeated(codes, &Path::Key(at, "barcodes"), issues);
    }
}

/// An item.
pub static INVENTORY_ITEM: Shape = Shape {
    name: Some("InventoryItem"),
    about: "What an order wants and a location holds.",
    kind: Kind::Object {
        fields: &[
            Field::given("id", &ITEM_ID),
            Field::required("sku", &SKU),
            Field::required("name", &NAME),
            Field::optional("mass", &MASS),
            Field::optional("dimensions", &DIMENSIONS),
            Field::optional("hs_code", &HS_CODE).about("The item's customs tariff number: 6, 8 or 10 digits."),
            Field::optional("origin_country_code", &address::COUNTRY)
                .about("Where the item was made (ISO 3166-1 alpha-2), for customs."),
            Field::optional("barcodes", &BARCODES),
            Field::optional("unit_value", &AMOUNT).about("What one piece is worth, in the smallest unit of `currency_code`, which it needs. Kept and returned; a shipment's `customs` do not take it from here yet."),
            Field::optional("currency_code", &CURRENCY)
                .about("The currency of `unit_value` (ISO 4217, in capitals). Both go together."),
            Field::optional("customs_description", &CUSTOMS_DESCRIPTION),
            Field::optional("ships_alone", &SHIPS_ALONE),
            Field::optional("keep_upright", &KEEP_UPRIGHT),
            Field::optional("tags", &ITEM_TAGS),
            Field::optional("metadata", &METADATA),
            Field::created_at(),
            Field::updated_at(),
        ],
        rule: Some(check_item),
    },
    example: None,
};

pub(crate) static COUNT: Shape = Shape::new(
    Kind::Integer { min: 0, max: ON_HAND_MAX },
    "Pieces that are there, as last counted or adjusted. Never negative.",
)
.example("40");
pub(crate) static PROMISED: Shape =
    Shape::new(Kind::Integer { min: 0, max: i64::MAX }, "Pieces that open allocations have promised from this place. May exceed `on_hand`: the rest is on backorder.")
        .example("2");
pub(crate) static LEFT: Shape = Shape::new(
    Kind::Integer { min: i64::MIN, max: ON_HAND_MAX },
    "`on_hand` less `allocated`: what may still be promised. Negative while something is on backorder.",
)
.example("38");
pub(crate) static ITEM_REFERENCE: Shape = Shape::object(
    "ItemReference",
    &[Field::required("id", &ITEM_ID)],
    "The item that is counted, by its `id`.",
);
/// A location by its id, and nothing else.
pub static PLACE_REFERENCE: Shape =
    Shape::object("PlaceReference", &[Field::required("id", &LOCATION_ID)], "The place, by its `id`.");

pub(crate) static BIN: Shape = Shape::text(
    1,
    50,
    "Where at the location the pieces lie, such as a shelf: text of your own. Kept and returned. Names of equal length, such as `A-03-2`, sort as people expect.",
)
.example(r#""A-03-2""#);
pub(crate) static REORDER_POINT: Shape = Shape::new(
    Kind::Integer { min: 0, max: ON_HAND_MAX },
    "The quantity at which you want to order more. While `on_hand` is not above it, `low_stock` is true. Null if there is none.",
)
.example("10");
pub(crate) static LOW_STOCK: Shape = Shape::new(
    Kind::Boolean,
    "Whether `on_hand` is at or below `reorder_point`. False if there is no reorder point. `GET /inventory_items?low_stock=true` lists the items.",
)
.example("false");

/// A level.
pub static LEVEL: Shape = Shape::object(
    "InventoryLevel",
    &[
        Field::given("item", &ITEM_REFERENCE).about("The product that is counted here, by its id."),
        Field::given("location", &PLACE_REFERENCE)
            .about("The warehouse or shop where the pieces lie, by its id."),
        Field::given("on_hand", &COUNT),
        Field::given("allocated", &PROMISED),
        Field::given("available", &LEFT),
        Field::given_or_null("bin", &BIN),
        Field::given_or_null("reorder_point", &REORDER_POINT),
        Field::given("low_stock", &LOW_STOCK),
        Field::updated_at(),
    ],
    "How much of an item lies at a location, and how much of that is promised.",
);

static DELTA: Shape = Shape::new(
    Kind::Integer { min: -ON_HAND_MAX, max: ON_HAND_MAX },
    "Pieces that came (positive) or went (negative). A change that would leave less than none is refused.",
)
.example("12");
static REASON: Shape = Shape::text(1, 100, "Why the stock changed, such as `delivery` or `damaged`. The server writes `set`, `allocation_completed` and `allocation_deleted`; a short pick writes the reason that it was reported with.").example(r#""delivery""#);
/// The body of a request that adjusts a level.
pub static ADJUSTMENT: Shape = Shape::object(
    "InventoryAdjustmentInput",
    &[
        Field::required("delta", &DELTA),
        Field::optional("reason", &REASON),
        Field::optional("expected_on_hand", &COUNT).about("What you believe is on hand before the change. Where it is not, the change is refused with 409. Without it, the change is made in any case."),
    ],
    "A change of what is on hand. With `expected_on_hand` it is refused where that is not what is on hand now.",
);

static CHANGE_ID: Shape = Shape::new(
    Kind::Identifier(Change::PREFIX),
    "Made with the change. The history lists changes newest first, and none is ever altered.",
);
/// The id of an allocation.
pub static ALLOCATION_ID: Shape = Shape::new(
    Kind::Identifier(AllocationKind::PREFIX),
    "Made when stock is assigned to a location. Changing or completing the allocation keeps it.",
);
pub(crate) static ALLOCATION_REFERENCE: Shape = Shape::object(
    "AllocationReference",
    &[Field::required("id", &ALLOCATION_ID)],
    "The allocation that took the stock or gave it back. Null for other changes.",
);
/// A change of a level.
pub static CHANGE: Shape = Shape::object(
    "InventoryChange",
    &[
        Field::given("id", &CHANGE_ID),
        Field::given("delta", &DELTA),
        Field::given("on_hand", &COUNT)
            .about("Pieces that were there after this change: the history can be added up and compared."),
        Field::given("reason", &REASON),
        Field::given_or_null("allocation", &ALLOCATION_REFERENCE),
        Field::created_at(),
    ],
    "One change of a level: what came or went, what was on hand afterwards, and why.",
);
