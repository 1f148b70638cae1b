//! The records of the sandbox carrier that runs in this process. They are the carrier's state, not ours.

use model::{Owner, Result};

use crate::platform::engine::{Sql, Tx};

const ALL: Sql =
    Sql::same("SELECT doc FROM sandbox_entry WHERE owner = $1 AND reference = $2 ORDER BY number");
const INSERT: Sql =
    Sql::same("INSERT INTO sandbox_entry (owner, reference, number, doc) VALUES ($1, $2, $3, $4)");
/// One transaction at a time for each reference.
const LOCK: Sql =
    Sql::each("", "SELECT 1::bigint FROM pg_advisory_xact_lock(hashtextextended($1, 4716051120336))");

pub(crate) const STATEMENTS: &[&Sql] = &[&ALL, &INSERT, &LOCK];

/// Returns the records under a reference in order, as JSON. Excludes other transactions from adding to them until
/// this one ends.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, reference: &str) -> Result<Vec<String>> {
    tx.one(&LOCK, &[format!("{owner} {reference}").into()]).await?;
    let rows = tx.all(&ALL, &[owner.into(), reference.into()]).await?;
    rows.into_iter().map(|mut row| row.text(0)).collect()
}

/// Adds a record.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, reference: &str, number: i64, doc: &str) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), reference.into(), number.into(), doc.into()]).await
}
