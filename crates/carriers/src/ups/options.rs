//! Our options in UPS's words, and those that UPS has no word for.

use model::platform::money::show_amount;
use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::options::{Options, ShippingOptions, Signature};
use model::shipping::shipment::package::round_up;
use serde_json::{Map, Value, json};

use super::route::Route;
use crate::options::{Table, Treatment};

use Treatment::{Effect, Informational, Passed, Refused};

/// UPS's print return label: the merchant prints it and encloses it.
pub const RETURN_LABEL: &str = "9";
/// Characters of a line that is printed as a reference.
const LINE_CHARS: usize = 35;

const NO_FIELD: Treatment = Refused("UPS has no field for it.");

/// How UPS treats each option. A name in backticks is where the request has it, below the shipment or its package.
pub const OPTIONS: Table = &[
    ("shipping.access_code", NO_FIELD),
    (
        "shipping.commercial_address",
        Effect(
            "`false` marks the recipient's address as a home (`ResidentialAddressIndicator`), which costs more",
        ),
    ),
    (
        "shipping.currency_code",
        Effect("the currency of customs items that name none; UPS quotes in the currency of the account"),
    ),
    ("shipping.date", Effect("the day of transit times, and the date of the invoice")),
    ("shipping.delivery_confirmation", Informational("UPS tracks every parcel and reports its delivery")),
    (
        "shipping.dry_ice_mass",
        Passed(
            "as `PackageServiceOptions.DryIce`; refused for several packages, because it does not say which",
        ),
    ),
    ("shipping.dropoff_type", Effect("the `PickupType` of rates, which decides the price list")),
    ("shipping.handling_instructions", NO_FIELD),
    ("shipping.high_security", NO_FIELD),
    (
        "shipping.hold_for_pickup",
        Refused("UPS keeps parcels at Access Points only, and a shipment does not name one."),
    ),
    (
        "shipping.invalid_address_handling",
        Refused("UPS takes no such instruction: it brings back what it can't deliver."),
    ),
    (
        "shipping.is_return",
        Effect("a print return label (`ReturnService` 9): the merchant pays and prints it"),
    ),
    (
        "shipping.leave_safe",
        Passed(
            "as `PackageServiceOptions.ShipperReleaseIndicator`; refused outside the United States, and together with a signature",
        ),
    ),
    ("shipping.machinable", Effect("`false` asks for additional handling (`AdditionalHandlingIndicator`)")),
    ("shipping.non_delivery", Refused("UPS brings back what it can't deliver. Use `return`.")),
    (
        "shipping.restricted_substances",
        Refused(
            "UPS takes them under contracts of their own and with data that Dockside does not have. For dry ice, use `dry_ice_mass`.",
        ),
    ),
    ("shipping.safe_place", NO_FIELD),
    ("shipping.saturday_delivery", Passed("as `ShipmentServiceOptions.SaturdayDeliveryIndicator`")),
    (
        "shipping.signature_required",
        Passed(
            "as `DeliveryConfirmation`, of packages within the United States and of the shipment elsewhere",
        ),
    ),
    (
        "shipping.signature_type",
        Passed("as `DeliveryConfirmation`: an adult's, or any signature; refused for returns"),
    ),
    ("shipping.tracked_service", Informational("UPS tracks every parcel")),
    ("label.format", Effect("UPS makes ZPL or GIF; a GIF becomes PNG or PDF without loss")),
    ("label.size", Effect("`4x8` with ZPL; all other labels are 4 by 6 inches")),
    (
        "label.custom_data.text_lines",
        Passed(
            "as a `ReferenceNumber` beside ours; refused if there are several lines or more than 35 characters",
        ),
    ),
    (
        "label.custom_data.line_codes",
        Refused("UPS prints its own word before a reference. Leave the codes out."),
    ),
    ("label.custom_data.barcodes", Refused("UPS prints its own barcodes. Leave them out.")),
    (
        "insurance.value",
        Passed(
            "as `PackageServiceOptions.DeclaredValue`, for which UPS is liable; refused for several packages",
        ),
    ),
    ("insurance.currency_code", Effect("the currency of the declared value")),
];

/// Returns a value, or a combination, that UPS can't be told.
pub fn unspeakable(details: &ShipmentInput) -> Option<(&'static str, String)> {
    let options = details.options.as_ref()?;
    let shipping = options.shipping.as_ref();
    let is_several = details.packages.len() > 1;
    let refuse = |option, reason: &str| Some((option, reason.to_owned()));
    if is_several && dry_ice(shipping).is_some() {
        return refuse(
            "shipping.dry_ice_mass",
            "make a shipment of each package, so that it says where the ice is.",
        );
    }
    if is_several && insured(options).is_some() {
        return refuse(
            "insurance.value",
            "make a shipment of each package, so that it says what each is worth.",
        );
    }
    let signature = shipping.and_then(ShippingOptions::signature);
    if details.is_return() && signature.is_some() {
        return refuse("shipping.signature_type", "UPS takes no signature of a return.");
    }
    if shipping.is_some_and(|shipping| shipping.leave_safe == Some(true)) {
        let is_domestic = Route::of(details).is_some_and(|route| route.has_package_options());
        if signature.is_some() {
            return refuse("shipping.leave_safe", "UPS takes it or a signature. Ask for one of them.");
        }
        if !is_domestic || details.is_return() {
            return refuse("shipping.leave_safe", "UPS takes it for parcels within the United States only.");
        }
    }
    let lines = lines(options);
    if lines.len() > 1 || lines.iter().any(|line| line.chars().count() > LINE_CHARS) {
        return refuse(
            "label.custom_data.text_lines",
            "UPS prints one line of 35 characters beside its own.",
        );
    }
    None
}

fn shipping(details: &ShipmentInput) -> Option<&ShippingOptions> {
    details.options.as_ref()?.shipping.as_ref()
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

/// Whether the recipient's address is a home.
pub fn is_residential(details: &ShipmentInput) -> bool {
    shipping(details).is_some_and(|shipping| shipping.commercial_address == Some(false))
}

/// Whether sorting machines can't take the parcel.
pub fn needs_handling(details: &ShipmentInput) -> bool {
    shipping(details).is_some_and(|shipping| shipping.machinable == Some(false))
}

/// Whether labels of 4 by 8 inches are wanted.
pub fn is_tall(details: &ShipmentInput) -> bool {
    let label = details.options.as_ref().and_then(|options| options.label.as_ref());
    label.is_some_and(|label| label.size.as_deref() == Some("4x8"))
}

/// How the parcel gets to UPS, which decides the price list.
pub fn pickup_type(details: &ShipmentInput) -> Option<&'static str> {
    Some(match shipping(details)?.dropoff_type.as_deref()? {
        "scheduled_pickup" => "06",
        "retail_location" => "03",
        "drop_box" => "19",
        "station" => "20",
        _ => "01",
    })
}

fn dry_ice(shipping: Option<&ShippingOptions>) -> Option<f64> {
    shipping?.dry_ice_mass.filter(|mass| *mass > 0.0)
}

fn insured(options: &Options) -> Option<i64> {
    Some(options.insurance.as_ref()?.value).filter(|value| *value > 0)
}

/// Services of the whole shipment.
pub fn of_shipment(route: &Route<'_>) -> Value {
    let mut body = Map::new();
    if let Some(shipping) = shipping(route.details) {
        if shipping.saturday_delivery == Some(true) {
            body.insert("SaturdayDeliveryIndicator".to_owned(), json!(""));
        }
        if let Some(signature) = shipping.signature().filter(|_| !route.has_package_options()) {
            let kind = if signature == Signature::Adult { "2" } else { "1" };
            body.insert("DeliveryConfirmation".to_owned(), json!({"DCISType": kind}));
        }
    }
    Value::Object(body)
}

/// Services of each package.
pub fn of_package(route: &Route<'_>) -> Value {
    let mut body = Map::new();
    let shipping = shipping(route.details);
    let signature = shipping.and_then(ShippingOptions::signature).filter(|_| route.has_package_options());
    if let Some(signature) = signature {
        let kind = if signature == Signature::Adult { "3" } else { "2" };
        body.insert("DeliveryConfirmation".to_owned(), json!({"DCISType": kind}));
    }
    if shipping.is_some_and(|shipping| shipping.leave_safe == Some(true)) {
        body.insert("ShipperReleaseIndicator".to_owned(), json!(""));
    }
    if let Some(mass) = dry_ice(shipping) {
        // Within the United States, its own rules hold; elsewhere those of air transport.
        let rules = if route.has_package_options() { "CFR" } else { "IATA" };
        let mass = route.units.mass(round_up(mass, 3));
        let unit = route.units.mass_code();
        let weight = json!({"UnitOfMeasurement": {"Code": unit}, "Weight": mass});
        body.insert("DryIce".to_owned(), json!({"RegulationSet": rules, "DryIceWeight": weight}));
    }
    if let Some(options) = &route.details.options
        && let Some(value) = insured(options)
    {
        let currency = options.insurance.as_ref().and_then(|insurance| insurance.currency_code.as_deref());
        let currency = currency.or_else(|| shipping?.currency_code.as_deref()).unwrap_or("USD");
        let declared = json!({"CurrencyCode": currency, "MonetaryValue": show_amount(value, currency)});
        body.insert("DeclaredValue".to_owned(), declared);
    }
    Value::Object(body)
}
