//! Package types: the boxes and envelopes that a merchant owns.
//!
//! Measures are stored as whole millimetres and grams. What a package holds is rounded down and what it takes is rounded
//! up, so that a packing never counts on room that is not there.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::fulfilment::packing::{PackageForm, UsablePackageType};
use crate::places::location::LOCATION_ID;
use crate::platform::id::PackageTypeKind;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Input, Issues, Kind, Path, Pattern, Shape};
use crate::shipping::shipment::Cost;
use crate::shipping::shipment::package::{PACKAGE_TYPE_ID, round_down, round_up};
use crate::stock::inventory_item::Dimensions;
use crate::{Id, Location, Timestamp};

/// Maximum number of package types of an organisation. A packing compares all of them.
pub const PACKAGE_TYPES_MAX: usize = 200;
/// Maximum number of locations that a package type names.
const LOCATIONS_MAX: usize = 100;
const SIDES: [&str; 3] = ["length", "width", "height"];
/// Decimals of a measure: millimetres in a centimetre, grams in a kilogram.
const SIDE_DECIMALS: u32 = 1;
const MASS_DECIMALS: u32 = 3;

/// A package type as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct PackageType {
    pub id: Id<PackageTypeKind>,
    #[serde(flatten)]
    pub details: PackageTypeInput,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The body of a request that creates a package type.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct PackageTypeInput {
    pub name: String,
    pub handle: String,
    #[serde(default)]
    pub kind: PackageForm,
    pub inner_dimensions: Dimensions,
    pub outer_dimensions: Option<Dimensions>,
    /// Kilograms of the empty package.
    #[serde(default)]
    pub tare_mass: f64,
    /// The largest mass in kilograms, with the empty package.
    pub mass_max: Option<f64>,
    pub cost: Option<Cost>,
    #[serde(default)]
    pub location_ids: Vec<Id<Location>>,
    #[serde(default = "active")]
    pub is_active: bool,
}

fn active() -> bool {
    true
}

impl Input for PackageTypeInput {
    const SHAPE: &'static Shape = &PACKAGE_TYPE;
}

impl PackageType {
    /// Returns whether packages of this type may be used at a location.
    pub fn is_usable_at(&self, location: Id<Location>) -> bool {
        let named = &self.details.location_ids;
        self.details.is_active && (named.is_empty() || named.contains(&location))
    }

    /// Returns the outer size, which is the inner one if no other is known.
    pub fn outer(&self) -> Dimensions {
        self.details.outer_dimensions.unwrap_or(self.details.inner_dimensions)
    }

    /// Returns the package type as the packer uses it.
    pub fn usable(&self) -> UsablePackageType<Id<PackageTypeKind>> {
        let PackageTypeInput { inner_dimensions: inner, kind, tare_mass, mass_max, cost, .. } = &self.details;
        let side = |side: f64| u32::try_from(round_down(side, SIDE_DECIMALS)).unwrap_or(u32::MAX);
        UsablePackageType {
            package_type: self.id,
            inner_mm: [side(inner.length), side(inner.width), side(inner.height)],
            tare_g: round_up(*tare_mass, MASS_DECIMALS).unsigned_abs(),
            mass_max_g: mass_max.map(|mass| round_down(mass, MASS_DECIMALS).unsigned_abs()),
            cost: cost.as_ref().map(|cost| cost.amount.unsigned_abs()),
            form: *kind,
        }
    }
}

/// Rounds a measure to whole units of its last decimal.
fn round(object: &mut Map<String, Value>, name: &str, decimals: u32, rounded: fn(f64, u32) -> i64) {
    let Some(number) = object.get(name).and_then(Value::as_f64) else { return };
    let scaled = rounded(number, decimals) as f64 / 10f64.powi(decimals as i32);
    if let Some(number) = Number::from_f64(scaled) {
        object.insert(name.to_owned(), Value::Number(number));
    }
}

fn round_inner(sides: &mut Map<String, Value>, _: &Path<'_>, _: &mut Issues) {
    SIDES.iter().for_each(|side| round(sides, side, SIDE_DECIMALS, round_down));
}

fn round_outer(sides: &mut Map<String, Value>, _: &Path<'_>, _: &mut Issues) {
    SIDES.iter().for_each(|side| round(sides, side, SIDE_DECIMALS, round_up));
}

fn check_package_type(object: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    round(object, "tare_mass", MASS_DECIMALS, round_up);
    round(object, "mass_max", MASS_DECIMALS, round_down);
    let number = |value: Option<&Value>| value.and_then(Value::as_f64);
    let side =
        |dimensions: &str, side: &str| number(object.get(dimensions).and_then(|sides| sides.get(side)));
    for name in SIDES {
        let pair = side("inner_dimensions", name).zip(side("outer_dimensions", name));
        if pair.is_some_and(|(inner, outer)| inner > outer) {
            let message = "Must not be larger than the same side of `outer_dimensions`.";
            let place = Path::Key(at, "inner_dimensions");
            issues.push(Issue::new("out_of_range", &Path::Key(&place, name), message));
        }
    }
    let tare = number(object.get("tare_mass")).unwrap_or_default();
    if number(object.get("mass_max")).is_some_and(|max| max <= tare) {
        let message = "Must be above `tare_mass`, which it includes.";
        issues.push(Issue::new("out_of_range", &Path::Key(at, "mass_max"), message));
    }
    let ids = object.get("location_ids").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (place, _) in ids.iter().enumerate().filter(|(place, id)| ids[..*place].contains(id)) {
        let list = Path::Key(at, "location_ids");
        issues.push(Issue::new("duplicate", &Path::Item(&list, place), "Name each location once."));
    }
}

fn is_handle(text: &str) -> bool {
    (1..=100).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
}

static NAME: Shape =
    Shape::text(1, 255, "What your packers call it. Need not be unique.").example(r#""Small box""#);
static HANDLE: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: 100,
        pattern: Some(Pattern { regex: "^[a-z0-9_-]{1,100}$", matches: is_handle }),
    },
    "A short name for programs: lower-case letters, digits, `_` and `-`. Unique in the organisation.",
)
.example(r#""small-box""#);
static FORM: Shape = Shape::new(
    Kind::OneOf(&["box", "envelope"]),
    "`box`, or `envelope`: there units lie on their largest face, the inner height is the thickness that it takes, and nothing that is kept upright goes into it. `box` if you leave it out.",
)
.example(r#""box""#);
static SIDE: Shape =
    Shape::new(Kind::Number { min: 0.1, max: 600.0 }, "Centimetres. Kept as whole millimetres.")
        .example("30");
static INNER: Shape = Shape {
    name: Some("InnerDimensions"),
    about: "The room inside, in centimetres. Kept as whole millimetres, rounded down.",
    kind: Kind::Object {
        fields: &[
            Field::required("length", &SIDE).about("The first horizontal side inside, in centimetres."),
            Field::required("width", &SIDE).about("The second horizontal side inside, in centimetres."),
            Field::required("height", &SIDE).about("The vertical side inside, in centimetres."),
        ],
        rule: Some(round_inner),
    },
    example: Some(r#"{"length":30.0,"width":20.0,"height":15.0}"#),
};
static OUTER: Shape = Shape {
    name: Some("OuterDimensions"),
    about: "The closed package, in centimetres, as carriers measure it. Kept as whole millimetres, rounded up. Null: as `inner_dimensions`.",
    kind: Kind::Object {
        fields: &[
            Field::required("length", &SIDE).about("The first horizontal side outside, in centimetres."),
            Field::required("width", &SIDE).about("The second horizontal side outside, in centimetres."),
            Field::required("height", &SIDE).about("The vertical side outside, in centimetres."),
        ],
        rule: Some(round_outer),
    },
    example: Some(r#"{"length":30.6,"width":20.6,"height":15.8}"#),
};
static TARE: Shape = Shape::new(
    Kind::Number { min: 0.0, max: 1000.0 },
    "Kilograms of the empty package. Kept as whole grams, rounded up. 0 if you leave it out.",
)
.example("0.15");
static MASS_MAX: Shape = Shape::new(
    Kind::Number { min: 0.001, max: 1000.0 },
    "The largest mass in kilograms, with the empty package. Kept as whole grams, rounded down. Null: no limit.",
)
.example("20");
static COST: Shape = Shape::object(
    "PackageCost",
    &[
        Field::required("amount", &AMOUNT)
            .about("What one package costs you, in the smallest unit of the currency."),
        Field::required("currency_code", &CURRENCY),
    ],
    "What one package costs you. Of packings with equally many packages the cheapest is proposed, if all package types that may be used have a cost in one currency.",
);
static LOCATION_IDS: Shape = Shape::list(
    &LOCATION_ID,
    LOCATIONS_MAX,
    "The locations that have this package type. An empty list: all locations. A location that is named here can't be deleted.",
);
static IS_ACTIVE: Shape =
    Shape::new(Kind::Boolean, "Whether packings may use it. True if you leave it out.").example("true");

/// A package type.
pub static PACKAGE_TYPE: Shape = Shape {
    name: Some("PackageType"),
    about: "A box or an envelope that you own, any number of times.",
    kind: Kind::Object {
        fields: &[
            Field::given("id", &PACKAGE_TYPE_ID),
            Field::required("name", &NAME),
            Field::required("handle", &HANDLE),
            Field::optional("kind", &FORM),
            Field::required("inner_dimensions", &INNER),
            Field::optional("outer_dimensions", &OUTER),
            Field::optional("tare_mass", &TARE),
            Field::optional("mass_max", &MASS_MAX),
            Field::optional("cost", &COST),
            Field::optional("location_ids", &LOCATION_IDS),
            Field::optional("is_active", &IS_ACTIVE),
            Field::created_at(),
            Field::updated_at(),
        ],
        rule: Some(check_package_type),
    },
    example: None,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Error;
    use crate::platform::shape::parse;

    fn small() -> Value {
        json!({"name": "Small", "handle": "small", "inner_dimensions": {"length": 20, "width": 15.06, "height": 10}})
    }

    fn issues(change: Value) -> Vec<(String, String)> {
        let mut body = small();
        crate::platform::json::merge(&mut body, change);
        match parse::<PackageTypeInput>(body) {
            Err(Error::Refused(problem)) => {
                problem.issues.into_iter().map(|issue| (issue.code.into_owned(), issue.field)).collect()
            }
            other => panic!("expected a refusal, got {other:?}"),
        }
    }

    #[test]
    fn the_least_package_type_is_an_active_box_that_is_everywhere() {
        let input: PackageTypeInput = parse(small()).unwrap();
        assert!(input.is_active && input.location_ids.is_empty() && input.kind == PackageForm::Box);
        assert_eq!((input.tare_mass, input.mass_max, input.outer_dimensions), (0.0, None, None));
    }

    #[test]
    fn room_is_rounded_down_and_bulk_is_rounded_up() {
        let mut body = small();
        body["outer_dimensions"] = json!({"length": 20.01, "width": 15.06, "height": 10});
        body["tare_mass"] = json!(0.1001);
        body["mass_max"] = json!(5.0009);
        let input: PackageTypeInput = parse(body).unwrap();
        assert_eq!(input.inner_dimensions.width, 15.0);
        let outer = input.outer_dimensions.unwrap();
        assert_eq!((outer.length, outer.width, outer.height), (20.1, 15.1, 10.0));
        assert_eq!((input.tare_mass, input.mass_max), (0.101, Some(5.0)));
        let now = Timestamp::from_micros(1);
        let stored = PackageType { id: Id::from_bits(1), details: input, created_at: now, updated_at: now };
        let usable = stored.usable();
        assert_eq!(usable.inner_mm, [200, 150, 100]);
        assert_eq!((usable.tare_g, usable.mass_max_g), (101, Some(5000)));
    }

    #[test]
    fn impossible_measures_are_named() {
        let one = |code: &str, field: &str| vec![(code.to_owned(), field.to_owned())];
        for (change, code, field) in [
            (json!({"inner_dimensions": {"height": 0}}), "out_of_range", "/inner_dimensions/height"),
            (json!({"inner_dimensions": {"height": -1}}), "out_of_range", "/inner_dimensions/height"),
            (
                json!({"outer_dimensions": {"length": 20, "width": 15.1, "height": 9.9}}),
                "out_of_range",
                "/inner_dimensions/height",
            ),
            (json!({"outer_dimensions": {"length": 20}}), "required", "/outer_dimensions/width"),
            (json!({"tare_mass": 2, "mass_max": 2}), "out_of_range", "/mass_max"),
            (json!({"tare_mass": -1}), "out_of_range", "/tare_mass"),
            (json!({"kind": "tube"}), "invalid_value", "/kind"),
            (json!({"handle": "Small box"}), "invalid_format", "/handle"),
            (json!({"cost": {"amount": 5}}), "required", "/cost/currency_code"),
        ] {
            let found = issues(change.clone());
            assert_eq!(found.first(), one(code, field).first(), "{change}");
        }
    }

    #[test]
    fn a_location_is_named_once() {
        let id = Id::<Location>::from_bits(7);
        assert_eq!(
            issues(json!({"location_ids": [id, id]})),
            [("duplicate".to_owned(), "/location_ids/1".to_owned())]
        );
    }

    #[test]
    fn an_inactive_type_is_usable_nowhere_and_a_local_one_where_it_is() {
        let (here, there) = (Id::from_bits(1), Id::from_bits(2));
        let now = Timestamp::from_micros(1);
        let mut details: PackageTypeInput = parse(small()).unwrap();
        let of = |details: &PackageTypeInput| PackageType {
            id: Id::from_bits(1),
            details: details.clone(),
            created_at: now,
            updated_at: now,
        };
        assert!(of(&details).is_usable_at(here));
        details.location_ids = vec![there];
        assert!(!of(&details).is_usable_at(here) && of(&details).is_usable_at(there));
        details.is_active = false;
        assert!(!of(&details).is_usable_at(there));
    }
}
