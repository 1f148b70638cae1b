//! Batches, and which shipments are in them. A transaction that changes both locks the batch first, then its shipments.

use std::collections::{BTreeMap, BTreeSet};

use model::shipping::batch::{BatchError, Counts, Delta, ErrorCounts, Member, Status};
use model::shipping::searched_batch::SearchedBatch;
use model::shipping::shipment::ShipmentError;
use model::{Batch, Error, Id, Owner, Result, Shipment, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};
use crate::platform::search_terms;
use crate::stock::inventory_items::id_list;

const GET: Sql = Sql::same(
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2",
);
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2",
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2 FOR UPDATE",
);
/// If another transaction holds the lock, returns no row instead of waiting.
const GET_IF_FREE: Sql = Sql::each(
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2",
    "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
     told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id = $2 FOR UPDATE SKIP LOCKED",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
         told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
         told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
const PAGE_BY_STATUS: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
         told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id < $2 AND status = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, version, status, details, shipments_count, purchased_count, error_count, packages_count, begun_to, labels_pending_count, labels_awaited,
         told_at, created_at, updated_at FROM batch WHERE owner = $1 AND id > $2 AND status = $3 ORDER BY id LIMIT $4",
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
     labels_pending_count = labels_pending_count + $6,
     labels_awaited = CASE WHEN labels_pending_count + $6 > 0 THEN 1 ELSE labels_awaited END,
     updated_at = $7 WHERE owner = $8 AND id = $9",
);
const SET_BEGUN_TO: Sql = Sql::same("UPDATE batch SET begun_to = $1 WHERE owner = $2 AND id = $3");
const SET_TOLD_AT: Sql = Sql::same("UPDATE batch SET told_at = $1 WHERE owner = $2 AND id = $3");
const SET_LABELS_READY: Sql = Sql::same("UPDATE batch SET labels_awaited = 0 WHERE owner = $1 AND id = $2");
const DELETE: Sql = Sql::same("DELETE FROM batch WHERE owner = $1 AND id = $2");
const RELEASE: Sql = Sql::same("UPDATE shipment SET batch_id = NULL WHERE owner = $1 AND batch_id = $2");
/// Spans organisations: any node may insert the purchases of a batch.
const TO_BEGIN: Sql = Sql::same(
    "SELECT owner, id FROM batch WHERE begun_to IS NOT NULL AND (owner, id) > ($1, $2) ORDER BY owner, id LIMIT $3",
);
const HAS_UNBOUGHT: Sql = Sql::same(
    "SELECT id FROM shipment WHERE owner = $1 AND batch_id = $2
     AND status IN ('draft', 'rated', 'purchasing', 'purchase_failed') LIMIT 1",
);
/// `$1` lists the batches as JSON. SQLite executes a cross join in the written order: for each batch it uses the
/// index to find the few rows. It parses the document only if there are errors.
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
    "SELECT s.batch_id, s.id, json_extract(s.doc, '$.errors')
     FROM json_each($1) b CROSS JOIN shipment s ON s.owner = $2 AND s.batch_id = b.value AND s.errors_count > 0
     WHERE s.id IN (SELECT f.id FROM shipment f WHERE f.owner = $2 AND f.batch_id = b.value
         AND f.batch_id IS NOT NULL AND f.errors_count > 0 ORDER BY f.id LIMIT $3)
     ORDER BY s.batch_id, s.id",
    "SELECT s.batch_id, s.id, s.doc::json ->> 'errors'
     FROM jsonb_array_elements_text($1::text::jsonb) AS b (id)
     CROSS JOIN LATERAL (SELECT f.batch_id, f.id, f.doc FROM shipment f
         WHERE f.owner = $2 AND f.batch_id = b.id AND f.batch_id IS NOT NULL AND f.errors_count > 0
         ORDER BY f.id LIMIT $3) s
     ORDER BY s.batch_id, s.id",
);
/// Reads an index that has the shipments with errors only, sorted by their codes.
const ERROR_CODES: Sql = Sql::each(
    "SELECT s.batch_id, s.error_codes, count(*)
     FROM json_each($1) b CROSS JOIN shipment s ON s.owner = $2 AND s.batch_id = b.value
         AND s.batch_id IS NOT NULL AND s.error_codes IS NOT NULL
     GROUP BY s.batch_id, s.error_codes",
    "SELECT b.id, s.error_codes, s.count
     FROM jsonb_array_elements_text($1::text::jsonb) AS b (id)
     CROSS JOIN LATERAL (SELECT f.error_codes, count(*) AS count FROM shipment f
         WHERE f.owner = $2 AND f.batch_id = b.id AND f.batch_id IS NOT NULL AND f.error_codes IS NOT NULL
         GROUP BY f.error_codes) s",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &GET_IF_FREE,
    &PAGE.older,
    &PAGE.newer,
    &PAGE_BY_STATUS.older,
    &PAGE_BY_STATUS.newer,
    &INSERT,
    &SET_DETAILS,
    &CHANGE,
    &SET_BEGUN_TO,
    &SET_TOLD_AT,
    &SET_LABELS_READY,
    &DELETE,
    &RELEASE,
    &TO_BEGIN,
    &HAS_UNBOUGHT,
    &FIRST_MEMBERS,
    &ERRORS,
    &ERROR_CODES,
];

/// A batch as it is stored.
#[derive(Clone, Debug)]
pub struct StoredBatch {
    pub id: Id<Batch>,
    pub version: i64,
    pub status: Status,
    /// The fields that a client sets, as JSON.
    pub details: String,
    pub counts: Counts,
    /// While the batch is being bought, the last of its shipments whose purchase was inserted, or an empty text.
    /// `None` once all were inserted.
    pub begun_to: Option<String>,
    /// Whether labels were pending since `batch.labels_ready` was last sent.
    pub are_labels_awaited: bool,
    /// When the last event about its progress was written.
    pub told_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<Option<StoredBatch>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns the batch as [`get`] does, and locks it and its list of shipments until this transaction ends.
pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<Option<StoredBatch>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Locks the batch as [`get_for_update`] does, but returns `None` if another transaction has locked it.
pub async fn get_if_free(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<Option<StoredBatch>> {
    tx.one(&GET_IF_FREE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns a page of batches, of those with this status if one is given.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    status: Option<Status>,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredBatch>> {
    let page = match status {
        None => Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?,
        Some(status) => {
            let filter = [status.as_str().into()];
            Page::read(tx, &PAGE_BY_STATUS, owner.into(), &filter, start, limit).await?
        }
    };
    page.try_map(read)
}

/// Inserts an open, empty batch.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Batch>,
    details: &str,
    now: Timestamp,
) -> Result<()> {
    let values = [owner.into(), id.into(), Status::Open.as_str().into(), details.into(), now.into()];
    tx.send(&INSERT, &values).await?;
    search_terms::insert(tx, owner, id, terms_of(details)?.iter()).await
}

/// Replaces what a client set, and the search terms in which it differs.
pub async fn set_details(
    tx: &mut Tx<'_>,
    owner: Owner,
    old: &StoredBatch,
    details: &str,
    now: Timestamp,
) -> Result<()> {
    tx.send(&SET_DETAILS, &[details.into(), now.into(), owner.into(), old.id.into()]).await?;
    search_terms::replace(tx, owner, old.id, &terms_of(&old.details)?, &terms_of(details)?).await
}

/// Returns the search terms of a batch's details.
fn terms_of(details: &str) -> Result<BTreeSet<String>> {
    let batch: SearchedBatch = serde_json::from_str(details).map_err(Error::fault)?;
    Ok(batch.searched().terms())
}

/// Adds to the counts, and sets the status that follows from them.
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
        delta.labels_pending.into(),
        now.into(),
        owner.into(),
        id.into(),
    ];
    tx.send(&CHANGE, &values).await
}

/// Sets the last shipment whose purchase was inserted: an empty text if none was, `None` if all were.
pub async fn set_begun_to(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Batch>,
    begun_to: Option<&str>,
) -> Result<()> {
    tx.send(&SET_BEGUN_TO, &[begun_to.into(), owner.into(), id.into()]).await
}

/// Sets when the last event about its progress was written.
pub async fn set_told_at(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>, at: Timestamp) -> Result<()> {
    tx.send(&SET_TOLD_AT, &[at.into(), owner.into(), id.into()]).await
}

/// Records that `batch.labels_ready` was sent.
pub async fn set_labels_ready(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<()> {
    tx.send(&SET_LABELS_READY, &[owner.into(), id.into()]).await
}

/// Deletes a batch with its search terms. Its shipments stay, in no batch.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner, old: &StoredBatch) -> Result<()> {
    tx.send(&RELEASE, &[owner.into(), old.id.into()]).await?;
    search_terms::delete(tx, owner, old.id, terms_of(&old.details)?.iter()).await?;
    tx.send(&DELETE, &[owner.into(), old.id.into()]).await
}

/// Spans organisations: returns the batches whose purchases are not all inserted, in the order of owner and id,
/// starting after `after`.
pub async fn to_begin(
    tx: &mut Tx<'_>,
    after: Option<(Owner, Id<Batch>)>,
    limit: usize,
) -> Result<Vec<(Owner, Id<Batch>)>> {
    let (owner, id) = after.map_or_else(|| ("".into(), "".into()), |(owner, id)| (owner.into(), id.into()));
    let rows = tx.all(&TO_BEGIN, &[owner, id, Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|mut row| Ok((row.owner(0)?, row.id(1)?))).collect()
}

/// Returns whether some of its shipments were never bought, according to the records.
pub async fn has_unbought(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<bool> {
    Ok(tx.one(&HAS_UNBOUGHT, &[owner.into(), id.into()]).await?.is_some())
}

/// Returns the summaries of the oldest shipments of each of these batches.
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
            status: crate::shipping::shipments::read_status(&row.text(2)?)?,
            errors: read_errors(row.text_or_null(4)?)?,
        };
        Ok((row.id(0)?, member))
    };
    rows.into_iter().map(read).collect()
}

/// Returns the errors of up to `limit` shipments of each of these batches, in the order of the shipments.
pub async fn errors(
    tx: &mut Tx<'_>,
    owner: Owner,
    batches: &[Id<Batch>],
    limit: usize,
) -> Result<Vec<(Id<Batch>, BatchError)>> {
    let rows = tx.all(&ERRORS, &[id_list(batches), owner.into(), Value::Int(limit as i64)]).await?;
    let mut all = Vec::new();
    for mut row in rows {
        let (batch, shipment_id) = (row.id(0)?, row.id(1)?);
        let errors = read_errors(row.text_or_null(2)?)?.into_iter();
        all.extend(errors.map(|error| (batch, BatchError { shipment_id, error })));
    }
    Ok(all)
}

/// Returns how many errors the shipments of each of these batches have, by code. It costs time for each shipment with errors, and
/// reads none of their documents.
pub async fn error_counts(
    tx: &mut Tx<'_>,
    owner: Owner,
    batches: &[Id<Batch>],
) -> Result<BTreeMap<Id<Batch>, ErrorCounts>> {
    let mut counts: BTreeMap<Id<Batch>, ErrorCounts> = BTreeMap::new();
    for mut row in tx.all(&ERROR_CODES, &[id_list(batches), owner.into()]).await? {
        let (batch, codes, shipments) = (row.id(0)?, row.text(1)?, row.int(2)?);
        let counts = counts.entry(batch).or_default();
        for code in codes.split(' ') {
            *counts.entry(code.to_owned()).or_default() += shipments;
        }
    }
    Ok(counts)
}

fn read_errors(text: Option<String>) -> Result<Vec<ShipmentError>> {
    text.map_or_else(|| Ok(Vec::new()), |text| serde_json::from_str(&text).map_err(Error::fault))
}

fn read(mut row: Row) -> Result<StoredBatch> {
    let status = row.text(2)?;
    let status = Status::parse(&status).ok_or_else(|| Error::fault("a batch has no known status"))?;
    Ok(StoredBatch {
        id: row.id(0)?,
        version: row.int(1)?,
        status,
        details: row.text(3)?,
        counts: Counts {
            shipments: row.int(4)?,
            purchased: row.int(5)?,
            errors: row.int(6)?,
            packages: row.int(7)?,
            labels_pending: row.int(9)?,
        },
        begun_to: row.text_or_null(8)?,
        are_labels_awaited: row.int(10)? == 1,
        told_at: row.moment(11)?,
        created_at: row.moment(12)?,
        updated_at: row.moment(13)?,
    })
}
