//! Location configurations, read together with the two locations of each.

use model::places::closing::Closing;
use model::places::location_configuration::{LocationConfiguration, LocationConfigurationInput};
use model::{Error, Id, Location, Owner, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::page::{Page, PageSql, Start};

const GET: Sql = Sql::same(
    "SELECT c.id, c.version, c.name, c.created_at, c.updated_at, o.version, o.doc, r.version, r.doc, c.closing
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
        "SELECT c.id, c.version, c.name, c.created_at, c.updated_at, o.version, o.doc, r.version, r.doc, c.closing
         FROM location_configuration c
         JOIN location o ON o.owner = c.owner AND o.id = c.origin_id
         JOIN location r ON r.owner = c.owner AND r.id = c.return_id
         WHERE c.owner = $1 AND c.id < $2 ORDER BY c.id DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT c.id, c.version, c.name, c.created_at, c.updated_at, o.version, o.doc, r.version, r.doc, c.closing
         FROM location_configuration c
         JOIN location o ON o.owner = c.owner AND o.id = c.origin_id
         JOIN location r ON r.owner = c.owner AND r.id = c.return_id
         WHERE c.owner = $1 AND c.id > $2 ORDER BY c.id LIMIT $3",
    ),
};
const INSERT: Sql = Sql::same(
    "INSERT INTO location_configuration (owner, id, version, name, origin_id, return_id, closing, closes_at, created_at,
         updated_at)
     VALUES ($1, $2, 1, $3, $4, $5, $6, $7, $8, $8)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE location_configuration SET version = version + 1, name = $1, origin_id = $2, return_id = $3, updated_at = $4
     WHERE owner = $5 AND id = $6",
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
}

/// A configuration whose closing time has come.
#[derive(Clone, Debug)]
pub struct ToClose {
    pub owner: Owner,
    pub id: Id<LocationConfiguration>,
    pub origin: Id<Location>,
    pub closing: Closing,
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
        now.into(),
        owner.into(),
        id.into(),
    ];
    tx.send(&UPDATE, &values).await
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
    })
}
