//! Transactions that share one commit on SQLite: if the commit fails, no caller gets an answer that depends on its
//! changes.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use model::{Code, Error, Result};
use store::{Db, Sql, Tx};

use crate::fresh::{Engine, Fresh, owner};

const DEFER: Sql = Sql::each("PRAGMA defer_foreign_keys = ON", "");
const INSERT_ORPHAN: Sql =
    Sql::each("INSERT INTO location_tag (owner, location_id, tag) VALUES ('org_1', 'loc_none', 'tag')", "");
const ORPHANS: Sql = Sql::same("SELECT tag FROM location_tag WHERE location_id = 'loc_none'");

type Writing<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// Polls a write once, which queues it.
fn queued<T>(write: impl Future<Output = Result<T>> + Send + 'static) -> Writing<T> {
    let mut write: Writing<T> = Box::pin(write);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(write.as_mut().poll(&mut context).is_pending());
    write
}

/// Blocks the writer until the sender is dropped, so that the writes that are queued meanwhile share a commit. Then
/// this write is refused.
fn hold(db: &Db) -> (mpsc::Sender<()>, Writing<()>) {
    let (open, gate) = mpsc::channel::<()>();
    let (gate, db) = (Mutex::new(gate), db.clone());
    let held = queued(async move {
        let hold = async move |_: &mut Tx<'_>| {
            let _dropped = gate.lock().unwrap().recv();
            Err(Code::LocationInUse.into())
        };
        db.write(owner(1), hold).await
    });
    (open, held)
}

/// Queues a write that makes the commit fail.
fn doom(db: &Db) -> Writing<()> {
    let db = db.clone();
    queued(async move {
        let write = db.write(owner(1), async |tx| {
            tx.execute(&DEFER, &[]).await?;
            tx.execute(&INSERT_ORPHAN, &[]).await.map(drop)
        });
        write.await
    })
}

/// Queues a write that is refused if it sees the row.
fn refuse_if_there(db: &Db) -> Writing<bool> {
    let db = db.clone();
    queued(async move {
        let write = db.write(owner(1), async |tx| {
            let is_there = !tx.all(&ORPHANS, &[]).await?.is_empty();
            model::ensure(!is_there, Code::LocationInUse).map(|()| is_there)
        });
        write.await
    })
}

fn is_refusal<T>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::Refused(problem)) if problem.code == Code::LocationInUse)
}

fn is_unavailable<T>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::Fault(_)))
}

#[tokio::test]
async fn a_refusal_because_of_what_was_not_committed_is_not_answered() {
    let fresh = Fresh::new(Engine::Sqlite).await;
    let db = fresh.open().await;
    let (open, held) = hold(&db);
    let (doomed, refused) = (doom(&db), refuse_if_there(&db));
    drop(open);
    let (doomed, refused) = (doomed.await, refused.await);
    drop(held);
    assert!(is_unavailable(&doomed), "{doomed:?}");
    assert!(!is_refusal(&refused) && is_unavailable(&refused), "{refused:?}");
    let again = refuse_if_there(&db).await;
    assert!(matches!(again, Ok(false)), "{again:?}");
}

#[tokio::test]
async fn a_refusal_that_saw_no_neighbour_stands_although_their_commit_fails() {
    let fresh = Fresh::new(Engine::Sqlite).await;
    let db = fresh.open().await;
    let (open, held) = hold(&db);
    let doomed = doom(&db);
    drop(open);
    let (refused, doomed) = (held.await, doomed.await);
    assert!(is_unavailable(&doomed), "{doomed:?}");
    assert!(is_refusal(&refused), "{refused:?}");
}

#[tokio::test]
async fn a_queued_write_whose_caller_is_gone_is_not_run() {
    let fresh = Fresh::new(Engine::Sqlite).await;
    let db = fresh.open().await;
    let runs = Arc::new(AtomicUsize::new(0));
    let write = || {
        let (db, runs) = (db.clone(), Arc::clone(&runs));
        queued(async move {
            let write = db.write(owner(1), async move |_: &mut Tx<'_>| {
                runs.fetch_add(1, Ordering::SeqCst);
                Ok(())
            });
            write.await
        })
    };
    let (open, held) = hold(&db);
    let (first, gone, last) = (write(), write(), write());
    drop(gone);
    drop(open);
    assert!(is_refusal(&held.await));
    first.await.unwrap();
    last.await.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}
