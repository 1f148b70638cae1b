//! Hand-over: what completes allocations if the purchase does not, and what tracking and voids do then.

use serde_json::{Value, json};

use crate::fulfilment::order_shipments::Warehouse;
use crate::setup::shipping_origin::ShippingOrigin;
use crate::setup::stock_requests::refusal;

#[tokio::test]
async fn a_request_records_the_hand_over_once() {
    let house = Warehouse::new(5).await;
    house.complete_on_hand_over().await;
    let order = house.order(2).await;
    let path = house.shipped(&order).await.remove(0);
    let hand_over = format!("{path}/hand_over");
    let early = house.world.post(&hand_over, json!({})).await;
    assert_eq!(refusal(&early), (409, "shipment_not_purchased".to_owned()));
    house.world.buy(&path).await;
    assert_eq!((house.level().await, house.world.status(&order).await), ([5, 2, 3], "committed".to_owned()));
    let done = house.world.request("POST", &hand_over).send().await;
    assert_eq!(done.status, 200, "{done}");
    assert!(done.json()["handed_over_at"].is_string());
    assert_eq!((house.level().await, house.world.status(&order).await), ([3, 0, 3], "fulfilled".to_owned()));
    let again = house.world.request("POST", &hand_over).send().await;
    assert_eq!(again.json()["handed_over_at"], done.json()["handed_over_at"]);
    let story = house.world.story(&path).await;
    assert_eq!(story.iter().filter(|name| *name == "shipment.handed_over").count(), 1, "{story:?}");
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_manifest_hands_its_shipments_over() {
    let house = Warehouse::new(9).await;
    house.complete_on_hand_over().await;
    let orders = [house.order(2).await, house.order(3).await];
    let mut paths = Vec::new();
    for order in &orders {
        let path = house.shipped(order).await.remove(0);
        house.world.buy(&path).await;
        paths.push(path);
    }
    assert_eq!(house.level().await, [9, 5, 4]);
    let origin =
        ShippingOrigin { location: house.location.clone(), configuration: house.configuration.clone() };
    let manifests = origin.close(&house.world).await;
    assert_eq!(manifests[0]["status"], "created", "{manifests:?}");
    while house.world.service.hand_overs.work_once().await.expect("hand-overs are recorded") {}
    assert_eq!(house.level().await, [4, 0, 4]);
    for (order, path) in orders.iter().zip(&paths) {
        assert_eq!(house.world.status(order).await, "fulfilled");
        assert!(house.world.get(path).await.json()["handed_over_at"].is_string());
    }
    house.world.assert_clean().await;
}

#[tokio::test]
async fn tracking_hands_over_and_counts_what_is_delivered() {
    let house = Warehouse::new(5).await;
    house.complete_on_hand_over().await;
    let order = house.order_to(2, "GB", "SBX-TRACK-DELIVERED").await;
    let path = house.shipped(&order).await.remove(0);
    house.world.buy(&path).await;
    assert_eq!(house.level().await, [5, 2, 3]);
    house.world.work_for(60).await;
    let parcel = house.world.get(&path).await.json();
    assert_eq!(parcel["tracking_status"], "delivered", "{parcel}");
    assert!(parcel["handed_over_at"].is_string());
    assert_eq!(house.level().await, [3, 0, 3]);
    let fulfilment = house.fulfilment(&order).await;
    assert_eq!((&fulfilment["status"], &fulfilment["delivered_quantity"]), (&json!("delivered"), &json!(2)));
    house.world.assert_clean().await;
}

#[tokio::test]
async fn what_the_carrier_has_does_not_come_back_with_a_void() {
    let house = Warehouse::new(5).await;
    let order = house.order(2).await;
    let path = house.shipped(&order).await.remove(0);
    house.world.buy(&path).await;
    assert_eq!(house.world.request("POST", &format!("{path}/hand_over")).send().await.status, 200);
    assert_eq!(house.void(&path).await["status"], "voided");
    assert_eq!(house.level().await, [3, 2, 1], "the allocation is open again, the units are gone");
    assert_eq!(house.exceptions(&order).await, ["voided_after_scan"]);
    let allocation = &house.allocations(&order).await[0];
    assert_eq!((&allocation["shipment_id"], &allocation["completed_at"]), (&Value::Null, &Value::Null));
    house.world.assert_clean().await;
}
