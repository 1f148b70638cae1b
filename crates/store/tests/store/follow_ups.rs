//! Due follow-ups: the first of all, the first of each account, and which node claims them.

use model::{CarrierAccount, Id, PurchaseAttempt, Shipment, Timestamp};
use store::platform::nodes;
use store::shipping::purchases::{self, Due};
use store::{Access, Db, Sql};

use crate::fresh::{Engine, Fresh, owner};
use crate::plans::plan;

const INSERT: Sql = Sql::same(
    "INSERT INTO purchase (owner, id, shipment_id, account_id, service, reference, state, holder, due_at, is_follow_up,
         created_at, updated_at)
     VALUES ($1, $2, $3, $4, 's', 'r', 'bought', $5, $6, $7, 5, 5)",
);
const NOW: i64 = 1_000;
const INDEX: &str = "purchase_to_follow_by_account";

/// A purchase. Its account and its organisation have the same number.
struct Bought {
    id: u128,
    account: u128,
    holder: &'static str,
    due_at: i64,
    is_follow_up: bool,
}

impl Bought {
    fn new(id: u128, account: u128, due_at: i64) -> Self {
        Self { id, account, holder: "", due_at, is_follow_up: true }
    }

    fn held_by(self, holder: &'static str) -> Self {
        Self { holder, ..self }
    }
}

fn now() -> Timestamp {
    Timestamp::from_micros(NOW)
}

/// Fills the database with two nodes, one of them live, and due follow-ups. Nearly all are of account 1, which was
/// due first.
async fn filled(db: &Db) {
    let all = [
        Bought::new(11, 1, 1),
        Bought::new(12, 1, 2),
        Bought::new(13, 1, 3).held_by("alive"),
        Bought::new(14, 1, 4),
        Bought::new(15, 1, 5),
        Bought::new(16, 1, 6),
        Bought::new(21, 2, 500).held_by("dead"),
        Bought::new(22, 2, 501).held_by("alive"),
        Bought::new(31, 3, NOW + 1),
        Bought::new(41, 4, 400),
        Bought { is_follow_up: false, ..Bought::new(51, 5, 0) },
    ];
    let fill = db.write(Access::System, async move |tx| {
        nodes::insert(tx, "alive", Timestamp::from_micros(NOW + 1)).await?;
        nodes::insert(tx, "dead", now()).await?;
        for bought in &all {
            let values = [
                owner(bought.account).into(),
                Id::<PurchaseAttempt>::from_bits(bought.id).into(),
                Id::<Shipment>::from_bits(bought.id).into(),
                Id::<CarrierAccount>::from_bits(bought.account).into(),
                bought.holder.into(),
                bought.due_at.into(),
                i64::from(bought.is_follow_up).into(),
            ];
            tx.execute(&INSERT, &values).await?;
        }
        Ok(())
    });
    fill.await.unwrap();
}

fn due(id: u128, account: u128) -> Due {
    Due { owner: owner(account), id: Id::from_bits(id), account: Id::from_bits(account), batch: None }
}

async fn an_account_with_many_hides_no_other(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    filled(&db).await;
    let first = db.read(Access::System, async |tx| purchases::follow_ups(tx, now(), 3).await);
    assert_eq!(first.await.unwrap(), [due(11, 1), due(12, 1), due(14, 1)]);
    let by_account = async |barred: &'static [u128], max: usize| {
        let read = db.read(Access::System, async move |tx| {
            let barred: Vec<_> = barred.iter().map(|number| Id::from_bits(*number)).collect();
            purchases::follow_ups_by_account(tx, now(), 2, &barred, max).await
        });
        read.await.unwrap()
    };
    assert_eq!(by_account(&[], 10).await, [due(11, 1), due(12, 1), due(41, 4), due(21, 2)]);
    assert_eq!(by_account(&[], 3).await, [due(11, 1), due(12, 1), due(41, 4)]);
    assert_eq!(by_account(&[1, 2], 3).await, [due(41, 4)]);
}

async fn a_follow_up_is_claimed_once_and_only_while_it_is_due(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    filled(&db).await;
    let claim = async |node: &'static str| {
        let claim = db.write(Access::System, async move |tx| {
            let all = [due(11, 1), due(13, 1), due(21, 2), due(31, 3), due(51, 5)];
            purchases::claim_follow_ups(tx, node, &all, now()).await
        });
        let mut ids: Vec<_> = claim.await.unwrap().iter().map(|purchase| purchase.id).collect();
        ids.sort();
        ids
    };
    assert_eq!(claim("alive").await, [Id::from_bits(11), Id::from_bits(21)]);
    assert!(claim("alive").await.is_empty());
}

async fn what_is_unfinished_waits_for_no_tracking(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    filled(&db).await;
    let finished = r#"{"tracking_numbers":["1"],"duplicates":[]}"#;
    let bought_twice = r#"{"tracking_numbers":["1"],"duplicates":[{"tracking_numbers":["2"]}]}"#;
    // Records, as due now, what has its label and no duplicate, what has a duplicate, and what has no label.
    let record = db.write(Access::System, async move |tx| {
        let states =
            [(due(11, 1), finished, true), (due(12, 1), bought_twice, true), (due(14, 1), finished, false)];
        for (due, receipt, is_labelled) in states {
            let mut purchase = purchases::claim_follow_ups(tx, "alive", &[due], now()).await?.remove(0);
            (purchase.receipt, purchase.is_labelled) = (Some(receipt.to_owned()), is_labelled);
            purchase.due_at = Some(now());
            assert!(purchases::record(tx, &purchase, now()).await?);
        }
        Ok(())
    });
    record.await.unwrap();
    let unfinished = async |barred: &'static [u128], max: usize| {
        let read = db.read(Access::System, async move |tx| {
            let barred: Vec<_> = barred.iter().map(|number| Id::from_bits(*number)).collect();
            purchases::unfinished(tx, now(), &barred, max).await
        });
        read.await.unwrap()
    };
    assert_eq!(unfinished(&[], 2).await, [due(15, 1), due(16, 1)]);
    let mut all = unfinished(&[2], 10).await;
    all.sort_by_key(|due| due.id);
    assert_eq!(all, [due(12, 1), due(14, 1), due(15, 1), due(16, 1), due(41, 4)]);
    assert_eq!(unfinished(&[1, 4], 10).await, [due(21, 2)]);
    let plan = plan(&fresh, engine, &["is_tracking = 0", "SELECT owner, id, account_id"]).await;
    assert!(plan.contains("purchase_to_finish"), "{plan}");
}

async fn the_follow_ups_of_each_account_are_found_by_an_index(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    drop(fresh.open().await);
    let plan = plan(&fresh, engine, &["WITH RECURSIVE account", "is_follow_up = 1"]).await;
    // One index scan for the next account, and one for its due rows.
    let of_account = match engine {
        Engine::Sqlite => ["(account_id>?)", "(account_id=? AND due_at<?)"],
        Engine::Postgres => [
            "Index Cond: (account_id > account_1.id)",
            "Index Cond: ((ROW(account_id, due_at) <= ROW(account.id, $1)) AND (account_id = account.id))",
        ],
    };
    assert_eq!(plan.matches(INDEX).count(), 2, "{plan}");
    assert!(of_account.iter().all(|condition| plan.contains(condition)), "{plan}");
}

on_both_engines!(
    an_account_with_many_hides_no_other,
    a_follow_up_is_claimed_once_and_only_while_it_is_due,
    what_is_unfinished_waits_for_no_tracking,
    the_follow_ups_of_each_account_are_found_by_an_index,
);
