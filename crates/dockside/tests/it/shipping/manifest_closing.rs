//! Closing by itself, at the time that a location configuration names.

use serde_json::{Value, json};

use crate::setup::shipping_origin::{ShippingOrigin, lists};
use crate::setup::world::World;
use crate::shipping::manifest_nodes::another;

const HOME: &str = "BS1 4DJ";
const HOUR: i64 = 3600;

/// A shipping origin that closes every day at half past five in London. The world begins at nine there.
async fn closing(world: &World) -> ShippingOrigin {
    let origin = ShippingOrigin::new(world).await;
    let closing = json!({"closing": {"time": "17:30", "time_zone": "Europe/London"}});
    let reply = world.patch(format!("/location_configurations/{}", origin.configuration), closing).await;
    assert_eq!(reply.status, 200, "{reply}");
    origin
}

async fn closed(world: &World) -> Vec<Vec<String>> {
    world.service.manifests.work().await.unwrap();
    let list = world.get("/manifests").await.json()["data"].clone();
    lists(list.as_array().unwrap())
}

#[tokio::test]
async fn a_configuration_shows_its_closing_time() {
    let world = World::rehearsal().await;
    let origin = closing(&world).await;
    let path = format!("/location_configurations/{}", origin.configuration);
    let days = json!(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]);
    let shown = json!({"time": "17:30", "time_zone": "Europe/London", "days": days});
    assert_eq!(world.get(&path).await.json()["closing"], shown);
    assert_eq!(
        world.get("/location_configurations").await.json()["location_configurations"][0]["closing"],
        shown
    );
    let patched = world.patch(&path, json!({"closing": {"time": "18:00", "days": ["mon"]}})).await.json();
    assert_eq!(patched["closing"], json!({"time": "18:00", "time_zone": "Europe/London", "days": ["mon"]}));
    let cleared = world.patch(&path, json!({"closing": null})).await.json();
    assert_eq!(cleared["closing"], Value::Null);
    for (closing, field) in [
        (json!({"time": "24:00", "time_zone": "Europe/London"}), "/closing/time"),
        (json!({"time": "17:30", "time_zone": "Europe/Bristol"}), "/closing/time_zone"),
        (json!({"time": "17:30"}), "/closing/time_zone"),
        (json!({"time": "17:30", "time_zone": "UTC", "days": []}), "/closing/days"),
        (json!({"time": "17:30", "time_zone": "UTC", "days": ["monday"]}), "/closing/days/0"),
    ] {
        let reply = world.patch(&path, json!({"closing": closing})).await;
        assert_eq!((reply.status.as_u16(), reply.issues()[0].1.as_str()), (422, field), "{reply}");
    }
}

#[tokio::test]
async fn at_closing_time_everything_from_there_is_handed_over_once() {
    let world = World::rehearsal().await;
    let (origin, other) = (closing(&world).await, ShippingOrigin::new(&world).await);
    let today = [origin.bought(&world, HOME).await, origin.bought(&world, HOME).await];
    other.bought(&world, HOME).await;
    world.advance_seconds(8 * HOUR);
    assert_eq!(closed(&world).await, Vec::<Vec<String>>::new(), "it is five o'clock");
    world.advance_seconds(HOUR / 2);
    assert_eq!(closed(&world).await, [today.to_vec()]);
    // What is bought after that is left until tomorrow.
    let late = origin.bought(&world, HOME).await;
    world.advance_seconds(HOUR);
    assert_eq!(closed(&world).await, [today.to_vec()]);
    world.advance_seconds(23 * HOUR);
    assert_eq!(closed(&world).await, [vec![late], today.to_vec()]);
    let manifest = world.get("/manifests").await.json()["data"][0].clone();
    assert_eq!((&manifest["status"], &manifest["ship_date"]), (&json!("created"), &json!("2026-11-01")));
}

#[tokio::test]
async fn a_server_that_was_down_at_closing_time_closes_when_it_is_back_and_once() {
    let world = World::rehearsal().await;
    let origin = closing(&world).await;
    let first = origin.bought(&world, HOME).await;
    world.advance_seconds(3 * 24 * HOUR);
    assert_eq!(closed(&world).await, [vec![first.clone()]]);
    origin.bought(&world, HOME).await;
    assert_eq!(closed(&world).await, [vec![first]], "the days that were missed are not made up for");
}

#[tokio::test]
async fn a_location_beyond_midnight_in_utc_hands_over_its_evening_too() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let west = json!({"closing": {"time": "17:30", "time_zone": "America/Los_Angeles", "days": ["sun"]}});
    let path = format!("/location_configurations/{}", origin.configuration);
    assert_eq!(world.patch(path, west).await.status, 200);
    // In California it is 01:00 on Sunday now, and 16:30 when it is half past midnight on Monday in UTC.
    let morning = origin.bought(&world, HOME).await;
    world.advance_seconds(15 * HOUR + HOUR / 2);
    let evening = origin.bought(&world, HOME).await;
    world.advance_seconds(HOUR);
    assert_eq!(closed(&world).await, [vec![evening], vec![morning]], "one of each day in UTC");
}

#[tokio::test]
async fn a_closing_time_that_is_taken_away_closes_nothing() {
    let world = World::rehearsal().await;
    let origin = closing(&world).await;
    origin.bought(&world, HOME).await;
    let path = format!("/location_configurations/{}", origin.configuration);
    assert_eq!(world.patch(path, json!({"closing": null})).await.status, 200);
    world.advance_seconds(24 * HOUR);
    assert_eq!(closed(&world).await, Vec::<Vec<String>>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_servers_one_closes() {
    let world = World::rehearsal().await;
    let origin = closing(&world).await;
    let mut bought = Vec::new();
    for _ in 0..5 {
        bought.push(origin.bought(&world, HOME).await);
    }
    world.advance_seconds(9 * HOUR);
    let node = another(&world).await;
    let (one, two, three) =
        tokio::join!(world.service.manifests.work(), node.manifests.work(), world.service.manifests.work());
    one.and(two).and(three).unwrap();
    assert_eq!(closed(&world).await, [bought]);
    let created = world.get("/events?type=manifest.created").await.json()["data"].clone();
    assert!(created.as_array().unwrap().len() <= 1);
}
