//! Orders as a job reads them: in groups, and with what says whose turn it is.

use model::{Id, Order, Owner, Result, Timestamp};

use crate::orders::orders::{StoredOrder, read_status};
use crate::platform::engine::{Sql, Tx, wanted};
use crate::stock::inventory_items::id_list;

/// `$2` lists the orders as JSON.
const ALL: Sql = Sql::each(
    "SELECT id, version, status, doc FROM orders
     WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT o.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, version, status, doc FROM orders WHERE owner = $1 AND id = wanted.id OFFSET 0) o"
    ),
);
/// `$2` lists the orders as JSON.
const TURNS: Sql = Sql::each(
    "SELECT id, ship_by, placed_at FROM orders WHERE owner = $1 AND id IN (SELECT value FROM json_each($2))",
    concat!(
        "SELECT o.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, ship_by, placed_at FROM orders WHERE owner = $1 AND id = wanted.id OFFSET 0) o"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] = &[&ALL, &TURNS];

/// What says whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderTurn {
    pub order: Id<Order>,
    pub ship_by: Option<Timestamp>,
    pub placed_at: Option<Timestamp>,
}

impl OrderTurn {
    /// Returns the key by which turns are sorted: what must leave first comes first, then what was placed first, then what is
    /// oldest. What says no time comes after what does.
    pub fn key(&self) -> (i64, i64, Id<Order>) {
        let at = |moment: Option<Timestamp>| moment.map_or(i64::MAX, |moment| moment.as_micros());
        (at(self.ship_by), at(self.placed_at), self.order)
    }
}

/// Returns those of some orders that exist, in the order of their ids, and locks none.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Order>]) -> Result<Vec<(Id<Order>, StoredOrder)>> {
    let mut all = Vec::with_capacity(ids.len());
    for mut row in tx.all(&ALL, &[owner.into(), id_list(ids)]).await? {
        let status = read_status(&row.text(2)?)?;
        all.push((row.id(0)?, StoredOrder { version: row.int(1)?, status, doc: row.text(3)? }));
    }
    Ok(all)
}

/// Returns the turns of those of some orders that exist.
pub async fn of_ids(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<Order>]) -> Result<Vec<OrderTurn>> {
    let rows = tx.all(&TURNS, &[owner.into(), id_list(ids)]).await?;
    rows.into_iter()
        .map(|mut row| {
            Ok(OrderTurn {
                order: row.id(0)?,
                ship_by: row.moment_or_null(1)?,
                placed_at: row.moment_or_null(2)?,
            })
        })
        .collect()
}
