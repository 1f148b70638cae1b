//! Printers, and for which documents each is the default.

use model::fulfilment::printer::Purpose;
use model::{Id, Location, Owner, Printer, Result};

use crate::platform::engine::{Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};

/// Taken by a transaction that creates a printer or changes one, so that their number and the defaults stay as it reads them.
/// SQLite has one writer, and needs no lock.
const LOCK: Sql =
    Sql::each("", "SELECT 1::bigint FROM pg_advisory_xact_lock(hashtextextended($1, 7302219904713))");
const GET: Sql = Sql::same("SELECT version, doc FROM printer WHERE owner = $1 AND id = $2");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT version, doc FROM printer WHERE owner = $1 AND id = $2",
    "SELECT version, doc FROM printer WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const COUNT: Sql = Sql::same("SELECT COUNT(*) FROM printer WHERE owner = $1");
const INSERT: Sql =
    Sql::same("INSERT INTO printer (owner, id, version, location_id, doc) VALUES ($1, $2, 1, $3, $4)");
const UPDATE: Sql = Sql::same(
    "UPDATE printer SET version = version + 1, location_id = $1, doc = $2 WHERE owner = $3 AND id = $4",
);
const DELETE: Sql = Sql::same("DELETE FROM printer WHERE owner = $1 AND id = $2");
const DEFAULT: Sql = Sql::same(
    "SELECT printer_id FROM printer_default WHERE owner = $1 AND purpose = $2 AND location_id = $3",
);
const DEFAULT_INSERT: Sql = Sql::same(
    "INSERT INTO printer_default (owner, purpose, location_id, printer_id) VALUES ($1, $2, $3, $4)",
);
const DEFAULTS_DELETE: Sql = Sql::same("DELETE FROM printer_default WHERE owner = $1 AND printer_id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same("SELECT id, doc FROM printer WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
    newer: Sql::same("SELECT id, doc FROM printer WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LOCK,
    &GET,
    &GET_FOR_UPDATE,
    &COUNT,
    &INSERT,
    &UPDATE,
    &DELETE,
    &DEFAULT,
    &DEFAULT_INSERT,
    &DEFAULTS_DELETE,
    &PAGE.older,
    &PAGE.newer,
];

/// A printer's document as the API serves it, and its version.
pub struct StoredPrinter {
    pub version: i64,
    pub doc: String,
}

/// Excludes other transactions that create or change printers of the owner, until this one ends.
pub async fn lock(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&LOCK, &[owner.into()]).await
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Printer>) -> Result<Option<StoredPrinter>> {
    read(tx, &GET, owner, id).await
}

/// Returns the printer as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner, id: Id<Printer>) -> Result<Option<StoredPrinter>> {
    read(tx, &GET_FOR_UPDATE, owner, id).await
}

async fn read(tx: &mut Tx<'_>, sql: &Sql, owner: Owner, id: Id<Printer>) -> Result<Option<StoredPrinter>> {
    let row = tx.one(sql, &[owner.into(), id.into()]).await?;
    row.map(|mut row| Ok(StoredPrinter { version: row.int(0)?, doc: row.text(1)? })).transpose()
}

pub async fn count(tx: &mut Tx<'_>, owner: Owner) -> Result<i64> {
    tx.one(&COUNT, &[owner.into()]).await?.map_or(Ok(0), |mut row| row.int(0))
}

pub async fn page(tx: &mut Tx<'_>, owner: Owner, start: &Start, limit: usize) -> Result<Page<String>> {
    Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?.try_map(|mut row| row.text(1))
}

/// Where a printer stands, and what it is the default for there.
pub struct Placed<'a> {
    pub location: Option<Id<Location>>,
    pub purposes: &'a [Purpose],
}

pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Printer>,
    doc: &str,
    placed: &Placed<'_>,
) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), id.into(), placed.location.into(), doc.into()]).await?;
    insert_defaults(tx, owner, id, placed).await
}

pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Printer>,
    doc: &str,
    placed: &Placed<'_>,
) -> Result<()> {
    tx.send(&UPDATE, &[placed.location.into(), doc.into(), owner.into(), id.into()]).await?;
    tx.send(&DEFAULTS_DELETE, &[owner.into(), id.into()]).await?;
    insert_defaults(tx, owner, id, placed).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<Printer>) -> Result<()> {
    tx.send(&DEFAULTS_DELETE, &[owner.into(), id.into()]).await?;
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

/// Returns the default printer for documents of this kind at the location, or at all others if there is none given.
pub async fn default_for(
    tx: &mut Tx<'_>,
    owner: Owner,
    purpose: Purpose,
    location: Option<Id<Location>>,
) -> Result<Option<Id<Printer>>> {
    let values = [owner.into(), purpose.as_str().into(), place(location)];
    tx.one(&DEFAULT, &values).await?.map(|mut row| row.id(0)).transpose()
}

async fn insert_defaults(tx: &mut Tx<'_>, owner: Owner, id: Id<Printer>, placed: &Placed<'_>) -> Result<()> {
    for purpose in placed.purposes {
        let values = [owner.into(), purpose.as_str().into(), place(placed.location), id.into()];
        tx.send(&DEFAULT_INSERT, &values).await?;
    }
    Ok(())
}

/// Returns the location as the key of defaults has it: the empty text stands for all that have none of their own.
fn place(location: Option<Id<Location>>) -> Value {
    location.map(|id| id.to_string()).unwrap_or_default().into()
}
