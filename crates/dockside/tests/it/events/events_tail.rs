//! Readers that follow `/events?after=…` while many write: each sees every event once, in order, with none missing.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::setup::world::World;

const WRITERS: usize = 64;
/// What each writer does so often: it renames the one shared location, and makes one of its own.
const ROUNDS: usize = 3;
const EVENTS: usize = 1 + 2 * WRITERS * ROUNDS;
/// Far beyond what it takes: a reader must not wait for ever for an event that never comes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Makes locations and renames the shared one; gives the ids of those it made.
async fn write(world: Arc<World>, shared: String, writer: usize) -> Vec<String> {
    let mut made = Vec::new();
    for round in 0..ROUNDS {
        let renamed = world.patch(&shared, json!({"name": format!("{writer} {round}")})).await;
        assert_eq!(renamed.status, 200, "{renamed}");
        made.push(world.location("Own").await);
    }
    made
}

/// Asks for what comes after the last event it has, until it has all.
async fn tail_by_sequence(world: Arc<World>, limit: usize) -> Vec<Value> {
    let mut seen: Vec<Value> = Vec::new();
    while seen.len() < EVENTS {
        let last = seen.last().map_or(0, |event| event["sequence"].as_i64().unwrap());
        let page = world.get(format!("/events?after={last}&limit={limit}")).await;
        assert_eq!(page.status, 200, "{page}");
        seen.extend(page.json()["data"].as_array().unwrap().iter().cloned());
        tokio::task::yield_now().await;
    }
    seen
}

/// Follows cursors, and starts again after the last event it has where they end.
async fn tail_by_cursor(world: Arc<World>) -> Vec<Value> {
    let mut seen: Vec<Value> = Vec::new();
    while seen.len() < EVENTS {
        let last = seen.last().map_or(0, |event| event["sequence"].as_i64().unwrap());
        let list = format!("/events?after={last}&limit=5");
        let mut path = list.clone();
        loop {
            let page = world.get(&path).await;
            assert_eq!(page.status, 200, "{page}");
            seen.extend(page.json()["data"].as_array().unwrap().iter().cloned());
            let Some(cursor) = page.json()["next_cursor"].as_str().map(str::to_owned) else { break };
            path = format!("{list}&cursor={cursor}");
        }
        tokio::task::yield_now().await;
    }
    seen
}

/// The log is what was written: no more, no less, and the changes of one resource in their order.
fn assert_log(seen: &[Value], shared: &str, made: &HashSet<String>) {
    let sequences: Vec<i64> = seen.iter().map(|event| event["sequence"].as_i64().unwrap()).collect();
    assert_eq!(sequences, (1..=EVENTS as i64).collect::<Vec<_>>());
    let ids: HashSet<&str> = seen.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), EVENTS, "an event came twice");
    let object_id = |event: &Value| event["data"]["object"]["id"].as_str().unwrap().to_owned();
    let created = seen.iter().filter(|event| event["type"] == "location.created").map(object_id);
    assert_eq!(created.filter(|id| id != shared).collect::<HashSet<_>>(), *made);
    let mut last = Value::Null;
    for event in seen.iter().filter(|event| object_id(event) == shared) {
        assert_eq!(event["previous_attributes"]["updated_at"], last, "a change is out of order");
        last = event["data"]["object"]["updated_at"].clone();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_follows_the_log_sees_every_event_once_and_in_order() {
    let world = Arc::new(World::new().await);
    let jobs = world.service.start_jobs().unwrap();
    let shared = world.location("Shared").await;
    let readers = [
        tokio::spawn(tail_by_sequence(world.clone(), 7)),
        tokio::spawn(tail_by_sequence(world.clone(), 100)),
        tokio::spawn(tail_by_cursor(world.clone())),
    ];
    let path = format!("/locations/{shared}");
    let writers: Vec<_> =
        (0..WRITERS).map(|writer| tokio::spawn(write(world.clone(), path.clone(), writer))).collect();
    let mut made = HashSet::new();
    for writer in writers {
        made.extend(writer.await.unwrap());
    }
    assert_eq!(made.len(), WRITERS * ROUNDS);
    for reader in readers {
        let seen = tokio::time::timeout(PATIENCE, reader).await.expect("an event never came").unwrap();
        assert_log(&seen, &shared, &made);
    }
    let rest = world.get(format!("/events?after={EVENTS}")).await;
    assert_eq!(rest.ids().len(), 0, "there are more events than were written");
    jobs.stop().await;
}
