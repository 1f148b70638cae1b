//! Inventory items.

use std::collections::{BTreeMap, BTreeSet};

use model::stock::searched_item::SearchedItem;
use model::{Error, Id, InventoryItem, Owner, Result};

pub(crate) use crate::platform::engine::id_list;
use crate::platform::engine::{Sql, Tx, Value, wanted};
use crate::platform::search_terms;

const GET: Sql = Sql::same("SELECT version, doc FROM inventory_item WHERE owner = $1 AND id = $2");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT version, doc FROM inventory_item WHERE owner = $1 AND id = $2",
    "SELECT version, doc FROM inventory_item WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const INSERT: Sql = Sql::same(
    "INSERT INTO inventory_item (owner, id, sku, name_key, version, doc) VALUES ($1, $2, $3, $4, 1, $5)
     ON CONFLICT (owner, sku) DO NOTHING",
);
const SKU_USER: Sql = Sql::same("SELECT id FROM inventory_item WHERE owner = $1 AND sku = $2");
const UPDATE: Sql = Sql::same(
    "UPDATE inventory_item SET sku = $1, name_key = $2, version = version + 1, doc = $3 WHERE owner = $4 AND id = $5",
);
const DELETE: Sql = Sql::same("DELETE FROM inventory_item WHERE owner = $1 AND id = $2");
/// The documents of some items. `$2` lists their ids as JSON.
const DOCS: Sql = Sql::each(
    "SELECT id, doc FROM inventory_item WHERE owner = $1 AND id IN (SELECT value FROM json_each($2))",
    concat!(
        "SELECT i.id, i.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM inventory_item WHERE owner = $1 AND id = wanted.id OFFSET 0) i"
    ),
);
/// Locks the items in share mode: none of them can be deleted before this transaction ends. `$2` lists their ids as
/// JSON.
const HOLD: Sql = Sql::each(
    "SELECT id FROM inventory_item WHERE owner = $1 AND id IN (SELECT value FROM json_each($2))",
    concat!(
        "SELECT held.id FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id FROM inventory_item WHERE owner = $1 AND id = wanted.id FOR KEY SHARE) held"
    ),
);
/// Keeps levels of the items from being inserted before this transaction ends. `$2` lists their ids as JSON.
const HOLD_LEVELS: Sql = Sql::each(
    "",
    concat!(
        "SELECT held.id FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id FROM inventory_item WHERE owner = $1 AND id = wanted.id OFFSET 0 FOR SHARE) held"
    ),
);
/// Waits for the transactions that hold the levels of the item.
const OPEN_LEVELS: Sql =
    Sql::each("", "SELECT id FROM inventory_item WHERE owner = $1 AND id = $2 FOR NO KEY UPDATE");
/// As [`HOLD`], by SKU. `$2` lists the SKUs as JSON.
const HOLD_SKUS: Sql = Sql::each(
    "SELECT sku, id FROM inventory_item WHERE owner = $1 AND sku IN (SELECT value FROM json_each($2))",
    concat!(
        "SELECT held.sku, held.id FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT sku, id FROM inventory_item WHERE owner = $1 AND sku = wanted.id FOR KEY SHARE) held"
    ),
);
const ORDERED: Sql = Sql::same("SELECT order_id FROM order_line WHERE owner = $1 AND item_id = $2 LIMIT 1");
const STOCKED: Sql = Sql::same(
    "SELECT location_id FROM inventory_level WHERE owner = $1 AND item_id = $2 AND on_hand > 0 LIMIT 1",
);
const CHANGES_DELETE: Sql = Sql::same("DELETE FROM inventory_change WHERE owner = $1 AND item_id = $2");
const LEVELS_DELETE: Sql = Sql::same("DELETE FROM inventory_level WHERE owner = $1 AND item_id = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &INSERT,
    &SKU_USER,
    &UPDATE,
    &DELETE,
    &DOCS,
    &HOLD,
    &HOLD_LEVELS,
    &OPEN_LEVELS,
    &HOLD_SKUS,
    &ORDERED,
    &STOCKED,
    &CHANGES_DELETE,
    &LEVELS_DELETE,
];

/// An item's document as the API serves it, and its version.
pub struct StoredInventoryItem {
    pub version: i64,
    pub doc: String,
}

/// The columns of an item by which lists find it.
#[derive(Clone)]
pub struct ItemKeys {
    pub sku: String,
    /// The name in the form in which names are compared.
    pub name_key: String,
}

pub async fn get(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<InventoryItem>,
) -> Result<Option<StoredInventoryItem>> {
    read(tx, &GET, owner, id).await
}

/// Returns the item as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<InventoryItem>,
) -> Result<Option<StoredInventoryItem>> {
    read(tx, &GET_FOR_UPDATE, owner, id).await
}

async fn read(
    tx: &mut Tx<'_>,
    sql: &Sql,
    owner: Owner,
    id: Id<InventoryItem>,
) -> Result<Option<StoredInventoryItem>> {
    let row = tx.one(sql, &[owner.into(), id.into()]).await?;
    row.map(|mut row| Ok(StoredInventoryItem { version: row.int(0)?, doc: row.text(1)? })).transpose()
}

/// Returns the documents of those items that exist.
pub async fn docs(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<InventoryItem>],
) -> Result<Vec<(Id<InventoryItem>, String)>> {
    let rows = tx.all(&DOCS, &[owner.into(), id_list(ids)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}

/// Inserts an item with its search terms. Returns false if another item has the SKU.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<InventoryItem>,
    keys: &ItemKeys,
    doc: &str,
) -> Result<bool> {
    let (sku, name_key) = (keys.sku.as_str(), keys.name_key.as_str());
    let values = [owner.into(), id.into(), sku.into(), name_key.into(), doc.into()];
    let is_inserted = tx.execute(&INSERT, &values).await? == 1;
    if is_inserted {
        search_terms::insert(tx, owner, id, terms_of(doc)?.iter()).await?;
    }
    Ok(is_inserted)
}

/// Returns the search terms of an item's document.
fn terms_of(doc: &str) -> Result<BTreeSet<String>> {
    let item: SearchedItem = serde_json::from_str(doc).map_err(Error::fault)?;
    Ok(item.searched().terms())
}

/// Returns the id of the item that has the SKU.
pub async fn sku_user(tx: &mut Tx<'_>, owner: Owner, sku: &str) -> Result<Option<Id<InventoryItem>>> {
    tx.one(&SKU_USER, &[owner.into(), sku.into()]).await?.map(|mut row| row.id(0)).transpose()
}

/// Replaces the item's document, and the search terms in which it differs.
pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<InventoryItem>,
    old: &StoredInventoryItem,
    keys: &ItemKeys,
    doc: &str,
) -> Result<()> {
    let (sku, name_key) = (keys.sku.as_str(), keys.name_key.as_str());
    tx.send(&UPDATE, &[sku.into(), name_key.into(), doc.into(), owner.into(), id.into()]).await?;
    search_terms::replace(tx, owner, id, &terms_of(&old.doc)?, &terms_of(doc)?).await
}

/// Returns whether an order refers to the item, or a location has it in stock.
pub async fn is_used(tx: &mut Tx<'_>, owner: Owner, id: Id<InventoryItem>) -> Result<bool> {
    let values = [owner.into(), id.into()];
    Ok(tx.one(&ORDERED, &values).await?.is_some() || tx.one(&STOCKED, &values).await?.is_some())
}

/// Deletes the item with its search terms, its empty levels and their history. Its barcodes must be deleted before.
pub async fn delete(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<InventoryItem>,
    old: &StoredInventoryItem,
) -> Result<()> {
    search_terms::delete(tx, owner, id, terms_of(&old.doc)?.iter()).await?;
    let values = [owner.into(), id.into()];
    for statement in [&CHANGES_DELETE, &LEVELS_DELETE, &DELETE] {
        tx.send(statement, &values).await?;
    }
    Ok(())
}

/// Returns which of the items exist, and keeps them from being deleted until this transaction ends.
pub async fn hold(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<InventoryItem>],
) -> Result<Vec<Id<InventoryItem>>> {
    let rows = tx.all(&HOLD, &[owner.into(), id_list(ids)]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}

/// Keeps levels of the items from being inserted until this transaction ends: it counts on that there is none.
pub async fn hold_levels(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<InventoryItem>]) -> Result<()> {
    tx.all(&HOLD_LEVELS, &[owner.into(), id_list(ids)]).await.map(drop)
}

/// Waits until no other transaction counts on that a level of the item is missing.
pub async fn open_levels(tx: &mut Tx<'_>, owner: Owner, id: Id<InventoryItem>) -> Result<()> {
    tx.one(&OPEN_LEVELS, &[owner.into(), id.into()]).await.map(drop)
}

/// Returns the items that have these SKUs, by SKU, and keeps them from being deleted until this transaction ends.
pub async fn hold_skus(
    tx: &mut Tx<'_>,
    owner: Owner,
    skus: &BTreeSet<&str>,
) -> Result<BTreeMap<String, Id<InventoryItem>>> {
    let list = Value::Text(serde_json::Value::from_iter(skus.iter().copied()).to_string());
    let rows = tx.all(&HOLD_SKUS, &[owner.into(), list]).await?;
    rows.into_iter().map(|mut row| Ok((row.text(0)?, row.id(1)?))).collect()
}
