//! Tax and customs identifiers: registration numbers of a party, by country.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::CountryCode;
use crate::places::address::COUNTRY;
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Issues, Kind, Path, Shape};

/// Maximum number of identifiers of a shipment, and of its customs declaration.
pub const IDENTIFIERS_MAX: usize = 8;

/// A number under which a party is registered for tax.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct TaxIdentifier {
    pub taxable_entity_type: String,
    pub identifier_type: String,
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuing_country_code: Option<CountryCode>,
}

/// A number under which a party is registered, in a customs declaration.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct CustomsIdentifier {
    pub entity_type: String,
    pub identifier_type: String,
    pub value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuing_country_code: Option<CountryCode>,
}

/// Returns whether the text is an IOSS number: `IM` and ten digits.
fn is_ioss(value: &str) -> bool {
    value
        .strip_prefix("IM")
        .is_some_and(|digits| digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn check_identifier(identifier: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let text = |name: &str| identifier.get(name).and_then(Value::as_str).unwrap_or_default();
    if text("identifier_type") == "ioss" && !is_ioss(text("value")) {
        let message = "An IOSS number is `IM` and 10 digits.";
        issues.push(Issue::new("invalid_format", format!("{at}/value"), message));
    }
}

static ENTITY: Shape = Shape::new(
    Kind::OneOf(&["sender", "recipient", "importer_of_record"]),
    "The party that is registered under the number.",
)
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
    "The register that the number is from, such as `vat`, `eori` or `ioss`. It decides where the number is printed and how it is checked.",
)
.example(r#""ioss""#);
static VALUE: Shape = Shape::text(
    1,
    64,
    "The number as the authority issued it. An `ioss` number is checked: `IM` and 10 digits.",
)
.example(r#""IM0123456789""#);
static TAX_IDENTIFIER: Shape = Shape {
    name: Some("TaxIdentifier"),
    about: "A registration number for tax.",
    kind: Kind::Object {
        fields: &[
            Field::required("taxable_entity_type", &ENTITY),
            Field::required("identifier_type", &TYPE),
            Field::required("value", &VALUE),
            Field::optional("issuing_country_code", &COUNTRY)
                .about("The country whose authority issued the number (ISO 3166-1 alpha-2)."),
        ],
        rule: Some(check_identifier),
    },
    example: None,
};
static CUSTOMS_IDENTIFIER: Shape = Shape {
    name: Some("CustomsIdentifier"),
    about: "A registration number with customs.",
    kind: Kind::Object {
        fields: &[
            Field::required("entity_type", &ENTITY),
            Field::required("identifier_type", &TYPE),
            Field::required("value", &VALUE),
            Field::optional("issuing_country_code", &COUNTRY)
                .about("The country whose authority issued the number (ISO 3166-1 alpha-2)."),
        ],
        rule: Some(check_identifier),
    },
    example: None,
};
/// The tax identifiers of a shipment.
pub static TAX_IDENTIFIERS: Shape = Shape::list(
    &TAX_IDENTIFIER,
    IDENTIFIERS_MAX,
    "Tax registrations of sender, recipient or importer, for customs papers and carriers.",
);
pub(super) static CUSTOMS_IDENTIFIERS: Shape = Shape::list(
    &CUSTOMS_IDENTIFIER,
    IDENTIFIERS_MAX,
    "Registrations with customs of sender, recipient or importer, for this declaration.",
);
