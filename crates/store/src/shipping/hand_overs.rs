//! How far the shipments of created manifests are recorded as handed over.

use model::{Id, Manifest, Owner, Result, Shipment};

use crate::platform::engine::{Row, Sql, Tx, Value};

/// Only shipments that were made from orders wait for it: the hand-over may complete their allocations.
///
/// SQLite executes a cross join in the written order, and the plus keeps it from reading the shipments of all orders.
const BEGIN: Sql = Sql::each(
    "UPDATE manifest SET handed_over_to = '' WHERE owner = $1 AND id = $2 AND EXISTS (
         SELECT 1 FROM manifest_shipment m CROSS JOIN shipment s ON s.owner = m.owner AND s.id = m.shipment_id
         WHERE m.owner = $1 AND m.manifest_id = $2 AND m.is_released = 0 AND +s.order_id IS NOT NULL)",
    "UPDATE manifest SET handed_over_to = '' WHERE owner = $1 AND id = $2 AND EXISTS (
         SELECT 1 FROM manifest_shipment m JOIN shipment s ON s.owner = m.owner AND s.id = m.shipment_id
         WHERE m.owner = $1 AND m.manifest_id = $2 AND m.is_released = 0 AND s.order_id IS NOT NULL)",
);
/// Spans organisations.
const UNFINISHED: Sql = Sql::same(
    "SELECT owner, id, handed_over_to FROM manifest WHERE handed_over_to IS NOT NULL AND (owner, id) > ($1, $2)
     ORDER BY owner, id LIMIT $3",
);
const NEXT: Sql = Sql::same(
    "SELECT m.shipment_id FROM manifest_shipment m JOIN shipment s ON s.owner = m.owner AND s.id = m.shipment_id
     WHERE m.owner = $1 AND m.manifest_id = $2 AND m.shipment_id > $3 AND m.is_released = 0 AND s.order_id IS NOT NULL
     ORDER BY m.shipment_id LIMIT $4",
);
const ADVANCE: Sql = Sql::same("UPDATE manifest SET handed_over_to = $1 WHERE owner = $2 AND id = $3");

pub(crate) const STATEMENTS: &[&Sql] = &[&BEGIN, &UNFINISHED, &NEXT, &ADVANCE];

/// A manifest with shipments that are not recorded as handed over yet.
#[derive(Clone, Debug)]
pub struct HandOver {
    pub owner: Owner,
    pub manifest: Id<Manifest>,
    /// The last shipment that is recorded; empty before the first.
    pub done_to: String,
}

/// Begins to record the shipments of a created manifest as handed over.
pub async fn begin(tx: &mut Tx<'_>, owner: Owner, manifest: Id<Manifest>) -> Result<()> {
    tx.send(&BEGIN, &[owner.into(), manifest.into()]).await
}

/// Spans organisations: returns manifests that are not done, after the given one.
pub async fn unfinished(
    tx: &mut Tx<'_>,
    after: Option<(Owner, Id<Manifest>)>,
    limit: usize,
) -> Result<Vec<HandOver>> {
    let (owner, id) = after.map_or_else(Default::default, |(owner, id)| (owner.to_string(), id.to_string()));
    let rows = tx.all(&UNFINISHED, &[owner.into(), id.into(), Value::Int(limit as i64)]).await?;
    let read =
        |mut row: Row| Ok(HandOver { owner: row.owner(0)?, manifest: row.id(1)?, done_to: row.text(2)? });
    rows.into_iter().map(read).collect()
}

/// Returns the next shipments of a manifest that were made from orders.
pub async fn next(tx: &mut Tx<'_>, of: &HandOver, limit: usize) -> Result<Vec<Id<Shipment>>> {
    let values = [of.owner.into(), of.manifest.into(), of.done_to.as_str().into(), Value::Int(limit as i64)];
    tx.all(&NEXT, &values).await?.into_iter().map(|mut row| row.id(0)).collect()
}

/// Records how far a manifest is; `None` if it is done.
pub async fn advance(tx: &mut Tx<'_>, of: &HandOver, done_to: Option<Id<Shipment>>) -> Result<()> {
    tx.send(&ADVANCE, &[done_to.into(), of.owner.into(), of.manifest.into()]).await
}
