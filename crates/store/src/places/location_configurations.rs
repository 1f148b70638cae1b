//! Location configurations, read together with the two locations of each.

use model::places::closing::Closing;
use model::places::location_configuration::{CompleteOn, LocationConfiguration, LocationConfigurationInput};
use model::{Error, Id, Location, Owner, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, id_list, wanted};
use crate::platform::page::{Page, PageSql, Start};

const GET: Sql = Sql::same(
    "SELECT c.id, c.version, c.name, c.created_at, c.updated_at, o.version, o.doc, r.version, r.doc, c.closing, c.is_default, c.complete_allocations_on
     FROM location_configuration c
     JOIN location o ON o.owner = c.owner AND o.id = c.origin_id
     JOIN location r ON r.owner = c.owner AND r.id = c.return_id
     WHERE c.owner = $1 AND c.id = $2",
);
/// Locks only the configuration: other transactions may change its locations.
const LOCK: Sql = Sql::each(
    "SELECT id FROM location_configuration WHERE owner = $1 AND id = $2",
    "SELECT id FROM location_configuration WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT c.id, c.version, c.name, c.created_at, c.updated_at, o.version, o.doc, r.version, r.doc, c.closing, c.is_default, c.complete_allocations_on
         FROM location_configuration c
         JOIN location o ON o.owner = c.owner AND o.id = c.origin_id
         JOIN location r ON r.owner = c.owner AND r.id = c.return_id
         WHERE c.owner = $1 AND c.id < $2 ORDER BY c.id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT c.id, c.version, c.name, c.created_at, c.updated_at, o.version, o.doc, r.version, r.doc, c.closing, c.is_default, c.complete_allocations_on
         FROM location_configuration c
         JOIN location o ON o.owner = c.owner AND o.id = c.origin_id
         JOIN location r ON r.owner = c.owner AND r.id = c.return_id
         WHERE c.owner = $1 AND c.id > $2 ORDER BY c.id LIMIT $3",
    ),
};
const INSERT: Sql = Sql::same(
    "INSERT INTO location_configuration (owner, id, version, name, origin_id, return_id, closing, closes_at, is_default,
         complete_allocations_on, created_at, updated_at)
     VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $9, $10, $10)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE location_configuration SET version = version + 1, name = $1, origin_id = $2, return_id = $3, is_default = $4,
         complete_allocations_on = $5, updated_at = $6
     WHERE owner = $7 AND id = $8",
);
/// Of two transactions that choose the default of one origin, the second waits for the first.
const LOCK_ORIGIN: Sql = Sql::each(
    "SELECT id FROM location WHERE owner = $1 AND id = $2",
    "SELECT id FROM location WHERE owner = $1 AND id = $2 FOR NO KEY UPDATE",
);
const DEFAULT_OF: Sql =
    Sql::same("SELECT id FROM location_configuration WHERE owner = $1 AND origin_id = $2 AND is_default = 1");
const END_DEFAULT: Sql = Sql::same(
    "UPDATE location_configuration SET version = version + 1, is_default = 0, updated_at = $1 WHERE owner = $2 AND id = $3",
);
/// `$2` lists the origins as JSON. The default of each comes first.
const OF_ORIGINS: Sql = Sql::each(
    "SELECT c.origin_id, c.id, c.is_default, c.complete_allocations_on, o.version, o.doc, r.doc
     FROM location_configuration c
     JOIN location o ON o.owner = c.owner AND o.id = c.origin_id
     JOIN location r ON r.owner = c.owner AND r.id = c.return_id
     WHERE c.owner = $1 AND c.origin_id IN (SELECT value FROM json_each($2))
     ORDER BY c.origin_id, c.is_default DESC, c.id",
    concat!(
        "SELECT c.origin_id, c.id, c.is_default, c.complete_allocations_on, o.version, o.doc, r.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT owner, origin_id, return_id, id, is_default, complete_allocations_on FROM location_configuration
             WHERE owner = $1 AND origin_id = wanted.id OFFSET 0) c
         JOIN location o ON o.owner = c.owner AND o.id = c.origin_id
         JOIN location r ON r.owner = c.owner AND r.id = c.return_id
         ORDER BY c.origin_id, c.is_default DESC, c.id"
    ),
);
const SET_CLOSING: Sql =
    Sql::same("UPDATE location_configuration SET closing = $1, closes_at = $2 WHERE owner = $3 AND id = $4");
/// Spans organisations: configurations whose closing time has come.
const TO_CLOSE: Sql = Sql::same(
    "SELECT owner, id, origin_id, closing FROM location_configuration WHERE closes_at <= $1 ORDER BY closes_at LIMIT $2",
);
/// If two nodes try at once, the second waits for the first and then changes no row.
const TAKE_CLOSING: Sql = Sql::same(
    "UPDATE location_configuration SET closes_at = $1 WHERE owner = $2 AND id = $3 AND closes_at <= $4",
);
const DELETE: Sql = Sql::same("DELETE FROM location_configuration WHERE owner = $1 AND id = $2");
const USERS_OF: Sql = Sql::same(
    "SELECT id, name FROM location_configuration
     WHERE owner = $1 AND (origin_id = $2 OR return_id = $2) ORDER BY id LIMIT $3",
);
/// Locks the location in share mode: it can't be deleted before this transaction ends.
const HOLD_LOCATION: Sql = Sql::each(
    "SELECT id FROM location WHERE owner = $1 AND id = $2",
    "SELECT id FROM location WHERE owner = $1 AND id = $2 FOR KEY SHARE",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &LOCK,
    &PAGE.older,
    &PAGE.newer,
    &INSERT,
    &UPDATE,
    &LOCK_ORIGIN,
    &DEFAULT_OF,
    &END_DEFAULT,
    &OF_ORIGINS,
    &SET_CLOSING,
    &TO_CLOSE,
    &TAKE_CLOSING,
    &DELETE,
    &USERS_OF,
    &HOLD_LOCATION,
];

/// A configuration with the documents of its two locations, and the versions of all three.
pub struct StoredLocationConfiguration {
    pub id: Id<LocationConfiguration>,
    pub version: i64,
    pub name: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub origin: crate::places::locations::StoredLocation,
    pub r#return: crate::places::locations::StoredLocation,
    pub closing: Option<Closing>,
    /// Whether shipments that are made from orders at its origin use it.
    pub is_default: bool,
    pub complete_allocations_on: CompleteOn,
}

/// A configuration whose closing time has come.
#[derive(Clone, Debug)]
pub struct ToClose {
    pub owner: Owner,
    pub id: Id<LocationConfiguration>,
    pub origin: Id<Location>,
    pub closing: Closing,
}

/// A configuration of an origin, with the documents of its locations.
#[derive(Clone, Debug, PartialEq)]
pub struct OriginConfiguration {
    pub origin: Id<Location>,
    pub id: Id<LocationConfiguration>,
    pub is_default: bool,
    pub complete_allocations_on: CompleteOn,
    pub origin_version: i64,
    pub origin_doc: String,
    pub return_doc: String,
}

/// A configuration that refers to a location.
pub struct UserOf {
    pub id: Id<LocationConfiguration>,
    pub name: String,
}

pub async fn get(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<LocationConfiguration>,
) -> Result<Option<StoredLocationConfiguration>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns the configuration as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<LocationConfiguration>,
) -> Result<Option<StoredLocationConfiguration>> {
    match tx.one(&LOCK, &[owner.into(), id.into()]).await? {
        Some(_) => get(tx, owner, id).await,
        None => Ok(None),
    }
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    start: &Start,
    limit: usize,
) -> Result<Page<StoredLocationConfiguration>> {
    Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?.try_map(read)
}

pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<LocationConfiguration>,
    input: &LocationConfigurationInput,
    now: Timestamp,
) -> Result<()> {
    let values = [
        owner.into(),
        id.into(),
        input.name.as_str().into(),
        input.locations.origin.id.into(),
        input.locations.r#return.id.into(),
        written(input.closing.as_ref())?.into(),
        input.closing.as_ref().and_then(|closing| closing.next_after(now)).into(),
        i64::from(input.is_default).into(),
        input.complete_allocations_on.as_str().into(),
        now.into(),
    ];
    tx.send(&INSERT, &values).await
}

pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<LocationConfiguration>,
    input: &LocationConfigurationInput,
    now: Timestamp,
) -> Result<()> {
    let values = [
        input.name.as_str().into(),
        input.locations.origin.id.into(),
        input.locations.r#return.id.into(),
        i64::from(input.is_default).into(),
        input.complete_allocations_on.as_str().into(),
        now.into(),
        owner.into(),
        id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

/// Returns the default configuration of an origin. Another transaction that chooses it waits until this one ends.
pub async fn lock_default(
    tx: &mut Tx<'_>,
    owner: Owner,
    origin: Id<Location>,
) -> Result<Option<Id<LocationConfiguration>>> {
    tx.one(&LOCK_ORIGIN, &[owner.into(), origin.into()]).await?;
    let row = tx.one(&DEFAULT_OF, &[owner.into(), origin.into()]).await?;
    row.map(|mut row| row.id(0)).transpose()
}

/// Makes a configuration no longer the default of its origin.
pub async fn end_default(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<LocationConfiguration>,
    now: Timestamp,
) -> Result<()> {
    tx.send(&END_DEFAULT, &[now.into(), owner.into(), id.into()]).await
}

/// Returns the configurations of some origins, the default of each origin first.
pub async fn of_origins(
    tx: &mut Tx<'_>,
    owner: Owner,
    origins: &[Id<Location>],
) -> Result<Vec<OriginConfiguration>> {
    let rows = tx.all(&OF_ORIGINS, &[owner.into(), id_list(origins)]).await?;
    let read = |mut row: Row| {
        Ok(OriginConfiguration {
            origin: row.id(0)?,
            id: row.id(1)?,
            is_default: row.int(2)? == 1,
            complete_allocations_on: read_completion(&row.text(3)?)?,
            origin_version: row.int(4)?,
            origin_doc: row.text(5)?,
            return_doc: row.text(6)?,
        })
    };
    rows.into_iter().map(read).collect()
}

/// Sets or removes the closing time. The next closing is the first one after now.
pub async fn set_closing(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<LocationConfiguration>,
    closing: Option<&Closing>,
    now: Timestamp,
) -> Result<()> {
    let closes_at = closing.and_then(|closing| closing.next_after(now));
    tx.send(&SET_CLOSING, &[written(closing)?.into(), closes_at.into(), owner.into(), id.into()]).await
}

/// Spans organisations: returns the configurations whose closing time has come.
pub async fn to_close(tx: &mut Tx<'_>, now: Timestamp, limit: usize) -> Result<Vec<ToClose>> {
    let rows = tx.all(&TO_CLOSE, &[now.into(), (limit as i64).into()]).await?;
    let read = |mut row: Row| {
        let text = row.text(3)?;
        let closing = serde_json::from_str(&text).map_err(Error::fault)?;
        Ok(ToClose { owner: row.owner(0)?, id: row.id(1)?, origin: row.id(2)?, closing })
    };
    rows.into_iter().map(read).collect()
}

/// Claims the closing that is due, and schedules the next. Returns false if another node has claimed it.
pub async fn take_closing(tx: &mut Tx<'_>, due: &ToClose, now: Timestamp) -> Result<bool> {
    let values = [due.closing.next_after(now).into(), due.owner.into(), due.id.into(), now.into()];
    Ok(tx.execute(&TAKE_CLOSING, &values).await? > 0)
}

fn written(closing: Option<&Closing>) -> Result<Option<String>> {
    closing.map(|closing| serde_json::to_string(closing).map_err(Error::fault)).transpose()
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<LocationConfiguration>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

/// Returns up to `limit` configurations that refer to a location.
pub async fn users_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Id<Location>,
    limit: usize,
) -> Result<Vec<UserOf>> {
    let rows = tx.all(&USERS_OF, &[owner.into(), location.into(), (limit as i64).into()]).await?;
    rows.into_iter().map(|mut row| Ok(UserOf { id: row.id(0)?, name: row.text(1)? })).collect()
}

/// Returns whether the location exists, and if so keeps it from being deleted until this transaction ends.
pub async fn hold_location(tx: &mut Tx<'_>, owner: Owner, location: Id<Location>) -> Result<bool> {
    Ok(tx.one(&HOLD_LOCATION, &[owner.into(), location.into()]).await?.is_some())
}

fn read(mut row: Row) -> Result<StoredLocationConfiguration> {
    Ok(StoredLocationConfiguration {
        id: row.id(0)?,
        version: row.int(1)?,
        name: row.text(2)?,
        created_at: row.moment(3)?,
        updated_at: row.moment(4)?,
        origin: crate::places::locations::StoredLocation { version: row.int(5)?, doc: row.text(6)? },
        r#return: crate::places::locations::StoredLocation { version: row.int(7)?, doc: row.text(8)? },
        closing: row
            .text_or_null(9)?
            .map(|text| serde_json::from_str(&text).map_err(Error::fault))
            .transpose()?,
        is_default: row.int(10)? == 1,
        complete_allocations_on: read_completion(&row.text(11)?)?,
    })
}

fn read_completion(word: &str) -> Result<CompleteOn> {
    CompleteOn::parse(word).ok_or_else(|| Error::fault("a location configuration has no known completion"))
}
