//! Fixtures of our own, made from UPS's specification, and what the conformance suite needs.

use model::platform::shape::parse;
use model::shipping::shipment::ShipmentInput;
use model::{CarrierAccount, Id};

use super::*;
use crate::conformance::{Conformance, REFERENCE, day, ok};
use crate::{Parcel, Receipt};

pub fn account() -> Account {
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    let mut account = Account::new(
        Id::<CarrierAccount>::from_bits(1),
        object(json!({"account_number": "A1B2C3"})),
        object(json!({"client_id": "the-client", "client_secret": "the-client-secret"})),
    );
    account.tokens.insert(http::TOKEN, "the-access-token".to_owned());
    account
}

pub fn place(line: &str, city: &str, province: &str, code: &str, country: &str, name: &str) -> Value {
    json!({
        "address": {"line_1": line, "city": city, "province": province, "post_code": code, "country_code": country},
        "contact": {"name": name, "phone_number": "+1 555 123 4567", "email_address": "jo@example.com"},
    })
}

/// A shipment within the United States, with these changes.
pub fn details(changes: &[(&str, Value)]) -> ShipmentInput {
    let mut body = json!({
        "addresses": {
            "origin": place("1 Quay Street", "Alpharetta", "GA", "30005", "US", "Dispatch"),
            "destination": place("179 N Harbor Dr", "Redondo Beach", "CA", "90277", "US", "Jo Bloggs"),
        },
        "packages": [{"geometry": {"length": 25.4, "width": 20, "height": 10, "mass": 0.4}}],
        "options": {},
    });
    for (pointer, value) in changes {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let fields = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        fields.insert(name.to_owned(), value.clone());
        fields.retain(|_, value| !value.is_null());
    }
    parse(body).unwrap()
}

pub fn parcel(changes: &[(&str, Value)]) -> Parcel {
    Parcel::new(Id::from_bits(7), &details(changes)).shipped_on(day())
}

/// A shipment to the United Kingdom, with what customs want to know.
pub fn export() -> Parcel {
    let items = json!([
        {"description": "Shirt", "quantity": 3, "value": 10_000, "currency_code": "USD", "mass": 0.3, "hs_code": "610910",
         "origin_country_code": "PT", "sku": "SH-1"},
        {"description": "Cap", "quantity": 1, "value": 1999, "currency_code": "USD"},
    ]);
    let customs = json!({"contents_type": "merchandise", "incoterm": "DDP", "items": items});
    parcel(&[
        ("/addresses/destination", place("1 Broad St", "Bristol", "", "BS1 4DJ", "GB", "Ada")),
        ("/customs", customs),
        ("/packages", json!([{"geometry": {"mass": 1}}, {"geometry": {"mass": 2}}])),
        (
            "/tax_identifiers",
            json!([{"taxable_entity_type": "sender", "identifier_type": "ioss", "value": "IM0123456789"}]),
        ),
    ])
}

pub fn buying(parcel: &Parcel) -> Task<'_> {
    Task::Buy {
        parcel,
        service: "ups.ground",
        reference: REFERENCE,
        prepared: None,
        format: LabelFormat::Png,
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

/// A GIF of nothing, and a ZPL label.
pub const GIF: &str = "R0lGODlhAQABAAAAACw=";
pub const ZPL: &str = "XlhBXkZEMVpeRlNeWFo=";

pub fn shipped(numbers: &[&str]) -> Value {
    let packages: Vec<Value> = numbers
        .iter()
        .map(|number| {
            json!({"TrackingNumber": number,
                   "ShippingLabel": {"ImageFormat": {"Code": "GIF"}, "GraphicImage": GIF}})
        })
        .collect();
    json!({"ShipmentResponse": {
        "Response": {"ResponseStatus": {"Code": "1", "Description": "Success"}},
        "ShipmentResults": {
            "ShipmentCharges": {"TotalCharges": {"CurrencyCode": "USD", "MonetaryValue": "21.01"}},
            "NegotiatedRateCharges": {"TotalCharge": {"CurrencyCode": "USD", "MonetaryValue": "18.22"}},
            "ShipmentIdentificationNumber": numbers[0],
            "PackageResults": packages,
        },
    }})
}

pub fn recovered(numbers: &[&str]) -> Value {
    let results: Vec<Value> = numbers
        .iter()
        .map(|number| json!({"TrackingNumber": number, "LabelImage": {"LabelImageFormat": {"Code": "gif"}, "GraphicImage": GIF}}))
        .collect();
    json!({"LabelRecoveryResponse": {
        "Response": {"ResponseStatus": {"Code": "1"}},
        "ShipmentIdentificationNumber": numbers[0],
        "LabelResults": results,
    }})
}

pub fn rates() -> Value {
    json!({"RateResponse": {"RatedShipment": [
        {"Service": {"Code": "03"}, "TotalCharges": {"CurrencyCode": "USD", "MonetaryValue": "12.30"},
         "NegotiatedRateCharges": {"TotalCharge": {"CurrencyCode": "USD", "MonetaryValue": "9.05"}},
         "TimeInTransit": {"ServiceSummary": {"EstimatedArrival": {"BusinessDaysInTransit": "4", "TotalTransitDays": "6"}}}},
        {"Service": {"Code": "01"}, "TotalCharges": {"CurrencyCode": "USD", "MonetaryValue": "80"},
         "GuaranteedDelivery": {"BusinessDaysInTransit": "1"}},
        {"Service": {"Code": "96"}, "TotalCharges": {"CurrencyCode": "USD", "MonetaryValue": "300.00"}},
    ]}})
}

pub fn scans() -> Value {
    let scan = |kind: &str, words: &str, gmt: &str, local: &str| {
        json!({"status": {"type": kind, "description": words, "code": "XX"}, "gmtDate": "20261120", "gmtTime": gmt,
               "gmtOffset": "-05:00", "date": "20261120", "time": local})
    };
    json!({"trackResponse": {"shipment": [{"package": [{"trackingNumber": "1ZA1B2C30390000001", "activity": [
        scan("M", "Label created", "100000", "050000"),
        scan("D", "DELIVERED ", "16:30:00", "113000"),
        scan("I", "Arrived", "120000", "070000"),
    ]}]}]}})
}

pub fn failure(status: u16) -> String {
    let code = match status {
        401 => "250002",
        429 => "10429",
        _ => "120205",
    };
    json!({"response": {"errors": [{"code": code, "message": "Not that way."}]}}).to_string()
}

pub(crate) fn conformance() -> Conformance {
    let receipt = Receipt {
        purchase: "1ZA1B2C30390000001".to_owned(),
        tracking_numbers: vec!["1ZA1B2C30390000001".to_owned()],
        charged: 1822,
        currency: "USD".to_owned(),
        labels: Vec::new(),
    };
    let number = ["1ZA1B2C30390000001"];
    let voided = json!({"VoidShipmentResponse": {"SummaryResult": {"Status": {"Code": "1"}},
        "PackageLevelResults": [{"TrackingNumber": number[0], "Status": {"Code": "1"}}]}});
    Conformance {
        connector: &Ups,
        account: account(),
        parcel: parcel(&[]),
        service: "ups.ground",
        prepared: None,
        receipt,
        rate: vec![ok(rates())],
        prepare: Vec::new(),
        buy: vec![ok(shipped(&number))],
        look_up: vec![ok(recovered(&number))],
        void: vec![ok(voided)],
        track: vec![ok(scans())],
        label: vec![ok(recovered(&number))],
        manifest: Vec::new(),
        tokens: vec![(http::TOKEN, ok(json!({"access_token": "another-token", "expires_in": "14399"})))],
        failure,
        proves_no_charge: &[400, 402, 403, 404, 422, 429],
    }
}
