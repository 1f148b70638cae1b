//! Carriers' answers to servers that had lost their claim, and claims that are released without a result.

use model::{Id, Owner, PurchaseAttempt, Result, Timestamp};

use super::purchase::Purchase;
use crate::platform::engine::{Sql, Tx, Value};

pub(super) const OBSERVE: Sql = Sql::same(
    "INSERT INTO purchase_observation (owner, purchase_id, fence, doc, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING",
);
pub(super) const OBSERVED: Sql =
    Sql::same("SELECT doc FROM purchase_observation WHERE owner = $1 AND purchase_id = $2 ORDER BY fence");
pub(super) const FORGET: Sql =
    Sql::same("DELETE FROM purchase_observation WHERE owner = $1 AND purchase_id = $2");
pub(super) const RELEASE: Sql = Sql::same(
    "UPDATE purchase SET holder = '', crashes = 0, due_at = $1, failures = failures + $2, error = COALESCE($3, error), updated_at = $4
     WHERE owner = $5 AND id = $6 AND fence = $7 AND holder <> ''",
);
/// Spans organisations. A receipt that came late is kept for as long as its purchase.
pub(super) const DELETE_OBSERVATIONS: Sql = Sql::each(
    "DELETE FROM purchase_observation WHERE (owner, purchase_id, fence) IN (
         SELECT owner, purchase_id, fence FROM purchase_observation o WHERE created_at < $1
         AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.owner = o.owner AND p.id = o.purchase_id)
         ORDER BY created_at LIMIT $2)",
    "DELETE FROM purchase_observation WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM purchase_observation o WHERE created_at < $1
         AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.owner = o.owner AND p.id = o.purchase_id)
         ORDER BY created_at LIMIT $2))",
);

/// Stores a carrier's answer to a server that no longer held the purchase.
pub async fn observe(tx: &mut Tx<'_>, purchase: &Purchase, doc: &str, now: Timestamp) -> Result<()> {
    let values = [purchase.owner.into(), purchase.id.into(), purchase.fence.into(), doc.into(), now.into()];
    tx.send(&OBSERVE, &values).await
}

/// Returns the stored answers about a purchase, oldest first.
pub async fn observed(tx: &mut Tx<'_>, owner: Owner, id: Id<PurchaseAttempt>) -> Result<Vec<String>> {
    let rows = tx.all(&OBSERVED, &[owner.into(), id.into()]).await?;
    rows.into_iter().map(|mut row| row.text(0)).collect()
}

/// Deletes the stored answers about a purchase, once the purchase itself includes them.
pub async fn forget(tx: &mut Tx<'_>, owner: Owner, id: Id<PurchaseAttempt>) -> Result<()> {
    tx.send(&FORGET, &[owner.into(), id.into()]).await
}

/// Releases the claim on a purchase whose state stays as it is. `error` says why, if it is to be shown; it counts as a
/// failure then.
pub async fn release(
    tx: &mut Tx<'_>,
    purchase: &Purchase,
    due_at: Timestamp,
    error: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let values = [
        due_at.into(),
        Value::Int(error.is_some().into()),
        error.into(),
        now.into(),
        purchase.owner.into(),
        purchase.id.into(),
        purchase.fence.into(),
    ];
    tx.send(&RELEASE, &values).await
}

/// Deletes at most `limit` receipts from before the given time whose purchase was deleted together with its
/// shipment, oldest first. Returns how many.
pub async fn delete_observations(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OBSERVATIONS, &[before.into(), limit.into()]).await
}
