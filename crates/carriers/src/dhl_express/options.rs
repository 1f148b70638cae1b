//! Our options in DHL Express's words, and those that DHL has no word for.

use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::options::{Options, ShippingOptions};
use serde_json::{Value, json};

use super::customs::{CURRENCY, DUTIES_PAID, is_declared, number, term};
use crate::options::{Table, Treatment};

use Treatment::{Effect, Informational, Passed, Refused};

/// DHL's codes of services beyond carrying.
const SATURDAY: &str = "AA";
const SIGNATURE: &str = "SF";
const INSURANCE: &str = "II";
const DUTIES: &str = "DD";
/// Characters of a reference.
const LINE_CHARS: usize = 35;

const NO_FIELD: Treatment = Refused("DHL Express has no field for it.");

/// How DHL Express treats each option. A name in backticks is where the request has it.
pub const OPTIONS: Table = &[
    ("shipping.access_code", NO_FIELD),
    ("shipping.commercial_address", Informational("DHL finds out by the address")),
    (
        "shipping.currency_code",
        Effect("the currency of customs items and insurance that name none; else it is `EUR`"),
    ),
    ("shipping.date", Passed("as `plannedShippingDateAndTime`, which DHL takes up to ten days ahead")),
    ("shipping.delivery_confirmation", Informational("DHL tracks every shipment and reports its delivery")),
    ("shipping.dry_ice_mass", Refused("DHL takes dry ice under contracts of their own.")),
    (
        "shipping.dropoff_type",
        Informational("no pickup is booked; DHL charges the same wherever it gets the parcel"),
    ),
    ("shipping.handling_instructions", NO_FIELD),
    ("shipping.high_security", NO_FIELD),
    (
        "shipping.hold_for_pickup",
        Refused("DHL keeps parcels at a service point that a shipment does not name."),
    ),
    ("shipping.invalid_address_handling", Refused("DHL asks the sender about what it can't deliver.")),
    ("shipping.is_return", Refused("DHL bills a return to an import account, which Dockside does not know.")),
    ("shipping.leave_safe", Refused("DHL leaves that to the recipient, by On Demand Delivery.")),
    ("shipping.machinable", Informational("DHL charges by mass and volume")),
    ("shipping.non_delivery", Refused("DHL asks the sender about what it can't deliver. Use `return`.")),
    ("shipping.restricted_substances", Refused("DHL takes them under contracts of their own.")),
    ("shipping.safe_place", NO_FIELD),
    ("shipping.saturday_delivery", Passed("as the service `AA`; its price is not in the rate")),
    ("shipping.signature_required", Passed("as the service `SF`; its price is not in the rate")),
    (
        "shipping.signature_type",
        Refused("DHL takes the signature of the person at the address. Use `signature_required`."),
    ),
    ("shipping.tracked_service", Informational("DHL tracks every shipment")),
    ("label.format", Effect("DHL makes PDF, or ZPL (203 dpi)")),
    ("label.size", Informational("DHL's labels are 4 by 8 inches")),
    (
        "label.custom_data.text_lines",
        Passed(
            "as a further `customerReferences`; refused if there are several lines or more than 35 characters",
        ),
    ),
    ("label.custom_data.line_codes", Refused("DHL prints no words before a reference. Leave the codes out.")),
    ("label.custom_data.barcodes", Refused("DHL prints its own barcodes. Leave them out.")),
    ("insurance.value", Passed("as the service `II`; its price is not in the rate")),
    ("insurance.currency_code", Effect("the currency of the insured value")),
];

fn shipping(details: &ShipmentInput) -> Option<&ShippingOptions> {
    details.options.as_ref()?.shipping.as_ref()
}

/// Returns a value that DHL can't be told.
pub fn unspeakable(details: &ShipmentInput) -> Option<(&'static str, String)> {
    let lines = lines(details.options.as_ref()?);
    (lines.len() > 1 || lines.iter().any(|line| line.chars().count() > LINE_CHARS))
        .then(|| ("label.custom_data.text_lines", format!("DHL takes one line of {LINE_CHARS} characters.")))
}

fn lines(options: &Options) -> Vec<&str> {
    let data = options.label.as_ref().and_then(|label| label.custom_data.as_ref());
    let lines = data.and_then(|data| data.text_lines.as_deref()).unwrap_or_default();
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect()
}

/// The customer's own line on the label.
pub fn line(details: &ShipmentInput) -> Option<&str> {
    lines(details.options.as_ref()?).into_iter().next()
}

/// Whether the sender pays the duties.
pub fn wants_duties_paid(details: &ShipmentInput) -> bool {
    is_declared(details) && term(details) == DUTIES_PAID
}

/// DHL's services beyond carrying.
pub fn services(details: &ShipmentInput) -> Vec<Value> {
    let mut services = Vec::new();
    let mut add = |is_wanted: bool, code: &str| {
        if is_wanted {
            services.push(json!({"serviceCode": code}));
        }
    };
    let shipping = shipping(details);
    add(shipping.is_some_and(|shipping| shipping.saturday_delivery == Some(true)), SATURDAY);
    add(shipping.is_some_and(|shipping| shipping.signature().is_some()), SIGNATURE);
    add(wants_duties_paid(details), DUTIES);
    let insurance = details.options.as_ref().and_then(|options| options.insurance.as_ref());
    if let Some(insurance) = insurance.filter(|insurance| insurance.value > 0) {
        let currency = insurance.currency_code.as_deref();
        let currency = currency.or_else(|| shipping?.currency_code.as_deref()).unwrap_or(CURRENCY);
        let value = number(insurance.value, currency);
        services.push(json!({"serviceCode": INSURANCE, "value": value, "currency": currency}));
    }
    services
}
