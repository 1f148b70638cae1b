//! Filters of `GET /orders`: any combination finds what a comparison of all orders finds, page by page.

use model::orders::order_exception::ExceptionCode;
use model::{Id, Timestamp, World as Mode};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use service::NewException;
use tokio::runtime::Runtime;

use crate::setup::stock_requests::{lines, refusal};
use crate::setup::world::World;

/// Orders that are made, and combinations that are compared.
const ORDERS: usize = 60;
const COMBINATIONS: u32 = 250;
const DAY_SECONDS: i64 = 86_400;

/// One order as a comparison needs it.
struct Known {
    id: String,
    doc: Value,
    locations: Vec<String>,
}

/// A filter: its name and its value in the query.
type Filter = (&'static str, String);

fn moment(day: usize) -> String {
    Timestamp::from_micros(1_790_000_000_000_000).plus_seconds(day as i64 * DAY_SECONDS).to_string()
}

/// The values of each filter, among them some that nothing has.
fn values(depots: &[String; 2]) -> Vec<(&'static str, Vec<String>)> {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let moments: Vec<String> = (0..6).map(moment).collect();
    vec![
        ("status", texts(&["draft", "committed", "fulfilled", "cancelled"])),
        (
            "fulfilment_status",
            texts(&[
                "unallocated",
                "partially_allocated",
                "allocated",
                "partially_shipped",
                "shipped",
                "delivered",
            ]),
        ),
        ("reference", texts(&["R1", "R2", "r1"])),
        ("customer", texts(&["ann MILLER", "miller ltd", "Bob", "Nobody"])),
        ("email_address", texts(&["ANN@example.com", "bob@example.com", "x@y"])),
        ("channel", texts(&["web", "phone", "Web"])),
        ("tags", texts(&["gift", "b2b", "gift,b2b", "none"])),
        ("placed_after", moments.clone()),
        ("placed_before", moments.clone()),
        ("ship_by_before", moments),
        ("location_id", vec![depots[0].clone(), depots[1].clone(), format!("loc_{}", "7".repeat(26))]),
        ("sku", texts(&["HAT", "MUG", "UNKNOWN-A", "NEVER"])),
        ("on_hold", texts(&["true", "false"])),
        ("has_exception", texts(&["true", "false"])),
    ]
}

/// Returns whether an order passes a filter, by its document alone.
fn passes(known: &Known, (name, value): &Filter, items: &[String; 2]) -> bool {
    let doc = &known.doc;
    let is = |at: &str| doc.pointer(at).and_then(Value::as_str) == Some(value);
    let is_folded = |at: &str| {
        doc.pointer(at).and_then(Value::as_str).map(str::to_lowercase) == Some(value.to_lowercase())
    };
    let time = |at: &str| doc.pointer(at).and_then(Value::as_str).and_then(Timestamp::parse);
    let given = Timestamp::parse(value);
    let list = |name: &str| doc[name].as_array().cloned().unwrap_or_default();
    match *name {
        "status" | "reference" | "channel" => is(&format!("/{name}")),
        "fulfilment_status" => is("/fulfilment/status"),
        "customer" => is_folded("/customer/name") || is_folded("/customer/company"),
        "email_address" => is_folded("/customer/email_address"),
        "tags" => value.split(',').all(|tag| list("tags").contains(&json!(tag))),
        "placed_after" => time("/placed_at").is_some_and(|at| Some(at) > given),
        "placed_before" => time("/placed_at").is_some_and(|at| Some(at) < given),
        "ship_by_before" => time("/ship_by").is_some_and(|at| Some(at) < given),
        "location_id" => known.locations.contains(value),
        "sku" => match value.as_str() {
            "HAT" => list("items").iter().any(|item| item["id"] == json!(items[0])),
            "MUG" => list("items").iter().any(|item| item["id"] == json!(items[1])),
            _ => {
                list("lines").iter().any(|line| line["item_id"].is_null() && line["sku"] == json!(value))
                    && doc["status"] == "draft"
            }
        },
        "on_hold" => doc["hold"].is_object() == (value == "true"),
        "has_exception" => {
            list("exceptions").iter().any(|one| one["resolved_at"].is_null()) == (value == "true")
        }
        other => panic!("no rule for {other}"),
    }
}

/// A body that depends on the number alone, so that each run makes the same orders.
fn body(number: usize, items: &[String; 2]) -> Value {
    let pick = |of: usize, step: usize| (number * 7 + number / 3 + step) % of;
    let mut body = json!({"status": if pick(5, 1) == 0 { "draft" } else { "committed" }});
    match pick(4, 0) {
        0 => body["lines"] = json!([{"sku": "HAT", "quantity": 2}, {"sku": "UNKNOWN-A", "quantity": 1}]),
        1 => body["lines"] = json!([{"sku": "MUG", "quantity": 3}]),
        2 => body["items"] = lines(&[(&items[0], 2)]),
        _ => body["items"] = lines(&[(&items[0], 1), (&items[1], 2)]),
    }
    if pick(3, 0) > 0 {
        body["reference"] = json!(["R1", "R2"][pick(2, 1)]);
        body["channel"] = json!(["web", "phone"][pick(2, 0)]);
    }
    match pick(4, 2) {
        0 => {
            body["customer"] =
                json!({"name": "Ann Miller", "company": "Miller Ltd", "email_address": "Ann@Example.com"})
        }
        1 => body["customer"] = json!({"name": "BOB", "email_address": "bob@example.com"}),
        _ => {}
    }
    body["tags"] = [json!([]), json!(["gift"]), json!(["gift", "b2b"])][pick(3, 1)].clone();
    if pick(3, 2) > 0 {
        body["placed_at"] = json!(moment(pick(6, 3)));
        body["ship_by"] = json!(moment(pick(5, 1) + 1));
    }
    body
}

/// Allocates, completes, holds, cancels and raises as the number says, and returns what the order has become.
async fn live(world: &World, number: usize, id: &str, depots: &[String; 2]) -> Known {
    let path = format!("/orders/{id}");
    let doc = world.get(&path).await.json();
    let mut locations = Vec::new();
    if doc["status"] == "committed" && !number.is_multiple_of(3) {
        let item = doc["items"][0]["id"].as_str().unwrap().to_owned();
        let quantity = doc["items"][0]["quantity"].as_i64().unwrap();
        let depot = &depots[number % 2];
        let ids = world.allocated(id, &[(depot, &item, quantity)]).await;
        locations.push(depot.clone());
        if number.is_multiple_of(5) {
            assert_eq!(world.complete(id, &[&ids[0]]).await.status, 200);
        }
    }
    if number % 7 == 2 {
        world.post(format!("{path}/hold"), json!({"reason": "check"})).await;
    }
    if number % 11 == 3 {
        let reply = world.post(format!("{path}/cancel"), json!({})).await;
        if reply.status == 200 {
            locations.clear();
        }
    }
    if number % 6 == 1 {
        let new = NewException { code: ExceptionCode::Short, shipment: None, message: "Short".to_owned() };
        world.service.order_exceptions.raise(world.owner(), Id::parse(id).unwrap(), new).await.unwrap();
    }
    Known { id: id.to_owned(), doc: world.get(&path).await.json(), locations }
}

async fn all_pages(world: &World, query: &str, limit: usize) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.get(format!("/orders?{query}&limit={limit}&cursor={cursor}")).await;
        assert_eq!(page.status, 200, "{query}: {page}");
        found.extend(page.ids());
        match page.json()["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return found,
        }
    }
}

/// Percent-encodes what a query can't have.
fn encoded(value: &str) -> String {
    value.replace('+', "%2B").replace(' ', "%20").replace('@', "%40")
}

#[test]
fn any_combination_finds_what_a_comparison_of_all_orders_finds() {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(World::new());
    let (items, depots, known) = runtime.block_on(async {
        let items = [world.item("HAT").await, world.item("MUG").await];
        let depots = [world.location("One").await, world.location("Two").await];
        let stranger = world.token_for("Other", "*", Mode::Live).await;
        let mut known = Vec::new();
        for number in 0..ORDERS {
            let made = world.post("/orders", body(number, &items)).await;
            assert_eq!(made.status, 201, "{made}");
            known.push(live(&world, number, made.json()["id"].as_str().unwrap(), &depots).await);
            // The orders of another organisation are never found.
            let theirs = json!({"reference": "R1", "channel": "web", "tags": ["gift"], "lines": [{"sku": "UNKNOWN-A", "quantity": 1}]});
            let theirs = world.request("POST", "/orders").token(&stranger).json(theirs).send().await;
            assert_eq!(theirs.status, 201, "{theirs}");
        }
        (items, depots, known)
    });
    let values = values(&depots);
    let names = prop::sample::subsequence((0..values.len()).collect::<Vec<_>>(), 1..=4);
    let strategy = (names, prop::collection::vec(0..12_usize, 4), 1..20_usize);
    let mut runner =
        TestRunner::new(Config { cases: COMBINATIONS, failure_persistence: None, ..Config::default() });
    let found_some = std::cell::Cell::new(0);
    let check = |(names, picks, limit): (Vec<usize>, Vec<usize>, usize)| {
        let filters: Vec<Filter> = names
            .iter()
            .zip(picks)
            .map(|(name, pick)| (values[*name].0, values[*name].1[pick % values[*name].1.len()].clone()))
            .collect();
        let query: Vec<_> =
            filters.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let query = query.join("&");
        let bound = |name: &str| filters.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        if let (Some(after), Some(before)) = (bound("placed_after"), bound("placed_before"))
            && after >= before
        {
            let reply = runtime.block_on(world.get(format!("/orders?{query}")));
            assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query}");
            return Ok(());
        }
        let is_found = |order: &&Known| filters.iter().all(|filter| passes(order, filter, &items));
        let expected: Vec<&str> =
            known.iter().rev().filter(is_found).map(|order| order.id.as_str()).collect();
        found_some.set(found_some.get() + usize::from(!expected.is_empty()));
        assert_eq!(runtime.block_on(all_pages(&world, &query, limit)), expected, "{query}");
        Ok(())
    };
    runner.run(&strategy, check).unwrap();
    let seen = found_some.get();
    assert!(seen > COMBINATIONS as usize / 6, "only {seen} combinations found anything");
    runtime.block_on(world.assert_clean());
}

#[tokio::test]
async fn facets_follow_every_change_of_an_order() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let made = json!({"items": lines(&[(&hat, 1)]), "tags": ["a", "b"], "channel": "web", "customer": {"name": "Ann"}});
    let order = world.post("/orders", made).await.json()["id"].as_str().unwrap().to_owned();
    let finds = async |query: &str| !world.get(format!("/orders?{query}")).await.ids().is_empty();
    assert!(finds("tags=a,b&channel=web&customer=ann").await);
    let change = json!({"tags": ["b", "c"], "channel": null, "customer": {"name": "Bob", "company": "Ann"}});
    world.patch(format!("/orders/{order}"), change).await;
    for (query, is_found) in [
        ("tags=a", false),
        ("tags=b,c", true),
        ("channel=web", false),
        ("customer=bob", true),
        ("customer=ANN", true),
    ] {
        assert_eq!(finds(query).await, is_found, "{query}");
    }
    assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
    for query in ["tags=b", "customer=bob", "sku=HAT"] {
        assert!(!finds(query).await, "{query}");
    }
}

#[tokio::test]
async fn filters_that_make_no_sense_are_refused() {
    let world = World::new().await;
    for (query, name) in [
        ("fulfilment_status=done", "fulfilment_status"),
        ("customer=", "customer"),
        ("email_address=", "email_address"),
        ("channel=", "channel"),
        ("tags=Not-a-tag", "tags"),
        ("placed_after=yesterday", "placed_after"),
        ("placed_before=2026-11-01", "placed_before"),
        ("ship_by_before=7", "ship_by_before"),
        ("location_id=here", "location_id"),
        ("sku=", "sku"),
        ("on_hold=maybe", "on_hold"),
        ("has_exception=1", "has_exception"),
        ("placed_after=2026-11-02T00:00:00Z&placed_before=2026-11-01T00:00:00Z", "placed_after"),
        ("placed_after=2026-11-01T00:00:00Z&placed_before=2026-11-01T01:00:00%2B01:00", "placed_after"),
    ] {
        let reply = world.get(format!("/orders?{query}")).await;
        assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query}");
        assert_eq!(reply.issues(), [("invalid_query".to_owned(), name.to_owned())], "{query}");
    }
}
