//! Manifests, with their state and the node that holds each. Nodes claim manifests as they claim purchases.

use model::places::closing::Day;
use model::shipping::manifest::Status;
use model::{
    Batch, CarrierAccount, Document, Error, Id, Location, Manifest, Owner, Result, Shipment, Timestamp,
};

use crate::platform::engine::{Row, Sql, Tx, Value, taken, wanted};
use crate::platform::page::{Page, PageSql, Start};
use crate::platform::suspects::{OTHERS, SUSPECTS};
use crate::shipping::manifest_shipments::{attach, hold, list, release, shipments_of};

macro_rules! columns {
    () => {
        "owner, id, version, status, account_id, carrier, location_id, ship_date, details, document_id, \
         shipments_count, packages_count, fence, failures, begun_at, created_at, updated_at, \
         crashes"
    };
}

const GET: Sql = Sql::same(concat!("SELECT ", columns!(), " FROM manifest WHERE owner = $1 AND id = $2"));
const GET_FOR_UPDATE: Sql = Sql::each(
    concat!("SELECT ", columns!(), " FROM manifest WHERE owner = $1 AND id = $2"),
    concat!("SELECT ", columns!(), " FROM manifest WHERE owner = $1 AND id = $2 FOR UPDATE"),
);
/// `$2` lists the ids as JSON.
const GET_MANY: Sql = Sql::each(
    concat!(
        "SELECT ",
        columns!(),
        " FROM manifest WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id"
    ),
    concat!(
        "SELECT m.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT ",
        columns!(),
        " FROM manifest WHERE owner = $1 AND id = wanted.id OFFSET 0) m ORDER BY m.id"
    ),
);
const PAGE: PageSql = PageSql {
    older: Sql::same(concat!(
        "SELECT id, ",
        columns!(),
        " FROM manifest WHERE owner = $1 AND id < $2 AND (CAST($3 AS TEXT) IS NULL OR status = $3)
         AND (CAST($4 AS TEXT) IS NULL OR location_id = $4) ORDER BY id DESC LIMIT $5"
    )),
    newer: Sql::same(concat!(
        "SELECT id, ",
        columns!(),
        " FROM manifest WHERE owner = $1 AND id > $2 AND (CAST($3 AS TEXT) IS NULL OR status = $3)
         AND (CAST($4 AS TEXT) IS NULL OR location_id = $4) ORDER BY id LIMIT $5"
    )),
};
const OF_BATCH: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM manifest WHERE owner = $1 AND id IN (
         SELECT m.manifest_id FROM shipment s
         JOIN manifest_shipment m ON m.owner = s.owner AND m.shipment_id = s.id
         WHERE s.owner = $1 AND s.batch_id = $2) ORDER BY id"
));
/// Manifests of one location and day that did not fail.
const OF_DAY: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM manifest WHERE owner = $1 AND location_id = $2 AND ship_date = $3 AND status <> 'failed'
     AND (CAST($4 AS TEXT) IS NULL OR account_id = $4) ORDER BY id"
));
const INSERT: Sql = Sql::same(
    "INSERT INTO manifest (owner, id, version, status, account_id, carrier, location_id, ship_date, details, document_id,
         shipments_count, packages_count, due_at, begun_at, created_at, updated_at)
     VALUES ($1, $2, 1, 'creating', $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $11, $11)",
);
/// Raises the fence, so that a node that still works on the earlier attempt can't record anything.
const BEGIN_AGAIN: Sql = Sql::same(
    "UPDATE manifest SET version = version + 1, status = 'creating', details = $1, shipments_count = $2,
         packages_count = $3, holder = '', fence = fence + 1, due_at = $4, failures = 0, crashes = 0, begun_at = $4, updated_at = $4
     WHERE owner = $5 AND id = $6",
);
const USES_ACCOUNT: Sql =
    Sql::same("SELECT id FROM manifest WHERE owner = $1 AND status = 'creating' AND account_id = $2 LIMIT 1");
/// Spans organisations.
const ANY_DUE: Sql = Sql::same(
    "SELECT fence FROM manifest WHERE due_at <= $1 AND crashes = 0
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
/// Spans organisations. `$3` is 1 to claim suspects, and 0 to claim everything else.
const CLAIM: Sql = Sql::each(
    concat!(
        "UPDATE manifest SET ",
        taken!(),
        " WHERE (owner, id) IN (
             SELECT m.owner, m.id FROM manifest m WHERE m.due_at <= $2 AND (m.crashes > 0) = ($3 = 1)
             AND m.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY m.due_at LIMIT $4)
         RETURNING ",
        columns!()
    ),
    concat!(
        "UPDATE manifest SET ",
        taken!(),
        " WHERE ctid = ANY (ARRAY(
             SELECT m.ctid FROM manifest m
             WHERE m.due_at <= $2 AND (m.crashes > 0) = ($3::bigint = 1)
             AND m.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY m.due_at LIMIT $4 FOR UPDATE OF m SKIP LOCKED))
         RETURNING ",
        columns!()
    ),
);
/// Takes effect once: it releases the claim, so a node that repeats it because the answer was lost changes no row.
const RECORD: Sql = Sql::same(
    "UPDATE manifest SET version = version + 1, status = $1, details = $2, holder = '', crashes = 0, due_at = $3, failures = $4,
         updated_at = $5
     WHERE owner = $6 AND id = $7 AND fence = $8 AND holder <> ''",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &GET_MANY,
    &PAGE.older,
    &PAGE.newer,
    &OF_BATCH,
    &OF_DAY,
    &INSERT,
    &BEGIN_AGAIN,
    &USES_ACCOUNT,
    &ANY_DUE,
    &CLAIM,
    &RECORD,
];

/// A manifest with its state.
#[derive(Clone, Debug)]
pub struct StoredManifest {
    pub owner: Owner,
    pub id: Id<Manifest>,
    pub version: i64,
    pub status: Status,
    pub account: Id<CarrierAccount>,
    /// The carrier's handle.
    pub carrier: String,
    pub location: Option<Id<Location>>,
    pub ship_date: Day,
    /// As JSON.
    pub details: String,
    pub document: Id<Document>,
    pub shipments_count: i64,
    pub packages_count: i64,
    pub fence: i64,
    pub failures: i64,
    pub begun_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The number of servers in a row that stopped while they held it.
    pub crashes: i64,
}

/// A new manifest.
#[derive(Clone, Debug)]
pub struct Intent {
    pub id: Id<Manifest>,
    pub account: Id<CarrierAccount>,
    pub carrier: String,
    pub location: Option<Id<Location>>,
    pub ship_date: Day,
    pub details: String,
    pub document: Id<Document>,
    pub shipments: Vec<Id<Shipment>>,
}

/// The outcome of a step of work on a manifest.
pub struct Standing {
    pub status: Status,
    /// As JSON.
    pub details: String,
    pub due_at: Option<Timestamp>,
    pub failures: i64,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Manifest>) -> Result<Option<StoredManifest>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(|row| read(row, 0)).transpose()
}

/// Returns the manifest as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Manifest>,
) -> Result<Option<StoredManifest>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(|row| read(row, 0)).transpose()
}

pub async fn get_many(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Manifest>]) -> Result<Vec<StoredManifest>> {
    let rows = tx.all(&GET_MANY, &[owner.into(), list(ids)]).await?;
    rows.into_iter().map(|row| read(row, 0)).collect()
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    status: Option<Status>,
    location: Option<Id<Location>>,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredManifest>> {
    let filters = [status.map(Status::as_str).into(), location.into()];
    Page::read(tx, &PAGE, owner.into(), &filters, start, limit).await?.try_map(|row| read(row, 1))
}

/// Returns the manifests that list a shipment of a batch, oldest first.
pub async fn of_batch(tx: &mut Tx<'_>, owner: Owner, batch: Id<Batch>) -> Result<Vec<StoredManifest>> {
    let rows = tx.all(&OF_BATCH, &[owner.into(), batch.into()]).await?;
    rows.into_iter().map(|row| read(row, 0)).collect()
}

/// Returns the manifests of one location and day that did not fail, oldest first.
pub async fn of_day(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Id<Location>,
    day: Day,
    account: Option<Id<CarrierAccount>>,
) -> Result<Vec<StoredManifest>> {
    let values = [owner.into(), location.into(), day.to_string().into(), account.into()];
    let rows = tx.all(&OF_DAY, &values).await?;
    rows.into_iter().map(|row| read(row, 0)).collect()
}

/// Inserts a manifest with those of its shipments that are in no other. If there are none, inserts nothing and
/// returns false.
pub async fn begin(tx: &mut Tx<'_>, owner: Owner, intent: &Intent, now: Timestamp) -> Result<bool> {
    let Some((shipments, packages)) = attach(tx, owner, intent.id, &intent.shipments).await? else {
        return Ok(false);
    };
    let values = [
        owner.into(),
        intent.id.into(),
        intent.account.into(),
        intent.carrier.as_str().into(),
        intent.location.into(),
        intent.ship_date.to_string().into(),
        intent.details.as_str().into(),
        intent.document.into(),
        shipments.into(),
        packages.into(),
        now.into(),
    ];
    tx.send(&INSERT, &values).await?;
    Ok(true)
}

/// Restarts a failed manifest with those of its shipments that are in no other. Returns false if there are none.
pub async fn begin_again(
    tx: &mut Tx<'_>,
    manifest: &StoredManifest,
    details: &str,
    now: Timestamp,
) -> Result<bool> {
    let (owner, id) = (manifest.owner, manifest.id);
    let shipments = shipments_of(tx, owner, &[id]).await?;
    let shipments: Vec<_> = shipments.into_iter().map(|(_, shipment)| shipment).collect();
    hold(tx, owner, &shipments).await?;
    let Some((shipments, packages)) = attach(tx, owner, id, &shipments).await? else { return Ok(false) };
    let values = [details.into(), shipments.into(), packages.into(), now.into(), owner.into(), id.into()];
    tx.send(&BEGIN_AGAIN, &values).await?;
    Ok(true)
}

/// Returns whether a manifest is being requested from a carrier with this account.
pub async fn uses_account(tx: &mut Tx<'_>, owner: Owner, account: Id<CarrierAccount>) -> Result<bool> {
    Ok(tx.one(&USES_ACCOUNT, &[owner.into(), account.into()]).await?.is_some())
}

/// Returns whether there is due work that no live node holds.
pub async fn any_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_DUE, &[now.into()]).await?.is_some())
}

/// Spans organisations: claims due manifests.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<StoredManifest>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), OTHERS, Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|row| read(row, 0)).collect()
}

/// Claims the suspect that has been due for the longest. The node resumes it while it does no other work.
pub async fn claim_suspect(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<Option<StoredManifest>> {
    tx.one(&CLAIM, &[node.into(), now.into(), SUSPECTS, Value::Int(1)])
        .await?
        .map(|row| read(row, 0))
        .transpose()
}

/// Records the outcome and releases the claim. Returns false, and writes nothing, if the node no longer holds the
/// manifest. The shipments of a failed manifest become free for another.
pub async fn record(
    tx: &mut Tx<'_>,
    manifest: &StoredManifest,
    standing: &Standing,
    now: Timestamp,
) -> Result<bool> {
    let (owner, id) = (manifest.owner, manifest.id);
    let values = [
        standing.status.as_str().into(),
        standing.details.as_str().into(),
        standing.due_at.into(),
        standing.failures.into(),
        now.into(),
        owner.into(),
        id.into(),
        manifest.fence.into(),
    ];
    if tx.execute(&RECORD, &values).await? == 0 {
        return Ok(false);
    }
    if standing.status == Status::Failed {
        release(tx, owner, id).await?;
    }
    Ok(true)
}

fn read(mut row: Row, first: usize) -> Result<StoredManifest> {
    let status = row.text(first + 3)?;
    let day = row.text(first + 7)?;
    Ok(StoredManifest {
        owner: row.owner(first)?,
        id: row.id(first + 1)?,
        version: row.int(first + 2)?,
        status: Status::parse(&status).ok_or_else(|| Error::fault("a manifest has no known status"))?,
        account: row.id(first + 4)?,
        carrier: row.text(first + 5)?,
        location: row.id_or_null(first + 6)?,
        ship_date: Day::parse(&day).ok_or_else(|| Error::fault("a manifest has no known day"))?,
        details: row.text(first + 8)?,
        document: row.id(first + 9)?,
        shipments_count: row.int(first + 10)?,
        packages_count: row.int(first + 11)?,
        fence: row.int(first + 12)?,
        failures: row.int(first + 13)?,
        begun_at: row.moment(first + 14)?,
        created_at: row.moment(first + 15)?,
        updated_at: row.moment(first + 16)?,
        crashes: row.int(first + 17)?,
    })
}
