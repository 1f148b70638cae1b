//! Idempotency keys: the answers to requests, stored in the same transaction as the change.

use model::{Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx};

/// Held until the transaction ends, so that a second request with the same key learns that the first is still
/// running. SQLite has one writer, so there the first has ended before the second begins.
const LOCK: Sql = Sql::each(
    "SELECT 1 WHERE $1 IS NOT NULL",
    "SELECT 1::bigint WHERE pg_try_advisory_xact_lock(hashtextextended($1, 4716051120333))",
);
const GET: Sql = Sql::same(
    "SELECT fingerprint, answer FROM idempotency WHERE owner = $1 AND key = $2 AND created_at >= $3",
);
const PUT: Sql = Sql::same(
    "INSERT INTO idempotency (owner, key, fingerprint, answer, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (owner, key) DO UPDATE
     SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at",
);
/// Spans organisations: answers are deleted once they are old.
const DELETE_OLD: Sql = Sql::each(
    "DELETE FROM idempotency WHERE (owner, key) IN (
         SELECT owner, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
    "DELETE FROM idempotency WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&LOCK, &GET, &PUT, &DELETE_OLD];

/// A request's fingerprint and the answer to it.
pub struct StoredAnswer {
    pub fingerprint: Vec<u8>,
    pub answer: String,
}

/// Locks the key until this transaction ends. Returns false if another transaction holds it.
pub async fn claim(tx: &mut Tx<'_>, owner: Owner, key: &str) -> Result<bool> {
    Ok(tx.one(&LOCK, &[format!("{owner} {key}").into()]).await?.is_some())
}

/// Returns the answer that was stored at the given time or later.
pub async fn get(tx: &mut Tx<'_>, owner: Owner, key: &str, since: Timestamp) -> Result<Option<StoredAnswer>> {
    let row = tx.one(&GET, &[owner.into(), key.into(), since.into()]).await?;
    row.map(|mut row| Ok(StoredAnswer { fingerprint: row.blob(0)?, answer: row.text(1)? })).transpose()
}

pub async fn put(
    tx: &mut Tx<'_>,
    owner: Owner,
    key: &str,
    fingerprint: &[u8],
    answer: &str,
    now: Timestamp,
) -> Result<()> {
    let values = [owner.into(), key.into(), fingerprint.into(), answer.into(), now.into()];
    tx.send(&PUT, &values).await
}

/// Deletes at most `limit` answers that were stored before the given time, and returns how many.
pub async fn delete_old(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[before.into(), limit.into()]).await
}
