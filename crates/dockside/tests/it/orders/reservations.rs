//! Reservations: a committed order's claim. They come and go with it, and count what is allocated.

use model::World as Mode;
use serde_json::json;

use crate::setup::stock_requests::{lines, refusal, texts};
use crate::setup::world::World;

#[tokio::test]
async fn a_reservation_comes_with_the_commit_and_goes_with_the_order() {
    let world = World::new().await;
    let (hat, mug) = (world.item("HAT").await, world.item("MUG").await);
    let order = world.order(&[(&hat, 2), (&mug, 1)]).await;
    let page = world.get("/reservations").await;
    insta::assert_snapshot!(page, @r##"200 {"data":[{"order":{"id":"ord_#1"},"items":[{"id":"inv_#1","quantity":2,"allocated_quantity":0},{"id":"inv_#2","quantity":1,"allocated_quantity":0}],"created_at":"#time","updated_at":"#time"}],"next_cursor":null,"previous_cursor":null,"limit":20}"##);
    // One transaction, one moment.
    let moment = world.get(format!("/orders/{order}")).await.json()["created_at"].clone();
    assert_eq!(page.json()["data"][0]["created_at"], moment);
    assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
    assert_eq!(world.get("/reservations").await.json()["data"], json!([]));

    let draft = world.post("/orders", json!({"status": "draft", "items": lines(&[(&hat, 2)])})).await.json();
    assert_eq!(world.get("/reservations").await.json()["data"], json!([]));
    let path = format!("/orders/{}", draft["id"].as_str().unwrap());
    let committed = world.post(format!("{path}/commit"), json!({})).await.json();
    let reservation = &world.get("/reservations").await.json()["data"][0];
    assert_eq!(reservation["created_at"], committed["updated_at"]);
    assert_eq!(world.post(format!("{path}/cancel"), json!({})).await.status, 200);
    assert_eq!(world.get("/reservations").await.json()["data"], json!([]));
    assert_eq!(world.delete(&path).await.status, 204);
    world.assert_clean().await;
}

#[tokio::test]
async fn a_refused_order_leaves_no_reservation() {
    let world = World::new().await;
    let unknown = format!("inv_{}", "7".repeat(26));
    let reply = world.post("/orders", json!({"items": lines(&[(&unknown, 1)])})).await;
    assert_eq!(refusal(&reply), (422, "inventory_item_not_found".to_owned()));
    assert_eq!(world.get("/reservations").await.json()["data"], json!([]));
    assert_eq!(world.events().await.len(), 0);
}

#[tokio::test]
async fn a_reservation_counts_what_is_allocated() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let mug = world.item("MUG").await;
    let order = world.order(&[(&hat, 4), (&mug, 2)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 1), (&depot, &mug, 2), (&depot, &hat, 2)]).await;
    assert_eq!(world.reserved(&order).await, [(4, 3), (2, 2)]);
    let change = json!([{"id": ids[2], "items": lines(&[(&hat, 1)])}]);
    assert_eq!(world.change(&order, change).await.status, 200);
    assert_eq!(world.reserved(&order).await, [(4, 2), (2, 2)]);
    // Completed ones count too.
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    assert_eq!(world.reserved(&order).await, [(4, 2), (2, 2)]);
    let before = world.get("/reservations").await.json();
    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    assert_eq!(world.reserved(&order).await, [(4, 0), (2, 0)]);
    let after = world.get("/reservations").await.json();
    assert_eq!(after["data"][0]["created_at"], before["data"][0]["created_at"]);
    assert!(after["data"][0]["updated_at"].as_str() > before["data"][0]["updated_at"].as_str());
    world.assert_clean().await;
}

#[tokio::test]
async fn reservations_are_filtered_by_orders_in_every_spelling() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let mut orders = Vec::new();
    for quantity in 1..=4 {
        orders.push(world.order(&[(&hat, quantity)]).await);
    }
    let [first, second, third, _] = orders.as_slice() else { panic!("four orders") };
    let found = async |query: String| {
        let page = world.get(format!("/reservations?{query}")).await.json();
        texts(&page["data"], "/order/id")
    };
    let newest_first: Vec<String> = orders.iter().rev().cloned().collect();
    assert_eq!(found(String::new()).await, newest_first);
    assert_eq!(found(format!("order_id={second}")).await, [second.as_str()]);
    for query in [
        format!("order_id={third}&order_id={first}"),
        format!("order_id[]={third}&order_id[]={first}"),
        format!("order_id%5B%5D={third}&order_id%5B%5D={first}"),
        format!("order_id={third},{first}"),
        format!("order_id={first},{third},{first}"),
    ] {
        assert_eq!(found(query.clone()).await, [third.as_str(), first], "{query}");
    }
    let page = world.get(format!("/reservations?order_id={third},{first}&limit=1")).await.json();
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(found(format!("order_id={third},{first}&limit=1&cursor={cursor}")).await, [first.as_str()]);
    let other = world.get(format!("/reservations?limit=1&cursor={cursor}")).await;
    assert_eq!(refusal(&other), (400, "invalid_cursor".to_owned()));
}

#[tokio::test]
async fn orders_that_are_not_ours_have_no_reservations() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let order = world.order(&[(&hat, 1)]).await;
    let unknown = format!("ord_{}", "7".repeat(26));
    assert_eq!(world.reserved(&unknown).await, []);
    for (organisation, mode) in [("Acme", Mode::Test), ("Globex", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        for path in [format!("/reservations?order_id={order}"), "/reservations".to_owned()] {
            let reply = world.request("GET", &path).token(&token).send().await;
            assert_eq!((reply.status.as_u16(), &reply.json()["data"]), (200, &json!([])), "{path}");
        }
    }
    let wrong = world.get("/reservations?order_id=nonsense").await;
    assert_eq!(refusal(&wrong), (400, "invalid_query".to_owned()));
    let kind = world.get(format!("/reservations?order_id={hat}")).await;
    assert_eq!(refusal(&kind), (400, "invalid_query".to_owned()));
}
