//! Accounts with carriers, and their sealed credentials.

use model::{CarrierAccount, Id, Owner, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::page::{Page, PageSql, Start};

const GET: Sql = Sql::same(
    "SELECT id, version, carrier, details, credentials, created_at, updated_at FROM carrier_account
     WHERE owner = $1 AND id = $2",
);
/// Spans organisations: a carrier's webhook names an account by its id alone.
const FIND: Sql = Sql::same(
    "SELECT id, version, carrier, details, credentials, created_at, updated_at, owner FROM carrier_account WHERE id = $1",
);
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT id, version, carrier, details, credentials, created_at, updated_at FROM carrier_account
     WHERE owner = $1 AND id = $2",
    "SELECT id, version, carrier, details, credentials, created_at, updated_at FROM carrier_account
     WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, carrier, details, credentials, created_at, updated_at FROM carrier_account
         WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, version, carrier, details, credentials, created_at, updated_at FROM carrier_account
         WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
const COUNT: Sql = Sql::same("SELECT count(*) FROM carrier_account WHERE owner = $1");
const INSERT: Sql = Sql::same(
    "INSERT INTO carrier_account (owner, id, version, carrier, details, credentials, created_at, updated_at)
     VALUES ($1, $2, 1, $3, $4, $5, $6, $6)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE carrier_account SET version = version + 1, details = $1, credentials = $2, updated_at = $3
     WHERE owner = $4 AND id = $5",
);
const DELETE: Sql = Sql::same("DELETE FROM carrier_account WHERE owner = $1 AND id = $2");

pub(crate) const STATEMENTS: &[&Sql] =
    &[&GET, &FIND, &GET_FOR_UPDATE, &PAGE.older, &PAGE.newer, &COUNT, &INSERT, &UPDATE, &DELETE];

/// The most accounts that one owner may have. A rate request asks all of them at once.
pub const ACCOUNTS_MAX: usize = 60;

/// An account with its details as JSON and its sealed credentials.
#[derive(Clone, PartialEq)]
pub struct StoredCarrierAccount {
    pub id: Id<CarrierAccount>,
    pub version: i64,
    /// The carrier's handle.
    pub carrier: String,
    pub details: String,
    pub credentials: Option<Vec<u8>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

pub async fn get(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<CarrierAccount>,
) -> Result<Option<StoredCarrierAccount>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Spans organisations: returns the account with this id, and its owner.
pub async fn find(tx: &mut Tx<'_>, id: Id<CarrierAccount>) -> Result<Option<(Owner, StoredCarrierAccount)>> {
    let row = tx.one(&FIND, &[id.into()]).await?;
    row.map(|mut row| Ok((row.owner(7)?, read(row)?))).transpose()
}

/// Returns the account as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<CarrierAccount>,
) -> Result<Option<StoredCarrierAccount>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredCarrierAccount>> {
    Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?.try_map(read)
}

/// Returns all accounts of the owner, oldest first.
pub async fn all(tx: &mut Tx<'_>, owner: Owner) -> Result<Vec<StoredCarrierAccount>> {
    let values = [owner.into(), "".into(), (ACCOUNTS_MAX as i64).into()];
    tx.all(&PAGE.newer, &values).await?.into_iter().map(read).collect()
}

pub async fn count(tx: &mut Tx<'_>, owner: Owner) -> Result<i64> {
    tx.one(&COUNT, &[owner.into()]).await?.map_or(Ok(0), |mut row| row.int(0))
}

pub async fn insert(tx: &mut Tx<'_>, owner: Owner, account: &StoredCarrierAccount) -> Result<()> {
    let values = [
        owner.into(),
        account.id.into(),
        account.carrier.as_str().into(),
        account.details.as_str().into(),
        account.credentials.as_deref().into(),
        account.created_at.into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Updates the details and the credentials.
pub async fn update(tx: &mut Tx<'_>, owner: Owner, account: &StoredCarrierAccount) -> Result<()> {
    let values = [
        account.details.as_str().into(),
        account.credentials.as_deref().into(),
        account.updated_at.into(),
        owner.into(),
        account.id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<CarrierAccount>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

fn read(mut row: Row) -> Result<StoredCarrierAccount> {
    Ok(StoredCarrierAccount {
        id: row.id(0)?,
        version: row.int(1)?,
        carrier: row.text(2)?,
        details: row.text(3)?,
        credentials: row.blob_or_null(4)?,
        created_at: row.moment(5)?,
        updated_at: row.moment(6)?,
    })
}
