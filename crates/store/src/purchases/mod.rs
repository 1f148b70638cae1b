//! What is bought for shipments. Everything that a carrier is asked to do for money, and what it said, is here.
//!
//! A purchase belongs to the node that holds it for as long as that node lives. Each time it changes hands its fence goes
//! up, and nothing is recorded under an old fence. That it is `calling` is committed before a byte leaves: whoever finds
//! it so later knows that it may have been bought.

use model::purchase::State;
use model::shipment::LabelFormat;
use model::{Batch, CarrierAccount, Error, Id, Owner, PurchaseAttempt, Result, Shipment, Timestamp};

use crate::engine::{Row, Sql, Tx, Value, wanted};
use crate::inventory_items::id_list;
use crate::page::{Page, PageSql, Start};

macro_rules! columns {
    () => {
        "owner, id, shipment_id, account_id, service, reference, state, fence, sent_fence, sent_at, due_at, failures, \
         unknown_at, prepared, receipt, is_labelled, error, batch_id, label_format, created_at, updated_at"
    };
}

mod claim;

pub use claim::{Due, any_bought_due, awaited, claim, claim_bought, due};

const GET: Sql =
    Sql::same(concat!("SELECT ", columns!(), " FROM purchase WHERE owner = $1 AND shipment_id = $2"));
const GET_FOR_UPDATE: Sql = Sql::each(
    concat!("SELECT ", columns!(), " FROM purchase WHERE owner = $1 AND shipment_id = $2"),
    concat!("SELECT ", columns!(), " FROM purchase WHERE owner = $1 AND shipment_id = $2 FOR UPDATE"),
);
/// `$2` lists shipments as JSON.
const OF_SHIPMENTS: Sql = Sql::each(
    concat!(
        "SELECT ",
        columns!(),
        " FROM purchase WHERE owner = $1 AND shipment_id IN (SELECT value FROM json_each($2))"
    ),
    concat!(
        "SELECT p.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT ",
        columns!(),
        " FROM purchase WHERE owner = $1 AND shipment_id = wanted.id OFFSET 0) p"
    ),
);
const BY_ID: Sql = Sql::same(concat!("SELECT ", columns!(), " FROM purchase WHERE owner = $1 AND id = $2"));
const PAGE: PageSql = PageSql {
    older: Sql::same(concat!(
        "SELECT id, ",
        columns!(),
        " FROM purchase WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
    )),
    newer: Sql::same(concat!(
        "SELECT id, ",
        columns!(),
        " FROM purchase WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"
    )),
};
const PAGE_BY_STATE: PageSql = PageSql {
    older: Sql::same(concat!(
        "SELECT id, ",
        columns!(),
        " FROM purchase WHERE owner = $1 AND id < $2 AND state = $3 ORDER BY id DESC LIMIT $4"
    )),
    newer: Sql::same(concat!(
        "SELECT id, ",
        columns!(),
        " FROM purchase WHERE owner = $1 AND id > $2 AND state = $3 ORDER BY id LIMIT $4"
    )),
};
/// Whoever was at it before, for another wish or in vain, is shut out by the fence.
const BEGIN: Sql = Sql::same(
    "INSERT INTO purchase (owner, id, shipment_id, account_id, service, reference, state, batch_id, label_format, due_at,
         created_at, updated_at, unknown_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10, $11)
     ON CONFLICT (owner, shipment_id) DO UPDATE SET account_id = excluded.account_id, service = excluded.service,
         state = excluded.state, holder = '', fence = purchase.fence + 1, due_at = excluded.due_at, failures = 0,
         unknown_at = excluded.unknown_at, prepared = NULL, receipt = NULL, is_labelled = 0, error = NULL,
         batch_id = excluded.batch_id, label_format = excluded.label_format, updated_at = excluded.updated_at",
);
/// Once: whoever repeats it, because the answer was lost, finds that nobody holds it any more.
const RECORD: Sql = Sql::same(
    "UPDATE purchase SET state = $1, holder = '', due_at = $2, failures = $3, unknown_at = $4, prepared = $5,
         receipt = $6, is_labelled = $7, error = $8, batch_id = $9, updated_at = $10
     WHERE owner = $11 AND id = $12 AND fence = $13 AND holder <> ''",
);
/// The last thing before a byte leaves, and a last look at whether it is still held.
const CALL: Sql = Sql::same(
    "UPDATE purchase SET state = 'calling', sent_fence = fence, sent_at = $1
     WHERE owner = $2 AND id = $3 AND fence = $4 AND holder <> ''",
);
const KEEP_PREPARED: Sql =
    Sql::same("UPDATE purchase SET prepared = $1 WHERE owner = $2 AND id = $3 AND fence = $4");
const KEEP_RECEIPT: Sql = Sql::same(
    "UPDATE purchase SET state = 'bought', receipt = $1, failures = 0, unknown_at = NULL, error = NULL, updated_at = $2
     WHERE owner = $3 AND id = $4 AND fence = $5",
);
/// Whoever holds it does not know of this, and is shut out.
const ACCEPT: Sql = Sql::same(
    "UPDATE purchase SET state = 'bought', receipt = $1, due_at = $2, holder = '', fence = fence + 1, failures = 0,
         unknown_at = NULL, error = NULL, updated_at = $2
     WHERE owner = $3 AND id = $4",
);
/// Whoever holds it does not know of this, and is shut out.
const SET_STATE: Sql = Sql::same(
    "UPDATE purchase SET state = $1, due_at = $2, holder = '', fence = fence + 1, failures = 0, error = NULL,
         updated_at = $3
     WHERE owner = $4 AND id = $5",
);
const HASTEN_VOID: Sql = Sql::same(
    "UPDATE purchase SET due_at = $1 WHERE owner = $2 AND account_id = $3 AND prepared = $4 AND state = 'voiding'
     AND due_at > $1",
);
const OBSERVE: Sql = Sql::same(
    "INSERT INTO purchase_observation (owner, purchase_id, fence, doc, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING",
);
const DELETE: Sql = Sql::same("DELETE FROM purchase WHERE owner = $1 AND shipment_id = $2");
const USES_ACCOUNT: Sql = Sql::same(
    "SELECT id FROM purchase WHERE owner = $1 AND account_id = $2 AND (due_at IS NOT NULL OR state = 'needs_review') LIMIT 1",
);
const BY_NUMBER: Sql = Sql::each(
    "SELECT shipment_id FROM purchase WHERE owner = $1 AND account_id = $2 AND state = 'bought'
     AND EXISTS (SELECT 1 FROM json_each(receipt, '$.tracking_numbers') WHERE value = $3) LIMIT 1",
    "SELECT shipment_id FROM purchase WHERE owner = $1 AND account_id = $2 AND state = 'bought'
     AND (receipt::json -> 'tracking_numbers')::jsonb ? $3::text LIMIT 1",
);
pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &OF_SHIPMENTS,
    &BY_ID,
    &PAGE.older,
    &PAGE.newer,
    &PAGE_BY_STATE.older,
    &PAGE_BY_STATE.newer,
    &BEGIN,
    &claim::DUE,
    &claim::CLAIM,
    &claim::CLAIM_BOUGHT,
    &claim::ANY_BOUGHT_DUE,
    &RECORD,
    &CALL,
    &KEEP_PREPARED,
    &KEEP_RECEIPT,
    &ACCEPT,
    &SET_STATE,
    &HASTEN_VOID,
    &OBSERVE,
    &DELETE,
    &USES_ACCOUNT,
    &BY_NUMBER,
    &claim::AWAITED,
];

/// What is bought, and how far that has come.
#[derive(Clone, Debug)]
pub struct Purchase {
    pub owner: Owner,
    pub id: Id<PurchaseAttempt>,
    pub shipment: Id<Shipment>,
    pub account: Id<CarrierAccount>,
    /// The service's handle.
    pub service: String,
    /// What the carrier is told to call it.
    pub reference: String,
    pub state: State,
    pub fence: i64,
    /// The fence under which it was last sent, and when.
    pub sent_fence: i64,
    pub sent_at: Option<Timestamp>,
    pub due_at: Option<Timestamp>,
    pub failures: i64,
    pub unknown_at: Option<Timestamp>,
    pub prepared: Option<String>,
    /// As JSON.
    pub receipt: Option<String>,
    pub is_labelled: bool,
    /// As JSON.
    pub error: Option<String>,
    /// The batch that waits for it, until it is known what came of it.
    pub batch: Option<Id<Batch>>,
    /// The format in which a batch wants the label.
    pub label_format: Option<LabelFormat>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A wish to buy.
pub struct Wish<'a> {
    pub shipment: Id<Shipment>,
    pub account: Id<CarrierAccount>,
    pub service: &'a str,
    pub reference: &'a str,
    /// The batch that waits for it, and the format in which it wants the label.
    pub batch: Option<(Id<Batch>, LabelFormat)>,
    /// Since when it may have been bought without our knowing: then it is looked up before it is bought.
    pub in_doubt_since: Option<Timestamp>,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<Option<Purchase>> {
    tx.one(&GET, &[owner.into(), shipment.into()]).await?.map(|row| read(row, 0)).transpose()
}

/// The purchases of several shipments, in no order.
pub async fn of_shipments(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipments: &[Id<Shipment>],
) -> Result<Vec<Purchase>> {
    let rows = tx.all(&OF_SHIPMENTS, &[owner.into(), id_list(shipments)]).await?;
    rows.into_iter().map(|row| read(row, 0)).collect()
}

/// As [`get`], and nobody else changes it before this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: Id<Shipment>,
) -> Result<Option<Purchase>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), shipment.into()]).await?.map(|row| read(row, 0)).transpose()
}

pub async fn by_id(tx: &mut Tx<'_>, owner: Owner, id: Id<PurchaseAttempt>) -> Result<Option<Purchase>> {
    tx.one(&BY_ID, &[owner.into(), id.into()]).await?.map(|row| read(row, 0)).transpose()
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    state: Option<State>,
    start: &Start,
    limit: usize,
) -> Result<Page<Purchase>> {
    let page = match state {
        None => Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?,
        Some(state) => {
            let filter = [state.as_str().into()];
            Page::read(tx, &PAGE_BY_STATE, owner.into(), &filter, start, limit).await?
        }
    };
    page.try_map(|row| read(row, 1))
}

/// Writes down that something is to be bought. A shipment has one purchase: what failed before is begun again.
pub async fn begin(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PurchaseAttempt>,
    wish: &Wish<'_>,
    now: Timestamp,
) -> Result<()> {
    let values = [
        owner.into(),
        id.into(),
        wish.shipment.into(),
        wish.account.into(),
        wish.service.into(),
        wish.reference.into(),
        if wish.in_doubt_since.is_some() { State::Checking } else { State::Ready }.as_str().into(),
        wish.batch.map(|(batch, _)| batch.to_string()).into(),
        wish.batch.map(|(_, format)| format.as_str()).into(),
        now.into(),
        wish.in_doubt_since.into(),
    ];
    tx.send(&BEGIN, &values).await
}

/// Writes down how a purchase stands and lets go of it; false where it is no longer held, and nothing may be written.
pub async fn record(tx: &mut Tx<'_>, purchase: &Purchase, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&RECORD, &record_values(purchase, now)).await? > 0)
}

/// As [`record`], for each of several.
pub async fn record_all(tx: &mut Tx<'_>, purchases: &[&Purchase], now: Timestamp) -> Result<Vec<bool>> {
    let of: Vec<_> = purchases.iter().map(|purchase| record_values(purchase, now)).collect();
    Ok(tx.execute_each(&RECORD, &of).await?.into_iter().map(|changed| changed > 0).collect())
}

fn record_values(purchase: &Purchase, now: Timestamp) -> Vec<Value> {
    vec![
        purchase.state.as_str().into(),
        purchase.due_at.into(),
        purchase.failures.into(),
        purchase.unknown_at.into(),
        purchase.prepared.as_deref().into(),
        purchase.receipt.as_deref().into(),
        Value::Int(purchase.is_labelled.into()),
        purchase.error.as_deref().into(),
        purchase.batch.into(),
        now.into(),
        purchase.owner.into(),
        purchase.id.into(),
        purchase.fence.into(),
    ]
}

/// Says that carriers are being asked from now on; tells of each whether it is still held. For the others nobody may be
/// asked.
pub async fn call(tx: &mut Tx<'_>, purchases: &[&Purchase], now: Timestamp) -> Result<Vec<bool>> {
    let values = |purchase: &&Purchase| {
        vec![now.into(), purchase.owner.into(), purchase.id.into(), purchase.fence.into()]
    };
    let of: Vec<_> = purchases.iter().map(values).collect();
    Ok(tx.execute_each(&CALL, &of).await?.into_iter().map(|changed| changed > 0).collect())
}

/// Keeps the carrier's name of what was made known to it; false where the purchase is no longer held.
pub async fn keep_prepared(tx: &mut Tx<'_>, purchase: &Purchase, prepared: &str) -> Result<bool> {
    let values = [prepared.into(), purchase.owner.into(), purchase.id.into(), purchase.fence.into()];
    Ok(tx.execute(&KEEP_PREPARED, &values).await? > 0)
}

/// Keeps what a carrier gave for the money, and goes on holding it; false where it is no longer held.
pub async fn keep_receipt(
    tx: &mut Tx<'_>,
    purchase: &Purchase,
    receipt: &str,
    now: Timestamp,
) -> Result<bool> {
    let values =
        [receipt.into(), now.into(), purchase.owner.into(), purchase.id.into(), purchase.fence.into()];
    Ok(tx.execute(&KEEP_RECEIPT, &values).await? > 0)
}

/// Takes it as bought, because somebody found out.
pub async fn accept(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PurchaseAttempt>,
    receipt: &str,
    now: Timestamp,
) -> Result<()> {
    tx.send(&ACCEPT, &[receipt.into(), now.into(), owner.into(), id.into()]).await
}

/// Puts it into another state, because somebody said so.
pub async fn set_state(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PurchaseAttempt>,
    state: State,
    due_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    let values = [state.as_str().into(), due_at.into(), now.into(), owner.into(), id.into()];
    tx.send(&SET_STATE, &values).await
}

/// Has a carrier asked at once what became of what it takes back; by its own name of it.
pub async fn hasten_void(
    tx: &mut Tx<'_>,
    owner: Owner,
    account: Id<CarrierAccount>,
    prepared: &str,
    now: Timestamp,
) -> Result<()> {
    let values = [now.into(), owner.into(), account.into(), prepared.into()];
    tx.send(&HASTEN_VOID, &values).await
}

/// Keeps what a carrier said to somebody who no longer held the purchase.
pub async fn observe(tx: &mut Tx<'_>, purchase: &Purchase, doc: &str, now: Timestamp) -> Result<()> {
    let values = [purchase.owner.into(), purchase.id.into(), purchase.fence.into(), doc.into(), now.into()];
    tx.send(&OBSERVE, &values).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), shipment.into()]).await
}

/// Whether something is under way with an account.
pub async fn uses_account(tx: &mut Tx<'_>, owner: Owner, account: Id<CarrierAccount>) -> Result<bool> {
    Ok(tx.one(&USES_ACCOUNT, &[owner.into(), account.into()]).await?.is_some())
}

/// The shipment of a tracking number.
pub async fn by_number(
    tx: &mut Tx<'_>,
    owner: Owner,
    account: Id<CarrierAccount>,
    number: &str,
) -> Result<Option<Id<Shipment>>> {
    let row = tx.one(&BY_NUMBER, &[owner.into(), account.into(), number.into()]).await?;
    row.map(|mut row| row.id(0)).transpose()
}

fn read(mut row: Row, first: usize) -> Result<Purchase> {
    let state = row.text(first + 6)?;
    Ok(Purchase {
        owner: row.owner(first)?,
        id: row.id(first + 1)?,
        shipment: row.id(first + 2)?,
        account: row.id(first + 3)?,
        service: row.text(first + 4)?,
        reference: row.text(first + 5)?,
        state: State::parse(&state).ok_or_else(|| Error::fault("a purchase has no known state"))?,
        fence: row.int(first + 7)?,
        sent_fence: row.int(first + 8)?,
        sent_at: row.moment_or_null(first + 9)?,
        due_at: row.moment_or_null(first + 10)?,
        failures: row.int(first + 11)?,
        unknown_at: row.moment_or_null(first + 12)?,
        prepared: row.text_or_null(first + 13)?,
        receipt: row.text_or_null(first + 14)?,
        is_labelled: row.int(first + 15)? == 1,
        error: row.text_or_null(first + 16)?,
        batch: row.id_or_null(first + 17)?,
        label_format: row.text_or_null(first + 18)?.as_deref().and_then(LabelFormat::parse),
        created_at: row.moment(first + 19)?,
        updated_at: row.moment(first + 20)?,
    })
}
