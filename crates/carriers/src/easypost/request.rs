//! What EasyPost is told: its own words for ours, in inches and ounces.

use model::money::show_amount;
use model::shipment::options::{LabelFormat, ShippingOptions};
use model::shipment::{AddressRecord, Customs, Package, ShipmentInput};
use serde_json::{Map, Value, json};

use crate::Parcel;

/// A millimetre and a gram, in tenths of an inch and of an ounce: what EasyPost counts in, rounded up.
const MM_PER_INCH: f64 = 25.4;
const GRAMS_PER_OUNCE: f64 = 28.349_523_125;
/// The currency of values without one.
const CURRENCY: &str = "USD";

/// The body that makes a shipment known, free of charge, and asks for its rates.
pub fn shipment(parcel: &Parcel, format: LabelFormat) -> Value {
    let details = &parcel.details;
    let mut body = Map::new();
    body.insert("reference".to_owned(), json!(parcel.id.to_string()));
    body.insert("to_address".to_owned(), address(&details.addresses.destination));
    if let Some(origin) = &details.addresses.origin {
        body.insert("from_address".to_owned(), address(origin));
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
    body.insert("options".to_owned(), options(details, format));
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
    let name = contact.and_then(|contact| contact.name.as_deref()).or(record.display_name.as_deref());
    without_nulls(json!({
        "name": name,
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
    let side = |place: usize| sides.map(|sides| tenths_up(sides[place] as f64 / MM_PER_INCH));
    let grams = package.geometry.and_then(|geometry| geometry.grams());
    without_nulls(json!({
        "length": side(0),
        "width": side(1),
        "height": side(2),
        "weight": grams.map(ounces),
        "predefined_package": package.predefined_package_code,
    }))
}

fn ounces(grams: i64) -> f64 {
    tenths_up(grams as f64 / GRAMS_PER_OUNCE)
}

/// To a tenth, rounded up: what is measured too small is billed later.
fn tenths_up(number: f64) -> f64 {
    // What only the division has added is not there.
    ((number * 10.0 - 1e-9).ceil() / 10.0).max(0.1)
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
                "weight": item.mass.map(|mass| ounces(model::shipment::package::round_up(mass, 3))),
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

fn options(details: &ShipmentInput, format: LabelFormat) -> Value {
    let mut options = json!({ "label_format": format.as_str().to_ascii_uppercase() });
    let label = details.options.as_ref().and_then(|options| options.label.as_ref());
    if let Some(size) = label.and_then(|label| label.size.as_deref()) {
        options["label_size"] = json!(size);
    }
    if let Some(custom) = label.and_then(|label| label.custom_data.as_ref()) {
        let lists = [("", &custom.text_lines), ("_code", &custom.line_codes), ("_barcode", &custom.barcodes)];
        for (suffix, lines) in lists {
            for (place, line) in lines.iter().flatten().enumerate() {
                options[format!("print_custom_{}{suffix}", place + 1)] = json!(line);
            }
        }
    }
    if let Some(incoterm) = details.customs.as_ref().and_then(|customs| customs.incoterm.as_deref()) {
        options["incoterm"] = json!(incoterm);
    }
    if let Some(shipping) = shipping(details) {
        shipping_options(shipping, &mut options);
    }
    without_nulls(options)
}

/// Their words for our options; what EasyPost does not know is left out.
fn shipping_options(ours: &ShippingOptions, options: &mut Value) {
    let flags = [
        ("commercial_address", ours.commercial_address.map(|is_commercial| json!(is_commercial))),
        ("hold_for_pickup", ours.hold_for_pickup.map(|flag| json!(flag))),
        ("machinable", ours.machinable.map(|flag| json!(flag))),
        ("saturday_delivery", ours.saturday_delivery.map(|flag| json!(flag))),
        ("handling_instructions", ours.handling_instructions.as_deref().map(|text| json!(text))),
        ("dropoff_type", ours.dropoff_type.as_deref().map(|word| json!(word.to_ascii_uppercase()))),
        (
            "endorsement",
            ours.invalid_address_handling.as_deref().and_then(endorsement).map(|word| json!(word)),
        ),
        ("delivery_confirmation", signature(ours).map(|word| json!(word))),
        ("currency", ours.currency_code.as_deref().map(|code| json!(code))),
        ("label_date", ours.date.map(|date| json!(date.to_string()))),
        ("dry_ice", ours.dry_ice_mass.map(|mass| json!(mass > 0.0))),
        (
            "dry_ice_weight",
            ours.dry_ice_mass.map(|mass| json!(ounces(model::shipment::package::round_up(mass, 3)))),
        ),
        ("alcohol", has_substance(ours, "alcohol")),
        ("hazmat", has_substance(ours, "limited_quantity").map(|_| json!("LIMITED_QUANTITY"))),
        ("dropoff_max_datetime", None),
    ];
    for (name, value) in flags {
        if let Some(value) = value {
            options[name] = value;
        }
    }
}

fn has_substance(options: &ShippingOptions, name: &str) -> Option<Value> {
    let substances = options.restricted_substances.as_ref()?;
    substances.iter().any(|substance| substance == name).then(|| json!(true))
}

fn endorsement(ours: &str) -> Option<&'static str> {
    Some(match ours {
        "forward_or_return" => "FORWARDING_SERVICE_REQUESTED",
        "forward_and_notify" => "ADDRESS_SERVICE_REQUESTED",
        "return" => "RETURN_SERVICE_REQUESTED",
        "discard_and_notify" => "CHANGE_SERVICE_REQUESTED",
        "leave_if_no_response" => "LEAVE_IF_NO_RESPONSE",
        _ => return None,
    })
}

/// The stricter of what is asked for.
fn signature(options: &ShippingOptions) -> Option<&'static str> {
    match options.signature_type.as_deref() {
        Some("adult") => Some("ADULT_SIGNATURE"),
        Some("none") => Some("NO_SIGNATURE"),
        Some("indirect") => Some("INDIRECT_SIGNATURE"),
        Some("direct" | "certified") => Some("DIRECT_SIGNATURE"),
        Some("standard" | "carrier_confirmation") => Some("SIGNATURE"),
        _ if options.signature_required == Some(true) => Some("SIGNATURE"),
        _ => None,
    }
}

fn tax_identifier(identifier: &model::shipment::TaxIdentifier) -> Value {
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

/// EasyPost takes a null for a value.
fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
