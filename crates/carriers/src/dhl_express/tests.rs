//! Fixtures of our own, made from DHL's specification, and what the conformance suite needs.

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

pub fn account() -> Account {
    Account::new(
        Id::<CarrierAccount>::from_bits(1),
        object(json!({"account_number": "123456789"})),
        object(json!({"username": "the-user", "password": "the-password"})),
    )
}

pub fn place(line: &str, city: &str, code: &str, country: &str, name: &str) -> Value {
    json!({
        "address": {"line_1": line, "city": city, "post_code": code, "country_code": country},
        "contact": {"name": name, "phone_number": "+44 117 496 0000", "email_address": "jo@example.com"},
    })
}

/// A shipment from Germany to the United Kingdom, with these changes.
pub fn details(changes: &[(&str, Value)]) -> ShipmentInput {
    let items = json!([{"description": "Shirt", "quantity": 3, "value": 5000, "currency_code": "EUR", "mass": 0.3,
        "hs_code": "610910", "origin_country_code": "PT"}, {"description": "Cap", "quantity": 1, "value": 1999}]);
    let mut body = json!({
        "addresses": {
            "origin": place("Kaistr. 1", "Hamburg", "20457", "DE", "Dispatch"),
            "destination": place("7 Milsom Street", "Leeds", "LS1 4DY", "GB", "Jo Bloggs"),
        },
        "packages": [{"geometry": {"length": 15, "width": 22, "height": 5.5, "mass": 0.5}}],
        "customs": {"contents_type": "gift", "items": items},
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

pub fn buying(parcel: &Parcel, format: LabelFormat) -> Task<'_> {
    let (service, reference, prepared) = ("dhl_express.worldwide", REFERENCE, None);
    Task::Buy { parcel, service, reference, prepared, format, ship_on: day() }
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

pub fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// `%PDF-1.4` and `^XA^XZ`.
pub const PDF: &str = "JVBERi0xLjQ=";
pub const ZPL: &str = "XlhBXlha";

pub fn shipped() -> Value {
    json!({"shipmentTrackingNumber": "5374534616",
        "packages": [{"referenceNumber": 1, "trackingNumber": "JD014600004617230711"}],
        "documents": [{"imageFormat": "PDF", "content": PDF, "typeCode": "label"},
            {"imageFormat": "PDF", "content": PDF, "typeCode": "invoice"}],
        "shipmentCharges": [{"currencyType": "BILLC", "priceCurrency": "EUR", "price": 42.5},
            {"currencyType": "PULCL", "priceCurrency": "EUR", "price": 99}]})
}

pub fn product(code: &str, price: Value) -> Value {
    json!({"productName": "X", "productCode": code, "localProductCode": code,
        "totalPrice": [{"currencyType": "PULCL", "priceCurrency": "EUR", "price": 99.99}, price],
        "deliveryCapabilities": {"totalTransitDays": 2}})
}

pub fn billed(price: f64) -> Value {
    json!({"currencyType": "BILLC", "priceCurrency": "EUR", "price": price})
}

pub fn shipment(number: &str, events: Value) -> Value {
    json!({"shipments": [{"shipmentTrackingNumber": number, "status": "Success", "description": "Shirts", "events": events}]})
}

pub fn event(time: &str, code: &str, text: &str) -> Value {
    json!({"date": "2026-11-20", "time": time, "GMTOffset": "+01:00", "typeCode": code, "description": text})
}

pub fn failure(status: u16) -> String {
    json!({"instance": "/expressapi/shipments", "detail": "7008: The requested Special Service Code is not available.",
        "title": "Bad request", "message": "Bad request", "status": status.to_string()})
    .to_string()
}

pub fn receipt() -> Receipt {
    Receipt {
        purchase: "5374534616".to_owned(),
        tracking_numbers: vec!["5374534616".to_owned()],
        charged: 4250,
        currency: "EUR".to_owned(),
        labels: Vec::new(),
    }
}

pub(crate) fn conformance() -> Conformance {
    let events = json!([event("09:00:00", "PU", "Shipment picked up")]);
    Conformance {
        connector: &DhlExpress,
        account: account(),
        parcel: parcel(&[]),
        service: "dhl_express.worldwide",
        prepared: None,
        receipt: receipt(),
        rate: vec![ok(json!({"products": [product("P", billed(42.5))]}))],
        prepare: Vec::new(),
        buy: vec![answer(201, shipped())],
        look_up: vec![ok(shipment("5374534616", events.clone()))],
        void: Vec::new(),
        track: vec![ok(shipment("5374534616", events))],
        label: Vec::new(),
        manifest: Vec::new(),
        tokens: Vec::new(),
        failure,
        proves_no_charge: &[400, 401, 403, 422],
    }
}
