//! Inventory levels, and the history of their changes.

use std::collections::{BTreeMap, BTreeSet};

use model::platform::id::AllocationKind;
use model::stock::inventory_item::{AllocationReference, Change, Level};
use model::{Error, Id, InventoryItem, Location, Owner, Result, Timestamp};

use crate::events::events::CLEAN_LOCK;
use crate::platform::engine::{Row, Sql, Tx, Value, wanted};
use crate::platform::page::{Page, PageSql, Start};
use crate::stock::inventory_items::id_list;

const LOCK: Sql = Sql::each(
    "SELECT on_hand FROM inventory_level WHERE owner = $1 AND item_id = $2 AND location_id = $3",
    "SELECT on_hand FROM inventory_level WHERE owner = $1 AND item_id = $2 AND location_id = $3 FOR UPDATE",
);
/// What is allocated is what the level counts as planned, and what else its open allocations hold: plans lock the level anyway,
/// while requests that allocate by hand would wait for each other if they counted there.
const GET: Sql = Sql::same(
    "SELECT l.item_id, l.location_id, l.on_hand, l.updated_at, l.bin, l.reorder_point, CAST(l.planned + (
         SELECT coalesce(sum(a.quantity), 0) FROM allocation a
         WHERE a.owner = l.owner AND a.item_id = l.item_id AND a.location_id = l.location_id
         AND a.completed_at IS NULL AND a.is_planned = 0) AS BIGINT)
     FROM inventory_level l WHERE l.owner = $1 AND l.item_id = $2 AND l.location_id = $3",
);
/// Sorted by the location, which does not follow the age of levels, but never changes.
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT l.location_id, l.item_id, l.on_hand, l.updated_at, l.bin, l.reorder_point, CAST(l.planned + (
             SELECT coalesce(sum(a.quantity), 0) FROM allocation a
             WHERE a.owner = l.owner AND a.item_id = l.item_id AND a.location_id = l.location_id
             AND a.completed_at IS NULL AND a.is_planned = 0) AS BIGINT)
         FROM inventory_level l WHERE l.owner = $1 AND l.location_id < $2 AND l.item_id = $3
         ORDER BY l.location_id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT l.location_id, l.item_id, l.on_hand, l.updated_at, l.bin, l.reorder_point, CAST(l.planned + (
             SELECT coalesce(sum(a.quantity), 0) FROM allocation a
             WHERE a.owner = l.owner AND a.item_id = l.item_id AND a.location_id = l.location_id
             AND a.completed_at IS NULL AND a.is_planned = 0) AS BIGINT)
         FROM inventory_level l WHERE l.owner = $1 AND l.location_id > $2 AND l.item_id = $3
         ORDER BY l.location_id LIMIT $4",
    ),
};
/// If two transactions insert the first count of one level at once, the second waits for the first and finds its row. What
/// shipments hold already counts from the first moment.
const INSERT: Sql = Sql::same(
    "INSERT INTO inventory_level (owner, item_id, location_id, on_hand, updated_at, packed, buying)
     SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), 0, CAST($4 AS BIGINT), CAST(coalesce(sum(a.quantity), 0) AS BIGINT),
         CAST(coalesce(sum(CASE WHEN a.is_buying = 1 THEN a.quantity ELSE 0 END), 0) AS BIGINT)
     FROM allocation a WHERE a.owner = $1 AND a.item_id = $2 AND a.location_id = $3 AND a.completed_at IS NULL
     AND a.shipment_id IS NOT NULL
     ON CONFLICT DO NOTHING",
);
/// `$1` lists pairs of an item and a location as JSON, in the order in which they are locked.
const LOCK_ALL: Sql = Sql::each(
    "SELECT l.item_id, l.location_id, l.on_hand, l.packed, l.buying FROM json_each($1) pair
     CROSS JOIN inventory_level l ON l.owner = $2 AND l.item_id = json_extract(pair.value, '$[0]')
     AND l.location_id = json_extract(pair.value, '$[1]')",
    "SELECT l.* FROM jsonb_array_elements($1::text::jsonb) AS pair (value)
     CROSS JOIN LATERAL (
         SELECT item_id, location_id, on_hand, packed, buying FROM inventory_level
         WHERE owner = $2 AND item_id = pair.value ->> 0 AND location_id = pair.value ->> 1 FOR UPDATE) l",
);
const COUNT: Sql = Sql::same(
    "UPDATE inventory_level SET packed = packed + $1, buying = buying + $2, planned = planned + $3
     WHERE owner = $4 AND item_id = $5 AND location_id = $6",
);
const UPDATE: Sql = Sql::same(
    "UPDATE inventory_level SET on_hand = on_hand + $1,
         is_low = CASE WHEN on_hand + $1 <= reorder_point THEN 1 ELSE 0 END, updated_at = $2
     WHERE owner = $3 AND item_id = $4 AND location_id = $5",
);
const SET_DETAILS: Sql = Sql::same(
    "UPDATE inventory_level SET bin = $1, reorder_point = $2,
         is_low = CASE WHEN on_hand <= $2 THEN 1 ELSE 0 END, updated_at = $3
     WHERE owner = $4 AND item_id = $5 AND location_id = $6",
);
const CHANGE_INSERT: Sql = Sql::same(
    "INSERT INTO inventory_change (owner, id, item_id, location_id, delta, on_hand, reason, allocation_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
);
const CHANGES: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, delta, on_hand, reason, allocation_id, created_at FROM inventory_change
         WHERE owner = $1 AND id < $2 AND item_id = $3 AND location_id = $4 ORDER BY id DESC LIMIT $5",
    ),
    newer: Sql::same(
        "SELECT id, delta, on_hand, reason, allocation_id, created_at FROM inventory_change
         WHERE owner = $1 AND id > $2 AND item_id = $3 AND location_id = $4 ORDER BY id LIMIT $5",
    ),
};
/// The available quantity of the items at each location. `$2` lists the items as JSON.
const AVAILABLE: Sql = Sql::each(
    "SELECT l.location_id, l.item_id, l.on_hand - l.planned - (
         SELECT coalesce(sum(a.quantity), 0) FROM allocation a
         WHERE a.owner = l.owner AND a.item_id = l.item_id AND a.location_id = l.location_id
         AND a.completed_at IS NULL AND a.is_planned = 0)
     FROM inventory_level l WHERE l.owner = $1 AND l.item_id IN (SELECT value FROM json_each($2))",
    concat!(
        "SELECT l.location_id, l.item_id, (l.on_hand - l.planned - (
             SELECT coalesce(sum(a.quantity), 0) FROM allocation a
             WHERE a.owner = $1 AND a.item_id = l.item_id AND a.location_id = l.location_id
             AND a.completed_at IS NULL AND a.is_planned = 0))::bigint
         FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT location_id, item_id, on_hand, planned FROM inventory_level
             WHERE owner = $1 AND item_id = wanted.id OFFSET 0) l"
    ),
);
/// Ids sort by age, so the primary key leads to the oldest.
const OLD_CHANGES: Sql = Sql::same(
    "SELECT id, item_id, location_id, delta FROM inventory_change
     WHERE owner = $1 AND id < $2 AND created_at < $3 ORDER BY id LIMIT $4",
);
const MOVE_HISTORY: Sql = Sql::same(
    "UPDATE inventory_level SET history_from = history_from + $1, is_history_pruned = 1
     WHERE owner = $2 AND item_id = $3 AND location_id = $4",
);
/// Deletes the changes that [`OLD_CHANGES`] found. `$2` is the id of the last of them.
const DELETE_CHANGES: Sql =
    Sql::same("DELETE FROM inventory_change WHERE owner = $1 AND id <= $2 AND created_at < $3");

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LOCK,
    &GET,
    &PAGE.older,
    &PAGE.newer,
    &INSERT,
    &LOCK_ALL,
    &COUNT,
    &UPDATE,
    &SET_DETAILS,
    &CHANGE_INSERT,
    &CHANGES.older,
    &CHANGES.newer,
    &AVAILABLE,
    &OLD_CHANGES,
    &MOVE_HISTORY,
    &DELETE_CHANGES,
];

/// The key of a level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct At {
    pub item: Id<InventoryItem>,
    pub location: Id<Location>,
}

/// Returns the quantity on hand if there is a level, and locks its row until this transaction ends. Lock levels in
/// the order of their keys, so that two transactions never wait for each other.
pub async fn lock(tx: &mut Tx<'_>, owner: Owner, at: At) -> Result<Option<i64>> {
    let row = tx.one(&LOCK, &[owner.into(), at.item.into(), at.location.into()]).await?;
    row.map(|mut row| row.int(0)).transpose()
}

/// The quantities of a locked level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LockedLevel {
    pub on_hand: i64,
    /// Units of open allocations that are in shipments.
    pub packed: i64,
    /// Those of them whose shipment is being bought or is bought.
    pub buying: i64,
}

/// Locks those of some levels that exist, in the order of their keys, and returns their quantities.
pub async fn lock_all(
    tx: &mut Tx<'_>,
    owner: Owner,
    keys: &BTreeSet<At>,
) -> Result<BTreeMap<At, LockedLevel>> {
    let mut levels = BTreeMap::new();
    if keys.is_empty() {
        return Ok(levels);
    }
    let pairs: Vec<_> = keys.iter().map(|at| [at.item.to_string(), at.location.to_string()]).collect();
    let pairs = serde_json::to_string(&pairs).map_err(Error::fault)?;
    for mut row in tx.all(&LOCK_ALL, &[pairs.into(), owner.into()]).await? {
        let at = At { item: row.id(0)?, location: row.id(1)? };
        let level = LockedLevel { on_hand: row.int(2)?, packed: row.int(3)?, buying: row.int(4)? };
        levels.insert(at, level);
    }
    Ok(levels)
}

/// How much more units of open allocations a level counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CountDelta {
    /// Units in shipments.
    pub packed: i64,
    /// Those of them whose shipment is being bought or is bought.
    pub buying: i64,
    /// Units that plans allocated.
    pub planned: i64,
}

/// Changes what a locked level counts of its open allocations.
pub async fn count(tx: &mut Tx<'_>, owner: Owner, at: At, delta: CountDelta) -> Result<()> {
    if delta == CountDelta::default() {
        return Ok(());
    }
    let CountDelta { packed, buying, planned } = delta;
    let values =
        [packed.into(), buying.into(), planned.into(), owner.into(), at.item.into(), at.location.into()];
    tx.send(&COUNT, &values).await
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, at: At) -> Result<Option<Level>> {
    let row = tx.one(&GET, &[owner.into(), at.item.into(), at.location.into()]).await?;
    row.map(|mut row| read_level(row.id(0)?, row.id(1)?, row)).transpose()
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    item: Id<InventoryItem>,
    start: &Start,
    limit: usize,
) -> Result<Page<Level>> {
    let page = Page::read(tx, &PAGE, owner.into(), &[item.into()], start, limit).await?;
    page.try_map(|mut row| read_level(row.id(1)?, row.id(0)?, row))
}

/// Reads the columns of a level after its item and its location.
pub(crate) fn read_level(item: Id<InventoryItem>, location: Id<Location>, mut row: Row) -> Result<Level> {
    let level = Level::new(item, location, row.int(2)?, row.int(6)?, row.moment(3)?);
    Ok(level.with_details(row.text_or_null(4)?, row.int_or_null(5)?))
}

/// Sets where the pieces of a locked level lie, and when more is to be ordered.
pub async fn set_details(
    tx: &mut Tx<'_>,
    owner: Owner,
    at: At,
    bin: Option<&str>,
    reorder_point: Option<i64>,
    now: Timestamp,
) -> Result<()> {
    let values =
        [bin.into(), reorder_point.into(), now.into(), owner.into(), at.item.into(), at.location.into()];
    tx.send(&SET_DETAILS, &values).await
}

/// Inserts an empty level unless there is one.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, at: At, now: Timestamp) -> Result<()> {
    let values = [owner.into(), at.item.into(), at.location.into(), now.into()];
    tx.send(&INSERT, &values).await
}

/// Changes the quantity of a locked level, and adds the change to its history.
pub async fn change(tx: &mut Tx<'_>, owner: Owner, at: At, change: &Change) -> Result<()> {
    let values =
        [change.delta.into(), change.created_at.into(), owner.into(), at.item.into(), at.location.into()];
    tx.send(&UPDATE, &values).await?;
    let values = [
        owner.into(),
        change.id.into(),
        at.item.into(),
        at.location.into(),
        change.delta.into(),
        change.on_hand.into(),
        change.reason.as_str().into(),
        change.allocation.map(|allocation| allocation.id).into(),
        change.created_at.into(),
    ];
    tx.send(&CHANGE_INSERT, &values).await
}

/// Returns a page of a level's history.
pub async fn changes(
    tx: &mut Tx<'_>,
    owner: Owner,
    at: At,
    start: &Start,
    limit: usize,
) -> Result<Page<Change>> {
    let filters = [at.item.into(), at.location.into()];
    Page::read(tx, &CHANGES, owner.into(), &filters, start, limit).await?.try_map(read_change)
}

/// Reads the columns of a change.
pub(crate) fn read_change(mut row: Row) -> Result<Change> {
    let allocation: Option<Id<AllocationKind>> = row.id_or_null(4)?;
    Ok(Change {
        id: row.id(0)?,
        delta: row.int(1)?,
        on_hand: row.int(2)?,
        reason: row.text(3)?,
        allocation: allocation.map(|id| AllocationReference { id }),
        created_at: row.moment(5)?,
    })
}

/// Returns the available quantity of the items at each location that has a level of any of them.
pub async fn available(
    tx: &mut Tx<'_>,
    owner: Owner,
    items: &[Id<InventoryItem>],
) -> Result<BTreeMap<Id<Location>, BTreeMap<Id<InventoryItem>, i64>>> {
    let mut stock: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for mut row in tx.all(&AVAILABLE, &[owner.into(), id_list(items)]).await? {
        stock.entry(row.id(0)?).or_default().insert(row.id(1)?, row.int(2)?);
    }
    Ok(stock)
}

/// Deletes at most `limit` changes of an owner's levels from before the given time. Each level keeps their sum, so
/// its history still adds up to its quantity on hand. Returns how many, or `None` if another node is cleaning.
pub async fn delete_changes(
    tx: &mut Tx<'_>,
    owner: Owner,
    before: Timestamp,
    limit: i64,
) -> Result<Option<u64>> {
    // Two nodes at once would add the same changes to the sums twice.
    if tx.one(&CLEAN_LOCK, &[]).await?.is_none() {
        return Ok(None);
    }
    let oldest_kept: Id<Change> = Id::new(before, Default::default());
    let values = [owner.into(), oldest_kept.into(), before.into(), Value::Int(limit)];
    let (mut sums, mut last) = (BTreeMap::new(), None);
    for mut row in tx.all(&OLD_CHANGES, &values).await? {
        let at = At { item: row.id(1)?, location: row.id(2)? };
        *sums.entry(at).or_insert(0) += row.int(3)?;
        last = Some(row.text(0)?);
    }
    let Some(last) = last else { return Ok(Some(0)) };
    // In the order of their keys, as all transactions lock levels, so that no two wait for each other.
    for (at, sum) in sums {
        tx.send(&MOVE_HISTORY, &[Value::Int(sum), owner.into(), at.item.into(), at.location.into()]).await?;
    }
    tx.execute(&DELETE_CHANGES, &[owner.into(), last.into(), before.into()]).await.map(Some)
}
