//! What Royal Mail is told: the body of an order.

use model::Day;
use model::shipping::shipment::{AddressRecord, ShipmentInput};
use serde_json::{Value, json};

use super::card::{Card, CardService};
use super::contents::{amount, currency, is_declared, lines, total};
use super::format::Format;
use super::options::shipping;
use crate::json::without_nulls;

const PHONE_CHARS: usize = 25;

/// A purchase, as far as Royal Mail is told.
pub struct Purchase<'a> {
    pub card: &'a Card,
    pub service: &'a CardService,
    pub reference: &'a str,
    pub ship_on: Day,
}

/// Returns the body that makes one order with its label. Nothing in it depends on the time of the request.
pub fn order(details: &ShipmentInput, purchase: &Purchase<'_>) -> Option<Value> {
    let [package] = details.packages.as_slice() else { return None };
    let shipping = shipping(details);
    let day = format!("{}T00:00:00Z", purchase.ship_on);
    let to = &details.addresses.destination;
    let contact = to.contact.as_ref();
    let item = without_nulls(json!({
        "orderReference": purchase.reference,
        "isRecipientABusiness": shipping.and_then(|shipping| shipping.commercial_address),
        "recipient": without_nulls(json!({
            "address": address(to),
            "phoneNumber": given(contact.and_then(|contact| contact.phone_number.as_ref())).map(phone),
            "emailAddress": given(contact.and_then(|contact| contact.email_address.as_ref())),
        })),
        "sender": purchase.card.trading_name.as_deref().map(|name| json!({"tradingName": name})),
        "packages": [without_nulls(json!({
            "weightInGrams": package.geometry?.grams()?,
            "packageFormatIdentifier": Format::of(package)?.identifier(),
            "dimensions": package.geometry?.millimetres().map(sides),
            "contents": lines(details),
        }))],
        "orderDate": day,
        "plannedDespatchDate": day,
        "subtotal": amount(total(details)),
        "shippingCostCharged": 0,
        "total": amount(total(details)),
        "currencyCode": currency(details),
        "postageDetails": postage(details, purchase.service),
        "label": {
            "includeLabelInResponse": true,
            "includeCN": is_declared(details),
            "includeReturnsLabel": false,
        },
    }));
    Some(json!({"items": [item]}))
}

/// The service, and what is asked of it.
fn postage(details: &ShipmentInput, service: &CardService) -> Value {
    let shipping = shipping(details);
    let is_asked = |asked: Option<bool>| (asked == Some(true)).then_some(true);
    let ioss = details.tax_identifiers.iter().find(|identifier| identifier.identifier_type == "ioss");
    without_nulls(json!({
        "serviceCode": service.service_code,
        "guaranteedSaturdayDelivery": is_asked(shipping.and_then(|shipping| shipping.saturday_delivery)),
        "requestSignatureUponDelivery": is_asked(shipping.map(|shipping| shipping.signature().is_some())),
        "isLocalCollect": is_asked(shipping.and_then(|shipping| shipping.hold_for_pickup)),
        "safePlace": given(shipping.and_then(|shipping| shipping.safe_place.as_ref())),
        "IOSSNumber": ioss.map(|identifier| identifier.value.as_str()).filter(|_| is_declared(details)),
    }))
}

fn address(record: &AddressRecord) -> Value {
    let (postal, contact) = (&record.address, record.contact.as_ref());
    without_nulls(json!({
        "fullName": given(contact.and_then(|contact| contact.name.as_ref())),
        "companyName": given(contact.and_then(|contact| contact.company.as_ref())),
        "addressLine1": postal.line_1,
        "addressLine2": given(postal.line_2.as_ref()),
        "addressLine3": given(postal.line_3.as_ref()),
        "city": postal.city,
        "county": given(postal.province.as_ref()),
        "postcode": given(postal.post_code.as_ref()),
        "countryCode": postal.country_code,
    }))
}

fn sides(mut sides: [i64; 3]) -> Value {
    sides.sort_unstable();
    let [height, width, depth] = sides;
    json!({"heightInMms": height, "widthInMms": width, "depthInMms": depth})
}

/// A text that is not blank.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn phone(number: &str) -> String {
    number.chars().take(PHONE_CHARS).collect()
}
