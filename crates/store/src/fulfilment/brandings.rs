//! Brandings: one row for each world of an organisation that has set one.

use model::{Owner, Result};

use crate::platform::engine::{Sql, Tx};

const GET: Sql = Sql::same("SELECT version, doc FROM branding WHERE owner = $1");
/// The caller holds the lock of the organisation's settings, so that no other transaction writes between `get` and here.
const SET: Sql = Sql::same(
    "INSERT INTO branding (owner, version, doc) VALUES ($1, $2, $3)
     ON CONFLICT (owner) DO UPDATE SET version = excluded.version, doc = excluded.doc",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &SET];

/// A branding's document, and its version.
pub struct StoredBranding {
    pub version: i64,
    pub doc: String,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner) -> Result<Option<StoredBranding>> {
    let row = tx.one(&GET, &[owner.into()]).await?;
    row.map(|mut row| Ok(StoredBranding { version: row.int(0)?, doc: row.text(1)? })).transpose()
}

pub async fn set(tx: &mut Tx<'_>, owner: Owner, new: &StoredBranding) -> Result<()> {
    tx.send(&SET, &[owner.into(), new.version.into(), new.doc.as_str().into()]).await
}
