//! The customs declaration: the contents, their value, and the declarant.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::identifier::{CUSTOMS_IDENTIFIERS, CustomsIdentifier};
use super::package::{MASS, normalise};
use crate::orders::order::QUANTITY;
use crate::places::address::{COUNTRY, LINE};
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Issues, Kind, MOMENT, Path, Shape, refuse_blank};
use crate::stock::inventory_item::HS_CODE;
use crate::{CountryCode, Timestamp};

/// Maximum number of lines of a declaration.
pub const ITEMS_MAX: usize = 200;
const MASS_DECIMALS: u32 = 3;

/// The customs declaration of a shipment.
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

/// The person or company that makes the declaration.
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
    /// The value of the whole line, in the smallest unit of the currency.
    pub value: i64,
    pub currency_code: Option<String>,
    /// The mass of the whole line, in kilograms.
    pub mass: Option<f64>,
    pub hs_code: Option<String>,
    pub origin_country_code: Option<CountryCode>,
    pub sku: Option<String>,
    pub manufacturer_product_id: Option<String>,
    pub standardized_product_id: Option<String>,
}

fn check_customs(customs: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let printed = ["contents_description", "restriction_description", "declaration_message"];
    refuse_blank(customs, &printed, at, issues);
    let restriction = customs.get("restriction_type").and_then(Value::as_str);
    let is_restricted = restriction.is_some_and(|restriction| restriction != "none");
    if is_restricted && !customs.contains_key("restriction_description") {
        let message = "Is required with a restriction other than `none`.";
        issues.push(Issue::new("required", format!("{at}/restriction_description"), message));
    }
}

fn check_declarant(declarant: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    refuse_blank(declarant, &["name"], at, issues);
}

fn check_item(item: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    refuse_blank(item, &["manufacturer_product_id", "standardized_product_id"], at, issues);
    normalise(item, "mass", MASS_DECIMALS);
}

pub(crate) static CONTENTS: Shape = Shape::new(
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
    "What is declared on CN22 and CN23. All but `gift` and `documents` also get a commercial invoice.",
)
.example(r#""merchandise""#);
pub(crate) static INCOTERM: Shape = Shape::new(
    Kind::OneOf(&[
        "EXW", "FCA", "CPT", "CIP", "DAP", "DPU", "DDP", "FAS", "FOB", "CFR", "CIF", "DAT", "DDU", "DAF",
        "DEQ", "DES",
    ]),
    "The trade term printed on the invoice: who pays carriage, duty and tax. `DDP`: the sender; `DAP`: the recipient pays on arrival.",
)
.example(r#""DDP""#);
static RESTRICTION: Shape = Shape::new(
    Kind::OneOf(&["none", "other", "quarantine", "sanitary_phytosanitary_inspection"]),
    "What restricts the contents. All but `none` need a `restriction_description`.",
)
.example(r#""none""#);
static TEXT: Shape = Shape::text(0, 1000, "Free text of up to 1,000 characters.");
static CERTIFY: Shape = Shape::new(
    Kind::Boolean,
    "`true`: the declarant stands for what is declared. Told to carriers that demand it.",
)
.example("true");
static DECLARANT: Shape = Shape {
    name: Some("Declarant"),
    about: "The person who signs the declaration for the sender.",
    kind: Kind::Object {
        fields: &[
            Field::optional("name", &LINE).about("Printed as the signatory on customs papers."),
            Field::optional("certify", &CERTIFY),
            Field::optional("date", &MOMENT).about("The day that is printed beside the signature."),
        ],
        rule: Some(check_declarant),
    },
    example: None,
};
static DESCRIPTION: Shape = Shape::text(1, 255, "What customs officers read: say what it is and what it is made of (`Cotton shirt`, not `Gift` or `SKU 12`).").example(r#""Cotton shirt""#);
static ITEM: Shape = Shape {
    name: Some("CustomsItem"),
    about: "One line of the declaration: things of one kind.",
    kind: Kind::Object {
        fields: &[
            Field::required("description", &DESCRIPTION),
            Field::required("quantity", &QUANTITY).about("Pieces that this line declares; `value` and `mass` are for all of them together."),
            Field::required("value", &AMOUNT).about("What the whole line is worth, in the smallest unit of its currency: two shirts at £12.99 are `2598`. It decides between CN22 and CN23."),
            Field::optional("currency_code", &CURRENCY).about("ISO 4217, in capitals. Without it the line has `options.shipping.currency_code`, else the currency of the first item that has one."),
            Field::optional("mass", &MASS).about("Kilograms of the whole line; kept as whole grams, rounded up."),
            Field::optional("hs_code", &HS_CODE).about("The customs tariff number: 6, 8 or 10 digits. Many countries refuse parcels without it."),
            Field::optional("origin_country_code", &COUNTRY).about("Where the goods were made (ISO 3166-1 alpha-2), which may differ from where they are sent from."),
            Field::optional("sku", &LINE).about("Your own number of the product. Passed on to carriers that want it as a product code."),
            Field::optional("manufacturer_product_id", &LINE).about("The maker's number of the product, which customs of the European Union ask for. Printed with the description."),
            Field::optional("standardized_product_id", &LINE).about("A number such as a GTIN or EAN, which customs of the European Union ask for. Printed with the description."),
        ],
        rule: Some(check_item),
    },
    example: None,
};
static ITEMS: Shape =
    Shape::list(&ITEM, ITEMS_MAX, "What is inside, line by line; value and mass are of the whole line.");
/// The customs declaration of a shipment.
pub static CUSTOMS: Shape = Shape {
    name: Some("Customs"),
    about: "What customs are told. Needed where the shipment leaves a customs territory.",
    kind: Kind::Object {
        fields: &[
            Field::optional("contents_type", &CONTENTS),
            Field::optional("contents_description", &TEXT)
                .about("What is inside, in a sentence. Customs papers show it where there are no `items`."),
            Field::optional("declarant", &DECLARANT),
            Field::optional("incoterm", &INCOTERM),
            Field::optional("restriction_type", &RESTRICTION),
            Field::optional("restriction_description", &TEXT)
                .about("What the restriction is. Required unless `restriction_type` is `none`."),
            Field::optional("declaration_message", &TEXT)
                .about("A statement of your own for customs, printed on their papers."),
            Field::optional("items", &ITEMS),
            Field::optional("identifiers", &CUSTOMS_IDENTIFIERS),
        ],
        rule: Some(check_customs),
    },
    example: None,
};
