//! Callers that hang up in the middle of a transaction, and statements that are cancelled.

use std::time::Duration;

use model::Result;
use store::{Access, Db, Place, Sql, Tx};

use crate::fresh::{CONNECTIONS, Engine, Fresh, owner};

const SLEEP: Sql = Sql::each("", "SELECT CAST(1 AS BIGINT) FROM pg_sleep(8)");
const INSERT: Sql =
    Sql::same("INSERT INTO installation (owner, name, value) VALUES ('*', CAST($1 AS TEXT), '')");
const NAMES: Sql = Sql::same("SELECT name FROM installation WHERE owner = '*'");
const BACKENDS: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'dockside'";
const SLEEPING: &str = "SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(8)%' AND pid <> pg_backend_pid()";
/// How long a caller waits before it hangs up.
const HANGS_UP_AFTER: Duration = Duration::from_millis(150);
/// Shorter than the cancelled statement would take.
const CANCELLED_WITHIN: Duration = Duration::from_secs(3);

async fn sleep(tx: &mut Tx<'_>) -> Result<()> {
    tx.all(&SLEEP, &[]).await.map(drop)
}

async fn count(client: &tokio_postgres::Client, sql: &str) -> i64 {
    client.query_one(sql, &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_that_hang_up_leave_no_more_backends_than_the_pool_may_have() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    let watch = fresh.postgres().await;
    // The connection that ran the migrations is still closing.
    tokio::time::sleep(HANGS_UP_AFTER).await;
    for number in 0..3 * CONNECTIONS {
        let hung_up = tokio::time::timeout(HANGS_UP_AFTER, db.write(owner(1), sleep)).await;
        assert!(hung_up.is_err(), "{hung_up:?}");
        let backends = count(&watch, BACKENDS).await;
        assert!(backends <= CONNECTIONS as i64, "{backends} backends after {number} callers");
    }
    let gone = async {
        while count(&watch, SLEEPING).await > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(CANCELLED_WITHIN, gone).await.expect("their statements are cancelled");
}

/// Cancels the statements of the store's backends, again and again, until the task is aborted.
async fn cancel_forever(client: tokio_postgres::Client) {
    const CANCEL: &str = "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'dockside'";
    loop {
        client.query_one(CANCEL, &[]).await.unwrap();
    }
}

/// Writes two rows in one round trip, and returns whether the transaction committed.
async fn insert_two(db: &Db, number: usize) -> bool {
    let write = db.write(Access::System, async move |tx| {
        for half in ["a", "b"] {
            tx.send(&INSERT, &[format!("{number}{half}").into()]).await?;
        }
        Ok(())
    });
    write.await.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_follows_a_begin_that_is_cancelled_changes_nothing() {
    const WRITES: usize = 3000;
    let fresh = Fresh::new(Engine::Postgres).await;
    // With this setting, statements outside of a transaction see all rows, as a superuser's do. Otherwise row level
    // security would hide the rows that they change.
    let url = format!("{}?options=-cdockside.owner%3D%2A", fresh.url());
    let db = Db::open(Place::Postgres { url, connections: 1 }).await.unwrap();
    let cancelling = tokio::spawn(cancel_forever(fresh.postgres().await));
    let mut expected = std::collections::BTreeSet::new();
    let mut cancelled = 0;
    for number in 0..WRITES {
        match insert_two(&db, number).await {
            true => expected.extend([format!("{number}a"), format!("{number}b")]),
            false => cancelled += 1,
        }
    }
    cancelling.abort();
    tokio::time::sleep(HANGS_UP_AFTER).await;
    let rows = db.read(Access::System, async |tx| tx.all(&NAMES, &[]).await).await.unwrap();
    let kept: std::collections::BTreeSet<_> = rows.into_iter().map(|mut row| row.text(0).unwrap()).collect();
    let torn: Vec<_> = kept.difference(&expected).collect();
    println!("{cancelled} of {WRITES} were cancelled");
    assert!(cancelled > 0 && torn.is_empty(), "{cancelled} were cancelled, and of these there is {torn:?}");
    assert!(expected.is_subset(&kept));
}
