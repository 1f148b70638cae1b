//! Orders, their lines, and the reservations of committed ones.

use std::collections::BTreeMap;

use model::orders::indexed_order::IndexedOrder;
use model::orders::order::{Line, OrderReference, Reservation, ReservedItem, Status};
use model::{Error, Id, InventoryItem, Order, Owner, Result, Timestamp};

use crate::orders::order_facets;
use crate::platform::engine::{Row, Sql, Tx, Value, wanted};
use crate::platform::page::{Page, PageSql, Start};
use crate::platform::search_terms;
use crate::stock::inventory_items::id_list;

const GET: Sql = Sql::same("SELECT version, status, doc FROM orders WHERE owner = $1 AND id = $2");
/// Every transaction that changes an order's allocations locks the order first, so they run one after the other, on
/// however many nodes.
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT version, status, doc FROM orders WHERE owner = $1 AND id = $2",
    "SELECT version, status, doc FROM orders WHERE owner = $1 AND id = $2 FOR UPDATE",
);
/// `$2` lists the orders as JSON. They are locked in the order of their ids.
const ALL_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, status, doc FROM orders
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT o.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, version, status, doc FROM orders WHERE owner = $1 AND id = wanted.id FOR UPDATE) o"
    ),
);
const INSERT: Sql = Sql::same(
    "INSERT INTO orders (owner, id, version, status, reference, fulfilment_status, placed_at, ship_by, hold_until, doc)
     VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE orders SET version = version + 1, status = $1, reference = $2, fulfilment_status = $3, placed_at = $4,
         ship_by = $5, hold_until = $6, doc = $7
     WHERE owner = $8 AND id = $9",
);
const DELETE: Sql = Sql::same("DELETE FROM orders WHERE owner = $1 AND id = $2");
const LINES: Sql = Sql::same(
    "SELECT item_id, quantity, allocated FROM order_line WHERE owner = $1 AND order_id = $2 ORDER BY place",
);
const LINE_INSERT: Sql = Sql::same(
    "INSERT INTO order_line (owner, order_id, item_id, place, quantity, allocated) VALUES ($1, $2, $3, $4, $5, 0)",
);
const LINE_UPDATE: Sql = Sql::same(
    "UPDATE order_line SET place = $1, quantity = $2 WHERE owner = $3 AND order_id = $4 AND item_id = $5",
);
const LINE_DELETE: Sql =
    Sql::same("DELETE FROM order_line WHERE owner = $1 AND order_id = $2 AND item_id = $3");
const LINES_DELETE: Sql = Sql::same("DELETE FROM order_line WHERE owner = $1 AND order_id = $2");
/// Never allocates more than the line's quantity. A CHECK of the table enforces the same.
const ALLOCATE: Sql = Sql::same(
    "UPDATE order_line SET allocated = allocated + $1
     WHERE owner = $2 AND order_id = $3 AND item_id = $4 AND allocated + $1 BETWEEN 0 AND quantity",
);
const RELEASE: Sql = Sql::same("UPDATE order_line SET allocated = 0 WHERE owner = $1 AND order_id = $2");
const RESERVE: Sql = Sql::same(
    "INSERT INTO reservation (owner, id, order_id, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)",
);
const UNRESERVE: Sql = Sql::same("DELETE FROM reservation WHERE owner = $1 AND order_id = $2");
const TOUCH: Sql = Sql::same("UPDATE reservation SET updated_at = $1 WHERE owner = $2 AND order_id = $3");
const RESERVATION: Sql =
    Sql::same("SELECT created_at, updated_at FROM reservation WHERE owner = $1 AND order_id = $2");
const RESERVATIONS: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, order_id, created_at, updated_at FROM reservation
         WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, order_id, created_at, updated_at FROM reservation
         WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
/// `$3` lists the orders as JSON. The plus keeps SQLite from reading all reservations in the order of their ids.
const RESERVATIONS_OF: PageSql = PageSql {
    older: Sql::each(
        "SELECT id, order_id, created_at, updated_at FROM reservation WHERE owner = $1 AND +id < $2
         AND order_id IN (SELECT value FROM json_each($3)) ORDER BY +id DESC LIMIT $4",
        concat!(
            "SELECT r.* FROM ",
            wanted!("$3"),
            " CROSS JOIN LATERAL (
                 SELECT id, order_id, created_at, updated_at FROM reservation
                 WHERE owner = $1 AND id < $2 AND order_id = wanted.id OFFSET 0) r
             ORDER BY r.id DESC LIMIT $4"
        ),
    ),
    newer: Sql::each(
        "SELECT id, order_id, created_at, updated_at FROM reservation WHERE owner = $1 AND +id > $2
         AND order_id IN (SELECT value FROM json_each($3)) ORDER BY +id LIMIT $4",
        concat!(
            "SELECT r.* FROM ",
            wanted!("$3"),
            " CROSS JOIN LATERAL (
                 SELECT id, order_id, created_at, updated_at FROM reservation
                 WHERE owner = $1 AND id > $2 AND order_id = wanted.id OFFSET 0) r
             ORDER BY r.id LIMIT $4"
        ),
    ),
};
const LINES_OF: Sql = Sql::each(
    "SELECT order_id, item_id, quantity, allocated FROM order_line
     WHERE owner = $1 AND order_id IN (SELECT value FROM json_each($2)) ORDER BY order_id, place",
    concat!(
        "SELECT l.order_id, l.item_id, l.quantity, l.allocated FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT order_id, item_id, quantity, allocated, place FROM order_line
             WHERE owner = $1 AND order_id = wanted.id OFFSET 0) l
         ORDER BY l.order_id, l.place"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &ALL_FOR_UPDATE,
    &INSERT,
    &UPDATE,
    &DELETE,
    &LINES,
    &LINE_INSERT,
    &LINE_UPDATE,
    &LINE_DELETE,
    &LINES_DELETE,
    &ALLOCATE,
    &RELEASE,
    &RESERVE,
    &UNRESERVE,
    &TOUCH,
    &RESERVATION,
    &RESERVATIONS.older,
    &RESERVATIONS.newer,
    &RESERVATIONS_OF.older,
    &RESERVATIONS_OF.newer,
    &LINES_OF,
];

/// An order's document as the API serves it, its status and its version.
pub struct StoredOrder {
    pub version: i64,
    pub status: Status,
    pub doc: String,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>) -> Result<Option<StoredOrder>> {
    read(tx, &GET, owner, id).await
}

/// Returns the order as [`get`] does, and locks it and its allocations until this transaction ends.
pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>) -> Result<Option<StoredOrder>> {
    read(tx, &GET_FOR_UPDATE, owner, id).await
}

async fn read(tx: &mut Tx<'_>, sql: &Sql, owner: Owner, id: Id<Order>) -> Result<Option<StoredOrder>> {
    let Some(mut row) = tx.one(sql, &[owner.into(), id.into()]).await? else { return Ok(None) };
    let status = read_status(&row.text(1)?)?;
    Ok(Some(StoredOrder { version: row.int(0)?, status, doc: row.text(2)? }))
}

/// Returns those of some orders that exist, and locks them in the order of their ids, as [`get_for_update`] does.
pub async fn all_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<Order>],
) -> Result<Vec<(Id<Order>, StoredOrder)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = Vec::with_capacity(ids.len());
    for mut row in tx.all(&ALL_FOR_UPDATE, &[owner.into(), id_list(ids)]).await? {
        let status = read_status(&row.text(2)?)?;
        all.push((row.id(0)?, StoredOrder { version: row.int(1)?, status, doc: row.text(3)? }));
    }
    Ok(all)
}

pub(crate) fn read_status(word: &str) -> Result<Status> {
    Status::parse(word).ok_or_else(|| Error::fault("an order has no known status"))
}

/// Inserts an order with its facets and search terms.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, order: &IndexedOrder, doc: &str) -> Result<()> {
    let values = [
        owner.into(),
        order.id.into(),
        order.status.as_str().into(),
        order.reference.as_deref().into(),
        order.fulfilment_status.as_str().into(),
        order.placed_at.into(),
        order.ship_by.into(),
        order.hold_until.into(),
        doc.into(),
    ];
    tx.send(&INSERT, &values).await?;
    order_facets::insert(tx, owner, order.id, order.facets.iter()).await?;
    search_terms::insert(tx, owner, order.id, order.terms.iter()).await
}

/// Replaces the order's document, and the facets and search terms in which it differs.
pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    old: &IndexedOrder,
    new: &IndexedOrder,
    doc: &str,
) -> Result<()> {
    let values = [
        new.status.as_str().into(),
        new.reference.as_deref().into(),
        new.fulfilment_status.as_str().into(),
        new.placed_at.into(),
        new.ship_by.into(),
        new.hold_until.into(),
        doc.into(),
        owner.into(),
        new.id.into(),
    ];
    tx.send(&UPDATE, &values).await?;
    order_facets::delete(tx, owner, new.id, old.facets.difference(&new.facets)).await?;
    order_facets::insert(tx, owner, new.id, new.facets.difference(&old.facets)).await?;
    search_terms::replace(tx, owner, new.id, &old.terms, &new.terms).await
}

/// Deletes an order with its lines, facets and search terms. It must have neither allocations nor a reservation.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner, order: &IndexedOrder) -> Result<()> {
    tx.send(&LINES_DELETE, &[owner.into(), order.id.into()]).await?;
    order_facets::delete(tx, owner, order.id, order.facets.iter()).await?;
    search_terms::delete(tx, owner, order.id, order.terms.iter()).await?;
    tx.send(&DELETE, &[owner.into(), order.id.into()]).await
}

/// Returns the order's lines in their order, with their allocated quantities.
pub async fn lines(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>) -> Result<Vec<ReservedItem>> {
    tx.all(&LINES, &[owner.into(), id.into()]).await?.into_iter().map(|row| read_line(row, 0)).collect()
}

fn read_line(mut row: Row, at: usize) -> Result<ReservedItem> {
    Ok(ReservedItem { id: row.id(at)?, quantity: row.int(at + 1)?, allocated_quantity: row.int(at + 2)? })
}

/// Replaces the order's lines. Lines that have allocations must be among the new ones.
pub async fn set_lines(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    old: &[ReservedItem],
    new: &[Line],
) -> Result<()> {
    for gone in old.iter().filter(|line| !new.iter().any(|kept| kept.id == line.id)) {
        tx.send(&LINE_DELETE, &[owner.into(), id.into(), gone.id.into()]).await?;
    }
    for (place, line) in new.iter().enumerate() {
        let place = Value::Int(place as i64);
        if old.iter().any(|known| known.id == line.id) {
            let values = [place, line.quantity.into(), owner.into(), id.into(), line.id.into()];
            tx.send(&LINE_UPDATE, &values).await?;
        } else {
            let values = [owner.into(), id.into(), line.id.into(), place, line.quantity.into()];
            tx.send(&LINE_INSERT, &values).await?;
        }
    }
    Ok(())
}

/// Adds to the allocated quantity of a line, or subtracts if the amount is negative. Returns false if it does not
/// fit.
pub async fn allocate(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    item: Id<InventoryItem>,
    amount: i64,
) -> Result<bool> {
    Ok(tx.execute(&ALLOCATE, &[amount.into(), owner.into(), id.into(), item.into()]).await? == 1)
}

/// Sets the allocated quantities of all lines to zero.
pub async fn release(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>) -> Result<()> {
    tx.send(&RELEASE, &[owner.into(), id.into()]).await
}

pub async fn reserve(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Reservation>,
    order: Id<Order>,
    now: Timestamp,
) -> Result<()> {
    tx.send(&RESERVE, &[owner.into(), id.into(), order.into(), now.into()]).await
}

pub async fn unreserve(tx: &mut Tx<'_>, owner: Owner, order: Id<Order>) -> Result<()> {
    tx.send(&UNRESERVE, &[owner.into(), order.into()]).await
}

pub async fn touch_reservation(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    now: Timestamp,
) -> Result<()> {
    tx.send(&TOUCH, &[now.into(), owner.into(), order.into()]).await
}

pub async fn reservation(tx: &mut Tx<'_>, owner: Owner, order: Id<Order>) -> Result<Option<Reservation>> {
    let Some(mut row) = tx.one(&RESERVATION, &[owner.into(), order.into()]).await? else { return Ok(None) };
    Ok(Some(Reservation {
        order: OrderReference { id: order },
        items: lines(tx, owner, order).await?,
        created_at: row.moment(0)?,
        updated_at: row.moment(1)?,
    }))
}

/// Returns a page of reservations, of the given orders or, if none are given, of all.
pub async fn reservations(
    tx: &mut Tx<'_>,
    owner: Owner,
    orders: &[Id<Order>],
    start: &Start,
    limit: usize,
) -> Result<Page<Reservation>> {
    let page = if orders.is_empty() {
        Page::read(tx, &RESERVATIONS, owner.into(), &[], start, limit).await?
    } else {
        Page::read(tx, &RESERVATIONS_OF, owner.into(), &[id_list(orders)], start, limit).await?
    };
    let mut page = page.try_map(|mut row| {
        let order = OrderReference { id: row.id(1)? };
        Ok(Reservation { order, items: Vec::new(), created_at: row.moment(2)?, updated_at: row.moment(3)? })
    })?;
    let ids: Vec<_> = page.items.iter().map(|reservation| reservation.order.id).collect();
    let mut lines = lines_of(tx, owner, &ids).await?;
    for reservation in &mut page.items {
        reservation.items = lines.remove(&reservation.order.id).unwrap_or_default();
    }
    Ok(page)
}

/// Returns the items of some orders.
pub async fn lines_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    orders: &[Id<Order>],
) -> Result<BTreeMap<Id<Order>, Vec<ReservedItem>>> {
    let mut lines: BTreeMap<Id<Order>, Vec<ReservedItem>> = BTreeMap::new();
    for mut row in tx.all(&LINES_OF, &[owner.into(), id_list(orders)]).await? {
        lines.entry(row.id(0)?).or_default().push(read_line(row, 1)?);
    }
    Ok(lines)
}
