//! Our options in USPS's words, and those that USPS has no word for.

use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::options::{Options, ShippingOptions, Signature};

use crate::options::{Table, Treatment};

use super::party::is_domestic;

use Treatment::{Effect, Informational, Passed, Refused};

/// Characters of a line that is printed as a reference.
const LINE_CHARS: usize = 30;
/// The currency of all of USPS's amounts.
pub const CURRENCY: &str = "USD";
/// The insured value up to which one extra service holds, in cents.
const INSURED_LOW: i64 = 50_000;
/// The most that USPS insures, in cents.
const INSURED_MAX: i64 = 500_000;

const TRACKING: u32 = 920;
const SIGNATURE: u32 = 921;
const ADULT_SIGNATURE: u32 = 922;
const EXPRESS_SIGNATURE: u32 = 981;
const INSURANCE_LOW: u32 = 930;
const INSURANCE_HIGH: u32 = 931;

const NO_FIELD: Treatment = Refused("USPS has no field for it.");

/// How USPS treats each option. A name in backticks is where the request has it, below `packageDescription`.
pub const OPTIONS: Table = &[
    ("shipping.access_code", NO_FIELD),
    ("shipping.commercial_address", Informational("USPS charges the same for homes and companies")),
    (
        "shipping.currency_code",
        Effect(
            "the currency of customs items that name none; declarations in another than `USD` are refused",
        ),
    ),
    ("shipping.date", Passed("as `mailingDate`, which USPS takes up to seven days ahead")),
    ("shipping.delivery_confirmation", Informational("USPS tracks every parcel and reports its delivery")),
    ("shipping.dry_ice_mass", Refused("USPS takes dry ice with data that Dockside does not have.")),
    ("shipping.dropoff_type", Informational("USPS charges the same wherever it gets the parcel")),
    ("shipping.handling_instructions", NO_FIELD),
    ("shipping.high_security", Refused("USPS secures registered mail only, which is bought at a counter.")),
    (
        "shipping.hold_for_pickup",
        Refused("USPS keeps a parcel at a post office that a shipment does not name."),
    ),
    ("shipping.invalid_address_handling", Refused("USPS brings back what it can't deliver.")),
    ("shipping.is_return", Effect("a return label: USPS charges it once the customer has mailed it")),
    (
        "shipping.leave_safe",
        Informational("USPS leaves a parcel where it is safe unless a signature is asked for"),
    ),
    ("shipping.machinable", Effect("`false` mails the parcel as `NONSTANDARD`")),
    ("shipping.non_delivery", Refused("USPS brings back what it can't deliver. Use `return`.")),
    (
        "shipping.restricted_substances",
        Refused("USPS takes them with data that Dockside does not have. Mail them at a counter."),
    ),
    ("shipping.safe_place", NO_FIELD),
    ("shipping.saturday_delivery", Informational("USPS delivers on Saturdays as on other days")),
    ("shipping.signature_required", Passed("as `extraServices`; refused abroad and for returns")),
    ("shipping.signature_type", Passed("as `extraServices`: an adult's, or any signature")),
    ("shipping.tracked_service", Informational("USPS tracks every parcel")),
    ("label.format", Effect("USPS makes PDF or ZPL (203 dpi)")),
    ("label.size", Informational("USPS's labels are 4 by 6 inches")),
    (
        "label.custom_data.text_lines",
        Passed("as `customerReference`; refused if there are several lines or more than 30 characters"),
    ),
    (
        "label.custom_data.line_codes",
        Refused("USPS prints no words before a reference. Leave the codes out."),
    ),
    ("label.custom_data.barcodes", Refused("USPS prints its own barcodes. Leave them out.")),
    ("insurance.value", Passed("as `packageOptions.packageValue` and `extraServices`; up to $5,000")),
    ("insurance.currency_code", Effect("USPS insures in dollars; another currency is refused")),
];

/// Returns a value, or a combination, that USPS can't be told.
pub fn unspeakable(details: &ShipmentInput) -> Option<(&'static str, String)> {
    let options = details.options.as_ref()?;
    let refuse = |option, reason: &str| Some((option, reason.to_owned()));
    let signature = options.shipping.as_ref().and_then(ShippingOptions::signature);
    if signature.is_some() && (details.is_return() || !is_domestic(&details.addresses.destination)) {
        return refuse(
            "shipping.signature_type",
            "USPS takes it for parcels within the country, not for returns.",
        );
    }
    if let Some(value) = insured(options) {
        let currency = options.insurance.as_ref().and_then(|insurance| insurance.currency_code.as_deref());
        let currency = currency.or_else(|| options.shipping.as_ref()?.currency_code.as_deref());
        if currency.is_some_and(|currency| currency != CURRENCY) {
            return refuse("insurance.currency_code", "USPS insures in dollars. Use `USD`.");
        }
        if value > INSURED_MAX || details.is_return() {
            return refuse("insurance.value", "USPS insures up to $5,000, and no returns.");
        }
    }
    let lines = lines(options);
    if lines.len() > 1 || lines.iter().any(|line| line.chars().count() > LINE_CHARS) {
        return refuse("label.custom_data.text_lines", "USPS prints one line of 30 characters.");
    }
    None
}

fn lines(options: &Options) -> Vec<&str> {
    let data = options.label.as_ref().and_then(|label| label.custom_data.as_ref());
    let lines = data.and_then(|data| data.text_lines.as_deref()).unwrap_or_default();
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect()
}

/// The customer's own line on the label.
pub fn custom_line(details: &ShipmentInput) -> Option<&str> {
    lines(details.options.as_ref()?).into_iter().next()
}

fn insured(options: &Options) -> Option<i64> {
    Some(options.insurance.as_ref()?.value).filter(|value| *value > 0)
}

/// The value that is insured, in cents.
pub fn value(details: &ShipmentInput) -> Option<i64> {
    insured(details.options.as_ref()?)
}

/// Whether sorting machines can't take the parcel.
pub fn needs_handling(details: &ShipmentInput) -> bool {
    let shipping = details.options.as_ref().and_then(|options| options.shipping.as_ref());
    shipping.is_some_and(|shipping| shipping.machinable == Some(false))
}

/// USPS's codes of the services beyond carrying. `is_express`: for a service that has a signature of its own; `None` where
/// several services are asked for at once.
pub fn extra_services(details: &ShipmentInput, is_express: Option<bool>) -> Vec<u32> {
    let mut codes = Vec::new();
    if is_domestic(&details.addresses.destination) && !details.is_return() && is_express.is_some() {
        codes.push(TRACKING);
    }
    let shipping = details.options.as_ref().and_then(|options| options.shipping.as_ref());
    if let Some(signature) = shipping.and_then(ShippingOptions::signature) {
        codes.push(match (signature, is_express) {
            (Signature::Adult, _) => ADULT_SIGNATURE,
            (_, Some(true)) => EXPRESS_SIGNATURE,
            _ => SIGNATURE,
        });
    }
    if let Some(value) = value(details) {
        codes.push(if value <= INSURED_LOW { INSURANCE_LOW } else { INSURANCE_HIGH });
    }
    codes
}
