//! Our options in DHL's words, and those that DHL has no word for.

use model::platform::money::show_amount;
use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::options::{LabelFormat, Options, ShippingOptions, Signature};
use serde_json::{Value, json};

use super::json::without_nulls;
use super::route::{Route, is_bulky, is_home, shipping};
use super::services::{Reach, Service};
use crate::options::{Table, Treatment};

use Treatment::{Effect, Informational, Passed, Refused};

/// Characters of the line that is printed beside our reference, and of a place at which a parcel is left.
const LINE_CHARS: usize = 50;
const PLACE_CHARS: usize = 100;
/// The only currency in which DHL insures.
const INSURED_IN: &str = "EUR";
/// The most that DHL insures, in cents.
const INSURED_MAX: i64 = 2_500_000;

const NO_FIELD: Treatment = Refused("DHL has no field for it.");

/// How DHL treats each option. A name in backticks is where the request has it, below a shipment.
pub const OPTIONS: Table = &[
    ("shipping.access_code", NO_FIELD),
    ("shipping.commercial_address", Informational("DHL charges the same for homes and companies")),
    ("shipping.currency_code", Effect("the currency of customs items that name none")),
    ("shipping.date", Passed("as `shipDate`, which DHL takes a few days ahead")),
    (
        "shipping.delivery_confirmation",
        Informational("DHL reports the delivery of the parcels that it tracks"),
    ),
    ("shipping.dry_ice_mass", Refused("DHL takes dry ice with data that Dockside does not have.")),
    ("shipping.dropoff_type", Informational("DHL charges the same wherever it gets the parcel")),
    ("shipping.handling_instructions", NO_FIELD),
    ("shipping.high_security", Refused("DHL has no secured handling. Insure the parcel.")),
    (
        "shipping.hold_for_pickup",
        Refused(
            "DHL keeps parcels at Packstations and post offices: write one into the destination's address.",
        ),
    ),
    ("shipping.invalid_address_handling", Refused("DHL brings back what it can't deliver.")),
    ("shipping.is_return", Effect("a label of DHL Retoure, to the receiver that DHL has for the account")),
    (
        "shipping.leave_safe",
        Refused(
            "DHL leaves a parcel at a place that it is told. Name it in `safe_place`, and leave this out.",
        ),
    ),
    ("shipping.machinable", Effect("`false` sends bulky goods (`services.bulkyGoods`)")),
    ("shipping.non_delivery", Passed("as `services.endorsement`; refused within Germany")),
    ("shipping.restricted_substances", Refused("DHL takes them with data that Dockside does not have.")),
    ("shipping.safe_place", Passed("as `services.preferredLocation`; refused abroad and for returns")),
    ("shipping.saturday_delivery", Informational("DHL delivers on Saturdays as on other days")),
    (
        "shipping.signature_required",
        Passed("as `services.signedForByRecipient`; refused abroad and for returns"),
    ),
    (
        "shipping.signature_type",
        Passed(
            "as `services.visualCheckOfAge` (an adult's), `services.namedPersonOnly` or `services.signedForByRecipient`; refused \
             abroad and for returns",
        ),
    ),
    (
        "shipping.tracked_service",
        Effect(
            "DHL tracks parcels; Warenpost International, which is not tracked all the way, is not offered",
        ),
    ),
    ("label.format", Effect("DHL makes PDF or ZPL; returns have PDF only")),
    (
        "label.size",
        Effect(
            "`4x6` and `a6` are DHL's paper of 103 by 150 mm, `4x8` of 103 by 199 mm, `a5` and `a4` sheets; `letter` is refused",
        ),
    ),
    (
        "label.custom_data.text_lines",
        Passed("as `costCenter`; refused if there are several lines, more than 50 characters, or a return"),
    ),
    ("label.custom_data.line_codes", Refused("DHL prints no words before a line. Leave the codes out.")),
    ("label.custom_data.barcodes", Refused("DHL prints its own barcodes. Leave them out.")),
    (
        "insurance.value",
        Passed("as `services.additionalInsurance`; up to €25,000; refused for returns and several packages"),
    ),
    ("insurance.currency_code", Effect("DHL insures in euros; another currency is refused")),
];

/// Returns a value, or a combination, that DHL can't be told.
pub fn unspeakable(details: &ShipmentInput) -> Option<(&'static str, String)> {
    let options = details.options.as_ref()?;
    let refuse = |option, reason: &str| Some((option, reason.to_owned()));
    let is_domestic = !details.is_return() && is_home(&details.addresses.destination);
    let shipping = options.shipping.as_ref();
    if shipping.and_then(ShippingOptions::signature).is_some() && !is_domestic {
        return refuse("shipping.signature_type", "DHL takes it for parcels within Germany.");
    }
    if let Some(place) = safe_place(details)
        && (!is_domestic || place.chars().count() > PLACE_CHARS)
    {
        return refuse("shipping.safe_place", "DHL takes 100 characters, for parcels within Germany.");
    }
    if is_abandoned(details) && (is_domestic || details.is_return()) {
        return refuse(
            "shipping.non_delivery",
            "DHL brings back what it can't deliver in Germany. Use `return`.",
        );
    }
    if let Some((option, reason)) = unspeakable_label(details, options) {
        return refuse(option, reason);
    }
    unspeakable_insurance(details, options).and_then(|(option, reason)| refuse(option, reason))
}

fn unspeakable_label(details: &ShipmentInput, options: &Options) -> Option<(&'static str, &'static str)> {
    let label = options.label.as_ref();
    if label.and_then(|label| label.size.as_deref()) == Some("letter") {
        return Some(("label.size", "DHL prints on A4, A5 and on labels of 103 mm."));
    }
    if details.is_return() && label.and_then(|label| label.format) == Some(LabelFormat::Zpl) {
        return Some(("label.format", "DHL makes labels of returns as PDF only."));
    }
    let lines = lines(options);
    let is_long = lines.len() > 1 || lines.iter().any(|line| line.chars().count() > LINE_CHARS);
    (is_long || !lines.is_empty() && details.is_return()).then_some((
        "label.custom_data.text_lines",
        "DHL prints one line of 50 characters, and none for returns.",
    ))
}

fn unspeakable_insurance(details: &ShipmentInput, options: &Options) -> Option<(&'static str, &'static str)> {
    let value = insured(options)?;
    let currency = options.insurance.as_ref().and_then(|insurance| insurance.currency_code.as_deref());
    let currency = currency.or_else(|| options.shipping.as_ref()?.currency_code.as_deref());
    if currency.is_some_and(|currency| currency != INSURED_IN) {
        return Some(("insurance.currency_code", "DHL insures in euros. Use `EUR`."));
    }
    let is_wrong = value > INSURED_MAX || details.is_return() || details.packages.len() > 1;
    is_wrong.then_some(("insurance.value", "DHL insures one parcel for up to €25,000, and no returns."))
}

fn lines(options: &Options) -> Vec<&str> {
    let data = options.label.as_ref().and_then(|label| label.custom_data.as_ref());
    let lines = data.and_then(|data| data.text_lines.as_deref()).unwrap_or_default();
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect()
}

fn insured(options: &Options) -> Option<i64> {
    Some(options.insurance.as_ref()?.value).filter(|value| *value > 0)
}

fn safe_place(details: &ShipmentInput) -> Option<&str> {
    shipping(details)?.safe_place.as_deref().map(str::trim).filter(|place| !place.is_empty())
}

fn is_abandoned(details: &ShipmentInput) -> bool {
    shipping(details).is_some_and(|shipping| shipping.non_delivery.as_deref() == Some("abandon"))
}

/// The customer's own line on the label.
pub fn custom_line(details: &ShipmentInput) -> Option<&str> {
    lines(details.options.as_ref()?).into_iter().next()
}

/// DHL's paper for the wanted size of the label, if one is wanted.
pub fn print_format(details: &ShipmentInput) -> Option<&'static str> {
    match details.options.as_ref()?.label.as_ref()?.size.as_deref()? {
        "4x6" | "a6" => Some("910-300-400"),
        "4x8" => Some("910-300-600"),
        "a5" => Some("910-300-700"),
        "a4" => Some("A4"),
        _ => None,
    }
}

/// The services beyond carrying, if there are any.
pub fn services(route: &Route<'_>, service: &Service) -> Option<Value> {
    let details = route.details;
    let signature = shipping(details).and_then(ShippingOptions::signature);
    let is_paid_duty = details
        .customs
        .as_ref()
        .is_some_and(|customs| customs.incoterm.as_deref() == Some("DDP") && route.is_declared());
    let value = details.options.as_ref().and_then(insured);
    let endorsement = if is_abandoned(details) { "ABANDON" } else { "RETURN" };
    let is_abroad = service.reach == Reach::Abroad;
    let signed = matches!(signature, Some(Signature::Standard | Signature::Indirect));
    let services = without_nulls(json!({
        "preferredLocation": safe_place(details),
        "visualCheckOfAge": (signature == Some(Signature::Adult)).then_some("A18"),
        "namedPersonOnly": (signature == Some(Signature::Direct)).then_some(true),
        "signedForByRecipient": signed.then_some(true),
        "endorsement": is_abroad.then_some(endorsement),
        "additionalInsurance": value.map(|value| money(value, INSURED_IN)),
        "bulkyGoods": is_bulky(details).then_some(true),
        "premium": service.is_premium,
        "postalDeliveryDutyPaid": (is_paid_duty && service.product == "V53WPAK").then_some(true),
    }));
    (services != json!({})).then_some(services)
}

/// An amount as DHL takes it: a number of the currency's larger unit.
pub fn money(amount: i64, currency: &str) -> Value {
    // A text of digits and a point is a number in JSON.
    let value: Value = serde_json::from_str(&show_amount(amount, currency)).unwrap_or_default();
    json!({"currency": currency, "value": value})
}
