//! What the tests of all connectors share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bytes::Bytes;
use model::orders::order::OrderInput;
use serde_json::{Map, Value, json};

use crate::connector::{Answer, Connector, Request, Step};
use crate::exchanges::EXCHANGES_MAX;
use crate::failure::Failure;
use crate::order::ShopOrder;
use crate::shop::Shop;
use crate::task::{LineQuantity, Outcome, Shipped, Task};

pub const NOW: &str = "2026-11-19T12:00:00Z";

pub fn time(text: &str) -> model::Timestamp {
    model::Timestamp::parse(text).unwrap()
}

pub fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

/// Returns a shop that has what any connector may want.
pub fn shop() -> Shop {
    let credentials = json!({"consumer_key": "ck_1", "consumer_secret": "cs_1", "access_token": "shpat_1", "secret_key": "sk_1"});
    let mut shop = Shop::new("https://quay.myshopify.com/".to_owned(), object(credentials));
    shop.stock_location = Some("77".to_owned());
    shop
}

pub fn answer(status: u16, body: impl ToString) -> Answer {
    Answer::Response { status, retry_after: None, total: None, body: Bytes::from(body.to_string()) }
}

pub fn ok(body: Value) -> Answer {
    answer(200, body)
}

/// A task as it was played: what was sent, and how it ended.
pub struct Played {
    pub requests: Vec<Request>,
    pub outcome: Outcome,
}

/// Gives a task its answers. It must send a request for each, and end with the last one.
pub fn play(connector: &dyn Connector, shop: &Shop, task: &Task<'_>, answers: &[Answer]) -> Played {
    let mut requests = Vec::new();
    for used in 0..=answers.len() {
        match connector.step(shop, task, &answers[..used]) {
            Step::Send(request) => requests.push(request),
            Step::Done(outcome) => {
                assert_eq!(
                    used,
                    answers.len(),
                    "it ended after {used} of {} answers: {outcome:?}",
                    answers.len()
                );
                return Played { requests, outcome };
            }
        }
    }
    panic!("it wants another answer: {:?}", requests.last());
}

/// Gives a task the answers, one after the other, and then the last one again, until it ends.
pub fn play_to_the_end(
    connector: &dyn Connector,
    shop: &Shop,
    task: &Task<'_>,
    answers: &[Answer],
) -> Outcome {
    let mut given = Vec::new();
    loop {
        match connector.step(shop, task, &given) {
            Step::Done(outcome) => return outcome,
            Step::Send(_) => {
                assert!(given.len() < EXCHANGES_MAX, "it is asked without end");
                given.push(answers.get(given.len()).or_else(|| answers.last()).unwrap().clone());
            }
        }
    }
}

pub fn failure(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failed(failure) => failure,
        other => panic!("{other:?}"),
    }
}

/// Returns what is sent, as JSON.
pub fn sent(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// Returns the methods and paths of requests, without the address of the shop.
pub fn calls(played: &Played) -> Vec<String> {
    let path = |request: &Request| request.url.split("myshopify.com").nth(1).unwrap().to_owned();
    played.requests.iter().map(|request| format!("{} {}", request.method, path(request))).collect()
}

pub fn shipped(order: &str, lines: &[(&str, i64)]) -> Shipped {
    let line =
        |(line, quantity): &(&str, i64)| LineQuantity { line: (*line).to_owned(), quantity: *quantity };
    Shipped {
        order: order.to_owned(),
        reference: "shp_00000000000000000000000007".to_owned(),
        tracking_numbers: vec!["SB123GB".to_owned()],
        tracking_url: Some("https://track.example/SB123GB".to_owned()),
        carrier: Some("Sandbox".to_owned()),
        lines: lines.iter().map(line).collect(),
        is_last: true,
    }
}

/// Checks that the model accepts the body of an order. An address may break the rules of its country, so it is left out
/// if that is all.
pub fn check_body(order: &ShopOrder) -> bool {
    let parse = |body: Map<String, Value>| model::platform::shape::parse::<OrderInput>(body.into());
    let mut body = order.body();
    if order.lines.is_empty() {
        // The model wants something to be ordered.
        body.insert("lines".to_owned(), json!([{"sku": "X", "quantity": 1}]));
    }
    if parse(body.clone()).is_ok() {
        return true;
    }
    body.remove("destination");
    if let Err(error) = parse(body) {
        panic!("the model refuses {order:?}: {error}");
    }
    false
}

/// Returns all recorded samples of a kind of shop, by their names; nothing where there are none.
pub fn samples(kind: &str) -> BTreeMap<String, Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/shops").join(kind);
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: there are no samples of {kind} here");
        return BTreeMap::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let named = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap())
    };
    paths.map(named).collect()
}

/// Values that a field may have by mistake.
pub fn odd_values() -> Vec<Value> {
    let long = "x".repeat(5000);
    vec![
        Value::Null,
        json!(""),
        json!(" \u{200b}"),
        json!("a\u{0}b\n"),
        json!(long),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!("-0.005"),
        json!("99999999999999999999999999"),
        json!(true),
        json!([]),
        json!({}),
        json!([null, {"id": []}]),
        json!({"id": {"id": 1}}),
    ]
}

/// Returns the JSON pointers of all values in a document.
pub fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(place, value)| (place.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    for (name, child) in children {
        all.extend(pointers(child).into_iter().map(|rest| format!("/{name}{rest}")));
    }
    all
}

/// Adds unknown fields to every object of a document.
pub fn with_unknown_fields(value: &Value, name: &str, unknown: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let known = fields.iter().map(|(name, value)| (name.clone(), value));
            let mut fields: Map<String, Value> =
                known.map(|(field, value)| (field, with_unknown_fields(value, name, unknown))).collect();
            fields.insert(format!("x_{name}"), unknown.clone());
            fields.into()
        }
        Value::Array(items) => items.iter().map(|item| with_unknown_fields(item, name, unknown)).collect(),
        other => other.clone(),
    }
}
