//! The references of orders, for owners whose setting makes them unique.
//!
//! The table has a row for each reference in use, and only while the setting is on. Its primary key keeps two orders
//! from having the same reference, on however many nodes.

use model::{Id, Order, Owner, Result};

use crate::platform::engine::{Sql, Tx, Value};

/// Taken by a transaction that gives an order a reference or removes it, together with others that do the same. It
/// keeps the setting unchanged until the transaction ends. SQLite has one writer, and needs no lock.
const LOCK_SHARED: Sql =
    Sql::each("", "SELECT 1::bigint FROM pg_advisory_xact_lock_shared(hashtextextended($1, 4716051120337))");
/// Taken exclusively by a transaction that changes the setting.
const LOCK: Sql =
    Sql::each("", "SELECT 1::bigint FROM pg_advisory_xact_lock(hashtextextended($1, 4716051120337))");
const CLAIM: Sql = Sql::same(
    "INSERT INTO order_reference (owner, reference, order_id) VALUES ($1, $2, $3)
     ON CONFLICT (owner, reference) DO NOTHING",
);
const HOLDER: Sql = Sql::same("SELECT order_id FROM order_reference WHERE owner = $1 AND reference = $2");
const RELEASE: Sql =
    Sql::same("DELETE FROM order_reference WHERE owner = $1 AND reference = $2 AND order_id = $3");
const REPEATED: Sql = Sql::same(
    "SELECT reference, COUNT(*) FROM orders WHERE owner = $1 AND reference IS NOT NULL
     GROUP BY reference HAVING COUNT(*) > 1 ORDER BY reference LIMIT $2",
);
const CLAIM_ALL: Sql = Sql::same(
    "INSERT INTO order_reference (owner, reference, order_id)
     SELECT owner, reference, id FROM orders WHERE owner = $1 AND reference IS NOT NULL",
);
const RELEASE_ALL: Sql = Sql::same("DELETE FROM order_reference WHERE owner = $1");

pub(crate) const STATEMENTS: &[&Sql] =
    &[&LOCK_SHARED, &LOCK, &CLAIM, &HOLDER, &RELEASE, &REPEATED, &CLAIM_ALL, &RELEASE_ALL];

/// Attempts to claim a reference, if the order that has it releases it at the same moment.
const TRIES_MAX: usize = 3;

/// Keeps the owner's setting unchanged until this transaction ends. Call before reading the setting.
pub async fn lock_shared(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&LOCK_SHARED, &[owner.into()]).await
}

/// Waits for all transactions that claim or release references, and excludes others until this one ends.
pub async fn lock(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&LOCK, &[owner.into()]).await
}

/// Claims a reference for an order, or returns the order that has it.
pub async fn claim(
    tx: &mut Tx<'_>,
    owner: Owner,
    reference: &str,
    order: Id<Order>,
) -> Result<Result<(), Option<Id<Order>>>> {
    for _ in 0..TRIES_MAX {
        let values = [owner.into(), reference.into(), order.into()];
        if tx.execute(&CLAIM, &values).await? == 1 {
            return Ok(Ok(()));
        }
        let row = tx.one(&HOLDER, &[owner.into(), reference.into()]).await?;
        if let Some(holder) = row.map(|mut row| row.id(0)).transpose()? {
            return Ok(if holder == order { Ok(()) } else { Err(Some(holder)) });
        }
    }
    Ok(Err(None))
}

/// Releases the reference of an order.
pub async fn release(tx: &mut Tx<'_>, owner: Owner, reference: &str, order: Id<Order>) -> Result<()> {
    tx.send(&RELEASE, &[owner.into(), reference.into(), order.into()]).await
}

/// Returns up to `limit` references that several orders have, each with the number of orders.
pub async fn repeated(tx: &mut Tx<'_>, owner: Owner, limit: usize) -> Result<Vec<(String, i64)>> {
    let rows = tx.all(&REPEATED, &[owner.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|mut row| Ok((row.text(0)?, row.int(1)?))).collect()
}

/// Claims the references of all existing orders.
pub async fn claim_all(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&CLAIM_ALL, &[owner.into()]).await
}

/// Releases all references of the owner.
pub async fn release_all(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&RELEASE_ALL, &[owner.into()]).await
}
