//! What EasyPost is told: its own words for ours, in inches and ounces.

use model::platform::money::show_amount;
use model::shipping::shipment::options::{LabelFormat, ShippingOptions};
use model::shipping::shipment::{AddressRecord, Customs, Package, ShipmentInput};
use serde_json::{Map, Value, json};

use super::json::without_nulls;
use super::options;
use super::units::{inches, ounces};
use crate::Parcel;

/// The currency of values without one.
const CURRENCY: &str = "USD";

/// The body that creates a shipment, free of charge, and asks for its rates. With a reference it can be found again.
pub fn shipment(parcel: &Parcel, format: LabelFormat, reference: Option<String>) -> Value {
    let details = parcel.details();
    let mut body = Map::new();
    if let Some(reference) = reference {
        body.insert("reference".to_owned(), json!(reference));
    }
    // EasyPost wants a return as the shipment that it answers, and exchanges sender and recipient itself.
    let is_return = details.is_return() && details.addresses.origin.is_some();
    let merchant =
        if is_return { Some(&details.addresses.destination) } else { details.addresses.origin.as_ref() };
    let mut to = address(details.carried_customer());
    if let Some(is_residential) = options::is_residential(details) {
        to["residential"] = json!(is_residential);
    }
    body.insert("to_address".to_owned(), to);
    if let Some(merchant) = merchant {
        body.insert("from_address".to_owned(), address(merchant));
    }
    if is_return {
        body.insert("is_return".to_owned(), json!(true));
    }
    if let Some(back) = &details.addresses.r#return {
        body.insert("return_address".to_owned(), address(back));
    }
    if let Some(package) = details.packages.first() {
        body.insert("parcel".to_owned(), package_body(package));
    }
    if let Some(customs) = &details.customs {
        body.insert("customs_info".to_owned(), customs_body(details, customs));
    }
    body.insert("options".to_owned(), options::options_body(details, format));
    let identifiers: Vec<Value> = details.tax_identifiers.iter().map(tax_identifier).collect();
    if !identifiers.is_empty() {
        body.insert("tax_identifiers".to_owned(), identifiers.into());
    }
    json!({ "shipment": body })
}

fn address(record: &AddressRecord) -> Value {
    let postal = &record.address;
    let contact = record.contact.as_ref();
    // EasyPost has two lines; a third goes to the second.
    let second: Vec<&str> =
        [&postal.line_2, &postal.line_3].into_iter().flatten().map(String::as_str).collect();
    without_nulls(json!({
        "name": contact.and_then(|contact| contact.name.as_deref()),
        "company": contact.and_then(|contact| contact.company.as_deref()),
        "street1": postal.line_1,
        "street2": (!second.is_empty()).then(|| second.join(", ")),
        "city": postal.city,
        "state": postal.province,
        "zip": postal.post_code,
        "country": postal.country_code,
        "phone": contact.and_then(|contact| contact.phone_number.as_deref()),
        "email": contact.and_then(|contact| contact.email_address.as_deref()),
    }))
}

fn package_body(package: &Package) -> Value {
    let sides = package.geometry.and_then(|geometry| geometry.millimetres());
    let side = |place: usize| sides.map(|sides| inches(sides[place]));
    let grams = package.geometry.and_then(|geometry| geometry.grams());
    without_nulls(json!({
        "length": side(0),
        "width": side(1),
        "height": side(2),
        "weight": grams.map(ounces),
        "predefined_package": package.predefined_package_code,
    }))
}

fn customs_body(details: &ShipmentInput, customs: &Customs) -> Value {
    let items: Vec<Value> = customs
        .items
        .iter()
        .map(|item| {
            let currency = item.currency_code.as_deref().unwrap_or(CURRENCY);
            without_nulls(json!({
                "description": item.description,
                "quantity": item.quantity,
                "value": show_amount(item.value, currency),
                "currency": currency,
                "weight": item.mass.map(|mass| ounces(model::shipping::shipment::package::round_up(mass, 3))),
                "hs_tariff_number": item.hs_code,
                "origin_country": item.origin_country_code,
                "code": item.sku,
                "manufacturer_product_id": item.manufacturer_product_id,
                "standardized_product_id": item.standardized_product_id,
            }))
        })
        .collect();
    let declarant = customs.declarant.as_ref();
    without_nulls(json!({
        "contents_type": customs.contents_type,
        "contents_explanation": customs.contents_description,
        "customs_signer": declarant.and_then(|declarant| declarant.name.as_deref()),
        "customs_certify": declarant.and_then(|declarant| declarant.certify),
        "restriction_type": customs.restriction_type,
        "restriction_comments": customs.restriction_description,
        "declaration": customs.declaration_message,
        "non_delivery_option": shipping(details).and_then(|options| options.non_delivery.as_deref()),
        "customs_items": items,
    }))
}

fn shipping(details: &ShipmentInput) -> Option<&ShippingOptions> {
    details.options.as_ref()?.shipping.as_ref()
}

fn tax_identifier(identifier: &model::shipping::shipment::TaxIdentifier) -> Value {
    let entity = match identifier.taxable_entity_type.as_str() {
        "recipient" => "RECEIVER",
        "importer_of_record" => "IMPORTER_OF_RECORD",
        _ => "SENDER",
    };
    without_nulls(json!({
        "entity": entity,
        "tax_id": identifier.value,
        "tax_id_type": identifier.identifier_type.to_ascii_uppercase(),
        "issuing_country": identifier.issuing_country_code,
    }))
}
