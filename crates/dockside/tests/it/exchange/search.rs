//! `GET /search`: what an answer shows, who may search what, and that no query does harm.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::parcel_to;
use crate::setup::stock_requests::{lines, refusal};
use crate::setup::world::{Reply, World, depot};

/// Makes one resource of every type that the word `lighthouse` finds, and returns their ids by type.
async fn lighthouses(world: &World, token: &str) -> Value {
    let make = async |path: &str, body: Value| {
        let reply = world.request("POST", path).token(token).json(body).send().await;
        assert_eq!(reply.status, 201, "{path}: {reply}");
        reply.json()["id"].clone()
    };
    let item = make("/inventory_items", json!({"sku": "LH-1", "name": "Lighthouse lamp"})).await;
    let ordered = lines(&[(item.as_str().unwrap(), 1)]);
    let order = json!({"reference": "SO-7", "items": ordered, "customer": {"name": "Lighthouse, Inc."}});
    let mut shipment = parcel();
    shipment["addresses"]["destination"]["contact"] = json!({"name": "The Lighthouse"});
    json!({
        "inventory_item": item,
        "location": make("/locations", depot("Lighthouse")).await,
        "order": make("/orders", order).await,
        "shipment": make("/shipments", shipment).await,
        "batch": make("/batches", json!({"name": "lighthouse batch"})).await,
    })
}

fn types(reply: &Reply) -> Vec<String> {
    let list = reply.json()["data"].as_array().cloned().unwrap_or_default();
    list.iter().map(|hit| hit["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_search_shows_what_was_found_and_why() {
    let world = World::new().await;
    let ids = lighthouses(&world, &world.token.clone()).await;
    let reply = world.get("/search?q=LIGHTHOUSE").await;
    let hit = |r#type: &str, title: &str, subtitle: Value, field: &str, how: &str| json!({"type": r#type, "id": ids[r#type], "title": title, "subtitle": subtitle, "matched_field": field, "match": how});
    let shipment = ids["shipment"].as_str().unwrap();
    let expected = json!({
        "data": [
            hit("location", "Lighthouse", json!("Bristol"), "/name", "exact"),
            hit("batch", "lighthouse batch", Value::Null, "/name", "prefix"),
            hit("order", "SO-7", json!("Lighthouse, Inc."), "/customer/name", "prefix"),
            hit("inventory_item", "Lighthouse lamp", json!("LH-1"), "/name", "prefix"),
            hit("shipment", shipment, json!("The Lighthouse"), "/addresses/destination/contact/name", "word"),
        ],
        "next_cursor": null, "previous_cursor": null, "limit": 20,
    });
    assert_eq!((reply.status.as_u16(), reply.json()), (200, expected));
    // Several words must all match, wherever they are.
    assert_eq!(types(&world.get("/search?q=lamp%20lh").await), ["inventory_item"]);
    assert_eq!(types(&world.get("/search?q=lamp%20batch").await), [""; 0]);
}

#[tokio::test]
async fn tracking_numbers_are_found_without_their_spaces() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("BS1 4DJ")).await;
    let bought = world.buy(&path).await;
    let number = bought["tracking_number"].as_str().unwrap();
    let spaced: Vec<String> = number.chars().map(|char| char.to_string()).collect();
    for written in [number.to_owned(), number.to_lowercase(), spaced.join("%20"), number[..6].to_owned()] {
        let reply = world.get(format!("/search?q={written}")).await;
        assert_eq!(reply.ids(), [bought["id"].as_str().unwrap()], "{written}: {reply}");
        assert_eq!(reply.json()["data"][0]["matched_field"], "/tracking_number");
    }
}

#[tokio::test]
async fn a_token_finds_only_what_it_may_read() {
    let world = World::new().await;
    lighthouses(&world, &world.token.clone()).await;
    for (scopes, expected) in [
        ("orders:read", vec!["order"]),
        ("inventory:write shipments:read", vec!["inventory_item", "shipment"]),
        ("batches:read locations:read", vec!["location", "batch"]),
        ("events:read", vec![]),
    ] {
        let token = world.token_for("Acme", scopes, Mode::Live).await;
        let found = world.request("GET", "/search?q=lighthouse").token(&token).send().await;
        assert_eq!(
            (found.status.as_u16(), types(&found)),
            (200, expected.iter().map(|word| (*word).to_owned()).collect()),
            "{scopes}"
        );
        let named = world.request("GET", "/search?q=lighthouse&types=order,batch").token(&token).send().await;
        assert_eq!(refusal(&named), (403, "insufficient_scope".to_owned()), "{scopes}: {named}");
    }
    let anonymous = world.request("GET", "/search?q=lighthouse").anonymous().send().await;
    assert_eq!(anonymous.status, 401);
}

#[tokio::test]
async fn other_organisations_and_worlds_are_never_searched() {
    let world = World::new().await;
    lighthouses(&world, &world.token.clone()).await;
    for (organisation, mode) in [("Globex", Mode::Live), ("Acme", Mode::Test)] {
        let token = world.token_for(organisation, "*", mode).await;
        let found = world.request("GET", "/search?q=lighthouse").token(&token).send().await;
        assert_eq!((found.status.as_u16(), types(&found)), (200, Vec::new()), "{organisation}");
        let first = world.get("/search?q=lighthouse&limit=1").await.json();
        let path = format!("/search?q=lighthouse&limit=1&cursor={}", first["next_cursor"].as_str().unwrap());
        let stolen = world.request("GET", &path).token(&token).send().await;
        assert_eq!(refusal(&stolen), (400, "invalid_cursor".to_owned()));
    }
}

#[tokio::test]
async fn a_cursor_serves_the_search_it_was_made_for_only() {
    let world = World::new().await;
    lighthouses(&world, &world.token.clone()).await;
    let first = world.get("/search?q=lighthouse&limit=2").await.json();
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(
        world.get(format!("/search?q=Light-house&limit=2&cursor={cursor}")).await.code(),
        "invalid_cursor"
    );
    let narrower = format!("/search?q=lighthouse&types=order&limit=2&cursor={cursor}");
    assert_eq!(world.get(narrower).await.code(), "invalid_cursor");
    // Another spelling of the same words is the same search.
    let second = world.get(format!("/search?q=LIGHTHOUSE&limit=2&cursor={cursor}")).await;
    assert_eq!((second.status.as_u16(), second.ids().len()), (200, 2));
}

#[tokio::test]
async fn hostile_queries_are_harmless() {
    let world = World::new().await;
    lighthouses(&world, &world.token.clone()).await;
    for query in [
        "",
        "%20",
        "%22",
        "*",
        "%22%22",
        "NEAR",
        "NEAR(a,b)",
        "a%20AND%20b",
        "OR",
        "NOT%20x",
        "lighthouse*",
        "%25",
        "_",
        "%27%3B%20DROP%20TABLE%20orders%3B--",
        "%5C",
        "(((((",
        "%EF%BF%BF",
        "%F0%9F%8F%B7",
        "%E2%80%8B",
        "%CC%81",
        "=",
        "~",
        "%EF%B7%BA%EF%B7%BA",
        "%F4%8F%BF%BF",
    ] {
        let reply = world.get(format!("/search?q={query}")).await;
        assert_eq!(reply.status, 200, "{query}: {reply}");
    }
    assert_eq!(types(&world.get("/search?q=%22lighthouse%22%20*").await).len(), 5);
    assert_eq!(types(&world.get("/search").await), [""; 0]);
    for query in ["a%00b", "a%0Ab", &"a".repeat(201), &"a%20".repeat(2_500), &"%C3%A9".repeat(1_000)] {
        let reply = world.get(format!("/search?q={query}")).await;
        assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query:.20}: {reply}");
        assert_eq!(reply.issues(), [("invalid_query".to_owned(), "q".to_owned())], "{query:.20}");
    }
    for query in ["types=orders", "types=order,nothing", "q=a&q=b", "limit=0", "query=x"] {
        assert_eq!(world.get(format!("/search?{query}")).await.status, 400, "{query}");
    }
    let longest = world.get(format!("/search?q={}", "a%20".repeat(100))).await;
    assert_eq!((longest.status.as_u16(), types(&longest)), (200, Vec::new()));
    assert_eq!(types(&world.get("/search?q=lighthouse&types=order,batch").await), ["batch", "order"]);
}
