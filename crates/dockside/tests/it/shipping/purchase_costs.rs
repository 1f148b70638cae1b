//! What a purchase cost is shown, whether or not it was rated before.

use serde_json::{Value, json};

use crate::setup::batch_requests::id;
use crate::setup::purchase_requests::{parcel_to, service};
use crate::setup::world::World;
use crate::shipping::easypost::EasyPostSetup;

const FINE: &str = "BS1 4DJ";

/// The rate that a shipment was bought with.
fn bought_rate(shipment: &Value) -> Value {
    let id = &shipment["service"]["rate"];
    assert!(id.is_string(), "{shipment}");
    let mut rates = shipment["rates"].as_array().expect("a list").iter();
    rates.find(|rate| rate["id"] == *id).expect("the rate among its rates").clone()
}

#[tokio::test]
async fn a_shipment_bought_without_rating_shows_what_it_cost() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to(FINE)).await;
    let before = world.get(&path).await.json();
    assert_eq!((&before["cost"], &before["rates"]), (&Value::Null, &json!([])));
    let bought = world.buy(&path).await;
    let charged = world.carrier_charges(&path).await.net;
    assert!(charged > 0);
    assert_eq!(bought["cost"], json!({"amount": charged, "currency_code": "GBP"}));
    let rate = bought_rate(&bought);
    assert_eq!((&rate["rate"], &rate["currency_code"]), (&json!(charged), &json!("GBP")));
    assert_eq!(rate["carrier_service"], bought["service"]["carrier_service"]);
    assert_eq!(rate["carrier_account"], bought["service"]["carrier_account"]);
    assert_eq!(rate["carrier"], bought["service"]["carrier"]);
    let told = &world.newest_event("shipment.purchased").await["data"]["object"];
    assert_eq!((&told["cost"], &told["service"]["rate"]), (&bought["cost"], &rate["id"]));
    // The same request, repeated, is still the same purchase.
    let again = world.post(format!("{path}/purchase"), service("standard")).await;
    assert_eq!((again.status.as_u16(), &again.json()["cost"]), (200, &bought["cost"]), "{again}");
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test]
async fn a_batch_bought_without_rating_shows_what_each_shipment_cost() {
    let world = World::rehearsal().await;
    let (one, other) = (world.shipment(parcel_to(FINE)).await, world.shipment(parcel_to(FINE)).await);
    let service =
        json!({"carrier_account": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}});
    let batch = world.batch(json!({"service": service, "shipments": [id(&one), id(&other)]})).await;
    world.begin(&format!("{batch}/purchase"), None).await;
    world.work().await;
    let members = world.members(&batch).await;
    assert_eq!(members.len(), 2);
    for shipment in &members {
        assert_eq!(bought_rate(shipment)["rate"], shipment["cost"]["amount"]);
    }
}

#[tokio::test]
async fn a_shipment_bought_with_a_rate_shows_what_the_carrier_charged() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to(FINE)).await;
    let rated = world.rate(&path).await;
    let rate = rated["rates"][0].clone();
    assert_eq!(rated["cost"], Value::Null);
    world.begin(&format!("{path}/purchase"), Some(json!({"rate": rate["id"]}))).await;
    world.work().await;
    let bought = world.get(&path).await.json();
    assert_eq!(bought["rates"], rated["rates"], "no rate is added");
    assert_eq!(bought_rate(&bought), rate);
    assert_eq!(bought["cost"]["amount"].as_i64(), Some(world.carrier_charges(&path).await.net));
    assert_eq!(bought["cost"]["currency_code"], rate["currency_code"]);
}

#[tokio::test]
async fn a_purchase_that_a_person_found_out_about_costs_what_is_known_of_it() {
    let world = World::rehearsal().await;
    for (is_rated, resolution) in [
        (false, json!({"outcome": "bought", "tracking_numbers": ["X1"]})),
        (true, json!({"outcome": "bought", "tracking_numbers": ["X1"]})),
        (
            false,
            json!({"outcome": "bought", "tracking_numbers": ["X1"], "amount": 777, "currency_code": "EUR"}),
        ),
    ] {
        let path = world.shipment(parcel_to("SBX-LOST-FOREVER")).await;
        let rated = if is_rated { world.rate(&path).await } else { Value::Null };
        world.buy(&path).await;
        world.work_for(30).await;
        let attempt = world.attempt(&path).await;
        assert_eq!(attempt["state"], "needs_review", "{attempt}");
        let resolve = format!("/purchase_attempts/{}/resolve", attempt["id"].as_str().expect("an id"));
        let resolved = world.post(&resolve, resolution.clone()).await;
        assert_eq!(resolved.status, 200, "{resolved}");
        world.work().await;
        let bought = world.get(&path).await.json();
        assert_eq!(bought["status"], "purchased", "{bought}");
        let expected = match (is_rated, resolution["amount"].as_i64()) {
            (_, Some(amount)) => json!({"amount": amount, "currency_code": "EUR"}),
            // The carrier states no amount, so the cost is the price of the chosen rate.
            (true, None) => {
                let id = &bought["service"]["rate"];
                let mut rates = rated["rates"].as_array().expect("a list").iter();
                let rate = rates.find(|rate| rate["id"] == *id).expect("the rate");
                json!({"amount": rate["rate"], "currency_code": rate["currency_code"]})
            }
            (false, None) => Value::Null,
        };
        assert_eq!(bought["cost"], expected, "{bought}");
    }
}

#[tokio::test]
async fn the_cost_is_what_was_charged_and_not_what_was_quoted() {
    let setup = EasyPostSetup::open().await;
    setup.buy().await;
    let shown = setup.shown().await;
    let attempt = setup.world.get("/purchase_attempts").await.json()["data"][0].clone();
    assert_eq!(shown["cost"]["amount"], attempt["amount"]);
    assert_eq!(bought_rate(&shown)["rate"], attempt["amount"]);
}
