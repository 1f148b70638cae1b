//! `GET /summary`: what each count holds, and who sees it.

use model::Id;
use model::World as Mode;
use model::orders::order_exception::ExceptionCode;
use serde_json::{Value, json};
use service::NewException;

use crate::setup::purchase_requests::{parcel_to, service};
use crate::setup::stock_requests::lines;
use crate::setup::world::World;

const DAY_SECONDS: i64 = 24 * 3600;
const NAMES: [&str; 6] = [
    "late_orders",
    "held_orders",
    "orders_with_exceptions",
    "purchases_to_review",
    "failing_webhook_endpoints",
    "low_items",
];

async fn counts(world: &World) -> Vec<Value> {
    let reply = world.get("/summary").await;
    assert_eq!(reply.status, 200, "{reply}");
    NAMES.iter().map(|name| reply.json()["counts"][name].clone()).collect()
}

#[tokio::test]
async fn counts_follow_what_needs_attention() {
    let world = World::rehearsal().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    assert_eq!(counts(&world).await, [0; 6]);

    let due = world.service.context.now().plus_seconds(60).to_string();
    let mut ids = Vec::new();
    for status in ["committed", "committed", "draft"] {
        let body = json!({"items": lines(&[(&hat, 1)]), "ship_by": due, "status": status});
        ids.push(world.post("/orders", body).await.json()["id"].as_str().unwrap().to_owned());
    }
    world.post(format!("/orders/{}/hold", ids[1]), json!({"reason": "check"})).await;
    let new = NewException { code: ExceptionCode::Short, shipment: None, message: "Short".to_owned() };
    world.service.order_exceptions.raise(world.owner(), Id::parse(&ids[0]).unwrap(), new).await.unwrap();
    let level = format!("/inventory_items/{hat}/levels/{depot}");
    assert_eq!(world.patch(&level, json!({"reorder_point": 10})).await.status, 200);
    assert_eq!(counts(&world).await, [0, 1, 1, 0, 0, 1], "nothing is late yet");

    let path = world.shipment(parcel_to("SBX-LOST-FOREVER")).await;
    world.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
    for _ in 0..120 {
        world.advance_seconds(1);
        world.work().await;
    }
    assert_eq!(counts(&world).await, [2, 1, 1, 1, 0, 1], "a draft is never late");

    let allocated = world.allocated(&ids[0], &[(&depot, &hat, 1)]).await;
    assert_eq!(world.complete(&ids[0], &[&allocated[0]]).await.status, 200);
    assert_eq!(counts(&world).await[0], 1, "what is fulfilled is not late");
}

#[tokio::test]
async fn days_are_those_of_the_organisation() {
    let world = World::rehearsal().await;
    world.buy(&world.shipment(parcel_to("BS1 4DJ")).await).await;
    let days = async |zone: &str| {
        assert_eq!(world.patch("/organisation", json!({"time_zone": zone})).await.status, 200);
        let summary = world.get("/summary").await.json();
        assert_eq!(summary["time_zone"], zone);
        summary["bought_per_day"].as_array().unwrap().clone()
    };
    let counted = |days: &[Value]| days.iter().map(|day| day["count"].as_i64().unwrap()).sum::<i64>();
    // Zones on both sides of the date line: their dates always differ.
    let (early, late) = (days("Pacific/Pago_Pago").await, days("Pacific/Kiritimati").await);
    assert_eq!((early.len(), late.len()), (14, 14));
    assert_eq!((&early[13]["count"], &late[13]["count"]), (&json!(1), &json!(1)));
    assert!(early[13]["date"].as_str() < late[13]["date"].as_str(), "{early:?} {late:?}");
    world.advance_seconds(2 * DAY_SECONDS);
    let later = days("UTC").await;
    assert_eq!((counted(&later), &later[11]["count"], &later[13]["count"]), (1, &json!(1), &json!(0)));
    world.advance_seconds(20 * DAY_SECONDS);
    assert_eq!(counted(&days("UTC").await), 0);
}

#[tokio::test]
async fn a_token_sees_only_counts_of_what_it_may_read() {
    let world = World::new().await;
    for (scopes, seen) in [
        ("orders:read", [true, true, true, false, false, false]),
        ("shipments:read", [false, false, false, true, false, false]),
        ("webhooks:read inventory:read", [false, false, false, false, true, true]),
        ("events:read", [false; 6]),
    ] {
        let token = world.token_for("Acme", scopes, Mode::Live).await;
        let reply = world.request("GET", "/summary").token(&token).send().await;
        assert_eq!(reply.status, 200, "{scopes}: {reply}");
        let shown = NAMES.map(|name| !reply.json()["counts"][name].is_null());
        assert_eq!(shown, seen, "{scopes}: {reply}");
        assert_eq!(!reply.json()["bought_per_day"].is_null(), seen[3], "{scopes}");
    }
    assert_eq!(world.request("GET", "/summary").anonymous().send().await.status, 401);
}

#[tokio::test]
async fn other_organisations_and_worlds_are_never_counted() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    let level = format!("/inventory_items/{hat}/levels/{depot}");
    assert_eq!(world.patch(&level, json!({"reorder_point": 10})).await.status, 200);
    assert_eq!(counts(&world).await[5], 1);
    for (organisation, mode) in [("Globex", Mode::Live), ("Acme", Mode::Test)] {
        let token = world.token_for(organisation, "*", mode).await;
        let reply = world.request("GET", "/summary").token(&token).send().await.json();
        assert!(NAMES.iter().all(|name| reply["counts"][name] == 0), "{organisation}: {reply}");
    }
}
