//! The audit: recomputes stored sums from the rows and the history, and reports every difference.

use model::{Owner, Result};

use crate::platform::engine::{Sql, Tx, Value};

/// Levels whose history does not add up to their quantity. Changes that were deleted for their age are in
/// `history_from`.
const LEVELS: Sql = Sql::same(
    "SELECT l.item_id, l.location_id, l.on_hand, CAST(l.history_from + coalesce(sum(c.delta), 0) AS BIGINT)
     FROM inventory_level l LEFT JOIN inventory_change c
     ON c.owner = l.owner AND c.item_id = l.item_id AND c.location_id = l.location_id
     WHERE l.owner = $1 GROUP BY l.item_id, l.location_id, l.on_hand, l.history_from
     HAVING l.on_hand <> l.history_from + coalesce(sum(c.delta), 0) LIMIT $2",
);
/// Order lines whose allocations do not add up to the allocated quantity that they store.
const LINES: Sql = Sql::same(
    "SELECT l.item_id, l.order_id, l.allocated, CAST(coalesce(sum(a.quantity), 0) AS BIGINT)
     FROM order_line l LEFT JOIN allocation a
     ON a.owner = l.owner AND a.order_id = l.order_id AND a.item_id = l.item_id
     WHERE l.owner = $1 GROUP BY l.item_id, l.order_id, l.allocated
     HAVING l.allocated <> coalesce(sum(a.quantity), 0) LIMIT $2",
);
/// Completed allocations that say they took stock, with the quantity that the history shows. If old changes of the
/// level were deleted, an allocation without any change is not judged.
const TAKEN: Sql = Sql::same(
    "SELECT a.item_id, a.id, CASE WHEN a.took_stock = 1 THEN -a.quantity ELSE 0 END,
         CAST(coalesce(sum(c.delta), 0) AS BIGINT)
     FROM allocation a LEFT JOIN inventory_change c
     ON c.owner = a.owner AND c.item_id = a.item_id AND c.location_id = a.location_id AND c.allocation_id = a.id
     LEFT JOIN inventory_level l ON l.owner = a.owner AND l.item_id = a.item_id AND l.location_id = a.location_id
     WHERE a.owner = $1 GROUP BY a.item_id, a.id, a.took_stock, a.quantity, l.is_history_pruned
     HAVING CASE WHEN a.took_stock = 1 THEN -a.quantity ELSE 0 END <> coalesce(sum(c.delta), 0)
     AND NOT (count(c.id) = 0 AND coalesce(l.is_history_pruned, 0) = 1) LIMIT $2",
);
/// Orders whose status and reservation contradict each other.
const RESERVED: Sql = Sql::same(
    "SELECT o.id, o.id, CAST(CASE WHEN o.status IN ('committed', 'fulfilled') THEN 1 ELSE 0 END AS BIGINT),
         CAST(count(r.id) AS BIGINT)
     FROM orders o LEFT JOIN reservation r ON r.owner = o.owner AND r.order_id = o.id
     WHERE o.owner = $1 GROUP BY o.id, o.status
     HAVING CASE WHEN o.status IN ('committed', 'fulfilled') THEN 1 ELSE 0 END <> count(r.id) LIMIT $2",
);
/// Orders whose document shows another allocated quantity than their allocations have.
const ALLOCATED: Sql = Sql::each(
    "SELECT s.id, s.id, s.kept, s.recomputed FROM (
         SELECT o.id, coalesce(CAST(json_extract(o.doc, '$.fulfilment.allocated_quantity') AS BIGINT), 0) AS kept,
             CAST(coalesce((SELECT sum(a.quantity) FROM allocation a
                 WHERE a.owner = o.owner AND a.order_id = o.id), 0) AS BIGINT) AS recomputed
         FROM orders o WHERE o.owner = $1) s
     WHERE s.kept <> s.recomputed LIMIT $2",
    "SELECT s.id, s.id, s.kept, s.recomputed FROM (
         SELECT o.id, coalesce(CAST(o.doc::json #>> '{fulfilment,allocated_quantity}' AS BIGINT), 0) AS kept,
             CAST(coalesce((SELECT sum(a.quantity) FROM allocation a
                 WHERE a.owner = o.owner AND a.order_id = o.id), 0) AS BIGINT) AS recomputed
         FROM orders o WHERE o.owner = $1) s
     WHERE s.kept <> s.recomputed LIMIT $2",
);
/// Orders whose document shows another shipped quantity than their completed allocations have.
const SHIPPED: Sql = Sql::each(
    "SELECT s.id, s.id, s.kept, s.recomputed FROM (
         SELECT o.id, coalesce(CAST(json_extract(o.doc, '$.fulfilment.shipped_quantity') AS BIGINT), 0) AS kept,
             CAST(coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id
                 AND a.completed_at IS NOT NULL), 0) AS BIGINT) AS recomputed
         FROM orders o WHERE o.owner = $1) s
     WHERE s.kept <> s.recomputed LIMIT $2",
    "SELECT s.id, s.id, s.kept, s.recomputed FROM (
         SELECT o.id, coalesce(CAST(o.doc::json #>> '{fulfilment,shipped_quantity}' AS BIGINT), 0) AS kept,
             CAST(coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id
                 AND a.completed_at IS NOT NULL), 0) AS BIGINT) AS recomputed
         FROM orders o WHERE o.owner = $1) s
     WHERE s.kept <> s.recomputed LIMIT $2",
);
/// Orders whose document shows another delivered quantity than their delivered allocations have.
const DELIVERED: Sql = Sql::each(
    "SELECT s.id, s.id, s.kept, s.recomputed FROM (
         SELECT o.id, coalesce(CAST(json_extract(o.doc, '$.fulfilment.delivered_quantity') AS BIGINT), 0) AS kept,
             CAST(coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id
                 AND a.completed_at IS NOT NULL AND a.is_delivered = 1), 0) AS BIGINT) AS recomputed
         FROM orders o WHERE o.owner = $1) s
     WHERE s.kept <> s.recomputed LIMIT $2",
    "SELECT s.id, s.id, s.kept, s.recomputed FROM (
         SELECT o.id, coalesce(CAST(o.doc::json #>> '{fulfilment,delivered_quantity}' AS BIGINT), 0) AS kept,
             CAST(coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id
                 AND a.completed_at IS NOT NULL AND a.is_delivered = 1), 0) AS BIGINT) AS recomputed
         FROM orders o WHERE o.owner = $1) s
     WHERE s.kept <> s.recomputed LIMIT $2",
);
/// Levels that count other units in shipments than their open allocations have.
const PACKED: Sql = Sql::same(
    "SELECT l.item_id, l.location_id, l.packed, CAST(coalesce(sum(a.quantity), 0) AS BIGINT)
     FROM inventory_level l LEFT JOIN allocation a ON a.owner = l.owner AND a.item_id = l.item_id
     AND a.location_id = l.location_id AND a.completed_at IS NULL AND a.shipment_id IS NOT NULL
     WHERE l.owner = $1 GROUP BY l.item_id, l.location_id, l.packed
     HAVING l.packed <> coalesce(sum(a.quantity), 0) LIMIT $2",
);
/// Levels that count other units as planned than their open allocations have that plans made.
const PLANNED: Sql = Sql::same(
    "SELECT l.item_id, l.location_id, l.planned, CAST(coalesce(sum(a.quantity), 0) AS BIGINT)
     FROM inventory_level l LEFT JOIN allocation a ON a.owner = l.owner AND a.item_id = l.item_id
     AND a.location_id = l.location_id AND a.completed_at IS NULL AND a.is_planned = 1
     WHERE l.owner = $1 GROUP BY l.item_id, l.location_id, l.planned
     HAVING l.planned <> coalesce(sum(a.quantity), 0) LIMIT $2",
);
/// Levels that count other units in purchases than the open allocations of shipments that are being bought or are bought.
const BUYING: Sql = Sql::same(
    "SELECT l.item_id, l.location_id, l.buying, CAST(coalesce(sum(s.quantity), 0) AS BIGINT)
     FROM inventory_level l LEFT JOIN (
         SELECT a.owner, a.item_id, a.location_id, a.quantity FROM allocation a
         JOIN shipment s ON s.owner = a.owner AND s.id = a.shipment_id
         WHERE a.owner = $1 AND a.completed_at IS NULL AND s.status IN ('purchasing', 'purchased')) s
     ON s.owner = l.owner AND s.item_id = l.item_id AND s.location_id = l.location_id
     WHERE l.owner = $1 GROUP BY l.item_id, l.location_id, l.buying
     HAVING l.buying <> coalesce(sum(s.quantity), 0) LIMIT $2",
);
/// Allocations in a shipment that does not exist, is voided, or is of another order: 1 instead of 0.
const HELD: Sql = Sql::same(
    "SELECT a.item_id, a.id, CAST(1 AS BIGINT), CAST(0 AS BIGINT) FROM allocation a
     LEFT JOIN shipment s ON s.owner = a.owner AND s.id = a.shipment_id AND s.order_id = a.order_id
         AND s.status <> 'voided'
     WHERE a.owner = $1 AND a.shipment_id IS NOT NULL AND s.id IS NULL LIMIT $2",
);
/// Orders whose fulfilment status is not the one of their quantities, as positions in the list of statuses.
const FULFILMENT: Sql = Sql::same(
    "SELECT s.id, s.id, s.kept, s.recomputed FROM (
         SELECT q.id, CAST(CASE q.status WHEN 'unallocated' THEN 0 WHEN 'partially_allocated' THEN 1 WHEN 'allocated' THEN 2
                 WHEN 'partially_shipped' THEN 3 WHEN 'shipped' THEN 4 WHEN 'partially_delivered' THEN 5 ELSE 6 END AS BIGINT) AS kept,
             CAST(CASE WHEN q.ordered = 0 OR q.allocated = 0 THEN 0 WHEN q.delivered >= q.ordered THEN 6
                 WHEN q.shipped >= q.ordered AND q.delivered > 0 THEN 5 WHEN q.shipped >= q.ordered THEN 4 WHEN q.shipped > 0 THEN 3
                 WHEN q.allocated >= q.ordered THEN 2 ELSE 1 END AS BIGINT) AS recomputed
         FROM (SELECT o.id, o.fulfilment_status AS status,
                 coalesce((SELECT sum(l.quantity) FROM order_line l WHERE l.owner = o.owner AND l.order_id = o.id), 0) AS ordered,
                 coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id), 0) AS allocated,
                 coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id
                     AND a.completed_at IS NOT NULL), 0) AS shipped,
                 coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id
                     AND a.completed_at IS NOT NULL AND a.is_delivered = 1), 0) AS delivered
             FROM orders o WHERE o.owner = $1) q) s
     WHERE s.kept <> s.recomputed LIMIT $2",
);
const COUNT: Sql = Sql::same(
    "SELECT (SELECT count(*) FROM inventory_level WHERE owner = $1),
         (SELECT count(*) FROM order_line WHERE owner = $1), (SELECT count(*) FROM allocation WHERE owner = $1),
         (SELECT count(*) FROM orders WHERE owner = $1)",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LEVELS,
    &LINES,
    &TAKEN,
    &RESERVED,
    &ALLOCATED,
    &SHIPPED,
    &DELIVERED,
    &PACKED,
    &PLANNED,
    &BUYING,
    &HELD,
    &FULFILMENT,
    &COUNT,
];

/// Two quantities that should be equal and are not.
pub struct Difference {
    /// Which quantity differs: `on_hand`, `allocated_quantity`, `stock_taken`, `reservation`, `packed`, `planned`, `buying`, one of an
    /// order's `fulfilment`; or `shipment_id`, if an allocation is in a shipment that can't hold it.
    pub what: &'static str,
    pub first_id: String,
    pub second_id: String,
    pub kept: i64,
    pub recomputed: i64,
}

/// How many rows the audit compared.
pub struct Checked {
    pub levels: i64,
    pub lines: i64,
    pub allocations: i64,
    pub orders: i64,
}

/// Returns up to `limit` differences of each kind.
pub async fn differences(tx: &mut Tx<'_>, owner: Owner, limit: usize) -> Result<Vec<Difference>> {
    let checks = [
        ("on_hand", &LEVELS),
        ("allocated_quantity", &LINES),
        ("stock_taken", &TAKEN),
        ("reservation", &RESERVED),
        ("fulfilment.allocated_quantity", &ALLOCATED),
        ("fulfilment.shipped_quantity", &SHIPPED),
        ("fulfilment.delivered_quantity", &DELIVERED),
        ("packed", &PACKED),
        ("planned", &PLANNED),
        ("buying", &BUYING),
        ("shipment_id", &HELD),
        ("fulfilment.status", &FULFILMENT),
    ];
    let mut found = Vec::new();
    for (what, sql) in checks {
        for mut row in tx.all(sql, &[owner.into(), Value::Int(limit as i64)]).await? {
            found.push(Difference {
                what,
                first_id: row.text(0)?,
                second_id: row.text(1)?,
                kept: row.int(2)?,
                recomputed: row.int(3)?,
            });
        }
    }
    Ok(found)
}

pub async fn count(tx: &mut Tx<'_>, owner: Owner) -> Result<Checked> {
    let mut row = tx.one(&COUNT, &[owner.into()]).await?.ok_or_else(|| model::Error::fault("no counts"))?;
    Ok(Checked { levels: row.int(0)?, lines: row.int(1)?, allocations: row.int(2)?, orders: row.int(3)? })
}
