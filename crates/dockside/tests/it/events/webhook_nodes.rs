//! Several servers on one database: one of them at a time delivers to an endpoint. Another takes over when that one's
//! lease expires.

use std::sync::Arc;
use std::time::Duration;

use model::{Code, Error, Result};
use service::{Service, SystemRandom};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::setup::receiver::{Answer, Gate, sequences};
use crate::setup::test_endpoint::{TestEndpoint, statuses};
use crate::setup::world::World;

/// Longer than the lease that a heartbeat extends.
const SILENT_SECONDS: i64 = 11;

/// Starts another server on the same database with the same clock.
async fn another(world: &World) -> Service {
    let settings = world.service.settings().clone();
    let node = Service::new(world.db.clone(), world.clock.clone(), Arc::new(SystemRandom), settings);
    let node = node.expect("a service");
    // On SQLite a server that starts takes all other nodes for dead, so the world's own server sends its heartbeat last.
    node.nodes.heartbeat().await.unwrap();
    world.service.nodes.heartbeat().await.unwrap();
    node
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_sent_by_one_of_them() {
    const EVENTS: usize = 500;
    let world = World::new().await;
    let (one, two) = (TestEndpoint::new(&world).await, TestEndpoint::new(&world).await);
    let node = another(&world).await;
    world.happen(EVENTS).await;
    world.relay().await;
    let (first, second) = tokio::join!(world.service.delivery.work(), node.delivery.work());
    first.unwrap();
    second.unwrap();
    // A server that found all lanes claimed has stopped looking. Deliver what the other server released since then.
    world.deliver().await;
    let expected: Vec<i64> = (1..=EVENTS as i64).collect();
    assert_eq!(sequences(&one.receiver.seen()), expected);
    assert_eq!(sequences(&two.receiver.seen()), expected);
}

/// Returns a world whose own server is stuck in the first of three deliveries, and another server.
async fn stuck(gate: &Gate, answer: Answer) -> (World, TestEndpoint, Service, tokio::task::JoinHandle<()>) {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let node = another(&world).await;
    hook.receiver.answer_next([answer.behind(gate)]);
    world.happen(3).await;
    world.relay().await;
    let service = world.service.clone();
    let delivering = tokio::spawn(async move { service.delivery.work().await.unwrap() });
    hook.receiver.wait_for(1).await;
    (world, hook, node, delivering)
}

#[tokio::test]
async fn a_lane_is_not_taken_from_a_server_that_lives() {
    let gate = Gate::closed();
    let (world, hook, node, delivering) = stuck(&gate, Answer::status(200)).await;
    for _ in 0..5 {
        // Its heartbeat comes in time, however long its delivery takes.
        world.advance_seconds(SILENT_SECONDS - 2);
        world.service.nodes.heartbeat().await.unwrap();
        node.delivery.work().await.unwrap();
    }
    assert_eq!(hook.receiver.seen().len(), 1);
    gate.open();
    delivering.await.unwrap();
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2, 3]);
}

#[tokio::test]
async fn a_silent_servers_lane_is_taken_over_and_its_late_result_does_not_count() {
    let gate = Gate::closed();
    let (world, hook, node, delivering) = stuck(&gate, Answer::status(410)).await;
    node.delivery.work().await.unwrap();
    assert_eq!(hook.receiver.seen().len(), 1, "it was taken from a living server");
    world.advance_seconds(SILENT_SECONDS);
    node.delivery.work().await.unwrap();
    assert_eq!(sequences(&hook.receiver.seen()), [1, 1, 2, 3]);
    gate.open();
    delivering.await.unwrap();
    assert_nothing_came_of_it(&world, &hook).await;
}

#[tokio::test]
async fn a_server_that_does_not_know_it_was_shut_out_changes_nothing() {
    let gate = Gate::closed();
    let (world, hook, node, delivering) = stuck(&gate, Answer::status(410)).await;
    // The other nodes take it for dead, while its lease is valid by its own clock.
    world.tamper("DELETE FROM node").await;
    node.nodes.heartbeat().await.unwrap();
    node.delivery.work().await.unwrap();
    assert_eq!(sequences(&hook.receiver.seen()), [1, 1, 2, 3]);
    gate.open();
    delivering.await.unwrap();
    assert_nothing_came_of_it(&world, &hook).await;
}

#[tokio::test]
async fn a_server_that_stops_finishes_what_it_is_at_and_leaves_the_rest() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let gate = Gate::closed();
    hook.receiver.answer_next([Answer::status(200).behind(&gate)]);
    world.happen(5).await;
    let jobs = world.service.start_jobs().unwrap();
    hook.receiver.wait_for(1).await;
    // The server is told to stop before the endpoint answers.
    tokio::join!(jobs.stop(), async { gate.open() });
    assert_eq!(sequences(&hook.receiver.seen()), [1]);
    assert_eq!(statuses(&hook.deliveries(&world).await), ["succeeded"]);
    let node = another(&world).await;
    node.delivery.work().await.unwrap();
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2, 3, 4, 5], "what was sent was written down");
}

/// An overloaded database that refuses transactions until the test releases it.
struct Clog(watch::Sender<bool>);

impl Clog {
    /// More than SQLite's queue holds. On PostgreSQL the first ones take all connections.
    const WRITES: usize = 6000;

    async fn of(world: &World) -> Self {
        let (open, is_open) = watch::channel(false);
        let (owner, is_shared) = (world.owner(), world.db.is_shared());
        let mut writes = JoinSet::new();
        for _ in 0..Self::WRITES {
            let (db, is_open) = (world.db.clone(), is_open.clone());
            writes.spawn(async move {
                let wait = db.write(owner, async move |_tx| {
                    let mut is_open = is_open.clone();
                    // A transaction on SQLite has a thread of its own, and may only await the database.
                    while !is_shared && !*is_open.borrow() && is_open.has_changed().is_ok() {
                        std::thread::yield_now();
                    }
                    is_open.wait_for(|is_open| *is_open).await.map(drop).map_err(Error::fault)
                });
                wait.await
            });
        }
        // The first write that ends was refused, so the queue is full. A write of the test before that would be queued, and
        // wait without end.
        let first = writes.join_next().await.expect("a write").expect("no panic");
        assert!(is_refusal(&first), "{first:?}");
        writes.detach_all();
        Self(open)
    }

    async fn wait_for_refusal(world: &World) {
        let refused = world.db.write(world.owner(), async |_tx| Ok(())).await;
        assert!(is_refusal(&refused), "{refused:?}");
    }
}

fn is_refusal(written: &Result<()>) -> bool {
    matches!(written, Err(Error::Refused(problem)) if problem.code == Code::Overloaded)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_with_too_much_to_do_makes_nothing_come_twice() {
    let gate = Gate::closed();
    let (world, hook, _node, delivering) = stuck(&gate, Answer::status(200)).await;
    let clog = Clog::of(&world).await;
    gate.open();
    hook.receiver.wait_for(2).await;
    // The database refuses to store what was delivered: at once on SQLite, after a wait on PostgreSQL.
    Clog::wait_for_refusal(&world).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    clog.0.send_replace(true);
    delivering.await.unwrap();
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2, 3]);
}

/// Asserts that the late answer, a 410, had no effect: it neither disabled the endpoint nor moved its cursor back.
async fn assert_nothing_came_of_it(world: &World, hook: &TestEndpoint) {
    assert_eq!(hook.shown(world).await["disabled"], false);
    assert_eq!(statuses(&hook.deliveries(world).await), ["succeeded"; 3]);
    hook.receiver.take();
    world.happen(1).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [4]);
}
