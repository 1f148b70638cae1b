//! Any bytes as the answers to any task of any carrier, to a request for a token, or as a carrier's message: they mean something or
//! nothing, a task ends, and nothing is bought or denied by mistake.
#![no_main]

use std::time::Duration;

use bytes::Bytes;
use carriers::easypost::{is_signed, message};
use carriers::{ALL, Account, Answer, Connector, Outcome, Parcel, Receipt, Step, Task, TokenOutcome};
use libfuzzer_sys::fuzz_target;
use model::shipping::shipment::LabelFormat;
use model::{Day, Id};
use serde_json::{Value, json};

/// Exchanges after which a task must have come to an end.
const EXCHANGES_MAX: usize = 6;
/// Between the answers of several exchanges.
const SEPARATOR: u8 = 0xff;
const STATUSES: [u16; 11] = [200, 201, 207, 400, 401, 404, 409, 422, 429, 500, 503];

/// An account that has what any carrier may want.
fn account(carrier: &str) -> Account {
    let text = "0123456789";
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    let credentials =
        object(json!({"api_key": text, "api_secret": text, "client_id": text, "client_secret": text,
        "username": text, "password": text, "token": text, "consumer_key": text, "consumer_secret": text,
        "tracking_username": text, "tracking_password": text}));
    let configuration = match carrier {
        "dhl_parcel_de" => json!({"billing_numbers": {"V01PAK": "33333333330102", "V62KP": "33333333336201"}}),
        "royal_mail" => json!({"services": [{"handle": "usps.ground_advantage", "name": "Tracked", "service_code": "TPN24",
            "rates": [{"rate": 385}]}]}),
        _ => json!({}),
    };
    Account::new(Id::from_bits(1), object(configuration), credentials)
}

/// A shipment within a country in which the carrier delivers.
fn shipment(carrier: &str) -> model::shipping::shipment::ShipmentInput {
    let (city, province, code, country) = match carrier {
        "dhl_parcel_de" => ("Bonn", None, "53113", "DE"),
        "royal_mail" => ("Bristol", None, "BS1 4DJ", "GB"),
        _ => ("Atlanta", Some("GA"), "30301", "US"),
    };
    let place = |line: &str| {
        json!({"address": {"line_1": line, "city": city, "province": province, "post_code": code, "country_code": country},
        "contact": {"name": "Jo", "phone_number": "5555555555"}})
    };
    model::platform::shape::parse(json!({
        "addresses": {"destination": place("1 Quay Street"), "origin": place("2 Quay Street")},
        "packages": [{"geometry": {"mass": 1, "length": 20, "width": 15, "height": 10}}],
    }))
    .expect("a shipment")
}

/// Gives the answers to a task, one after the other, and then the last one again.
fn play(connector: &dyn Connector, account: &Account, task: &Task<'_>, answers: &[Answer]) {
    let (mut was_bought, mut last) = (false, None);
    let mut step = connector.begin(account, task);
    for exchange in 1.. {
        let request = match step {
            Step::Done(outcome) => return check(task, &outcome, was_bought, last),
            Step::Send(request) => request,
        };
        assert!(exchange <= EXCHANGES_MAX, "the carrier is asked without end");
        assert!(!(was_bought && request.is_purchase), "it is bought twice");
        was_bought |= request.is_purchase;
        let answer = answers.get(exchange - 1).or_else(|| answers.last()).expect("an answer");
        last = Some(answer.clone());
        step = connector.resume(account, task, exchange, answer.clone());
    }
}

fn check(task: &Task<'_>, outcome: &Outcome, was_bought: bool, last: Option<Answer>) {
    let Some(Answer::Response { status, body, .. }) = last else { return };
    if let Outcome::Bought(_) = outcome {
        assert!(matches!(task, Task::Buy { .. }) && status < 300 && !body.is_empty(), "no answer says so");
    }
    let is_open = matches!(outcome, Outcome::Bought(_) | Outcome::Unknown(_) | Outcome::Untraceable(_));
    if was_bought && (status >= 500 || status < 300) {
        let is_found = matches!(outcome, Outcome::Found(found) if !found.is_empty());
        // A list of orders may say of each that it was not made.
        let text = String::from_utf8_lossy(&body);
        let is_told = status < 300 && ["failedOrders", "labelErrors"].iter().any(|name| text.contains(name));
        assert!(is_open || is_found || is_told || status == 207, "{status} proves no failure: {outcome:?}");
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [kind, status, which, body @ ..] = bytes else { return };
    let _ = message(body);
    let _ = is_signed("secret", &String::from_utf8_lossy(body), body);
    let status = STATUSES[usize::from(*status) % STATUSES.len()];
    let answer = |body: &[u8]| Answer::Response {
        status,
        retry_after: Some(Duration::from_secs(1)),
        body: Bytes::copy_from_slice(body),
    };
    let answers: Vec<Answer> = body.split(|byte| *byte == SEPARATOR).map(answer).collect();
    let connector = ALL[usize::from(*which) % ALL.len()];
    let carrier = connector.handle();
    let (mut account, parcel) = (account(carrier), Parcel::new(Id::from_bits(7), &shipment(carrier)));
    let receipt = Receipt {
        purchase: if carrier == "royal_mail" { "1" } else { "shp_1" }.to_owned(),
        tracking_numbers: vec!["EZ1".to_owned()],
        charged: 1,
        currency: "USD".to_owned(),
        labels: Vec::new(),
    };
    let (format, purchases) = (LabelFormat::Pdf, [receipt.purchase.clone()]);
    let ship_on = Day::parse("2026-11-19").expect("a day");
    // A carrier that does not know the service sends nothing.
    let service = match carrier {
        "dhl_express" => "dhl_express.worldwide",
        "dhl_parcel_de" => "dhl_parcel_de.paket",
        "ups" => "ups.ground",
        _ => "usps.ground_advantage",
    };
    let (reference, prepared) = ("shp_7", Some("shp_1"));
    let task = match kind % 8 {
        0 => Task::Rate(&parcel),
        1 => Task::Prepare(&parcel),
        2 => Task::Buy { parcel: &parcel, service, reference, prepared, format, ship_on },
        3 => Task::LookUp { reference, prepared },
        4 => Task::Void(&receipt),
        5 => Task::Track(&receipt),
        6 => Task::Label { receipt: &receipt, format },
        _ => Task::Manifest { reference: "mf_1", named: None, purchases: &purchases, ship_on, origin: None },
    };
    if let Some(tokens) = connector.access_tokens() {
        for name in tokens.tokens(&account.clone(), &task) {
            let _ = tokens.request_token(&account, name);
            let outcome = tokens.read_token(&account, name, answers[0].clone());
            assert!(!matches!(outcome, TokenOutcome::Token { .. }) || status < 300, "it is no token");
            account.tokens.insert(name, "token".to_owned());
        }
    }
    play(connector, &account, &task, &answers);
});
