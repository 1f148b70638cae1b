//! Retention: histories and leftovers are deleted after the time that the operator sets. Rows that are younger, shown or still
//! needed stay.

use api::Limits;
use serde_json::json;
use store::{Access, Sql};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::world::World;

const DAY: i64 = 24 * 3600;
const HISTORY_DAYS: i64 = 100;
const LEFTOVER_DAYS: i64 = 50;
const TEN_YEARS_DAYS: i64 = 3652;

const VERSIONS: Sql = Sql::same(
    "SELECT CAST(coalesce(sum(version), 0) AS BIGINT) FROM location_version WHERE location_id = $1",
);
const OBSERVATIONS: Sql =
    Sql::same("SELECT CAST(coalesce(sum(fence), 0) AS BIGINT) FROM purchase_observation WHERE owner > $1");

async fn sum(world: &World, sql: &'static Sql, value: &str) -> i64 {
    let value = value.to_owned();
    let read = world.db.read(Access::System, async move |tx| tx.one(sql, &[value.as_str().into()]).await);
    read.await.unwrap().unwrap().int(0).unwrap()
}

/// Time passes while the server runs, and it cleans.
async fn pass(world: &World, days: i64) {
    world.advance_seconds(days * DAY);
    world.service.nodes.heartbeat().await.unwrap();
    world.service.cleaning.work().await.unwrap();
    assert!(!world.service.context.clock_state().is_pruning_refused);
}

async fn pruning() -> World {
    World::with(Limits::default(), |settings| {
        settings.retention.history_seconds = Some(HISTORY_DAYS * DAY);
        settings.retention.leftover_seconds = LEFTOVER_DAYS * DAY;
    })
    .await
}

async fn pruning_rehearsal() -> World {
    World::rehearsal_with(|settings| settings.retention.history_seconds = Some(HISTORY_DAYS * DAY)).await
}

/// A level with a history: counted, and taken from by an allocation that stays.
async fn used_level(world: &World) -> (String, String) {
    let (item, location) = world.stocked("HAT", 9).await;
    let order = world.order(&[(&item, 2)]).await;
    let ids = world.allocated(&order, &[(&location, &item, 2)]).await;
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    (item, location)
}

fn change(delta: i64, on_hand: i64, reason: &str) -> (i64, i64, String) {
    (delta, on_hand, reason.to_owned())
}

async fn adjust(world: &World, item: &str, location: &str, delta: i64) {
    let path = format!("/inventory_items/{item}/levels/{location}/adjust");
    let reply = world.post(path, json!({"delta": delta, "reason": "found"})).await;
    assert_eq!(reply.status, 200, "{reply}");
}

#[tokio::test]
async fn the_history_of_a_level_goes_and_its_sum_stays() {
    let world = pruning().await;
    let (item, location) = used_level(&world).await;
    world.relay().await;
    pass(&world, HISTORY_DAYS - 1).await;
    adjust(&world, &item, &location, 3).await;
    assert_eq!(world.history(&item, &location).await.len(), 3, "nothing is old enough");
    pass(&world, 2).await;
    assert_eq!(world.history(&item, &location).await, [change(3, 10, "found")], "what is younger stays");
    assert_eq!(world.level(&item, &location).await, [10, 0, 10]);
    world.assert_clean().await;
    // The audit still finds what does not add up.
    world.tamper("UPDATE inventory_level SET on_hand = on_hand + 7").await;
    let audit = world.get("/inventory/audit").await.json();
    let found = &audit["differences"][0];
    assert_eq!((found["kept"].as_i64(), found["recomputed"].as_i64()), (Some(17), Some(10)), "{audit}");
    world.tamper("UPDATE inventory_level SET on_hand = on_hand - 7").await;
    // The whole history may go, and the stock is counted on from there.
    pass(&world, HISTORY_DAYS + 1).await;
    assert_eq!(world.history(&item, &location).await, []);
    adjust(&world, &item, &location, -4).await;
    assert_eq!(world.history(&item, &location).await, [change(-4, 6, "found")]);
    world.assert_clean().await;
}

#[tokio::test]
async fn more_history_goes_than_one_transaction_deletes() {
    const CHANGES: i64 = 1201;
    let world = pruning().await;
    let (item, location) = world.stocked("HAT", 5).await;
    world.relay().await;
    let owner = world.owner();
    let rows: Vec<String> = (1..=CHANGES)
        .map(|n| format!("('{owner}', 'ic_{n:026}', '{item}', '{location}', 1, {n}, 'found', {n})"))
        .collect();
    world
        .tamper(&format!(
            "INSERT INTO inventory_change (owner, id, item_id, location_id, delta, on_hand, reason, created_at) VALUES {};
             UPDATE inventory_level SET on_hand = on_hand + {CHANGES}",
            rows.join(",")
        ))
        .await;
    world.assert_clean().await;
    pass(&world, 1).await;
    assert_eq!(world.history(&item, &location).await, [change(5, 5, "set")], "what is younger stays");
    assert_eq!(world.level(&item, &location).await, [CHANGES + 5, 0, CHANGES + 5]);
    world.assert_clean().await;
}

#[tokio::test]
async fn by_default_histories_stay_for_as_long_as_what_they_tell_of() {
    let world = World::rehearsal().await;
    let (item, location) = used_level(&world).await;
    let path = world.shipment(parcel_to("SBX-TRACK-DELIVERED")).await;
    world.buy(&path).await;
    world.work_for(40).await;
    world.relay().await;
    let way = world.get(format!("{path}/tracking")).await.text;
    pass(&world, TEN_YEARS_DAYS).await;
    assert_eq!(world.events().await.len(), 0, "it did clean");
    assert_eq!(world.history(&item, &location).await.len(), 2);
    assert_eq!(world.get(format!("{path}/tracking")).await.text, way);
    let shipment = world.get(&path).await.json();
    assert_eq!(shipment["status"], "purchased");
    let file = shipment["documents"][0]["file_url"].as_str().expect("a link").to_owned();
    let file = file.trim_start_matches("https://dockside.example.com").to_owned();
    let (head, _) = world.request("GET", &file).open().await;
    assert_eq!(head.status, 200, "its label is there");
    assert_eq!(world.attempt(&path).await["state"], "bought", "money is kept");
}

#[tokio::test]
async fn tracking_events_of_parcels_that_arrived_go_and_their_status_stays() {
    let world = pruning_rehearsal().await;
    let path = world.shipment(parcel_to("SBX-TRACK-DELIVERED")).await;
    // The server goes on tracking this parcel.
    let moving = world.shipment(parcel_to("SBX-TRACK-EXCEPTION")).await;
    world.buy(&path).await;
    world.buy(&moving).await;
    world.work_for(40).await;
    let events = async |path: &str| {
        let tracking = world.get(format!("{path}/tracking")).await.json();
        (tracking["events"].as_array().expect("a list").len(), tracking["tracking_status"].clone())
    };
    assert_eq!(events(&path).await, (4, json!("delivered")));
    pass(&world, HISTORY_DAYS - 1).await;
    assert_eq!(events(&path).await, (4, json!("delivered")), "they are not old enough");
    pass(&world, 2).await;
    assert_eq!(events(&path).await, (0, json!("delivered")));
    assert_eq!(events(&moving).await, (3, json!("failure")), "what is followed is needed");
    assert_eq!(world.attempt(&path).await["state"], "bought", "money is kept");
}

#[tokio::test]
async fn nothing_of_a_history_goes_because_the_clock_jumps() {
    let world = pruning().await;
    let (item, location) = used_level(&world).await;
    world.relay().await;
    world.patch(format!("/locations/{location}"), json!({"name": "Depot 2"})).await;
    world.set_clock_by(TEN_YEARS_DAYS * DAY);
    world.service.nodes.heartbeat().await.unwrap();
    world.service.cleaning.work().await.unwrap();
    assert!(world.service.context.clock_state().is_pruning_refused);
    assert_eq!(world.history(&item, &location).await.len(), 2);
    assert_eq!(sum(&world, &VERSIONS, &location).await, 1);
}

#[tokio::test]
async fn versions_of_locations_go_unless_a_shipment_pins_them() {
    let world = pruning().await;
    let (configuration, origin, _) = world.configuration("Main").await;
    let rename = async |name: &str| {
        let reply = world.patch(format!("/locations/{origin}"), json!({"name": name})).await;
        assert_eq!(reply.status, 200, "{reply}");
    };
    let mut parcel = crate::setup::populated_organisation::parcel();
    parcel["addresses"]["location_configuration_id"] = json!(configuration);
    for part in ["origin", "return"] {
        parcel["addresses"].as_object_mut().unwrap().remove(part);
    }
    let pinning = world.shipment(parcel).await;
    // The versions 1, which the shipment pins, and 2.
    rename("Second").await;
    rename("Third").await;
    pass(&world, LEFTOVER_DAYS - 1).await;
    rename("Fourth").await;
    assert_eq!(sum(&world, &VERSIONS, &origin).await, 1 + 2 + 3, "nothing is old enough");
    pass(&world, 2).await;
    assert_eq!(sum(&world, &VERSIONS, &origin).await, 1 + 3, "the pinned one and the younger one stay");
    assert_eq!(world.delete(&pinning).await.status, 204);
    pass(&world, LEFTOVER_DAYS).await;
    assert_eq!(sum(&world, &VERSIONS, &origin).await, 0);
    assert_eq!(world.get(format!("/locations/{origin}")).await.json()["name"], "Fourth");
}

#[tokio::test]
async fn receipts_that_came_late_stay_with_their_purchase() {
    let world = pruning_rehearsal().await;
    let path = world.shipment(parcel_to("SBX-DECLINED")).await;
    world.buy(&path).await;
    let (owner, purchase) = (world.owner(), world.attempt(&path).await["id"].as_str().unwrap().to_owned());
    let now = world.service.context.now().as_micros();
    world
        .tamper(&format!(
            "INSERT INTO purchase_observation (owner, purchase_id, fence, doc, created_at)
             VALUES ('{owner}', '{purchase}', 10, '{{}}', {now}), ('{owner}', 'pa_gone', 200, '{{}}', {now})"
        ))
        .await;
    pass(&world, 364).await;
    assert_eq!(sum(&world, &OBSERVATIONS, "").await, 210, "nothing is old enough");
    pass(&world, 2).await;
    assert_eq!(sum(&world, &OBSERVATIONS, "").await, 10, "its purchase is there");
    assert_eq!(world.delete(&path).await.status, 204);
    pass(&world, 1).await;
    assert_eq!(sum(&world, &OBSERVATIONS, "").await, 0);
}

#[tokio::test]
async fn access_tokens_are_listed_for_a_while_after_they_expired() {
    let world = pruning().await;
    let make = async |body: serde_json::Value| {
        let reply = world.post("/access_tokens", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.header("location").to_owned()
    };
    let ended = make(json!({"scopes": ["orders:read"], "expires_at": "2026-11-02T09:00:00Z"})).await;
    let endless = make(json!({"scopes": ["orders:read"]})).await;
    pass(&world, LEFTOVER_DAYS).await;
    assert_eq!(world.get(&ended).await.status, 200, "it expired a day later");
    pass(&world, 2).await;
    assert_eq!(world.get(&ended).await.status, 404);
    assert_eq!(world.get(&endless).await.status, 200);
}
