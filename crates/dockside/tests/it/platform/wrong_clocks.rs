//! Wrong clocks: the server deletes nothing because a clock jumped forward, and goes on working if one was set back, while
//! it runs and across a restart.

use std::sync::Arc;

use serde_json::{Value, json};
use service::{Service, SystemRandom};

use crate::setup::purchase_requests::{parcel_to, service};
use crate::setup::receiver::Answer;
use crate::setup::test_endpoint::{TestEndpoint, statuses};
use crate::setup::world::{Reply, World, depot};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
const TEN_YEARS: i64 = 3652 * DAY;
/// Longer than a lease and a first rest, by a clock that passes slowly because it is ahead.
const SOON_SECONDS: i64 = 20;

/// Returns the server that is started after this one was killed, on the same database with the same clock.
fn restarted(world: &World) -> Service {
    let settings = world.service.settings().clone();
    let node = Service::new(world.db.clone(), world.clock.clone(), Arc::new(SystemRandom), settings);
    node.expect("a service")
}

/// Sets all clocks forward or back at once, also the database's.
fn set_all_clocks_by(world: &World, seconds: i64) {
    world.set_clock_by(seconds);
    world.set_database_clock_by(seconds);
}

/// Lets time pass in a server that runs.
async fn run(world: &World, node: &Service, seconds: i64) {
    const STEPS: i64 = 4;
    for _ in 0..STEPS {
        world.advance_seconds(seconds / STEPS);
        node.nodes.heartbeat().await.unwrap();
        node.cleaning.work().await.unwrap();
    }
}

async fn create(world: &World, key: &str) -> Reply {
    world.request("POST", "/locations").header("idempotency-key", key).json(depot("Depot")).send().await
}

async fn is_refused(node: &Service) -> bool {
    node.cleaning.work().await.unwrap();
    node.context.clock_state().is_pruning_refused
}

async fn metric(world: &World, name: &str) -> String {
    let text = world.get("/metrics").await.text;
    let line = text.lines().find(|line| line.starts_with(name)).expect("the metric");
    line.rsplit(' ').next().expect("a value").to_owned()
}

/// Returns a world with rows that can be deleted for their age: events, a delivery, a stored answer.
async fn aged() -> (World, TestEndpoint, Reply) {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let made = create(&world, "key").await;
    world.deliver().await;
    assert_eq!(statuses(&hook.deliveries(&world).await), ["succeeded"]);
    (world, hook, made)
}

async fn assert_all_there(world: &World, hook: &TestEndpoint, made: &Reply) {
    assert!(!world.events().await.is_empty(), "events are kept");
    assert_eq!(hook.deliveries(world).await.len(), 1, "deliveries are kept");
    let again = create(world, "key").await;
    assert_eq!((again.status, &again.text), (made.status, &made.text), "answers are kept");
}

#[tokio::test]
async fn nothing_is_deleted_because_the_clock_jumps_forward() {
    let (world, hook, made) = aged().await;
    assert!(!is_refused(&world.service).await);
    assert_eq!(metric(&world, "dockside_pruning_refused").await, "0");
    world.set_clock_by(TEN_YEARS);
    world.service.nodes.heartbeat().await.unwrap();
    assert!(is_refused(&world.service).await);
    assert_eq!(metric(&world, "dockside_pruning_refused").await, "1");
    assert_all_there(&world, &hook, &made).await;
    // The same holds if the database's clock jumps too, and new rows have the new time.
    world.set_database_clock_by(TEN_YEARS);
    world.location("Later").await;
    run(&world, &world.service, 8 * HOUR).await;
    assert!(is_refused(&world.service).await);
    assert_all_there(&world, &hook, &made).await;
}

#[tokio::test]
async fn after_a_jump_was_mended_what_is_old_is_deleted_again() {
    let (world, hook, made) = aged().await;
    set_all_clocks_by(&world, TEN_YEARS);
    run(&world, &world.service, HOUR).await;
    set_all_clocks_by(&world, -TEN_YEARS);
    // The process's time does not go back, so it still refuses to delete. The next process starts with the right time.
    assert!(is_refused(&world.service).await);
    let node = restarted(&world);
    assert!(!is_refused(&node).await);
    assert_all_there(&world, &hook, &made).await;
    run(&world, &node, 32 * DAY).await;
    assert!(!is_refused(&node).await);
    assert_eq!(world.events().await.len(), 0);
}

#[tokio::test]
async fn nothing_is_deleted_because_the_clock_jumped_while_the_server_was_stopped() {
    let (world, hook, made) = aged().await;
    set_all_clocks_by(&world, TEN_YEARS);
    let node = restarted(&world);
    assert!(is_refused(&node).await);
    assert_all_there(&world, &hook, &made).await;
    run(&world, &node, 20 * DAY).await;
    assert!(is_refused(&node).await);
    assert!(!world.events().await.is_empty());
    assert_eq!(hook.deliveries(&world).await.len(), 1);
    // Another restart does not make the clock trusted.
    assert!(is_refused(&restarted(&world)).await);
}

#[tokio::test]
async fn after_a_long_stop_deleting_waits_for_as_long_and_goes_on() {
    let world = World::with(api::Limits::default(), |settings| settings.event_seconds = DAY).await;
    world.location("Depot").await;
    world.relay().await;
    world.service.nodes.heartbeat().await.unwrap();
    set_all_clocks_by(&world, 7 * DAY);
    let node = restarted(&world);
    assert!(is_refused(&node).await, "it can't be told from a jump");
    run(&world, &node, 6 * DAY).await;
    assert!(is_refused(&node).await);
    assert_eq!(world.events().await.len(), 1);
    run(&world, &node, DAY).await;
    assert!(!is_refused(&node).await);
    assert_eq!(world.events().await.len(), 0);
}

#[tokio::test]
async fn nothing_is_deleted_while_the_database_s_clock_differs() {
    let world = World::with(api::Limits::default(), |settings| settings.event_seconds = HOUR).await;
    world.location("Depot").await;
    world.relay().await;
    run(&world, &world.service, HOUR - 60).await;
    for differs in [2 * HOUR, -2 * HOUR] {
        world.set_database_clock_by(differs);
        // SQLite has no clock of its own.
        assert_eq!(is_refused(&world.service).await, world.db.is_shared());
        world.set_database_clock_by(-differs);
    }
    assert_eq!(world.events().await.len(), 1);
    run(&world, &world.service, 120).await;
    assert!(!is_refused(&world.service).await);
    assert_eq!(world.events().await.len(), 0);
}

/// A purchase and a delivery that failed once, and are tried again soon.
async fn resting() -> (World, TestEndpoint, String) {
    let world = World::rehearsal().await;
    let hook = TestEndpoint::with(&world, json!({"event_types": ["location.created"]})).await;
    hook.receiver.answer_next([Answer::status(500)]);
    world.location("Depot").await;
    let path = world.shipment(parcel_to("SBX-FLAKY-2")).await;
    (world, hook, path)
}

/// Tries both for the first time.
async fn begin(world: &World, hook: &TestEndpoint, path: &str) {
    world.deliver().await;
    assert_eq!(statuses(&hook.deliveries(world).await), ["retrying"]);
    world.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
    world.work().await;
    assert_eq!(world.get(path).await.json()["status"], "purchasing");
}

/// Lets a few seconds pass in a server, and expects both to be done.
async fn assert_soon_done(world: &World, node: &Service, hook: &TestEndpoint, path: &str) {
    for _ in 0..SOON_SECONDS {
        world.advance_seconds(1);
        node.work_purchases().await.unwrap();
        node.delivery.work().await.unwrap();
    }
    let shipment = world.get(path).await.json();
    assert_eq!(shipment["status"], "purchased", "{shipment}");
    assert_eq!(world.carrier_charges(path).await.charges, 1);
    let delivery = hook.delivery(world).await;
    assert_eq!((&delivery["status"], &delivery["attempt"]), (&json!("succeeded"), &json!(2)), "{delivery}");
}

#[tokio::test]
async fn work_goes_on_in_a_server_whose_clock_is_set_back() {
    let (world, hook, path) = resting().await;
    begin(&world, &hook, &path).await;
    world.set_clock_by(-DAY);
    assert_soon_done(&world, &world.service, &hook, &path).await;
    let lead: i64 = metric(&world, "dockside_clock_lead_seconds").await.parse().unwrap();
    assert!((DAY - SOON_SECONDS..=DAY).contains(&lead), "{lead}");
}

#[tokio::test]
async fn work_goes_on_in_a_server_that_starts_after_the_clock_was_set_back() {
    for back in [HOUR / 2, DAY] {
        let (world, hook, path) = resting().await;
        begin(&world, &hook, &path).await;
        world.set_clock_by(-back);
        assert_soon_done(&world, &restarted(&world), &hook, &path).await;
    }
}

#[tokio::test]
async fn what_a_clock_wrote_that_was_years_ahead_is_due_once_it_was_set_right() {
    let (world, hook, path) = resting().await;
    world.set_clock_by(TEN_YEARS);
    begin(&world, &hook, &path).await;
    world.set_clock_by(-TEN_YEARS);
    let node = restarted(&world);
    assert_soon_done(&world, &node, &hook, &path).await;
    let shown: Value = world.get(&path).await.json();
    assert!(node.context.now().to_string() < shown["created_at"].as_str().unwrap().replace("2026", "2027"));
    assert_eq!(node.context.clock_state().lead_seconds, 0, "the time is right again");
}

#[tokio::test]
async fn what_may_have_been_bought_years_ahead_is_looked_up_and_left_to_a_person_in_time() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("SBX-LOST-FOREVER")).await;
    world.set_clock_by(TEN_YEARS);
    world.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
    world.work().await;
    assert_eq!(world.attempt(&path).await["state"], "checking");
    world.set_clock_by(-TEN_YEARS);
    let node = restarted(&world);
    for _ in 0..120 {
        world.advance_seconds(1);
        node.work_purchases().await.unwrap();
    }
    assert_eq!(world.attempt(&path).await["state"], "needs_review");
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}
