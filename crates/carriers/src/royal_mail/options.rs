//! Our options in Royal Mail's words, and those that Royal Mail has no word for.

use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::options::ShippingOptions;

use crate::options::{Table, Treatment};

use Treatment::{Effect, Informational, Passed, Refused};

/// Characters of a safe place.
const SAFE_PLACE_CHARS: usize = 90;

const NO_FIELD: Treatment = Refused("Click & Drop has no field for it.");
const UNINSURED: Treatment =
    Refused("Royal Mail's cover is that of the service. Choose a service that covers the value.");

/// How Royal Mail treats each option. A name in backticks is where the order has it, below `postageDetails` unless it says otherwise.
pub const OPTIONS: Table = &[
    ("shipping.access_code", NO_FIELD),
    ("shipping.commercial_address", Passed("as the order's `isRecipientABusiness`")),
    ("shipping.currency_code", Effect("the currency of customs items that name none")),
    ("shipping.date", Passed("as the order's `plannedDespatchDate`")),
    (
        "shipping.delivery_confirmation",
        Effect("only services with `is_tracked` in the rate card are offered"),
    ),
    ("shipping.dry_ice_mass", Refused("Royal Mail takes dry ice with data that Dockside does not have.")),
    ("shipping.dropoff_type", Informational("Click & Drop is not told how Royal Mail gets the parcel")),
    ("shipping.handling_instructions", NO_FIELD),
    ("shipping.high_security", Refused("Choose a service such as Special Delivery instead.")),
    (
        "shipping.hold_for_pickup",
        Passed("as `isLocalCollect`, by services with `local_collect` in the extras of the rate card"),
    ),
    ("shipping.invalid_address_handling", Refused("Royal Mail brings back what it can't deliver.")),
    ("shipping.is_return", Refused("Dockside makes no return labels in Click & Drop. Make them there.")),
    ("shipping.leave_safe", Refused("Royal Mail wants to know the place. Use `safe_place` instead.")),
    ("shipping.machinable", Informational("Royal Mail charges by format and mass")),
    ("shipping.non_delivery", Refused("Royal Mail brings back what it can't deliver. Use `return`.")),
    (
        "shipping.restricted_substances",
        Refused("Royal Mail takes them with data that Dockside does not have."),
    ),
    ("shipping.safe_place", Passed("as `safePlace`, of up to 90 characters")),
    (
        "shipping.saturday_delivery",
        Passed(
            "as `guaranteedSaturdayDelivery`, by services with `saturday_delivery` in the extras of the rate card",
        ),
    ),
    (
        "shipping.signature_required",
        Passed(
            "as `requestSignatureUponDelivery`, by services with `signature` in the extras of the rate card",
        ),
    ),
    (
        "shipping.signature_type",
        Refused("Royal Mail takes the signature of anyone at the address. Use `signature_required`."),
    ),
    ("shipping.tracked_service", Effect("only services with `is_tracked` in the rate card are offered")),
    ("label.format", Effect("Click & Drop makes PDF")),
    ("label.size", Informational("the size of labels is a setting of Click & Drop")),
    ("label.custom_data.text_lines", Refused("Click & Drop prints no lines of yours.")),
    ("label.custom_data.line_codes", Refused("Click & Drop prints no lines of yours.")),
    ("label.custom_data.barcodes", Refused("Click & Drop prints Royal Mail's barcodes alone.")),
    ("insurance.value", UNINSURED),
    ("insurance.currency_code", UNINSURED),
];

/// The options for transport.
pub fn shipping(details: &ShipmentInput) -> Option<&ShippingOptions> {
    details.options.as_ref()?.shipping.as_ref()
}

/// Returns a value that Royal Mail can't be told.
pub fn unspeakable(details: &ShipmentInput) -> Option<(&'static str, String)> {
    let place = shipping(details)?.safe_place.as_deref()?;
    (place.trim().chars().count() > SAFE_PLACE_CHARS)
        .then(|| ("shipping.safe_place", format!("Royal Mail takes {SAFE_PLACE_CHARS} characters.")))
}
