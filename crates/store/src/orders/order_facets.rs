//! Facets of orders: rows by which lists are filtered, and by which the server finds work.
//!
//! An order without facets has no rows here, so that writing it costs no statement.

use model::orders::facet;
use model::{Id, InventoryItem, Order, Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx, Value};

const INSERT: Sql =
    Sql::same("INSERT INTO order_facet (owner, facet, order_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING");
const DELETE: Sql = Sql::same("DELETE FROM order_facet WHERE owner = $1 AND facet = $2 AND order_id = $3");
const WITH_FACET: Sql =
    Sql::same("SELECT order_id FROM order_facet WHERE owner = $1 AND facet = $2 ORDER BY order_id LIMIT $3");
/// Spans organisations. Reads on after a row, in the order of the index, and looks each SKU up.
const UNMATCHED: Sql = Sql::same(
    "SELECT f.owner, f.facet, f.order_id, i.id FROM order_facet f
     LEFT JOIN inventory_item i ON i.owner = f.owner AND i.sku = substr(f.facet, 15)
     WHERE f.facet >= 'unmatched_sku=' AND f.facet < 'unmatched_sku>' AND (f.owner, f.facet, f.order_id) > ($1, $2, $3)
     ORDER BY f.owner, f.facet, f.order_id LIMIT $4",
);
/// Spans organisations.
const HOLDS_DUE: Sql =
    Sql::same("SELECT owner, id FROM orders WHERE hold_until <= $1 ORDER BY hold_until LIMIT $2");

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &DELETE, &WITH_FACET, &UNMATCHED, &HOLDS_DUE];

pub(crate) async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    facets: impl Iterator<Item = &String>,
) -> Result<()> {
    for facet in facets {
        tx.send(&INSERT, &[owner.into(), facet.as_str().into(), order.into()]).await?;
    }
    Ok(())
}

pub(crate) async fn delete(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    facets: impl Iterator<Item = &String>,
) -> Result<()> {
    for facet in facets {
        tx.send(&DELETE, &[owner.into(), facet.as_str().into(), order.into()]).await?;
    }
    Ok(())
}

/// Returns up to `limit` drafts that have a line with this SKU and no item, oldest first.
pub async fn waiting_for_sku(
    tx: &mut Tx<'_>,
    owner: Owner,
    sku: &str,
    limit: usize,
) -> Result<Vec<Id<Order>>> {
    let values = [owner.into(), facet::unmatched_sku(sku).into(), Value::Int(limit as i64)];
    tx.all(&WITH_FACET, &values).await?.into_iter().map(|mut row| row.id(0)).collect()
}

/// A place in the list of all unmatched SKUs. The default is its beginning.
#[derive(Clone, Default, Debug, PartialEq)]
pub struct UnmatchedPlace {
    owner: String,
    facet: String,
    order: String,
}

/// A line that waits for an item, by its order and its SKU.
pub struct Unmatched {
    pub owner: Owner,
    pub order: Id<Order>,
    pub sku: String,
    /// The item that has the SKU by now.
    pub item: Option<Id<InventoryItem>>,
    pub place: UnmatchedPlace,
}

/// Returns up to `limit` unmatched SKUs of all organisations after a place.
pub async fn unmatched(tx: &mut Tx<'_>, after: &UnmatchedPlace, limit: usize) -> Result<Vec<Unmatched>> {
    let values = [
        after.owner.as_str().into(),
        after.facet.as_str().into(),
        after.order.as_str().into(),
        Value::Int(limit as i64),
    ];
    let rows = tx.all(&UNMATCHED, &values).await?;
    let read = |mut row: crate::platform::engine::Row| {
        let facet = row.text(1)?;
        let sku = facet::sku_of(&facet).unwrap_or_default().to_owned();
        let (owner, order): (Owner, Id<Order>) = (row.owner(0)?, row.id(2)?);
        let place = UnmatchedPlace { owner: owner.to_string(), facet, order: order.to_string() };
        Ok(Unmatched { owner, order, sku, item: row.id_or_null(3)?, place })
    };
    rows.into_iter().map(read).collect()
}

/// Returns up to `limit` orders of all organisations whose hold has ended by now, the longest overdue first.
pub async fn holds_due(tx: &mut Tx<'_>, now: Timestamp, limit: usize) -> Result<Vec<(Owner, Id<Order>)>> {
    let rows = tx.all(&HOLDS_DUE, &[now.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|mut row| Ok((row.owner(0)?, row.id(1)?))).collect()
}
