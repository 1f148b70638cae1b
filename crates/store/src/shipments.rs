//! Shipments. A shipment's document is all that is shown of it but its files, which have a table of their own.

use model::shipment::Status;
use model::{Error, Id, Location, Owner, Result, Shipment};

use crate::engine::{Row, Sql, Tx};
use crate::page::{Page, PageSql, Start};

const GET: Sql = Sql::same("SELECT id, version, status, doc FROM shipment WHERE owner = $1 AND id = $2");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, status, doc FROM shipment WHERE owner = $1 AND id = $2",
    "SELECT id, version, status, doc FROM shipment WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const INSERT: Sql = Sql::same(
    "INSERT INTO shipment (owner, id, version, status, origin_id, origin_version, doc)
     VALUES ($1, $2, 1, $3, $4, $5, $6)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE shipment SET version = version + 1, status = $1, doc = $2 WHERE owner = $3 AND id = $4",
);
const SET_ORIGIN: Sql =
    Sql::same("UPDATE shipment SET origin_id = $1, origin_version = $2 WHERE owner = $3 AND id = $4");
const DELETE: Sql = Sql::same("DELETE FROM shipment WHERE owner = $1 AND id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, doc FROM shipment WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, version, status, doc FROM shipment WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
const PAGE_BY_STATUS: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, doc FROM shipment
         WHERE owner = $1 AND id < $2 AND status = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, version, status, doc FROM shipment
         WHERE owner = $1 AND id > $2 AND status = $3 ORDER BY id LIMIT $4",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
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

/// As [`get`], and nobody else changes it before this transaction ends.
pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<Option<Stored>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(read).transpose()
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
    status: Status,
    origin: Option<Origin>,
    doc: &str,
) -> Result<()> {
    let values = [
        owner.into(),
        id.into(),
        status.as_str().into(),
        origin.map(|origin| origin.location.to_string()).into(),
        origin.map(|origin| origin.version).into(),
        doc.into(),
    ];
    tx.execute(&INSERT, &values).await.map(drop)
}

pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    status: Status,
    doc: &str,
) -> Result<()> {
    tx.execute(&UPDATE, &[status.as_str().into(), doc.into(), owner.into(), id.into()]).await.map(drop)
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
    tx.execute(&SET_ORIGIN, &values).await.map(drop)
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<()> {
    tx.execute(&DELETE, &[owner.into(), id.into()]).await.map(drop)
}

fn read(mut row: Row) -> Result<Stored> {
    let status = row.text(2)?;
    let status = Status::parse(&status).ok_or_else(|| Error::fault("a shipment has no known status"))?;
    Ok(Stored { id: row.id(0)?, version: row.int(1)?, status, doc: row.text(3)? })
}
