//! The options of a shipment that the sandbox supports, and their prices. Dockside draws the sandbox's labels, so it
//! also prints the options that are shown on a label.

use model::platform::money::decimals;
use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::options::{Insurance, ShippingOptions, Signature};

use crate::options::{Table, Treatment};

use Treatment::{Effect, Informational};

/// Surcharges, in pence.
const COMMERCIAL_LESS: i64 = 60;
const DELIVERY_CONFIRMATION: i64 = 80;
const DRY_ICE: i64 = 200;
const SCHEDULED_PICKUP: i64 = 300;
const HIGH_SECURITY: i64 = 400;
const BY_HAND: i64 = 100;
const SUBSTANCE: i64 = 200;
const SATURDAY: i64 = 500;
const SIGNATURE: i64 = 150;
const ADULT_SIGNATURE: i64 = 250;
/// The divisor of the insured value that gives the premium, and the lowest premium.
const PREMIUM_PART: i64 = 100;
const PREMIUM_MIN: i64 = 50;

/// How the sandbox treats each option.
pub const OPTIONS: Table = &[
    ("shipping.access_code", Effect("printed on the label")),
    ("shipping.commercial_address", Effect("costs £0.60 less")),
    ("shipping.currency_code", Effect("the currency of declared values that name none, on customs papers")),
    ("shipping.date", Effect("the ship date of rates, label and manifest")),
    ("shipping.delivery_confirmation", Effect("costs £0.80 more; printed on the label")),
    ("shipping.dry_ice_mass", Effect("costs £2.00 more; printed on the label")),
    (
        "shipping.dropoff_type",
        Effect("printed on the label unless `regular_pickup`; `scheduled_pickup` costs £3.00 more"),
    ),
    ("shipping.handling_instructions", Effect("printed on the label")),
    ("shipping.high_security", Effect("costs £4.00 more; printed on the label")),
    ("shipping.hold_for_pickup", Effect("printed on the label")),
    ("shipping.invalid_address_handling", Effect("printed on the label unless `forward_or_return`")),
    (
        "shipping.is_return",
        Effect(
            "the parcel travels from the destination to the return address: price, label and customs papers",
        ),
    ),
    ("shipping.leave_safe", Effect("printed on the label")),
    ("shipping.machinable", Effect("`false` costs £1.00 more: it is sorted by hand")),
    ("shipping.non_delivery", Effect("`abandon` is printed on the label and on customs papers")),
    ("shipping.restricted_substances", Effect("each costs £2.00 more; printed on the label")),
    ("shipping.safe_place", Effect("printed on the label")),
    ("shipping.saturday_delivery", Effect("costs £5.00 more; printed on the label")),
    ("shipping.signature_required", Effect("costs £1.50 more; printed on the label")),
    ("shipping.signature_type", Effect("costs £1.50 more, `adult` £2.50; printed on the label")),
    ("shipping.tracked_service", Informational("the sandbox tracks every parcel")),
    ("label.format", Effect("the label is drawn in this format")),
    ("label.size", Effect("the label is drawn for this paper")),
    ("label.custom_data.text_lines", Effect("printed on the label")),
    ("label.custom_data.line_codes", Effect("printed on the label before the lines")),
    ("label.custom_data.barcodes", Effect("printed on the label")),
    ("insurance.value", Effect("costs a hundredth of the value, at least £0.50")),
    ("insurance.currency_code", Effect("values in other currencies are counted as if they were pounds")),
];

/// Returns the surcharge for the options of a shipment, in pence. A discount is negative.
pub fn surcharge(shipment: &ShipmentInput) -> i64 {
    let Some(options) = &shipment.options else { return 0 };
    let shipping = options.shipping.as_ref().map(of_shipping).unwrap_or_default();
    shipping + options.insurance.as_ref().map(premium).unwrap_or_default()
}

fn of_shipping(options: &ShippingOptions) -> i64 {
    let when = |is_so: bool, amount: i64| if is_so { amount } else { 0 };
    let is_wanted = |flag: Option<bool>| flag == Some(true);
    let substances = options.restricted_substances.iter().flatten().count() as i64;
    let signature = match options.signature() {
        Some(Signature::Adult) => ADULT_SIGNATURE,
        Some(_) => SIGNATURE,
        None => 0,
    };
    signature
        + substances * SUBSTANCE
        + when(is_wanted(options.saturday_delivery), SATURDAY)
        + when(is_wanted(options.delivery_confirmation), DELIVERY_CONFIRMATION)
        + when(is_wanted(options.high_security), HIGH_SECURITY)
        + when(options.dry_ice_mass.is_some_and(|mass| mass > 0.0), DRY_ICE)
        + when(options.dropoff_type.as_deref() == Some("scheduled_pickup"), SCHEDULED_PICKUP)
        + when(options.machinable == Some(false), BY_HAND)
        - when(is_wanted(options.commercial_address), COMMERCIAL_LESS)
}

/// Returns the premium. The sandbox has no exchange rates: it counts a unit of any currency as a pound.
fn premium(insurance: &Insurance) -> i64 {
    if insurance.value <= 0 {
        return 0;
    }
    let currency = insurance.currency_code.as_deref().unwrap_or("GBP");
    let pence = match decimals(currency).unwrap_or(2) {
        0 => insurance.value.saturating_mul(100),
        3 => insurance.value / 10,
        _ => insurance.value,
    };
    (pence / PREMIUM_PART).max(PREMIUM_MIN)
}
