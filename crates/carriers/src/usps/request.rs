//! What USPS is told: the bodies of prices and of labels.

use model::Day;
use model::shipping::shipment::options::LabelFormat;
use serde_json::{Value, json};

use super::customs;
use super::options::{custom_line, extra_services, needs_handling, value};
use super::party::{abroad, domestic, zip};
use super::route::Route;
use super::services::{Service, indicator};
use super::units::{dollars, inches, pounds};
use crate::Parcel;
use crate::json::without_nulls;

/// The smallest and largest sides, in millimetres, and the most grams of a parcel that machines sort.
const MACHINE_MIN: [i64; 3] = [7, 77, 153];
const MACHINE_MAX: [i64; 3] = [381, 457, 558];
const MACHINE_GRAMS_MAX: i64 = 11_339;

/// The body that asks for prices of all services.
pub fn rate(parcel: &Parcel, payment: &Value) -> Option<Value> {
    let route = Route::of(parcel.details())?;
    let is_international = route.is_international();
    let mut package = measures(&route)?;
    package["mailClass"] = match (is_international, route.details.is_return()) {
        (true, _) => json!("ALL"),
        (false, true) => json!("ALL_RETURNS"),
        (false, false) => json!("ALL_OUTBOUND"),
    };
    package["mailingDate"] = json!(parcel.ship_on().map(|day| day.to_string()));
    package["extraServices"] = json!(extra_services(route.details, None));
    package["hasNonstandardCharacteristics"] = json!(needs_handling(route.details).then_some(true));
    package["packageValue"] = json!(value(route.details).map(dollars));
    let (origin, destination) = (zip(route.from)?.0, zip(route.to).map(|zip| zip.0));
    let to = &route.to.address;
    // USPS takes an account of this kind with prices of outbound parcels only.
    let account = (!route.details.is_return()).then_some(payment);
    let pricing = without_nulls(json!({"priceType": "COMMERCIAL", "paymentAccount": account}));
    Some(without_nulls(json!({
        "pricingOptions": [pricing],
        "originZIPCode": origin,
        "destinationZIPCode": destination.filter(|_| !is_international),
        "foreignPostalCode": to.post_code.as_deref().filter(|_| is_international),
        "destinationCountryCode": is_international.then_some(to.country_code),
        "destinationEntryFacilityType": "NONE",
        "packageDescription": without_nulls(package),
    })))
}

/// A label, as far as USPS is told.
pub struct Purchase<'a> {
    pub service: &'a Service,
    pub format: LabelFormat,
    pub ship_on: Day,
}

/// Returns the path and the body that buy a label. Nothing in it depends on the time of the request.
pub fn label(parcel: &Parcel, purchase: &Purchase<'_>) -> Option<(&'static str, Value)> {
    let route = Route::of(parcel.details())?;
    let is_return = route.details.is_return();
    let is_international = route.is_international();
    let mut body = json!({
        "imageInfo": image(purchase.format),
        "fromAddress": domestic(route.from),
        "toAddress": if is_international { abroad(route.to) } else { domestic(route.to) },
        "packageDescription": description(&route, purchase)?,
    });
    if !is_return && let Some(back) = &route.details.addresses.r#return {
        let name = if is_international { "senderAddress" } else { "returnAddress" };
        body[name] = domestic(back);
    }
    if let Some(form) = customs::form(&route) {
        body["customsForm"] = form;
    }
    let path = match (is_international, is_return) {
        (true, _) => "/international-labels/v3/international-label",
        (false, true) => "/labels/v3/return-label",
        (false, false) => "/labels/v3/label",
    };
    Some((path, body))
}

/// The wanted image of a label.
pub fn image(format: LabelFormat) -> Value {
    let kind = match format {
        LabelFormat::Zpl => "ZPL203DPI",
        LabelFormat::Png | LabelFormat::Pdf => "PDF",
    };
    json!({"imageType": kind, "labelType": "4X6LABEL", "receiptOption": "NONE", "suppressPostage": false})
}

/// The wanted image of a label that is printed again.
pub fn reprint(format: LabelFormat) -> Value {
    let image = image(format);
    json!({"imageInfo": {"imageType": image["imageType"], "labelType": image["labelType"]}})
}

fn description(route: &Route<'_>, purchase: &Purchase<'_>) -> Option<Value> {
    let is_return = route.details.is_return();
    let class = match is_return {
        true => purchase.service.return_class?,
        false => purchase.service.mail_class,
    };
    let is_express = purchase.service.mail_class.starts_with("PRIORITY_MAIL_EXPRESS");
    let mut body = measures(route)?;
    body["weightUOM"] = json!("lb");
    body["dimensionsUOM"] = json!("in");
    body["mailClass"] = json!(class);
    body["rateIndicator"] = json!(indicator(purchase.service, route.package)?);
    body["processingCategory"] = json!(category(route));
    body["mailingDate"] = json!((!is_return).then(|| purchase.ship_on.to_string()));
    body["extraServices"] = json!(extra_services(route.details, Some(is_express)));
    body["destinationEntryFacilityType"] = json!("NONE");
    let line = custom_line(route.details);
    body["customerReference"] = json!(line.map(|line| reference(line, route.is_international())));
    let declared = value(route.details).map(dollars);
    let back = route.is_international().then_some("RETURN");
    let package = without_nulls(json!({"packageValue": declared, "nonDeliveryOption": back}));
    body["packageOptions"] = json!((package != json!({})).then_some(package));
    Some(without_nulls(body))
}

fn reference(line: &str, is_international: bool) -> Value {
    // International labels show no references beside their customs form.
    match is_international {
        true => json!([{"referenceNumber": line}]),
        false => json!([{"referenceNumber": line, "printReferenceNumber": true}]),
    }
}

/// Mass and sides. A package of USPS's own has the sides that USPS gave it.
fn measures(route: &Route<'_>) -> Option<Value> {
    let geometry = route.package.geometry?;
    let sides = geometry.millimetres().map(|mut sides| {
        sides.sort_unstable();
        sides
    });
    let side = |place: usize| sides.map(|sides| inches(sides[place]));
    Some(json!({
        "weight": pounds(geometry.grams()?), "length": side(2), "width": side(1), "height": side(0),
    }))
}

/// Whether machines sort the parcel.
fn category(route: &Route<'_>) -> &'static str {
    let geometry = route.package.geometry;
    let mut sides = geometry.and_then(|geometry| geometry.millimetres()).unwrap_or(MACHINE_MIN);
    sides.sort_unstable();
    let grams = geometry.and_then(|geometry| geometry.grams()).unwrap_or_default();
    let fits = (0..3).all(|place| (MACHINE_MIN[place]..=MACHINE_MAX[place]).contains(&sides[place]));
    let is_own = route.package.predefined_package_code.is_some();
    match !needs_handling(route.details) && (is_own || fits && grams <= MACHINE_GRAMS_MAX) {
        true => "MACHINABLE",
        false => "NONSTANDARD",
    }
}
