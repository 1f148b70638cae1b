//! Organisations and their users.

use model::access::organisation::OrganisationInput;
use model::{Id, Organisation, Owner, Result, Timestamp, User};

use crate::platform::engine::{Sql, Tx};

const INSERT: Sql = Sql::same("INSERT INTO organisation (owner, name, created_at) VALUES ($1, $2, $3)");
/// Spans organisations: the command line finds an organisation by name.
const BY_NAME: Sql = Sql::same("SELECT owner FROM organisation WHERE name = $1 ORDER BY owner LIMIT 1");
/// Spans organisations: the command line lists all names.
const NAMES: Sql = Sql::same("SELECT name FROM organisation ORDER BY name LIMIT $1");
/// Spans organisations: returns whether there is any organisation. A new store has none.
const ANY: Sql = Sql::same("SELECT owner FROM organisation LIMIT 1");
/// Excludes other transactions that create organisations, so that two servers that start at once don't create the
/// same one.
const LOCK: Sql = Sql::each("SELECT 1", "SELECT 1::bigint FROM pg_advisory_xact_lock(4716051120332)");
const USER_INSERT: Sql =
    Sql::same("INSERT INTO organisation_user (owner, id, email, created_at) VALUES ($1, $2, $3, $4)");
const USER_BY_EMAIL: Sql = Sql::same("SELECT id FROM organisation_user WHERE owner = $1 AND email = $2");
const USER_GET: Sql = Sql::same("SELECT email FROM organisation_user WHERE owner = $1 AND id = $2");

const GET: Sql = Sql::same("SELECT name, created_at FROM organisation WHERE owner = $1");
const SETTINGS: Sql = Sql::same(
    "SELECT version, unique_order_references, updated_at, time_zone FROM organisation_setting WHERE owner = $1",
);
const SET_SETTINGS: Sql = Sql::same(
    "INSERT INTO organisation_setting (owner, version, unique_order_references, updated_at, time_zone)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (owner) DO UPDATE SET version = excluded.version,
     unique_order_references = excluded.unique_order_references, updated_at = excluded.updated_at,
     time_zone = excluded.time_zone",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &BY_NAME,
    &NAMES,
    &ANY,
    &LOCK,
    &USER_INSERT,
    &USER_BY_EMAIL,
    &USER_GET,
    &GET,
    &SETTINGS,
    &SET_SETTINGS,
];

/// The settings of an organisation in one of its worlds, and their version. In the first version nothing is set.
pub struct StoredSettings {
    pub version: i64,
    pub settings: OrganisationInput,
    /// When the settings last changed. `None` if they never did.
    pub updated_at: Option<Timestamp>,
}

/// Returns the organisation's name, and when it was created.
pub async fn get(tx: &mut Tx<'_>, id: Id<Organisation>) -> Result<Option<(String, Timestamp)>> {
    let row = tx.one(&GET, &[Owner::live(id).into()]).await?;
    row.map(|mut row| Ok((row.text(0)?, row.moment(1)?))).transpose()
}

pub async fn settings(tx: &mut Tx<'_>, owner: Owner) -> Result<StoredSettings> {
    let Some(mut row) = tx.one(&SETTINGS, &[owner.into()]).await? else {
        return Ok(StoredSettings { version: 1, settings: OrganisationInput::default(), updated_at: None });
    };
    let settings = OrganisationInput { unique_order_references: row.int(1)? == 1, time_zone: row.text(3)? };
    Ok(StoredSettings { version: row.int(0)?, settings, updated_at: Some(row.moment(2)?) })
}

pub async fn set_settings(tx: &mut Tx<'_>, owner: Owner, new: &StoredSettings, now: Timestamp) -> Result<()> {
    let is_unique = i64::from(new.settings.unique_order_references);
    let time_zone = new.settings.time_zone.as_str();
    let values = [owner.into(), new.version.into(), is_unique.into(), now.into(), time_zone.into()];
    tx.send(&SET_SETTINGS, &values).await
}

/// Excludes other transactions that create organisations, until this one ends.
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

/// Returns up to `max` names in alphabetical order.
pub async fn names(tx: &mut Tx<'_>, max: i64) -> Result<Vec<String>> {
    let rows = tx.all(&NAMES, &[max.into()]).await?;
    rows.into_iter().map(|mut row| row.text(0)).collect()
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

/// Returns a user. Users are the same in both worlds, so their rows belong to the organisation itself.
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
