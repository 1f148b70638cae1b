//! Servers' leases, and the mark that each server keeps in a file: a lease that has lapsed is not extended, and a damaged
//! mark is not treated as a missing one.

use std::future::poll_fn;
use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::Poll;

use model::{Result, Timestamp};
use service::{Service, SystemRandom};
use store::platform::restorations;
use store::{Access, Sql, Tx};

use crate::setup::world::{World, until};

const NAMES: Sql = Sql::same("SELECT id FROM node WHERE owner = '*'");
const LOCK_LEASES: Sql = Sql::same("UPDATE node SET alive_until = alive_until WHERE owner = '*'");
const WAITING: Sql = Sql::each(
    "",
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
);
/// Longer than a lease.
const LAPSED_SECONDS: i64 = 11;

async fn names(world: &World) -> Vec<String> {
    let read = world.db.read(Access::System, async |tx| tx.all(&NAMES, &[]).await);
    read.await.unwrap().into_iter().map(|mut row| row.text(0).unwrap()).collect()
}

/// What another transaction locks.
#[derive(Clone, Copy)]
enum Locked {
    Mark,
    Leases,
}

/// Holds a lock, on SQLite the whole database, until the sender is dropped. Returns once it is held.
async fn hold(world: &World, what: Locked) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<()>>) {
    let (open, gate) = mpsc::channel::<()>();
    let (held, is_held) = tokio::sync::oneshot::channel();
    let (gate, held) = (Mutex::new(gate), Mutex::new(Some(held)));
    let hold = async move |tx: &mut Tx<'_>| {
        match what {
            Locked::Mark => restorations::mark_for_update(tx).await.map(drop)?,
            Locked::Leases => tx.execute(&LOCK_LEASES, &[]).await.map(drop)?,
        }
        if let Some(held) = held.lock().unwrap().take() {
            let _told = held.send(());
        }
        let _dropped = tokio::task::block_in_place(|| gate.lock().unwrap().recv());
        Ok(())
    };
    let db = world.db.clone();
    let holding = tokio::spawn(async move { db.write(Access::System, hold).await });
    is_held.await.unwrap();
    (open, holding)
}

/// Returns the node's name before and after a heartbeat that waits for a lock for so long.
async fn names_around_a_wait(world: &World, seconds: i64) -> (Vec<String>, Vec<String>) {
    world.service.nodes.heartbeat().await.unwrap();
    let before = names(world).await;
    assert_eq!(before.len(), 1);
    let (open, holding) = hold(world, Locked::Mark).await;
    let mut beat = pin!(world.service.nodes.heartbeat());
    let is_waiting = poll_fn(|context| Poll::Ready(beat.as_mut().poll(context).is_pending())).await;
    assert!(is_waiting);
    world.advance_seconds(seconds);
    drop(open);
    beat.await.unwrap();
    // On a slow machine the database may have ended this transaction already, because it was idle for too long.
    let _ended = holding.await.unwrap();
    (before, names(world).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_heartbeat_that_waits_for_longer_than_the_lease_takes_another_name() {
    let world = World::new().await;
    let (before, after) = names_around_a_wait(&world, LAPSED_SECONDS).await;
    assert_eq!(after.len(), 1);
    assert_ne!(after, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_heartbeat_that_waits_for_less_keeps_the_name() {
    let world = World::new().await;
    let (before, after) = names_around_a_wait(&world, LAPSED_SECONDS - 5).await;
    assert_eq!(after, before);
    // The new lease begins after the wait.
    world.advance_seconds(LAPSED_SECONDS - 5);
    world.service.nodes.heartbeat().await.unwrap();
    assert_eq!(names(&world).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_heartbeat_that_waits_for_its_own_row_takes_another_name() {
    let world = World::new().await;
    if !world.db.is_shared() {
        return;
    }
    world.service.nodes.heartbeat().await.unwrap();
    let before = names(&world).await;
    let (open, holding) = hold(&world, Locked::Leases).await;
    let service = world.service.clone();
    let beat = tokio::spawn(async move { service.nodes.heartbeat().await });
    let is_waiting = async || {
        let read = world.db.read(Access::System, async |tx| tx.one(&WAITING, &[]).await);
        read.await.unwrap().unwrap().int(0).unwrap() > 0
    };
    until("the heartbeat waits", is_waiting).await;
    world.advance_seconds(LAPSED_SECONDS);
    drop(open);
    holding.await.unwrap().unwrap();
    beat.await.unwrap().unwrap();
    let after = names(&world).await;
    assert_eq!(after.len(), 1);
    assert_ne!(after, before);
}

/// Returns when a restored backup was recorded, after a server started with these contents in its file.
async fn restored_with(world: &World, file: &Path, contents: Option<&str>) -> Option<Timestamp> {
    match contents {
        Some(contents) => std::fs::write(file, contents).unwrap(),
        None => std::fs::remove_file(file).unwrap(),
    }
    let settings = world.service.settings().clone();
    let node = Service::new(world.db.clone(), world.clock.clone(), Arc::new(SystemRandom), settings).unwrap();
    node.nodes.remember_at(file.to_owned()).await.unwrap();
    world.db.read(Access::System, async |tx| restorations::last(tx).await).await.unwrap()
}

#[tokio::test]
async fn a_memory_that_cannot_be_read_is_not_taken_for_a_new_server() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mark");
    world.service.nodes.remember_at(file.clone()).await.unwrap();
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(restored_with(&world, &file, Some(&kept)).await, None, "it was merely killed");
    assert_eq!(restored_with(&world, &file, None).await, None, "a new server");
    let first = restored_with(&world, &file, Some("")).await;
    assert!(first.is_some(), "an empty file");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(restored_with(&world, &file, Some(&kept)).await, first, "it counts on from what it found");
    assert!(restored_with(&world, &file, Some("4\u{0}")).await > first, "half a file");
}
