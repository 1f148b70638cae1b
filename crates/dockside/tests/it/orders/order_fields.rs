//! What a shop says of an order: kept, shown, changed by PATCH, and refused if it is wrong.

use serde_json::{Value, json};

use crate::setup::stock_requests::{lines, refusal};
use crate::setup::world::World;

/// An order with every field that a client may set, of two items.
fn full_order(hat: &str) -> Value {
    json!({
        "reference": "1042",
        "status": "committed",
        "lines": [
            {"item_id": hat, "sku": "HAT-RED", "name": "Red hat", "quantity": 2, "unit_price": 1500, "external_line_id": "77"},
            {"name": "Gift card", "quantity": 1, "unit_price": 0, "is_shippable": false},
        ],
        "customer": {"name": "Ann Miller", "company": "Miller Ltd", "email_address": "Ann@Example.com", "phone_number": "+44 117 1"},
        "channel": "webshop",
        "source": {"external_id": "5123", "external_number": "#1042", "url": "https://shop.example/orders/5123"},
        "placed_at": "2026-10-31T10:00:00+01:00",
        "ship_by": "2026-11-02T17:00:00Z",
        "requested_service": "Express",
        "currency_code": "GBP",
        "tags": ["gift", "b2b"],
        "metadata": {"a": 1},
    })
}

#[tokio::test]
async fn every_field_is_kept_shown_and_changed() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let created = world.post("/orders", full_order(&hat)).await;
    assert_eq!(created.status, 201, "{created}");
    let (order, path) = (created.json(), created.header("location").to_owned());
    assert_eq!(world.get(&path).await.json(), order);
    for field in ["customer", "channel", "source", "ship_by", "requested_service", "currency_code", "tags"] {
        let expected = match field {
            "ship_by" => json!("2026-11-02T17:00:00.000000Z"),
            _ => full_order(&hat)[field].clone(),
        };
        assert_eq!(order[field], expected, "{field}");
    }
    assert_eq!(order["placed_at"], "2026-10-31T09:00:00.000000Z");
    assert_eq!(order["items"], lines(&[(&hat, 2)]), "a line that is not shipped is not reserved");
    assert_eq!(world.reserved(order["id"].as_str().unwrap()).await, [(2, 0)]);
    let line = &order["lines"][0];
    assert!(line["id"].as_str().unwrap().starts_with("line_"));
    assert_eq!(
        (&line["name"], &line["unit_price"], &line["is_shippable"]),
        (&json!("Red hat"), &json!(1500), &json!(true))
    );
    assert_eq!((&order["lines"][1]["item_id"], &order["lines"][1]["sku"]), (&Value::Null, &Value::Null));

    // What was read may be sent back, to the same order and to make another one.
    let mut same = world.patch(&path, order.clone()).await.json();
    same["updated_at"] = order["updated_at"].clone();
    assert_eq!(same, order);
    let another = world.post("/orders", order.clone()).await.json();
    assert_eq!((&another["items"], &another["customer"]), (&order["items"], &order["customer"]));
    assert_ne!(another["lines"][0]["id"], order["lines"][0]["id"]);

    let change = json!({"customer": {"company": null}, "channel": "phone", "tags": null, "ship_by": null, "source": null});
    let changed = world.patch(&path, change).await.json();
    assert_eq!(
        (&changed["customer"]["name"], &changed["customer"]["company"]),
        (&json!("Ann Miller"), &Value::Null)
    );
    assert_eq!((&changed["channel"], &changed["tags"]), (&json!("phone"), &json!([])));
    assert_eq!((&changed["ship_by"], &changed["source"]), (&Value::Null, &Value::Null));
    world.assert_clean().await;
}

#[tokio::test]
async fn an_order_that_says_none_of_it_shows_empty_values() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let order = world.post("/orders", json!({"items": lines(&[(&hat, 1)])})).await.json();
    for field in [
        "customer",
        "channel",
        "source",
        "placed_at",
        "ship_by",
        "requested_service",
        "currency_code",
        "hold",
        "status_when_matched",
    ] {
        assert_eq!(order.get(field), Some(&Value::Null), "{field}");
    }
    for field in ["lines", "tags", "notes", "exceptions"] {
        assert_eq!(order.get(field), Some(&json!([])), "{field}");
    }
    let fulfilment = json!({
        "status": "unallocated", "allocated_quantity": 0, "shipped_quantity": 0, "delivered_quantity": 0,
        "returned_quantity": 0, "shipment_ids": [],
    });
    assert_eq!(order["fulfilment"], fulfilment);
}

#[tokio::test]
async fn what_the_server_sets_is_ignored_in_requests() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let body = json!({
        "items": lines(&[(&hat, 1)]), "hold": {"reason": "x"}, "notes": [{"text": "x"}], "exceptions": [7],
        "fulfilment": {"status": "shipped"}, "status_when_matched": "draft",
    });
    let created = world.post("/orders", body.clone()).await;
    let path = created.header("location").to_owned();
    world.patch(&path, body).await;
    let order = world.get(&path).await.json();
    assert_eq!(
        (&order["hold"], &order["notes"], &order["exceptions"]),
        (&Value::Null, &json!([]), &json!([]))
    );
    assert_eq!(
        (&order["fulfilment"]["status"], &order["status"]),
        (&json!("unallocated"), &json!("committed"))
    );
}

#[tokio::test]
async fn each_wrong_field_is_named_and_nothing_is_made() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let path = world.post("/orders", full_order(&hat)).await.header("location").to_owned();
    let before = world.everything().await;
    let (long, unknown) = ("x".repeat(256), format!("inv_{}", "7".repeat(26)));
    let line = |field: &str, value: Value| {
        let mut line = json!({"item_id": hat, "quantity": 1});
        line[field] = value;
        json!({"lines": [line]})
    };
    let cases = [
        (json!({"customer": 7}), "invalid_type", "/customer"),
        (json!({"customer": {"name": " "}}), "blank", "/customer/name"),
        (json!({"customer": {"email_address": "nobody"}}), "invalid_format", "/customer/email_address"),
        (json!({"customer": {"phone_number": long}}), "too_long", "/customer/phone_number"),
        (json!({"channel": ""}), "too_short", "/channel"),
        (json!({"channel": "x".repeat(101)}), "too_long", "/channel"),
        (json!({"source": {"url": "javascript:alert(1)"}}), "invalid_format", "/source/url"),
        (json!({"source": {"external_id": 5}}), "invalid_type", "/source/external_id"),
        (json!({"source": {"order_source_id": "x"}}), "unknown_field", "/source/order_source_id"),
        (json!({"placed_at": "yesterday"}), "invalid_format", "/placed_at"),
        (json!({"ship_by": 7}), "invalid_type", "/ship_by"),
        (json!({"requested_service": "\u{200b}"}), "blank", "/requested_service"),
        (json!({"currency_code": "POUND"}), "invalid_value", "/currency_code"),
        (json!({"tags": ["Not ok"]}), "invalid_format", "/tags/0"),
        (json!({"tags": vec!["a"; 51]}), "too_many", "/tags"),
        (json!({"lines": {}}), "invalid_type", "/lines"),
        (json!({"lines": [{"item_id": hat}]}), "required", "/lines/0/quantity"),
        (json!({"lines": [{"quantity": 1}]}), "required", "/lines/0/sku"),
        (line("quantity", json!(0)), "out_of_range", "/lines/0/quantity"),
        (line("unit_price", json!(1.5)), "amount_not_integer", "/lines/0/unit_price"),
        (line("unit_price", json!(-1)), "out_of_range", "/lines/0/unit_price"),
        (line("sku", json!("")), "too_short", "/lines/0/sku"),
        (line("is_shippable", json!("no")), "invalid_type", "/lines/0/is_shippable"),
        (line("is_shippable", json!(false)), "invalid_value", "/lines/0/item_id"),
        (line("item_id", json!("HAT")), "invalid_id", "/lines/0/item_id"),
        (line("item_id", json!(unknown)), "inventory_item_not_found", "/lines/0/item_id"),
        (line("price", json!(7)), "unknown_field", "/lines/0/price"),
    ];
    for (change, code, field) in cases {
        let mut body = full_order(&hat);
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        for reply in [world.post("/orders", body).await, world.patch(&path, change.clone()).await] {
            assert_eq!(reply.status, 422, "{change}: {reply}");
            assert_eq!(reply.issues(), [(code.to_owned(), field.to_owned())], "{change}");
        }
    }
    let mut body = full_order(&hat);
    body["currency_code"] = Value::Null;
    let reply = world.post("/orders", body).await;
    assert_eq!(reply.issues(), [("required".to_owned(), "/currency_code".to_owned())]);
    assert_eq!(world.patch(&path, json!({"currency_code": null})).await.status, 422);
    assert_eq!(world.everything().await, before);
}

#[tokio::test]
async fn notes_are_added_and_told() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let order = world.order(&[(&hat, 1)]).await;
    let path = format!("/orders/{order}/notes");
    let start = world.events().await.len();
    let first = world.post(&path, json!({"text": "Ring twice", "is_for_customer": true})).await;
    assert_eq!((first.status.as_u16(), first.header("etag")), (200, "\"2\""), "{first}");
    let order = world.post(&path, json!({"text": "Fragile"})).await.json();
    assert_eq!(order["notes"][0]["text"], "Ring twice");
    assert_eq!(
        (&order["notes"][0]["is_for_customer"], &order["notes"][1]["is_for_customer"]),
        (&json!(true), &json!(false))
    );
    assert!(
        order["notes"][1]["id"].as_str().unwrap().starts_with("note_")
            && order["notes"][1]["created_at"].is_string()
    );
    let events = world.events().await;
    assert_eq!(
        events[start..].iter().map(|event| event.r#type.as_str()).collect::<Vec<_>>(),
        ["order.updated"; 2]
    );
    for (body, code, field) in [
        (json!({}), "required", "/text"),
        (json!({"text": " "}), "blank", "/text"),
        (json!({"text": "x".repeat(2001)}), "too_long", "/text"),
        (json!({"text": "x", "is_for_customer": 1}), "invalid_type", "/is_for_customer"),
    ] {
        assert_eq!(world.post(&path, body).await.issues(), [(code.to_owned(), field.to_owned())]);
    }
    for _ in 2..100 {
        assert_eq!(world.post(&path, json!({"text": "More"})).await.status, 200);
    }
    assert_eq!(
        refusal(&world.post(&path, json!({"text": "Too many"})).await),
        (409, "too_many_notes".to_owned())
    );
}
