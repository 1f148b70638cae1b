//! All that was recorded of a real WooCommerce is read as what it is, where the recordings are at hand beside the
//! repository.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::super::*;
use crate::connector::Answer;
use crate::failure::FailureKind;
use crate::json::{id, text};
use crate::position::Position;
use crate::stock::{StockLevel, StockReport};
use crate::testing::*;

fn recorded(response: &Value) -> Answer {
    Answer::Response {
        status: response["status"].as_u64().unwrap() as u16,
        retry_after: Some(Duration::from_secs(1)),
        total: response["headers"]["x-wp-total"].as_str().and_then(|total| total.parse().ok()),
        body: response["body"].to_string().into(),
    }
}

/// Says what a recorded answer is read as.
fn read_as(method: &str, path: &str, request: &Value, response: &Value) -> &'static str {
    let (body, answers) = (&response["body"], [recorded(response)]);
    let start = Position::starting_at(time("2026-11-01T00:00:00Z"));
    let poll = Task::Poll { position: &start, now: time(NOW) };
    let route = path.trim_start_matches("/wp-json/wc/v3/").split('?').next().unwrap();
    let status = response["status"].as_u64().unwrap();
    match (method, route, status) {
        ("GET", "orders", 200) => {
            let Outcome::Polled(page) = play(&WooCommerce, &shop(), &poll, &answers).outcome else {
                panic!()
            };
            assert_eq!((page.orders.len(), page.unreadable.len(), page.is_last), (1, 0, false), "one of two");
            assert!(page.orders.iter().all(check_body));
            "a page of orders"
        }
        ("GET", "orders", 401) => {
            let failed = failure(play(&WooCommerce, &shop(), &poll, &answers).outcome);
            assert_eq!(failed.kind, FailureKind::Credentials);
            assert!(failed.message.contains("woocommerce_rest_cannot_view"), "{failed:?}");
            "credentials refused"
        }
        ("GET", "orders", 400) => {
            assert_eq!(
                failure(play(&WooCommerce, &shop(), &poll, &answers).outcome).kind,
                FailureKind::Refused
            );
            "refused for good"
        }
        ("GET", "orders/999999", 404) => {
            let task = Task::Fetch { order: "999999" };
            assert_eq!(failure(play(&WooCommerce, &shop(), &task, &answers).outcome).kind, FailureKind::Gone);
            "gone"
        }
        ("POST" | "PUT", "orders" | "orders/13", 200 | 201) => {
            let number = id(&body["id"]).unwrap();
            let task = Task::Fetch { order: &number };
            let Outcome::Fetched(order) = play(&WooCommerce, &shop(), &task, &answers).outcome else {
                panic!()
            };
            let has_address = check_body(&order) && order.destination.is_some();
            assert_eq!(has_address, number != "14", "{order:?}");
            if text(&request["meta_data"][0]["key"]).is_some() {
                assert_eq!(super::super::orders::meta(body, "_tracking_number"), Some("SB123GB"));
            }
            "an order"
        }
        ("POST", "orders/13/notes", 201) => {
            let shipped = shipped("13", &[("4", 1)]);
            let order = ok(serde_json::json!({"id": 13, "status": "completed", "meta_data": []}));
            let found = ok(serde_json::json!([body]));
            let played = play(&WooCommerce, &shop(), &Task::Fulfil(&shipped), &[order.clone(), found, order]);
            assert_eq!(calls(&played).len(), 3, "the note is there and is not written again");
            "a note"
        }
        ("GET", "products", 200) => {
            let levels = [StockLevel { sku: "TEE-BLUE-M".to_owned(), sellable: 17 }];
            let task = Task::SetStock { key: "a", levels: &levels };
            let outcome = play(&WooCommerce, &shop(), &task, &answers).outcome;
            assert_eq!(outcome, Outcome::StockSet(StockReport::default()), "the level is that already");
            "products"
        }
        ("PUT", "products/10", 200) => {
            assert_eq!(crate::json::quantity(&body["stock_quantity"]), Some(7));
            "a product"
        }
        ("POST", "webhooks", 201) => "a webhook",
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_recorded_answer_is_read_as_what_it_is() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let samples = samples("woocommerce");
    for (name, sample) in &samples {
        for exchange in crate::json::items(&sample["exchanges"]) {
            let request = &exchange["request"];
            let (method, path) = (request["method"].as_str().unwrap(), request["path"].as_str().unwrap());
            let what = read_as(method, path, &request["body"], &exchange["response"]);
            println!("{name}: {method} {path} is {what}");
            *counts.entry(what).or_default() += 1;
        }
    }
    println!("{} files, {} answers: {counts:?}", samples.len(), counts.values().sum::<usize>());
    assert_eq!(samples.is_empty(), counts.is_empty());
}

#[test]
fn recorded_webhooks_are_signed_or_pings() {
    let samples = samples("woocommerce");
    let Some(sample) = samples.get("webhook_deliveries") else { return };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for delivery in crate::json::items(&sample["deliveries"]) {
        let fields = delivery["headers"].as_object().unwrap();
        let headers: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
        let body = delivery["body"].as_str().unwrap().as_bytes();
        let webhook = ReceivedWebhook { headers: &headers, body };
        let signature = WooCommerce.check_signature(&["old", "whsec-test"], &webhook);
        if signature == Signature::Valid {
            assert_eq!(WooCommerce.check_signature(&["old"], &webhook), Signature::Wrong);
            let News::Order(order) = WooCommerce.read_webhook(&shop(), &webhook) else { panic!() };
            assert!(check_body(&order));
            assert_eq!(
                (order.external_id.as_str(), order.lines.len(), order.lines[0].unit_price),
                ("12", 2, Some(1299))
            );
        }
        *counts.entry(format!("{signature:?}")).or_default() += 1;
    }
    println!("recorded webhooks: {counts:?}");
    assert_eq!(counts, BTreeMap::from([("UnsignedPing".to_owned(), 2), ("Valid".to_owned(), 1)]));
}
