//! Fixtures of our own, made from DHL's specification, and what the conformance suite needs.

use model::platform::shape::parse;
use model::shipping::shipment::ShipmentInput;
use model::{CarrierAccount, Id};
use serde_json::{Value, json};

use super::*;
use crate::conformance::{Conformance, REFERENCE, answer, day, ok};
use crate::{Parcel, Request};

fn object(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub fn configuration() -> Value {
    json!({
        "billing_numbers": {"V01PAK": "33333333330102", "V62KP": "33333333336201", "V53WPAK": "33333333335301",
            "V54EPAK": "33333333335401", "V66WPI": "33333333336601"},
        "return_receiver_ids": {"DE": "deu", "CH": "che"},
        "postal_charges": {"EUR": 490},
        "rate_card": {"currency_code": "EUR", "prices": [
            {"service": "dhl_parcel_de.kleinpaket", "rate": 319, "delivery_days": 2},
            {"service": "dhl_parcel_de.paket", "mass_max": 2, "until": "2026-12-31", "rate": 419, "delivery_days": 1},
            {"service": "dhl_parcel_de.paket", "mass_max": 31.5, "rate": 749, "delivery_days": 1},
            {"service": "dhl_parcel_de.paket_international", "countries": ["CH", "GB"], "rate": 1190, "rate_per_kg": 90},
            {"service": "dhl_parcel_de.retoure", "countries": ["DE"], "rate": 399},
        ]},
    })
}

/// An account with the secret of an application, which gets tokens and may track.
pub fn account() -> Account {
    let mut account = account_of_user();
    for (name, value) in [
        ("api_secret", "the-api-secret"),
        ("tracking_username", "the-tracking-user"),
        ("tracking_password", "the-tracking-password"),
    ] {
        account.credentials.insert(name.to_owned(), json!(value));
    }
    account.tokens.insert(http::TOKEN, "the-access-token".to_owned());
    account
}

/// An account whose requests have a key, a user and a password.
pub fn account_of_user() -> Account {
    Account::new(
        Id::<CarrierAccount>::from_bits(1),
        object(configuration()),
        object(json!({"api_key": "the-api-key", "username": "the-user", "password": "the-user-password"})),
    )
}

pub fn place(line: &str, city: &str, code: &str, country: &str, name: &str) -> Value {
    json!({
        "address": {"line_1": line, "city": city, "post_code": code, "country_code": country},
        "contact": {"name": name, "phone_number": "+49 228 1234567"},
    })
}

/// A shipment within Germany, with these changes.
pub fn details(changes: &[(&str, Value)]) -> ShipmentInput {
    let mut body = json!({
        "addresses": {
            "origin": place("Sträßchensweg 10", "Bonn", "53113", "DE", "Dispatch"),
            "destination": place("Kurt-Schumacher-Str. 20", "Berlin", "10115", "DE", "Maria Musterfrau"),
        },
        "packages": [{"geometry": {"length": 22, "width": 15, "height": 5.1, "mass": 0.5}}],
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

pub fn two_packages() -> Parcel {
    parcel(&[("/packages", json!([{"geometry": {"mass": 2}}, {"geometry": {"mass": 5}}]))])
}

pub fn back() -> Parcel {
    parcel(&[("/options", json!({"shipping": {"is_return": true}}))])
}

pub fn export(items: Value) -> Parcel {
    parcel(&[
        ("/addresses/destination", place("Bundesgasse 3", "Bern", "3003", "CH", "Ada")),
        ("/customs", json!({"contents_type": "gift", "items": items})),
    ])
}

pub fn shirts() -> Value {
    json!([{"description": "Shirt", "quantity": 3, "value": 1000, "currency_code": "EUR", "mass": 0.3, "hs_code": "610910",
        "origin_country_code": "PT"}])
}

pub const PAKET: &str = "dhl_parcel_de.paket";

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

/// The XML that is in the address of a request to the tracking.
pub fn xml_of(request: &Request) -> String {
    let encoded = request.url.split_once("?xml=").unwrap().1;
    let mut bytes = Vec::new();
    let mut rest = encoded.as_bytes();
    while let [first, after @ ..] = rest {
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let hex = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).unwrap(), 16).unwrap());
                rest = after;
            }
            (byte, after) => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// `%PDF-1.4`.
pub const PDF: &str = "JVBERi0xLjQ=";
pub const NUMBER: &str = "00340434161094015902";
pub const OTHER_NUMBER: &str = "00340434161094015919";

pub fn made(number: &str) -> Value {
    json!({"shipmentNo": number, "sstatus": {"title": "OK", "statusCode": 200},
        "label": {"b64": PDF, "fileFormat": "PDF", "printFormat": "910-300-400"}})
}

pub fn refused(words: &str) -> Value {
    json!({"sstatus": {"title": "Bad Request", "statusCode": 400},
        "validationMessages": [{"property": "consignee", "validationMessage": words, "validationState": "Error"}]})
}

pub fn orders(items: Value) -> Value {
    json!({"status": {"title": "OK", "statusCode": 200, "detail": "All shipments successfully created."}, "items": items})
}

/// What a dry run says of so many shipments: all is well.
pub fn valid(count: usize) -> Value {
    let item = |place| json!({"requestIndex": place, "sstatus": {"title": "OK", "statusCode": 200}, "validationMessages": []});
    let items: Vec<Value> = (1..=count).map(item).collect();
    json!({"status": {"title": "OK", "statusCode": 200}, "items": items})
}

pub fn piece(number: &str, reference: &str, changes: &str) -> String {
    format!(
        "<data name=\"piece-shipment\" error-status=\"0\" piece-code=\"{number}\" piece-customer-reference=\"{reference}\" \
         status=\"Delivery successful &amp; done\" ruecksendung=\"false\" {changes}><data name=\"piece-event-list\"/></data>"
    )
}

pub fn pieces(pieces: &[String]) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><data name=\"piece-shipment-list\" code=\"0\">{}</data>",
        pieces.concat()
    )
}

pub const DELIVERED: &str = "ice=\"DLVRD\" ric=\"OTHER\" standard-event-code=\"ZU\"";
pub const NO_DATA: &str = "<data name=\"piece-shipment-list\" code=\"100\" error=\"No data found\"/>";

pub fn failure(status: u16) -> String {
    match status {
        400 => json!({"status": {"title": "Bad Request", "statusCode": 400, "detail": "There are errors."},
            "items": [{"propertyPath": "shipments[0].consignee.city", "message": "The city is unknown."}]}),
        status => json!({"title": "Failure", "statusCode": status, "detail": "DHL says why."}),
    }
    .to_string()
}

pub fn receipt(numbers: &[&str]) -> Receipt {
    Receipt {
        purchase: numbers.join(","),
        tracking_numbers: numbers.iter().map(|number| (*number).to_owned()).collect(),
        charged: 419,
        currency: "EUR".to_owned(),
        labels: Vec::new(),
    }
}

/// An account with tokens, and a shipment of one package.
pub(crate) fn conformance() -> Conformance {
    let parcel = parcel(&[]);
    Conformance {
        connector: &DhlParcelDe,
        account: account(),
        service: PAKET,
        prepared: None,
        receipt: receipt(&[NUMBER]),
        // Paket and Kleinpaket.
        rate: vec![answer(207, valid(2))],
        prepare: Vec::new(),
        buy: vec![ok(orders(json!([made(NUMBER)])))],
        look_up: vec![ok(pieces(&[piece(NUMBER, REFERENCE, DELIVERED)]))],
        void: vec![ok(orders(
            json!([{"shipmentNo": NUMBER, "sstatus": {"title": "OK", "statusCode": 200}}]),
        ))],
        track: vec![ok(pieces(&[piece(NUMBER, "", DELIVERED)]))],
        label: vec![ok(orders(json!([made(NUMBER)])))],
        manifest: vec![answer(
            207,
            orders(json!([{"shipmentNo": NUMBER, "sstatus": {"title": "OK", "statusCode": 200}}])),
        )],
        tokens: vec![(
            http::TOKEN,
            ok(json!({"access_token": "another-token", "token_type": "Bearer", "expires_in": 1799})),
        )],
        failure,
        proves_no_charge: &[400, 402, 403, 404, 422],
        parcel,
    }
}

/// An account without tokens, and a shipment of two packages: a dry run comes before the purchase.
pub(crate) fn conformance_of_several_packages() -> Conformance {
    let ok_of = |number: &str| json!({"shipmentNo": number, "sstatus": {"title": "OK", "status": 200}});
    let both = || json!([ok_of(NUMBER), ok_of(OTHER_NUMBER)]);
    let all_made = || answer(207, orders(json!([made(NUMBER), made(OTHER_NUMBER)])));
    Conformance {
        account: account_of_user(),
        parcel: two_packages(),
        receipt: receipt(&[NUMBER, OTHER_NUMBER]),
        rate: vec![answer(207, valid(2))],
        buy: vec![answer(207, valid(2)), all_made()],
        look_up: Vec::new(),
        void: vec![answer(207, orders(both()))],
        track: Vec::new(),
        label: vec![all_made()],
        manifest: vec![answer(207, orders(both()))],
        tokens: Vec::new(),
        // The key and the password are checked before anything is done.
        proves_no_charge: &[400, 401, 402, 403, 404, 422],
        ..conformance()
    }
}

/// A return, which has an interface of its own.
pub(crate) fn conformance_of_returns() -> Conformance {
    let made = json!({"sstatus": {"title": "Created", "status": 201}, "shipmentNo": "999991587211", "label": {"b64": PDF},
        "routingCode": "40327653113+99000933090010"});
    Conformance {
        parcel: back(),
        service: "dhl_parcel_de.retoure",
        rate: Vec::new(),
        buy: vec![answer(201, made)],
        ..conformance()
    }
}
