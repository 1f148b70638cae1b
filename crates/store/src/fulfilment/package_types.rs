//! Package types, and the locations that they name.

use model::platform::id::PackageTypeKind;
use model::{Id, Location, Owner, Result};

use crate::platform::engine::{Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};

/// Taken by a transaction that creates a package type or changes one, so that their number and their handles stay as it
/// reads them. SQLite has one writer, and needs no lock.
const LOCK: Sql =
    Sql::each("", "SELECT 1::bigint FROM pg_advisory_xact_lock(hashtextextended($1, 4716051120341))");
const GET: Sql = Sql::same("SELECT version, doc FROM package_type WHERE owner = $1 AND id = $2");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT version, doc FROM package_type WHERE owner = $1 AND id = $2",
    "SELECT version, doc FROM package_type WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const HANDLE_USER: Sql = Sql::same("SELECT id FROM package_type WHERE owner = $1 AND handle = $2");
const COUNT: Sql = Sql::same("SELECT count(*) FROM package_type WHERE owner = $1");
const ALL: Sql = Sql::same("SELECT doc FROM package_type WHERE owner = $1 ORDER BY id");
const INSERT: Sql =
    Sql::same("INSERT INTO package_type (owner, id, handle, version, doc) VALUES ($1, $2, $3, 1, $4)");
const UPDATE: Sql = Sql::same(
    "UPDATE package_type SET handle = $1, version = version + 1, doc = $2 WHERE owner = $3 AND id = $4",
);
const DELETE: Sql = Sql::same("DELETE FROM package_type WHERE owner = $1 AND id = $2");
const LOCATION_INSERT: Sql =
    Sql::same("INSERT INTO package_type_location (owner, location_id, package_type_id) VALUES ($1, $2, $3)");
const LOCATIONS_DELETE: Sql =
    Sql::same("DELETE FROM package_type_location WHERE owner = $1 AND package_type_id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, doc FROM package_type WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same("SELECT id, doc FROM package_type WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LOCK,
    &GET,
    &GET_FOR_UPDATE,
    &HANDLE_USER,
    &COUNT,
    &ALL,
    &INSERT,
    &UPDATE,
    &DELETE,
    &LOCATION_INSERT,
    &LOCATIONS_DELETE,
    &PAGE.older,
    &PAGE.newer,
];

/// A package type's document as the API serves it, and its version.
pub struct StoredPackageType {
    pub version: i64,
    pub doc: String,
}

/// Excludes other transactions that create or change package types of the owner, until this one ends.
pub async fn lock(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&LOCK, &[owner.into()]).await
}

pub async fn get(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PackageTypeKind>,
) -> Result<Option<StoredPackageType>> {
    read(tx, &GET, owner, id).await
}

/// Returns the package type as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PackageTypeKind>,
) -> Result<Option<StoredPackageType>> {
    read(tx, &GET_FOR_UPDATE, owner, id).await
}

async fn read(
    tx: &mut Tx<'_>,
    sql: &Sql,
    owner: Owner,
    id: Id<PackageTypeKind>,
) -> Result<Option<StoredPackageType>> {
    let row = tx.one(sql, &[owner.into(), id.into()]).await?;
    row.map(|mut row| Ok(StoredPackageType { version: row.int(0)?, doc: row.text(1)? })).transpose()
}

/// Returns the package type that has the handle.
pub async fn handle_user(tx: &mut Tx<'_>, owner: Owner, handle: &str) -> Result<Option<Id<PackageTypeKind>>> {
    tx.one(&HANDLE_USER, &[owner.into(), handle.into()]).await?.map(|mut row| row.id(0)).transpose()
}

pub async fn count(tx: &mut Tx<'_>, owner: Owner) -> Result<i64> {
    tx.one(&COUNT, &[owner.into()]).await?.map_or(Ok(0), |mut row| row.int(0))
}

/// Returns the documents of all package types, oldest first. Their number is limited.
pub async fn all(tx: &mut Tx<'_>, owner: Owner) -> Result<Vec<String>> {
    tx.all(&ALL, &[owner.into()]).await?.into_iter().map(|mut row| row.text(0)).collect()
}

pub async fn page(tx: &mut Tx<'_>, owner: Owner, start: &Start, limit: usize) -> Result<Page<String>> {
    Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?.try_map(|mut row| row.text(1))
}

pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PackageTypeKind>,
    handle: &str,
    doc: &str,
    locations: &[Id<Location>],
) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), id.into(), handle.into(), doc.into()]).await?;
    insert_locations(tx, owner, id, locations).await
}

pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PackageTypeKind>,
    handle: &str,
    doc: &str,
    locations: &[Id<Location>],
) -> Result<()> {
    tx.send(&UPDATE, &[handle.into(), doc.into(), owner.into(), id.into()]).await?;
    tx.send(&LOCATIONS_DELETE, &[owner.into(), id.into()]).await?;
    insert_locations(tx, owner, id, locations).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<PackageTypeKind>) -> Result<()> {
    tx.send(&LOCATIONS_DELETE, &[owner.into(), id.into()]).await?;
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

async fn insert_locations(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PackageTypeKind>,
    locations: &[Id<Location>],
) -> Result<()> {
    for location in locations {
        tx.send(&LOCATION_INSERT, &[owner.into(), Value::from(*location), id.into()]).await?;
    }
    Ok(())
}
