//! Purchases in a restored database or a promoted replica: no node claims one before a heartbeat has recorded the
//! restoration, and then each is looked up first.

use std::sync::Mutex;
use std::time::Duration;

use model::{Day, Id, Result, Shipment, Timestamp};
use store::platform::restorations;
use store::shipping::purchases::{self, Due, PurchaseRequest};
use store::{Access, Db, Sql, Tx};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::fresh::{Engine, Fresh, owner};

const INSERT: Sql = Sql::same(
    "INSERT INTO purchase (owner, id, shipment_id, account_id, service, reference, state, due_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 's', 'r', 'checking', 0, 0, 0)",
);
const BUY_AGAIN: Sql = Sql::same("UPDATE purchase SET state = 'ready' WHERE owner = $1");
const STATE: Sql = Sql::same("SELECT state FROM purchase WHERE owner = $1");
/// How many transactions wait for a lock on the purchases.
const WAITING: Sql = Sql::each(
    "",
    "SELECT count(*) FROM pg_locks WHERE relation = 'purchase'::regclass AND NOT granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
);
/// How long one transaction stays open while another begins.
const HELD: Duration = Duration::from_secs(1);

fn due() -> Due {
    Due { owner: owner(1), id: Id::from_bits(1), account: Id::from_bits(2), batch: None }
}

async fn insert_purchase(db: &Db) {
    let insert = db.write(owner(1), async |tx| {
        let due = due();
        let shipment: Id<Shipment> = Id::from_bits(3);
        tx.execute(&INSERT, &[due.owner.into(), due.id.into(), shipment.into(), due.account.into()]).await
    });
    insert.await.unwrap();
}

async fn claimed(db: &Db) -> usize {
    let now = Timestamp::from_micros(1);
    let claim = db.write(Access::System, async move |tx| purchases::claim(tx, "node", &[due()], now).await);
    claim.await.unwrap().len()
}

async fn nothing_is_claimed_in_a_database_whose_mark_is_of_another_place(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    insert_purchase(&db).await;
    let elsewhere = async |tx: &mut Tx<'_>| restorations::set_mark(tx, r#"{"beat":1,"place":"there"}"#).await;
    db.write(Access::System, elsewhere).await.unwrap();
    assert_eq!(claimed(&db).await, 0);
    let here = async |tx: &mut Tx<'_>| {
        let place = tx.place().await?;
        restorations::set_mark(tx, &format!(r#"{{"beat":2,"place":"{place}"}}"#)).await
    };
    db.write(Access::System, here).await.unwrap();
    assert_eq!(claimed(&db).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_restored_backup_is_not_recorded_past_a_transaction_that_buys_again() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    insert_purchase(&db).await;
    let (began, has_begun) = oneshot::channel();
    let began = Mutex::new(Some(began));
    let buying = tokio::spawn({
        let db = db.clone();
        async move {
            let buy = async move |tx: &mut Tx<'_>| {
                tx.execute(&BUY_AGAIN, &[owner(1).into()]).await?;
                if let Some(began) = began.lock().unwrap().take() {
                    began.send(()).unwrap();
                }
                tokio::time::sleep(HELD).await;
                Result::Ok(())
            };
            db.write(owner(1), buy).await
        }
    });
    has_begun.await.unwrap();
    let record = async |tx: &mut Tx<'_>| restorations::insert(tx, Timestamp::from_micros(5), "test").await;
    assert_eq!(db.write(Access::System, record).await.unwrap(), 1, "it is looked up before it is bought");
    buying.await.unwrap().unwrap();
    let state = db.read(owner(1), async |tx| tx.one(&STATE, &[owner(1).into()]).await).await.unwrap();
    assert_eq!(state.unwrap().text(0).unwrap(), "checking");
}

/// Records a restored backup, in a task of its own. Returns the number of purchases that are looked up for it.
fn record_restoration(db: &Db) -> JoinHandle<Result<u64>> {
    let db = db.clone();
    tokio::spawn(async move {
        let record =
            async |tx: &mut Tx<'_>| restorations::insert(tx, Timestamp::from_micros(5), "test").await;
        db.write(Access::System, record).await
    })
}

/// Waits until the restoration is recorded, or waits for a lock.
async fn wait_for_recording(db: &Db, recording: &JoinHandle<Result<u64>>) {
    while !recording.is_finished() {
        let waiting = db.read(Access::System, async |tx| tx.one(&WAITING, &[]).await).await.unwrap();
        if waiting.unwrap().int(0).unwrap() > 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A purchase begins after it has asked when a backup was last restored, and before a promoted replica is noticed.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_purchase_that_begins_while_a_restored_backup_is_recorded_is_looked_up() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let db = fresh.open().await;
    let (begun, recording) = oneshot::channel();
    let (begun, beside) = (Mutex::new(Some(begun)), db.clone());
    let begin = async move |tx: &mut Tx<'_>| {
        let in_doubt_since = restorations::last(tx).await?;
        let recording = record_restoration(&beside);
        wait_for_recording(&beside, &recording).await;
        if let Some(begun) = begun.lock().unwrap().take() {
            begun.send(recording).unwrap();
        }
        let (shipment, account) = (Id::from_bits(3), due().account);
        let now = Timestamp::from_micros(4);
        let ship_on = Day::of(now);
        let (service, reference) = ("s", "r");
        let wish =
            PurchaseRequest { shipment, account, service, reference, batch: None, in_doubt_since, ship_on };
        purchases::begin(tx, owner(1), due().id, &wish, now).await
    };
    db.write(owner(1), begin).await.unwrap();
    let doubted = recording.await.unwrap().await.unwrap().unwrap();
    let state = db.read(owner(1), async |tx| tx.one(&STATE, &[owner(1).into()]).await).await.unwrap();
    assert_eq!((doubted, state.unwrap().text(0).unwrap().as_str()), (1, "checking"));
}

on_both_engines!(nothing_is_claimed_in_a_database_whose_mark_is_of_another_place);

/// A copy of the database may get the number of the original file, so it must tell by itself.
#[tokio::test]
async fn a_copy_for_a_backup_is_in_no_place() {
    let fresh = Fresh::new(Engine::Sqlite).await;
    let db = fresh.open().await;
    let marked = db.write(Access::System, async |tx| {
        let place = tx.place().await?;
        restorations::set_mark(tx, &format!(r#"{{"beat":1,"place":"{place}"}}"#)).await?;
        restorations::is_in_place(tx).await
    });
    assert!(marked.await.unwrap());
    let displaced = db.write(Access::System, async |tx| {
        restorations::displace(tx).await?;
        restorations::is_in_place(tx).await
    });
    assert!(!displaced.await.unwrap());
}
