//! What the packages of a shipment name. It reads tables of a later area, and returns only texts.

use model::platform::id::PackageTypeKind;
use model::{Id, Owner, Result, Shipment};

use crate::platform::engine::{Sql, Tx, wanted};
use crate::stock::inventory_items::id_list;

/// `$2` lists the ids as JSON.
const PACKAGE_TYPES: Sql = Sql::each(
    "SELECT id, doc FROM package_type WHERE owner = $1 AND id IN (SELECT value FROM json_each($2))",
    concat!(
        "SELECT p.id, p.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM package_type WHERE owner = $1 AND id = wanted.id OFFSET 0) p"
    ),
);
const SCANNED: Sql = Sql::same("SELECT scan_id FROM scan_unit WHERE owner = $1 AND shipment_id = $2 LIMIT 1");

pub(crate) const STATEMENTS: &[&Sql] = &[&PACKAGE_TYPES, &SCANNED];

/// Returns whether scans have counted units of a shipment.
pub async fn is_scanned(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<bool> {
    Ok(tx.one(&SCANNED, &[owner.into(), shipment.into()]).await?.is_some())
}

/// Returns the documents of those package types that exist.
pub async fn package_types(
    tx: &mut Tx<'_>,
    owner: Owner,
    ids: &[Id<PackageTypeKind>],
) -> Result<Vec<(Id<PackageTypeKind>, String)>> {
    let rows = tx.all(&PACKAGE_TYPES, &[owner.into(), id_list(ids)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}
