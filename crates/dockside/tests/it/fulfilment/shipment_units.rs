//! The units of an order in its shipments: split over several, completed by a request, and taken back while a batch is bought.

use serde_json::{Value, json};
use testkit::easypost_recordings::KEY;

use crate::fulfilment::order_shipments::Warehouse;
use crate::fulfilment::shipping_rules::text;
use crate::setup::purchase_requests::service;
use crate::setup::stock_requests::texts;
use crate::setup::world::World;
use crate::shipping::easypost::account;

#[tokio::test]
async fn units_that_are_split_off_go_into_the_next_shipment() {
    let house = Warehouse::of(World::new().await, 9).await;
    account(&house.world, KEY).await;
    let order = house.order(5).await;
    let package = |quantity: i64| json!({"items": [{"id": house.item, "quantity": quantity}]});
    // EasyPost takes single packages, so that each is a shipment of its own.
    let body = json!({"carrier": {"carrier_code": "easypost"}, "packages": [package(2), package(1)]});
    let made = house.ship(&order, body).await;
    assert_eq!(made.status, 201, "{made}");
    let shipments = texts(&made.json()["data"], "/id");
    let held: Vec<_> = house
        .allocations(&order)
        .await
        .iter()
        .map(|one| (one["items"][0]["quantity"].clone(), one["shipment_id"].clone()))
        .collect();
    let expected =
        [(json!(2), json!(shipments[0])), (json!(1), json!(shipments[1])), (json!(2), Value::Null)];
    assert_eq!(held, expected);
    house.world.assert_clean().await;
    // All units that are free are shipped next, and no unit twice.
    assert_eq!(house.shipped(&order).await.len(), 1);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn allocations_are_deleted_although_the_batch_of_their_shipment_is_being_bought() {
    let house = Warehouse::new(9).await;
    let orders = [house.order(2).await, house.order(3).await];
    let mut ids = Vec::new();
    for order in &orders {
        let path = house.shipped(order).await.remove(0);
        ids.push(path.trim_start_matches("/shipments/").to_owned());
    }
    let service =
        json!({"carrier_account": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}});
    let batch = house.world.batch(json!({"service": service, "shipments": ids})).await;
    let begun = house.world.begin(&format!("{batch}/purchase"), None).await;
    assert_eq!(begun.status, 202, "{begun}");
    // No job has begun the purchases, so both shipments are drafts of a batch that is being bought.
    let deleted = house.world.delete(format!("/allocations/orders/{}", orders[0])).await;
    assert_eq!(deleted.status, 204, "{deleted}");
    assert_eq!(house.world.get(format!("/shipments/{}", ids[0])).await.status, 404);
    assert_eq!(house.level().await, [9, 3, 6]);
    house.world.work().await;
    assert_eq!(house.world.get(&batch).await.json()["status"], "purchased");
    assert_eq!(house.world.counts(&batch).await, [1, 1, 0, 1]);
    assert_eq!(house.level().await, [6, 0, 6]);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn units_that_were_completed_by_a_request_are_never_short() {
    let house = Warehouse::new(5).await;
    let (first, second) = (house.order(2).await, house.order(3).await);
    let (sent, path) = (house.shipped(&first).await.remove(0), house.shipped(&second).await.remove(0));
    let id = text(&house.allocations(&second).await[0]["id"]);
    assert_eq!(house.world.complete(&second, &[&id]).await.status, 200);
    let begun = house.world.begin(&format!("{sent}/purchase"), Some(service("standard"))).await;
    assert_eq!(begun.status, 202, "{begun}");
    // The purchase of the first needs more than is there now. The second needs nothing more.
    house.world.count(&house.item, &house.location, 1).await;
    assert_eq!(house.world.buy(&path).await["status"], "purchased");
    assert_eq!(house.world.status(&second).await, "fulfilled");
    assert_eq!(house.exceptions(&first).await, ["stock_short"]);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn units_of_a_voided_shipment_are_not_delivered() {
    let house = Warehouse::new(5).await;
    let order = house.order_to(2, "GB", "SBX-TRACK-DELIVERED").await;
    let path = house.shipped(&order).await.remove(0);
    // A request completes the units, so that the void does not open them again.
    let id = text(&house.allocations(&order).await[0]["id"]);
    assert_eq!(house.world.complete(&order, &[&id]).await.status, 200);
    house.world.buy(&path).await;
    house.world.work_for(60).await;
    assert_eq!(house.fulfilment(&order).await["delivered_quantity"], 2);
    assert_eq!(house.void(&path).await["status"], "voided");
    let fulfilment = house.fulfilment(&order).await;
    assert_eq!((&fulfilment["status"], &fulfilment["delivered_quantity"]), (&json!("shipped"), &json!(0)));
    house.world.assert_clean().await;
}
