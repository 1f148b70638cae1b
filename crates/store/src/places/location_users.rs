//! What is at a location, so that a location in use is not deleted. It reads tables of later areas, and returns only texts.

use model::{Id, Location, Owner, Result};

use crate::platform::engine::{Sql, Tx, Value};

const OPEN_ALLOCATIONS: Sql = Sql::same(
    "SELECT id, order_id FROM allocation WHERE owner = $1 AND location_id = $2 AND completed_at IS NULL LIMIT $3",
);
const ITEMS: Sql = Sql::same(
    "SELECT item_id FROM inventory_level WHERE owner = $1 AND location_id = $2 AND on_hand > 0 LIMIT $3",
);

const PACKAGE_TYPES: Sql = Sql::same(
    "SELECT package_type_id FROM package_type_location WHERE owner = $1 AND location_id = $2 LIMIT $3",
);

const PRINTERS: Sql = Sql::same("SELECT id FROM printer WHERE owner = $1 AND location_id = $2 LIMIT $3");

pub(crate) const STATEMENTS: &[&Sql] = &[&OPEN_ALLOCATIONS, &ITEMS, &PACKAGE_TYPES, &PRINTERS];

/// An open allocation at a location.
pub struct OpenAllocation {
    pub id: String,
    pub order: String,
}

/// Returns up to `limit` open allocations at a location.
pub async fn open_allocations(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Id<Location>,
    limit: usize,
) -> Result<Vec<OpenAllocation>> {
    let values = [owner.into(), location.into(), Value::Int(limit as i64)];
    let rows = tx.all(&OPEN_ALLOCATIONS, &values).await?;
    rows.into_iter().map(|mut row| Ok(OpenAllocation { id: row.text(0)?, order: row.text(1)? })).collect()
}

/// Returns the ids of up to `limit` items that a location has in stock.
pub async fn items(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Id<Location>,
    limit: usize,
) -> Result<Vec<String>> {
    let values = [owner.into(), location.into(), Value::Int(limit as i64)];
    tx.all(&ITEMS, &values).await?.into_iter().map(|mut row| row.text(0)).collect()
}

/// Returns the ids of up to `limit` package types that name a location.
pub async fn package_types(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Id<Location>,
    limit: usize,
) -> Result<Vec<String>> {
    let values = [owner.into(), location.into(), Value::Int(limit as i64)];
    tx.all(&PACKAGE_TYPES, &values).await?.into_iter().map(|mut row| row.text(0)).collect()
}

/// Returns the ids of up to `limit` printers that stand at a location.
pub async fn printers(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Id<Location>,
    limit: usize,
) -> Result<Vec<String>> {
    let values = [owner.into(), location.into(), Value::Int(limit as i64)];
    tx.all(&PRINTERS, &values).await?.into_iter().map(|mut row| row.text(0)).collect()
}
