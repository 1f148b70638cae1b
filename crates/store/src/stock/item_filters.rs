//! Filtered lists of inventory items. The narrowest filter that a list has leads, by its index; the others are compared
//! for each row that it finds.

use model::{Owner, Result};

use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};

/// The filters of a list of items. An item must match all.
#[derive(Clone, Default)]
pub struct ItemFilter {
    pub sku: Option<String>,
    /// In the form in which barcodes are compared.
    pub barcode: Option<String>,
    /// In the form in which names are compared.
    pub name: Option<String>,
    pub low_stock: Option<bool>,
}

/// 1 if a level of the item is low, else 0.
macro_rules! low {
    () => {
        "(CASE WHEN EXISTS (SELECT 1 FROM inventory_level l
             WHERE l.owner = i.owner AND l.item_id = i.id AND l.is_low = 1) THEN 1 ELSE 0 END)"
    };
}

const ALL: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, doc FROM inventory_item WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same("SELECT id, doc FROM inventory_item WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};
/// `$4` is a barcode, `$5` a name, `$6` whether stock is low. Each may be null.
const BY_SKU: PageSql = PageSql {
    older: Sql::same(concat!(
        "SELECT id, doc FROM inventory_item i WHERE owner = $1 AND id < $2 AND sku = $3
         AND (CAST($4 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM inventory_barcode b
             WHERE b.owner = i.owner AND b.code = $4 AND b.item_id = i.id))
         AND (CAST($5 AS TEXT) IS NULL OR name_key = $5) AND (CAST($6 AS BIGINT) IS NULL OR ",
        low!(),
        " = $6) ORDER BY id DESC LIMIT $7"
    )),
    newer: Sql::same(concat!(
        "SELECT id, doc FROM inventory_item i WHERE owner = $1 AND id > $2 AND sku = $3
         AND (CAST($4 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM inventory_barcode b
             WHERE b.owner = i.owner AND b.code = $4 AND b.item_id = i.id))
         AND (CAST($5 AS TEXT) IS NULL OR name_key = $5) AND (CAST($6 AS BIGINT) IS NULL OR ",
        low!(),
        " = $6) ORDER BY id LIMIT $7"
    )),
};
/// `$4` is a name, `$5` whether stock is low. Each may be null.
const BY_BARCODE: PageSql = PageSql {
    older: Sql::same(concat!(
        "SELECT i.id, i.doc FROM inventory_item i WHERE i.owner = $1 AND i.id < $2
         AND i.id = (SELECT item_id FROM inventory_barcode b WHERE b.owner = $1 AND b.code = $3)
         AND (CAST($4 AS TEXT) IS NULL OR i.name_key = $4) AND (CAST($5 AS BIGINT) IS NULL OR ",
        low!(),
        " = $5) ORDER BY i.id DESC LIMIT $6"
    )),
    newer: Sql::same(concat!(
        "SELECT i.id, i.doc FROM inventory_item i WHERE i.owner = $1 AND i.id > $2
         AND i.id = (SELECT item_id FROM inventory_barcode b WHERE b.owner = $1 AND b.code = $3)
         AND (CAST($4 AS TEXT) IS NULL OR i.name_key = $4) AND (CAST($5 AS BIGINT) IS NULL OR ",
        low!(),
        " = $5) ORDER BY i.id LIMIT $6"
    )),
};
/// `$4` is whether stock is low, or null.
const BY_NAME: PageSql = PageSql {
    older: Sql::same(concat!(
        "SELECT id, doc FROM inventory_item i WHERE owner = $1 AND id < $2 AND name_key = $3
         AND (CAST($4 AS BIGINT) IS NULL OR ",
        low!(),
        " = $4) ORDER BY id DESC LIMIT $5"
    )),
    newer: Sql::same(concat!(
        "SELECT id, doc FROM inventory_item i WHERE owner = $1 AND id > $2 AND name_key = $3
         AND (CAST($4 AS BIGINT) IS NULL OR ",
        low!(),
        " = $4) ORDER BY id LIMIT $5"
    )),
};
/// Led by the index of low levels, which are few. An item may have several.
const LOW: PageSql = PageSql {
    older: Sql::each(
        "SELECT i.id, i.doc FROM (SELECT DISTINCT item_id FROM inventory_level
             WHERE owner = $1 AND item_id < $2 AND is_low = 1 ORDER BY item_id DESC LIMIT $3) low
         JOIN inventory_item i ON i.owner = $1 AND i.id = low.item_id ORDER BY i.id DESC",
        "SELECT i.id, i.doc FROM (SELECT DISTINCT item_id FROM inventory_level
             WHERE owner = $1 AND item_id < $2 AND is_low = 1 ORDER BY item_id DESC LIMIT $3) low
         CROSS JOIN LATERAL (SELECT id, doc FROM inventory_item WHERE owner = $1 AND id = low.item_id OFFSET 0) i
         ORDER BY i.id DESC",
    ),
    newer: Sql::each(
        "SELECT i.id, i.doc FROM (SELECT DISTINCT item_id FROM inventory_level
             WHERE owner = $1 AND item_id > $2 AND is_low = 1 ORDER BY item_id LIMIT $3) low
         JOIN inventory_item i ON i.owner = $1 AND i.id = low.item_id ORDER BY i.id",
        "SELECT i.id, i.doc FROM (SELECT DISTINCT item_id FROM inventory_level
             WHERE owner = $1 AND item_id > $2 AND is_low = 1 ORDER BY item_id LIMIT $3) low
         CROSS JOIN LATERAL (SELECT id, doc FROM inventory_item WHERE owner = $1 AND id = low.item_id OFFSET 0) i
         ORDER BY i.id",
    ),
};
const NOT_LOW: PageSql = PageSql {
    older: Sql::same(concat!(
        "SELECT id, doc FROM inventory_item i WHERE owner = $1 AND id < $2 AND ",
        low!(),
        " = 0 ORDER BY id DESC LIMIT $3"
    )),
    newer: Sql::same(concat!(
        "SELECT id, doc FROM inventory_item i WHERE owner = $1 AND id > $2 AND ",
        low!(),
        " = 0 ORDER BY id LIMIT $3"
    )),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &ALL.older,
    &ALL.newer,
    &BY_SKU.older,
    &BY_SKU.newer,
    &BY_BARCODE.older,
    &BY_BARCODE.newer,
    &BY_NAME.older,
    &BY_NAME.newer,
    &LOW.older,
    &LOW.newer,
    &NOT_LOW.older,
    &NOT_LOW.newer,
];

/// Returns a page of documents of the items that match the filters.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &ItemFilter,
    start: &Start,
    limit: usize,
) -> Result<Page<String>> {
    let text = |word: &Option<String>| Value::from(word.as_deref());
    let (barcode, name) = (text(&filter.barcode), text(&filter.name));
    let low = Value::from(filter.low_stock.map(i64::from));
    let (sql, filters): (&PageSql, Vec<Value>) = match filter {
        ItemFilter { sku: Some(sku), .. } => (&BY_SKU, vec![sku.as_str().into(), barcode, name, low]),
        ItemFilter { barcode: Some(_), .. } => (&BY_BARCODE, vec![barcode, name, low]),
        ItemFilter { name: Some(_), .. } => (&BY_NAME, vec![name, low]),
        ItemFilter { low_stock: Some(true), .. } => (&LOW, Vec::new()),
        ItemFilter { low_stock: Some(false), .. } => (&NOT_LOW, Vec::new()),
        _ => (&ALL, Vec::new()),
    };
    let page: Page<Row> = Page::read(tx, sql, owner.into(), &filters, start, limit).await?;
    page.try_map(|mut row| row.text(1))
}
