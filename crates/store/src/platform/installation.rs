//! The installation's own state: a few named texts.

use model::Result;

use crate::platform::engine::{Sql, Tx};

/// The owner of rows that belong to the whole installation.
pub(crate) const INSTALLATION: &str = "*";

const GET: Sql = Sql::same("SELECT value FROM installation WHERE owner = $1 AND name = $2");
const INSERT: Sql = Sql::same(
    "INSERT INTO installation (owner, name, value) VALUES ($1, $2, $3) ON CONFLICT (owner, name) DO NOTHING",
);
const REPLACE: Sql = Sql::same(
    "INSERT INTO installation (owner, name, value) VALUES ($1, $2, $3)
     ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &INSERT, &REPLACE];

/// Returns the text of this name, if there is one.
pub async fn get(tx: &mut Tx<'_>, name: &str) -> Result<Option<String>> {
    let row = tx.one(&GET, &[INSTALLATION.into(), name.into()]).await?;
    row.map(|mut row| row.text(0)).transpose()
}

/// Inserts the text unless there is one of this name. If several nodes start at once, one of them inserts.
pub async fn insert(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<()> {
    tx.send(&INSERT, &[INSTALLATION.into(), name.into(), value.into()]).await
}

/// Inserts or replaces the text of this name.
pub async fn replace(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<()> {
    tx.send(&REPLACE, &[INSTALLATION.into(), name.into(), value.into()]).await
}
