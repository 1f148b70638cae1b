//! Organisations and their users.

use model::{Id, Organisation, Owner, Result, Timestamp, User};

use crate::engine::{Sql, Tx};

const INSERT: Sql = Sql::same("INSERT INTO organisation (owner, name, created_at) VALUES ($1, $2, $3)");
/// Spans organisations: the command line knows them by name.
const BY_NAME: Sql = Sql::same("SELECT owner FROM organisation WHERE name = $1 ORDER BY owner LIMIT 1");
/// Spans organisations: a store without any is new.
const ANY: Sql = Sql::same("SELECT owner FROM organisation LIMIT 1");
/// One maker at a time, so that two that start together don't make the same organisation twice.
const LOCK: Sql = Sql::each("SELECT 1", "SELECT 1::bigint FROM pg_advisory_xact_lock(4716051120332)");
const USER_INSERT: Sql =
    Sql::same("INSERT INTO organisation_user (owner, id, email, created_at) VALUES ($1, $2, $3, $4)");
const USER_BY_EMAIL: Sql = Sql::same("SELECT id FROM organisation_user WHERE owner = $1 AND email = $2");
const USER_GET: Sql = Sql::same("SELECT email FROM organisation_user WHERE owner = $1 AND id = $2");

pub(crate) const STATEMENTS: &[&Sql] =
    &[&INSERT, &BY_NAME, &ANY, &LOCK, &USER_INSERT, &USER_BY_EMAIL, &USER_GET];

/// Keeps others from making organisations until this transaction ends.
pub async fn lock(tx: &mut Tx<'_>) -> Result<()> {
    tx.one(&LOCK, &[]).await.map(drop)
}

pub async fn any(tx: &mut Tx<'_>) -> Result<bool> {
    Ok(tx.one(&ANY, &[]).await?.is_some())
}

pub async fn by_name(tx: &mut Tx<'_>, name: &str) -> Result<Option<Id<Organisation>>> {
    let row = tx.one(&BY_NAME, &[name.into()]).await?;
    row.map(|mut row| Ok(row.owner(0)?.organisation)).transpose()
}

pub async fn insert(tx: &mut Tx<'_>, organisation: &Organisation, now: Timestamp) -> Result<()> {
    let owner = Owner::live(organisation.id);
    tx.send(&INSERT, &[owner.into(), organisation.name.as_str().into(), now.into()]).await
}

pub async fn user_by_email(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    email: &str,
) -> Result<Option<Id<User>>> {
    let row = tx.one(&USER_BY_EMAIL, &[Owner::live(organisation).into(), email.into()]).await?;
    row.map(|mut row| row.id(0)).transpose()
}

/// A user is the same in both worlds, so users stand under the organisation itself.
pub async fn user(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<User>) -> Result<Option<User>> {
    let row = tx.one(&USER_GET, &[Owner::live(organisation).into(), id.into()]).await?;
    row.map(|mut row| Ok(User { id, email: row.text(0)? })).transpose()
}

pub async fn insert_user(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    user: &User,
    now: Timestamp,
) -> Result<()> {
    let values = [Owner::live(organisation).into(), user.id.into(), user.email.as_str().into(), now.into()];
    tx.send(&USER_INSERT, &values).await
}
