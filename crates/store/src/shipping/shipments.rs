//! Shipments. A shipment's document is everything that the API shows of it, except for its files, which have a table
//! of their own.

use std::collections::BTreeSet;

use model::shipping::indexed_shipment::{IndexedChange, IndexedShipment};
use model::shipping::shipment::{Status, Summary};
use model::{Batch, Error, Id, Location, Order, Owner, Result, Shipment};

use crate::platform::engine::{Row, Sql, Tx, Value, wanted};
use crate::platform::page::{Page, PageSql, Start};
use crate::platform::search_terms;
use crate::shipping::shipment_facets;
use crate::stock::inventory_items::id_list;

const GET: Sql = Sql::same(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment WHERE owner = $1 AND id = $2",
);
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment WHERE owner = $1 AND id = $2",
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment WHERE owner = $1 AND id = $2 FOR UPDATE",
);
/// `$2` lists ids as JSON.
const ALL: Sql = Sql::each(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT s.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
             WHERE owner = $1 AND id = wanted.id OFFSET 0) s
         ORDER BY s.id"
    ),
);
/// A shipment's batch is locked before the shipment, as in every other transaction.
const LOCK_BATCH: Sql = Sql::each(
    "",
    "SELECT id FROM batch WHERE owner = $1
     AND id = (SELECT batch_id FROM shipment WHERE owner = $1 AND id = $2) FOR UPDATE",
);
/// `$2` lists ids as JSON. They are sorted before they are locked, so that all transactions lock batches in the same
/// order. The list leads, whatever the planner's statistics say about a table that has just been filled.
const LOCK_BATCHES: Sql = Sql::each(
    "",
    "SELECT b.id FROM (
         SELECT DISTINCT s.batch_id AS id FROM jsonb_array_elements_text($2::text::jsonb) AS wanted (id)
         CROSS JOIN LATERAL (SELECT batch_id FROM shipment WHERE owner = $1 AND id = wanted.id LIMIT 1) s
         ORDER BY 1) named
     CROSS JOIN LATERAL (SELECT id FROM batch WHERE owner = $1 AND id = named.id FOR UPDATE) b",
);
const ALL_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT s.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
             WHERE owner = $1 AND id = wanted.id FOR UPDATE) s"
    ),
);
const INSERT: Sql = Sql::same(
    "INSERT INTO shipment (owner, id, version, status, packages_count, errors_count, chosen, origin_id, origin_version, order_id, doc,
         error_codes)
     VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE shipment SET version = version + 1, status = $1, packages_count = $2, errors_count = $3, chosen = $4, doc = $5,
         label_pending = $6, purchased_at = CASE WHEN $1 = 'purchased' THEN coalesce(purchased_at, $7) ELSE purchased_at END,
         error_codes = $8, cost_amount = $9, cost_currency = $10
     WHERE owner = $11 AND id = $12",
);
const SET_ORIGIN: Sql =
    Sql::same("UPDATE shipment SET origin_id = $1, origin_version = $2 WHERE owner = $3 AND id = $4");
const ORIGIN: Sql = Sql::same("SELECT origin_id FROM shipment WHERE owner = $1 AND id = $2");
/// `$1` lists shipments as JSON.
const TIME_ZONES: Sql = Sql::each(
    "SELECT s.id, json_extract(l.doc, '$.time_zone') FROM json_each($1) AS wanted
     CROSS JOIN shipment s ON s.owner = $2 AND s.id = wanted.value
     CROSS JOIN location l ON l.owner = s.owner AND l.id = s.origin_id",
    concat!(
        "SELECT s.id, l.doc::json ->> 'time_zone' FROM ",
        wanted!("$1"),
        " CROSS JOIN LATERAL (
             SELECT id, origin_id FROM shipment WHERE owner = $2 AND id = wanted.id OFFSET 0) s
         CROSS JOIN LATERAL (SELECT doc FROM location WHERE owner = $2 AND id = s.origin_id OFFSET 0) l"
    ),
);
const DELETE: Sql = Sql::same("DELETE FROM shipment WHERE owner = $1 AND id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
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
    &ORIGIN,
    &TIME_ZONES,
    &DELETE,
    &PAGE.older,
    &PAGE.newer,
];

/// A shipment's document, its version, and the columns beside the document.
#[derive(Clone)]
pub struct StoredShipment {
    pub id: Id<Shipment>,
    pub version: i64,
    pub status: Status,
    pub doc: String,
    /// The batch that it is in.
    pub batch: Option<Id<Batch>>,
    /// Its share in the batch's counts, and the service that it chose.
    pub summary: Summary,
}

/// The location that a shipment leaves from, as it was when the shipment was created.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    pub location: Id<Location>,
    pub version: i64,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<Option<StoredShipment>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns several shipments in the order of their ids.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<StoredShipment>> {
    match ids.is_empty() {
        true => Ok(Vec::new()),
        false => tx.all(&ALL, &[owner.into(), id_list(ids)]).await?.into_iter().map(read).collect(),
    }
}

/// Returns the shipment as [`get`] does, and locks it and its batch until this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
) -> Result<Option<StoredShipment>> {
    let locked = tx.one(&LOCK_BATCH, &[owner.into(), id.into()]).await?;
    let locked: Option<Id<Batch>> = locked.map(|mut row| row.id(0)).transpose()?;
    let stored = get_for_update_alone(tx, owner, id).await?;
    // Another transaction has moved it into another batch meanwhile. It can't be moved any more, so that batch is
    // locked now. If the holder of that lock waits for this transaction, the database aborts one of the two, which is
    // then repeated.
    if let Some(batch) = stored.as_ref().and_then(|stored| stored.batch)
        && locked != Some(batch)
    {
        tx.one(&LOCK_BATCH, &[owner.into(), id.into()]).await?;
    }
    Ok(stored)
}

/// Locks the shipment without its batch, for changes that do not affect the batch.
pub async fn get_for_update_alone(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
) -> Result<Option<StoredShipment>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns shipments as [`all`] does, and locks them as [`get_for_update`] does.
pub async fn all_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<Shipment>],
) -> Result<Vec<StoredShipment>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    tx.all(&LOCK_BATCHES, &[owner.into(), id_list(ids)]).await?;
    tx.all(&ALL_FOR_UPDATE, &[owner.into(), id_list(ids)]).await?.into_iter().map(read).collect()
}

/// Returns a page of all shipments, newest first.
pub(crate) async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredShipment>> {
    Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?.try_map(read)
}

/// A shipment that is to be inserted.
pub struct NewShipment<'a> {
    pub id: Id<Shipment>,
    pub summary: &'a Summary,
    /// The location that it leaves from, unless its origin was given as an address.
    pub origin: Option<Origin>,
    /// The order that it is made from.
    pub order: Option<Id<Order>>,
    pub doc: &'a str,
}

/// Inserts a shipment with its facets and search terms.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, new: NewShipment<'_>) -> Result<()> {
    let NewShipment { id, summary, origin, order, doc } = new;
    let indexed = IndexedShipment::of(doc)?;
    let values = [
        owner.into(),
        id.into(),
        summary.status.as_str().into(),
        summary.packages.into(),
        summary.errors.into(),
        summary.chosen.clone().into(),
        origin.map(|origin| origin.location.to_string()).into(),
        origin.map(|origin| origin.version).into(),
        order.into(),
        doc.into(),
        indexed.error_codes.clone().into(),
    ];
    tx.send(&INSERT, &values).await?;
    shipment_facets::replace(tx, owner, id, &BTreeSet::new(), &indexed.facets).await?;
    search_terms::insert(tx, owner, id, indexed.terms.iter()).await
}

/// Replaces the shipment's document, and the facets and search terms in which it differs.
pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    summary: &Summary,
    change: &IndexedChange,
    doc: &str,
) -> Result<()> {
    let cost = change.new.cost.as_ref();
    let values = [
        summary.status.as_str().into(),
        summary.packages.into(),
        summary.errors.into(),
        summary.chosen.clone().into(),
        doc.into(),
        Value::Int(summary.label_pending.into()),
        change.new.updated_at.into(),
        change.new.error_codes.clone().into(),
        cost.map(|cost| cost.amount).into(),
        cost.map(|cost| cost.currency_code.clone()).into(),
        owner.into(),
        id.into(),
    ];
    tx.send(&UPDATE, &values).await?;
    let IndexedChange { old, new } = change;
    shipment_facets::replace(tx, owner, id, &old.facets, &new.facets).await?;
    search_terms::replace(tx, owner, id, &old.terms, &new.terms).await
}

/// Returns the location that a shipment leaves from, or `None` if its origin was given as an address.
pub async fn origin(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<Option<Id<Location>>> {
    let row = tx.one(&ORIGIN, &[owner.into(), id.into()]).await?;
    row.map_or(Ok(None), |mut row| row.id_or_null(0))
}

/// Returns the time zones of the locations that shipments leave from, where a location names one.
pub async fn time_zones(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<Shipment>],
) -> Result<Vec<(Id<Shipment>, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut zones = Vec::new();
    for mut row in tx.all(&TIME_ZONES, &[id_list(ids), owner.into()]).await? {
        if let Some(zone) = row.text_or_null(1)? {
            zones.push((row.id(0)?, zone));
        }
    }
    Ok(zones)
}

/// Sets the location that the shipment leaves from, and its version.
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

/// Deletes a shipment with its facets and search terms.
pub async fn delete(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    indexed: &IndexedShipment,
) -> Result<()> {
    shipment_facets::replace(tx, owner, id, &indexed.facets, &BTreeSet::new()).await?;
    search_terms::delete(tx, owner, id, indexed.terms.iter()).await?;
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

pub(crate) fn read_status(word: &str) -> Result<Status> {
    Status::parse(word).ok_or_else(|| Error::fault("a shipment has no known status"))
}

pub(crate) fn read(mut row: Row) -> Result<StoredShipment> {
    let status = read_status(&row.text(2)?)?;
    let (packages, errors, chosen) = (row.int(5)?, row.int(6)?, row.text_or_null(7)?);
    let label_pending = row.int(8)? == 1;
    Ok(StoredShipment {
        id: row.id(0)?,
        version: row.int(1)?,
        status,
        doc: row.text(3)?,
        batch: row.id_or_null(4)?,
        summary: Summary { status, packages, errors, label_pending, chosen },
    })
}
