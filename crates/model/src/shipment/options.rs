//! Options: how a shipment is to be carried, labelled and insured.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::package::normalise;
use crate::Timestamp;
use crate::location::LINE;
use crate::money::{AMOUNT, CURRENCY};
use crate::problem::Issue;
use crate::shape::{Field, Kind, MOMENT, Shape};

/// Most lines, codes and barcodes of the customer's own on a label.
pub const CUSTOM_MAX: usize = 3;
const MASS_DECIMALS: u32 = 3;

/// How a shipment is to be handled.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Options {
    pub shipping: Option<ShippingOptions>,
    pub label: Option<LabelOptions>,
    pub insurance: Option<Insurance>,
}

/// How it is to be carried.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct ShippingOptions {
    pub access_code: Option<String>,
    pub commercial_address: Option<bool>,
    pub currency_code: Option<String>,
    pub date: Option<Timestamp>,
    pub delivery_confirmation: Option<bool>,
    pub dry_ice_mass: Option<f64>,
    pub dropoff_type: Option<String>,
    pub handling_instructions: Option<String>,
    pub high_security: Option<bool>,
    pub hold_for_pickup: Option<bool>,
    pub invalid_address_handling: Option<String>,
    pub is_return: Option<bool>,
    pub leave_safe: Option<bool>,
    pub machinable: Option<bool>,
    pub non_delivery: Option<String>,
    pub restricted_substances: Option<Vec<String>>,
    pub safe_place: Option<String>,
    pub saturday_delivery: Option<bool>,
    pub signature_required: Option<bool>,
    pub signature_type: Option<String>,
    pub tracked_service: Option<bool>,
}

/// What its label looks like.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct LabelOptions {
    pub format: Option<LabelFormat>,
    pub size: Option<String>,
    pub custom_data: Option<CustomData>,
}

/// The formats of labels.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum LabelFormat {
    Png,
    Zpl,
    Pdf,
}

impl LabelFormat {
    pub const ALL: [LabelFormat; 3] = [LabelFormat::Png, LabelFormat::Zpl, LabelFormat::Pdf];

    pub fn as_str(self) -> &'static str {
        match self {
            LabelFormat::Png => "png",
            LabelFormat::Zpl => "zpl",
            LabelFormat::Pdf => "pdf",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == word)
    }

    /// The media type of a file of this format.
    pub fn media_type(self) -> &'static str {
        match self {
            LabelFormat::Png => "image/png",
            LabelFormat::Zpl => "application/zpl",
            LabelFormat::Pdf => "application/pdf",
        }
    }
}

/// What the customer wants on the label beside the rest.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct CustomData {
    pub text_lines: Option<Vec<String>>,
    pub line_codes: Option<Vec<String>>,
    pub barcodes: Option<Vec<String>>,
}

/// What it is insured for.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Insurance {
    pub value: i64,
    pub currency_code: Option<String>,
}

fn normalise_shipping(options: &mut Map<String, Value>, _at: &str, _issues: &mut Vec<Issue>) {
    normalise(options, "dry_ice_mass", MASS_DECIMALS);
}

static FLAG: Shape = Shape::new(Kind::Boolean, "Whether it is wanted.").example("true");
static TEXT: Shape = Shape::text(0, 1000, "A text.");
static DRY_ICE: Shape =
    Shape::new(Kind::Number { min: 0.0, max: 1000.0 }, "Kilograms of dry ice.").example("0.5");
static DROPOFF: Shape = Shape::new(
    Kind::OneOf(&["regular_pickup", "scheduled_pickup", "retail_location", "station", "drop_box"]),
    "How the carrier gets it.",
)
.example(r#""regular_pickup""#);
static ADDRESS_HANDLING: Shape = Shape::new(
    Kind::OneOf(&[
        "forward_or_return",
        "forward_and_notify",
        "return",
        "discard_and_notify",
        "leave_if_no_response",
    ]),
    "What the carrier does where the address is wrong.",
)
.example(r#""forward_or_return""#);
static NON_DELIVERY: Shape =
    Shape::new(Kind::OneOf(&["return", "abandon"]), "What becomes of it where it can't be delivered.")
        .example(r#""return""#);
static SUBSTANCE: Shape = Shape::new(
    Kind::OneOf(&[
        "alcohol",
        "batteries_lithium_ion",
        "batteries_lithium_metal",
        "dry_ice",
        "biological",
        "flammable",
        "limited_quantity",
        "tobacco",
        "other",
    ]),
    "A substance that may not travel just so.",
)
.example(r#""batteries_lithium_ion""#);
static SUBSTANCES: Shape = Shape::list(&SUBSTANCE, 9, "Substances that may not travel just so.");
static SIGNATURE: Shape = Shape::new(
    Kind::OneOf(&["standard", "adult", "direct", "indirect", "certified", "carrier_confirmation", "none"]),
    "Whose signature is wanted.",
)
.example(r#""standard""#);
static SHIPPING: Shape = Shape {
    name: Some("ShippingOptions"),
    about: "How it is to be carried.",
    kind: Kind::Object {
        fields: &[
            Field::optional("access_code", &LINE),
            Field::optional("commercial_address", &FLAG),
            Field::optional("currency_code", &CURRENCY),
            Field::optional("date", &MOMENT),
            Field::optional("delivery_confirmation", &FLAG),
            Field::optional("dry_ice_mass", &DRY_ICE),
            Field::optional("dropoff_type", &DROPOFF),
            Field::optional("handling_instructions", &TEXT),
            Field::optional("high_security", &FLAG),
            Field::optional("hold_for_pickup", &FLAG),
            Field::optional("invalid_address_handling", &ADDRESS_HANDLING),
            Field::optional("is_return", &FLAG),
            Field::optional("leave_safe", &FLAG),
            Field::optional("machinable", &FLAG),
            Field::optional("non_delivery", &NON_DELIVERY),
            Field::optional("restricted_substances", &SUBSTANCES),
            Field::optional("safe_place", &LINE),
            Field::optional("saturday_delivery", &FLAG),
            Field::optional("signature_required", &FLAG),
            Field::optional("signature_type", &SIGNATURE),
            Field::optional("tracked_service", &FLAG),
        ],
        rule: Some(normalise_shipping),
    },
    example: None,
};
/// The format of a label.
pub static LABEL_FORMAT: Shape =
    Shape::new(Kind::OneOf(&["png", "zpl", "pdf"]), "`png` is recommended unless another format is needed.")
        .example(r#""pdf""#);
static LABEL_SIZE: Shape =
    Shape::new(Kind::OneOf(&["4x6", "4x8", "a6", "a5", "a4", "letter"]), "The size of the paper.")
        .example(r#""4x6""#);
static CUSTOM_LINE: Shape = Shape::text(0, 100, "A line on the label.").example(r#""Order 1042""#);
static CUSTOM_LINES: Shape = Shape::list(&CUSTOM_LINE, CUSTOM_MAX, "At most three.");
static CUSTOM: Shape = Shape::object(
    "CustomData",
    &[
        Field::optional("text_lines", &CUSTOM_LINES),
        Field::optional("line_codes", &CUSTOM_LINES),
        Field::optional("barcodes", &CUSTOM_LINES),
    ],
    "What you want on the label beside the rest.",
);
static LABEL: Shape = Shape::object(
    "LabelOptions",
    &[
        Field::optional("format", &LABEL_FORMAT),
        Field::optional("size", &LABEL_SIZE),
        Field::optional("custom_data", &CUSTOM),
    ],
    "What the label looks like.",
);
static INSURANCE: Shape = Shape::object(
    "Insurance",
    &[Field::required("value", &AMOUNT), Field::optional("currency_code", &CURRENCY)],
    "What it is insured for.",
);
/// How a shipment is to be handled.
pub static OPTIONS: Shape = Shape::object(
    "ShipmentOptions",
    &[
        Field::optional("shipping", &SHIPPING),
        Field::optional("label", &LABEL),
        Field::optional("insurance", &INSURANCE),
    ],
    "How the shipment is to be carried, labelled and insured.",
);
