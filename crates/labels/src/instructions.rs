//! The shipment options that the driver and the depot must know, as lines for the label.

use crate::mass::kilograms;
use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::options::{ShippingOptions, Signature};
use model::shipping::shipment::package::round_up;

/// Maximum number of marks on a line.
const MARKS_ON_A_LINE: usize = 4;

/// Returns the lines: first the marks, several on a line, then the sentences.
pub(crate) fn lines(shipment: &ShipmentInput) -> Vec<String> {
    let Some(options) = shipment.options.as_ref().and_then(|options| options.shipping.as_ref()) else {
        return Vec::new();
    };
    let marks = marks(options);
    let mut lines: Vec<String> = marks.chunks(MARKS_ON_A_LINE).map(|some| some.join(" / ")).collect();
    lines.extend(sentences(options));
    lines
}

fn marks(options: &ShippingOptions) -> Vec<String> {
    let is_wanted = |flag: Option<bool>| flag == Some(true);
    let signature = options.signature().map(|signature| match signature {
        Signature::Standard => "SIGNATURE REQUIRED",
        Signature::Indirect => "INDIRECT SIGNATURE REQUIRED",
        Signature::Direct => "DIRECT SIGNATURE REQUIRED",
        Signature::Adult => "ADULT SIGNATURE REQUIRED",
    });
    let flags = [
        (is_wanted(options.is_return), "RETURN"),
        (is_wanted(options.saturday_delivery), "SATURDAY DELIVERY"),
        (is_wanted(options.delivery_confirmation), "CONFIRM DELIVERY"),
        (is_wanted(options.hold_for_pickup), "HOLD FOR PICKUP"),
        (is_wanted(options.leave_safe), "LEAVE IN A SAFE PLACE"),
        (is_wanted(options.high_security), "HIGH SECURITY"),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| mark);
    let mut marks: Vec<String> = signature.into_iter().chain(flags).map(str::to_owned).collect();
    let ice = options.dry_ice_mass.filter(|mass| *mass > 0.0).map(|mass| round_up(mass, 3));
    marks.extend(ice.map(|grams| format!("DRY ICE {}", kilograms(Some(grams)))));
    let substances = options.restricted_substances.iter().flatten();
    // A mass of dry ice already implies that there is some.
    let substances = substances.filter(|substance| ice.is_none() || substance.as_str() != "dry_ice");
    marks.extend(substances.map(|substance| substance.replace('_', " ").to_uppercase()));
    marks
}

fn sentences(options: &ShippingOptions) -> Vec<String> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let unless = |text: &Option<String>, ordinary: &str| given(text).filter(|word| word != ordinary);
    let words = |word: String| word.replace('_', " ");
    let handling = unless(&options.invalid_address_handling, "forward_or_return");
    let all = [
        given(&options.safe_place).map(|place| format!("Safe place: {place}")),
        given(&options.access_code).map(|code| format!("Access code: {code}")),
        given(&options.handling_instructions),
        handling.map(|word| format!("If the address is wrong: {}", words(word))),
        unless(&options.non_delivery, "return").map(|_| "If undeliverable: abandon".to_owned()),
        unless(&options.dropoff_type, "regular_pickup").map(|word| format!("Handed in at: {}", words(word))),
    ];
    all.into_iter().flatten().collect()
}
