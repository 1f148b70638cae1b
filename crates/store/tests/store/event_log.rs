//! The log as readers see it while many transactions write: every event once, without a gap, in commit order.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::events::actor::Actor;
use model::{Code, Event, Id, Location, Owner, Result, Timestamp};
use store::events::events::{self, Logged};
use store::events::relay::{self, RELAY_MAX, Relayed, Watermark};
use store::places::locations;
use store::{Access, Db, Tx};

use crate::fresh::{Engine, Fresh, owner};

const OWNERS: u128 = 4;
const LOCATIONS_PER_OWNER: u128 = 4;
const WRITERS: u128 = 64;
/// Transactions of each writer. The last but one is refused after it has appended its event.
const ROUNDS: u128 = 6;
const REFUSED: u128 = ROUNDS - 2;
/// Events that a reader asks for at once. The number is small, so that the reader stops within a group that a relay
/// numbered.
const PAGE: usize = 7;
/// Far longer than the test takes. A reader whose event never comes must not wait for ever.
const PATIENCE: Duration = Duration::from_secs(120);

fn event_id(writer: u128, round: u128) -> Id<Event> {
    Id::from_bits(writer * 1000 + round)
}

/// Changes a location, and appends an event with its new version.
async fn change(tx: &mut Tx<'_>, owner: Owner, id: Id<Location>, event: Id<Event>) -> Result<()> {
    let old = locations::get_for_update(tx, owner, id).await?.ok_or(Code::NotFound)?;
    locations::update(tx, owner, id, &old, "{}", &[], Timestamp::from_micros(0)).await?;
    let told = Event::new("location.updated", id, &(old.version + 1).to_string());
    events::append(tx, owner, event, &told, Actor::System, Timestamp::from_micros(0)).await
}

async fn write_rounds(db: Db, writer: u128) {
    let owner = owner(writer % OWNERS);
    let location = Id::from_bits(writer / OWNERS % LOCATIONS_PER_OWNER);
    for round in 0..ROUNDS {
        let write = db.write(owner, async move |tx| {
            change(tx, owner, location, event_id(writer, round)).await?;
            model::ensure(round != REFUSED, Code::LocationInUse)
        });
        let result = write.await;
        assert_eq!(result.is_ok(), round != REFUSED, "{result:?}");
    }
}

/// Follows an owner's log until it has read `until` events.
async fn tail(db: Db, owner: Owner, until: usize) -> Vec<Logged> {
    let mut seen: Vec<Logged> = Vec::new();
    while seen.len() < until {
        let last = seen.len() as i64;
        let read = db.read(owner, async move |tx| events::after(tx, owner, last, PAGE).await);
        for event in read.await.unwrap() {
            assert_eq!(event.sequence, seen.len() as i64 + 1, "a gap or a repetition in the log of {owner}");
            seen.push(event);
        }
        tokio::task::yield_now().await;
    }
    seen
}

/// Relays once, and keeps the watermark for the next call.
async fn relay(db: &Db, mark: &mut Watermark) -> Relayed {
    let known = mark.clone();
    let relay = db.write(Access::System, async move |tx| relay::relay(tx, &known).await);
    let (relayed, next) = relay.await.unwrap();
    *mark = next;
    relayed
}

/// Numbers events until `stop` is set, and returns how many.
async fn relay_until(db: Db, stop: Arc<AtomicBool>) -> u64 {
    let (mut numbered, mut mark) = (0, Watermark::default());
    while !stop.load(Ordering::SeqCst) {
        numbered += relay(&db, &mut mark).await.count;
        tokio::task::yield_now().await;
    }
    numbered
}

async fn make_locations(db: &Db) {
    for owner in (0..OWNERS).map(owner) {
        let make = db.write(owner, async move |tx| {
            for number in 0..LOCATIONS_PER_OWNER {
                locations::insert(tx, owner, Id::from_bits(number), "{}", &[]).await?;
            }
            Ok(())
        });
        make.await.unwrap();
    }
}

async fn readers_see_every_event_once_and_in_order(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    make_locations(&db).await;
    let stop = Arc::new(AtomicBool::new(false));
    let relays = if engine == Engine::Postgres { 2 } else { 0 };
    let relays: Vec<_> = (0..relays).map(|_| tokio::spawn(relay_until(db.clone(), stop.clone()))).collect();
    let per_owner = (WRITERS / OWNERS * (ROUNDS - 1)) as usize;
    let readers: Vec<_> =
        (0..OWNERS).map(|number| tokio::spawn(tail(db.clone(), owner(number), per_owner))).collect();
    let writers: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(write_rounds(db.clone(), writer))).collect();
    for writer in writers {
        writer.await.unwrap();
    }
    for (number, reader) in (0..).zip(readers) {
        let seen = tokio::time::timeout(PATIENCE, reader).await.expect("an event never came").unwrap();
        assert_log(number, &seen);
        let last = seen.len() as i64;
        let more = db.read(owner(number), async move |tx| events::after(tx, owner(number), last, PAGE).await);
        assert!(more.await.unwrap().is_empty(), "there are more events than were committed");
    }
    stop.store(true, Ordering::SeqCst);
    let mut numbered = 0;
    for relay in relays {
        numbered += relay.await.unwrap();
    }
    let expected = if engine == Engine::Postgres { per_owner as u64 * OWNERS as u64 } else { 0 };
    assert_eq!(numbered, expected, "the relays together numbered each event once");
}

/// Asserts that an owner's log has exactly the committed events, and the versions of each location in order.
fn assert_log(owner: u128, seen: &[Logged]) {
    let ids: BTreeSet<_> = seen.iter().map(|event| event.id).collect();
    let writers = (0..WRITERS).filter(|writer| writer % OWNERS == owner);
    let rounds = |writer| (0..ROUNDS).filter(|round| *round != REFUSED).map(move |round| (writer, round));
    let committed = writers.flat_map(rounds).map(|(writer, round)| event_id(writer, round));
    assert_eq!(ids, committed.collect());
    assert_eq!(ids.len(), seen.len(), "an event came twice");
    let mut versions: HashMap<&str, i64> = HashMap::new();
    for event in seen {
        let version = versions.entry(&event.resource_id).or_insert(1);
        *version += 1;
        assert_eq!(event.object, version.to_string(), "events of {} out of order", event.resource_id);
    }
    assert_eq!(versions.len() as u128, LOCATIONS_PER_OWNER);
}

#[tokio::test]
async fn a_backlog_beyond_one_batch_keeps_its_order() {
    const OWNERS: u128 = 3;
    let backlog = RELAY_MAX as u128 + 200;
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    let write = db.write(Access::System, async move |tx| {
        for number in 0..backlog {
            let event = Event::new("location.created", number, &number.to_string());
            let now = Timestamp::from_micros(0);
            // Ids in the opposite order of writing, so that no result can be right by sorting them.
            events::append(
                tx,
                owner(number % OWNERS),
                Id::from_bits(backlog - number),
                &event,
                Actor::System,
                now,
            )
            .await?;
        }
        Ok(())
    });
    write.await.unwrap();
    let mut mark = Watermark::default();
    assert_eq!(relay(&db, &mut mark).await.count, RELAY_MAX as u64);
    assert_eq!(relay(&db, &mut mark).await.count, 200);
    assert_eq!(relay(&db, &mut mark).await, Relayed::default());
    for number in 0..OWNERS {
        let expected: Vec<u128> = (0..backlog).filter(|event| event % OWNERS == number).collect();
        let seen = tail(db.clone(), owner(number), expected.len()).await;
        let told: Vec<u128> = seen.iter().map(|event| event.object.parse().unwrap()).collect();
        assert_eq!(told, expected);
    }
}

/// Appends an event to the log of each of the owners.
async fn append_to(db: &Db, owners: &'static [u128], first_id: u128) {
    let write = db.write(Access::System, async move |tx| {
        for (place, number) in (0..).zip(owners) {
            let event = Event::new("location.created", place, "{}");
            let id = Id::from_bits(first_id + place);
            events::append(tx, owner(*number), id, &event, Actor::System, Timestamp::from_micros(0)).await?;
        }
        Ok(())
    });
    write.await.unwrap();
}

async fn a_relay_tells_whose_logs_have_grown(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    let mut mark = Watermark::default();
    for (owners, expected) in [(&[3, 1, 3, 1, 1][..], vec![1, 3]), (&[2], vec![2])] {
        append_to(&db, owners, 1000 * owners.len() as u128).await;
        let mut relayed = relay(&db, &mut mark).await;
        relayed.owners.sort();
        // On SQLite they got their numbers when they were written.
        let (count, grown) =
            if engine == Engine::Sqlite { (0, Vec::new()) } else { (owners.len() as u64, expected) };
        assert_eq!(relayed, Relayed { count, owners: grown.into_iter().map(owner).collect() });
        assert_eq!(relay(&db, &mut mark).await, Relayed::default(), "nothing is left");
    }
    assert_eq!(tail(db.clone(), owner(1), 3).await.len(), 3);
}

on_both_engines!(readers_see_every_event_once_and_in_order, a_relay_tells_whose_logs_have_grown);
