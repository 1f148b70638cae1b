//! The documents of the items that are to be shipped.

use model::{Id, InventoryItem, Owner, Result};

use crate::platform::engine::{Sql, Tx, wanted};
use crate::stock::inventory_items::id_list;

/// `$2` lists ids as JSON.
const DOCS: Sql = Sql::each(
    "SELECT id, doc FROM inventory_item WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT i.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM inventory_item WHERE owner = $1 AND id = wanted.id OFFSET 0) i
         ORDER BY i.id"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] = &[&DOCS];

/// Returns the items with these ids and their documents, in the order of their ids.
pub async fn docs(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<InventoryItem>],
) -> Result<Vec<(Id<InventoryItem>, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = tx.all(&DOCS, &[owner.into(), id_list(ids)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}
