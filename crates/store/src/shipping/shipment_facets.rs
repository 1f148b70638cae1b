//! Facets of shipments: rows by which lists are filtered, as orders have them.

use std::collections::BTreeSet;

use model::{Id, Owner, Result, Shipment};

use crate::platform::engine::{Sql, Tx, Value};

/// `$3` lists the facets as JSON.
const INSERT: Sql = Sql::each(
    "INSERT INTO shipment_facet (owner, shipment_id, facet) SELECT $1, $2, value FROM json_each($3) WHERE true
     ON CONFLICT DO NOTHING",
    "INSERT INTO shipment_facet (owner, shipment_id, facet)
     SELECT $1, $2, facet FROM jsonb_array_elements_text($3::text::jsonb) AS list (facet) ON CONFLICT DO NOTHING",
);
/// `$3` lists the facets as JSON.
const DELETE: Sql = Sql::each(
    "DELETE FROM shipment_facet WHERE owner = $1 AND shipment_id = $2 AND facet IN (SELECT value FROM json_each($3))",
    "DELETE FROM shipment_facet WHERE owner = $1 AND shipment_id = $2
     AND facet = ANY (ARRAY(SELECT jsonb_array_elements_text($3::text::jsonb)))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &DELETE];

/// Writes the facets in which a changed shipment differs. If there are none, it executes no statement.
pub(crate) async fn replace(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    old: &BTreeSet<String>,
    new: &BTreeSet<String>,
) -> Result<()> {
    send(tx, &DELETE, owner, id, old.difference(new)).await?;
    send(tx, &INSERT, owner, id, new.difference(old)).await
}

async fn send(
    tx: &mut Tx<'_>,
    sql: &Sql,
    owner: Owner,
    id: Id<Shipment>,
    facets: impl Iterator<Item = &String>,
) -> Result<()> {
    let facets: Vec<&str> = facets.map(String::as_str).collect();
    if facets.is_empty() {
        return Ok(());
    }
    let list = Value::Text(serde_json::Value::from(facets).to_string());
    tx.send(sql, &[owner.into(), id.into(), list]).await
}
