//! Purchases: everything that a carrier is asked to do for money, and its answers.
//!
//! A node holds a purchase for as long as its lease lasts. Each claim raises the purchase's fence, and nothing is
//! recorded under an old fence. The state `calling` is committed before a byte is sent, so a node that later finds a
//! purchase in this state knows that it may have been bought.

use model::shipping::purchase::State;
use model::shipping::shipment::LabelFormat;
use model::{Batch, CarrierAccount, Day, Id, Owner, PurchaseAttempt, Result, Shipment, Timestamp};

use crate::platform::engine::{Sql, Tx, Value, wanted};
use crate::platform::page::{Page, PageSql, Start};
use crate::stock::inventory_items::id_list;
use purchase::{columns, read};

mod claim;
mod labels;
mod observations;
mod of_account;
mod purchase;
mod receipts;

pub use claim::{
    Due, awaited, claim, claim_follow_ups, claim_suspect, count_start, due, follow_ups,
    follow_ups_by_account, unfinished,
};
pub use labels::{hasten_label, relabel};
pub use observations::{delete_observations, forget, observe, observed, release};
pub use of_account::{by_number, uses_account};
pub use purchase::{Earlier, Purchase};
pub use receipts::{accept, amend, keep_receipts};

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
/// An earlier request for the same shipment may have left its row. The fence is raised, so a node that still works on
/// that request can't record anything.
///
/// A restored backup makes a purchase ambiguous (`$11`). If an earlier request has failed since then, a look-up or a
/// person has found that nothing was bought, and the purchase is no longer ambiguous.
///
/// The carrier's id of the shipment that an attempt prepared outlives the attempt's failure, see [`Earlier`].
const BEGIN: Sql = Sql::same(
    "INSERT INTO purchase (owner, id, shipment_id, account_id, service, reference, state, batch_id, label_format, due_at,
         created_at, updated_at, unknown_at, ship_on)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10, $11, $12)
     ON CONFLICT (owner, shipment_id) DO UPDATE SET account_id = excluded.account_id, service = excluded.service,
         state = CASE WHEN purchase.state = 'failed' AND purchase.updated_at > excluded.unknown_at THEN 'ready'
             ELSE excluded.state END,
         holder = '', crashes = 0, fence = purchase.fence + 1, due_at = excluded.due_at, failures = 0,
         unknown_at = CASE WHEN purchase.state = 'failed' AND purchase.updated_at > excluded.unknown_at THEN NULL
             ELSE excluded.unknown_at END,
         earlier_prepared = CASE WHEN purchase.state <> 'failed' OR purchase.account_id <> excluded.account_id THEN NULL
             ELSE coalesce(purchase.prepared, purchase.earlier_prepared) END,
         earlier_digest = CASE WHEN purchase.prepared IS NULL THEN purchase.earlier_digest
             ELSE purchase.prepared_digest END,
         prepared = NULL, prepared_digest = NULL, receipt = NULL, tracking_number = NULL, numbers_count = 0,
         is_labelled = 0, is_follow_up = 0,
         is_tracking = 0, error = NULL, resolution_note = NULL, batch_id = excluded.batch_id, label_format = excluded.label_format,
         ship_on = excluded.ship_on, updated_at = excluded.updated_at",
);
/// Takes effect once. It releases the claim, so a node that repeats it because the answer was lost changes no row.
///
/// The stops of servers are counted on only if this node found the purchase as `calling` and did not call the carrier itself.
/// Then all it records is that a server stopped.
const RECORD: Sql = Sql::same(
    "UPDATE purchase SET state = $1, holder = '', due_at = $2,
         crashes = CASE WHEN state = 'calling' AND sent_fence < fence THEN crashes ELSE 0 END, failures = $3, unknown_at = $4, prepared = $5,
         receipt = $6, tracking_number = $7, numbers_count = $8, is_labelled = $9, is_follow_up = $10,
         is_tracking = $11, error = $12, batch_id = $13, updated_at = $14
     WHERE owner = $15 AND id = $16 AND fence = $17 AND holder <> ''",
);
/// The last statement before a byte is sent. It also checks that the node still holds the purchase.
const CALL: Sql = Sql::same(
    "UPDATE purchase SET state = 'calling', sent_fence = fence, sent_at = $1
     WHERE owner = $2 AND id = $3 AND fence = $4 AND holder <> ''",
);
const KEEP_PREPARED: Sql = Sql::same(
    "UPDATE purchase SET prepared = $1, prepared_digest = $2, earlier_prepared = NULL, earlier_digest = NULL, crashes = 0
     WHERE owner = $3 AND id = $4 AND fence = $5",
);
/// The holder does not know of this change. The fence goes up, so the holder can't overwrite it.
///
/// A purchase fails this way if a person says that it was not bought. The person may have voided it at the carrier, so the next
/// attempt must not use what was prepared.
const SET_NOTE: Sql = Sql::same("UPDATE purchase SET resolution_note = $1 WHERE owner = $2 AND id = $3");
const SET_STATE: Sql = Sql::same(
    "UPDATE purchase SET state = $1, due_at = $2, holder = '', fence = fence + 1, failures = 0, crashes = 0, is_follow_up = 0,
         prepared = CASE WHEN $1 = 'failed' THEN NULL ELSE prepared END,
         earlier_prepared = CASE WHEN $1 = 'failed' THEN NULL ELSE earlier_prepared END,
         error = NULL, updated_at = $3
     WHERE owner = $4 AND id = $5",
);
const HASTEN_VOID: Sql = Sql::same(
    "UPDATE purchase SET due_at = $1 WHERE owner = $2 AND account_id = $3 AND prepared = $4 AND state = 'voiding'
     AND due_at > $1",
);
const DELETE: Sql = Sql::same("DELETE FROM purchase WHERE owner = $1 AND shipment_id = $2");
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
    &claim::CLAIM_SUSPECT,
    &claim::COUNT_START,
    &claim::FOLLOW_UPS,
    &claim::FOLLOW_UPS_BY_ACCOUNT,
    &claim::UNFINISHED,
    &RECORD,
    &CALL,
    &KEEP_PREPARED,
    &receipts::KEEP_RECEIPT,
    &receipts::ACCEPT,
    &SET_NOTE,
    &SET_STATE,
    &HASTEN_VOID,
    &labels::HASTEN_LABEL,
    &labels::RELABEL,
    &observations::OBSERVE,
    &observations::OBSERVED,
    &observations::FORGET,
    &observations::DELETE_OBSERVATIONS,
    &receipts::AMEND,
    &observations::RELEASE,
    &DELETE,
    &of_account::USES_ACCOUNT,
    &of_account::BY_NUMBER,
    &claim::AWAITED,
];

/// A request to buy a shipment.
pub struct PurchaseRequest<'a> {
    pub shipment: Id<Shipment>,
    pub account: Id<CarrierAccount>,
    pub service: &'a str,
    pub reference: &'a str,
    /// The batch that waits for it, and the label format of that batch.
    pub batch: Option<(Id<Batch>, LabelFormat)>,
    /// The time since which it may have been bought without being recorded. If set, it is looked up before it is
    /// bought.
    pub in_doubt_since: Option<Timestamp>,
    /// The mailing date, which every repetition of the request to the carrier has.
    pub ship_on: Day,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<Option<Purchase>> {
    tx.one(&GET, &[owner.into(), shipment.into()]).await?.map(|row| read(row, 0)).transpose()
}

/// Returns the purchases of several shipments, in any order.
pub async fn of_shipments(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipments: &[Id<Shipment>],
) -> Result<Vec<Purchase>> {
    let rows = tx.all(&OF_SHIPMENTS, &[owner.into(), id_list(shipments)]).await?;
    rows.into_iter().map(|row| read(row, 0)).collect()
}

/// Returns the purchase as [`get`] does, and locks its row until this transaction ends.
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

/// Inserts a purchase. A shipment has only one: a failed purchase is started again.
pub async fn begin(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PurchaseAttempt>,
    wish: &PurchaseRequest<'_>,
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
        wish.ship_on.to_string().into(),
    ];
    tx.send(&BEGIN, &values).await
}

/// Records the state of a purchase and releases the claim. Returns false, and writes nothing, if the node no longer
/// holds the purchase.
pub async fn record(tx: &mut Tx<'_>, purchase: &Purchase, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&RECORD, &record_values(purchase, now)).await? > 0)
}

/// Records several purchases as [`record`] does.
pub async fn record_all(tx: &mut Tx<'_>, purchases: &[&Purchase], now: Timestamp) -> Result<Vec<bool>> {
    let of: Vec<_> = purchases.iter().map(|purchase| record_values(purchase, now)).collect();
    Ok(tx.execute_each(&RECORD, &of).await?.into_iter().map(|changed| changed > 0).collect())
}

fn record_values(purchase: &Purchase, now: Timestamp) -> Vec<Value> {
    let receipts::ReceiptValues { columns: [receipt, number, numbers_count], has_duplicates } =
        receipts::receipt_values(purchase.receipt.as_deref());
    let is_tracking = purchase.is_labelled && !has_duplicates;
    vec![
        purchase.state.as_str().into(),
        purchase.due_at.into(),
        purchase.failures.into(),
        purchase.unknown_at.into(),
        purchase.prepared.as_deref().into(),
        receipt,
        number,
        numbers_count,
        Value::Int(purchase.is_labelled.into()),
        Value::Int(purchase.is_follow_up.into()),
        Value::Int(is_tracking.into()),
        purchase.error.as_deref().into(),
        purchase.batch.into(),
        now.into(),
        purchase.owner.into(),
        purchase.id.into(),
        purchase.fence.into(),
    ]
}

/// Records that the carriers are about to be called. Returns for each purchase whether the node still holds it. If
/// not, its carrier must not be called.
pub async fn call(tx: &mut Tx<'_>, purchases: &[&Purchase], now: Timestamp) -> Result<Vec<bool>> {
    let values = |purchase: &&Purchase| {
        vec![now.into(), purchase.owner.into(), purchase.id.into(), purchase.fence.into()]
    };
    let of: Vec<_> = purchases.iter().map(values).collect();
    Ok(tx.execute_each(&CALL, &of).await?.into_iter().map(|changed| changed > 0).collect())
}

/// Stores the carrier's id of the prepared shipment, and a digest of the request that prepared it. Returns false if the node
/// no longer holds the purchase.
pub async fn keep_prepared(
    tx: &mut Tx<'_>,
    purchase: &Purchase,
    prepared: &str,
    digest: &str,
) -> Result<bool> {
    let values =
        [prepared.into(), digest.into(), purchase.owner.into(), purchase.id.into(), purchase.fence.into()];
    Ok(tx.execute(&KEEP_PREPARED, &values).await? > 0)
}

/// Sets the state of a purchase at a caller's request, and takes it away from its holder.
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

/// Keeps what the person said who resolved it.
pub async fn set_note(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PurchaseAttempt>,
    note: Option<&str>,
) -> Result<()> {
    tx.send(&SET_NOTE, &[note.into(), owner.into(), id.into()]).await
}

/// Makes a refund due now, for which a carrier's message came. The purchase is found by the carrier's own id.
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

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), shipment.into()]).await
}
