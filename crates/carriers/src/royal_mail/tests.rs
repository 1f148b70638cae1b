//! Fixtures made from Royal Mail's specification, and what the conformance suite needs.

use model::platform::shape::parse;
use model::shipping::shipment::ShipmentInput;
use model::{CarrierAccount, Id};
use serde_json::{Value, json};

use super::*;
use crate::conformance::{Conformance, REFERENCE, answer, day, ok};
use crate::{Parcel, Receipt};

pub fn object(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// A rate card of two services.
pub fn card() -> Value {
    json!({"trading_name": "Quay Goods", "services": [
        {"handle": "tracked_24", "name": "Tracked 24", "service_code": "TPN24", "delivery_days": 1, "is_tracked": true,
         "extras": {"signature": 120, "saturday_delivery": 250, "local_collect": 0},
         "rates": [{"countries": ["GB"], "formats": ["large_letter"], "rate": 290},
                   {"countries": ["GB"], "post_codes": ["BS", "BA"], "mass_max": 2, "rate": 350},
                   {"countries": ["GB"], "mass_max": 20, "rate": 385}]},
        {"handle": "international", "name": "International Standard", "service_code": "OLA",
         "rates": [{"mass_max": 2, "countries": ["DE", "FR"], "rate": 915}]}]})
}

pub fn account() -> Account {
    let credentials = object(json!({"api_key": "the-key-of-the-shop"}));
    Account::new(Id::<CarrierAccount>::from_bits(1), object(card()), credentials)
}

pub fn place(line: &str, city: &str, code: &str, country: &str, name: &str) -> Value {
    json!({
        "address": {"line_1": line, "city": city, "post_code": code, "country_code": country},
        "contact": {"name": name, "phone_number": "0117 496 0000", "email_address": "jo@example.com"},
    })
}

/// A shipment within the United Kingdom, with these changes.
pub fn details(changes: &[(&str, Value)]) -> ShipmentInput {
    let mut body = json!({
        "addresses": {
            "origin": place("1 Quay Street", "Bristol", "BS1 4DJ", "GB", "Dispatch"),
            "destination": place("7 Milsom Street", "Leeds", "LS1 4DY", "GB", "Jo Bloggs"),
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
    let items = json!([{"description": "Shirt", "quantity": 3, "value": 5000, "currency_code": "GBP", "mass": 0.3,
        "hs_code": "610910", "origin_country_code": "PT", "sku": "SH-1"}, {"description": "Cap", "quantity": 1, "value": 1999}]);
    parcel(&[
        ("/addresses/destination", place("Hauptstr. 1", "Berlin", "10115", "DE", "Ada")),
        ("/customs", json!({"contents_type": "gift", "items": items})),
    ])
}

pub fn buying<'a>(parcel: &'a Parcel, service: &'a str) -> Task<'a> {
    let (reference, prepared) = (REFERENCE, None);
    Task::Buy { parcel, service, reference, prepared, format: LabelFormat::Pdf, ship_on: day() }
}

pub fn look_up() -> Task<'static> {
    Task::LookUp { reference: REFERENCE, prepared: None }
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

/// `%PDF-1.4`.
pub const PDF: &str = "JVBERi0xLjQ=";

/// An order as look-ups show it.
pub fn shown(number: u64, reference: &str, tracking_number: Value) -> Value {
    json!({"orderIdentifier": number, "orderReference": reference, "createdOn": "2026-11-19T09:00:00",
        "orderDate": "2026-11-19T00:00:00", "printedOn": null, "manifestedOn": null, "shippedOn": null,
        "trackingNumber": tracking_number})
}

/// An order as it is created.
pub fn created() -> Value {
    let mut order = shown(1001, REFERENCE, json!("AB123456785GB"));
    order["label"] = json!(PDF);
    order["labelErrors"] = json!([]);
    order["generatedDocuments"] = json!(["postageLabel"]);
    json!({"successCount": 1, "errorsCount": 0, "createdOrders": [order], "failedOrders": []})
}

/// Orders that were not made.
pub fn failed(message: &str, field: &str) -> Value {
    let errors =
        json!([{"errorCode": 5, "errorMessage": message, "fields": [{"fieldName": field, "value": "x"}]}]);
    json!({"successCount": 0, "errorsCount": 1, "createdOrders": [], "failedOrders": [{"order": {}, "errors": errors}]})
}

pub fn failure(status: u16) -> String {
    json!({"code": status.to_string(), "message": "Not that way.", "details": "None."}).to_string()
}

pub fn missing() -> Answer {
    answer(404, failure(404))
}

pub fn receipt() -> Receipt {
    Receipt {
        purchase: "1001".to_owned(),
        tracking_numbers: vec!["AB123456785GB".to_owned()],
        charged: 385,
        currency: "GBP".to_owned(),
        labels: Vec::new(),
    }
}

pub(crate) fn conformance() -> Conformance {
    let order = || shown(1001, REFERENCE, json!("AB123456785GB"));
    Conformance {
        connector: &RoyalMail,
        account: account(),
        parcel: parcel(&[]),
        service: "tracked_24",
        prepared: None,
        receipt: receipt(),
        rate: Vec::new(),
        prepare: Vec::new(),
        buy: vec![missing(), ok(created())],
        look_up: vec![ok(json!([order()]))],
        void: vec![ok(
            json!({"deletedOrders": [{"orderIdentifier": 1001, "orderReference": REFERENCE}], "errors": []}),
        )],
        track: Vec::new(),
        label: vec![ok("%PDF-1.4 a label %%EOF")],
        manifest: vec![ok(json!([order()])), answer(201, json!({"manifestNumber": 77, "documentPdf": PDF}))],
        tokens: Vec::new(),
        failure,
        proves_no_charge: &[400, 401, 403],
    }
}
