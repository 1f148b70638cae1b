//! Sample data: one row for each test world that has the sample shop.

use model::{Error, Owner, Result};

use crate::platform::engine::{Sql, Tx};

const BEGIN: Sql =
    Sql::same("INSERT INTO sample_data (owner, doc) VALUES ($1, $2) ON CONFLICT (owner) DO NOTHING");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT doc FROM sample_data WHERE owner = $1",
    "SELECT doc FROM sample_data WHERE owner = $1 FOR UPDATE",
);
const UPDATE: Sql = Sql::same("UPDATE sample_data SET doc = $1 WHERE owner = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[&BEGIN, &GET_FOR_UPDATE, &UPDATE];

/// Locks what is kept, and returns it. Where nothing is kept, that is this document.
pub async fn begin(tx: &mut Tx<'_>, owner: Owner, doc: &str) -> Result<String> {
    tx.execute(&BEGIN, &[owner.into(), doc.into()]).await?;
    let row = tx.one(&GET_FOR_UPDATE, &[owner.into()]).await?;
    row.ok_or_else(|| Error::fault("sample data that was begun is gone"))?.text(0)
}

pub async fn update(tx: &mut Tx<'_>, owner: Owner, doc: &str) -> Result<()> {
    tx.send(&UPDATE, &[doc.into(), owner.into()]).await
}
