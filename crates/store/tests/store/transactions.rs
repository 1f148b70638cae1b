//! A transaction commits all of its changes or none, whatever happens to it, to other transactions and to its caller.

use std::future::{Future, poll_fn};
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::Poll;

use model::events::actor::Actor;
use model::{Code, Error, Event, Id, Location, Owner, Result, Timestamp};
use store::events::events;
use store::places::locations;
use store::{Db, Sql, Tx};
use tokio::sync::{Barrier, oneshot};

use crate::fresh::{CONNECTIONS, Engine, Fresh, owner};

const WRITES: u128 = 64;
const LOCATIONS: Sql = Sql::same("SELECT id FROM location WHERE owner = $1 ORDER BY id");
const TAGS: Sql = Sql::same("SELECT location_id FROM location_tag WHERE owner = $1 ORDER BY location_id");
const EVENTS: Sql = Sql::same("SELECT resource_id FROM event WHERE owner = $1 ORDER BY resource_id");
const VERSION: Sql = Sql::same("SELECT version FROM location WHERE owner = $1 AND id = $2");
const SET_VERSION: Sql = Sql::same("UPDATE location SET version = $1 WHERE owner = $2 AND id = $3");
const TOUCH: Sql = Sql::same("UPDATE location SET version = version + 1 WHERE owner = $1 AND id = $2");
/// Fails if there is a location.
const COPY: Sql = Sql::same(
    "INSERT INTO location (owner, id, version, doc) SELECT owner, id, version, doc FROM location WHERE owner = $1",
);
const ISOLATE: Sql = Sql::same("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");

fn location(number: u128) -> Id<Location> {
    Id::from_bits(number)
}

/// Writes to three tables. A transaction that committed only in part would leave one of them different.
async fn put(tx: &mut Tx<'_>, owner: Owner, number: u128) -> Result<()> {
    locations::insert(tx, owner, location(number), "{}", &["tag".to_owned()]).await?;
    let event = Event::new("location.created", location(number), "{}");
    events::append(tx, owner, Id::from_bits(number), &event, Actor::System, Timestamp::from_micros(0)).await
}

/// Returns the committed numbers, after checking that all three tables have each of them.
async fn kept(db: &Db, owner: Owner) -> Vec<u128> {
    let read = db.read(owner, async move |tx| {
        let mut lists: Vec<Vec<u128>> = Vec::new();
        for sql in [&LOCATIONS, &TAGS, &EVENTS] {
            let rows = tx.all(sql, &[owner.into()]).await?;
            let numbers = rows.into_iter().map(|mut row| Ok(row.id::<Location>(0)?.bits()));
            lists.push(numbers.collect::<Result<_>>()?);
        }
        Ok(lists)
    });
    let lists = read.await.unwrap();
    assert!(lists.iter().all(|list| *list == lists[0]), "something is half written: {lists:?}");
    lists[0].clone()
}

async fn version(db: &Db, owner: Owner, number: u128) -> i64 {
    let read = db.read(owner, async move |tx| {
        let row = tx.one(&VERSION, &[owner.into(), location(number).into()]).await?;
        row.ok_or(Code::NotFound)?.int(0)
    });
    read.await.unwrap()
}

/// Polls a future at most `times` times, then drops it.
async fn polled<F: Future>(future: F, times: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = times;
    let poll = poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left <= 1 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    });
    poll.await
}

/// Blocks SQLite's writer in a transaction until the sender is used or dropped.
fn hold_writer(db: &Db) -> (mpsc::Sender<()>, impl Future<Output = Result<()>>) {
    let (open, gate) = mpsc::channel();
    let gate = Mutex::new(gate);
    let hold = async move |_: &mut Tx<'_>| {
        let _opened_or_dropped = gate.lock().unwrap().recv();
        Ok(())
    };
    let db = db.clone();
    (open, async move { db.write(owner(1), hold).await })
}

/// Writes the number, and refuses every third one.
async fn put_two_of_three(db: Db, number: u128) -> Result<()> {
    let write = db.write(owner(1), async move |tx| {
        put(tx, owner(1), number).await?;
        model::ensure(!number.is_multiple_of(3), Code::LocationInUse)
    });
    write.await
}

fn assert_two_of_three(results: &[Result<()>], kept: &[u128]) {
    for (number, result) in (0..).zip(results) {
        let is_refused =
            matches!(result, Err(Error::Refused(problem)) if problem.code == Code::LocationInUse);
        assert_eq!(is_refused, number % 3 == 0, "{number}: {result:?}");
        assert_eq!(result.is_ok(), number % 3 != 0, "{number}: {result:?}");
    }
    let expected: Vec<u128> = (0..WRITES).filter(|number| number % 3 != 0).collect();
    assert_eq!(kept, expected);
}

async fn a_refused_transaction_leaves_nothing_and_its_neighbours_commit(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    let writes: Vec<_> =
        (0..WRITES).map(|number| tokio::spawn(put_two_of_three(db.clone(), number))).collect();
    let mut results = Vec::new();
    for write in writes {
        results.push(write.await.unwrap());
    }
    assert_two_of_three(&results, &kept(&db, owner(1)).await);
}

#[tokio::test]
async fn transactions_that_wait_for_the_writer_share_one_commit() {
    let fresh = Fresh::new(Engine::Sqlite).await;
    let db = fresh.open().await;
    let (open, held) = hold_writer(&db);
    let before = commits(&fresh.file());
    let mut held = pin!(held);
    assert!(polled(&mut held, 1).await.is_none());
    let mut writes: Vec<_> =
        (0..WRITES).map(|number| Box::pin(put_two_of_three(db.clone(), number))).collect();
    for write in &mut writes {
        // The first poll queues it for the writer.
        assert!(polled(write, 1).await.is_none());
    }
    open.send(()).unwrap();
    held.await.unwrap();
    let mut results = Vec::new();
    for write in writes {
        results.push(write.await);
    }
    assert_eq!(commits(&fresh.file()) - before, 1);
    assert_two_of_three(&results, &kept(&db, owner(1)).await);
}

/// Counts the commits in SQLite's write-ahead log: the last frame of each commit has the size of the database.
fn commits(file: &Path) -> usize {
    const HEADER_BYTES: usize = 32;
    const FRAME_HEADER_BYTES: usize = 24;
    let log = std::fs::read(file.with_extension("db-wal")).unwrap();
    let page_bytes = u32::from_be_bytes(log[8..12].try_into().unwrap()) as usize;
    let frames = log[HEADER_BYTES..].chunks_exact(FRAME_HEADER_BYTES + page_bytes);
    frames.filter(|frame| frame[4..8] != [0; 4]).count()
}

#[tokio::test]
async fn a_transaction_that_awaits_something_else_fails_on_sqlite() {
    let fresh = Fresh::new(Engine::Sqlite).await;
    let db = fresh.open().await;
    let write = db.write(owner(1), async |tx| {
        put(tx, owner(1), 1).await?;
        tokio::task::yield_now().await;
        put(tx, owner(1), 2).await
    });
    let error = write.await.unwrap_err();
    assert!(matches!(&error, Error::Fault(fault) if fault.shown == Code::Internal), "{error}");
    assert!(error.to_string().contains("awaited something other than the database"), "{error}");
    let read = db.read(owner(1), async |_| {
        tokio::task::yield_now().await;
        Ok(())
    });
    assert!(matches!(read.await, Err(Error::Fault(_))));
    db.write(owner(1), async |tx| put(tx, owner(1), 3).await).await.unwrap();
    assert_eq!(kept(&db, owner(1)).await, [3]);
}

async fn a_panic_leaves_nothing_and_others_go_on(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    for number in 0..=CONNECTIONS as u128 {
        let panicking = db.clone();
        let task = tokio::spawn(async move {
            let write = panicking.write(owner(1), async move |tx| {
                put(tx, owner(1), number).await?;
                panic!("on purpose");
                #[expect(unreachable_code, reason = "it tells the closure's type")]
                Ok(())
            });
            write.await
        });
        match (engine, task.await) {
            (Engine::Sqlite, Ok(Err(Error::Fault(_)))) => {}
            (Engine::Postgres, Err(error)) if error.is_panic() => {}
            (engine, other) => panic!("{engine:?}: {other:?}"),
        }
    }
    db.write(owner(1), async |tx| put(tx, owner(1), 100).await).await.unwrap();
    assert_eq!(kept(&db, owner(1)).await, [100]);
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_that_cross_are_repeated_and_both_succeed() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    for number in [1, 2] {
        db.write(owner(1), async move |tx| put(tx, owner(1), number).await).await.unwrap();
    }
    let (met, attempts) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
    let crossing = |first: u128, second: u128| {
        let (met, attempts) = (Arc::clone(&met), Arc::clone(&attempts));
        db.write(owner(1), async move |tx| {
            tx.execute(&TOUCH, &[owner(1).into(), location(first).into()]).await?;
            // The first two attempts wait for each other here. Each holds the row that the other wants.
            if attempts.fetch_add(1, Ordering::SeqCst) < 2 {
                met.wait().await;
            }
            tx.execute(&TOUCH, &[owner(1).into(), location(second).into()]).await
        })
    };
    let (one, other) = tokio::join!(crossing(1, 2), crossing(2, 1));
    assert_eq!((one.unwrap(), other.unwrap()), (1, 1));
    assert_eq!(attempts.load(Ordering::SeqCst), 3, "one of the two was repeated once");
    assert_eq!((version(&db, owner(1), 1).await, version(&db, owner(1), 2).await), (3, 3));
}

/// PostgreSQL rolls such a transaction back, and still answers COMMIT with success.
#[tokio::test(flavor = "multi_thread")]
async fn an_operation_that_goes_on_after_a_failed_statement_is_not_called_done() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    let write = db.write(owner(1), async |tx| {
        put(tx, owner(1), 1).await?;
        assert!(tx.execute(&COPY, &[owner(1).into()]).await.is_err(), "the id is taken");
        Ok(())
    });
    assert!(matches!(write.await, Err(Error::Fault(_))));
    assert_eq!(kept(&db, owner(1)).await, [0; 0]);
}

/// The operation does not wait for a pipelined statement, so the commit must report its error.
async fn what_was_sent_and_failed_fails_its_transaction(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    let twice = db.write(owner(1), async |tx| {
        put(tx, owner(1), 1).await?;
        put(tx, owner(1), 1).await
    });
    let error = twice.await.unwrap_err();
    let Error::Fault(fault) = &error else { panic!("{error}") };
    assert!(format!("{:?}", fault.cause).to_lowercase().contains("unique"), "the first failure: {error:?}");
    let looked = db.write(owner(1), async |tx| {
        put(tx, owner(1), 2).await?;
        tx.send(&COPY, &[owner(1).into()]).await?;
        tx.one(&VERSION, &[owner(1).into(), location(2).into()]).await.map(drop)
    });
    assert!(matches!(looked.await, Err(Error::Fault(_))));
    db.write(owner(1), async |tx| put(tx, owner(1), 3).await).await.unwrap();
    assert_eq!(kept(&db, owner(1)).await, [3]);
}

async fn what_is_sent_is_done_before_what_comes_after(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    // More than may be unanswered at once.
    const TOUCHES: i64 = 1000;
    let write = db.write(owner(1), async |tx| {
        put(tx, owner(1), 1).await?;
        for _ in 0..TOUCHES {
            tx.send(&TOUCH, &[owner(1).into(), location(1).into()]).await?;
        }
        let row = tx.one(&VERSION, &[owner(1).into(), location(1).into()]).await?;
        let seen = row.ok_or(Code::NotFound)?.int(0)?;
        let of: Vec<_> =
            (0..TOUCHES as u128).map(|n| vec![owner(1).into(), location(n % 2).into()]).collect();
        Ok((seen, tx.execute_each(&TOUCH, &of).await?))
    });
    let (seen, changed) = write.await.unwrap();
    assert_eq!(seen, TOUCHES + 1);
    assert!(
        changed.len() == TOUCHES as usize && changed.iter().zip([0, 1].iter().cycle()).all(|(a, b)| a == b)
    );
    assert_eq!(version(&db, owner(1), 1).await, TOUCHES + 1 + TOUCHES / 2);
}

/// The server reports it as the answer to a pipelined statement, after COMMIT was sent too. So it did not commit.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_ended_before_its_end_is_repeated_and_counts_once() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    db.write(owner(1), async |tx| put(tx, owner(1), 1).await).await.unwrap();
    let (client, attempts) = (fresh.postgres().await, Arc::new(AtomicUsize::new(0)));
    client
        .batch_execute("BEGIN; SET LOCAL dockside.owner = '*'; SELECT FROM location FOR UPDATE")
        .await
        .unwrap();
    let writing = {
        let (db, attempts) = (db.clone(), Arc::clone(&attempts));
        tokio::spawn(async move {
            let touch = db.write(owner(1), async move |tx| {
                attempts.fetch_add(1, Ordering::SeqCst);
                tx.send(&TOUCH, &[owner(1).into(), location(1).into()]).await
            });
            touch.await
        })
    };
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()";
    while client.query(end, &[]).await.unwrap().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    while attempts.load(Ordering::SeqCst) < 2 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    client.batch_execute("COMMIT").await.unwrap();
    writing.await.unwrap().unwrap();
    assert_eq!((attempts.load(Ordering::SeqCst), version(&db, owner(1), 1).await), (2, 2));
}

/// A statement sent over a closed connection was not executed, so the transaction can be repeated.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_gone_before_anything_is_sent_is_replaced_and_it_counts_once() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    db.write(owner(1), async |tx| put(tx, owner(1), 1).await).await.unwrap();
    // From here on the connection has the statement prepared, and sends it without a round trip.
    db.write(owner(1), async |tx| tx.send(&TOUCH, &[owner(1).into(), location(1).into()]).await)
        .await
        .unwrap();
    let (client, attempts) = (Arc::new(fresh.postgres().await), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&attempts);
    let touch = db.write(owner(1), async move |tx| {
        if counted.fetch_add(1, Ordering::SeqCst) == 0 {
            let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                       WHERE datname = current_database() AND application_name = 'dockside'";
            assert!(!client.query(end, &[]).await.unwrap().is_empty(), "no backend was connected");
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        }
        tx.send(&TOUCH, &[owner(1).into(), location(1).into()]).await
    });
    touch.await.unwrap();
    assert_eq!((attempts.load(Ordering::SeqCst), version(&db, owner(1), 1).await), (2, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_serialisation_failure_is_repeated_and_no_update_is_lost() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    db.write(owner(1), async |tx| put(tx, owner(1), 1).await).await.unwrap();
    let (met, attempts) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
    let increment = || {
        let (met, attempts) = (Arc::clone(&met), Arc::clone(&attempts));
        db.write(owner(1), async move |tx| {
            tx.execute(&ISOLATE, &[]).await?;
            let row = tx.one(&VERSION, &[owner(1).into(), location(1).into()]).await?;
            let version = row.ok_or(Code::NotFound)?.int(0)?;
            // The first two attempts have both read before either writes.
            if attempts.fetch_add(1, Ordering::SeqCst) < 2 {
                met.wait().await;
            }
            let values = [(version + 1).into(), owner(1).into(), location(1).into()];
            tx.execute(&SET_VERSION, &values).await
        })
    };
    let (one, other) = tokio::join!(increment(), increment());
    assert_eq!((one.unwrap(), other.unwrap()), (1, 1));
    assert_eq!(attempts.load(Ordering::SeqCst), 3, "one of the two was repeated once");
    assert_eq!(version(&db, owner(1), 1).await, 3);
}

#[tokio::test]
async fn a_dropped_transaction_is_rolled_back_and_its_connection_replaced() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    for number in 0..=CONNECTIONS as u128 {
        let (sender, wrote) = oneshot::channel();
        let sender = Mutex::new(Some(sender));
        let write = db.write(owner(1), async move |tx| {
            put(tx, owner(1), number).await?;
            let sender = sender.lock().unwrap().take();
            sender.map(|sender| sender.send(()));
            std::future::pending::<Result<()>>().await
        });
        tokio::select! {
            result = write => panic!("it ended: {result:?}"),
            wrote = wrote => wrote.unwrap(),
        }
    }
    assert_eq!(kept(&db, owner(1)).await, Vec::<u128>::new());
    db.write(owner(1), async |tx| put(tx, owner(1), 100).await).await.unwrap();
    assert_eq!(kept(&db, owner(1)).await, [100]);
}

async fn a_write_dropped_at_any_moment_is_whole_or_nothing(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    // Dropped at its first suspension point, then at its second, and so on, until it completes.
    for number in 1..1000 {
        let write = db.write(owner(1), async move |tx| put(tx, owner(1), number).await);
        let done = polled(write, number as usize).await;
        let kept = kept(&db, owner(1)).await;
        if let Some(result) = done {
            result.unwrap();
            assert!(kept.contains(&number), "{kept:?}");
            return;
        }
    }
    panic!("it never ended");
}

on_both_engines!(
    what_was_sent_and_failed_fails_its_transaction,
    what_is_sent_is_done_before_what_comes_after,
    a_refused_transaction_leaves_nothing_and_its_neighbours_commit,
    a_panic_leaves_nothing_and_others_go_on,
    a_write_dropped_at_any_moment_is_whole_or_nothing,
);
