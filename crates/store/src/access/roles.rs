//! Roles of an organisation. They are the same in both worlds, so their rows belong to the live one.

use model::access::role::BuiltInRole;
use model::{Id, Organisation, Owner, Result, Role, Timestamp};

use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::page::{Page, PageSql, Start};

const GET: Sql = Sql::same(
    "SELECT id, version, name, scopes, created_at, updated_at FROM role WHERE owner = $1 AND id = $2",
);
const BY_NAME: Sql = Sql::same("SELECT id FROM role WHERE owner = $1 AND name = $2");
const COUNT: Sql = Sql::same("SELECT count(*) FROM role WHERE owner = $1");
const INSERT: Sql = Sql::same(
    "INSERT INTO role (owner, id, version, name, scopes, created_at, updated_at) VALUES ($1, $2, 1, $3, $4, $5, $6)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE role SET name = $1, scopes = $2, version = version + 1, updated_at = $3 WHERE owner = $4 AND id = $5",
);
const DELETE: Sql = Sql::same("DELETE FROM role WHERE owner = $1 AND id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, version, name, scopes, created_at, updated_at FROM role
         WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, version, name, scopes, created_at, updated_at FROM role
         WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] =
    &[&GET, &BY_NAME, &COUNT, &INSERT, &UPDATE, &DELETE, &PAGE.older, &PAGE.newer];

/// A role. The scopes of a built-in one follow from the program, and are empty here.
#[derive(Clone)]
pub struct StoredRole {
    pub id: Id<Role>,
    pub version: i64,
    pub name: String,
    pub scopes: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

pub async fn get(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    id: Id<Role>,
) -> Result<Option<StoredRole>> {
    tx.one(&GET, &[Owner::live(organisation).into(), id.into()]).await?.map(read).transpose()
}

/// Returns the role that has the name.
pub async fn by_name(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    name: &str,
) -> Result<Option<Id<Role>>> {
    let row = tx.one(&BY_NAME, &[Owner::live(organisation).into(), name.into()]).await?;
    row.map(|mut row| row.id(0)).transpose()
}

pub async fn count(tx: &mut Tx<'_>, organisation: Id<Organisation>) -> Result<i64> {
    tx.one(&COUNT, &[Owner::live(organisation).into()]).await?.map_or(Ok(0), |mut row| row.int(0))
}

pub async fn insert(tx: &mut Tx<'_>, organisation: Id<Organisation>, role: &StoredRole) -> Result<()> {
    let values = [
        Owner::live(organisation).into(),
        role.id.into(),
        role.name.as_str().into(),
        role.scopes.as_str().into(),
        role.created_at.into(),
        role.updated_at.into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Inserts the roles that every organisation has.
pub async fn insert_built_in(tx: &mut Tx<'_>, organisation: Id<Organisation>, now: Timestamp) -> Result<()> {
    for role in BuiltInRole::ALL {
        let (name, scopes) = (role.name().to_owned(), String::new());
        let role = StoredRole { id: role.id(), version: 1, name, scopes, created_at: now, updated_at: now };
        insert(tx, organisation, &role).await?;
    }
    Ok(())
}

pub async fn update(tx: &mut Tx<'_>, organisation: Id<Organisation>, role: &StoredRole) -> Result<()> {
    let values = [
        role.name.as_str().into(),
        role.scopes.as_str().into(),
        role.updated_at.into(),
        Owner::live(organisation).into(),
        role.id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

pub async fn delete(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<Role>) -> Result<()> {
    tx.send(&DELETE, &[Owner::live(organisation).into(), id.into()]).await
}

pub async fn page(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredRole>> {
    Page::read(tx, &PAGE, Owner::live(organisation).into(), &[], start, limit).await?.try_map(read)
}

fn read(mut row: Row) -> Result<StoredRole> {
    Ok(StoredRole {
        id: row.id(0)?,
        version: row.int(1)?,
        name: row.text(2)?,
        scopes: row.text(3)?,
        created_at: row.moment(4)?,
        updated_at: row.moment(5)?,
    })
}
