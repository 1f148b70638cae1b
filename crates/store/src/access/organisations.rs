//! Organisations and their settings.

use model::access::organisation::OrganisationSettings;
use model::{Id, Organisation, Owner, Result, Timestamp};

use crate::access::roles;
use crate::platform::engine::{Row, Sql, Tx};

const INSERT: Sql = Sql::same("INSERT INTO organisation (owner, name, created_at) VALUES ($1, $2, $3)");
/// Spans organisations: the command line finds an organisation by name.
const BY_NAME: Sql = Sql::same("SELECT owner FROM organisation WHERE name = $1 ORDER BY owner LIMIT 1");
/// Spans organisations: the command line lists all names.
const NAMES: Sql = Sql::same("SELECT name FROM organisation ORDER BY name LIMIT $1");
/// Spans organisations: returns whether there is any organisation. A new store has none.
const ANY: Sql = Sql::same("SELECT owner FROM organisation LIMIT 1");
/// Spans organisations: two of them are enough to know that there is not only one.
const FIRST_TWO: Sql = Sql::same("SELECT owner FROM organisation ORDER BY owner LIMIT 2");
/// Excludes other transactions that create organisations, so that two servers that start at once don't create the
/// same one.
const LOCK: Sql = Sql::each("SELECT 1", "SELECT 1::bigint FROM pg_advisory_xact_lock(4716051120332)");

const GET: Sql =
    Sql::same("SELECT coalesce(display_name, name), created_at, renames FROM organisation WHERE owner = $1");
const RENAME: Sql =
    Sql::same("UPDATE organisation SET display_name = $1, renames = renames + 1 WHERE owner = $2");
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

pub(crate) const STATEMENTS: &[&Sql] =
    &[&INSERT, &BY_NAME, &NAMES, &ANY, &FIRST_TWO, &LOCK, &GET, &RENAME, &SETTINGS, &SET_SETTINGS];

/// The settings of an organisation in one of its worlds, and their version. In the first version nothing is set.
pub struct StoredSettings {
    pub version: i64,
    pub settings: OrganisationSettings,
    /// When the settings last changed. `None` if they never did.
    pub updated_at: Option<Timestamp>,
}

/// An organisation, without its settings.
#[derive(Clone)]
pub struct StoredOrganisation {
    /// The name that it has given itself, or else the operator's.
    pub name: String,
    pub created_at: Timestamp,
    /// How often it has changed its name.
    pub renames: i64,
}

pub async fn get(tx: &mut Tx<'_>, id: Id<Organisation>) -> Result<Option<StoredOrganisation>> {
    let row = tx.one(&GET, &[Owner::live(id).into()]).await?;
    let read = |mut row: Row| {
        Ok(StoredOrganisation { name: row.text(0)?, created_at: row.moment(1)?, renames: row.int(2)? })
    };
    row.map(read).transpose()
}

/// Gives the organisation another name, in both of its worlds. Only the live world may.
pub async fn rename(tx: &mut Tx<'_>, id: Id<Organisation>, name: &str) -> Result<()> {
    tx.send(&RENAME, &[name.into(), Owner::live(id).into()]).await
}

pub async fn settings(tx: &mut Tx<'_>, owner: Owner) -> Result<StoredSettings> {
    let Some(mut row) = tx.one(&SETTINGS, &[owner.into()]).await? else {
        return Ok(StoredSettings {
            version: 1,
            settings: OrganisationSettings::default(),
            updated_at: None,
        });
    };
    let settings =
        OrganisationSettings { unique_order_references: row.int(1)? == 1, time_zone: row.text(3)? };
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

/// Returns the only organisation, or `None` if there are several or none.
pub async fn only(tx: &mut Tx<'_>) -> Result<Option<Id<Organisation>>> {
    let mut rows = tx.all(&FIRST_TWO, &[]).await?;
    let is_only = rows.len() == 1;
    rows.pop().filter(|_| is_only).map(|mut row| Ok(row.owner(0)?.organisation)).transpose()
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
    tx.send(&INSERT, &[owner.into(), organisation.name.as_str().into(), now.into()]).await?;
    roles::insert_built_in(tx, organisation.id, now).await
}
