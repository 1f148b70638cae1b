//! Shipments. A shipment's document is all that is shown of it but its files, which have a table of their own.

use model::shipment::{Status, Summary};
use model::{Batch, Error, Id, Location, Owner, Result, Shipment};

use crate::engine::{Row, Sql, Tx, wanted};
use crate::inventory_items::id_list;
use crate::page::{Page, PageSql, Start};

const GET: Sql = Sql::same(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment WHERE owner = $1 AND id = $2",
);
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment WHERE owner = $1 AND id = $2",
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment WHERE owner = $1 AND id = $2 FOR UPDATE",
);
/// `$2` lists ids as JSON.
const ALL: Sql = Sql::each(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT s.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment
             WHERE owner = $1 AND id = wanted.id OFFSET 0) s
         ORDER BY s.id"
    ),
);
/// The batch that a shipment is in is locked before it, as everywhere.
const LOCK_BATCH: Sql = Sql::each(
    "",
    "SELECT id FROM batch WHERE owner = $1
     AND id = (SELECT batch_id FROM shipment WHERE owner = $1 AND id = $2) FOR UPDATE",
);
/// `$2` lists ids as JSON. Sorted before they are locked, so that whoever locks several does it in one order. The list
/// leads, whatever the planner thinks of a table that was filled a moment ago.
const LOCK_BATCHES: Sql = Sql::each(
    "",
    "SELECT b.id FROM (
         SELECT DISTINCT s.batch_id AS id FROM jsonb_array_elements_text($2::text::jsonb) AS wanted (id)
         CROSS JOIN LATERAL (SELECT batch_id FROM shipment WHERE owner = $1 AND id = wanted.id LIMIT 1) s
         ORDER BY 1) named
     CROSS JOIN LATERAL (SELECT id FROM batch WHERE owner = $1 AND id = named.id FOR UPDATE) b",
);
const ALL_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT s.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment
             WHERE owner = $1 AND id = wanted.id FOR UPDATE) s"
    ),
);
const INSERT: Sql = Sql::same(
    "INSERT INTO shipment (owner, id, version, status, packages_count, errors_count, chosen, origin_id, origin_version, doc)
     VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE shipment SET version = version + 1, status = $1, packages_count = $2, errors_count = $3, chosen = $4, doc = $5
     WHERE owner = $6 AND id = $7",
);
const SET_ORIGIN: Sql =
    Sql::same("UPDATE shipment SET origin_id = $1, origin_version = $2 WHERE owner = $3 AND id = $4");
const DELETE: Sql = Sql::same("DELETE FROM shipment WHERE owner = $1 AND id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
const PAGE_BY_STATUS: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment
         WHERE owner = $1 AND id < $2 AND status = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen FROM shipment
         WHERE owner = $1 AND id > $2 AND status = $3 ORDER BY id LIMIT $4",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &ALL,
    &LOCK_BATCH,
    &LOCK_BATCHES,
    &ALL_FOR_UPDATE,
    &INSERT,
    &UPDATE,
    &SET_ORIGIN,
    &DELETE,
    &PAGE.older,
    &PAGE.newer,
    &PAGE_BY_STATUS.older,
    &PAGE_BY_STATUS.newer,
];

/// A shipment's document, which version of it, and where it stands.
#[derive(Clone)]
pub struct Stored {
    pub id: Id<Shipment>,
    pub version: i64,
    pub status: Status,
    pub doc: String,
    /// The one batch that it is in.
    pub batch: Option<Id<Batch>>,
    /// What it counts for there, and the service that it chose.
    pub summary: Summary,
}

/// The location that a shipment leaves from, as it was when the shipment was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    pub location: Id<Location>,
    pub version: i64,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<Option<Stored>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Several shipments in the order of their ids.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<Stored>> {
    match ids.is_empty() {
        true => Ok(Vec::new()),
        false => tx.all(&ALL, &[owner.into(), id_list(ids)]).await?.into_iter().map(read).collect(),
    }
}

/// As [`get`], and nobody else changes it, or the batch that it is in, before this transaction ends.
pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<Option<Stored>> {
    let locked = tx.one(&LOCK_BATCH, &[owner.into(), id.into()]).await?;
    let locked: Option<Id<Batch>> = locked.map(|mut row| row.id(0)).transpose()?;
    let stored = get_for_update_alone(tx, owner, id).await?;
    // It was put into another batch meanwhile. Now that it can't be moved any more, that one is locked too: should
    // whoever holds it wait for us, the database ends one of the two, which is run again.
    if let Some(batch) = stored.as_ref().and_then(|stored| stored.batch)
        && locked != Some(batch)
    {
        tx.one(&LOCK_BATCH, &[owner.into(), id.into()]).await?;
    }
    Ok(stored)
}

/// As [`get_for_update`], for changes that its batch does not notice: that is left to others.
pub async fn get_for_update_alone(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<Option<Stored>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// As [`all`], locked as by [`get_for_update`].
pub async fn all_for_update(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<Stored>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    tx.all(&LOCK_BATCHES, &[owner.into(), id_list(ids)]).await?;
    tx.all(&ALL_FOR_UPDATE, &[owner.into(), id_list(ids)]).await?.into_iter().map(read).collect()
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    status: Option<Status>,
    start: &Start,
    limit: usize,
) -> Result<Page<Stored>> {
    let page = match status {
        None => Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?,
        Some(status) => {
            let filter = [status.as_str().into()];
            Page::read(tx, &PAGE_BY_STATUS, owner.into(), &filter, start, limit).await?
        }
    };
    page.try_map(read)
}

pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    summary: &Summary,
    origin: Option<Origin>,
    doc: &str,
) -> Result<()> {
    let values = [
        owner.into(),
        id.into(),
        summary.status.as_str().into(),
        summary.packages.into(),
        summary.errors.into(),
        summary.chosen.clone().into(),
        origin.map(|origin| origin.location.to_string()).into(),
        origin.map(|origin| origin.version).into(),
        doc.into(),
    ];
    tx.send(&INSERT, &values).await
}

pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    summary: &Summary,
    doc: &str,
) -> Result<()> {
    let values = [
        summary.status.as_str().into(),
        summary.packages.into(),
        summary.errors.into(),
        summary.chosen.clone().into(),
        doc.into(),
        owner.into(),
        id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

/// Pins another version of another location.
pub async fn set_origin(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    origin: Option<Origin>,
) -> Result<()> {
    let values = [
        origin.map(|origin| origin.location.to_string()).into(),
        origin.map(|origin| origin.version).into(),
        owner.into(),
        id.into(),
    ];
    tx.send(&SET_ORIGIN, &values).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

pub(crate) fn read_status(word: &str) -> Result<Status> {
    Status::parse(word).ok_or_else(|| Error::fault("a shipment has no known status"))
}

pub(crate) fn read(mut row: Row) -> Result<Stored> {
    let status = read_status(&row.text(2)?)?;
    let (packages, errors, chosen) = (row.int(5)?, row.int(6)?, row.text_or_null(7)?);
    Ok(Stored {
        id: row.id(0)?,
        version: row.int(1)?,
        status,
        doc: row.text(3)?,
        batch: row.id_or_null(4)?,
        summary: Summary { status, packages, errors, chosen },
    })
}
