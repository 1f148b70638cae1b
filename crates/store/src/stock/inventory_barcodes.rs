//! The barcodes of inventory items, in the form in which they are compared. The table's key keeps two items from having
//! the same one, also if both are written at the same moment.

use std::collections::BTreeSet;

use model::{Id, InventoryItem, Owner, Result};

use crate::platform::engine::{Sql, Tx, Value};

/// `$3` lists the codes as JSON. Sorted, so that two transactions never wait for each other.
const INSERT: Sql = Sql::each(
    "INSERT INTO inventory_barcode (owner, item_id, code) SELECT $1, $2, value FROM json_each($3) WHERE true
     ON CONFLICT (owner, code) DO NOTHING RETURNING code",
    "INSERT INTO inventory_barcode (owner, item_id, code)
     SELECT $1, $2, code FROM jsonb_array_elements_text($3::text::jsonb) AS list (code) ORDER BY code COLLATE \"C\"
     ON CONFLICT (owner, code) DO NOTHING RETURNING code",
);
const DELETE_OF_ITEM: Sql = Sql::same("DELETE FROM inventory_barcode WHERE owner = $1 AND item_id = $2");
const USER: Sql = Sql::same("SELECT item_id FROM inventory_barcode WHERE owner = $1 AND code = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &DELETE_OF_ITEM, &USER];

/// Returns the item that has a barcode, which is in the form in which barcodes are compared.
pub async fn user(tx: &mut Tx<'_>, owner: Owner, code: &str) -> Result<Option<Id<InventoryItem>>> {
    tx.one(&USER, &[owner.into(), code.into()]).await?.map(|mut row| row.id(0)).transpose()
}

/// Gives barcodes to an item. Returns those that another item has.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    item: Id<InventoryItem>,
    codes: &[String],
) -> Result<BTreeSet<String>> {
    let list = Value::Text(serde_json::Value::from(codes).to_string());
    let mut taken: BTreeSet<String> = codes.iter().cloned().collect();
    for mut row in tx.all(&INSERT, &[owner.into(), item.into(), list]).await? {
        taken.remove(&row.text(0)?);
    }
    Ok(taken)
}

pub async fn delete_of_item(tx: &mut Tx<'_>, owner: Owner, item: Id<InventoryItem>) -> Result<()> {
    tx.send(&DELETE_OF_ITEM, &[owner.into(), item.into()]).await
}
