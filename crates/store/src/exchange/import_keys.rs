//! Resources by the keys that rows of imports name: at most two of each, because a second one makes the key ambiguous.

use model::{Error, Id, Location, Order, Owner, Result, Shipment};

use crate::platform::engine::{Sql, Tx};

const ORDERS: Sql =
    Sql::same("SELECT id FROM orders WHERE owner = $1 AND reference = $2 ORDER BY id LIMIT 2");
const SHIPMENTS: Sql = Sql::same(
    "SELECT shipment_id FROM shipment_facet WHERE owner = $1 AND facet = $2 ORDER BY shipment_id LIMIT 2",
);
/// An organisation has few locations, and they have no index by name.
const LOCATIONS: Sql = Sql::each(
    "SELECT id FROM location WHERE owner = $1 AND json_extract(doc, '$.name') = $2 ORDER BY id LIMIT 2",
    "SELECT id FROM location WHERE owner = $1 AND doc::jsonb ->> 'name' = $2 ORDER BY id LIMIT 2",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&ORDERS, &SHIPMENTS, &LOCATIONS];

pub async fn orders(tx: &mut Tx<'_>, owner: Owner, reference: &str) -> Result<Vec<Id<Order>>> {
    let rows = tx.all(&ORDERS, &[owner.into(), reference.into()]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}

pub async fn shipments(tx: &mut Tx<'_>, owner: Owner, name: &str) -> Result<Vec<Id<Shipment>>> {
    let facet = format!("reference={name}");
    let rows = tx.all(&SHIPMENTS, &[owner.into(), facet.into()]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect::<Result<Vec<_>, Error>>()
}

pub async fn locations(tx: &mut Tx<'_>, owner: Owner, name: &str) -> Result<Vec<Id<Location>>> {
    let rows = tx.all(&LOCATIONS, &[owner.into(), name.into()]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}
