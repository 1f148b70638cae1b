//! What orders and stock tell the log: every change its events, in order, with what the changed fields were.

use serde_json::{Value, json};

use crate::setup::stock_requests::lines;
use crate::setup::world::World;

/// The events since a place in the log: types, resources, objects, and what the changed fields were.
async fn since(world: &World, place: usize) -> Vec<(String, String, Value, Value)> {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let events = world.events().await;
    let told = events[place..].iter().map(|event| {
        let previous = event.previous_attributes.as_deref().map_or(Value::Null, read);
        (event.r#type.clone(), event.resource_id.clone(), read(&event.object), previous)
    });
    told.collect()
}

/// The types and resources since a place in the log.
async fn types(world: &World, place: usize) -> Vec<(String, String)> {
    since(world, place).await.into_iter().map(|(name, id, ..)| (name, id)).collect()
}

fn expected(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect()
}

/// The names of an object's fields, sorted.
fn names(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object.as_object().expect("an object").keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn the_life_of_an_order_is_told() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let start = world.events().await.len();
    let body = json!({"status": "draft", "items": lines(&[(&hat, 2)])});
    let draft = world.post("/orders", body).await.json();
    let order = draft["id"].as_str().unwrap();
    let path = format!("/orders/{order}");
    world.patch(&path, json!({"reference": "7", "items": lines(&[(&hat, 3)])})).await;
    world.post(format!("{path}/commit"), json!({})).await;
    world.patch(&path, json!({"items": lines(&[(&hat, 4)])})).await;
    world.allocated(order, &[(&depot, &hat, 1)]).await;
    let taken = world.get(format!("/allocations/orders/{order}")).await.json()["data"][0].clone();
    world.post(format!("{path}/cancel"), json!({})).await;
    world.delete(&path).await;
    let allocation = taken["id"].as_str().unwrap();
    let told = [
        ("order.created", order),
        ("order.updated", order),
        ("order.committed", order),
        ("reservation.created", order),
        ("reservation.updated", order),
        ("order.updated", order),
        ("allocation.created", allocation),
        ("reservation.updated", order),
        ("order.updated", order),
        ("allocation.deleted", allocation),
        ("reservation.deleted", order),
        ("order.cancelled", order),
        ("order.deleted", order),
    ];
    assert_eq!(types(&world, start).await, expected(&told));
    let events = since(&world, start).await;
    assert_eq!(events[0].2, draft);
    assert_eq!(names(&events[1].3), ["items", "reference", "updated_at"]);
    assert_eq!((&events[1].3["items"], &events[1].3["reference"]), (&lines(&[(&hat, 2)]), &Value::Null));
    assert_eq!((&events[2].2["status"], &events[3].2["order"]["id"]), (&json!("committed"), &json!(order)));
    let wanted = |quantity: i64, allocated: i64| json!([{"id": hat, "quantity": quantity, "allocated_quantity": allocated}]);
    assert_eq!((&events[4].2["items"], &events[4].3["items"]), (&wanted(4, 0), &wanted(3, 0)));
    assert_eq!(names(&events[4].3), ["items", "updated_at"]);
    assert_eq!(events[4].3["updated_at"], events[3].2["updated_at"]);
    assert_eq!(events[6].2, taken);
    assert_eq!((&events[7].2["items"], &events[7].3["items"]), (&wanted(4, 1), &wanted(4, 0)));
    assert_eq!(names(&events[8].3), ["fulfilment", "updated_at"]);
    assert_eq!((&events[9].2, &events[11].2["status"]), (&taken, &json!("cancelled")));
    assert_eq!(events[12].2, events[11].2);
}

#[tokio::test]
async fn a_new_committed_order_tells_its_reservation_at_once() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let start = world.events().await.len();
    let order = world.order(&[(&hat, 2)]).await;
    let told = [("order.created", &*order), ("order.committed", &order), ("reservation.created", &order)];
    assert_eq!(types(&world, start).await, expected(&told));
    let shown = world.get(format!("/reservations?order_id={order}")).await.json();
    assert_eq!(since(&world, start).await[2].2, shown["data"][0]);
    world.delete(format!("/orders/{order}")).await;
    let told = [("reservation.deleted", &*order), ("order.deleted", &order)];
    assert_eq!(types(&world, start + 3).await, expected(&told));
}

#[tokio::test]
async fn changed_and_completed_allocations_are_told_with_the_level_they_took_from() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let order = world.order(&[(&hat, 4)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 1), (&depot, &hat, 2)]).await;
    let start = world.events().await.len();
    let level = async || world.get(format!("/inventory_items/{hat}/levels/{depot}")).await.json();
    let (first, second) = (ids[0].as_str(), ids[1].as_str());
    world.change(&order, json!([{"id": second, "items": lines(&[(&hat, 3)])}])).await;
    let before = level().await;
    world.complete(&order, &[second, first]).await;
    let after = level().await;
    let told = [
        ("allocation.updated", second),
        ("reservation.updated", &order),
        ("order.updated", &order),
        ("allocation.completed", second),
        ("allocation.completed", first),
        ("inventory.updated", &hat),
        ("order.updated", &order),
        ("order.fulfilled", &order),
    ];
    assert_eq!(types(&world, start).await, expected(&told));
    let events = since(&world, start).await;
    assert_eq!(events[0].3, json!({"items": lines(&[(&hat, 2)])}));
    assert_eq!((&events[3].2["items"], &events[3].3), (&lines(&[(&hat, 3)]), &json!({"completed_at": null})));
    assert!(events[3].2["completed_at"].is_string());
    // The event has the level as the API shows it, before and after. The completed quantity is no longer allocated.
    assert_eq!(events[5].2, after);
    assert_eq!(
        (&after["on_hand"], &after["allocated"], &after["available"]),
        (&json!(5), &json!(0), &json!(5))
    );
    let was = json!({"on_hand": 9, "allocated": 4, "updated_at": before["updated_at"]});
    assert_eq!(events[5].3, was);
    assert_eq!(events[7].2, world.get(format!("/orders/{order}")).await.json());

    let start = world.events().await.len();
    world.delete(format!("/allocations/orders/{order}")).await;
    let told = [
        ("allocation.deleted", first),
        ("allocation.deleted", second),
        ("inventory.updated", &hat),
        ("reservation.updated", &order),
        ("order.updated", &order),
    ];
    assert_eq!(types(&world, start).await, expected(&told));
    let events = since(&world, start).await;
    assert_eq!((&events[2].2, &events[2].3["on_hand"]), (&level().await, &json!(5)));
    assert_eq!((&events[4].2["status"], &events[4].3["status"]), (&json!("committed"), &json!("fulfilled")));
}

#[tokio::test]
async fn items_and_levels_are_told() {
    let world = World::new().await;
    let depot = world.location("Depot").await;
    let start = world.events().await.len();
    let hat = world.item("HAT").await;
    world.patch(format!("/inventory_items/{hat}"), json!({"name": "Hat"})).await;
    world.count(&hat, &depot, 4).await;
    let path = format!("/inventory_items/{hat}/levels/{depot}");
    world.post(format!("{path}/adjust"), json!({"delta": -4})).await;
    let level = world.get(&path).await.json();
    world.delete(format!("/inventory_items/{hat}")).await;
    let told = [
        ("inventory_item.created", hat.as_str()),
        ("inventory_item.updated", &hat),
        ("inventory.updated", &hat),
        ("inventory.updated", &hat),
        ("inventory_item.deleted", &hat),
    ];
    assert_eq!(types(&world, start).await, expected(&told));
    let events = since(&world, start).await;
    assert_eq!(events[1].3["name"], "HAT");
    assert_eq!((&events[2].2["on_hand"], &events[2].3["on_hand"]), (&json!(4), &json!(0)));
    assert_eq!(events[3].2, level);
    assert_eq!((&events[3].3["on_hand"], &events[3].3["available"]), (&json!(4), &json!(4)));
}
