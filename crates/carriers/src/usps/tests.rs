//! Fixtures of our own, made from USPS's specification, and what the conformance suite needs.

use model::platform::shape::parse;
use model::shipping::shipment::ShipmentInput;
use model::{CarrierAccount, Id};
use serde_json::{Value, json};

use super::*;
use crate::Parcel;
use crate::conformance::{Conformance, REFERENCE, day, ok};

pub fn account() -> Account {
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    let mut account = Account::new(
        Id::<CarrierAccount>::from_bits(1),
        object(json!({"crid": "12345678", "mid": "123456789", "eps_account_number": "1000000001"})),
        object(json!({"client_id": "the-client", "client_secret": "the-client-secret"})),
    );
    account.tokens.insert(http::TOKEN, "the-access-token".to_owned());
    account.tokens.insert(http::PAYMENT, "the-payment-token".to_owned());
    account.tokens.insert(http::RETURNS, "the-returns-token".to_owned());
    account
}

pub fn place(line: &str, city: &str, province: &str, code: &str, country: &str, name: &str) -> Value {
    json!({
        "address": {"line_1": line, "city": city, "province": province, "post_code": code, "country_code": country},
        "contact": {"name": name, "phone_number": "(555) 123-4567"},
    })
}

/// A shipment within the United States, with these changes.
pub fn details(changes: &[(&str, Value)]) -> ShipmentInput {
    let mut body = json!({
        "addresses": {
            "origin": place("45 L St SW", "Washington", "DC", "20024", "US", "Dispatch"),
            "destination": place("2700 S Jefferson Ave", "St. Louis", "MO", "63104-2351", "US", "Jo van Bloggs"),
        },
        "packages": [{"geometry": {"length": 22, "width": 15, "height": 5, "mass": 0.5}}],
        "options": {},
    });
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[name] = value.clone();
    }
    parse(body).unwrap()
}

pub fn parcel(changes: &[(&str, Value)]) -> Parcel {
    Parcel::new(Id::from_bits(7), &details(changes)).shipped_on(day())
}

pub fn export() -> Parcel {
    let items = json!([{"description": "Shirt", "quantity": 2, "value": 5000, "currency_code": "USD", "mass": 0.3,
        "hs_code": "610910", "origin_country_code": "PT"}, {"description": "Cap", "quantity": 1, "value": 1999}]);
    parcel(&[
        ("/addresses/destination", place("1 Broad St", "Bristol", "Avon", "BS1 4DJ", "GB", "Ada")),
        ("/customs", json!({"contents_type": "gift", "items": items})),
    ])
}

pub fn buying<'a>(parcel: &'a Parcel, service: &'a str) -> Task<'a> {
    Task::Buy {
        parcel,
        service,
        reference: REFERENCE,
        prepared: None,
        format: LabelFormat::Pdf,
        ship_on: day(),
    }
}

pub fn sent(step: Step) -> Request {
    match step {
        Step::Send(request) => request,
        Step::Done(outcome) => panic!("{outcome:?}"),
    }
}

pub fn done(step: Step) -> Outcome {
    match step {
        Step::Done(outcome) => outcome,
        Step::Send(request) => panic!("{request:?}"),
    }
}

pub fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

pub fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
}

/// `%PDF-1.4` and `^XA^XZ`.
pub const PDF: &str = "JVBERi0xLjQ=";
pub const ZPL: &str = "XlhBXlha";

pub fn made() -> Value {
    json!({"trackingNumber": "9200190414219000000011", "postage": 8.4, "zone": "04",
        "extraServices": [{"name": "USPS Tracking", "price": 0.0, "SKU": "X"}, {"name": "Signature Confirmation", "price": 3.2}],
        "fees": [{"name": "Nonstandard", "price": 1.05}], "labelImage": PDF})
}

/// The same as several parts, which USPS sends unless it is asked for JSON.
pub fn parted() -> String {
    let mut data = made();
    data.as_object_mut().unwrap().remove("labelImage");
    format!(
        "--b-1\r\nContent-Type: application/json\r\nContent-Disposition: form-data; name=\"labelMetadata\"\r\n\r\n{data}\r\n\
         --b-1\r\nContent-Type: application/pdf\r\nContent-Disposition: form-data; filename=\"labelImage.pdf\"; \
         name=\"labelImage\"\r\n\r\n{PDF}\r\n--b-1--\r\n"
    )
}

pub fn rates() -> Value {
    let rate = |class: &str, indicator: &str, base: f64, total: Value, facility: &str| {
        json!({"mailClass": class, "rateOptions": [{"commitment": {"name": "3 Days"}, "totalBasePrice": base, "totalPrice": total,
            "rates": [{"mailClass": class, "rateIndicator": indicator, "price": base, "destinationEntryFacilityType": facility}],
            "extraServices": []}]})
    };
    json!({"pricingOptions": [{"priceType": "COMMERCIAL", "shippingOptions": [
        rate("USPS_GROUND_ADVANTAGE", "SP", 6.05, json!(7.1), "NONE"),
        rate("PRIORITY_MAIL", "SP", 9.95, Value::Null, "NONE"),
        rate("PRIORITY_MAIL", "FB", 16.5, Value::Null, "NONE"),
        rate("PARCEL_SELECT", "SP", 3.4, Value::Null, "DESTINATION_DELIVERY_UNIT"),
        rate("PRIORITY_MAIL_EXPRESS", "PA", 30.0, Value::Null, "NONE"),
    ]}]})
}

pub fn events() -> Value {
    let event = |kind: &str, at: &str| json!({"eventType": kind, "eventTimestamp": "2026-11-22T13:58:00", "GMTTimestamp": at});
    json!({"trackingNumber": "9200190414219000000011", "statusCategory": "Delivered", "status": "Delivered, <SUP>&reg;</SUP>Locker",
        "trackingEvents": [event("Out for Delivery", "2026-11-22T14:10:45Z"), event("Delivered", "2026-11-22T18:58:40Z")]})
}

pub fn failure(status: u16) -> String {
    json!({"apiVersion": "/labels/v3", "error": {"code": status.to_string(), "message": "Bad Request",
        "errors": [{"title": "Bad Request", "detail": "The street address was not found.", "code": "160001"}]}})
    .to_string()
}

pub(crate) fn conformance() -> Conformance {
    let number = "9200190414219000000011".to_owned();
    let receipt = Receipt {
        purchase: number.clone(),
        tracking_numbers: vec![number],
        charged: 1265,
        currency: "USD".to_owned(),
        labels: Vec::new(),
    };
    Conformance {
        connector: &Usps,
        account: account(),
        parcel: parcel(&[]),
        service: "usps.ground_advantage",
        prepared: None,
        receipt,
        rate: vec![ok(rates())],
        prepare: Vec::new(),
        buy: vec![ok(made())],
        look_up: vec![ok(json!({"labelMetadata": made(), "labelImage": PDF}))],
        void: vec![ok(json!({"trackingNumber": "9200190414219000000011", "status": "CANCELED"}))],
        track: vec![ok(events())],
        label: vec![ok(json!({"labelMetadata": made(), "labelImage": PDF}))],
        manifest: vec![ok(json!({"manifestNumber": "9475038234567000031430", "SCANFormImage": PDF}))],
        tokens: vec![
            (http::TOKEN, ok(json!({"access_token": "another-token", "expires_in": 28799}))),
            (http::PAYMENT, ok(json!({"paymentAuthorizationToken": "header.body.signature"}))),
            (http::RETURNS, ok(json!({"paymentAuthorizationToken": "header.returns.signature"}))),
        ],
        failure,
        proves_no_charge: &[400, 402, 403, 404, 422],
    }
}
