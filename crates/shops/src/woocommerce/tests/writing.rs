//! What WooCommerce is told: shipments, voids and stock. Each is told once, whatever was lost on the way.

use serde_json::{Value, json};

use super::super::*;
use super::changed;
use crate::connector::Answer;
use crate::failure::FailureKind;
use crate::stock::{StockLevel, StockRefusal, StockReport};
use crate::task::{Fulfilled, Shipped};
use crate::testing::*;

const FIELD: &str = "_dockside_shp_00000000000000000000000007";

fn note(id: u32, text: &str) -> Value {
    json!({"id": id, "note": text, "customer_note": true})
}

fn fulfil(shipped: &Shipped, answers: &[Answer]) -> Played {
    play(&WooCommerce, &shop(), &Task::Fulfil(shipped), answers)
}

#[test]
fn a_shipment_becomes_a_note_a_field_and_a_status() {
    let shipped = shipped("13", &[("4", 3)]);
    let answers = [ok(changed(json!({}))), ok(json!([])), answer(201, note(10, "")), ok(json!({}))];
    let played = fulfil(&shipped, &answers);
    let order = "/wp-json/wc/v3/orders/13";
    assert_eq!(
        calls(&played),
        [
            format!("GET {order}"),
            format!("GET {order}/notes"),
            format!("POST {order}/notes"),
            format!("PUT {order}")
        ]
    );
    let words =
        "Your order was shipped with Sandbox. Tracking number: SB123GB. https://track.example/SB123GB";
    assert_eq!(sent(&played.requests[2]), json!({"note": words, "customer_note": true}));
    let change = json!({"meta_data": [{"key": FIELD, "value": "SB123GB"}], "status": "completed"});
    assert_eq!(sent(&played.requests[3]), change);
    let writes: Vec<bool> = played.requests.iter().map(|request| request.is_write).collect();
    assert_eq!(writes, [false, false, true, true]);
    assert_eq!(
        played.outcome,
        Outcome::Fulfilled(Fulfilled { external_ids: vec!["10".to_owned()], missing: vec![] })
    );
}

#[test]
fn what_is_there_is_not_written_again() {
    let shipped = shipped("13", &[("4", 3)]);
    let told = json!({"meta_data": [{"key": FIELD, "value": "SB123GB"}], "status": "completed"});
    assert_eq!(fulfil(&shipped, &[ok(changed(told))]).requests.len(), 1);
    // The answer to the note was lost, or the server stopped behind it.
    let notes = json!([note(9, "Paid."), note(10, "Tracking number: SB123GB.")]);
    let played = fulfil(&shipped, &[ok(changed(json!({}))), ok(notes), ok(json!({}))]);
    assert_eq!(played.requests[2].method, "PUT");
    assert_eq!(
        played.outcome,
        Outcome::Fulfilled(Fulfilled { external_ids: vec!["10".to_owned()], missing: vec![] })
    );
    // A number that contains ours is another one.
    let notes = json!([note(9, "Tracking number: SB123GB7.")]);
    let played = fulfil(&shipped, &[ok(changed(json!({}))), ok(notes), ok(note(10, "")), ok(json!({}))]);
    assert_eq!(played.requests[2].method, "POST");
}

#[test]
fn only_the_last_shipment_completes_an_order_and_only_one_that_is_open() {
    let last = shipped("13", &[("4", 3)]);
    let first = Shipped { is_last: false, ..last.clone() };
    for (shipped, status) in [(&first, "processing"), (&last, "cancelled"), (&last, "refunded")] {
        let order = changed(json!({"status": status}));
        let played = fulfil(shipped, &[ok(order), ok(json!([])), ok(note(10, "")), ok(json!({}))]);
        assert_eq!(sent(&played.requests[3]).get("status"), None, "{status}");
    }
}

#[test]
fn a_lost_answer_to_a_note_may_have_been_written() {
    let lost = Answer::Lost("No answer.".to_owned());
    let played = fulfil(&shipped("13", &[]), &[ok(changed(json!({}))), ok(json!([])), lost]);
    let failed = failure(played.outcome);
    assert_eq!((failed.kind, failed.may_be_done), (FailureKind::Later, true));
}

#[test]
fn an_order_that_is_gone_is_told_of() {
    let gone = json!({"code": "woocommerce_rest_shop_order_invalid_id", "message": "Invalid ID."});
    for status in [400, 404] {
        let played = fulfil(&shipped("13", &[]), &[answer(status, gone.clone())]);
        assert_eq!(failure(played.outcome).kind, FailureKind::Gone);
    }
    let Step::Done(outcome) = WooCommerce.step(&shop(), &Task::Fetch { order: "../13" }, &[]) else {
        panic!()
    };
    assert_eq!(failure(outcome).kind, FailureKind::Gone);
    let another = failure(fulfil(&shipped("13", &[]), &[ok(json!({"id": 14}))]).outcome);
    assert_eq!(another.kind, FailureKind::NotUnderstood);
}

fn void(answers: &[Answer]) -> Played {
    let played = play(&WooCommerce, &shop(), &Task::CancelFulfilment(&shipped("13", &[])), answers);
    assert_eq!(played.outcome, Outcome::FulfilmentCancelled);
    played
}

#[test]
fn a_void_becomes_a_note_to_the_staff() {
    let told = changed(json!({"meta_data": [{"key": FIELD, "value": "SB123GB"}]}));
    let notes = json!([note(10, "Tracking number: SB123GB.")]);
    let played = void(&[ok(told.clone()), ok(notes), ok(note(11, "")), ok(json!({}))]);
    let words = "The shipment with the tracking number SB123GB was voided.";
    assert_eq!(sent(&played.requests[2]), json!({"note": words, "customer_note": false}));
    assert_eq!(sent(&played.requests[3]), json!({"meta_data": [{"key": FIELD, "value": "voided SB123GB"}]}));
    // The note is there, and the field is not.
    let notes = json!([note(10, "Tracking number: SB123GB."), note(11, words)]);
    assert_eq!(void(&[ok(told), ok(notes), ok(json!({}))]).requests[2].method, "PUT");
    let voided = changed(json!({"meta_data": [{"key": FIELD, "value": "voided SB123GB"}]}));
    assert_eq!(void(&[ok(voided)]).requests.len(), 1);
}

#[test]
fn a_void_of_what_was_never_told_is_silent() {
    assert_eq!(void(&[ok(changed(json!({}))), ok(json!([]))]).requests.len(), 2);
    // The shipment was bought again: its field has the new number, and stays.
    let again = changed(json!({"meta_data": [{"key": FIELD, "value": "SB777GB"}]}));
    let notes = json!([note(10, "Tracking number: SB123GB."), note(11, "Tracking number: SB777GB.")]);
    let played = void(&[ok(again), ok(notes), ok(note(12, ""))]);
    assert_eq!(played.requests.last().unwrap().method, "POST");
}

fn level(sku: &str, sellable: i64) -> StockLevel {
    StockLevel { sku: sku.to_owned(), sellable }
}

fn product(id: u32, sku: &str, quantity: i64) -> Value {
    json!({"id": id, "type": "simple", "sku": sku, "manage_stock": true, "stock_quantity": quantity})
}

#[test]
fn levels_that_differ_are_set_in_one_batch_for_each_parent() {
    let levels =
        [level("A", 5), level("B", 6), level("C", 0), level("D", 1), level("E", 2), level("A,B", -3)];
    let variation = json!({"id": 31, "type": "variation", "parent_id": 30, "sku": "C", "manage_stock": true, "stock_quantity": 4});
    let uncounted =
        json!({"id": 32, "type": "variation", "parent_id": 30, "sku": "D", "manage_stock": "parent"});
    let found = json!([product(10, "A", 4), product(11, "B", 6), variation, uncounted, product(12, "a", 1)]);
    let refusal = json!({"id": 31, "error": {"code": "no", "message": "No.", "data": {}}});
    let played = play(
        &WooCommerce,
        &shop(),
        &Task::SetStock { key: "k", levels: &levels },
        &[
            ok(found),
            ok(json!([product(13, "A,B", 9)])),
            ok(json!({"update": [product(10, "A", 5)]})),
            ok(json!({"update": [refusal]})),
        ],
    );
    assert_eq!(
        calls(&played),
        [
            "GET /wp-json/wc/v3/products?sku=A%2CB%2CC%2CD%2CE&per_page=100",
            "GET /wp-json/wc/v3/products?sku=A%2CB&per_page=100",
            "POST /wp-json/wc/v3/products/batch",
            "POST /wp-json/wc/v3/products/30/variations/batch",
        ]
    );
    let products = json!({"update": [{"id": 10, "stock_quantity": 5}, {"id": 13, "stock_quantity": 0}]});
    assert_eq!(sent(&played.requests[2]), products);
    assert_eq!(sent(&played.requests[3]), json!({"update": [{"id": 31, "stock_quantity": 0}]}));
    let Outcome::StockSet(report) = played.outcome else { panic!() };
    assert_eq!(report.unknown, ["E"]);
    let refused: Vec<&str> = report.refused.iter().map(|refusal| refusal.sku.as_str()).collect();
    assert_eq!(refused, ["D", "C"]);
    assert_eq!(report.refused[1], StockRefusal { sku: "C".to_owned(), why: "No. (no)".to_owned() });
}

#[test]
fn nothing_is_asked_for_no_levels() {
    let played = play(&WooCommerce, &shop(), &Task::SetStock { key: "k", levels: &[] }, &[]);
    assert_eq!(played.outcome, Outcome::StockSet(StockReport::default()));
}
