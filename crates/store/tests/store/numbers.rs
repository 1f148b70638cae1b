//! Finding the purchase of a tracking number that a carrier's message names, and the cost of finding it.

use model::shipping::purchase::State;
use model::{CarrierAccount, Day, Id, Owner, PurchaseAttempt, Result, Shipment, Timestamp};
use store::shipping::purchases::{self, PurchaseRequest};
use store::{Db, Sql, Tx};

use crate::fresh::{Engine, Fresh, owner};
use crate::plans::plan;

const HOLD: Sql = Sql::same("UPDATE purchase SET holder = 'node' WHERE owner = $1");
/// The indexes by which the two halves of the statement find their rows: by the first tracking number, and among
/// shipments of several packages.
const INDEXES: [&str; 2] = ["purchase_by_number", "purchase_of_pieces"];
const NUMBERS: [&str; 3] = ["A", "B", "C"];

fn account(number: u128) -> Id<CarrierAccount> {
    Id::from_bits(number)
}

fn shipment(number: u128) -> Id<Shipment> {
    Id::from_bits(number)
}

fn purchase(number: u128) -> Id<PurchaseAttempt> {
    Id::from_bits(number)
}

fn now() -> Timestamp {
    Timestamp::from_micros(5)
}

/// A receipt as it is stored. The number of a duplicate purchase refers to no shipment.
fn receipt(numbers: &[&str]) -> String {
    serde_json::json!({"purchase": "x", "tracking_numbers": numbers, "charged": 515, "currency": "GBP",
        "duplicates": [{"purchase": "y", "tracking_numbers": ["TWICE"], "charged": 515, "currency": "GBP"}]})
    .to_string()
}

/// A tracking number of several database pages that can't be compressed.
fn long_number() -> String {
    let next = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    std::iter::successors(Some(1_u64), next).take(1_000).map(|state| format!("{state:016X}")).collect()
}

async fn begin(tx: &mut Tx<'_>, owner: Owner, number: u128, account: u128) -> Result<()> {
    let (account, reference) = (self::account(account), "r");
    let wish = PurchaseRequest {
        shipment: shipment(number),
        account,
        service: "s",
        reference,
        batch: None,
        in_doubt_since: None,
        ship_on: Day::of(now()),
    };
    purchases::begin(tx, owner, purchase(number), &wish, now()).await
}

/// Buys a shipment with an account, and sets the state of the purchase.
async fn buy(db: &Db, owner: Owner, number: u128, account: u128, numbers: &[&str], state: State) {
    let receipt = receipt(numbers);
    let buy = db.write(owner, async move |tx| {
        begin(tx, owner, number, account).await?;
        purchases::accept(tx, owner, purchase(number), &receipt, now()).await?;
        purchases::set_state(tx, owner, purchase(number), state, None, now()).await
    });
    buy.await.unwrap();
}

async fn found(db: &Db, owner: Owner, account: u128, number: &str) -> Option<Id<Shipment>> {
    let (account, number) = (self::account(account), number.to_owned());
    let read = db.read(owner, async move |tx| purchases::by_number(tx, owner, account, &number).await);
    read.await.unwrap()
}

async fn a_number_means_what_is_bought_with_that_account(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    let (acme, other) = (owner(1), owner(2));
    buy(&db, acme, 1, 1, &["A"], State::Bought).await;
    buy(&db, acme, 2, 1, &["B1", "B2", "B3"], State::Bought).await;
    // The same number at another account of the organisation, and at another organisation's.
    buy(&db, acme, 3, 2, &["A"], State::Bought).await;
    buy(&db, other, 4, 3, &["A"], State::Bought).await;
    buy(&db, acme, 5, 1, &["VOIDED"], State::Voided).await;
    buy(&db, acme, 6, 1, &["VOIDING", "VOIDING2"], State::Voiding).await;
    buy(&db, acme, 7, 1, &[], State::Bought).await;
    // A carrier may send anything. PostgreSQL rejects JSON that contains this character, and its indexes can't hold a
    // text this long.
    buy(&db, acme, 8, 1, &["\0", "E2"], State::Bought).await;
    let (long, longer) = (long_number(), format!("{}2", long_number()));
    buy(&db, acme, 9, 1, &[&long], State::Bought).await;
    buy(&db, acme, 10, 1, &[&longer], State::Bought).await;

    for (account, number, expected) in [
        (1, "A", Some(1)),
        (2, "A", Some(3)),
        (3, "A", None),
        (1, "B1", Some(2)),
        (1, "B2", Some(2)),
        (1, "B3", Some(2)),
        (2, "B2", None),
        (1, "VOIDED", None),
        (1, "VOIDING2", None),
        (1, "TWICE", None),
        (1, "NONE", None),
        (1, "", None),
        (1, &long, Some(9)),
        (1, &longer, Some(10)),
    ] {
        assert_eq!(found(&db, acme, account, number).await, expected.map(shipment), "{account} {number:.50}");
    }
    assert_eq!(found(&db, other, 3, "A").await, Some(shipment(4)));
}

/// Changes the only purchase, and asserts by which of the numbers it is found afterwards.
async fn change(
    db: &Db,
    what: &str,
    change: impl AsyncFn(&mut Tx<'_>, Owner) -> Result<()> + Send + Sync + 'static,
    expected: &[&str],
) {
    let acme = owner(1);
    db.write(acme, async move |tx| change(tx, acme).await).await.unwrap();
    for number in NUMBERS {
        let wanted = expected.contains(&number).then(|| shipment(1));
        assert_eq!(found(db, acme, 1, number).await, wanted, "{what}: {number}");
    }
}

/// Returns the stored purchase, with another receipt.
async fn with_receipt(tx: &mut Tx<'_>, owner: Owner, receipt: Option<String>) -> Result<purchases::Purchase> {
    let stored = purchases::get(tx, owner, shipment(1)).await?.expect("the purchase");
    Ok(purchases::Purchase { receipt, ..stored })
}

async fn numbers_change_with_the_receipt(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let db = fresh.open().await;
    change(&db, "begin", async |tx, owner| begin(tx, owner, 1, 1).await, &[]).await;
    let keep = async |tx: &mut Tx<'_>, owner| {
        let bought = with_receipt(tx, owner, Some(receipt(&["A"]))).await?;
        assert_eq!(purchases::keep_receipts(tx, &[&bought], now()).await?, [true]);
        Ok(())
    };
    change(&db, "keep_receipts", keep, &["A"]).await;
    let amend = async |tx: &mut Tx<'_>, owner| {
        purchases::amend(tx, owner, purchase(1), &receipt(&["B", "C"]), now()).await
    };
    change(&db, "amend", amend, &["B", "C"]).await;
    let record = async |tx: &mut Tx<'_>, owner: Owner| {
        tx.execute(&HOLD, &[owner.into()]).await?;
        let bought = with_receipt(tx, owner, Some(receipt(&["C"]))).await?;
        assert!(purchases::record(tx, &bought, now()).await?);
        Ok(())
    };
    change(&db, "record", record, &["C"]).await;
    let accept = async |tx: &mut Tx<'_>, owner| {
        purchases::accept(tx, owner, purchase(1), &receipt(&["A", "B"]), now()).await
    };
    change(&db, "accept", accept, &["A", "B"]).await;
    // The purchase is repeated, for example because it failed.
    let again = async |tx: &mut Tx<'_>, owner| {
        begin(tx, owner, 1, 1).await?;
        purchases::set_state(tx, owner, purchase(1), State::Bought, None, now()).await
    };
    change(&db, "begin again", again, &[]).await;
}

async fn a_number_is_found_by_an_index(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    drop(fresh.open().await);
    let plan = plan(&fresh, engine, &["SELECT shipment_id FROM purchase", "tracking_numbers"]).await;
    for index in INDEXES {
        assert!(plan.contains(index), "{index} is not used:\n{plan}");
    }
    let by_number = match engine {
        Engine::Sqlite => "(owner=? AND tracking_number=?)",
        Engine::Postgres => "Index Cond: ((owner = $1) AND (tracking_number = $3))",
    };
    assert!(plan.contains(by_number), "{plan}");
    assert!(!plan.contains("purchase_by_account"), "all purchases of the account are read:\n{plan}");
}

on_both_engines!(
    a_number_means_what_is_bought_with_that_account,
    numbers_change_with_the_receipt,
    a_number_is_found_by_an_index,
);
