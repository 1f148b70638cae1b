//! Allocating: all or nothing, never more than the order wants, summed over the whole request. And the lists.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::stock_requests::{lines, refusal, texts, wanted};
use crate::setup::world::{Reply, World};

/// What a refusal says of each item: which, how many were requested, how many are available.
fn facts(reply: &Reply) -> Vec<(String, i64, i64)> {
    let errors = reply.json()["errors"].as_array().cloned().unwrap_or_default();
    let number = |value: &Value| value.as_i64().expect("a number");
    let told = |error: &Value| {
        let item = error["item"].as_str().expect("an item").to_owned();
        (item, number(&error["requested"]), number(&error["available"]))
    };
    errors.iter().map(told).collect()
}

#[tokio::test]
async fn an_order_is_allocated_and_what_was_made_is_shown() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let order = world.order(&[(&hat, 4)]).await;
    let made = world.allocate(&order, &[(&depot, &hat, 1), (&depot, &hat, 2)]).await;
    insta::assert_snapshot!(made, @r#"201 {"data":[{"id":"alloc_#1","location":{"id":"loc_#1"},"order":{"id":"ord_#1"},"items":[{"id":"inv_#1","quantity":1}],"shipment_id":null,"completed_at":null},{"id":"alloc_#2","location":{"id":"loc_#1"},"order":{"id":"ord_#1"},"items":[{"id":"inv_#1","quantity":2}],"shipment_id":null,"completed_at":null}]}"#);
    let listed = world.get(format!("/allocations/orders/{order}")).await;
    assert_eq!((listed.status.as_u16(), listed.json()), (200, made.json()));
    assert_eq!(world.level(&hat, &depot).await, [9, 3, 6]);
    assert_eq!(world.status(&order).await, "committed");
    world.assert_clean().await;
}

#[tokio::test]
async fn an_entry_with_several_items_becomes_one_allocation_each_in_its_order() {
    let world = World::new().await;
    let depot = world.location("Depot").await;
    let (mut items, mut wants) = (Vec::new(), Vec::new());
    for number in 0..20 {
        items.push(world.item(&format!("ITEM-{number}")).await);
    }
    wants.extend(items.iter().map(|item| (item.as_str(), 2)));
    let order = world.order(&wants).await;
    wants.iter_mut().for_each(|(_, quantity)| *quantity = 1);
    let entry = json!({"location": {"id": depot}, "items": lines(&wants)});
    let body = json!({"allocations": [entry, entry]});
    let made = world.post(format!("/allocations/orders/{order}"), body).await;
    assert_eq!(made.status, 201, "{made}");
    let data = made.json()["data"].clone();
    let twice: Vec<&str> = items.iter().chain(&items).map(String::as_str).collect();
    assert_eq!(texts(&data, "/items/0/id"), twice);
    assert!(data.as_array().unwrap().iter().all(|made| made["items"].as_array().unwrap().len() == 1));
    // Oldest first, as they were asked for; the list of all has the newest first.
    assert_eq!(world.get(format!("/allocations/orders/{order}")).await.json()["data"], data);
    let mut newest_first = texts(&data, "/id");
    newest_first.reverse();
    assert_eq!(world.get("/allocations?limit=100").await.ids(), newest_first);
    world.assert_clean().await;
}

#[tokio::test]
async fn demand_is_summed_per_item_over_the_whole_request() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 99).await;
    let (mug, other) = (world.item("MUG").await, world.location("Other").await);
    // Two lines that share an item are one demand of ten.
    let order = world.order(&[(&hat, 6), (&mug, 5), (&hat, 4)]).await;
    world.allocated(&order, &[(&depot, &hat, 3)]).await;
    let before = world.everything().await;

    // Two entries that share an item: each fits, both do not.
    let entries = world.allocate(&order, &[(&depot, &hat, 4), (&other, &mug, 1), (&other, &hat, 4)]).await;
    assert_eq!(refusal(&entries), (409, "exceeds_reservation".to_owned()));
    assert_eq!(facts(&entries), [(hat.clone(), 8, 7)]);
    // Two lines of one entry that share an item.
    let entry = json!({"location": {"id": depot}, "items": lines(&[(&hat, 4), (&mug, 1), (&hat, 4)])});
    let in_one = world.post(format!("/allocations/orders/{order}"), json!({"allocations": [entry]})).await;
    assert_eq!(facts(&in_one), [(hat.clone(), 8, 7)]);
    // Every item that does not fit is named, not the first only.
    let both = world.allocate(&order, &[(&depot, &hat, 8), (&depot, &mug, 6)]).await;
    let mut named = facts(&both);
    named.sort_unstable();
    let mut expected = [(hat.clone(), 8, 7), (mug.clone(), 6, 5)];
    expected.sort_unstable();
    assert_eq!(named, expected);
    assert_eq!(world.everything().await, before);

    world.allocated(&order, &[(&depot, &hat, 4), (&other, &hat, 3), (&other, &mug, 5)]).await;
    assert_eq!(world.reserved(&order).await, [(10, 10), (5, 5)]);
    let full = world.allocate(&order, &[(&depot, &hat, 1)]).await;
    insta::assert_snapshot!(full, @r#"409 {"type":"/docs/errors#exceeds_reservation","title":"The allocations exceed the order's reservation.","status":409,"detail":"The problem's `errors` name each item, what was `requested` and what is `available`.","code":"exceeds_reservation","request_id":"test","errors":[{"type":"state_error","code":"exceeds_reservation","source":"request","message":"1 of inv_#1 are requested, 0 are not allocated yet.","field":"/allocations","item":"inv_#1","requested":1,"available":0}]}"#);
    world.assert_clean().await;
}

#[tokio::test]
async fn allocating_takes_no_stock_and_may_exceed_it() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 2).await;
    let (first, second) = (world.order(&[(&hat, 5)]).await, world.order(&[(&hat, 5)]).await);
    for order in [&first, &second] {
        world.allocated(order, &[(&depot, &hat, 5)]).await;
    }
    assert_eq!(world.level(&hat, &depot).await, [2, 10, -8]);
    assert_eq!(world.history(&hat, &depot).await.len(), 1);
    world.assert_clean().await;
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_named_and_nothing_is_allocated() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let mug = world.item("MUG").await;
    let order = world.order(&[(&hat, 5)]).await;
    let tester = world.token_for("Acme", "*", Mode::Test).await;
    let theirs =
        world.request("POST", "/locations").token(&tester).json(crate::setup::world::depot("Theirs"));
    let theirs = theirs.send().await.json()["id"].as_str().unwrap().to_owned();
    let (nowhere, nothing) = (format!("loc_{}", "7".repeat(26)), format!("inv_{}", "7".repeat(26)));
    let quantity = |quantity: Value| json!({"allocations": [{"location": {"id": depot}, "items": [{"id": hat, "quantity": quantity}]}]});
    let (amount, item, place) =
        ("/allocations/0/items/0/quantity", "/allocations/1/items/0/id", "/allocations/1/location/id");
    let cases = [
        (quantity(json!(0)), "out_of_range", amount),
        (quantity(json!(-3)), "out_of_range", amount),
        (quantity(json!(1.5)), "not_integer", amount),
        (quantity(json!(1_000_001)), "out_of_range", amount),
        (quantity(json!("1")), "invalid_type", amount),
        (quantity(Value::Null), "required", amount),
        (wanted(&[(&depot, &hat, 1), (&depot, &mug, 1)]), "item_not_in_order", item),
        (wanted(&[(&depot, &hat, 1), (&depot, &nothing, 1)]), "item_not_in_order", item),
        (wanted(&[(&depot, &hat, 1), (&depot, &depot, 1)]), "invalid_id", item),
        (wanted(&[(&depot, &hat, 1), (&nowhere, &hat, 1)]), "location_not_found", place),
        (wanted(&[(&depot, &hat, 1), (&theirs, &hat, 1)]), "location_not_found", place),
        (wanted(&[(&depot, &hat, 1), (&hat, &hat, 1)]), "invalid_id", place),
        (json!({}), "required", "/allocations"),
        (json!({"allocations": []}), "too_few", "/allocations"),
        (json!({"allocations": [{"location": {"id": depot}}]}), "required", "/allocations/0/items"),
        (
            json!({"allocations": [{"location": {"id": depot}, "items": []}]}),
            "too_few",
            "/allocations/0/items",
        ),
        (json!({"allocations": [{"items": lines(&[(&hat, 1)])}]}), "required", "/allocations/0/location"),
        (json!({"allocation": []}), "unknown_field", "/allocation"),
    ];
    let before = world.everything().await;
    for (body, code, field) in cases {
        let reply = world.post(format!("/allocations/orders/{order}"), body.clone()).await;
        assert_eq!(reply.status, 422, "{body}: {reply}");
        assert!(reply.issues().contains(&(code.to_owned(), field.to_owned())), "{body}: {reply}");
    }
    assert_eq!(world.everything().await, before);
}

#[tokio::test]
async fn allocations_of_orders_that_are_not_ours_are_not_found() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let order = world.order(&[(&hat, 5)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 1)]).await;
    let before = world.everything().await;
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let tester = world.token_for("Acme", "*", Mode::Test).await;
    let unknown = format!("ord_{}", "7".repeat(26));
    for (order, token) in
        [(&order, &stranger), (&order, &tester), (&unknown, &world.token), (&hat, &world.token)]
    {
        let path = format!("/allocations/orders/{order}");
        let asked = [
            world.request("GET", &path),
            world.request("POST", &path).json(wanted(&[(&depot, &hat, 1)])),
            world.request("PATCH", &path).json(json!({"allocations": [{"id": ids[0], "completed": true}]})),
            world.request("DELETE", &path),
            world.request("POST", &format!("{path}/plan")),
            world.request("POST", &format!("{path}/plan?apply=true")),
        ];
        for call in asked {
            assert_eq!(refusal(&call.token(token).send().await), (404, "not_found".to_owned()), "{path}");
        }
    }
    for token in [&stranger, &tester] {
        for query in [String::new(), format!("?order_id={order}"), format!("?location_id={depot}")] {
            let reply = world.request("GET", &format!("/allocations{query}")).token(token).send().await;
            assert_eq!((reply.status.as_u16(), reply.ids().len()), (200, 0), "{query}");
        }
    }
    assert_eq!(world.everything().await, before);
}

#[tokio::test]
async fn allocations_are_filtered_by_location_and_orders_in_every_spelling() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let other = world.location("Other").await;
    let (mut orders, mut ids) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let order = world.order(&[(&hat, 5)]).await;
        ids.extend(world.allocated(&order, &[(&depot, &hat, 1), (&other, &hat, 2)]).await);
        orders.push(order);
    }
    let found = async |query: String| {
        let found = world.get(format!("/allocations?{query}")).await.ids();
        found.iter().map(|id| ids.iter().position(|known| known == id).unwrap()).collect::<Vec<_>>()
    };
    let [first, second, third] = orders.as_slice() else { panic!("three orders") };
    assert_eq!(found(String::new()).await, [5, 4, 3, 2, 1, 0]);
    assert_eq!(found(format!("location_id={depot}")).await, [4, 2, 0]);
    assert_eq!(found(format!("order_id={second}")).await, [3, 2]);
    for query in [
        format!("order_id={first}&order_id={third}"),
        format!("order_id[]={first}&order_id[]={third}"),
        format!("order_id={first},{third}"),
    ] {
        assert_eq!(found(query.clone()).await, [5, 4, 1, 0], "{query}");
        assert_eq!(found(format!("{query}&location_id={other}")).await, [5, 1], "{query}");
    }
    let page = world.get(format!("/allocations?order_id={first},{third}&limit=3")).await.json();
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(found(format!("order_id={first},{third}&limit=3&cursor={cursor}")).await, [0]);
    assert_eq!(found(format!("order_id=ord_{}", "7".repeat(26))).await, [0; 0]);
    assert_eq!(found(format!("location_id=loc_{}", "7".repeat(26))).await, [0; 0]);
    for query in ["order_id=x", "location_id=x", "location_id=", "location=x"] {
        let reply = world.get(format!("/allocations?{query}")).await;
        assert_eq!(refusal(&reply), (400, "invalid_query".to_owned()), "{query}");
    }
}

#[tokio::test]
async fn repeated_with_its_key_a_request_allocates_once() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let order = world.order(&[(&hat, 5)]).await;
    let path = format!("/allocations/orders/{order}");
    let send = async || {
        let call = world.request("POST", &path).header("idempotency-key", "once");
        call.json(wanted(&[(&depot, &hat, 3)])).send().await
    };
    let (first, second) = (send().await, send().await);
    assert_eq!((first.status.as_u16(), second.header("idempotent-replayed")), (201, "true"));
    assert_eq!(first.text, second.text);
    assert_eq!(world.reserved(&order).await, [(5, 3)]);
}
