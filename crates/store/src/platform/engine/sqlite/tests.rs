//! Tests that organisations take turns at the writer.

use std::pin::Pin;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use model::Id;

use super::super::sql::Sql;
use super::*;

/// Writes that one organisation queues. They fill several groups.
const FLOOD: usize = 2_000;

fn organisation(number: u128) -> Tenant {
    Tenant::Organisation(Id::from_bits(number))
}

/// Polls a write once, which queues it.
fn queued<F: Future>(write: F) -> Pin<Box<F>> {
    let mut write = Box::pin(write);
    assert!(write.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    write
}

#[tokio::test]
async fn queued_writes_of_one_organisation_do_not_delay_another() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Sqlite::open(&folder.path().join("turns.db"), 1).unwrap();
    // Keep the writer busy until all writes are queued.
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    let busy = queued(sqlite.write(Span::none(), Tenant::System, async move |_: &mut Tx<'_>| {
        let _released = held.lock().unwrap().recv();
        Ok(())
    }));
    // The tenants whose transactions ran, in that order.
    let ran = Arc::new(Mutex::new(Vec::new()));
    let write = |tenant: Tenant| {
        let ran = Arc::clone(&ran);
        queued(sqlite.write(Span::none(), tenant, async move |_: &mut Tx<'_>| {
            ran.lock().unwrap().push(tenant);
            Ok(())
        }))
    };
    let flood: Vec<_> = (0..FLOOD).map(|_| write(organisation(1))).collect();
    let other = write(organisation(2));
    release.send(()).unwrap();

    other.await.unwrap();
    busy.await.unwrap();
    for write in flood {
        write.await.unwrap();
    }
    let ran = ran.lock().unwrap();
    assert_eq!(ran.len(), FLOOD + 1);
    let place = ran.iter().position(|tenant| *tenant == organisation(2));
    assert_eq!(place, Some(1), "it is in the first group, behind one of the flood");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_on_a_shared_snapshot_sees_each_write_that_was_answered_before() {
    const CREATE: Sql = Sql::same("CREATE TABLE counter (id BIGINT PRIMARY KEY, count BIGINT NOT NULL)");
    const INSERT: Sql = Sql::same("INSERT INTO counter (id, count) VALUES ($1, 0)");
    const COUNT_UP: Sql = Sql::same("UPDATE counter SET count = count + 1 WHERE id = $1");
    const COUNT: Sql = Sql::same("SELECT count FROM counter WHERE id = $1");
    const CALLERS: i64 = 24;
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Arc::new(Sqlite::open(&folder.path().join("snapshots.db"), 2).unwrap());
    let prepare = async |tx: &mut Tx<'_>| {
        tx.execute(&CREATE, &[]).await?;
        for id in 0..CALLERS {
            tx.execute(&INSERT, &[id.into()]).await?;
        }
        Ok(())
    };
    sqlite.write(Span::none(), Tenant::System, prepare).await.unwrap();
    let callers = (0..CALLERS).map(|id| {
        let sqlite = Arc::clone(&sqlite);
        tokio::spawn(async move {
            for count in 1..=50 {
                let count_up = async move |tx: &mut Tx<'_>| tx.execute(&COUNT_UP, &[id.into()]).await;
                sqlite.write(Span::none(), organisation(1), count_up).await.unwrap();
                let read = async move |tx: &mut Tx<'_>| tx.one(&COUNT, &[id.into()]).await;
                let seen = sqlite.read(Span::none(), organisation(1), read).await.unwrap();
                assert_eq!(seen.unwrap().int(0).unwrap(), count);
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
}
