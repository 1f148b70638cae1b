//! Users of an organisation, and which roles they have. Users are the same in both worlds, so their rows belong to the
//! live one.

use model::access::user::email_key;
use model::{Id, Organisation, Owner, Result, Role, Timestamp, User};

use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::page::{Page, PageSql, Start};

/// Excludes other changes of users and roles of the organisation. SQLite has one writer, and needs no lock.
const LOCK: Sql =
    Sql::each("", "SELECT 1::bigint FROM pg_advisory_xact_lock(hashtextextended($1, 4716051120342))");
const GET: Sql = Sql::same(
    "SELECT id, owner, name, email, version, generation, is_disabled, password, created_at, updated_at
     FROM organisation_user WHERE owner = $1 AND id = $2",
);
const BY_KEY: Sql =
    Sql::same("SELECT id FROM organisation_user WHERE owner = $1 AND email_key = $2 ORDER BY id LIMIT 1");
/// Spans organisations: a person who signs in names no organisation.
const WITH_KEY: Sql = Sql::same(
    "SELECT id, owner, name, email, version, generation, is_disabled, password, created_at, updated_at
     FROM organisation_user WHERE email_key = $1 AND password IS NOT NULL AND is_disabled = 0 ORDER BY owner, id LIMIT $2",
);
/// Spans organisations: the operator's list of all users.
const ALL: Sql = Sql::same(
    "SELECT u.id, u.owner, u.name, u.email, u.version, u.generation, u.is_disabled, u.password, u.created_at, u.updated_at, o.name
     FROM organisation_user u JOIN organisation o ON o.owner = u.owner ORDER BY o.name, u.id",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, owner, name, email, version, generation, is_disabled, password, created_at, updated_at
         FROM organisation_user WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT id, owner, name, email, version, generation, is_disabled, password, created_at, updated_at
         FROM organisation_user WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    ),
};
const COUNT: Sql = Sql::same("SELECT count(*) FROM organisation_user WHERE owner = $1");
const INSERT: Sql = Sql::same(
    "INSERT INTO organisation_user (owner, id, name, email, email_key, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE organisation_user SET name = $1, email = $2, email_key = $3, version = version + 1, updated_at = $4
     WHERE owner = $5 AND id = $6",
);
const SET_DISABLED: Sql = Sql::same(
    "UPDATE organisation_user SET is_disabled = $1, generation = generation + 1, version = version + 1, updated_at = $2
     WHERE owner = $3 AND id = $4",
);
const SET_PASSWORD: Sql = Sql::same(
    "UPDATE organisation_user SET password = $1, generation = generation + 1, version = version + 1, updated_at = $2
     WHERE owner = $3 AND id = $4",
);
const END_SESSIONS: Sql =
    Sql::same("UPDATE organisation_user SET generation = generation + 1 WHERE owner = $1 AND id = $2");
const DELETE: Sql = Sql::same("DELETE FROM organisation_user WHERE owner = $1 AND id = $2");
const ROLES: Sql = Sql::same(
    "SELECT r.id, r.scopes FROM user_role u JOIN role r ON r.owner = u.owner AND r.id = u.role_id
     WHERE u.owner = $1 AND u.user_id = $2 ORDER BY r.id",
);
const ROLE_INSERT: Sql =
    Sql::same("INSERT INTO user_role (owner, user_id, role_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING");
const ROLES_DELETE: Sql = Sql::same("DELETE FROM user_role WHERE owner = $1 AND user_id = $2");
const ROLE_USERS: Sql =
    Sql::same("SELECT user_id FROM user_role WHERE owner = $1 AND role_id = $2 ORDER BY user_id LIMIT $3");
const ACTIVE_WITH_ROLE: Sql = Sql::same(
    "SELECT count(*) FROM user_role r JOIN organisation_user u ON u.owner = r.owner AND u.id = r.user_id
     WHERE r.owner = $1 AND r.role_id = $2 AND u.is_disabled = 0 AND u.id <> $3",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LOCK,
    &GET,
    &BY_KEY,
    &WITH_KEY,
    &ALL,
    &PAGE.older,
    &PAGE.newer,
    &COUNT,
    &INSERT,
    &UPDATE,
    &SET_DISABLED,
    &SET_PASSWORD,
    &END_SESSIONS,
    &DELETE,
    &ROLES,
    &ROLE_INSERT,
    &ROLES_DELETE,
    &ROLE_USERS,
    &ACTIVE_WITH_ROLE,
];

/// A user without its roles.
#[derive(Clone)]
pub struct StoredUser {
    pub id: Id<User>,
    pub organisation: Id<Organisation>,
    pub name: String,
    pub email: String,
    pub version: i64,
    /// Sessions of another generation have ended.
    pub generation: i64,
    pub is_disabled: bool,
    /// The slow hash of the password, with its parameters and salt.
    pub password: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A role of a user: its id, and its scopes as words, which are empty for a built-in role.
#[derive(Clone)]
pub struct StoredUserRole {
    pub id: Id<Role>,
    pub scopes: String,
}

/// Excludes other changes of users and roles of the organisation, until this transaction ends.
pub async fn lock(tx: &mut Tx<'_>, organisation: Id<Organisation>) -> Result<()> {
    tx.send(&LOCK, &[Owner::live(organisation).into()]).await
}

pub async fn get(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    id: Id<User>,
) -> Result<Option<StoredUser>> {
    tx.one(&GET, &[Owner::live(organisation).into(), id.into()]).await?.map(read).transpose()
}

/// Returns the user of the organisation that has the address, in whatever case it is written.
pub async fn by_address(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    address: &str,
) -> Result<Option<Id<User>>> {
    let row = tx.one(&BY_KEY, &[Owner::live(organisation).into(), email_key(address).into()]).await?;
    row.map(|mut row| row.id(0)).transpose()
}

/// Spans organisations: returns the active users with this address and a password, at most `max`.
pub async fn with_address(tx: &mut Tx<'_>, address: &str, max: i64) -> Result<Vec<StoredUser>> {
    tx.all(&WITH_KEY, &[email_key(address).into(), max.into()]).await?.into_iter().map(read).collect()
}

/// Spans organisations: returns all users, each with the operator's name of its organisation.
pub async fn all(tx: &mut Tx<'_>) -> Result<Vec<(StoredUser, String)>> {
    let listed = |mut row: Row| {
        let organisation = row.text(10)?;
        Ok((read(row)?, organisation))
    };
    tx.all(&ALL, &[]).await?.into_iter().map(listed).collect()
}

pub async fn page(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredUser>> {
    Page::read(tx, &PAGE, Owner::live(organisation).into(), &[], start, limit).await?.try_map(read)
}

pub async fn count(tx: &mut Tx<'_>, organisation: Id<Organisation>) -> Result<i64> {
    tx.one(&COUNT, &[Owner::live(organisation).into()]).await?.map_or(Ok(0), |mut row| row.int(0))
}

pub async fn insert(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    user: &User,
    name: &str,
    now: Timestamp,
) -> Result<()> {
    let values = [
        Owner::live(organisation).into(),
        user.id.into(),
        name.into(),
        user.email.as_str().into(),
        email_key(&user.email).into(),
        now.into(),
        now.into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Changes the name and the address.
pub async fn update(tx: &mut Tx<'_>, user: &StoredUser, now: Timestamp) -> Result<()> {
    let values = [
        user.name.as_str().into(),
        user.email.as_str().into(),
        email_key(&user.email).into(),
        now.into(),
        Owner::live(user.organisation).into(),
        user.id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

/// Disables or enables the user. The sessions of before end in both cases.
pub async fn set_disabled(tx: &mut Tx<'_>, user: &StoredUser, is: bool, now: Timestamp) -> Result<()> {
    let values = [i64::from(is).into(), now.into(), Owner::live(user.organisation).into(), user.id.into()];
    tx.send(&SET_DISABLED, &values).await
}

/// Sets the hash of the password. The sessions of before end.
pub async fn set_password(tx: &mut Tx<'_>, user: &StoredUser, hash: &str, now: Timestamp) -> Result<()> {
    let values = [hash.into(), now.into(), Owner::live(user.organisation).into(), user.id.into()];
    tx.send(&SET_PASSWORD, &values).await
}

/// Ends all sessions of the user.
pub async fn end_sessions(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<User>) -> Result<()> {
    tx.send(&END_SESSIONS, &[Owner::live(organisation).into(), id.into()]).await
}

pub async fn delete(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<User>) -> Result<()> {
    let owner = Owner::live(organisation);
    tx.send(&ROLES_DELETE, &[owner.into(), id.into()]).await?;
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

pub async fn roles(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    id: Id<User>,
) -> Result<Vec<StoredUserRole>> {
    let rows = tx.all(&ROLES, &[Owner::live(organisation).into(), id.into()]).await?;
    rows.into_iter().map(|mut row| Ok(StoredUserRole { id: row.id(0)?, scopes: row.text(1)? })).collect()
}

/// Gives the user these roles and no others.
pub async fn set_roles(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    id: Id<User>,
    roles: &[Id<Role>],
) -> Result<()> {
    let owner = Owner::live(organisation);
    tx.send(&ROLES_DELETE, &[owner.into(), id.into()]).await?;
    for role in roles {
        tx.send(&ROLE_INSERT, &[owner.into(), id.into(), (*role).into()]).await?;
    }
    Ok(())
}

/// Returns the users that have the role, at most `max`.
pub async fn with_role(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    role: Id<Role>,
    max: i64,
) -> Result<Vec<Id<User>>> {
    let rows = tx.all(&ROLE_USERS, &[Owner::live(organisation).into(), role.into(), max.into()]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}

/// Counts the other users that have the role and are not disabled.
pub async fn count_others(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    role: Id<Role>,
    than: Id<User>,
) -> Result<i64> {
    let values = [Owner::live(organisation).into(), role.into(), than.into()];
    tx.one(&ACTIVE_WITH_ROLE, &values).await?.map_or(Ok(0), |mut row| row.int(0))
}

fn read(mut row: Row) -> Result<StoredUser> {
    Ok(StoredUser {
        id: row.id(0)?,
        organisation: row.owner(1)?.organisation,
        name: row.text(2)?,
        email: row.text(3)?,
        version: row.int(4)?,
        generation: row.int(5)?,
        is_disabled: row.int(6)? == 1,
        password: row.text_or_null(7)?,
        created_at: row.moment(8)?,
        updated_at: row.moment(9)?,
    })
}
