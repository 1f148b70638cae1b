//! Requests for a new password that no node has looked at yet. They belong to no organisation.

use model::{Id, Mail, Result, Timestamp};

use crate::platform::engine::{Sql, Tx};

/// The owner of rows that belong to no organisation.
const NO_OWNER: &str = "*";

const INSERT: Sql =
    Sql::same("INSERT INTO password_reset (owner, id, sealed, created_at) VALUES ($1, $2, $3, $4)");
const ANY: Sql = Sql::same("SELECT created_at FROM password_reset ORDER BY created_at LIMIT 1");
/// Deleting the request and reading it is one statement, so that one node acts on it.
const TAKE: Sql = Sql::each(
    "DELETE FROM password_reset WHERE (owner, id) IN (
         SELECT owner, id FROM password_reset ORDER BY created_at LIMIT 1)
     RETURNING id, sealed, created_at",
    "DELETE FROM password_reset WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM password_reset ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED))
     RETURNING id, sealed, created_at",
);
const DELETE_OLD: Sql = Sql::each(
    "DELETE FROM password_reset WHERE (owner, id) IN (
         SELECT owner, id FROM password_reset WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
    "DELETE FROM password_reset WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM password_reset WHERE created_at < $1 ORDER BY created_at LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &ANY, &TAKE, &DELETE_OLD];

/// A request that was taken.
pub struct TakenReset {
    pub id: Id<Mail>,
    pub sealed: Vec<u8>,
    pub created_at: Timestamp,
}

/// Belongs to no organisation: records a request.
pub async fn insert(tx: &mut Tx<'_>, id: Id<Mail>, sealed: &[u8], now: Timestamp) -> Result<()> {
    tx.send(&INSERT, &[NO_OWNER.into(), id.into(), sealed.into(), now.into()]).await
}

/// Belongs to no organisation: returns whether there is a request.
pub async fn any(tx: &mut Tx<'_>) -> Result<bool> {
    Ok(tx.one(&ANY, &[]).await?.is_some())
}

/// Belongs to no organisation: takes the oldest request. No other transaction sees it, unless this one fails.
pub async fn take(tx: &mut Tx<'_>) -> Result<Option<TakenReset>> {
    let Some(mut row) = tx.one(&TAKE, &[]).await? else { return Ok(None) };
    Ok(Some(TakenReset { id: row.id(0)?, sealed: row.blob(1)?, created_at: row.moment(2)? }))
}

/// Belongs to no organisation: deletes at most `limit` requests that were made before the moment. Returns how many.
pub async fn delete_old(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[before.into(), limit.into()]).await
}
