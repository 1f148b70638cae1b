//! Tracking events of shipments, and the ids of the carriers' messages that reported them.

use model::{CarrierAccount, Id, Owner, Result, Shipment, Timestamp};

use crate::platform::engine::{Sql, Tx, Value};

const ALL: Sql = Sql::same(
    "SELECT doc FROM tracking_event WHERE owner = $1 AND shipment_id = $2 ORDER BY number DESC LIMIT $3",
);
const INSERT: Sql = Sql::same(
    "INSERT INTO tracking_event (owner, shipment_id, number, doc, created_at)
     VALUES ($1, $2, 1 + coalesce((SELECT max(number) FROM tracking_event t WHERE t.owner = $1 AND t.shipment_id = $2), 0), $3, $4)",
);
const DELETE: Sql = Sql::same("DELETE FROM tracking_event WHERE owner = $1 AND shipment_id = $2");
const TAKE_MESSAGE: Sql = Sql::same(
    "INSERT INTO carrier_message (owner, account_id, message_id, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING",
);
/// Spans organisations.
const FORGET_MESSAGES: Sql = Sql::each(
    "DELETE FROM carrier_message WHERE (owner, account_id, message_id) IN (
         SELECT owner, account_id, message_id FROM carrier_message WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
    "DELETE FROM carrier_message WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM carrier_message WHERE created_at < $1 ORDER BY created_at LIMIT $2))",
);
/// Spans organisations. Events of a shipment whose purchase is still followed are kept: they show whether a carrier's
/// answer is new.
const DELETE_OLD: Sql = Sql::each(
    "DELETE FROM tracking_event WHERE (owner, shipment_id, number) IN (
         SELECT owner, shipment_id, number FROM tracking_event t WHERE created_at < $1 AND NOT EXISTS (
             SELECT 1 FROM purchase p
             WHERE p.owner = t.owner AND p.shipment_id = t.shipment_id AND p.due_at IS NOT NULL)
         ORDER BY created_at LIMIT $2)",
    "DELETE FROM tracking_event WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM tracking_event t WHERE created_at < $1 AND NOT EXISTS (
             SELECT 1 FROM purchase p
             WHERE p.owner = t.owner AND p.shipment_id = t.shipment_id AND p.due_at IS NOT NULL)
         ORDER BY created_at LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] =
    &[&ALL, &INSERT, &DELETE, &TAKE_MESSAGE, &FORGET_MESSAGES, &DELETE_OLD];

/// Returns the newest events of a shipment as JSON, the oldest of them first.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>, limit: usize) -> Result<Vec<String>> {
    let rows = tx.all(&ALL, &[owner.into(), shipment.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().rev().map(|mut row| row.text(0)).collect()
}

/// Adds an event. The caller must hold the lock on the shipment, so that two events don't get the same number.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: Id<Shipment>,
    doc: &str,
    now: Timestamp,
) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), shipment.into(), doc.into(), now.into()]).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), shipment.into()]).await
}

/// Records a carrier's message, and returns whether it is new.
pub async fn take_message(
    tx: &mut Tx<'_>,
    owner: Owner,
    account: Id<CarrierAccount>,
    message: &str,
    now: Timestamp,
) -> Result<bool> {
    let values = [owner.into(), account.into(), message.into(), now.into()];
    Ok(tx.execute(&TAKE_MESSAGE, &values).await? > 0)
}

/// Deletes at most `limit` messages that are too old to be repeated, and returns how many.
pub async fn forget_messages(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&FORGET_MESSAGES, &[before.into(), limit.into()]).await
}

/// Deletes at most `limit` tracking events from before the given time, of shipments that are no longer followed,
/// oldest first. Returns how many.
pub async fn delete_old(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[before.into(), limit.into()]).await
}
