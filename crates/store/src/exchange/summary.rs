//! Counts across areas. Each reads an index, and stops at a limit.

use model::orders::facet;
use model::{Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx, Value};

const LATE_ORDERS: Sql = Sql::same(
    "SELECT count(*) FROM (
         SELECT 1 FROM orders WHERE owner = $1 AND status = 'committed' AND ship_by < $2 LIMIT $3) found",
);
const ORDERS_WITH_FACET: Sql = Sql::same(
    "SELECT count(*) FROM (SELECT 1 FROM order_facet WHERE owner = $1 AND facet = $2 LIMIT $3) found",
);
const TO_REVIEW: Sql = Sql::same(
    "SELECT count(*) FROM (SELECT 1 FROM purchase WHERE owner = $1 AND state = 'needs_review' LIMIT $2) found",
);
const FAILING_ENDPOINTS: Sql = Sql::same(
    "SELECT count(*) FROM (
         SELECT 1 FROM webhook_lane WHERE owner = $1 AND failing_since IS NOT NULL LIMIT $2) found",
);
const LOW_ITEMS: Sql = Sql::same(
    "SELECT count(*) FROM (
         SELECT DISTINCT item_id FROM inventory_level WHERE owner = $1 AND is_low = 1 LIMIT $2) found",
);
const BOUGHT: Sql =
    Sql::same("SELECT count(*) FROM shipment WHERE owner = $1 AND purchased_at >= $2 AND purchased_at < $3");

pub(crate) const STATEMENTS: &[&Sql] =
    &[&LATE_ORDERS, &ORDERS_WITH_FACET, &TO_REVIEW, &FAILING_ENDPOINTS, &LOW_ITEMS, &BOUGHT];

/// Counts committed orders that were to be shipped before this moment.
pub async fn late_orders(tx: &mut Tx<'_>, owner: Owner, now: Timestamp, limit: i64) -> Result<i64> {
    count(tx, &LATE_ORDERS, &[owner.into(), now.into(), Value::Int(limit)]).await
}

pub async fn held_orders(tx: &mut Tx<'_>, owner: Owner, limit: i64) -> Result<i64> {
    count(tx, &ORDERS_WITH_FACET, &[owner.into(), facet::ON_HOLD.into(), Value::Int(limit)]).await
}

pub async fn orders_with_exceptions(tx: &mut Tx<'_>, owner: Owner, limit: i64) -> Result<i64> {
    count(tx, &ORDERS_WITH_FACET, &[owner.into(), facet::HAS_EXCEPTION.into(), Value::Int(limit)]).await
}

pub async fn purchases_to_review(tx: &mut Tx<'_>, owner: Owner, limit: i64) -> Result<i64> {
    count(tx, &TO_REVIEW, &[owner.into(), Value::Int(limit)]).await
}

pub async fn failing_webhook_endpoints(tx: &mut Tx<'_>, owner: Owner, limit: i64) -> Result<i64> {
    count(tx, &FAILING_ENDPOINTS, &[owner.into(), Value::Int(limit)]).await
}

pub async fn low_items(tx: &mut Tx<'_>, owner: Owner, limit: i64) -> Result<i64> {
    count(tx, &LOW_ITEMS, &[owner.into(), Value::Int(limit)]).await
}

/// Counts the shipments that were bought from `begin` on and before `end`.
pub async fn bought(tx: &mut Tx<'_>, owner: Owner, begin: Timestamp, end: Timestamp) -> Result<i64> {
    count(tx, &BOUGHT, &[owner.into(), begin.into(), end.into()]).await
}

async fn count(tx: &mut Tx<'_>, sql: &'static Sql, values: &[Value]) -> Result<i64> {
    match tx.one(sql, values).await? {
        Some(mut row) => row.int(0),
        None => Ok(0),
    }
}
