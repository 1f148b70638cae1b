//! What Shopify is told of shipments: each is fulfilled once, from whichever locations, whatever was lost on the way.

use serde_json::{Value, json};

use super::super::*;
use super::data;
use crate::connector::Answer;
use crate::failure::FailureKind;
use crate::task::{Fulfilled, LineQuantity};
use crate::testing::*;

fn fulfilments(all: Value) -> Answer {
    data(json!({"order": {"id": "gid://shopify/Order/13", "fulfillments": all}}))
}

fn fulfilment(id: u32, status: &str, number: &str) -> Value {
    let id = format!("gid://shopify/Fulfillment/{id}");
    json!({"id": id, "status": status, "trackingInfo": [{"number": number}]})
}

fn done(lines: &[(u32, i64)]) -> Answer {
    let node = |(line, quantity): &(u32, i64)| json!({"quantity": quantity, "lineItem": {"id": format!("gid://shopify/LineItem/{line}")}});
    let nodes: Vec<Value> = lines.iter().map(node).collect();
    data(json!({"fulfillment": {"fulfillmentLineItems": {"nodes": nodes}}}))
}

/// Returns fulfilment orders with their status and location.
fn orders(all: &[(u32, &str, u32)]) -> Answer {
    let node = |(id, status, location): &(u32, &str, u32)| {
        json!({"id": format!("gid://shopify/FulfillmentOrder/{id}"), "status": status,
            "assignedLocation": {"location": {"id": format!("gid://shopify/Location/{location}")}}})
    };
    let nodes: Vec<Value> = all.iter().map(node).collect();
    data(json!({"order": {"fulfillmentOrders": {"nodes": nodes}}}))
}

/// Returns the lines of a fulfilment order: its line's id, the order's line and the pieces that are left.
fn left(all: &[(u32, u32, i64)]) -> Answer {
    let node = |(id, line, left): &(u32, u32, i64)| {
        json!({"id": format!("gid://shopify/FulfillmentOrderLineItem/{id}"), "remainingQuantity": left,
            "lineItem": {"id": format!("gid://shopify/LineItem/{line}")}})
    };
    let nodes: Vec<Value> = all.iter().map(node).collect();
    data(json!({"fulfillmentOrder": {"lineItems": {"nodes": nodes}}}))
}

fn created(id: u32) -> Answer {
    let made = json!({"id": format!("gid://shopify/Fulfillment/{id}"), "status": "SUCCESS"});
    data(json!({"fulfillmentCreate": {"fulfillment": made, "userErrors": []}}))
}

fn fulfil(lines: &[(&str, i64)], answers: &[Answer]) -> Played {
    play(&Shopify, &shop(), &Task::Fulfil(&shipped("13", lines)), answers)
}

fn missing(played: Played) -> Vec<LineQuantity> {
    match played.outcome {
        Outcome::Fulfilled(fulfilled) => fulfilled.missing,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_shipment_becomes_a_fulfilment() {
    let other = json!([fulfilment(1, "SUCCESS", "SB123GB7"), fulfilment(2, "CANCELLED", "SB123GB")]);
    let answers = [
        fulfilments(other),
        orders(&[(5, "CLOSED", 9), (6, "OPEN", 9)]),
        left(&[(61, 1, 3), (62, 2, 1)]),
        created(7),
    ];
    let played = fulfil(&[("1", 2)], &answers);
    let input = json!({"fulfillment": {
        "lineItemsByFulfillmentOrder": [{
            "fulfillmentOrderId": "gid://shopify/FulfillmentOrder/6",
            "fulfillmentOrderLineItems": [{"id": "gid://shopify/FulfillmentOrderLineItem/61", "quantity": 2}],
        }],
        "notifyCustomer": true,
        "trackingInfo": {"numbers": ["SB123GB"], "company": "Sandbox", "urls": ["https://track.example/SB123GB"]},
    }});
    assert_eq!(sent(&played.requests[3])["variables"], input);
    assert_eq!(played.requests.iter().filter(|request| request.is_write).count(), 1);
    assert!(
        played
            .requests
            .iter()
            .all(|request| request.url == "https://quay.myshopify.com/admin/api/2026-07/graphql.json")
    );
    let external_ids = vec!["gid://shopify/Fulfillment/7".to_owned()];
    assert_eq!(played.outcome, Outcome::Fulfilled(Fulfilled { external_ids, missing: vec![] }));
}

#[test]
fn what_is_there_under_the_number_is_not_fulfilled_again() {
    let ours = json!([fulfilment(7, "SUCCESS", "sb123gb")]);
    let played = fulfil(&[("1", 2)], &[fulfilments(ours.clone()), done(&[(1, 2)])]);
    assert!(played.requests.iter().all(|request| !request.is_write));
    // One location is done; the answer for the other one was lost.
    let answers =
        [fulfilments(ours), done(&[(1, 2)]), orders(&[(8, "OPEN", 10)]), left(&[(81, 2, 4)]), created(9)];
    let played = fulfil(&[("1", 2), ("2", 3)], &answers);
    let entry = &sent(&played.requests[4])["variables"]["fulfillment"]["lineItemsByFulfillmentOrder"];
    assert_eq!(entry[0]["fulfillmentOrderLineItems"][0]["quantity"], 3);
    assert!(missing(played).is_empty());
}

#[test]
fn each_location_has_a_fulfilment_of_its_own() {
    let answers = [
        fulfilments(json!([])),
        orders(&[(5, "OPEN", 9), (6, "IN_PROGRESS", 10), (7, "OPEN", 9)]),
        left(&[(51, 1, 1)]),
        left(&[(61, 1, 1)]),
        left(&[(71, 2, 1)]),
        created(1),
        created(2),
    ];
    let played = fulfil(&[("1", 2), ("2", 1)], &answers);
    let counts = played.requests[5..].iter().map(|request| {
        sent(request)["variables"]["fulfillment"]["lineItemsByFulfillmentOrder"].as_array().unwrap().len()
    });
    let mut counts: Vec<usize> = counts.collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2]);
    assert!(missing(played).is_empty());
}

#[test]
fn what_the_shop_has_not_left_is_reported() {
    let answers = [fulfilments(json!([])), orders(&[(5, "OPEN", 9)]), left(&[(51, 1, 1)]), created(1)];
    let played = fulfil(&[("1", 2), ("9", 1)], &answers);
    let line = |line: &str| LineQuantity { line: line.to_owned(), quantity: 1 };
    assert_eq!(missing(played), [line("1"), line("9")]);
    let nothing =
        failure(fulfil(&[("1", 2)], &[fulfilments(json!([])), orders(&[(5, "CLOSED", 9)])]).outcome);
    assert_eq!(nothing.kind, FailureKind::Refused);
}

#[test]
fn what_is_held_back_is_tried_again_later() {
    let answers = [
        fulfilments(json!([])),
        orders(&[(5, "OPEN", 9), (6, "ON_HOLD", 9)]),
        left(&[(51, 1, 1)]),
        created(1),
    ];
    let failed = failure(fulfil(&[("1", 2)], &answers).outcome);
    assert_eq!((failed.kind, failed.may_be_done), (FailureKind::Later, false));
}

#[test]
fn a_refusal_of_the_shop_is_told_in_its_words() {
    let errors = json!({"fulfillmentCreate": {"fulfillment": null, "userErrors": [{"field": ["fulfillment"], "message": "Too late."}]}});
    let answers = [fulfilments(json!([])), orders(&[(5, "OPEN", 9)]), left(&[(51, 1, 1)]), data(errors)];
    let failed = failure(fulfil(&[("1", 1)], &answers).outcome);
    assert_eq!((failed.kind, failed.message.as_str()), (FailureKind::Refused, "Shopify refuses: Too late."));
    let lost =
        [fulfilments(json!([])), orders(&[(5, "OPEN", 9)]), left(&[(51, 1, 1)]), answer(502, "<html>")];
    assert!(failure(fulfil(&[("1", 1)], &lost).outcome).may_be_done);
    assert_eq!(failure(fulfil(&[("1", 1)], &[data(json!({"order": null}))]).outcome).kind, FailureKind::Gone);
}

#[test]
fn a_void_cancels_the_fulfilments_that_have_the_number() {
    let cancel =
        |answers: &[Answer]| play(&Shopify, &shop(), &Task::CancelFulfilment(&shipped("13", &[])), answers);
    let all = json!([
        fulfilment(1, "SUCCESS", "OTHER"),
        fulfilment(2, "SUCCESS", "SB123GB"),
        fulfilment(3, "CANCELLED", "SB123GB")
    ]);
    let cancelled =
        data(json!({"fulfillmentCancel": {"fulfillment": {"status": "CANCELLED"}, "userErrors": []}}));
    let played = cancel(&[fulfilments(all), cancelled]);
    assert_eq!(sent(&played.requests[1])["variables"], json!({"id": "gid://shopify/Fulfillment/2"}));
    assert_eq!(played.outcome, Outcome::FulfilmentCancelled);
    assert_eq!(cancel(&[fulfilments(json!([]))]).outcome, Outcome::FulfilmentCancelled);
}
