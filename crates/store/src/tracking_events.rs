//! Where shipments were on their way, and the messages of carriers that told so.

use model::{CarrierAccount, Id, Owner, Result, Shipment, Timestamp};

use crate::engine::{Sql, Tx, Value};

const ALL: Sql = Sql::same(
    "SELECT doc FROM tracking_event WHERE owner = $1 AND shipment_id = $2 ORDER BY number DESC LIMIT $3",
);
const INSERT: Sql = Sql::same(
    "INSERT INTO tracking_event (owner, shipment_id, number, doc)
     VALUES ($1, $2, 1 + coalesce((SELECT max(number) FROM tracking_event t WHERE t.owner = $1 AND t.shipment_id = $2), 0), $3)",
);
const DELETE: Sql = Sql::same("DELETE FROM tracking_event WHERE owner = $1 AND shipment_id = $2");
const TAKE_MESSAGE: Sql = Sql::same(
    "INSERT INTO carrier_message (owner, account_id, message_id, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING",
);
/// Spans organisations.
const FORGET_MESSAGES: Sql = Sql::same("DELETE FROM carrier_message WHERE created_at < $1");

pub(crate) const STATEMENTS: &[&Sql] = &[&ALL, &INSERT, &DELETE, &TAKE_MESSAGE, &FORGET_MESSAGES];

/// The newest events of a shipment, as JSON texts, the oldest of them first.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>, limit: usize) -> Result<Vec<String>> {
    let rows = tx.all(&ALL, &[owner.into(), shipment.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().rev().map(|mut row| row.text(0)).collect()
}

/// Adds an event. The shipment is held by whoever calls, so numbers don't clash.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>, doc: &str) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), shipment.into(), doc.into()]).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), shipment.into()]).await
}

/// Whether a carrier's message is new.
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

/// Forgets messages that are too old to come again.
pub async fn forget_messages(tx: &mut Tx<'_>, before: Timestamp) -> Result<()> {
    tx.send(&FORGET_MESSAGES, &[before.into()]).await
}
