//! What Medusa is told: shipments, voids and stock. Each is told once, whatever was lost on the way.

use serde_json::{Value, json};

use super::super::*;
use super::changed;
use crate::connector::Answer;
use crate::failure::FailureKind;
use crate::stock::StockLevel;
use crate::task::{Fulfilled, LineQuantity};
use crate::testing::*;

const REFERENCE: &str = "shp_00000000000000000000000007";

fn with(fulfilments: Value) -> Answer {
    ok(json!({"order": changed(json!({"fulfillments": fulfilments}))}))
}

/// Returns a fulfilment that was made for the shipment.
fn begun() -> Value {
    json!({"id": "ful_1", "metadata": {"dockside_shipment": REFERENCE}, "shipped_at": null, "canceled_at": null,
        "labels": [], "items": [{"line_item_id": "ordli_1", "quantity": 2}]})
}

fn done(number: &str) -> Value {
    json!({"id": "ful_1", "shipped_at": "2026-11-17T00:00:00Z", "labels": [{"tracking_number": number}], "items": []})
}

fn fulfil(lines: &[(&str, i64)], answers: &[Answer]) -> Played {
    play(&Medusa, &shop(), &Task::Fulfil(&shipped("order_01", lines)), answers)
}

fn fulfilled(missing: Vec<LineQuantity>) -> Outcome {
    Outcome::Fulfilled(Fulfilled { external_ids: vec!["ful_1".to_owned()], missing })
}

/// Returns the methods and paths of the requests that change something.
fn writes(played: &Played) -> Vec<String> {
    let requests = played.requests.iter().filter(|request| request.is_write);
    requests.map(|request| request.url.split("/admin").nth(1).unwrap().to_owned()).collect()
}

#[test]
fn a_shipment_becomes_a_fulfilment_with_a_shipment() {
    let answers =
        [with(json!([])), ok(json!({"order": {}})), with(json!([begun()])), ok(json!({"order": {}}))];
    let played = fulfil(&[("ordli_1", 2)], &answers);
    assert_eq!(
        writes(&played),
        ["/orders/order_01/fulfillments", "/orders/order_01/fulfillments/ful_1/shipments"]
    );
    let made = json!({"items": [{"id": "ordli_1", "quantity": 2}], "metadata": {"dockside_shipment": REFERENCE},
        "no_notification": true, "location_id": "77"});
    assert_eq!(sent(&played.requests[1]), made);
    let label = json!({"tracking_number": "SB123GB", "tracking_url": "https://track.example/SB123GB", "label_url": ""});
    let shipped =
        json!({"items": [{"id": "ordli_1", "quantity": 2}], "labels": [label], "no_notification": false});
    assert_eq!(sent(&played.requests[3]), shipped);
    assert_eq!(played.outcome, fulfilled(vec![]));
}

#[test]
fn what_is_there_is_not_written_again() {
    assert!(writes(&fulfil(&[("ordli_1", 2)], &[with(json!([done("sb123gb")]))])).is_empty());
    let played = fulfil(&[("ordli_1", 2)], &[with(json!([begun()])), ok(json!({"order": {}}))]);
    assert_eq!(writes(&played), ["/orders/order_01/fulfillments/ful_1/shipments"]);
}

#[test]
fn a_shop_that_keeps_no_reference_shows_the_new_fulfilment() {
    let mut unnamed = begun();
    unnamed["metadata"] = Value::Null;
    let mut other = done("OTHER");
    other["id"] = json!("ful_0");
    let answers = [with(json!([other])), ok(json!({})), with(json!([other, unnamed])), ok(json!({}))];
    assert_eq!(fulfil(&[("ordli_1", 2)], &answers).outcome, fulfilled(vec![]));
    let answers = [with(json!([])), ok(json!({})), with(json!([other, unnamed]))];
    let failed = failure(fulfil(&[("ordli_1", 2)], &answers).outcome);
    assert_eq!((failed.kind, failed.may_be_done), (FailureKind::NotUnderstood, true), "it may be either");
}

#[test]
fn what_the_shop_has_not_left_is_reported() {
    let answers = [with(json!([])), ok(json!({})), with(json!([begun()])), ok(json!({}))];
    let played = fulfil(&[("ordli_1", 3), ("ordli_9", 1)], &answers);
    let line = |line: &str| LineQuantity { line: line.to_owned(), quantity: 1 };
    assert_eq!(played.outcome, fulfilled(vec![line("ordli_1"), line("ordli_9")]));
    let nothing = fulfil(&[("ordli_9", 1)], &[with(json!([]))]);
    assert_eq!(failure(nothing.outcome).kind, FailureKind::Refused);
}

#[test]
fn a_void_cancels_what_was_not_shipped() {
    let cancel = |answers: &[Answer]| {
        play(&Medusa, &shop(), &Task::CancelFulfilment(&shipped("order_01", &[])), answers)
    };
    let played = cancel(&[with(json!([begun()])), ok(json!({}))]);
    assert_eq!(writes(&played), ["/orders/order_01/fulfillments/ful_1/cancel"]);
    assert_eq!(played.outcome, Outcome::FulfilmentCancelled);
    let mut cancelled = done("SB123GB");
    cancelled["canceled_at"] = json!("2026-11-18T00:00:00Z");
    for nothing in [json!([]), json!([cancelled]), json!([done("OTHER")])] {
        assert_eq!(cancel(&[with(nothing)]).outcome, Outcome::FulfilmentCancelled);
    }
    assert_eq!(failure(cancel(&[with(json!([done("SB123GB")]))]).outcome).kind, FailureKind::Refused);
}

#[test]
fn levels_are_what_may_be_sold_and_what_is_reserved() {
    let item = |id: &str, sku: &str, stocked: i64, reserved: i64| {
        json!({"id": id, "sku": sku, "location_levels": [
            {"location_id": "78", "stocked_quantity": 1, "reserved_quantity": 0},
            {"location_id": "77", "stocked_quantity": stocked, "reserved_quantity": reserved},
        ]})
    };
    let level = |sku: &str, sellable: i64| StockLevel { sku: sku.to_owned(), sellable };
    let levels = [level("A", 5), level("B", 5), level("C", 5), level("D", 5)];
    let items = json!([
        item("i_a", "A", 6, 2),
        item("i_b", "B", 7, 2),
        json!({"id": "i_c", "sku": "C", "location_levels": []})
    ]);
    let task = Task::SetStock { key: "k", levels: &levels };
    let played = play(&Medusa, &shop(), &task, &[ok(json!({"inventory_items": items})), ok(json!({}))]);
    let found = "GET /admin/inventory-items?limit=100&fields=id%2Csku%2C%2Alocation_levels&sku%5B%5D=A&sku%5B%5D=B&sku%5B%5D=C&sku%5B%5D=D";
    assert_eq!(calls(&played), [found, "POST /admin/inventory-items/location-levels/batch"]);
    let change = |id: &str, stocked: i64| json!({"inventory_item_id": id, "location_id": "77", "stocked_quantity": stocked});
    assert_eq!(
        sent(&played.requests[1]),
        json!({"create": [change("i_c", 5)], "update": [change("i_a", 7)]})
    );
    let Outcome::StockSet(report) = played.outcome else { panic!() };
    assert_eq!((report.unknown.as_slice(), report.refused.len()), (&["D".to_owned()][..], 0));
}
