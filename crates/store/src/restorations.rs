//! Backups that were put in the place of the data, and how that is found out.
//!
//! Servers count on a mark with each heartbeat, and remember elsewhere how far it was. A database whose mark is behind that,
//! or was made in another place, is an older one: carriers may know of purchases that it never heard of.

use model::{Result, Timestamp};

use crate::engine::{Sql, Tx};
use crate::installation::{self, INSTALLATION};

/// The name of the mark in the installation's texts.
const MARK: &str = "mark";

const LAST: Sql =
    Sql::same("SELECT restored_at FROM restoration WHERE owner = $1 ORDER BY restored_at DESC LIMIT 1");
const INSERT: Sql = Sql::same(
    "INSERT INTO restoration (owner, restored_at, reason) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
/// Locked where there are several nodes, so that of two that find the same out the second finds it done.
const GET_MARK: Sql = Sql::each(
    "SELECT value FROM installation WHERE owner = $1 AND name = $2",
    "SELECT value FROM installation WHERE owner = $1 AND name = $2 FOR UPDATE",
);
/// Spans organisations. Whoever holds one is shut out.
const DOUBT: Sql = Sql::same(
    "UPDATE purchase SET state = 'checking', unknown_at = $1, due_at = $1, holder = '', fence = fence + 1, failures = 0,
         updated_at = $1
     WHERE state IN ('ready', 'calling')",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&LAST, &INSERT, &GET_MARK, &DOUBT];

/// When a backup was last restored, if one was.
pub async fn last(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    let row = tx.one(&LAST, &[INSTALLATION.into()]).await?;
    row.map(|mut row| row.moment(0)).transpose()
}

/// Writes down that a backup was restored, and has everything looked up that may have been bought since it was made; tells
/// how much that is. What is begun later is the business of whoever begins it.
pub async fn insert(tx: &mut Tx<'_>, now: Timestamp, reason: &str) -> Result<u64> {
    tx.send(&INSERT, &[INSTALLATION.into(), now.into(), reason.into()]).await?;
    tx.execute(&DOUBT, &[now.into()]).await
}

/// The mark, as it was last written. Nobody else writes it before this transaction ends.
pub async fn mark_for_update(tx: &mut Tx<'_>) -> Result<Option<String>> {
    let row = tx.one(&GET_MARK, &[INSTALLATION.into(), MARK.into()]).await?;
    row.map(|mut row| row.text(0)).transpose()
}

pub async fn set_mark(tx: &mut Tx<'_>, mark: &str) -> Result<()> {
    installation::replace(tx, MARK, mark).await
}
