//! Identifiers for tax and customs: who is registered where, under which number.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::CountryCode;
use crate::location::COUNTRY;
use crate::problem::Issue;
use crate::shape::{Field, Kind, Shape};

/// Most identifiers of a shipment, and of its customs declaration.
pub const IDENTIFIERS_MAX: usize = 8;

/// A number under which somebody is registered for tax.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TaxIdentifier {
    pub taxable_entity_type: String,
    pub identifier_type: String,
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuing_country_code: Option<CountryCode>,
}

/// The same, in a customs declaration.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct CustomsIdentifier {
    pub entity_type: String,
    pub identifier_type: String,
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuing_country_code: Option<CountryCode>,
}

/// An IOSS number is `IM` and ten digits.
fn is_ioss(value: &str) -> bool {
    value
        .strip_prefix("IM")
        .is_some_and(|digits| digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn check_identifier(identifier: &mut Map<String, Value>, at: &str, issues: &mut Vec<Issue>) {
    let text = |name: &str| identifier.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("identifier_type") == "ioss" && !is_ioss(text("value")) {
        let message = "An IOSS number is `IM` and 10 digits.";
        issues.push(Issue::new("invalid_format", format!("{at}/value"), message));
    }
}

static ENTITY: Shape =
    Shape::new(Kind::OneOf(&["sender", "recipient", "importer_of_record"]), "Whose it is.")
        .example(r#""sender""#);
static TYPE: Shape = Shape::new(
    Kind::OneOf(&[
        "ioss",
        "vat",
        "eori",
        "ein",
        "ssn",
        "tin",
        "gst",
        "pan",
        "voec",
        "pccc",
        "oss",
        "passport",
        "abn",
        "ird",
        "arn",
        "ukims",
        "cnp",
        "national_id",
        "other",
    ]),
    "What kind of number it is.",
)
.example(r#""ioss""#);
static VALUE: Shape =
    Shape::text(1, 64, "The number. An IOSS number is `IM` and 10 digits.").example(r#""IM0123456789""#);
static TAX_IDENTIFIER: Shape = Shape {
    name: Some("TaxIdentifier"),
    about: "A number under which somebody is registered for tax.",
    kind: Kind::Object {
        fields: &[
            Field::required("taxable_entity_type", &ENTITY),
            Field::required("identifier_type", &TYPE),
            Field::required("value", &VALUE),
            Field::optional("issuing_country_code", &COUNTRY),
        ],
        rule: Some(check_identifier),
    },
    example: None,
};
static CUSTOMS_IDENTIFIER: Shape = Shape {
    name: Some("CustomsIdentifier"),
    about: "A number under which somebody is known to customs.",
    kind: Kind::Object {
        fields: &[
            Field::required("entity_type", &ENTITY),
            Field::required("identifier_type", &TYPE),
            Field::required("value", &VALUE),
            Field::optional("issuing_country_code", &COUNTRY),
        ],
        rule: Some(check_identifier),
    },
    example: None,
};
/// The tax identifiers of a shipment.
pub static TAX_IDENTIFIERS: Shape = Shape::list(&TAX_IDENTIFIER, IDENTIFIERS_MAX, "Numbers for tax.");
pub(super) static CUSTOMS_IDENTIFIERS: Shape =
    Shape::list(&CUSTOMS_IDENTIFIER, IDENTIFIERS_MAX, "Numbers for customs.");
