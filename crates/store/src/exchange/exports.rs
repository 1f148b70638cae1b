//! Rows of exports that no list has in this form: the levels of all items, and their history. Both are read by keys, oldest first.

use model::stock::inventory_item::{Change, Level};
use model::{Id, InventoryItem, Location, Owner, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value, id_list, wanted};
use crate::stock::inventory_levels::{read_change, read_level};

/// The columns of a level: those that [`read_level`] reads, then the SKU and the name of the location.
macro_rules! level_columns {
    ($name:literal) => {
        concat!(
            "SELECT l.item_id, l.location_id, l.on_hand, l.updated_at, l.bin, l.reorder_point, CAST(l.planned + (
                 SELECT coalesce(sum(a.quantity), 0) FROM allocation a
                 WHERE a.owner = l.owner AND a.item_id = l.item_id AND a.location_id = l.location_id
                 AND a.completed_at IS NULL AND a.is_planned = 0) AS BIGINT),
                 (SELECT i.sku FROM inventory_item i WHERE i.owner = l.owner AND i.id = l.item_id),
                 (SELECT ",
            $name,
            " FROM location p WHERE p.owner = l.owner AND p.id = l.location_id)
             FROM inventory_level l WHERE l.owner = $1 "
        )
    };
}

/// The columns of a change: those that [`read_change`] reads, then the level with its SKU and the name of the location.
macro_rules! change_columns {
    ($name:literal) => {
        concat!(
            "SELECT c.id, c.delta, c.on_hand, c.reason, c.allocation_id, c.created_at, c.item_id, c.location_id,
                 (SELECT i.sku FROM inventory_item i WHERE i.owner = c.owner AND i.id = c.item_id),
                 (SELECT ",
            $name,
            " FROM location p WHERE p.owner = c.owner AND p.id = c.location_id)
             FROM inventory_change c WHERE c.owner = $1 "
        )
    };
}

const LEVELS: Sql = Sql::each(
    concat!(
        level_columns!("json_extract(p.doc, '$.name')"),
        "AND (l.item_id, l.location_id) > ($2, $3) ORDER BY l.item_id, l.location_id LIMIT $4"
    ),
    concat!(
        level_columns!("p.doc::jsonb ->> 'name'"),
        "AND (l.item_id, l.location_id) > ($2, $3) ORDER BY l.item_id, l.location_id LIMIT $4"
    ),
);
/// `$4` is null, or the only location.
const LEVELS_OF_ITEM: Sql = Sql::each(
    concat!(
        level_columns!("json_extract(p.doc, '$.name')"),
        "AND l.item_id = $2 AND l.location_id > $3 AND (CAST($4 AS TEXT) IS NULL OR l.location_id = $4)
     ORDER BY l.location_id LIMIT $5"
    ),
    concat!(
        level_columns!("p.doc::jsonb ->> 'name'"),
        "AND l.item_id = $2 AND l.location_id > $3 AND (CAST($4 AS TEXT) IS NULL OR l.location_id = $4)
     ORDER BY l.location_id LIMIT $5"
    ),
);
const LEVELS_AT_LOCATION: Sql = Sql::each(
    concat!(
        level_columns!("json_extract(p.doc, '$.name')"),
        "AND l.location_id = $2 AND l.item_id > $3 ORDER BY l.item_id LIMIT $4"
    ),
    concat!(
        level_columns!("p.doc::jsonb ->> 'name'"),
        "AND l.location_id = $2 AND l.item_id > $3 ORDER BY l.item_id LIMIT $4"
    ),
);
const CHANGES: Sql = Sql::each(
    concat!(
        change_columns!("json_extract(p.doc, '$.name')"),
        "AND c.id > $2 AND c.id < $3 ORDER BY c.id LIMIT $4"
    ),
    concat!(change_columns!("p.doc::jsonb ->> 'name'"), "AND c.id > $2 AND c.id < $3 ORDER BY c.id LIMIT $4"),
);
const CHANGES_OF_ITEM: Sql = Sql::each(
    concat!(
        change_columns!("json_extract(p.doc, '$.name')"),
        "AND c.item_id = $2 AND (c.location_id, c.id) > ($3, $4) AND c.id > $5 AND c.id < $6
     ORDER BY c.location_id, c.id LIMIT $7"
    ),
    concat!(
        change_columns!("p.doc::jsonb ->> 'name'"),
        "AND c.item_id = $2 AND (c.location_id, c.id) > ($3, $4) AND c.id > $5 AND c.id < $6
     ORDER BY c.location_id, c.id LIMIT $7"
    ),
);
const CHANGES_OF_LEVEL: Sql = Sql::each(
    concat!(
        change_columns!("json_extract(p.doc, '$.name')"),
        "AND c.item_id = $2 AND c.location_id = $3 AND c.id > $4 AND c.id < $5 ORDER BY c.id LIMIT $6"
    ),
    concat!(
        change_columns!("p.doc::jsonb ->> 'name'"),
        "AND c.item_id = $2 AND c.location_id = $3 AND c.id > $4 AND c.id < $5 ORDER BY c.id LIMIT $6"
    ),
);
/// `$1` lists items as JSON.
const SKUS: Sql = Sql::each(
    "SELECT i.id, i.sku FROM json_each($1) wanted CROSS JOIN inventory_item i ON i.owner = $2 AND i.id = wanted.value",
    concat!(
        "SELECT i.id, i.sku FROM ",
        wanted!("$1"),
        " CROSS JOIN LATERAL (SELECT id, sku FROM inventory_item WHERE owner = $2 AND id = wanted.id OFFSET 0) i"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] =
    &[&LEVELS, &LEVELS_OF_ITEM, &LEVELS_AT_LOCATION, &CHANGES, &CHANGES_OF_ITEM, &CHANGES_OF_LEVEL, &SKUS];

/// Which levels are exported.
#[derive(Clone, Copy, Default, Debug)]
pub struct LevelFilter {
    pub item: Option<Id<InventoryItem>>,
    pub location: Option<Id<Location>>,
}

/// Which changes of levels are exported.
#[derive(Clone, Copy, Default, Debug)]
pub struct ChangeFilter {
    pub item: Option<Id<InventoryItem>>,
    /// A location of the item. Without an item it has no effect.
    pub location: Option<Id<Location>>,
    pub after: Option<Timestamp>,
    pub before: Option<Timestamp>,
}

/// A level with the names that people know it by.
pub struct NamedLevel {
    pub level: Level,
    pub sku: Option<String>,
    pub location_name: Option<String>,
}

/// A change with its level, and the names that people know that by.
pub struct NamedChange {
    pub change: Change,
    pub item: Id<InventoryItem>,
    pub location: Id<Location>,
    pub sku: Option<String>,
    pub location_name: Option<String>,
}

/// The ids after which rows begin: of an item and a location, or of a location and a change. Empty ones are before all.
pub type Keys = (String, String);

impl NamedLevel {
    /// Returns the keys of the rows behind this one.
    pub fn keys(&self) -> Keys {
        (self.level.item.id.to_string(), self.level.location.id.to_string())
    }
}

impl NamedChange {
    /// Returns the keys of the rows behind this one.
    pub fn keys(&self) -> Keys {
        (self.location.to_string(), self.change.id.to_string())
    }
}

/// Returns the levels after one, in the order of items and locations.
pub async fn levels(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &LevelFilter,
    (item_key, location_key): Keys,
    limit: usize,
) -> Result<Vec<NamedLevel>> {
    let limit = Value::Int(limit as i64);
    let (sql, values): (&Sql, Vec<Value>) = match (filter.item, filter.location) {
        (None, None) => (&LEVELS, vec![owner.into(), item_key.into(), location_key.into(), limit]),
        (None, Some(location)) => {
            (&LEVELS_AT_LOCATION, vec![owner.into(), location.into(), item_key.into(), limit])
        }
        (Some(item), location) => {
            let values = vec![owner.into(), item.into(), location_key.into(), location.into(), limit];
            (&LEVELS_OF_ITEM, values)
        }
    };
    let read = |mut row: Row| {
        let (sku, location_name) = (row.text_or_null(7)?, row.text_or_null(8)?);
        let level = read_level(row.id(0)?, row.id(1)?, row)?;
        Ok(NamedLevel { level, sku, location_name })
    };
    tx.all(sql, &values).await?.into_iter().map(read).collect()
}

/// Returns the changes after one. Those of one item are in the order of its locations.
pub async fn changes(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &ChangeFilter,
    (location_key, key): Keys,
    limit: usize,
) -> Result<Vec<NamedChange>> {
    let earliest = filter.after.map_or_else(String::new, |at| Id::<Change>::last_at(at).to_string());
    let end = filter.before.map_or_else(|| "~".to_owned(), |at| Id::<Change>::first_at(at).to_string());
    let from = key.clone().max(earliest.clone());
    let limit = Value::Int(limit as i64);
    let (sql, values): (&Sql, Vec<Value>) = match (filter.item, filter.location) {
        (None, _) => (&CHANGES, vec![owner.into(), from.into(), end.into(), limit]),
        (Some(item), Some(location)) => (
            &CHANGES_OF_LEVEL,
            vec![owner.into(), item.into(), location.into(), from.into(), end.into(), limit],
        ),
        (Some(item), None) => (
            &CHANGES_OF_ITEM,
            vec![
                owner.into(),
                item.into(),
                location_key.into(),
                key.into(),
                earliest.into(),
                end.into(),
                limit,
            ],
        ),
    };
    let read = |mut row: Row| {
        let (item, location) = (row.id(6)?, row.id(7)?);
        let (sku, location_name) = (row.text_or_null(8)?, row.text_or_null(9)?);
        Ok(NamedChange { change: read_change(row)?, item, location, sku, location_name })
    };
    tx.all(sql, &values).await?.into_iter().map(read).collect()
}

/// Returns the SKUs of those items that exist.
pub async fn skus(
    tx: &mut Tx<'_>,
    owner: Owner,
    items: &[Id<InventoryItem>],
) -> Result<Vec<(Id<InventoryItem>, String)>> {
    if items.is_empty() {
        return Ok(Vec::new());
    }
    let rows = tx.all(&SKUS, &[id_list(items), owner.into()]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}
