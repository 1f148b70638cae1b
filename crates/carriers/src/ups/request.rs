//! What UPS is told: the bodies of rates and of shipments.

use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{Package, ShipmentInput};
use serde_json::{Map, Value, json};

use super::customs;
use super::json::{put, without_nulls};
use super::options;
use super::party::{address, party, start};
use super::purchase::{Purchase, compact};
use super::route::Route;
use super::services::PACKAGES;
use crate::Parcel;

/// Characters of a description.
const DESCRIPTION_CHARS: usize = 35;
/// A package of the customer's own.
const OWN_PACKAGE: &str = "02";
/// The kind of reference: a number of the shipper's transaction.
const REFERENCE: &str = "TN";
/// What is added to the reference of a shipment of several packages that all carry it. The look-up tells by it whether several packages
/// are one shipment, or one shipment bought several times.
pub const SEVERAL: &str = "-M";

/// Returns the kind of rates to ask for, and the body. Transit times of an international parcel need the value of its contents.
pub fn rate(parcel: &Parcel, number: &str) -> Option<(&'static str, Value)> {
    let route = Route::of(parcel.details())?;
    let total = customs::total(&route);
    let is_timed = !route.is_international() || total.is_some();
    let party_of = |record| json!({"Name": party(record)["Name"], "Address": address(record)});
    let mut shipper = party_of(route.shipper());
    shipper["ShipperNumber"] = json!(number);
    let packages: Vec<Value> =
        route.details.packages.iter().map(|package| package_body(&route, package, "PackagingType")).collect();
    let mut services = options::of_shipment(&route);
    if route.details.is_return() {
        services["ReturnService"] = json!({"Code": options::RETURN_LABEL});
    }
    let transit = is_timed.then(|| {
        without_nulls(json!({"PackageBillType": "03", "Pickup": parcel.ship_on().map(|day| json!({"Date": compact(day)}))}))
    });
    let mass = json!({"UnitOfMeasurement": {"Code": route.units.mass_code()}, "Weight": route.units.mass(route.grams())});
    let shipment = without_nulls(json!({
        "Shipper": shipper,
        "ShipTo": recipient(&route, party_of(route.to)),
        "ShipFrom": party_of(route.from),
        "PaymentDetails": {"ShipmentCharge": [{"Type": "01", "BillShipper": {"AccountNumber": number}}]},
        "ShipmentRatingOptions": {"NegotiatedRatesIndicator": ""},
        "ShipmentTotalWeight": is_timed.then_some(mass),
        "InvoiceLineTotal": total,
        "DeliveryTimeInformation": transit,
        "ShipmentServiceOptions": (services != json!({})).then_some(services),
        "Package": packages,
    }));
    let mut request = json!({
        "Request": {"SubVersion": "2409", "TransactionReference": {"CustomerContext": parcel.id.to_string()}},
        "Shipment": shipment,
    });
    if let Some(code) = options::pickup_type(route.details) {
        request["PickupType"] = json!({"Code": code});
    }
    let option = if is_timed { "Shoptimeintransit" } else { "Shop" };
    Some((option, json!({"RateRequest": request})))
}

/// Returns the body that buys a shipment. Nothing in it depends on the time of the request.
pub fn ship(parcel: &Parcel, purchase: &Purchase<'_>) -> Option<Value> {
    let route = Route::of(parcel.details())?;
    let mut shipper = party(route.shipper());
    shipper["ShipperNumber"] = json!(purchase.number);
    let mut services = options::of_shipment(&route);
    if let Some(forms) = customs::forms(&route, purchase) {
        services["InternationalForms"] = forms;
    }
    let shipment = without_nulls(json!({
        "Description": description(&route),
        "Shipper": shipper,
        "ShipTo": recipient(&route, party(route.to)),
        "ShipFrom": customs::with_vendor(&route, party(route.from)),
        "PaymentInformation": {"ShipmentCharge": charges(&route, purchase.number)},
        "ShipmentRatingOptions": {"NegotiatedRatesIndicator": ""},
        "Service": {"Code": purchase.service_code},
        "ReturnService": route.details.is_return().then(|| json!({"Code": options::RETURN_LABEL})),
        "ReferenceNumber": references_of_shipment(&route, purchase),
        "InvoiceLineTotal": customs::line_total(&route),
        "ShipmentServiceOptions": (services != json!({})).then_some(services),
        "Package": packages(&route, purchase),
    }));
    Some(json!({"ShipmentRequest": {
        "Request": {
            "RequestOption": "nonvalidate", "SubVersion": "2205",
            "TransactionReference": {"CustomerContext": purchase.reference},
        },
        "Shipment": shipment,
        "LabelSpecification": label(purchase.format, Some(route.details)),
    }}))
}

/// The kind of label. UPS makes images as GIF, and refuses a size for them.
pub fn label(format: LabelFormat, details: Option<&ShipmentInput>) -> Value {
    match format {
        LabelFormat::Zpl => {
            let height = if details.is_some_and(options::is_tall) { "8" } else { "6" };
            json!({"LabelImageFormat": {"Code": "ZPL"}, "LabelStockSize": {"Height": height, "Width": "4"}})
        }
        LabelFormat::Png | LabelFormat::Pdf => {
            json!({"LabelImageFormat": {"Code": "GIF"}, "HTTPUserAgent": "Mozilla/4.5"})
        }
    }
}

/// The recipient, with the word for a home.
fn recipient(route: &Route<'_>, mut party: Value) -> Value {
    if options::is_residential(route.details) {
        party["Address"]["ResidentialAddressIndicator"] = json!("");
    }
    party
}

/// Who pays: the shipper for transport, and for duties if the trade term says so.
fn charges(route: &Route<'_>, number: &str) -> Value {
    let charge = |kind: &str| json!({"Type": kind, "BillShipper": {"AccountNumber": number}});
    let incoterm = route.details.customs.as_ref().and_then(|customs| customs.incoterm.as_deref());
    let is_duty_ours = route.is_international() && incoterm == Some("DDP");
    let mut charges = vec![charge("01")];
    charges.extend(is_duty_ours.then(|| charge("02")));
    charges.into()
}

fn packages(route: &Route<'_>, purchase: &Purchase<'_>) -> Vec<Value> {
    let mut bodies = Vec::new();
    for (place, package) in route.details.packages.iter().enumerate() {
        let mut body = package_body(route, package, "Packaging");
        body["Description"] = json!(description(route));
        if route.has_package_options() {
            // Our reference is on the first package only, so that a look-up finds one package of each purchase: its first.
            let ours = (place == 0).then_some(purchase.reference);
            put_references(&mut body, ours, route.details);
        }
        bodies.push(body);
    }
    bodies
}

fn references_of_shipment(route: &Route<'_>, purchase: &Purchase<'_>) -> Option<Value> {
    if route.has_package_options() {
        return None;
    }
    let end = if route.details.packages.len() > 1 { SEVERAL } else { "" };
    let ours = format!("{}{end}", purchase.reference);
    let mut body = json!({});
    put_references(&mut body, Some(&ours), route.details);
    body.get("ReferenceNumber").cloned()
}

fn put_references(body: &mut Value, ours: Option<&str>, details: &ShipmentInput) {
    let line = options::custom_line(details);
    let values = [ours, line].into_iter().flatten();
    let references: Vec<Value> = values.map(|value| json!({"Code": REFERENCE, "Value": value})).collect();
    if !references.is_empty() {
        body["ReferenceNumber"] = references.into();
    }
}

/// A package. Rates and shipments name the kind of package differently.
fn package_body(route: &Route<'_>, package: &Package, kind_name: &str) -> Value {
    let grams = package.geometry.and_then(|geometry| geometry.grams());
    let mut body = Map::new();
    body.insert(kind_name.to_owned(), json!({"Code": package_code(package).unwrap_or(OWN_PACKAGE)}));
    put(&mut body, "Dimensions", route.units.dimensions(package));
    let mass = grams.map(|grams| {
        json!({"UnitOfMeasurement": {"Code": route.units.mass_code()}, "Weight": route.units.mass(grams)})
    });
    put(&mut body, "PackageWeight", mass);
    if options::needs_handling(route.details) {
        body.insert("AdditionalHandlingIndicator".to_owned(), json!(""));
    }
    let services = options::of_package(route);
    if services != json!({}) {
        body.insert("PackageServiceOptions".to_owned(), services);
    }
    Value::Object(body)
}

/// UPS's code of a predefined package. `None` for one of the customer's own.
pub fn package_code(package: &Package) -> Option<&'static str> {
    let name = package.predefined_package_code.as_deref()?;
    PACKAGES.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

/// What is in the parcel, in few words.
fn description(route: &Route<'_>) -> String {
    let customs = route.details.customs.as_ref();
    let given = customs.and_then(|customs| customs.contents_description.as_deref());
    let first = customs.and_then(|customs| customs.items.first()).map(|item| item.description.as_str());
    start(given.or(first).unwrap_or("Merchandise"), DESCRIPTION_CHARS)
}
