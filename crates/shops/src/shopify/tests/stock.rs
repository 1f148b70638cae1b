//! What Shopify is told of stock.

use serde_json::{Value, json};

use super::super::*;
use super::data;
use crate::connector::Answer;
use crate::failure::FailureKind;
use crate::stock::{StockLevel, StockReport};
use crate::testing::*;

fn variant(number: u32, sku: &str, available: i64) -> Value {
    let quantities = json!([{"name": "available", "quantity": available}]);
    json!({"id": format!("gid://shopify/ProductVariant/{number}"), "sku": sku, "inventoryItem": {
        "id": format!("gid://shopify/InventoryItem/{number}"), "tracked": true, "inventoryLevel": {"quantities": quantities}}})
}

fn found(variants: Value) -> Answer {
    data(json!({"productVariants": {"nodes": variants, "pageInfo": {"hasNextPage": false}}}))
}

fn taken(errors: Value) -> Answer {
    data(json!({"inventorySetQuantities": {"userErrors": errors}}))
}

fn set(levels: &[(&str, i64)], answers: &[Answer]) -> Played {
    let level = |(sku, sellable): &(&str, i64)| StockLevel { sku: (*sku).to_owned(), sellable: *sellable };
    let levels: Vec<StockLevel> = levels.iter().map(level).collect();
    play(&Shopify, &shop(), &Task::SetStock { key: "job-1", levels: &levels }, answers)
}

fn report(played: &Played) -> &StockReport {
    match &played.outcome {
        Outcome::StockSet(report) => report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn quantities_that_differ_are_set_if_they_are_still_what_was_seen() {
    let mut untracked = variant(4, "D", 1);
    untracked["inventoryItem"]["tracked"] = json!(false);
    let mut elsewhere = variant(5, "E", 1);
    elsewhere["inventoryItem"]["inventoryLevel"] = Value::Null;
    let answers = [
        found(json!([variant(1, "A", 4), variant(2, "B", 6), untracked, elsewhere, variant(6, "A-2", 9)])),
        taken(json!([])),
    ];
    let played = set(&[("A", 5), ("B", 6), ("C\"", 1), ("D", 1), ("E", 2)], &answers);
    let look_up = sent(&played.requests[0])["variables"].clone();
    assert_eq!(look_up["query"], r#"sku:"A" OR sku:"B" OR sku:"C\"" OR sku:"D" OR sku:"E""#);
    assert_eq!(look_up["location"], "gid://shopify/Location/77");
    let input = json!({"name": "available", "reason": "correction", "quantities": [{
        "inventoryItemId": "gid://shopify/InventoryItem/1", "locationId": "gid://shopify/Location/77",
        "quantity": 5, "changeFromQuantity": 4,
    }]});
    assert_eq!(sent(&played.requests[1])["variables"]["input"], input);
    let report = report(&played);
    assert_eq!(report.unknown, ["C\""]);
    let refused: Vec<&str> = report.refused.iter().map(|refusal| refusal.sku.as_str()).collect();
    assert_eq!(refused, ["D", "E"]);
}

#[test]
fn a_repeated_change_has_the_same_key_and_another_one_has_another() {
    let key = |available: i64, wanted: i64| {
        let played = set(&[("A", wanted)], &[found(json!([variant(1, "A", available)])), taken(json!([]))]);
        sent(&played.requests[1])["variables"]["key"].as_str().unwrap().to_owned()
    };
    assert_eq!(key(4, 5), key(4, 5));
    assert_ne!(key(4, 5), key(3, 5));
    let parts: Vec<usize> = key(4, 5).split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);
}

#[test]
fn an_entry_that_is_refused_does_not_stop_the_others() {
    let error = json!([{"code": "ITEM_NOT_STOCKED_AT_LOCATION", "field": ["input", "quantities", "0", "locationId"], "message": "Not there."}]);
    let answers = [found(json!([variant(1, "A", 4), variant(2, "B", 4)])), taken(error), taken(json!([]))];
    let played = set(&[("A", 5), ("B", 5)], &answers);
    let again = sent(&played.requests[2])["variables"]["input"]["quantities"].clone();
    assert_eq!(again.as_array().unwrap().len(), 1);
    assert_eq!(again[0]["inventoryItemId"], "gid://shopify/InventoryItem/2");
    assert_eq!(report(&played).refused[0].why, "Not there.");
}

#[test]
fn a_quantity_that_changed_meanwhile_is_looked_up_again_later() {
    let of = |code: &str, field: Value| {
        let error = json!([{"code": code, "field": field, "message": "No."}]);
        failure(set(&[("A", 5)], &[found(json!([variant(1, "A", 4)])), taken(error)]).outcome).kind
    };
    assert_eq!(of("CHANGE_FROM_QUANTITY_STALE", json!(["input", "quantities", "0"])), FailureKind::Later);
    assert_eq!(of("IDEMPOTENCY_CONCURRENT_REQUEST", Value::Null), FailureKind::Later);
    assert_eq!(of("INVALID_REASON", json!(["input", "reason"])), FailureKind::Refused);
}

#[test]
fn stock_is_set_at_a_location_that_is_named() {
    let nowhere = Shop { stock_location: None, ..shop() };
    let played = play(&Shopify, &nowhere, &Task::SetStock { key: "k", levels: &[] }, &[]);
    assert_eq!(failure(played.outcome).kind, FailureKind::Refused);
}
