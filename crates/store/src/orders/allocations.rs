//! Allocations.

use model::{Allocation, Id, Location, Order, Owner, Result};

use crate::platform::engine::{Row, Sql, Tx, wanted};
use crate::platform::page::{Page, PageSql, Start};
use crate::stock::inventory_items::id_list;

const OF_ORDER: Sql = Sql::same(
    "SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
     WHERE owner = $1 AND order_id = $2 ORDER BY id",
);
const INSERT: Sql = Sql::same(
    "INSERT INTO allocation (owner, id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by,
         is_buying, is_delivered, is_planned)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE allocation SET location_id = $1, quantity = $2, completed_at = $3, took_stock = $4, shipment_id = $5,
         completed_by = $6, is_buying = $7, is_delivered = $8, is_planned = $9
     WHERE owner = $10 AND id = $11",
);
/// `$2` lists the orders as JSON. The plus keeps SQLite from reading all allocations in the order of their ids.
const OF_ORDERS: Sql = Sql::each(
    "SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
     WHERE owner = $1 AND order_id IN (SELECT value FROM json_each($2)) ORDER BY +id",
    concat!(
        "SELECT a.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
             WHERE owner = $1 AND order_id = wanted.id OFFSET 0) a
         ORDER BY a.id"
    ),
);
const DELETE_OF_ORDER: Sql = Sql::same("DELETE FROM allocation WHERE owner = $1 AND order_id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
         WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
         WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
const PAGE_AT: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
         WHERE owner = $1 AND id < $2 AND location_id = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
         WHERE owner = $1 AND id > $2 AND location_id = $3 ORDER BY id LIMIT $4",
    ),
};
/// `$3` lists the orders as JSON; `$4` is a location or null. For the plus see `OF_ORDERS`.
const PAGE_OF: PageSql = PageSql {
    older: Sql::each(
        "SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
         WHERE owner = $1 AND +id < $2 AND order_id IN (SELECT value FROM json_each($3))
         AND (CAST($4 AS TEXT) IS NULL OR location_id = $4) ORDER BY +id DESC LIMIT $5",
        concat!(
            "SELECT a.* FROM ",
            wanted!("$3"),
            " CROSS JOIN LATERAL (
                 SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
                 WHERE owner = $1 AND id < $2 AND order_id = wanted.id
                 AND (CAST($4 AS TEXT) IS NULL OR location_id = $4) OFFSET 0) a
             ORDER BY a.id DESC LIMIT $5"
        ),
    ),
    newer: Sql::each(
        "SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
         WHERE owner = $1 AND +id > $2 AND order_id IN (SELECT value FROM json_each($3))
         AND (CAST($4 AS TEXT) IS NULL OR location_id = $4) ORDER BY +id LIMIT $5",
        concat!(
            "SELECT a.* FROM ",
            wanted!("$3"),
            " CROSS JOIN LATERAL (
                 SELECT id, order_id, item_id, location_id, quantity, completed_at, took_stock, shipment_id, completed_by, is_buying, is_delivered, is_planned FROM allocation
                 WHERE owner = $1 AND id > $2 AND order_id = wanted.id
                 AND (CAST($4 AS TEXT) IS NULL OR location_id = $4) OFFSET 0) a
             ORDER BY a.id LIMIT $5"
        ),
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &OF_ORDER,
    &OF_ORDERS,
    &INSERT,
    &UPDATE,
    &DELETE_OF_ORDER,
    &PAGE.older,
    &PAGE.newer,
    &PAGE_AT.older,
    &PAGE_AT.newer,
    &PAGE_OF.older,
    &PAGE_OF.newer,
];

/// The filters of a list of allocations.
#[derive(Clone, Default)]
pub struct Filter {
    pub location: Option<Id<Location>>,
    pub orders: Vec<Id<Order>>,
}

/// Returns all allocations of an order, oldest first.
pub async fn of_order(tx: &mut Tx<'_>, owner: Owner, order: Id<Order>) -> Result<Vec<Allocation>> {
    tx.all(&OF_ORDER, &[owner.into(), order.into()]).await?.into_iter().map(read).collect()
}

/// Returns all allocations of some orders, oldest first.
pub async fn of_orders(tx: &mut Tx<'_>, owner: Owner, orders: &[Id<Order>]) -> Result<Vec<Allocation>> {
    match orders.is_empty() {
        true => Ok(Vec::new()),
        false => tx.all(&OF_ORDERS, &[owner.into(), id_list(orders)]).await?.into_iter().map(read).collect(),
    }
}

pub async fn insert(tx: &mut Tx<'_>, owner: Owner, allocation: &Allocation) -> Result<()> {
    let values = [
        owner.into(),
        allocation.id.into(),
        allocation.order.into(),
        allocation.item.into(),
        allocation.location.into(),
        allocation.quantity.into(),
        allocation.completed_at.into(),
        i64::from(allocation.took_stock).into(),
        allocation.shipment.into(),
        allocation.completed_by.into(),
        i64::from(allocation.is_buying).into(),
        i64::from(allocation.is_delivered).into(),
        i64::from(allocation.is_planned).into(),
    ];
    tx.send(&INSERT, &values).await
}

pub async fn update(tx: &mut Tx<'_>, owner: Owner, allocation: &Allocation) -> Result<()> {
    let values = [
        allocation.location.into(),
        allocation.quantity.into(),
        allocation.completed_at.into(),
        i64::from(allocation.took_stock).into(),
        allocation.shipment.into(),
        allocation.completed_by.into(),
        i64::from(allocation.is_buying).into(),
        i64::from(allocation.is_delivered).into(),
        i64::from(allocation.is_planned).into(),
        owner.into(),
        allocation.id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

pub async fn delete_of_order(tx: &mut Tx<'_>, owner: Owner, order: Id<Order>) -> Result<()> {
    tx.send(&DELETE_OF_ORDER, &[owner.into(), order.into()]).await
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &Filter,
    start: &Start,
    limit: usize,
) -> Result<Page<Allocation>> {
    let page = match (filter.orders.is_empty(), filter.location) {
        (true, None) => Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?,
        (true, Some(location)) => {
            Page::read(tx, &PAGE_AT, owner.into(), &[location.into()], start, limit).await?
        }
        (false, location) => {
            let filters = [id_list(&filter.orders), location.into()];
            Page::read(tx, &PAGE_OF, owner.into(), &filters, start, limit).await?
        }
    };
    page.try_map(read)
}

fn read(mut row: Row) -> Result<Allocation> {
    Ok(Allocation {
        id: row.id(0)?,
        order: row.id(1)?,
        item: row.id(2)?,
        location: row.id(3)?,
        quantity: row.int(4)?,
        completed_at: row.moment_or_null(5)?,
        took_stock: row.int(6)? == 1,
        shipment: row.id_or_null(7)?,
        completed_by: row.id_or_null(8)?,
        is_buying: row.int(9)? == 1,
        is_delivered: row.int(10)? == 1,
        is_planned: row.int(11)? == 1,
    })
}
