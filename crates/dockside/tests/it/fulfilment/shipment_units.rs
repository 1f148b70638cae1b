//! The units of an order in its shipments: split over several.

use serde_json::{Value, json};
use testkit::easypost_recordings::KEY;

use crate::fulfilment::order_shipments::Warehouse;
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
