//! The interface document's third rule of allocations, walked through step by step: "To allocate more of an item than
//! is currently available, reduce the existing allocation item through PATCH. Then create a second allocation at the
//! same location for the remainder. Complete the first allocation with the stock available and the second later."

use serde_json::json;

use crate::setup::stock_requests::{lines, refusal};
use crate::setup::world::World;

#[tokio::test]
async fn a_backorder_is_split_completed_now_and_completed_later() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 6).await;
    let order = world.order(&[(&hat, 10)]).await;
    let first = world.allocated(&order, &[(&depot, &hat, 10)]).await.remove(0);
    assert_eq!(world.level(&hat, &depot).await, [6, 10, -4]);
    let short = world.complete(&order, &[&first]).await;
    assert_eq!(refusal(&short), (409, "insufficient_stock".to_owned()));
    let error = &short.json()["errors"][0];
    assert_eq!((&error["requested"], &error["available"]), (&json!(10), &json!(6)));
    // A second allocation is refused as long as the first holds all of it.
    let early = world.allocate(&order, &[(&depot, &hat, 4)]).await;
    assert_eq!(refusal(&early), (409, "exceeds_reservation".to_owned()));

    // Reduce the existing allocation item through PATCH.
    let reduced = world.change(&order, json!([{"id": first, "items": lines(&[(&hat, 6)])}])).await;
    assert_eq!(reduced.status, 200, "{reduced}");
    assert_eq!(world.reserved(&order).await, [(10, 6)]);
    assert_eq!(world.level(&hat, &depot).await, [6, 6, 0]);

    // Then create a second allocation at the same location for the remainder.
    let second = world.allocated(&order, &[(&depot, &hat, 4)]).await.remove(0);
    assert_eq!(world.reserved(&order).await, [(10, 10)]);
    assert_eq!(world.level(&hat, &depot).await, [6, 10, -4]);

    // Complete the first allocation with the stock available …
    let done = world.complete(&order, &[&first]).await;
    assert_eq!(done.status, 200, "{done}");
    assert_eq!(world.level(&hat, &depot).await, [0, 4, -4]);
    assert_eq!(world.status(&order).await, "committed");
    let early = world.complete(&order, &[&second]).await;
    assert_eq!(refusal(&early), (409, "insufficient_stock".to_owned()));

    // … and the second later.
    let path = format!("/inventory_items/{hat}/levels/{depot}/adjust");
    let delivery = json!({"delta": 5, "reason": "delivery", "expected_on_hand": 0});
    assert_eq!(world.post(path, delivery).await.json()["available"], 1);
    assert_eq!(world.complete(&order, &[&second]).await.status, 200);
    assert_eq!(world.level(&hat, &depot).await, [1, 0, 1]);
    assert_eq!(world.reserved(&order).await, [(10, 10)]);
    assert_eq!(world.status(&order).await, "fulfilled");

    let history = world.history(&hat, &depot).await;
    let told: Vec<_> = history.iter().map(|(delta, on_hand, why)| (*delta, *on_hand, why.as_str())).collect();
    let expected =
        [(6, 6, "set"), (-6, 0, "allocation_completed"), (5, 5, "delivery"), (-4, 1, "allocation_completed")];
    assert_eq!(told, expected);
    world.assert_clean().await;
}
