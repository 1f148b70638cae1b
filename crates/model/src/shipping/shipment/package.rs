//! Packages of a shipment, measured in kilograms and centimetres.
//!
//! Measures are stored as whole grams and millimetres, rounded up, and shown in the units of the request: a parcel of
//! 1.2341 kg must not be billed as 1.234 kg.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::places::address::LINE;
use crate::platform::id::{Kind as IdKind, PackageTypeKind};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Issues, Kind, Path, Shape};
use crate::stock::inventory_item::ITEM_ID;
use crate::{Id, InventoryItem};

/// Maximum number of packages of a shipment.
pub const PACKAGES_MAX: usize = 99;
/// Maximum number of different items in a package, and of pieces of each.
pub(crate) const PACKAGE_ITEMS_MAX: usize = 1000;
const PACKAGE_QUANTITY_MAX: i64 = 1_000_000;
/// Decimals of a measure: grams in a kilogram, millimetres in a centimetre.
const MASS_DECIMALS: u32 = 3;
const SIDE_DECIMALS: u32 = 1;

/// One package.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Package {
    pub name: Option<String>,
    pub geometry: Option<Geometry>,
    pub predefined_package_code: Option<String>,
    /// The tracking number that the carrier assigned.
    #[serde(default)]
    pub tracking_number: Option<String>,
    /// The contents, as information.
    #[serde(default)]
    pub items: Vec<PackageItem>,
    #[serde(default)]
    pub package_type_id: Option<Id<PackageTypeKind>>,
}

/// Units of an inventory item in a package.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackageItem {
    pub id: Id<InventoryItem>,
    pub quantity: i64,
}

impl Package {
    /// Returns the package as a carrier may see it. Inventory items and package types are internal to the merchant.
    #[must_use]
    pub fn as_carried(&self) -> Self {
        Self { items: Vec::new(), package_type_id: None, ..self.clone() }
    }
}

/// The size and mass of a package.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub struct Geometry {
    pub length: Option<f64>,
    pub width: Option<f64>,
    pub height: Option<f64>,
    pub mass: Option<f64>,
}

impl Geometry {
    /// Returns the mass in grams.
    pub fn grams(&self) -> Option<i64> {
        self.mass.map(|mass| round_up(mass, MASS_DECIMALS))
    }

    /// Returns length, width and height in millimetres, if all are known.
    pub fn millimetres(&self) -> Option<[i64; 3]> {
        let side = |side: f64| round_up(side, SIDE_DECIMALS);
        Some([side(self.length?), side(self.width?), side(self.height?)])
    }
}

/// Returns the number times a power of ten, rounded up. It uses the decimal notation: `1.1` is 1100 thousandths,
/// although the nearest binary fraction is slightly larger.
pub fn round_up(number: f64, decimals: u32) -> i64 {
    let (scaled, has_rest) = scale(number, decimals);
    if has_rest { scaled.saturating_add(1) } else { scaled }
}

/// Returns a number that is not negative times a power of ten, rounded down, as [`round_up`] rounds it up.
pub fn round_down(number: f64, decimals: u32) -> i64 {
    scale(number, decimals).0
}

/// Returns the digits of a number down to this many decimals, and whether it has further ones.
fn scale(number: f64, decimals: u32) -> (i64, bool) {
    let text = format!("{number}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let (kept, rest) = fraction.split_at(fraction.len().min(decimals as usize));
    let digits = format!("{whole}{kept:0<width$}", width = decimals as usize);
    (digits.parse::<i64>().unwrap_or(i64::MAX), rest.bytes().any(|digit| digit != b'0'))
}

/// Rounds a measure up to its number of decimals.
pub(crate) fn normalise(object: &mut Map<String, Value>, name: &str, decimals: u32) {
    let Some(number) = object.get(name).and_then(Value::as_f64) else { return };
    let scaled = round_up(number, decimals) as f64 / 10f64.powi(decimals as i32);
    if let Some(normal) = Number::from_f64(scaled) {
        object.insert(name.to_owned(), Value::Number(normal));
    }
}

fn check_geometry(geometry: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    normalise(geometry, "mass", MASS_DECIMALS);
    let sides = ["length", "width", "height"];
    for side in sides {
        normalise(geometry, side, SIDE_DECIMALS);
    }
    let given = sides.iter().filter(|side| geometry.contains_key(**side)).count();
    if let Some(missing) = sides.iter().find(|side| !geometry.contains_key(**side)).filter(|_| given > 0) {
        let message = "Length, width and height go together.";
        issues.push(Issue::new("required", format!("{at}/{missing}"), message));
    }
}

fn check_package(package: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    // The carrier assigns the tracking number. A client that sends a shipment back to create another must not copy
    // it.
    package.remove("tracking_number");
    if let Some(Value::Array(items)) = package.get("items") {
        let id = |item: &Value| item.get("id").cloned();
        for (place, item) in items.iter().enumerate() {
            if items[..place].iter().any(|earlier| id(earlier) == id(item)) {
                let place = format!("{at}/items/{place}/id");
                issues.push(Issue::new("duplicate", place, "Name each item of a package once."));
            }
        }
    }
    let has_mass = package.get("geometry").is_some_and(|geometry| geometry.get("mass").is_some());
    if !has_mass && !package.contains_key("predefined_package_code") {
        let message = "A mass is required, unless there is a `predefined_package_code`.";
        issues.push(Issue::new("required", format!("{at}/geometry/mass"), message));
    }
}

pub(crate) static MASS: Shape =
    Shape::new(Kind::Number { min: 0.000_001, max: 1000.0 }, "Kilograms; kept as whole grams, rounded up.")
        .example("1.2");
static SIDE: Shape = Shape::new(
    Kind::Number { min: 0.0001, max: 600.0 },
    "Centimetres; kept as whole millimetres, rounded up.",
)
.example("30");
pub(crate) static GEOMETRY: Shape = Shape {
    name: Some("Geometry"),
    about: "How large and how heavy. Carriers price it by these; length, width and height go together.",
    kind: Kind::Object {
        fields: &[
            Field::optional("length", &SIDE).about("The longest side in centimetres; kept as whole millimetres, rounded up."),
            Field::optional("width", &SIDE).about("The second side in centimetres; kept as whole millimetres, rounded up."),
            Field::optional("height", &SIDE).about("The third side in centimetres; kept as whole millimetres, rounded up."),
            Field::optional("mass", &MASS).about("Kilograms with the packaging; kept as whole grams, rounded up. Required unless a `predefined_package_code` is given."),
        ],
        rule: Some(check_geometry),
    },
    example: Some(r#"{"length":30.0,"width":20.0,"height":10.0,"mass":1.2}"#),
};
pub(crate) static PREDEFINED: Shape = Shape::text(
    1,
    100,
    "The carrier's own name of a standard box or envelope, which then needs no `geometry`.",
)
.example(r#""flat_rate_envelope""#);
/// The number by which a carrier tracks a package.
pub static TRACKING_NUMBER: Shape =
    Shape::text(1, 100, "The carrier's number for following the parcel. Set by the purchase.")
        .example(r#""SB123456785GB""#);
/// The id of a package type.
pub static PACKAGE_TYPE_ID: Shape = Shape::new(
    Kind::Identifier(PackageTypeKind::PREFIX),
    "Made when the package type is created. It stays when its name, handle or size changes.",
);
/// An item in a package.
pub static PACKAGE_ITEM: Shape = Shape::object(
    "PackageItem",
    &[
        Field::required("id", &ITEM_ID)
            .about("The inventory item's `inv_…`, not its SKU. Each item once in a package."),
        Field::required("quantity", &PACKAGE_QUANTITY),
    ],
    "One item of the inventory, and how many pieces are in the package.",
);
static PACKAGE_QUANTITY: Shape =
    Shape::new(Kind::Integer { min: 1, max: PACKAGE_QUANTITY_MAX }, "Pieces in the package, 1 or more.")
        .example("2");
static PACKAGE_ITEMS: Shape = Shape::list(
    &PACKAGE_ITEM,
    PACKAGE_ITEMS_MAX,
    "What is inside: kept and shown; no carrier gets it. In a shipment that was made from an order, the units of its allocations: then their sum can't be changed. Otherwise it changes no stock.",
);
static PACKAGE: Shape = Shape {
    name: Some("Package"),
    about: "One package of a shipment.",
    kind: Kind::Object {
        fields: &[
            Field::optional("name", &LINE).about("Your own word for the package. No carrier sees it."),
            Field::optional("geometry", &GEOMETRY),
            Field::optional("predefined_package_code", &PREDEFINED),
            Field::given_or_null("tracking_number", &TRACKING_NUMBER)
                .about("The carrier's number of this package. Null until the shipment is bought."),
            Field::optional("items", &PACKAGE_ITEMS),
            Field::optional("package_type_id", &PACKAGE_TYPE_ID)
                .about("The package type that is used. If `geometry` has no length, width and height, they are copied from its outer dimensions when the shipment is created or changed."),
        ],
        rule: Some(check_package),
    },
    example: None,
};
/// The packages of a shipment.
pub static PACKAGES: Shape = Shape::some(
    &PACKAGE,
    PACKAGES_MAX,
    "The parcels that travel together under one purchase. Each gets a label and a tracking number.",
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn measures_round_up_by_the_decimals_they_were_written_with() {
        for (number, decimals, scaled) in [
            (1.1, 3, 1100),
            (1.2341, 3, 1235),
            (0.0001, 3, 1),
            (30.0, 1, 300),
            (30.01, 1, 301),
            (0.3, 1, 3),
            (999.9999, 3, 1_000_000),
            (1e-6, 3, 1),
        ] {
            assert_eq!(round_up(number, decimals), scaled, "{number}");
        }
    }

    proptest! {
        #[test]
        fn whole_grams_stay_what_they_are(grams in 1i64..1_000_000) {
            prop_assert_eq!(round_up(grams as f64 / 1000.0, 3), grams);
        }

        #[test]
        fn down_and_up_enclose_the_number(number in 0.0001f64..1000.0) {
            let (down, up) = (round_down(number, 3), round_up(number, 3));
            prop_assert!(down <= up && up - down <= 1 && down as f64 <= number * 1000.0 + 1e-6);
        }

        #[test]
        fn nothing_is_ever_less_than_it_was(number in 0.0001f64..1000.0) {
            let grams = round_up(number, 3);
            prop_assert!(grams as f64 >= number * 1000.0 - 1e-6 && (grams as f64) < number * 1000.0 + 1.0 + 1e-6);
        }
    }
}
