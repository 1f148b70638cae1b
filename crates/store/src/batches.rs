//! Batches, and which shipments are in them. Whoever changes both locks the batch first, then its shipments.

use model::batch::{Counts, Delta, Member, Status};
use model::shipment::ShipmentError;
use model::{Batch, Error, Id, Owner, Result, Shipment, Timestamp};

use crate::engine::{Row, Sql, Tx, Value};
use crate::inventory_items::id_list;
use crate::page::{Page, PageSql, Start};

const GET: Sql = Sql::same(
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2",
);
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2",
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2 FOR UPDATE",
);
/// Where another node is at it already, there is nothing to wait for.
const GET_IF_FREE: Sql = Sql::each(
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2",
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2 FOR UPDATE SKIP LOCKED",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to,
         told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to,
         told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
const INSERT: Sql = Sql::same(
    "INSERT INTO batch (owner, id, version, status, details, created_at, updated_at)
     VALUES ($1, $2, 1, $3, $4, $5, $5)",
);
const SET_DETAILS: Sql = Sql::same(
    "UPDATE batch SET version = version + 1, details = $1, updated_at = $2 WHERE owner = $3 AND id = $4",
);
const CHANGE: Sql = Sql::same(
    "UPDATE batch SET version = version + 1, status = $1, shipments_count = shipments_count + $2,
     purchased_count = purchased_count + $3, error_count = error_count + $4, packages_count = packages_count + $5,
     updated_at = $6 WHERE owner = $7 AND id = $8",
);
const SET_BEGUN_TO: Sql = Sql::same("UPDATE batch SET begun_to = $1 WHERE owner = $2 AND id = $3");
const SET_TOLD_AT: Sql = Sql::same("UPDATE batch SET told_at = $1 WHERE owner = $2 AND id = $3");
const DELETE: Sql = Sql::same("DELETE FROM batch WHERE owner = $1 AND id = $2");
const RELEASE: Sql = Sql::same("UPDATE shipment SET batch_id = NULL WHERE owner = $1 AND batch_id = $2");
/// Of all organisations: whichever node has time writes down what is to be bought.
const TO_BEGIN: Sql =
    Sql::same("SELECT owner, id FROM batch WHERE begun_to IS NOT NULL ORDER BY owner, id LIMIT $1");
const HAS_UNBOUGHT: Sql = Sql::same(
    "SELECT id FROM shipment WHERE owner = $1 AND batch_id = $2
     AND status IN ('draft', 'rated', 'purchasing', 'purchase_failed') LIMIT 1",
);
/// `$1` lists the batches as JSON. SQLite takes a cross join in the order in which it is written: for each batch it goes by
/// the index to the few that are wanted. Only where there are errors the document is looked into for them.
const FIRST_MEMBERS: Sql = Sql::each(
    "SELECT s.batch_id, s.id, s.status, json_extract(s.doc, '$.name'),
         CASE WHEN s.errors_count > 0 THEN json_extract(s.doc, '$.errors') END
     FROM json_each($1) b CROSS JOIN shipment s ON s.owner = $2 AND s.batch_id = b.value
     WHERE s.id IN (SELECT f.id FROM shipment f WHERE f.owner = $2 AND f.batch_id = b.value ORDER BY f.id LIMIT $3)
     ORDER BY s.batch_id, s.id",
    "SELECT s.batch_id, s.id, s.status, s.doc::json ->> 'name',
         CASE WHEN s.errors_count > 0 THEN s.doc::json ->> 'errors' END
     FROM jsonb_array_elements_text($1::text::jsonb) AS b (id)
     CROSS JOIN LATERAL (SELECT f.batch_id, f.id, f.status, f.errors_count, f.doc FROM shipment f
         WHERE f.owner = $2 AND f.batch_id = b.id ORDER BY f.id LIMIT $3) s
     ORDER BY s.batch_id, s.id",
);
const ERRORS: Sql = Sql::each(
    "SELECT s.batch_id, json_extract(s.doc, '$.errors')
     FROM json_each($1) b CROSS JOIN shipment s ON s.owner = $2 AND s.batch_id = b.value AND s.errors_count > 0
     WHERE s.id IN (SELECT f.id FROM shipment f WHERE f.owner = $2 AND f.batch_id = b.value
         AND f.batch_id IS NOT NULL AND f.errors_count > 0 ORDER BY f.id LIMIT $3)
     ORDER BY s.batch_id, s.id",
    "SELECT s.batch_id, s.doc::json ->> 'errors'
     FROM jsonb_array_elements_text($1::text::jsonb) AS b (id)
     CROSS JOIN LATERAL (SELECT f.batch_id, f.id, f.doc FROM shipment f
         WHERE f.owner = $2 AND f.batch_id = b.id AND f.batch_id IS NOT NULL AND f.errors_count > 0
         ORDER BY f.id LIMIT $3) s
     ORDER BY s.batch_id, s.id",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &GET_IF_FREE,
    &PAGE.older,
    &PAGE.newer,
    &INSERT,
    &SET_DETAILS,
    &CHANGE,
    &SET_BEGUN_TO,
    &SET_TOLD_AT,
    &DELETE,
    &RELEASE,
    &TO_BEGIN,
    &HAS_UNBOUGHT,
    &FIRST_MEMBERS,
    &ERRORS,
];

/// A batch as it is kept.
#[derive(Clone, Debug)]
pub struct Stored {
    pub id: Id<Batch>,
    pub version: i64,
    pub status: Status,
    /// What a client said of it, as JSON.
    pub details: String,
    pub counts: Counts,
    /// While it is bought: the last of its shipments whose purchase was written down, or nothing yet; none where all were.
    pub begun_to: Option<String>,
    /// When its progress was last told of.
    pub told_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<Option<Stored>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// As [`get`], and nobody else changes it or what is in it before this transaction ends.
pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<Option<Stored>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// As [`get_for_update`]; none where somebody else is about to change it.
pub async fn get_if_free(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<Option<Stored>> {
    tx.one(&GET_IF_FREE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

pub async fn page(tx: &mut Tx<'_>, owner: Owner, start: &Start, limit: usize) -> Result<Page<Stored>> {
    Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?.try_map(read)
}

/// A new batch, which is open and empty.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Batch>,
    details: &str,
    now: Timestamp,
) -> Result<()> {
    let values = [owner.into(), id.into(), Status::Open.as_str().into(), details.into(), now.into()];
    tx.send(&INSERT, &values).await
}

pub async fn set_details(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Batch>,
    details: &str,
    now: Timestamp,
) -> Result<()> {
    tx.send(&SET_DETAILS, &[details.into(), now.into(), owner.into(), id.into()]).await
}

/// Adds to what is counted, and sets the status that follows.
pub async fn change(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Batch>,
    status: Status,
    delta: Delta,
    now: Timestamp,
) -> Result<()> {
    let values = [
        status.as_str().into(),
        delta.shipments.into(),
        delta.purchased.into(),
        delta.errors.into(),
        delta.packages.into(),
        now.into(),
        owner.into(),
        id.into(),
    ];
    tx.send(&CHANGE, &values).await
}

/// Notes up to which of its shipments purchases were written down: an empty text where none was, none where all were.
pub async fn set_begun_to(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Batch>,
    begun_to: Option<&str>,
) -> Result<()> {
    tx.send(&SET_BEGUN_TO, &[begun_to.into(), owner.into(), id.into()]).await
}

/// Notes when its progress was told of.
pub async fn set_told_at(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>, at: Timestamp) -> Result<()> {
    tx.send(&SET_TOLD_AT, &[at.into(), owner.into(), id.into()]).await
}

/// Deletes a batch; its shipments stay, and are in none.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<()> {
    tx.send(&RELEASE, &[owner.into(), id.into()]).await?;
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

/// Batches with purchases to write down, of all organisations.
pub async fn to_begin(tx: &mut Tx<'_>, limit: usize) -> Result<Vec<(Owner, Id<Batch>)>> {
    let rows = tx.all(&TO_BEGIN, &[Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|mut row| Ok((row.owner(0)?, row.id(1)?))).collect()
}

/// Whether some of its shipments were never bought, as far as anybody knows.
pub async fn has_unbought(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<bool> {
    Ok(tx.one(&HAS_UNBOUGHT, &[owner.into(), id.into()]).await?.is_some())
}

/// The oldest shipments of each of these batches, in short.
pub async fn first_members(
    tx: &mut Tx<'_>,
    owner: Owner,
    batches: &[Id<Batch>],
    limit: usize,
) -> Result<Vec<(Id<Batch>, Member)>> {
    let rows = tx.all(&FIRST_MEMBERS, &[id_list(batches), owner.into(), Value::Int(limit as i64)]).await?;
    let read = |mut row: Row| {
        let member = Member {
            id: row.id::<Shipment>(1)?,
            name: row.text_or_null(3)?,
            status: crate::shipments::read_status(&row.text(2)?)?,
            errors: read_errors(row.text_or_null(4)?)?,
        };
        Ok((row.id(0)?, member))
    };
    rows.into_iter().map(read).collect()
}

/// The errors of up to so many shipments of each of these batches, in the order of the shipments.
pub async fn errors(
    tx: &mut Tx<'_>,
    owner: Owner,
    batches: &[Id<Batch>],
    limit: usize,
) -> Result<Vec<(Id<Batch>, Vec<ShipmentError>)>> {
    let rows = tx.all(&ERRORS, &[id_list(batches), owner.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, read_errors(row.text_or_null(1)?)?))).collect()
}

fn read_errors(text: Option<String>) -> Result<Vec<ShipmentError>> {
    text.map_or_else(|| Ok(Vec::new()), |text| serde_json::from_str(&text).map_err(Error::fault))
}

fn read(mut row: Row) -> Result<Stored> {
    let status = row.text(2)?;
    let status = Status::parse(&status).ok_or_else(|| Error::fault("a batch has no known status"))?;
    Ok(Stored {
        id: row.id(0)?,
        version: row.int(1)?,
        status,
        details: row.text(3)?,
        counts: Counts {
            shipments: row.int(4)?,
            purchased: row.int(5)?,
            errors: row.int(6)?,
            packages: row.int(7)?,
        },
        begun_to: row.text_or_null(8)?,
        told_at: row.moment(9)?,
        created_at: row.moment(10)?,
        updated_at: row.moment(11)?,
    })
}
