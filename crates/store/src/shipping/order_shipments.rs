//! Shipments that were made from orders, and what the shipping rules decided for them.

use model::platform::id::ShipmentKind;
use model::{Id, Order, Owner, Result, Shipment};

use crate::platform::engine::{Sql, Tx, wanted};
use crate::shipping::shipments::{self, StoredShipment};
use crate::stock::inventory_items::id_list;

/// `$2` lists shipments as JSON. The plus keeps SQLite from reading the shipments of all orders.
const ORDERS_OF: Sql = Sql::each(
    "SELECT DISTINCT order_id FROM shipment
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) AND +order_id IS NOT NULL ORDER BY 1",
    concat!(
        "SELECT DISTINCT s.order_id FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT order_id FROM shipment
             WHERE owner = $1 AND id = wanted.id AND order_id IS NOT NULL OFFSET 0) s
         ORDER BY 1"
    ),
);
const OF_ORDER: Sql = Sql::same(
    "SELECT id, version, status, doc, batch_id, packages_count, errors_count, chosen, label_pending FROM shipment
     WHERE owner = $1 AND order_id = $2 ORDER BY id",
);
const IDS_OF_ORDER: Sql =
    Sql::same("SELECT id FROM shipment WHERE owner = $1 AND order_id = $2 ORDER BY id LIMIT $3");
const UNLINK: Sql = Sql::same("UPDATE shipment SET order_id = NULL WHERE owner = $1 AND id = $2");
const EVALUATION: Sql =
    Sql::same("SELECT doc FROM shipment_evaluation WHERE owner = $1 AND shipment_id = $2");
const INSERT_EVALUATION: Sql =
    Sql::same("INSERT INTO shipment_evaluation (owner, shipment_id, doc) VALUES ($1, $2, $3)");

pub(crate) const STATEMENTS: &[&Sql] =
    &[&ORDERS_OF, &OF_ORDER, &IDS_OF_ORDER, &UNLINK, &EVALUATION, &INSERT_EVALUATION];

/// Returns the orders from which some shipments were made, each once.
pub async fn orders_of(tx: &mut Tx<'_>, owner: Owner, of: &[Id<Shipment>]) -> Result<Vec<Id<Order>>> {
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let rows = tx.all(&ORDERS_OF, &[owner.into(), id_list(of)]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}

/// Returns the shipments that were made from an order, oldest first. While the order is locked, none begins to be bought
/// and no purchase ends.
pub async fn of_order(tx: &mut Tx<'_>, owner: Owner, order: Id<Order>) -> Result<Vec<StoredShipment>> {
    let rows = tx.all(&OF_ORDER, &[owner.into(), order.into()]).await?;
    rows.into_iter().map(shipments::read).collect()
}

/// Returns the ids of the first shipments that were made from an order.
pub async fn ids_of_order(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    limit: usize,
) -> Result<Vec<Id<ShipmentKind>>> {
    let rows = tx.all(&IDS_OF_ORDER, &[owner.into(), order.into(), (limit as i64).into()]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}

/// Removes the column that says from which order a shipment was made.
pub async fn unlink(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<()> {
    tx.send(&UNLINK, &[owner.into(), id.into()]).await
}

/// Returns what the shipping rules decided when a shipment was made, as JSON. `None` if no rules were asked.
pub async fn evaluation(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>) -> Result<Option<String>> {
    let row = tx.one(&EVALUATION, &[owner.into(), id.into()]).await?;
    row.map(|mut row| row.text(0)).transpose()
}

pub async fn insert_evaluation(tx: &mut Tx<'_>, owner: Owner, id: Id<Shipment>, doc: &str) -> Result<()> {
    tx.send(&INSERT_EVALUATION, &[owner.into(), id.into(), doc.into()]).await
}
