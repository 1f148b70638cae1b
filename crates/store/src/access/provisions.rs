//! Provisions: the organisations that have asked for their events to be sent to them, by webhooks and streams.

use model::{Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx};

const GET: Sql = Sql::same("SELECT created_at FROM provision WHERE owner = $1");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT created_at FROM provision WHERE owner = $1",
    "SELECT created_at FROM provision WHERE owner = $1 FOR UPDATE",
);
const INSERT: Sql =
    Sql::same("INSERT INTO provision (owner, created_at) VALUES ($1, $2) ON CONFLICT (owner) DO NOTHING");
const DELETE: Sql = Sql::same("DELETE FROM provision WHERE owner = $1");

/// Spans organisations: returns those of the given owners that are provisioned. `$1` lists them: `["org_…", …]`.
const SOME: Sql = Sql::each(
    "SELECT owner FROM provision WHERE owner IN (SELECT value FROM json_each($1))",
    "SELECT owner FROM provision WHERE owner IN (SELECT json_array_elements_text($1::text::json))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &GET_FOR_UPDATE, &INSERT, &DELETE, &SOME];

/// Returns whether the owner is provisioned.
pub async fn exists(tx: &mut Tx<'_>, owner: Owner) -> Result<bool> {
    Ok(tx.one(&GET, &[owner.into()]).await?.is_some())
}

/// Returns since when the owner is provisioned, if it is, and locks its row until this transaction ends. Rows that
/// change only under this lock, such as webhook endpoints, stay unchanged too.
pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner) -> Result<Option<Timestamp>> {
    let row = tx.one(&GET_FOR_UPDATE, &[owner.into()]).await?;
    row.map(|mut row| row.moment(0)).transpose()
}

/// Provisions the owner. Returns false if it was provisioned already.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&INSERT, &[owner.into(), now.into()]).await? == 1)
}

/// Deletes the provision. Returns false if there was none.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner) -> Result<bool> {
    Ok(tx.execute(&DELETE, &[owner.into()]).await? == 1)
}

/// Spans organisations: returns those of the owners that are provisioned.
pub async fn some(tx: &mut Tx<'_>, owners: &[Owner]) -> Result<Vec<Owner>> {
    let names: Vec<String> = owners.iter().map(ToString::to_string).collect();
    let rows = tx.all(&SOME, &[serde_json::json!(names).to_string().into()]).await?;
    rows.into_iter().map(|mut row| row.owner(0)).collect()
}
