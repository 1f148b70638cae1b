//! The conditions of a rule. All that are given must hold. A rule without conditions matches everything.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::places::address::COUNTRY;
use crate::places::location::LOCATION_ID;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Issues, Kind, Path, Pattern, Shape};
use crate::platform::time_zone::DAYS;
use crate::shipping::shipment::package::normalise;
use crate::{CountryCode, Id, Location};

/// Maximum number of entries of a list of countries.
const COUNTRIES_MAX: usize = 250;
/// Maximum number of entries of other lists.
const ENTRIES_MAX: usize = 500;

/// The conditions of a rule. An empty list is no condition.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Conditions {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub destination_countries: Vec<CountryCode>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_code_prefixes: Vec<String>,
    /// Kilograms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<DimensionRanges>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_value: Option<ValueRange>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub item_tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skus: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requested_services: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order_tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub origin_location_ids: Vec<Id<Location>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weekdays: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_window: Option<TimeWindow>,
}

/// A range of a measure. Both ends belong to it, and one may be open.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Range {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// Ranges of the sides, in centimetres. The longest side is the length.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(default)]
pub struct DimensionRanges {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<Range>,
}

/// A range of a value in one currency, in its smallest unit. Both ends belong to it, and one may be open.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct ValueRange {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    pub currency_code: String,
}

/// A part of the day, by the local clock: from the first minute until before the last one. If it ends before it
/// begins, it goes over midnight, and belongs to the day on which it begins.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TimeWindow {
    pub from: String,
    pub until: String,
}

impl TimeWindow {
    /// Returns whether the window goes over midnight.
    pub fn is_over_midnight(&self) -> bool {
        self.until < self.from
    }

    /// Returns whether a local time, such as `17:30`, is in the window.
    pub fn contains(&self, time: &str) -> bool {
        // Times of one form sort like their texts.
        let (from, until) = (self.from.as_str(), self.until.as_str());
        if self.is_over_midnight() { time >= from || time < until } else { time >= from && time < until }
    }

    /// Returns whether a local time is in the part of the window after midnight, so that the window began on the day
    /// before.
    pub fn began_yesterday(&self, time: &str) -> bool {
        self.is_over_midnight() && time < self.until.as_str()
    }
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let number = |from: usize, max: u8| {
        let (tens, ones) = (bytes[from].wrapping_sub(b'0'), bytes[from + 1].wrapping_sub(b'0'));
        tens < 10 && ones < 10 && tens * 10 + ones <= max
    };
    bytes.len() == 5 && bytes[2] == b':' && number(0, 23) && number(3, 59)
}

/// Rejects a range without an end, or with its ends exchanged, and rounds both as packages are rounded.
fn check_range(range: &mut Map<String, Value>, decimals: u32, at: &Path<'_>, issues: &mut Issues) {
    for end in ["min", "max"] {
        normalise(range, end, decimals);
    }
    check_ends(range, at, issues);
}

fn check_ends(range: &Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let end = |name: &str| range.get(name).and_then(Value::as_f64);
    match (end("min"), end("max")) {
        (None, None) => issues.push(Issue::new("required", at, "Must have a `min`, a `max` or both.")),
        (Some(min), Some(max)) if min > max => {
            issues.push(Issue::new("out_of_range", format!("{at}/max"), "Must be at least `min`."));
        }
        _ => {}
    }
}

fn check_masses(range: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    check_range(range, 3, at, issues);
}

fn check_sides(range: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    check_range(range, 1, at, issues);
}

fn check_values(range: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    check_ends(range, at, issues);
}

fn check_dimensions(ranges: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    if ranges.is_empty() {
        issues.push(Issue::new("required", at, "Must have a `length`, a `width` or a `height`."));
    }
}

fn check_window(window: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    if window.get("from") == window.get("until") {
        let message = "Must differ from `from`. For the whole day, leave the window out.";
        issues.push(Issue::new("invalid_value", format!("{at}/until"), message));
    }
}

static MASS: Shape =
    Shape::new(Kind::Number { min: 0.0, max: 1_000_000.0 }, "Kilograms; kept as whole grams, rounded up.")
        .example("2.0");
static SIDE: Shape =
    Shape::new(Kind::Number { min: 0.0, max: 600.0 }, "Centimetres; kept as whole millimetres, rounded up.")
        .example("60.0");
static MASS_RANGE: Shape = Shape {
    name: Some("MassRange"),
    about: "Kilograms in total. Both ends belong to the range; two rules may share an end, because the earlier rule wins.",
    kind: Kind::Object {
        fields: &[
            Field::optional("min", &MASS)
                .about("The least mass in kilograms. Without it, there is no lower end."),
            Field::optional("max", &MASS)
                .about("The largest mass in kilograms. Without it, there is no upper end."),
        ],
        rule: Some(check_masses),
    },
    example: Some(r#"{"max":2.0}"#),
};
static SIDE_RANGE: Shape = Shape {
    name: Some("SideRange"),
    about: "Centimetres of one side. Both ends belong to the range.",
    kind: Kind::Object {
        fields: &[
            Field::optional("min", &SIDE).about(
                "The shortest that the side may be, in centimetres. Without it, there is no lower end.",
            ),
            Field::optional("max", &SIDE).about(
                "The longest that the side may be, in centimetres. Without it, there is no upper end.",
            ),
        ],
        rule: Some(check_sides),
    },
    example: Some(r#"{"max":60.0}"#),
};
static DIMENSIONS: Shape = Shape {
    name: Some("DimensionRanges"),
    about: "Ranges of the sides of the largest package; of an order that is not packed, of its largest item. The sides are sorted, so it does not matter which way round they were measured.",
    kind: Kind::Object {
        fields: &[
            Field::optional("length", &SIDE_RANGE)
                .about("Centimetres of the longest edge, however the parcel is turned."),
            Field::optional("width", &SIDE_RANGE).about("The range of the second longest side."),
            Field::optional("height", &SIDE_RANGE)
                .about("Centimetres of the shortest edge, however the parcel is turned."),
        ],
        rule: Some(check_dimensions),
    },
    example: Some(r#"{"length":{"max":60.0}}"#),
};
static VALUE_RANGE: Shape = Shape {
    name: Some("ValueRange"),
    about: "What the whole order is worth. Both ends belong to the range. A value in another currency is in no range.",
    kind: Kind::Object {
        fields: &[
            Field::optional("min", &AMOUNT).about(
                "The least value, in the smallest unit of the currency. Without it, there is no lower end.",
            ),
            Field::optional("max", &AMOUNT).about(
                "The largest value, in the smallest unit of the currency. Without it, there is no upper end.",
            ),
            Field::required("currency_code", &CURRENCY)
                .about("The currency of both ends (ISO 4217). Nothing is converted."),
        ],
        rule: Some(check_values),
    },
    example: Some(r#"{"min":10000,"currency_code":"GBP"}"#),
};
static TIME: Shape = Shape::new(
    Kind::Text {
        chars_min: 5,
        chars_max: 5,
        pattern: Some(Pattern { regex: "^([01][0-9]|2[0-3]):[0-5][0-9]$", matches: is_time }),
    },
    "Hours and minutes of a 24-hour clock, `HH:MM`.",
)
.example(r#""14:00""#);
static WINDOW: Shape = Shape {
    name: Some("TimeWindow"),
    about: "A part of the day by the clock of the origin location's time zone. If it ends before it begins, it goes over midnight, and its weekday is the one on which it begins.",
    kind: Kind::Object {
        fields: &[
            Field::required("from", &TIME).about("The first minute that belongs to the window, `HH:MM`."),
            Field::required("until", &TIME)
                .about("The first minute that does not belong to the window any more, `HH:MM`."),
        ],
        rule: Some(check_window),
    },
    example: Some(r#"{"from":"08:00","until":"14:00"}"#),
};
static PREFIX: Shape = Shape::text(
    1,
    20,
    "The first letters and digits of post codes. Case does not count, and spaces do only if the prefix has one: `BS1` matches `BS1 4DJ` and `BS14 9AA`, `BS1 ` only the first.",
)
.example(r#""BS1""#);
static WORD: Shape =
    Shape::text(1, 255, "A word as orders have it. Case does not count.").example(r#""express""#);
static TAG: Shape = Shape::text(1, 100, "A tag, exactly as it is written.").example(r#""fragile""#);
static SKU: Shape = Shape::text(1, 100, "A SKU, exactly as it is written.").example(r#""TEE-BLUE-M""#);
static DAY: Shape =
    Shape::new(Kind::OneOf(&DAYS), "The first three letters of the English name.").example(r#""mon""#);

static COUNTRIES: Shape = Shape::some(
    &COUNTRY,
    COUNTRIES_MAX,
    "The destination is in one of these countries (ISO 3166-1 alpha-2).",
)
.example(r#"["DE","AT"]"#);
static PREFIXES: Shape = Shape::some(
    &PREFIX,
    ENTRIES_MAX,
    "The destination's post code begins with one of these. Codes of different countries look alike, so name the countries too.",
);
static ITEM_TAGS: Shape = Shape::some(
    &TAG,
    ENTRIES_MAX,
    "Holds if any product in the parcel carries any of these words, such as `fragile`.",
);
static SKUS: Shape =
    Shape::some(&SKU, ENTRIES_MAX, "At least one item that is shipped has one of these SKUs.");
static CHANNELS: Shape =
    Shape::some(&WORD, ENTRIES_MAX, "The order came through one of these sales channels.")
        .example(r#"["web"]"#);
static REQUESTED: Shape = Shape::some(
    &WORD,
    ENTRIES_MAX,
    "The order's `requested_service`, in your shop's own words, is one of these.",
);
static ORDER_TAGS: Shape = Shape::some(
    &TAG,
    ENTRIES_MAX,
    "Holds if the merchant put any of these words on the customer's purchase.",
)
.example(r#"["gift"]"#);
static ORIGINS: Shape = Shape::some(
    &LOCATION_ID,
    ENTRIES_MAX,
    "It is shipped from one of these locations. While a rule names a location, the location can't be deleted.",
);
static WEEKDAYS: Shape = Shape::some(&DAY, 7, "It is one of these days of the week at the origin, in the time zone of the location, else of the organisation.")
    .example(r#"["mon","tue","wed","thu","fri"]"#);

/// The conditions of a rule.
pub static CONDITIONS: Shape = Shape::object(
    "ShippingRuleConditions",
    &[
        Field::optional("destination_countries", &COUNTRIES),
        Field::optional("post_code_prefixes", &PREFIXES),
        Field::optional("mass", &MASS_RANGE),
        Field::optional("dimensions", &DIMENSIONS),
        Field::optional("order_value", &VALUE_RANGE),
        Field::optional("item_tags", &ITEM_TAGS),
        Field::optional("skus", &SKUS),
        Field::optional("channels", &CHANNELS),
        Field::optional("requested_services", &REQUESTED),
        Field::optional("order_tags", &ORDER_TAGS),
        Field::optional("origin_location_ids", &ORIGINS),
        Field::optional("weekdays", &WEEKDAYS),
        Field::optional("time_window", &WINDOW),
    ],
    "What must hold so that the rule matches: all of the given conditions. Without any, the rule matches everything. A condition about something that is not known, such as the mass of an item without one, does not hold.",
);
