//! Which answers prove that nothing was charged: for every carrier, every status and every way to word a failure, an outcome
//! that says "not bought" follows from such an answer alone.

use std::sync::LazyLock;

use bytes::Bytes;
use model::platform::shape::parse;
use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::options::LabelFormat;
use model::{CarrierAccount, Id};
use serde_json::{Map, json};

use crate::conformance::day;
use crate::{ALL, Account, Answer, Connector, Outcome, Parcel, Step, Task, easypost, own, sandbox};

/// EasyPost's refusals that leave open whether it sold the postage.
const OPEN: [&str; 3] =
    ["SHIPMENT.POSTAGE.EXISTS", "SHIPMENT.PURCHASE.IN_PROGRESS", "SHIPMENT.POSTAGE.NO_RESPONSE"];
/// The carriers whose failures are in these words. The conformance suite tries all carriers in words of their own.
const WORDED: [&str; 3] = [sandbox::HANDLE, easypost::HANDLE, own::HANDLE];
const CODES: [&str; 8] =
    ["", "unavailable", "purchase_declined", "PAYMENT.REQUIRED", "RATE_LIMITED", OPEN[0], OPEN[1], OPEN[2]];
/// Statuses that ask to try again, which a gateway may give after the carrier has charged.
const RETRYABLE: [u16; 4] = [408, 409, 423, 429];

/// Parsed once: thousands of purchases are tried.
static DETAILS: LazyLock<ShipmentInput> = LazyLock::new(details);

fn details() -> ShipmentInput {
    let place = |line: &str| {
        json!({"address": {"line_1": line, "city": "Redondo Beach", "province": "CA", "post_code": "90277", "country_code": "US"},
            "contact": {"name": "Jo", "phone_number": "5555555555"}})
    };
    parse(json!({
        "addresses": {"origin": place("1 Quay Street"), "destination": place("179 N Harbor Dr")},
        "packages": [{"geometry": {"length": 25, "width": 20, "height": 10, "mass": 0.4}}],
    }))
    .unwrap()
}

fn account() -> Account {
    let credentials = json!({"api_key": "EZTKtest"}).as_object().cloned().unwrap_or_default();
    Account::new(Id::<CarrierAccount>::from_bits(1), Map::new(), credentials)
}

/// What EasyPost shows of a shipment that is not bought.
fn unbought() -> Answer {
    let rate =
        json!({"id": "rate_1", "carrier": "USPS", "service": "Express", "rate": "6.07", "currency": "USD"});
    let body = json!({"id": "shp_1", "rates": [rate], "selected_rate": null, "tracking_code": null, "postage_label": null});
    response(200, &body.to_string())
}

fn response(status: u16, body: &str) -> Answer {
    Answer::Response { status, retry_after: None, body: Bytes::from(body.to_owned()) }
}

/// What a carrier's failure says: its code, and whether the carrier charged.
type Told = (&'static str, Option<bool>);

/// Returns every kind of answer, and what its failure says, if the carrier wrote one.
fn answers() -> Vec<(Answer, Option<Told>)> {
    let mut all = vec![(Answer::Unsent("refused".to_owned()), None), (Answer::Lost("cut".to_owned()), None)];
    for status in 100..600 {
        all.extend(["", "<html>", "{}", "null"].map(|body| (response(status, body), None)));
        for code in CODES {
            for charged in [None, Some(true), Some(false)] {
                let mut error = json!({"code": code, "message": "No.", "errors": []});
                if let Some(charged) = charged {
                    error["charged"] = json!(charged);
                }
                let body = json!({ "error": error }).to_string();
                all.push((response(status, &body), Some((code, charged))));
            }
        }
    }
    all
}

/// The table: whether the answer to a request that buys proves that nothing was charged.
fn proves_no_charge(carrier: &str, answer: &Answer, said: Option<(&str, Option<bool>)>) -> bool {
    let Answer::Response { status, .. } = answer else { return matches!(answer, Answer::Unsent(_)) };
    // An answer in words that are not the carrier's, such as a proxy's, says nothing about the purchase.
    let Some((code, charged)) = said else { return false };
    let is_refusal = matches!(*status, 400..=499) && !RETRYABLE.contains(status);
    match (carrier, charged) {
        (sandbox::HANDLE, Some(charged)) => !charged && !matches!(*status, 200..=299),
        (easypost::HANDLE, _) if OPEN.contains(&code) => false,
        _ => is_refusal,
    }
}

/// Whether an outcome lets the purchase fail, or be sent again, without a look-up.
fn denies_a_charge(outcome: &Outcome) -> bool {
    !matches!(outcome, Outcome::Bought(_) | Outcome::Unknown(_) | Outcome::Untraceable(_))
}

/// Buys, and returns the outcome, and whether a request that costs money was sent.
fn buy(connector: &dyn Connector, answer: &Answer, after: &Answer) -> (Outcome, bool) {
    let (account, parcel) = (account(), Parcel::new(Id::from_bits(7), &DETAILS));
    let task = Task::Buy {
        parcel: &parcel,
        service: "usps.express",
        reference: "shp_ours",
        prepared: Some("shp_1"),
        format: LabelFormat::Png,
        ship_on: day(),
    };
    let mut step = connector.begin(&account, &task);
    let mut was_sent = false;
    for exchange in 1..10 {
        let request = match step {
            Step::Done(outcome) => return (outcome, was_sent),
            Step::Send(request) => request,
        };
        let said = match (request.is_purchase, was_sent) {
            (true, _) => answer.clone(),
            (false, true) => after.clone(),
            (false, false) => unbought(),
        };
        assert!(!(was_sent && request.is_purchase), "{}: it is bought twice", connector.handle());
        was_sent |= request.is_purchase;
        step = connector.resume(&account, &task, exchange, said);
    }
    panic!("{} comes to no end", connector.handle());
}

#[test]
fn an_answer_that_does_not_prove_that_nothing_was_charged_leaves_the_purchase_in_doubt() {
    let looks = [
        unbought(),
        Answer::Lost("cut".to_owned()),
        Answer::Unsent("refused".to_owned()),
        response(429, "{}"),
    ];
    for connector in ALL.iter().filter(|connector| WORDED.contains(&connector.handle())) {
        let carrier = connector.handle();
        for (answer, said) in answers() {
            for after in &looks {
                let (outcome, was_sent) = buy(*connector, &answer, after);
                let is_proof = !was_sent || proves_no_charge(carrier, &answer, said);
                assert_eq!(denies_a_charge(&outcome), is_proof, "{carrier}, {answer:?}: {outcome:?}");
                assert_eq!(was_sent, carrier != own::HANDLE, "{carrier}");
            }
        }
    }
}

#[test]
fn before_a_request_that_costs_money_nothing_can_be_charged() {
    // The first request of a purchase at EasyPost only looks.
    let (account, parcel) = (account(), Parcel::new(Id::from_bits(7), &DETAILS));
    let (service, reference, prepared) = ("usps.express", "shp_ours", Some("shp_1"));
    let task =
        Task::Buy { parcel: &parcel, service, reference, prepared, format: LabelFormat::Png, ship_on: day() };
    for (answer, _) in answers() {
        match easypost::EasyPost.resume(&account, &task, 1, answer.clone()) {
            Step::Done(Outcome::Unsent { .. } | Outcome::Rejected(_)) => {}
            step => panic!("{answer:?}: {step:?}"),
        }
    }
}

#[test]
fn own_vehicles_know_at_once_whether_they_charge() {
    let (outcome, was_sent) = buy(&own::Own, &unbought(), &unbought());
    assert!(denies_a_charge(&outcome) && !was_sent, "without a rate table: {outcome:?}");
    let mut account = account();
    let table = json!({"currency_code": "GBP", "services": [{"handle": "van", "name": "Van", "rates": [{"rate": 450}]}]});
    account.configuration = table.as_object().cloned().unwrap_or_default();
    let parcel = Parcel::new(Id::from_bits(7), &DETAILS);
    let task = Task::Buy {
        parcel: &parcel,
        service: "van",
        reference: "shp_ours",
        prepared: None,
        format: LabelFormat::Png,
        ship_on: day(),
    };
    let step = own::Own.begin(&account, &task);
    assert!(matches!(step, Step::Done(Outcome::Bought(_))), "{step:?}");
}
