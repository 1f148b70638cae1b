//! Changing, completing and taking back allocations.

use serde_json::{Value, json};

use crate::setup::stock_requests::{lines, refusal, texts};
use crate::setup::world::{Reply, World};

/// Holds a refusal to its status, its code and its field.
fn assert_refused(reply: &Reply, status: u16, code: &str, field: &str) {
    assert_eq!(refusal(reply), (status, code.to_owned()), "{reply}");
    assert!(reply.issues().contains(&(code.to_owned(), field.to_owned())), "{reply}");
}

#[tokio::test]
async fn an_allocation_moves_and_shrinks_and_grows() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let other = world.location("Other").await;
    let order = world.order(&[(&hat, 5)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 2), (&depot, &hat, 2)]).await;
    let changes = json!([
        {"id": ids[1], "items": lines(&[(&hat, 1)])},
        {"id": ids[0], "location": {"id": other}, "items": lines(&[(&hat, 4)])},
    ]);
    let changed = world.change(&order, changes).await;
    insta::assert_snapshot!(changed, @r#"200 {"data":[{"id":"alloc_#2","location":{"id":"loc_#1"},"order":{"id":"ord_#1"},"items":[{"id":"inv_#1","quantity":1}],"shipment_id":null,"completed_at":null},{"id":"alloc_#1","location":{"id":"loc_#2"},"order":{"id":"ord_#1"},"items":[{"id":"inv_#1","quantity":4}],"shipment_id":null,"completed_at":null}]}"#);
    assert_eq!(texts(&changed.json()["data"], "/id"), [ids[1].as_str(), &ids[0]]);
    assert_eq!(world.reserved(&order).await, [(5, 5)]);
    assert_eq!(world.level(&hat, &depot).await, [9, 1, 8]);
    // One may grow by what another gives up, in one request.
    let swap =
        json!([{"id": ids[0], "items": lines(&[(&hat, 1)])}, {"id": ids[1], "items": lines(&[(&hat, 4)])}]);
    assert_eq!(world.change(&order, swap).await.status, 200);
    let more = world.change(&order, json!([{"id": ids[0], "items": lines(&[(&hat, 2)])}])).await;
    assert_refused(&more, 409, "exceeds_reservation", "/allocations");
    let error = &more.json()["errors"][0];
    assert_eq!(
        (&error["item"], &error["requested"], &error["available"]),
        (&json!(hat), &json!(1), &json!(0))
    );
    // A change without a difference has no effect and writes no event.
    let events = world.events().await.len();
    assert_eq!(world.change(&order, json!([{"id": ids[0], "completed": false}])).await.status, 200);
    assert_eq!(world.events().await.len(), events);
    world.assert_clean().await;
}

#[tokio::test]
async fn completing_takes_the_stock_once() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let order = world.order(&[(&hat, 5)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 2), (&depot, &hat, 3)]).await;
    let done = world.complete(&order, &[&ids[0]]).await;
    assert_eq!(done.status, 200, "{done}");
    let completed_at = done.json()["data"][0]["completed_at"].clone();
    assert!(completed_at.is_string(), "{done}");
    assert_eq!(world.level(&hat, &depot).await, [7, 3, 4]);
    assert_eq!(world.history(&hat, &depot).await[1], (-2, 7, "allocation_completed".to_owned()));
    assert_eq!(world.status(&order).await, "committed");

    let before = world.everything().await;
    let again = world.complete(&order, &[&ids[0]]).await;
    assert_eq!((again.status.as_u16(), &again.json()["data"][0]["completed_at"]), (200, &completed_at));
    let shown = world.get(format!("/allocations/orders/{order}")).await.json()["data"].clone();
    assert_eq!(world.change(&order, json!([shown[0]])).await.status, 200);
    assert_eq!(world.everything().await, before);

    // A moment of the client's own, in any offset.
    let moment = json!([{"id": ids[1], "completed_at": "2026-10-30T12:00:00+02:00"}]);
    let done = world.change(&order, moment).await;
    assert_eq!(done.json()["data"][0]["completed_at"], "2026-10-30T10:00:00.000000Z");
    assert_eq!(world.level(&hat, &depot).await, [4, 0, 4]);
    assert_eq!(world.status(&order).await, "fulfilled");
    world.assert_clean().await;
}

#[tokio::test]
async fn a_completed_allocation_does_not_change() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let other = world.location("Other").await;
    let order = world.order(&[(&hat, 5)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 2), (&depot, &hat, 1)]).await;
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    let before = world.everything().await;
    for change in [
        json!({"id": ids[0], "items": lines(&[(&hat, 1)])}),
        json!({"id": ids[0], "location": {"id": other}}),
        json!({"id": ids[0], "completed": false}),
        json!({"id": ids[0], "items": lines(&[(&hat, 3)]), "completed": true}),
    ] {
        let reply = world.change(&order, json!([{"id": ids[1], "completed": true}, change])).await;
        assert_refused(&reply, 409, "allocation_completed", "/allocations/1/id");
        assert_eq!(world.everything().await, before);
    }
}

#[tokio::test]
async fn completing_needs_the_stock_of_all_that_is_completed_together() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 5).await;
    let (mug, other) = (world.item("MUG").await, world.location("Other").await);
    world.count(&mug, &depot, 1).await;
    let order = world.order(&[(&hat, 9), (&mug, 3)]).await;
    let requests =
        [(depot.as_str(), hat.as_str(), 3), (&depot, &hat, 3), (&depot, &mug, 2), (&other, &mug, 1)];
    let ids = world.allocated(&order, &requests).await;
    let before = world.everything().await;
    let short = world.complete(&order, &[&ids[0], &ids[1], &ids[2], &ids[3]]).await;
    assert_refused(&short, 409, "insufficient_stock", "/allocations");
    let errors = short.json()["errors"].as_array().unwrap().clone();
    let mut told: Vec<_> = errors
        .iter()
        .map(|error| {
            (error["item"].as_str(), error["location"].as_str(), &error["requested"], &error["available"])
        })
        .collect();
    told.sort_unstable_by_key(|error| std::cmp::Reverse(error.2.as_i64()));
    let place = Some(depot.as_str());
    let expected =
        [(Some(hat.as_str()), place, &json!(6), &json!(5)), (Some(&mug), place, &json!(2), &json!(1))];
    assert_eq!(told, expected);
    assert_eq!(world.everything().await, before);

    // An item without a level at the location is not tracked, so its allocations complete without stock.
    assert_eq!(world.complete(&order, &[&ids[0], &ids[3]]).await.status, 200);
    assert_eq!(world.get(format!("/inventory_items/{mug}/levels/{other}")).await.status, 404);
    assert_eq!(world.level(&hat, &depot).await, [2, 3, -1]);
    // One request can complete a smaller quantity, or from another location.
    let elsewhere = json!([
        {"id": ids[1], "items": lines(&[(&hat, 2)]), "completed": true},
        {"id": ids[2], "location": {"id": other}, "completed": true},
    ]);
    assert_eq!(world.change(&order, elsewhere).await.status, 200);
    assert_eq!(world.level(&hat, &depot).await, [0, 0, 0]);
    assert_eq!(world.level(&mug, &depot).await, [1, 0, 1]);
    world.assert_clean().await;
}

#[tokio::test]
async fn several_completed_at_once_stand_in_the_history_in_their_order() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 100).await;
    let order = world.order(&[(&hat, 100)]).await;
    let requests: Vec<_> = (1..=10).map(|quantity| (depot.as_str(), hat.as_str(), quantity)).collect();
    let ids = world.allocated(&order, &requests).await;
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(world.complete(&order, &ids).await.status, 200);
    let steps: Vec<_> = world.history(&hat, &depot).await.iter().map(|step| (step.0, step.1)).collect();
    let expected =
        [(100, 100), (-1, 99), (-2, 97), (-3, 94), (-4, 90), (-5, 85), (-6, 79), (-7, 72), (-8, 64)];
    assert_eq!(steps[..9], expected);
    world.assert_clean().await;
}

#[tokio::test]
async fn what_is_wrong_with_a_change_is_named_and_nothing_of_it_is_applied() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let mug = world.item("MUG").await;
    let (order, second) = (world.order(&[(&hat, 5), (&mug, 1)]).await, world.order(&[(&hat, 5)]).await);
    let ids = world.allocated(&order, &[(&depot, &hat, 2), (&depot, &hat, 1)]).await;
    let theirs = world.allocated(&second, &[(&depot, &hat, 2)]).await;
    let (unknown, nowhere) = (format!("alloc_{}", "7".repeat(26)), format!("loc_{}", "7".repeat(26)));
    let quantity = |quantity: Value| json!({"id": ids[1], "items": [{"id": hat, "quantity": quantity}]});
    let two = json!([{"id": hat, "quantity": 1}, {"id": mug, "quantity": 1}]);
    let cases = [
        (json!({"id": unknown, "completed": true}), "allocation_not_found", "id"),
        (json!({"id": theirs[0], "completed": true}), "allocation_not_found", "id"),
        (json!({"id": ids[0], "completed": true}), "duplicate_allocation", "id"),
        (json!({"id": ids[1], "items": lines(&[(&mug, 1)])}), "item_not_in_allocation", "items/0/id"),
        (json!({"id": ids[1], "location": {"id": nowhere}}), "location_not_found", "location/id"),
        (json!({"id": depot}), "invalid_id", "id"),
        (json!({"completed": true}), "required", "id"),
        (quantity(json!(0)), "out_of_range", "items/0/quantity"),
        (quantity(json!(-1)), "out_of_range", "items/0/quantity"),
        (quantity(json!(0.5)), "not_integer", "items/0/quantity"),
        (quantity(json!(1_000_001)), "out_of_range", "items/0/quantity"),
        (json!({"id": ids[1], "items": []}), "too_few", "items"),
        (json!({"id": ids[1], "items": two}), "too_many", "items"),
        (json!({"id": ids[1], "completed": "yes"}), "invalid_type", "completed"),
        (json!({"id": ids[1], "completed_at": "yesterday"}), "invalid_format", "completed_at"),
        (json!({"id": ids[1], "quantity": 1}), "unknown_field", "quantity"),
    ];
    let before = world.everything().await;
    for (change, code, field) in cases {
        // The first change alone would do.
        let reply = world.change(&order, json!([{"id": ids[0], "completed": true}, change])).await;
        assert_eq!(reply.status, 422, "{change}: {reply}");
        let issue = (code.to_owned(), format!("/allocations/1/{field}"));
        assert!(reply.issues().contains(&issue), "{change}: {reply}");
        assert_eq!(world.everything().await, before, "{change}");
    }
    let none = world.change(&order, json!([])).await;
    assert_eq!(none.issues(), [("too_few".to_owned(), "/allocations".to_owned())]);
}

#[tokio::test]
async fn taking_all_back_gives_the_stock_back_and_reopens_the_order() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let (mug, other) = (world.item("MUG").await, world.location("Other").await);
    let order = world.order(&[(&hat, 5), (&mug, 2)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 2), (&depot, &hat, 3), (&other, &mug, 2)]).await;
    assert_eq!(world.complete(&order, &[&ids[0], &ids[1], &ids[2]]).await.status, 200);
    assert_eq!(
        (world.status(&order).await.as_str(), world.level(&hat, &depot).await),
        ("fulfilled", [4, 0, 4])
    );
    // The mug gets a level after it was completed without one, so releasing it returns no stock.
    world.count(&mug, &other, 7).await;
    let gone = world.delete(format!("/allocations/orders/{order}")).await;
    assert_eq!((gone.status.as_u16(), gone.text.as_str()), (204, ""));
    assert_eq!(world.status(&order).await, "committed");
    assert_eq!(world.reserved(&order).await, [(5, 0), (2, 0)]);
    assert_eq!(world.level(&hat, &depot).await, [9, 0, 9]);
    assert_eq!(world.level(&mug, &other).await, [7, 0, 7]);
    let back: Vec<_> = world.history(&hat, &depot).await[3..].to_vec();
    let reason = || "allocation_deleted".to_owned();
    assert_eq!(back, [(2, 6, reason()), (3, 9, reason())]);
    assert_eq!(world.get(format!("/allocations/orders/{order}")).await.json()["data"], json!([]));
    // A release with nothing to release succeeds.
    let before = world.everything().await;
    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    assert_eq!(world.everything().await, before);
    world.allocated(&order, &[(&depot, &hat, 5)]).await;
    assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
    world.assert_clean().await;
}

#[tokio::test]
async fn stock_that_comes_back_to_a_location_that_is_gone_can_be_written_off() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 2).await;
    let order = world.order(&[(&hat, 2)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 2)]).await;
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    assert_eq!(world.delete(format!("/locations/{depot}")).await.status, 204);
    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    assert_eq!(world.level(&hat, &depot).await, [2, 0, 2]);
    world.count(&hat, &depot, 0).await;
    assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
    assert_eq!(world.delete(format!("/inventory_items/{hat}")).await.status, 204);
    world.assert_clean().await;
}

#[tokio::test]
async fn an_order_is_fulfilled_when_all_of_it_is_allocated_and_completed() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let mug = world.item("MUG").await;
    let order = world.order(&[(&hat, 2), (&mug, 1)]).await;
    let hats = world.allocated(&order, &[(&depot, &hat, 2)]).await;
    assert_eq!(world.complete(&order, &[&hats[0]]).await.status, 200);
    assert_eq!(world.status(&order).await, "committed");
    let mugs = world.allocated(&order, &[(&depot, &mug, 1)]).await;
    assert_eq!(world.status(&order).await, "committed");
    assert_eq!(world.complete(&order, &[&mugs[0]]).await.status, 200);
    assert_eq!(world.status(&order).await, "fulfilled");
    assert_eq!(world.reserved(&order).await, [(2, 2), (1, 1)]);
    let more = world.allocate(&order, &[(&depot, &hat, 1)]).await;
    assert_eq!(refusal(&more), (409, "exceeds_reservation".to_owned()));
    let cancel = world.post(format!("/orders/{order}/cancel"), json!({})).await;
    assert_eq!(refusal(&cancel), (409, "order_partly_fulfilled".to_owned()));
    world.assert_clean().await;
}
