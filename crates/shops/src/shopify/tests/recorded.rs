//! The samples of go-shopify (MIT) are read as what they are, where they are at hand beside the repository.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::*;
use super::news;
use crate::order::Extent;
use crate::testing::*;

/// Says what a sample is read as, if it were the body of a webhook.
fn read_as(body: &Value) -> &'static str {
    match news("orders/updated", body) {
        News::Order(order) => {
            assert!(check_body(&order) || order.destination.is_some(), "{order:?}");
            "an order"
        }
        News::Changed(_) => "the name of an order",
        News::Other => "something else",
        News::Unreadable(_) => "nothing",
    }
}

#[test]
fn every_sample_is_read_as_what_it_is() {
    let samples = samples("shopify");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, sample) in &samples {
        for (kind, content) in sample.as_object().unwrap() {
            let bodies: Vec<&Value> =
                content.as_array().map_or_else(|| vec![content], |all| all.iter().collect());
            for body in bodies {
                let what = read_as(body);
                println!("{name}: {kind} is {what}");
                *counts.entry(what).or_default() += 1;
                assert_eq!(what == "an order", kind == "order" || kind == "orders", "{name}");
            }
        }
    }
    println!("{} files: {counts:?}", samples.len());
    assert_eq!(samples.is_empty(), counts.is_empty());
}

#[test]
fn the_recorded_order_has_its_prices_and_was_cancelled() {
    let samples = samples("shopify");
    let Some(sample) = samples.get("order") else { return };
    let News::Order(order) = news("orders/create", &sample["order"]) else { panic!() };
    assert!(order.is_cancelled && order.is_test && order.is_off());
    assert_eq!(
        (order.external_id.as_str(), order.status.as_str(), order.shipped),
        ("123456", "voided", Extent::None)
    );
    assert_eq!(order.modified_at, time("2016-05-17T08:14:36Z"));
    let lines: Vec<_> = order.lines.iter().map(|line| (line.external_id.as_str(), line.unit_price)).collect();
    assert_eq!(lines, [("254721536", Some(0)), ("5", Some(0))], "the second is reduced by its whole price");
    assert_eq!(order.lines[1].sku_or_product(), "product:5410685889");
    assert_eq!(order.destination.unwrap().name.as_deref(), Some("Steve Shipper"));
}

#[test]
fn the_recorded_fulfilment_has_the_number_that_is_looked_for() {
    let samples = samples("shopify");
    let Some(sample) = samples.get("fulfillment") else { return };
    let fulfilment = &sample["fulfillment"];
    let infos: Vec<Value> = crate::json::items(&fulfilment["tracking_numbers"])
        .iter()
        .map(|number| json!({"number": number}))
        .collect();
    let shown = json!({"id": fulfilment["admin_graphql_api_id"], "status": "SUCCESS", "trackingInfo": infos});
    let lines: Vec<Value> = crate::json::items(&fulfilment["line_items"])
        .iter()
        .map(|line| json!({"quantity": line["quantity"], "lineItem": {"id": line["admin_graphql_api_id"]}}))
        .collect();
    let wanted: Vec<(&str, i64)> = vec![("466157049", 1), ("518995019", 1), ("703073504", 1)];
    let number = infos[0]["number"].as_str().unwrap().to_owned();
    let shipped = crate::Shipped { tracking_numbers: vec![number], ..shipped("450789469", &wanted) };
    let answers = [
        ok(json!({"data": {"order": {"fulfillments": [shown]}}})),
        ok(json!({"data": {"fulfillment": {"fulfillmentLineItems": {"nodes": lines}}}})),
    ];
    let Outcome::Fulfilled(found) = play(&Shopify, &shop(), &Task::Fulfil(&shipped), &answers).outcome else {
        panic!()
    };
    assert_eq!(
        (found.external_ids.as_slice(), found.missing.len()),
        (&["gid://shopify/Fulfillment/1022782888".to_owned()][..], 0)
    );
}
