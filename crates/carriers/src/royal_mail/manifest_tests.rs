//! Manifests: what is asked, and what the answers mean.

use serde_json::{Value, json};

use super::tests::{PDF, account, failure, shown};
use super::*;
use crate::conformance::{answer, day, ok};
use crate::{FileFormat, Label, Manifested};

const BASE: &str = "https://api.parcel.royalmail.com/api/v1";

/// Closes out parcels while Royal Mail says this, one answer after the other; gives what was sent, and the end.
fn close_out(named: Option<&str>, purchases: &[String], answers: &[Answer]) -> (Vec<String>, Outcome) {
    let task = Task::Manifest { reference: "mf_1", named, purchases, ship_on: day(), origin: None };
    let mut sent = Vec::new();
    let mut step = RoyalMail.begin(&account(), &task);
    for (place, answer) in answers.iter().enumerate() {
        let request = match step {
            Step::Send(request) => request,
            Step::Done(outcome) => return (sent, outcome),
        };
        assert!(!request.is_purchase && request.body.is_empty());
        sent.push(format!("{} {}", request.method, request.url.trim_start_matches(BASE)));
        step = RoyalMail.resume(&account(), &task, place + 1, answer.clone());
    }
    match step {
        Step::Done(outcome) => (sent, outcome),
        Step::Send(request) => panic!("{request:?}"),
    }
}

fn purchases(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}

fn orders(numbers: std::ops::RangeInclusive<u64>, manifested_on: Value) -> Value {
    let order = |number| {
        let mut order = shown(number, "shp", json!("AB"));
        order["manifestedOn"] = manifested_on.clone();
        order
    };
    numbers.map(order).collect()
}

fn made(status: u16, body: Value) -> Answer {
    answer(status, body)
}

#[test]
fn a_manifest_is_made_at_once_or_worked_on() {
    let look = || ok(orders(1..=2, Value::Null));
    let (sent, outcome) = close_out(
        None,
        &purchases(2),
        &[look(), made(201, json!({"manifestNumber": 77, "documentPdf": PDF}))],
    );
    assert_eq!(sent, ["GET /orders/1;2", "POST /manifests"]);
    let Outcome::Manifested(Manifested { manifest, form }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(manifest, "77");
    assert!(matches!(form, Some(Label::File { format: FileFormat::Pdf, .. })));
    // 202, and a manifest without its paper: Royal Mail works on it.
    for answer in [
        made(202, json!({"manifestNumber": 77, "documentPdf": PDF})),
        made(201, json!({"manifestNumber": 77})),
    ] {
        let (_, outcome) = close_out(None, &purchases(2), &[look(), answer]);
        assert_eq!(outcome, Outcome::Manifesting("77".to_owned()));
    }
}

#[test]
fn what_is_worked_on_is_asked_for_by_its_number() {
    let state = |status: &str| ok(json!({"manifestNumber": 77, "status": status, "documentPdf": PDF}));
    for status in ["InProgress", "In Progress"] {
        let (sent, outcome) = close_out(Some("77"), &purchases(2), &[state(status)]);
        assert_eq!(sent, ["GET /manifests/77"]);
        assert_eq!(outcome, Outcome::Manifesting("77".to_owned()));
    }
    let (_, outcome) = close_out(Some("77"), &purchases(2), &[state("Completed")]);
    assert!(matches!(outcome, Outcome::Manifested(_)), "{outcome:?}");
    let again = made(202, json!({"manifestNumber": 77}));
    let (sent, outcome) = close_out(Some("77"), &purchases(2), &[state("Failed"), again]);
    assert_eq!(sent, ["GET /manifests/77", "POST /manifests/retry/77"]);
    assert_eq!(outcome, Outcome::Manifesting("77".to_owned()));
    for odd in [state("Somewhere"), ok(json!({"manifestNumber": 78, "status": "Completed"})), ok("[]")] {
        let (_, outcome) = close_out(Some("77"), &purchases(2), &[odd]);
        assert!(matches!(outcome, Outcome::Unsent { .. }), "{outcome:?}");
    }
}

#[test]
fn orders_that_are_in_a_manifest_are_not_closed_out_again() {
    let day = json!("2026-11-19T17:00:00");
    let (sent, outcome) = close_out(None, &purchases(2), &[ok(orders(1..=2, day.clone()))]);
    assert_eq!(sent.len(), 1);
    let Outcome::Manifested(manifested) = outcome else { panic!("{outcome:?}") };
    assert_eq!((manifested.manifest.as_str(), manifested.form), ("mf_1", Some(Label::Ours)));
    // All orders are read, a hundred at a time.
    let parts = [
        ok(orders(1..=100, day.clone())),
        ok(orders(101..=150, Value::Null)),
        made(202, json!({"manifestNumber": 7})),
    ];
    let (sent, outcome) = close_out(None, &purchases(150), &parts);
    assert_eq!((sent.len(), sent[2].as_str()), (3, "POST /manifests"));
    assert_eq!(outcome, Outcome::Manifesting("7".to_owned()));
    // One that Click & Drop does not show is not taken for closed out.
    let (sent, _) =
        close_out(None, &purchases(2), &[ok(orders(1..=1, day)), made(202, json!({"manifestNumber": 7}))]);
    assert_eq!(sent.len(), 2);
}

#[test]
fn refusals_are_told_and_silence_is_asked_again() {
    let look = || ok(orders(1..=2, Value::Null));
    let errors =
        json!({"errors": [{"code": "NoEligibleOrders", "description": "There are no orders to manifest."}]});
    let (_, outcome) = close_out(None, &purchases(2), &[look(), answer(400, errors)]);
    assert!(
        matches!(&outcome, Outcome::Rejected(error) if error.message.contains("no orders")),
        "{outcome:?}"
    );
    for silent in
        [answer(500, failure(500)), Answer::Lost("cut".to_owned()), ok("{}"), ok(orders(1..=2, Value::Null))]
    {
        let (_, outcome) = close_out(None, &purchases(2), &[look(), silent]);
        assert!(matches!(outcome, Outcome::Unsent { .. }), "{outcome:?}");
    }
    for (none, answers) in
        [(purchases(0), vec![]), (purchases(2), vec![ok("[]")]), (vec!["x/y".to_owned()], vec![])]
    {
        let (_, outcome) = close_out(None, &none, &answers);
        assert!(matches!(outcome, Outcome::Rejected(_)), "{outcome:?}");
    }
}
