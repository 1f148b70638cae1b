//! What packing slips and pick lists show: shipments with the locations that they leave from, references of orders,
//! names of locations, and bins.

use model::shipping::shipment::Status;
use model::{Batch, Id, InventoryItem, Location, Order, Owner, Result, Shipment};

use crate::platform::engine::{Row, Sql, Tx, Value, wanted};
use crate::shipping::shipments::read_status;
use crate::stock::inventory_items::id_list;

const OF_BATCH: Sql = Sql::same(
    "SELECT id, status, origin_id, doc FROM shipment WHERE owner = $1 AND batch_id = $2 ORDER BY id LIMIT $3 OFFSET $4",
);
/// `$2` lists ids as JSON.
const OF_IDS: Sql = Sql::each(
    "SELECT id, status, origin_id, doc FROM shipment
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT s.id, s.status, s.origin_id, s.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, status, origin_id, doc FROM shipment WHERE owner = $1 AND id = wanted.id OFFSET 0) s
         ORDER BY s.id"
    ),
);
/// `$2` lists ids as JSON.
const ORDERS: Sql = Sql::each(
    "SELECT id, doc FROM orders WHERE owner = $1 AND id IN (SELECT value FROM json_each($2))",
    concat!(
        "SELECT o.id, o.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM orders WHERE owner = $1 AND id = wanted.id OFFSET 0) o"
    ),
);
/// `$3` lists items as JSON. The plus keeps SQLite from reading all bins of the location.
const BINS: Sql = Sql::each(
    "SELECT item_id, bin FROM inventory_level
     WHERE owner = $1 AND location_id = $2 AND item_id IN (SELECT value FROM json_each($3)) AND +bin IS NOT NULL",
    concat!(
        "SELECT l.item_id, l.bin FROM ",
        wanted!("$3"),
        " CROSS JOIN LATERAL (
             SELECT item_id, bin FROM inventory_level
             WHERE owner = $1 AND location_id = $2 AND item_id = wanted.id AND bin IS NOT NULL OFFSET 0) l"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] = &[&OF_BATCH, &OF_IDS, &ORDERS, &BINS];

/// A shipment as its papers are made from it.
#[derive(Clone)]
pub struct PaperShipment {
    pub id: Id<Shipment>,
    pub status: Status,
    /// The location that it leaves from. `None` if its origin was given as an address.
    pub origin: Option<Id<Location>>,
    pub doc: String,
}

/// Returns shipments of a batch in the order of their ids: at most `limit`, after the first `skipped`.
pub async fn of_batch(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    limit: usize,
    skipped: usize,
) -> Result<Vec<PaperShipment>> {
    let values = [owner.into(), batch.into(), Value::Int(limit as i64), Value::Int(skipped as i64)];
    tx.all(&OF_BATCH, &values).await?.into_iter().map(read).collect()
}

/// Returns those shipments that exist, in the order of their ids.
pub async fn of_ids(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Shipment>]) -> Result<Vec<PaperShipment>> {
    tx.all(&OF_IDS, &[owner.into(), id_list(ids)]).await?.into_iter().map(read).collect()
}

/// Returns the documents of those orders that exist.
pub async fn orders(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Order>]) -> Result<Vec<(Id<Order>, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = tx.all(&ORDERS, &[owner.into(), id_list(ids)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}

/// Returns the bins of items at a location, without the items that have none.
pub async fn bins(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Id<Location>,
    items: &[Id<InventoryItem>],
) -> Result<Vec<(Id<InventoryItem>, String)>> {
    let rows = tx.all(&BINS, &[owner.into(), location.into(), id_list(items)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}

fn read(mut row: Row) -> Result<PaperShipment> {
    Ok(PaperShipment {
        id: row.id(0)?,
        status: read_status(&row.text(1)?)?,
        origin: row.id_or_null(2)?,
        doc: row.text(3)?,
    })
}
