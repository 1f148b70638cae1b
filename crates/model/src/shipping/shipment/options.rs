//! Options for transport, labels and insurance of a shipment.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::package::normalise;
use crate::Timestamp;
use crate::places::address::LINE;
use crate::platform::money::{AMOUNT, CURRENCY};
use crate::platform::problem::Issue;
use crate::platform::shape::{Field, Issues, Kind, MOMENT, Path, Shape, refuse_blank};

/// Maximum number of custom lines, of custom codes and of custom barcodes on a label.
pub const CUSTOM_MAX: usize = 3;
const MASS_DECIMALS: u32 = 3;

/// The options of a shipment.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Options {
    pub shipping: Option<ShippingOptions>,
    pub label: Option<LabelOptions>,
    pub insurance: Option<Insurance>,
}

/// The options for transport.
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

/// The kind of signature on delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// Signature of any person who opens the door.
    Standard,
    /// Signature of a person at the address, or of a neighbour.
    Indirect,
    /// Signature of a person at the address.
    Direct,
    /// Signature of an adult.
    Adult,
}

impl ShippingOptions {
    /// Returns the requested signature: the stricter of `signature_required` and `signature_type`.
    ///
    /// A client that sends every field sends `signature_type: "standard"` with `signature_required: false`, which
    /// requests none.
    pub fn signature(&self) -> Option<Signature> {
        match self.signature_type.as_deref() {
            Some("adult") => Some(Signature::Adult),
            Some("direct" | "certified") => Some(Signature::Direct),
            Some("indirect") => Some(Signature::Indirect),
            Some("standard" | "carrier_confirmation") if self.signature_required != Some(false) => {
                Some(Signature::Standard)
            }
            _ if self.signature_required == Some(true) => Some(Signature::Standard),
            _ => None,
        }
    }

    /// Returns whether the shipment contains this substance.
    pub fn has_substance(&self, name: &str) -> bool {
        self.restricted_substances.iter().flatten().any(|substance| substance == name)
    }
}

/// The options for labels.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct LabelOptions {
    pub format: Option<LabelFormat>,
    pub size: Option<String>,
    pub custom_data: Option<CustomData>,
}

/// The file formats of labels.
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

    /// Returns the media type of a file in this format.
    pub fn media_type(self) -> &'static str {
        match self {
            LabelFormat::Png => "image/png",
            LabelFormat::Zpl => "application/zpl",
            LabelFormat::Pdf => "application/pdf",
        }
    }
}

/// The customer's own data on the label.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct CustomData {
    pub text_lines: Option<Vec<String>>,
    pub line_codes: Option<Vec<String>>,
    pub barcodes: Option<Vec<String>>,
}

/// The insurance of a shipment.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Insurance {
    pub value: i64,
    pub currency_code: Option<String>,
}

fn normalise_shipping(options: &mut Map<String, Value>, _at: &Path<'_>, _issues: &mut Issues) {
    normalise(options, "dry_ice_mass", MASS_DECIMALS);
}

fn check_custom(custom: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    refuse_blank(custom, &["text_lines", "line_codes", "barcodes"], at, issues);
}

/// Rejects sheet sizes for label printers, which would silently print something else.
fn check_label(label: &mut Map<String, Value>, at: &Path<'_>, issues: &mut Issues) {
    let text = |name: &str| label.get(name).and_then(Value::as_str);
    if text("format") == Some("zpl") && matches!(text("size"), Some("a5" | "a4" | "letter")) {
        let message =
            "Printers that read ZPL print 4x6, 4x8 or a6. Choose one of these, or the format pdf or png.";
        issues.push(Issue::new("invalid_value", format!("{at}/size"), message));
    }
}

static FLAG: Shape =
    Shape::new(Kind::Boolean, "`true` asks the carrier for it; without it, the carrier does as usual.")
        .example("true");
static TEXT: Shape = Shape::text(0, 1000, "Free text of up to 1,000 characters.");
static DRY_ICE: Shape =
    Shape::new(Kind::Number { min: 0.0, max: 1000.0 }, "Kilograms of dry ice in the parcel; kept as whole grams, rounded up. Carriers must declare it to airlines.").example("0.5");
static DROPOFF: Shape = Shape::new(
    Kind::OneOf(&["regular_pickup", "scheduled_pickup", "retail_location", "station", "drop_box"]),
    "How the parcel comes to the carrier: it is collected, or you take it somewhere.",
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
    "What the carrier does with a parcel whose address turns out to be wrong.",
)
.example(r#""forward_or_return""#);
static NON_DELIVERY: Shape = Shape::new(
    Kind::OneOf(&["return", "abandon"]),
    "What becomes of a parcel that can't be delivered: sent back, or given up. Printed on CN23.",
)
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
    "A class of goods that carriers restrict.",
)
.example(r#""batteries_lithium_ion""#);
static SUBSTANCES: Shape = Shape::list(
    &SUBSTANCE,
    9,
    "Restricted goods in the parcel. Carriers may refuse it, or demand a service that takes them.",
);
pub(crate) static SIGNATURE: Shape = Shape::new(
    Kind::OneOf(&["standard", "adult", "direct", "indirect", "certified", "carrier_confirmation", "none"]),
    "Who must sign at the door, such as an `adult`. Counts more than `signature_required`; `none` asks for no signature.",
)
.example(r#""standard""#);
static SHIPPING: Shape = Shape {
    name: Some("ShippingOptions"),
    about: "What the carrier is asked to do beyond carrying: dates, signatures, Saturday delivery.",
    kind: Kind::Object {
        fields: &[
            Field::optional("access_code", &LINE).about("The code that opens the recipient's door or gate, for the driver."),
            Field::optional("commercial_address", &FLAG).about("`true`: the destination is a business, `false`: a home. Some carriers charge more for homes."),
            Field::optional("currency_code", &CURRENCY).about("ISO 4217, in capitals: the currency of customs items that name none, and the one that carriers are asked to quote in."),
            Field::optional("date", &MOMENT).about("The day on which you hand the parcel over: printed on the label, told to the carrier, and the day of its manifest. Without it, the day on which it is bought (UTC)."),
            Field::optional("delivery_confirmation", &FLAG).about("`true` asks for a confirmation of delivery, such as a scan at the door."),
            Field::optional("dry_ice_mass", &DRY_ICE),
            Field::optional("dropoff_type", &DROPOFF),
            Field::optional("handling_instructions", &TEXT).about("What those who handle the parcel should know, such as `Keep upright`."),
            Field::optional("high_security", &FLAG).about("`true` asks for the carrier's secured handling of valuable goods."),
            Field::optional("hold_for_pickup", &FLAG).about("`true`: the parcel waits at the carrier's counter for the recipient instead of being delivered."),
            Field::optional("invalid_address_handling", &ADDRESS_HANDLING),
            Field::optional("is_return", &FLAG).about("`true`: the parcel travels back, from the destination to the return address."),
            Field::optional("leave_safe", &FLAG).about("`true` allows the driver to leave the parcel in a safe place if no one answers the door."),
            Field::optional("machinable", &FLAG).about("`false`: the parcel is too soft, round or fragile for sorting machines. Carriers charge more for it."),
            Field::optional("non_delivery", &NON_DELIVERY),
            Field::optional("restricted_substances", &SUBSTANCES),
            Field::optional("safe_place", &LINE).about("Where the driver may leave the parcel, such as `Porch`."),
            Field::optional("saturday_delivery", &FLAG).about("`true` asks for delivery on a Saturday. It costs extra, and the rates include that."),
            Field::optional("signature_required", &FLAG).about("`true`: the driver asks for a signature at the door. It costs extra, and the rates include that."),
            Field::optional("signature_type", &SIGNATURE),
            Field::optional("tracked_service", &FLAG).about("`true`: the parcel must be scanned on its way, so that the recipient can follow it."),
        ],
        rule: Some(normalise_shipping),
    },
    example: None,
};
/// The format of a label.
pub static LABEL_FORMAT: Shape =
    Shape::new(Kind::OneOf(&["png", "zpl", "pdf"]), "`png` (black and white, 203 dpi), `pdf` with a page for each package, or `zpl` for label printers. Defaults to `png`.")
        .example(r#""pdf""#);
static LABEL_SIZE: Shape =
    Shape::new(Kind::OneOf(&["4x6", "4x8", "a6", "a5", "a4", "letter"]), "The paper in inches or of a standard. The drawing stays 4 by 6 inches on all of them, so that barcodes stay sharp. Defaults to `4x6`.")
        .example(r#""4x6""#);
static CUSTOM_LINE: Shape =
    Shape::text(0, 100, "Up to 100 characters; what has no room is shortened.").example(r#""Order 1042""#);
static CUSTOM_LINES: Shape =
    Shape::list(&CUSTOM_LINE, CUSTOM_MAX, "Up to three, printed from top to bottom.");
static CUSTOM: Shape = Shape {
    name: Some("CustomData"),
    about: "Your own text and barcodes on labels that Dockside draws. A carrier's own label stays as it came.",
    kind: Kind::Object {
        fields: &[
            Field::optional("text_lines", &CUSTOM_LINES)
                .about("Up to three lines of text, such as an order number."),
            Field::optional("line_codes", &CUSTOM_LINES)
                .about("A word before each of `text_lines`, in the same order."),
            Field::optional("barcodes", &CUSTOM_LINES).about(
                "Up to three texts as Code 128. What does not fit, or is not ASCII, is printed as text instead.",
            ),
        ],
        rule: Some(check_custom),
    },
    example: None,
};
static LABEL: Shape = Shape {
    name: Some("LabelOptions"),
    about: "Format, paper and additions of the label.",
    kind: Kind::Object {
        fields: &[
            Field::optional("format", &LABEL_FORMAT),
            Field::optional("size", &LABEL_SIZE),
            Field::optional("custom_data", &CUSTOM),
        ],
        rule: Some(check_label),
    },
    example: None,
};
pub(crate) static INSURANCE: Shape = Shape::object(
    "Insurance",
    &[Field::required("value", &AMOUNT).about("What the contents are worth, in the smallest unit of the currency: `1299` with `GBP` is £12.99."), Field::optional("currency_code", &CURRENCY).about("ISO 4217, in capitals. Without it, the currency of the shipment (`options.shipping.currency_code`).")],
    "The cover you want for the contents while they travel.",
);
/// The options of a shipment.
pub static OPTIONS: Shape = Shape::object(
    "ShipmentOptions",
    &[
        Field::optional("shipping", &SHIPPING),
        Field::optional("label", &LABEL),
        Field::optional("insurance", &INSURANCE),
    ],
    "How the shipment is to be carried, labelled and insured.",
);
