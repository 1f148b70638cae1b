//! A server that starts counts suspects without waiting for another server.

use std::time::Duration;

use model::Timestamp;
use store::events::webhook_lanes;
use store::shipping::purchases;
use store::{Access, Db, Sql, Tx};

use crate::fresh::{Engine, Fresh, owner};

const INSERT_PURCHASE: Sql = Sql::same(
    "INSERT INTO purchase (owner, id, shipment_id, account_id, service, reference, state, due_at, crashes, created_at,
         updated_at)
     VALUES ($1, $2, $2, 'ca', 's', 'r', 'ready', 5, 2, 5, 5)",
);
const INSERT_ENDPOINT: Sql = Sql::each(
    "INSERT INTO webhook_endpoint (owner, id, version, doc, secrets) VALUES ($1, $2, 1, '{}', x'')",
    "INSERT INTO webhook_endpoint (owner, id, version, doc, secrets) VALUES ($1, $2, 1, '{}', '')",
);
const INSERT_LANE: Sql = Sql::same(
    "INSERT INTO webhook_lane (owner, endpoint_id, cursor, is_open, crashes) VALUES ($1, $2, 0, 1, 2)",
);
const LOCK_PURCHASE: Sql = Sql::same("UPDATE purchase SET failures = 1 WHERE owner = $1 AND id = 'locked'");
const LOCK_LANE: Sql =
    Sql::same("UPDATE webhook_lane SET failures = 1 WHERE owner = $1 AND endpoint_id = 'locked'");
const STARTS: Sql = Sql::same(
    "SELECT id, starts FROM purchase WHERE owner = $1
     UNION ALL SELECT endpoint_id, starts FROM webhook_lane WHERE owner = $1 ORDER BY 1, 2",
);
const STARTS_MAX: i64 = 10;
/// Much longer than counting takes, and shorter than the rows stay locked.
const WAIT_MAX: Duration = Duration::from_secs(5);
const LOCKED: Duration = Duration::from_secs(30);

async fn fill(db: &Db) {
    let fill = async |tx: &mut Tx<'_>| {
        for id in ["free", "locked"] {
            for insert in [&INSERT_PURCHASE, &INSERT_ENDPOINT, &INSERT_LANE] {
                tx.execute(insert, &[owner(1).into(), id.into()]).await?;
            }
        }
        Ok(())
    };
    db.write(Access::System, fill).await.unwrap();
}

async fn count_start(db: &Db) {
    let now = Timestamp::from_micros(1_000);
    let count = async move |tx: &mut Tx<'_>| {
        purchases::count_start(tx, now, STARTS_MAX).await?;
        webhook_lanes::count_start(tx, now, STARTS_MAX).await
    };
    let counted = tokio::time::timeout(WAIT_MAX, db.write(Access::System, count)).await;
    counted.expect("a start is counted without waiting").unwrap();
}

/// Returns the counted starts: of the free purchase and lane, and then of the locked ones.
async fn starts(db: &Db) -> Vec<i64> {
    let read = db.read(Access::System, async |tx| tx.all(&STARTS, &[owner(1).into()]).await);
    read.await.unwrap().into_iter().map(|mut row| row.int(1).unwrap()).collect()
}

/// Another server writes the outcomes of several purchases in one transaction, in an order of its own. If counting waited for one
/// of them while it holds another, each would wait for the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_start_is_counted_while_another_server_writes() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    fill(&db).await;
    let (holds, held) = tokio::sync::oneshot::channel();
    let holds = std::sync::Mutex::new(Some(holds));
    let writer = tokio::spawn({
        let db = db.clone();
        async move {
            let write = async move |tx: &mut Tx<'_>| {
                for lock in [&LOCK_PURCHASE, &LOCK_LANE] {
                    tx.execute(lock, &[owner(1).into()]).await?;
                }
                if let Some(holds) = holds.lock().unwrap().take() {
                    holds.send(()).unwrap();
                }
                tokio::time::sleep(LOCKED).await;
                Ok(())
            };
            db.write(Access::System, write).await
        }
    });
    held.await.unwrap();
    count_start(&db).await;
    assert_eq!(starts(&db).await, [1, 1, 0, 0], "what another server works on was not left untouched");
    writer.abort();
}

async fn each_start_is_counted_until_there_were_enough(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    fill(&db).await;
    for start in 1..=STARTS_MAX {
        count_start(&db).await;
        assert_eq!(starts(&db).await, [start; 4]);
    }
    count_start(&db).await;
    assert_eq!(starts(&db).await, [0; 4], "they are suspects no longer");
}

on_both_engines!(each_start_is_counted_until_there_were_enough);
