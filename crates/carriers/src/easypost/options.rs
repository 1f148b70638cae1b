//! Our options in EasyPost's words, and those that EasyPost has no word for.

use model::shipping::shipment::options::{CUSTOM_MAX, LabelFormat, ShippingOptions, Signature};
use model::shipping::shipment::package::round_up;
use model::shipping::shipment::{Options, ShipmentInput};
use serde_json::{Map, Value, json};

use super::json::without_nulls;
use super::units::ounces;
use crate::options::{Table, Treatment};

use Treatment::{Informational, Passed, Refused};

const NO_INSURANCE: &str =
    "Dockside buys no insurance through EasyPost. Insure the parcel elsewhere, or choose another carrier.";

/// How EasyPost treats each option. A name in backticks is where the request has it.
pub const OPTIONS: Table = &[
    (
        "shipping.access_code",
        Refused(
            "EasyPost has no field for it. Put it into `handling_instructions` if the carrier may read it.",
        ),
    ),
    ("shipping.commercial_address", Passed("as `to_address.residential`, reversed")),
    ("shipping.currency_code", Passed("as `options.currency`")),
    ("shipping.date", Passed("as `options.label_date`")),
    (
        "shipping.delivery_confirmation",
        Informational("EasyPost tracks every parcel and reports its delivery"),
    ),
    ("shipping.dry_ice_mass", Passed("as `options.dry_ice_weight`, in ounces")),
    ("shipping.dropoff_type", Passed("as `options.dropoff_type`")),
    ("shipping.handling_instructions", Passed("as `options.handling_instructions`")),
    (
        "shipping.high_security",
        Refused("EasyPost has no such service. Choose a service of the carrier that is secured."),
    ),
    ("shipping.hold_for_pickup", Passed("as `options.hold_for_pickup`")),
    ("shipping.invalid_address_handling", Passed("as `options.endorsement`")),
    ("shipping.is_return", Passed("as `is_return`: EasyPost exchanges sender and recipient")),
    (
        "shipping.leave_safe",
        Passed("as `options.delivery_confirmation`: `NO_SIGNATURE`; refused together with a signature"),
    ),
    ("shipping.machinable", Passed("as `options.machinable`")),
    (
        "shipping.non_delivery",
        Passed("as `customs_info.non_delivery_option`; `abandon` is refused without customs data"),
    ),
    (
        "shipping.restricted_substances",
        Passed(
            "as `options.hazmat` (lithium batteries, limited quantities), `options.alcohol` or `options.dry_ice`; others are refused",
        ),
    ),
    (
        "shipping.safe_place",
        Refused(
            "EasyPost has no field for it. Put it into `handling_instructions` if the carrier may read it.",
        ),
    ),
    ("shipping.saturday_delivery", Passed("as `options.saturday_delivery`")),
    ("shipping.signature_required", Passed("as `options.delivery_confirmation`")),
    ("shipping.signature_type", Passed("as `options.delivery_confirmation`")),
    ("shipping.tracked_service", Informational("EasyPost tracks every parcel")),
    ("label.format", Passed("as `options.label_format`")),
    ("label.size", Passed("as `options.label_size`; what a carrier does not print comes in its own size")),
    ("label.custom_data.text_lines", Passed("as `options.print_custom_1` to `3`")),
    ("label.custom_data.line_codes", Passed("as `options.print_custom_1_code` to `3`")),
    (
        "label.custom_data.barcodes",
        Passed("as `options.print_custom_1_barcode` to `3`; lines and barcodes together are three at most"),
    ),
    ("insurance.value", Refused(NO_INSURANCE)),
    ("insurance.currency_code", Refused(NO_INSURANCE)),
];

/// Substances that EasyPost has a word for.
const SUBSTANCES: [&str; 5] =
    ["alcohol", "batteries_lithium_ion", "batteries_lithium_metal", "dry_ice", "limited_quantity"];

/// Returns a value, or a combination, that EasyPost can't be told.
pub fn unspeakable(details: &ShipmentInput) -> Option<(&'static str, String)> {
    let options = details.options.as_ref()?;
    let shipping = options.shipping.as_ref();
    let substances = || shipping.iter().flat_map(|shipping| shipping.restricted_substances.iter().flatten());
    if let Some(other) = substances().find(|substance| !SUBSTANCES.contains(&substance.as_str())) {
        let reason = format!("EasyPost has no word for `{other}`. It knows {}.", SUBSTANCES.join(", "));
        return Some(("shipping.restricted_substances", reason));
    }
    let is_limited = shipping.is_some_and(|shipping| shipping.has_substance("limited_quantity"));
    if is_limited && substances().any(|substance| substance.starts_with("batteries_lithium")) {
        let reason = "EasyPost takes one kind of dangerous goods: lithium batteries or a limited quantity.";
        return Some(("shipping.restricted_substances", reason.to_owned()));
    }
    if shipping.is_some_and(|shipping| shipping.leave_safe == Some(true) && shipping.signature().is_some()) {
        let reason = "EasyPost takes it or a signature. Ask for one of them.";
        return Some(("shipping.leave_safe", reason.to_owned()));
    }
    let is_abandoned = shipping.is_some_and(|shipping| shipping.non_delivery.as_deref() == Some("abandon"));
    if is_abandoned && details.customs.is_none() {
        let reason = "EasyPost takes `abandon` with customs data only. Add `customs`, or use `return`.";
        return Some(("shipping.non_delivery", reason.to_owned()));
    }
    if custom_lines(options).len() > CUSTOM_MAX {
        let reason = format!("EasyPost prints {CUSTOM_MAX} lines and barcodes together. Leave some out.");
        return Some(("label.custom_data.barcodes", reason));
    }
    None
}

/// The `options` of a request.
pub fn options_body(details: &ShipmentInput, format: LabelFormat) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| _ = body.insert(name.to_owned(), value);
    put("label_format", json!(format.as_str().to_ascii_uppercase()));
    let incoterm = details.customs.as_ref().and_then(|customs| customs.incoterm.as_deref());
    put("incoterm", json!(incoterm));
    if let Some(options) = &details.options {
        put("label_size", json!(options.label.as_ref().and_then(|label| label.size.as_deref())));
        for (number, line) in (1..).zip(custom_lines(options)) {
            put(&format!("print_custom_{number}"), json!(line.text));
            put(&format!("print_custom_{number}_code"), json!(line.code));
            put(&format!("print_custom_{number}_barcode"), json!(line.is_barcode.then_some(true)));
        }
        if let Some(shipping) = &options.shipping {
            shipping_options(shipping, put);
        }
    }
    without_nulls(Value::Object(body))
}

/// Whether the customer's address is a home; EasyPost asks the other way round.
pub fn is_residential(details: &ShipmentInput) -> Option<bool> {
    let shipping = details.options.as_ref()?.shipping.as_ref()?;
    shipping.commercial_address.map(|is_commercial| !is_commercial)
}

/// A line of the customer's own on a label.
struct CustomLine<'a> {
    text: &'a str,
    code: Option<&'a str>,
    is_barcode: bool,
}

/// Lines with their codes first, then barcodes: EasyPost makes a barcode of a line's own text.
fn custom_lines(options: &Options) -> Vec<CustomLine<'_>> {
    let Some(data) = options.label.as_ref().and_then(|label| label.custom_data.as_ref()) else {
        return Vec::new();
    };
    let [texts, codes] = [&data.text_lines, &data.line_codes].map(|list| list.as_deref().unwrap_or_default());
    let mut lines = Vec::new();
    for place in 0..texts.len().max(codes.len()) {
        let text = texts.get(place).map(String::as_str).unwrap_or_default();
        let code = codes.get(place).map(String::as_str).filter(|code| !code.is_empty());
        if !text.is_empty() || code.is_some() {
            lines.push(CustomLine { text, code, is_barcode: false });
        }
    }
    let barcodes = data.barcodes.iter().flatten().filter(|text| !text.is_empty());
    lines.extend(barcodes.map(|text| CustomLine { text, code: None, is_barcode: true }));
    lines
}

fn shipping_options(ours: &ShippingOptions, mut put: impl FnMut(&str, Value)) {
    let has = |substance: &str| ours.has_substance(substance).then_some(true);
    let ice = ours.dry_ice_mass.filter(|mass| *mass > 0.0);
    let is_lithium = has("batteries_lithium_ion").or_else(|| has("batteries_lithium_metal"));
    let hazmat =
        has("limited_quantity").map(|_| "LIMITED_QUANTITY").or_else(|| is_lithium.map(|_| "LITHIUM"));
    put("hold_for_pickup", json!(ours.hold_for_pickup));
    put("machinable", json!(ours.machinable));
    put("saturday_delivery", json!(ours.saturday_delivery));
    put("handling_instructions", json!(ours.handling_instructions));
    put("dropoff_type", json!(ours.dropoff_type.as_deref().map(str::to_ascii_uppercase)));
    put("endorsement", json!(ours.invalid_address_handling.as_deref().and_then(endorsement)));
    put("delivery_confirmation", json!(confirmation(ours)));
    put("currency", json!(ours.currency_code));
    put("label_date", json!(ours.date.map(|date| date.to_string())));
    put("dry_ice", json!(ice.map(|_| true).or_else(|| has("dry_ice"))));
    put("dry_ice_weight", json!(ice.map(|mass| ounces(round_up(mass, 3)))));
    put("alcohol", json!(has("alcohol")));
    put("hazmat", json!(hazmat));
}

fn endorsement(ours: &str) -> Option<&'static str> {
    Some(match ours {
        "forward_or_return" => "FORWARDING_SERVICE_REQUESTED",
        "forward_and_notify" => "ADDRESS_SERVICE_REQUESTED",
        "return" => "RETURN_SERVICE_REQUESTED",
        "discard_and_notify" => "CHANGE_SERVICE_REQUESTED",
        "leave_if_no_response" => "LEAVE_IF_NO_RESPONSE",
        _ => return None,
    })
}

fn confirmation(options: &ShippingOptions) -> Option<&'static str> {
    let is_left = options.leave_safe == Some(true) || options.signature_type.as_deref() == Some("none");
    match options.signature() {
        Some(Signature::Adult) => Some("ADULT_SIGNATURE"),
        Some(Signature::Direct) => Some("DIRECT_SIGNATURE"),
        Some(Signature::Indirect) => Some("INDIRECT_SIGNATURE"),
        Some(Signature::Standard) => Some("SIGNATURE"),
        None => is_left.then_some("NO_SIGNATURE"),
    }
}
