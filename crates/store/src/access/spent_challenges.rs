//! Challenges that were answered: each works once. They belong to no organisation.

use model::{Result, Timestamp};

use crate::platform::engine::{Sql, Tx};

/// The owner of rows that belong to no organisation.
const NO_OWNER: &str = "*";

const INSERT: Sql = Sql::same(
    "INSERT INTO spent_challenge (owner, hash, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
const DELETE_OLD: Sql = Sql::each(
    "DELETE FROM spent_challenge WHERE (owner, hash) IN (
         SELECT owner, hash FROM spent_challenge WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
    "DELETE FROM spent_challenge WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM spent_challenge WHERE expires_at < $1 ORDER BY expires_at LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &DELETE_OLD];

/// Belongs to no organisation: records that the challenge with this hash was answered. Returns false if it was before.
/// The row must stay until the challenge expires.
pub async fn insert(tx: &mut Tx<'_>, hash: [u8; 32], expires_at: Timestamp) -> Result<bool> {
    Ok(tx.execute(&INSERT, &[NO_OWNER.into(), hash.as_slice().into(), expires_at.into()]).await? == 1)
}

/// Belongs to no organisation: deletes at most `limit` challenges that expired before the moment. Returns how many.
pub async fn delete_old(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[before.into(), limit.into()]).await
}
