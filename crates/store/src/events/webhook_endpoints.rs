//! Webhook endpoints and their secrets.

use model::{Id, Owner, Result, WebhookEndpoint};

use crate::platform::engine::{Sql, Tx};
use crate::platform::page::{Page, PageSql, Start};

const GET: Sql = Sql::same("SELECT version, doc, secrets FROM webhook_endpoint WHERE owner = $1 AND id = $2");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT version, doc, secrets FROM webhook_endpoint WHERE owner = $1 AND id = $2",
    "SELECT version, doc, secrets FROM webhook_endpoint WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const VERSION: Sql = Sql::same("SELECT version FROM webhook_endpoint WHERE owner = $1 AND id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, doc FROM webhook_endpoint WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, doc FROM webhook_endpoint WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
const COUNT: Sql = Sql::same("SELECT count(*) FROM webhook_endpoint WHERE owner = $1");
const INSERT: Sql =
    Sql::same("INSERT INTO webhook_endpoint (owner, id, version, doc, secrets) VALUES ($1, $2, 1, $3, $4)");
const UPDATE: Sql = Sql::same(
    "UPDATE webhook_endpoint SET version = version + 1, doc = $1, secrets = $2 WHERE owner = $3 AND id = $4",
);
const DELETE: Sql = Sql::same("DELETE FROM webhook_endpoint WHERE owner = $1 AND id = $2");
const DELETE_ALL: Sql = Sql::same("DELETE FROM webhook_endpoint WHERE owner = $1");
const BURY: Sql =
    Sql::same("INSERT INTO webhook_grave (owner, endpoint_id) VALUES ($1, $2) ON CONFLICT DO NOTHING");
const BURY_ALL: Sql = Sql::same(
    "INSERT INTO webhook_grave (owner, endpoint_id) SELECT owner, id FROM webhook_endpoint WHERE owner = $1
     ON CONFLICT DO NOTHING",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &VERSION,
    &PAGE.older,
    &PAGE.newer,
    &COUNT,
    &INSERT,
    &UPDATE,
    &DELETE,
    &DELETE_ALL,
    &BURY,
    &BURY_ALL,
];

/// An endpoint's document as the API serves it, its version, and its sealed secrets.
pub struct StoredWebhookEndpoint {
    pub version: i64,
    pub doc: String,
    pub secrets: Vec<u8>,
}

pub async fn get(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<WebhookEndpoint>,
) -> Result<Option<StoredWebhookEndpoint>> {
    read(tx, &GET, owner, id).await
}

/// Returns the endpoint as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<WebhookEndpoint>,
) -> Result<Option<StoredWebhookEndpoint>> {
    read(tx, &GET_FOR_UPDATE, owner, id).await
}

async fn read(
    tx: &mut Tx<'_>,
    sql: &Sql,
    owner: Owner,
    id: Id<WebhookEndpoint>,
) -> Result<Option<StoredWebhookEndpoint>> {
    let row = tx.one(sql, &[owner.into(), id.into()]).await?;
    row.map(|mut row| {
        Ok(StoredWebhookEndpoint { version: row.int(0)?, doc: row.text(1)?, secrets: row.blob(2)? })
    })
    .transpose()
}

/// Returns the version of an endpoint.
pub async fn version(tx: &mut Tx<'_>, owner: Owner, id: Id<WebhookEndpoint>) -> Result<Option<i64>> {
    tx.one(&VERSION, &[owner.into(), id.into()]).await?.map(|mut row| row.int(0)).transpose()
}

/// Returns a page of documents.
pub async fn page(tx: &mut Tx<'_>, owner: Owner, start: &Start, limit: usize) -> Result<Page<String>> {
    let page = Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?;
    page.try_map(|mut row| row.text(1))
}

pub async fn count(tx: &mut Tx<'_>, owner: Owner) -> Result<i64> {
    tx.one(&COUNT, &[owner.into()]).await?.map_or(Ok(0), |mut row| row.int(0))
}

pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<WebhookEndpoint>,
    doc: &str,
    secrets: &[u8],
) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), id.into(), doc.into(), secrets.into()]).await
}

pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<WebhookEndpoint>,
    doc: &str,
    secrets: &[u8],
) -> Result<()> {
    tx.send(&UPDATE, &[doc.into(), secrets.into(), owner.into(), id.into()]).await
}

/// Deletes an endpoint with its lane. Its deliveries are no longer visible, and are deleted later.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<WebhookEndpoint>) -> Result<()> {
    tx.send(&BURY, &[owner.into(), id.into()]).await?;
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

/// Deletes all endpoints of an owner, as [`delete`] does for one.
pub async fn delete_all(tx: &mut Tx<'_>, owner: Owner) -> Result<u64> {
    tx.send(&BURY_ALL, &[owner.into()]).await?;
    tx.execute(&DELETE_ALL, &[owner.into()]).await
}
