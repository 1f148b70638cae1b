//! The shipments of batches. One statement finds, adds or removes any number of them.

use model::shipping::shipment::{Status, Summary};
use model::{Batch, Id, Owner, Result, Shipment};

use crate::platform::engine::{Row, Sql, Tx, Value, wanted};
use crate::platform::page::{Keys, Order, Page, PageSql, Sorting, Start};
use crate::shipping::shipments::{self, StoredShipment};
use crate::stock::inventory_items::id_list;

const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
         WHERE owner = $1 AND id < $2 AND batch_id = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
         WHERE owner = $1 AND id > $2 AND batch_id = $3 ORDER BY id LIMIT $4",
    ),
};
const OLDEST_FIRST: Sorting = Sorting { keys: Keys::Text, order: Order::OldestFirst };
const NEXT_OPEN: Sql = Sql::each(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
     WHERE owner = $1 AND batch_id = $2 AND id > $3 AND status IN ('draft', 'rated', 'purchase_failed')
     ORDER BY id LIMIT $4",
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
     WHERE owner = $1 AND batch_id = $2 AND id > $3 AND status IN ('draft', 'rated', 'purchase_failed')
     ORDER BY id LIMIT $4 FOR UPDATE",
);
/// The ids of the same shipments, without their locks.
const NEXT_OPEN_IDS: Sql = Sql::same(
    "SELECT id FROM shipment
     WHERE owner = $1 AND batch_id = $2 AND id > $3 AND status IN ('draft', 'rated', 'purchase_failed')
     ORDER BY id LIMIT $4",
);
/// Shipments that are still to be bought and have no service.
const LACKING_SERVICE: Sql = Sql::same(
    "SELECT id FROM shipment WHERE owner = $1 AND batch_id = $2 AND chosen IS NULL
     AND status IN ('draft', 'rated', 'purchase_failed') ORDER BY id LIMIT $3",
);
/// `$3` lists as JSON the values that are not another service.
const CHOOSING_ANOTHER: Sql = Sql::each(
    "SELECT id FROM shipment WHERE owner = $1 AND batch_id = $2 AND chosen IS NOT NULL
     AND chosen NOT IN (SELECT value FROM json_each($3))
     AND status IN ('draft', 'rated', 'purchase_failed') ORDER BY id LIMIT $4",
    "SELECT id FROM shipment WHERE owner = $1 AND batch_id = $2 AND chosen IS NOT NULL
     AND chosen <> ALL (ARRAY(SELECT jsonb_array_elements_text($3::text::jsonb)))
     AND status IN ('draft', 'rated', 'purchase_failed') ORDER BY id LIMIT $4",
);
/// They are sorted before they are locked, so that all transactions lock shipments in the same order. The list leads,
/// as with manifests: a table that has just been filled has no statistics from which the planner could see that.
const NAMED: Sql = Sql::each(
    "SELECT id, status, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT s.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, status, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
             WHERE owner = $1 AND id = wanted.id FOR UPDATE) s"
    ),
);
const SET_BATCH: Sql = Sql::each(
    "UPDATE shipment SET batch_id = $1 WHERE owner = $2 AND id IN (SELECT value FROM json_each($3))",
    "UPDATE shipment SET batch_id = $1 WHERE ctid = ANY (ARRAY(
         SELECT s.ctid FROM jsonb_array_elements_text($3::text::jsonb) AS wanted (id)
         CROSS JOIN LATERAL (SELECT ctid FROM shipment WHERE owner = $2 AND id = wanted.id FOR UPDATE) s))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &PAGE.older,
    &PAGE.newer,
    &NEXT_OPEN,
    &NEXT_OPEN_IDS,
    &LACKING_SERVICE,
    &CHOOSING_ANOTHER,
    &NAMED,
    &SET_BATCH,
];

/// A shipment that a request named, without its document.
#[derive(Clone, Debug)]
pub struct Named {
    pub id: Id<Shipment>,
    pub batch: Option<Id<Batch>>,
    pub summary: Summary,
}

/// Returns a page of a batch's shipments, oldest first.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredShipment>> {
    let filters = [batch.into()];
    let page = Page::read_sorted(tx, &PAGE, OLDEST_FIRST, owner.into(), &filters, start, limit).await?;
    page.try_map(shipments::read)
}

/// Returns the next shipments to buy: those after this id (an empty text is before all) that are neither bought nor
/// being bought, locked in the order of their ids. The batch must be locked.
pub async fn next_open(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    after: &str,
    limit: usize,
) -> Result<Vec<StoredShipment>> {
    let values = [owner.into(), batch.into(), after.into(), Value::Int(limit as i64)];
    tx.all(&NEXT_OPEN, &values).await?.into_iter().map(shipments::read).collect()
}

/// Returns the ids of the shipments that [`next_open`] would return, and locks none.
pub async fn next_open_ids(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    after: &str,
    limit: usize,
) -> Result<Vec<Id<Shipment>>> {
    let values = [owner.into(), batch.into(), after.into(), Value::Int(limit as i64)];
    tx.all(&NEXT_OPEN_IDS, &values).await?.into_iter().map(|mut row| row.id(0)).collect()
}

/// Returns up to `limit` shipments that are to be bought and neither chose nor requested a service.
pub async fn lacking_service(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    limit: usize,
) -> Result<Vec<Id<Shipment>>> {
    let rows = tx.all(&LACKING_SERVICE, &[owner.into(), batch.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}

/// Returns up to `limit` shipments that are to be bought and chose or requested a service other than these.
pub async fn choosing_another(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    chosen: &[String],
    limit: usize,
) -> Result<Vec<Id<Shipment>>> {
    let words = serde_json::Value::from(chosen).to_string();
    let values = [owner.into(), batch.into(), words.into(), Value::Int(limit as i64)];
    tx.all(&CHOOSING_ANOTHER, &values).await?.into_iter().map(|mut row| row.id(0)).collect()
}

/// Returns those of the given shipments that exist, locked in the order of their ids.
pub async fn named(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<Named>> {
    tx.all(&NAMED, &[owner.into(), id_list(ids)]).await?.into_iter().map(read).collect()
}

/// Puts shipments into a batch, or removes them from theirs. The caller must have locked both, and updates the
/// counts.
pub async fn set_batch(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<Shipment>],
    batch: Option<Id<Batch>>,
) -> Result<()> {
    tx.send(&SET_BATCH, &[batch.into(), owner.into(), id_list(ids)]).await
}

fn read(mut row: Row) -> Result<Named> {
    let status: Status = shipments::read_status(&row.text(1)?)?;
    let summary = Summary {
        status,
        packages: row.int(3)?,
        errors: row.int(4)?,
        label_pending: row.int(6)? == 1,
        chosen: row.text_or_null(5)?,
    };
    Ok(Named { id: row.id(0)?, batch: row.id_or_null(2)?, summary })
}
