//! The event log: each write appends exactly one event, in commit order, without gaps.

use std::sync::Arc;

use serde_json::{Value, json};
use store::events::events::Logged;

use crate::setup::world::{World, depot};

/// What an event says, for comparing.
fn told(event: &Logged) -> (i64, &str, &str) {
    (event.sequence, event.r#type.as_str(), event.resource_id.as_str())
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn each_write_appends_one_event_with_the_resource_in_it() {
    let world = World::new().await;
    let location = world.location("Depot").await;
    let path = format!("/locations/{location}");
    let created = world.get(&path).await.json();
    let updated = world.patch(&path, json!({"name": "Renamed"})).await.json();
    let body = json!({"name": "Main", "locations": {"origin": {"id": location}, "return": {"id": location}}});
    let made = world.post("/location_configurations", body).await;
    let (at, made) = (made.header("location").to_owned(), made.json());
    let configuration = made["id"].as_str().unwrap();
    let renamed = world.patch(&at, json!({"name": "Other"})).await.json();
    assert_eq!(world.delete(&at).await.status, 204);
    assert_eq!(world.delete(&path).await.status, 204);

    let events = world.events().await;
    let expected = [
        (1, "location.created", location.as_str()),
        (2, "location.updated", &location),
        (3, "location_configuration.created", configuration),
        (4, "location_configuration.updated", configuration),
        (5, "location_configuration.deleted", configuration),
        (6, "location.deleted", &location),
    ];
    assert_eq!(events.iter().map(told).collect::<Vec<_>>(), expected);
    let objects: Vec<Value> = events.iter().map(|event| read(&event.object)).collect();
    assert_eq!(objects, [created, updated.clone(), made, renamed.clone(), renamed, updated]);
    assert!(events.windows(2).all(|pair| pair[0].created_at < pair[1].created_at));
}

#[tokio::test]
async fn an_update_tells_what_the_changed_fields_were() {
    let world = World::new().await;
    let location = world.location("Depot").await;
    let path = format!("/locations/{location}");
    let before = world.get(&path).await.json();
    let patch = json!({"tags": ["new"], "address": {"address": {"line_1": "2 Quay Street"}}});
    world.patch(&path, patch).await;
    world.patch(&path, json!({"name": "Depot"})).await;
    let events = world.events().await;
    let previous: Vec<Option<Value>> =
        events.iter().map(|event| event.previous_attributes.as_deref().map(read)).collect();
    let first = json!({"tags": null, "address": before["address"].clone(), "updated_at": before["updated_at"].clone()});
    assert_eq!(previous[..2], [None, Some(first)]);
    // A write that changes no field still updates the time and the version.
    let second = json!({"updated_at": read(&events[1].object)["updated_at"].clone()});
    assert_eq!(previous[2..], [Some(second)]);
}

#[tokio::test]
async fn a_configurations_update_tells_its_previous_locations() {
    let world = World::new().await;
    let (configuration, origin, back) = world.configuration("Main").await;
    let patch = json!({"name": "Swapped", "locations": {"origin": {"id": back}, "return": {"id": origin}}});
    world.patch(format!("/location_configurations/{configuration}"), patch).await;
    let events = world.events().await;
    let last = events.last().unwrap();
    let previous = read(last.previous_attributes.as_deref().unwrap());
    assert_eq!(previous["name"], "Main");
    assert_eq!(previous["locations"]["origin"]["id"], origin.as_str());
    let mut fields: Vec<&str> = previous.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["locations", "name", "updated_at"]);
}

#[tokio::test]
async fn what_is_refused_or_repeated_appends_nothing() {
    let world = World::new().await;
    let (_, origin, _) = world.configuration("Main").await;
    let path = format!("/locations/{origin}");
    let before = world.events().await.len();
    assert_eq!(before, 3);
    let stale = world.request("PATCH", &path).header("if-match", "\"9\"").json(json!({"name": "x"}));
    let refused = [
        world.delete(&path).await.status.as_u16(),
        world.patch(&path, json!({"name": null})).await.status.as_u16(),
        world.post("/locations", json!({})).await.status.as_u16(),
        stale.send().await.status.as_u16(),
        world.get(&path).await.status.as_u16(),
    ];
    assert_eq!(refused, [409, 422, 422, 412, 200]);
    assert_eq!(world.events().await.len(), before);
    for _ in 0..3 {
        let repeated = world.request("POST", "/locations").header("idempotency-key", "k").json(depot("Once"));
        assert_eq!(repeated.send().await.status, 201);
    }
    assert_eq!(world.events().await.len(), before + 1);
}

#[tokio::test]
async fn each_world_of_each_organisation_has_a_log_of_its_own() {
    let world = World::new().await;
    let others = [
        world.token_for("Acme", "*", model::World::Test).await,
        world.token_for("Rival", "*", model::World::Live).await,
    ];
    for token in &others {
        let made = world.request("POST", "/locations").token(token).json(depot("Elsewhere")).send().await;
        assert_eq!(made.status, 201, "{made}");
    }
    let location = world.location("Here").await;
    let events = world.events().await;
    assert_eq!(events.iter().map(told).collect::<Vec<_>>(), [(1, "location.created", location.as_str())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sequences_have_no_gaps_and_follow_commits_under_concurrent_writes() {
    const WRITERS: usize = 8;
    const ROUNDS: usize = 12;
    let world = Arc::new(World::new().await);
    let shared = world.location("Shared").await;
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..WRITERS {
        let (world, path) = (world.clone(), format!("/locations/{shared}"));
        writers.spawn(async move {
            for round in 0..ROUNDS {
                assert_eq!(world.patch(&path, json!({"name": format!("{round}")})).await.status, 200);
                world.location("Own").await;
                // Numbers are given while others write.
                assert_eq!(gap(&world.events().await), None);
            }
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended.unwrap();
    }
    let events = world.events().await;
    assert_eq!(events.len(), 1 + 2 * WRITERS * ROUNDS);
    assert_eq!(gap(&events), None);
    // Each update says what it changed, so the updates of one row must chain: a swapped pair would break it.
    let mut last: Option<Value> = None;
    for event in events.iter().filter(|event| event.resource_id == shared) {
        let previous = event.previous_attributes.as_deref().map(read);
        assert_eq!(previous.map(|previous| previous["updated_at"].clone()), last);
        last = Some(read(&event.object)["updated_at"].clone());
    }
}

/// Returns the first index at which the sequence is not the index plus one.
fn gap(events: &[Logged]) -> Option<usize> {
    (1..).zip(events).position(|(place, event)| event.sequence != place)
}
