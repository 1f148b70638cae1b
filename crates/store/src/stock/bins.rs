//! Bins: where the pieces of items lie at a location.

use model::{Id, InventoryItem, Location, Owner, Result};

use crate::platform::engine::{Sql, Tx, wanted};
use crate::stock::inventory_items::id_list;

const EXISTS: Sql = Sql::same(
    "SELECT item_id FROM inventory_level WHERE owner = $1 AND location_id = $2 AND bin = $3 LIMIT 1",
);
/// `$2` lists items as JSON.
const HOLDS: Sql = Sql::each(
    "SELECT item_id FROM inventory_level
     WHERE owner = $1 AND item_id IN (SELECT value FROM json_each($2)) AND location_id = $3 AND bin = $4 LIMIT 1",
    concat!(
        "SELECT l.item_id FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT item_id FROM inventory_level
             WHERE owner = $1 AND item_id = wanted.id AND location_id = $3 AND bin = $4 OFFSET 0) l
         LIMIT 1"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] = &[&EXISTS, &HOLDS];

/// Returns whether a location has a bin of this name.
pub async fn exists(tx: &mut Tx<'_>, owner: Owner, location: Id<Location>, bin: &str) -> Result<bool> {
    Ok(tx.one(&EXISTS, &[owner.into(), location.into(), bin.into()]).await?.is_some())
}

/// Returns whether one of the items lies in a bin of a location.
pub async fn holds(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Id<Location>,
    bin: &str,
    items: &[Id<InventoryItem>],
) -> Result<bool> {
    let values = [owner.into(), id_list(items), location.into(), bin.into()];
    Ok(tx.one(&HOLDS, &values).await?.is_some())
}
