//! The customs declaration: what is inside, what it is worth, and who says so.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::identifier::{CUSTOMS_IDENTIFIERS, CustomsIdentifier};
use super::package::{MASS, normalise};
use crate::inventory_item::HS_CODE;
use crate::location::{COUNTRY, LINE};
use crate::money::{AMOUNT, CURRENCY};
use crate::order::QUANTITY;
use crate::problem::Issue;
use crate::shape::{Field, Kind, MOMENT, Shape};
use crate::{CountryCode, Timestamp};

/// Most lines of a declaration.
pub const ITEMS_MAX: usize = 200;
const MASS_DECIMALS: u32 = 3;

/// What customs are told.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Customs {
    pub contents_type: Option<String>,
    pub contents_description: Option<String>,
    pub declarant: Option<Declarant>,
    pub incoterm: Option<String>,
    pub restriction_type: Option<String>,
    pub restriction_description: Option<String>,
    pub declaration_message: Option<String>,
    #[serde(default)]
    pub items: Vec<CustomsItem>,
    #[serde(default)]
    pub identifiers: Vec<CustomsIdentifier>,
}

/// Who declares.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Declarant {
    pub name: Option<String>,
    pub certify: Option<bool>,
    pub date: Option<Timestamp>,
}

/// A line of the declaration.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct CustomsItem {
    pub description: String,
    pub quantity: i64,
    /// Of all of the line, in the smallest unit of the currency.
    pub value: i64,
    pub currency_code: Option<String>,
    /// Of all of the line, in kilograms.
    pub mass: Option<f64>,
    pub hs_code: Option<String>,
    pub origin_country_code: Option<CountryCode>,
    pub sku: Option<String>,
    pub manufacturer_product_id: Option<String>,
    pub standardized_product_id: Option<String>,
}

fn check_customs(customs: &mut Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
    let restriction = customs.get("restriction_type").and_then(Value::as_str);
    let is_restricted = restriction.is_some_and(|restriction| restriction != "none");
    if is_restricted && !customs.contains_key("restriction_description") {
        let message = "Is required with a restriction other than `none`.";
        issues.push(Issue::new("required", format!("{at}/restriction_description"), message));
    }
}

fn normalise_item(item: &mut Map<String, Value>, _at: &str, _issues: &mut Vec<Issue>) {
    normalise(item, "mass", MASS_DECIMALS);
}

static CONTENTS: Shape = Shape::new(
    Kind::OneOf(&[
        "documents",
        "gift",
        "merchandise",
        "returned_goods",
        "sample",
        "dangerous_goods",
        "humanitarian_donation",
        "other",
    ]),
    "What kind of contents they are.",
)
.example(r#""merchandise""#);
static INCOTERM: Shape = Shape::new(
    Kind::OneOf(&[
        "EXW", "FCA", "CPT", "CIP", "DAP", "DPU", "DDP", "FAS", "FOB", "CFR", "CIF", "DAT", "DDU", "DAF",
        "DEQ", "DES",
    ]),
    "Who pays for what on the way.",
)
.example(r#""DDP""#);
static RESTRICTION: Shape = Shape::new(
    Kind::OneOf(&["none", "other", "quarantine", "sanitary_phytosanitary_inspection"]),
    "What restricts the contents. All but `none` need a `restriction_description`.",
)
.example(r#""none""#);
static TEXT: Shape = Shape::text(0, 1000, "A text.");
static CERTIFY: Shape =
    Shape::new(Kind::Boolean, "Whether the declarant certifies the declaration.").example("true");
static DECLARANT: Shape = Shape::object(
    "Declarant",
    &[Field::optional("name", &LINE), Field::optional("certify", &CERTIFY), Field::optional("date", &MOMENT)],
    "Who declares.",
);
static DESCRIPTION: Shape = Shape::text(1, 255, "What it is.").example(r#""Cotton shirt""#);
static ITEM: Shape = Shape {
    name: Some("CustomsItem"),
    about: "A line of the declaration.",
    kind: Kind::Object {
        fields: &[
            Field::required("description", &DESCRIPTION),
            Field::required("quantity", &QUANTITY),
            Field::required("value", &AMOUNT),
            Field::optional("currency_code", &CURRENCY),
            Field::optional("mass", &MASS),
            Field::optional("hs_code", &HS_CODE),
            Field::optional("origin_country_code", &COUNTRY),
            Field::optional("sku", &LINE),
            Field::optional("manufacturer_product_id", &LINE),
            Field::optional("standardized_product_id", &LINE),
        ],
        rule: Some(normalise_item),
    },
    example: None,
};
static ITEMS: Shape =
    Shape::list(&ITEM, ITEMS_MAX, "What is inside, line by line; value and mass are of the whole line.");
/// What customs are told.
pub static CUSTOMS: Shape = Shape {
    name: Some("Customs"),
    about: "What customs are told. Needed where the shipment leaves a customs territory.",
    kind: Kind::Object {
        fields: &[
            Field::optional("contents_type", &CONTENTS),
            Field::optional("contents_description", &TEXT),
            Field::optional("declarant", &DECLARANT),
            Field::optional("incoterm", &INCOTERM),
            Field::optional("restriction_type", &RESTRICTION),
            Field::optional("restriction_description", &TEXT),
            Field::optional("declaration_message", &TEXT),
            Field::optional("items", &ITEMS),
            Field::optional("identifiers", &CUSTOMS_IDENTIFIERS),
        ],
        rule: Some(check_customs),
    },
    example: None,
};
