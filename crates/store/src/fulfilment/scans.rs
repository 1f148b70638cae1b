//! Scans of shipments, and the units that they counted.

use model::fulfilment::scan::PackedPart;
use model::{Error, Id, InventoryItem, Owner, Result, Scan, Shipment, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value, wanted};
use crate::platform::page::{Page, PageSql, Start};

const GET: Sql =
    Sql::same("SELECT scan_id, doc FROM scan WHERE owner = $1 AND shipment_id = $2 AND scan_id = $3");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT scan_id, doc FROM scan WHERE owner = $1 AND shipment_id = $2 AND scan_id = $3",
    "SELECT scan_id, doc FROM scan WHERE owner = $1 AND shipment_id = $2 AND scan_id = $3 FOR UPDATE",
);
const COUNT: Sql = Sql::same("SELECT count(*) FROM scan WHERE owner = $1 AND shipment_id = $2");
const INSERT: Sql = Sql::same(
    "INSERT INTO scan (owner, shipment_id, scan_id, id, print_due_at, doc) VALUES ($1, $2, $3, $4, $5, $6)",
);
const INSERT_UNITS: Sql = Sql::same(
    "INSERT INTO scan_unit (owner, shipment_id, scan_id, place, package, item_id, quantity)
     VALUES ($1, $2, $3, $4, $5, $6, $7)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE scan SET doc = $1, print_due_at = $2 WHERE owner = $3 AND shipment_id = $4 AND scan_id = $5",
);
const POSTPONE: Sql = Sql::same(
    "UPDATE scan SET print_due_at = $1
     WHERE owner = $2 AND shipment_id = $3 AND scan_id = $4 AND print_due_at IS NOT NULL",
);
const DELETE: Sql = Sql::same("DELETE FROM scan WHERE owner = $1 AND shipment_id = $2 AND scan_id = $3");
const PACKED: Sql = Sql::same(
    "SELECT package, item_id, CAST(sum(quantity) AS BIGINT) FROM scan_unit
     WHERE owner = $1 AND shipment_id = $2 GROUP BY package, item_id",
);
/// `$3` lists names of scans as JSON.
const PARTS_OF: Sql = Sql::each(
    "SELECT scan_id, package, quantity FROM scan_unit
     WHERE owner = $1 AND shipment_id = $2 AND scan_id IN (SELECT value FROM json_each($3)) ORDER BY scan_id, place",
    concat!(
        "SELECT u.scan_id, u.package, u.quantity FROM ",
        wanted!("$3"),
        " CROSS JOIN LATERAL (
             SELECT scan_id, place, package, quantity FROM scan_unit
             WHERE owner = $1 AND shipment_id = $2 AND scan_id = wanted.id OFFSET 0) u
         ORDER BY u.scan_id, u.place"
    ),
);
const MOVE_UP: Sql = Sql::same(
    "UPDATE scan_unit SET package = package - 1 WHERE owner = $1 AND shipment_id = $2 AND package > $3",
);
/// Spans organisations.
const TO_PRINT: Sql = Sql::same(
    "SELECT owner, shipment_id, scan_id FROM scan WHERE print_due_at <= $1 ORDER BY print_due_at LIMIT $2",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, scan_id, doc FROM scan WHERE owner = $1 AND id < $2 AND shipment_id = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, scan_id, doc FROM scan WHERE owner = $1 AND id > $2 AND shipment_id = $3 ORDER BY id LIMIT $4",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &COUNT,
    &INSERT,
    &INSERT_UNITS,
    &UPDATE,
    &POSTPONE,
    &DELETE,
    &PACKED,
    &PARTS_OF,
    &MOVE_UP,
    &TO_PRINT,
    &PAGE.older,
    &PAGE.newer,
];

/// A scan's document as it is stored, and the client's name of the scan.
pub struct StoredScan {
    pub scan_id: String,
    pub doc: String,
}

/// Which scan of which shipment.
#[derive(Clone, Debug)]
pub struct ScanKey {
    pub owner: Owner,
    pub shipment: Id<Shipment>,
    /// The client's name of the scan.
    pub scan_id: String,
}

impl ScanKey {
    fn values(&self) -> [Value; 3] {
        [self.owner.into(), self.shipment.into(), self.scan_id.as_str().into()]
    }
}

pub async fn get(tx: &mut Tx<'_>, key: &ScanKey) -> Result<Option<StoredScan>> {
    tx.one(&GET, &key.values()).await?.map(|row| read(row, 0)).transpose()
}

/// Returns the scan as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(tx: &mut Tx<'_>, key: &ScanKey) -> Result<Option<StoredScan>> {
    tx.one(&GET_FOR_UPDATE, &key.values()).await?.map(|row| read(row, 0)).transpose()
}

/// Returns the number of a shipment's scans.
pub async fn count(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<i64> {
    let row = tx.one(&COUNT, &[owner.into(), shipment.into()]).await?;
    row.map_or(Ok(0), |mut row| row.int(0))
}

/// Inserts a scan. `print_due_at` is when to look for the label that it asks to print.
pub async fn insert(
    tx: &mut Tx<'_>,
    key: &ScanKey,
    id: Id<Scan>,
    doc: &str,
    print_due_at: Option<Timestamp>,
) -> Result<()> {
    let [owner, shipment, scan_id] = key.values();
    tx.send(&INSERT, &[owner, shipment, scan_id, id.into(), print_due_at.into(), doc.into()]).await
}

/// Inserts the units that a scan counted.
pub async fn insert_units(
    tx: &mut Tx<'_>,
    key: &ScanKey,
    item: Id<InventoryItem>,
    parts: &[PackedPart],
) -> Result<()> {
    for (place, part) in (1_i64..).zip(parts) {
        let [owner, shipment, scan_id] = key.values();
        let (package, quantity) = (i64::from(part.package), part.quantity);
        let values = [owner, shipment, scan_id, place.into(), package.into(), item.into(), quantity.into()];
        tx.send(&INSERT_UNITS, &values).await?;
    }
    Ok(())
}

/// Replaces the document of a scan, and when to look for its label.
pub async fn update(
    tx: &mut Tx<'_>,
    key: &ScanKey,
    doc: &str,
    print_due_at: Option<Timestamp>,
) -> Result<()> {
    let [owner, shipment, scan_id] = key.values();
    tx.send(&UPDATE, &[doc.into(), print_due_at.into(), owner, shipment, scan_id]).await
}

/// Looks for a label later that still waits to be printed.
pub async fn postpone(tx: &mut Tx<'_>, key: &ScanKey, due_at: Timestamp) -> Result<()> {
    let [owner, shipment, scan_id] = key.values();
    tx.send(&POSTPONE, &[due_at.into(), owner, shipment, scan_id]).await
}

/// Deletes a scan with its units. Returns false if there is none.
pub async fn delete(tx: &mut Tx<'_>, key: &ScanKey) -> Result<bool> {
    Ok(tx.execute(&DELETE, &key.values()).await? == 1)
}

/// Returns the units that scans counted in each package of a shipment, by item.
pub async fn packed(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: Id<Shipment>,
) -> Result<Vec<(u32, Id<InventoryItem>, i64)>> {
    let rows = tx.all(&PACKED, &[owner.into(), shipment.into()]).await?;
    rows.into_iter().map(|mut row| Ok((number(&mut row, 0)?, row.id(1)?, row.int(2)?))).collect()
}

/// Returns the packages in which the units of some scans are counted, with the scan's name.
pub async fn parts_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: Id<Shipment>,
    scan_ids: &[&str],
) -> Result<Vec<(String, PackedPart)>> {
    if scan_ids.is_empty() {
        return Ok(Vec::new());
    }
    let list = Value::Text(serde_json::Value::from(scan_ids).to_string());
    let part = |mut row: Row| {
        let part = PackedPart { package: number(&mut row, 1)?, quantity: row.int(2)? };
        Ok((row.text(0)?, part))
    };
    tx.all(&PARTS_OF, &[owner.into(), shipment.into(), list]).await?.into_iter().map(part).collect()
}

/// Gives the packages after one that is removed their new numbers. No scan counts units in the removed one.
pub async fn move_up(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>, removed: u32) -> Result<()> {
    tx.send(&MOVE_UP, &[owner.into(), shipment.into(), i64::from(removed).into()]).await
}

/// Spans organisations: returns scans whose label is to be looked for.
pub async fn to_print(tx: &mut Tx<'_>, now: Timestamp, limit: usize) -> Result<Vec<ScanKey>> {
    let rows = tx.all(&TO_PRINT, &[now.into(), Value::Int(limit as i64)]).await?;
    let key =
        |mut row: Row| Ok(ScanKey { owner: row.owner(0)?, shipment: row.id(1)?, scan_id: row.text(2)? });
    rows.into_iter().map(key).collect()
}

/// Returns a page of a shipment's scans, newest first.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: Id<Shipment>,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredScan>> {
    let page = Page::read(tx, &PAGE, owner.into(), &[shipment.into()], start, limit).await?;
    page.try_map(|row| read(row, 1))
}

fn read(mut row: Row, first: usize) -> Result<StoredScan> {
    Ok(StoredScan { scan_id: row.text(first)?, doc: row.text(first + 1)? })
}

fn number(row: &mut Row, column: usize) -> Result<u32> {
    u32::try_from(row.int(column)?).map_err(Error::fault)
}
