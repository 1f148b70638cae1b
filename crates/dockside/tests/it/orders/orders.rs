//! Orders: draft, committed, fulfilled, cancelled; what may change when, and what may not.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::stock_requests::{lines, refusal};
use crate::setup::world::World;

/// A destination in Bristol.
fn bristol() -> Value {
    let address =
        json!({"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"});
    json!({"display_name": "Ann", "address": address})
}

#[tokio::test]
async fn an_order_is_committed_unless_it_says_draft() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let body = json!({
        "reference": "1042", "destination": bristol(), "items": lines(&[(&hat, 2)]), "metadata": {"gift": true},
    });
    let created = world.post("/orders", body.clone()).await;
    insta::assert_snapshot!(created, @r##"201 {"id":"ord_#1","reference":"1042","status":"committed","destination":{"display_name":"Ann","address":{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"},"coordinates":null},"items":[{"id":"inv_#1","quantity":2}],"lines":[],"customer":null,"channel":null,"source":null,"placed_at":null,"ship_by":null,"requested_service":null,"currency_code":null,"tags":[],"metadata":{"gift":true},"status_when_matched":null,"hold":null,"notes":[],"exceptions":[],"fulfilment":{"status":"unallocated","allocated_quantity":0,"shipped_quantity":0,"delivered_quantity":0,"returned_quantity":0,"shipment_ids":[]},"created_at":"#time","updated_at":"#time"}"##);
    let path = created.header("location").to_owned();
    assert_eq!(path, format!("/orders/{}", created.json()["id"].as_str().unwrap()));
    let read = world.get(&path).await;
    assert_eq!((read.json(), read.header("etag")), (created.json(), created.header("etag")));
    for status in ["draft", "committed"] {
        let mut body = body.clone();
        body["status"] = json!(status);
        assert_eq!(world.post("/orders", body).await.json()["status"], status);
    }
    for status in ["fulfilled", "cancelled"] {
        let mut body = body.clone();
        body["status"] = json!(status);
        let reply = world.post("/orders", body).await;
        assert_eq!(refusal(&reply), (422, "status_not_writable".to_owned()));
        assert_eq!(reply.issues(), [("status_not_writable".to_owned(), "/status".to_owned())]);
    }
}

#[tokio::test]
async fn the_same_item_twice_is_summed() {
    let world = World::new().await;
    let (hat, mug) = (world.item("HAT").await, world.item("MUG").await);
    let order =
        world.post("/orders", json!({"items": lines(&[(&hat, 1), (&mug, 5), (&hat, 2)])})).await.json();
    assert_eq!(order["items"], lines(&[(&hat, 3), (&mug, 5)]));
    let path = format!("/orders/{}", order["id"].as_str().unwrap());
    let patched = world.patch(&path, json!({"items": lines(&[(&mug, 1), (&mug, 1)])})).await;
    assert_eq!(patched.json()["items"], lines(&[(&mug, 2)]));
    let much = json!({"items": lines(&[(&hat, 1_000_000), (&mug, 1), (&hat, 1)])});
    let reply = world.post("/orders", much).await;
    assert_eq!(reply.issues(), [("out_of_range".to_owned(), "/items/2/quantity".to_owned())]);
}

#[tokio::test]
async fn what_is_wrong_with_an_order_is_named_and_nothing_is_made() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let token = world.token_for("Acme", "*", Mode::Test).await;
    let made = json!({"sku": "HAT", "name": "Hat"});
    let made = world.request("POST", "/inventory_items").token(&token).json(made).send().await.json();
    let (theirs, unknown) = (made["id"].as_str().unwrap(), format!("inv_{}", "7".repeat(26)));
    let kind = format!("loc_{}", "7".repeat(26));
    let before = world.everything().await;
    let quantity = |quantity: Value| json!({"items": [{"id": hat, "quantity": quantity}]});
    let cases = [
        (quantity(json!(0)), "out_of_range", "/items/0/quantity"),
        (quantity(json!(-1)), "out_of_range", "/items/0/quantity"),
        (quantity(json!(1_000_001)), "out_of_range", "/items/0/quantity"),
        (quantity(json!(1.5)), "not_integer", "/items/0/quantity"),
        (quantity(json!("2")), "invalid_type", "/items/0/quantity"),
        (quantity(Value::Null), "required", "/items/0/quantity"),
        (json!({}), "required", "/items"),
        (json!({"items": []}), "too_few", "/items"),
        (json!({"items": null}), "required", "/items"),
        (json!({"items": lines(&[(&hat, 1), (&unknown, 1)])}), "inventory_item_not_found", "/items/1/id"),
        (json!({"items": lines(&[(theirs, 1)])}), "inventory_item_not_found", "/items/0/id"),
        (json!({"items": lines(&[(&kind, 1)])}), "invalid_id", "/items/0/id"),
        (json!({"items": lines(&[(&hat, 1)]), "status": "done"}), "invalid_value", "/status"),
        (json!({"items": lines(&[(&hat, 1)]), "reference": ""}), "too_short", "/reference"),
        (json!({"items": lines(&[(&hat, 1)]), "destination": {}}), "required", "/destination/address"),
        (json!({"items": lines(&[(&hat, 1)]), "refrence": "1"}), "unknown_field", "/refrence"),
    ];
    for (body, code, field) in cases {
        let reply = world.post("/orders", body.clone()).await;
        assert_eq!(reply.status, 422, "{body}: {reply}");
        assert_eq!(reply.issues(), [(code.to_owned(), field.to_owned())], "{body}");
    }
    assert_eq!(world.everything().await, before);
}

#[tokio::test]
async fn a_draft_is_committed_once() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let draft = world.post("/orders", json!({"status": "draft", "items": lines(&[(&hat, 2)])})).await.json();
    let order = draft["id"].as_str().unwrap();
    assert_eq!(world.reserved(order).await, []);
    let depot = world.location("Depot").await;
    let early = world.allocate(order, &[(&depot, &hat, 1)]).await;
    assert_eq!(refusal(&early), (409, "order_not_committed".to_owned()));
    let plan = world.post(format!("/allocations/orders/{order}/plan"), json!({})).await;
    assert_eq!(refusal(&plan), (409, "order_not_committed".to_owned()));

    let committed = world.post(format!("/orders/{order}/commit"), json!({})).await;
    assert_eq!((committed.status.as_u16(), &committed.json()["status"]), (200, &json!("committed")));
    assert_eq!(world.reserved(order).await, [(2, 0)]);
    let events = world.events().await.len();
    let again = world.post(format!("/orders/{order}/commit"), json!({})).await;
    assert_eq!((again.json(), again.header("etag")), (committed.json(), committed.header("etag")));
    assert_eq!(world.events().await.len(), events);
    world.assert_clean().await;
}

#[tokio::test]
async fn cancelling_takes_everything_back_unless_something_is_completed() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 5).await;
    let order = world.order(&[(&hat, 4)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 1), (&depot, &hat, 2)]).await;
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    let before = world.everything().await;
    let refused = world.post(format!("/orders/{order}/cancel"), json!({})).await;
    assert_eq!(refusal(&refused), (409, "order_partly_fulfilled".to_owned()));
    assert_eq!(world.everything().await, before);

    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    world.allocated(&order, &[(&depot, &hat, 3)]).await;
    let cancelled = world.post(format!("/orders/{order}/cancel"), json!({})).await;
    assert_eq!((cancelled.status.as_u16(), &cancelled.json()["status"]), (200, &json!("cancelled")));
    assert_eq!(world.reserved(&order).await, []);
    assert_eq!(world.get("/allocations").await.ids(), [""; 0]);
    assert_eq!(world.level(&hat, &depot).await, [5, 0, 5]);
    let events = world.events().await.len();
    assert_eq!(world.post(format!("/orders/{order}/cancel"), json!({})).await.json(), cancelled.json());
    assert_eq!(world.events().await.len(), events);

    let commit = world.post(format!("/orders/{order}/commit"), json!({})).await;
    assert_eq!(refusal(&commit), (409, "order_cancelled".to_owned()));
    let allocate = world.allocate(&order, &[(&depot, &hat, 1)]).await;
    assert_eq!(refusal(&allocate), (409, "order_cancelled".to_owned()));
    let plan = world.post(format!("/allocations/orders/{order}/plan?apply=true"), json!({})).await;
    assert_eq!(refusal(&plan), (409, "order_cancelled".to_owned()));
    let items = world.patch(format!("/orders/{order}"), json!({"items": lines(&[(&hat, 9)])})).await;
    assert_eq!(refusal(&items), (409, "order_cancelled".to_owned()));
    assert_eq!(world.patch(format!("/orders/{order}"), json!({"reference": "7"})).await.status, 200);
    assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
    world.assert_clean().await;
}

#[tokio::test]
async fn deleting_takes_everything_back_unless_something_is_completed() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 5).await;
    let order = world.order(&[(&hat, 4)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 1), (&depot, &hat, 2)]).await;
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    let before = world.everything().await;
    let refused = world.delete(format!("/orders/{order}")).await;
    assert_eq!(refusal(&refused), (409, "order_partly_fulfilled".to_owned()));
    assert_eq!(world.everything().await, before);

    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    world.allocated(&order, &[(&depot, &hat, 3)]).await;
    assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
    assert_eq!(world.get(format!("/orders/{order}")).await.status, 404);
    assert_eq!(world.get(format!("/allocations/orders/{order}")).await.status, 404);
    assert_eq!(world.get("/allocations").await.ids(), [""; 0]);
    assert_eq!(world.reserved(&order).await, []);
    assert_eq!(world.level(&hat, &depot).await, [5, 0, 5]);
    world.assert_clean().await;
}

#[tokio::test]
async fn the_items_of_an_open_order_change_but_not_below_what_is_allocated() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 5).await;
    let mug = world.item("MUG").await;
    let order = world.order(&[(&hat, 4), (&mug, 1)]).await;
    let path = format!("/orders/{order}");
    let ids = world.allocated(&order, &[(&depot, &hat, 3)]).await;
    let before = world.everything().await;
    let less = world.patch(&path, json!({"items": lines(&[(&mug, 1), (&hat, 2)])})).await;
    assert_eq!(refusal(&less), (409, "order_items_allocated".to_owned()));
    let issue = &less.json()["errors"][0];
    assert_eq!(
        (&issue["item"], &issue["requested"], &issue["allocated"]),
        (&json!(hat), &json!(2), &json!(3))
    );
    assert_eq!(issue["field"], "/items/1/quantity");
    let none = world.patch(&path, json!({"items": lines(&[(&mug, 1)])})).await;
    assert_eq!(none.issues(), [("order_items_allocated".to_owned(), "/items".to_owned())]);
    assert_eq!(world.everything().await, before);

    let patched = world.patch(&path, json!({"items": lines(&[(&hat, 3)])})).await;
    assert_eq!((patched.status.as_u16(), &patched.json()["items"]), (200, &lines(&[(&hat, 3)])));
    assert_eq!(world.reserved(&order).await, [(3, 3)]);
    assert_eq!(world.patch(&path, json!({"items": lines(&[(&mug, 2), (&hat, 4)])})).await.status, 200);
    assert_eq!(world.reserved(&order).await, [(2, 0), (4, 3)]);

    // What is left out at the end was never sent: the order is fulfilled by leaving it out.
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    assert_eq!(world.status(&order).await, "committed");
    let patched = world.patch(&path, json!({"items": lines(&[(&hat, 3)])})).await;
    assert_eq!(patched.json()["status"], "fulfilled");
    let late = world.patch(&path, json!({"items": lines(&[(&hat, 4)])})).await;
    assert_eq!(refusal(&late), (409, "order_fulfilled".to_owned()));
    assert_eq!(world.patch(&path, json!({"metadata": {"sent": true}})).await.json()["status"], "fulfilled");
    world.assert_clean().await;
}

#[tokio::test]
async fn a_status_is_not_written_by_patch() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let order = world.order(&[(&hat, 1)]).await;
    let path = format!("/orders/{order}");
    let before = world.everything().await;
    for status in ["draft", "fulfilled", "cancelled"] {
        let reply = world.patch(&path, json!({"status": status, "reference": "7"})).await;
        assert_eq!(refusal(&reply), (422, "status_not_writable".to_owned()), "{status}");
    }
    for items in [Value::Null, json!([]), json!([{"id": hat}]), json!([{"id": hat, "quantity": 0}])] {
        let reply = world.patch(&path, json!({"items": items})).await;
        assert_eq!(refusal(&reply), (422, "validation_failed".to_owned()), "{items}");
    }
    assert_eq!(world.everything().await, before);
    // A client that sends back what it read changes nothing.
    let read = world.get(&path).await.json();
    let same = world.patch(&path, read.clone()).await;
    assert_eq!((same.status.as_u16(), &same.json()["items"]), (200, &read["items"]));
    let stale = world.request("PATCH", &path).header("if-match", "\"1\"").json(json!({"reference": "7"}));
    assert_eq!(refusal(&stale.send().await), (412, "precondition_failed".to_owned()));
}

#[tokio::test]
async fn orders_are_filtered_by_status_and_reference() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let mut ids = Vec::new();
    for (status, reference) in [("draft", "a"), ("committed", "a"), ("committed", "b"), ("draft", "a,b")] {
        let body = json!({"status": status, "reference": reference, "items": lines(&[(&hat, 1)])});
        ids.push(world.post("/orders", body).await.json()["id"].as_str().unwrap().to_owned());
    }
    let found = async |query: &str| {
        let ids_found = world.get(format!("/orders?{query}")).await.ids();
        ids_found.iter().map(|id| ids.iter().position(|known| known == id).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(found("").await, [3, 2, 1, 0]);
    assert_eq!(found("status=draft").await, [3, 0]);
    assert_eq!(found("status=committed").await, [2, 1]);
    assert_eq!(found("status=cancelled").await, [0; 0]);
    assert_eq!(found("reference=a").await, [1, 0]);
    assert_eq!(found("reference=a%2Cb").await, [3]);
    assert_eq!(found("reference=a&status=draft").await, [0]);
    for query in ["status=done", "status=", "status=draft&status=draft", "reference=", "referense=a"] {
        let reply = world.get(format!("/orders?{query}")).await;
        assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query}");
    }
    let page = world.get("/orders?status=draft&limit=1").await.json();
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(
        world.get(format!("/orders?status=draft&limit=1&cursor={cursor}")).await.ids(),
        [ids[0].as_str()]
    );
    let other = world.get(format!("/orders?status=committed&limit=1&cursor={cursor}")).await;
    assert_eq!(refusal(&other), (400, "invalid_cursor".to_owned()));
}
