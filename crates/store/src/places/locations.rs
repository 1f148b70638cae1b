//! Locations, their tags and their versions.

use std::collections::BTreeSet;

use model::places::searched_location::SearchedLocation;
use model::{Error, Id, Location, Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};
use crate::platform::search_terms;

const GET: Sql = Sql::same("SELECT version, doc FROM location WHERE owner = $1 AND id = $2");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT version, doc FROM location WHERE owner = $1 AND id = $2",
    "SELECT version, doc FROM location WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const INSERT: Sql = Sql::same("INSERT INTO location (owner, id, version, doc) VALUES ($1, $2, 1, $3)");
const UPDATE: Sql =
    Sql::same("UPDATE location SET version = version + 1, doc = $1 WHERE owner = $2 AND id = $3");
const DELETE: Sql = Sql::same("DELETE FROM location WHERE owner = $1 AND id = $2");
const KEEP_VERSION: Sql = Sql::same(
    "INSERT INTO location_version (owner, location_id, version, doc, replaced_at) VALUES ($1, $2, $3, $4, $5)",
);
const TAG_INSERT: Sql = Sql::same(
    "INSERT INTO location_tag (owner, tag, location_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
const TAGS_DELETE: Sql = Sql::same("DELETE FROM location_tag WHERE owner = $1 AND location_id = $2");
const PAGE: PageSql = PageSql {
    older: Sql::same("SELECT id, doc FROM location WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
    newer: Sql::same("SELECT id, doc FROM location WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};
const ALL: Sql = Sql::same("SELECT id, doc FROM location WHERE owner = $1 ORDER BY id LIMIT $2");
/// Locations that have all of the tags: `$3` lists them as JSON, `$4` is their number.
const PAGE_TAGGED: PageSql = PageSql {
    older: Sql::each(
        "SELECT id, doc FROM location l WHERE owner = $1 AND id < $2 AND (
             SELECT count(*) FROM location_tag t WHERE t.owner = l.owner AND t.location_id = l.id
             AND t.tag IN (SELECT value FROM json_each($3))) = $4 ORDER BY id DESC LIMIT $5",
        "SELECT id, doc FROM location l WHERE owner = $1 AND id < $2 AND (
             SELECT count(*) FROM location_tag t WHERE t.owner = l.owner AND t.location_id = l.id
             AND t.tag = ANY (ARRAY(SELECT jsonb_array_elements_text($3::text::jsonb)))) = $4 ORDER BY id DESC LIMIT $5",
    ),
    newer: Sql::each(
        "SELECT id, doc FROM location l WHERE owner = $1 AND id > $2 AND (
             SELECT count(*) FROM location_tag t WHERE t.owner = l.owner AND t.location_id = l.id
             AND t.tag IN (SELECT value FROM json_each($3))) = $4 ORDER BY id LIMIT $5",
        "SELECT id, doc FROM location l WHERE owner = $1 AND id > $2 AND (
             SELECT count(*) FROM location_tag t WHERE t.owner = l.owner AND t.location_id = l.id
             AND t.tag = ANY (ARRAY(SELECT jsonb_array_elements_text($3::text::jsonb)))) = $4 ORDER BY id LIMIT $5",
    ),
};
/// Spans organisations. Keeps the versions that a shipment refers to.
const DELETE_VERSIONS: Sql = Sql::each(
    "DELETE FROM location_version WHERE (owner, location_id, version) IN (
         SELECT owner, location_id, version FROM location_version v WHERE replaced_at < $1 AND NOT EXISTS (
             SELECT 1 FROM shipment s
             WHERE s.owner = v.owner AND s.origin_id = v.location_id AND s.origin_version = v.version)
         ORDER BY replaced_at LIMIT $2)",
    "DELETE FROM location_version WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM location_version v WHERE replaced_at < $1 AND NOT EXISTS (
             SELECT 1 FROM shipment s
             WHERE s.owner = v.owner AND s.origin_id = v.location_id AND s.origin_version = v.version)
         ORDER BY replaced_at LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &INSERT,
    &UPDATE,
    &DELETE,
    &KEEP_VERSION,
    &TAG_INSERT,
    &TAGS_DELETE,
    &ALL,
    &PAGE.older,
    &PAGE.newer,
    &PAGE_TAGGED.older,
    &PAGE_TAGGED.newer,
    &DELETE_VERSIONS,
];

/// A location's document as the API serves it, and its version.
pub struct StoredLocation {
    pub version: i64,
    pub doc: String,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Location>) -> Result<Option<StoredLocation>> {
    read(tx, &GET, owner, id).await
}

/// Returns the location as [`get`] does, and locks its row until this transaction ends.
pub async fn get_for_update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Location>,
) -> Result<Option<StoredLocation>> {
    read(tx, &GET_FOR_UPDATE, owner, id).await
}

async fn read(tx: &mut Tx<'_>, sql: &Sql, owner: Owner, id: Id<Location>) -> Result<Option<StoredLocation>> {
    let row = tx.one(sql, &[owner.into(), id.into()]).await?;
    row.map(|mut row| Ok(StoredLocation { version: row.int(0)?, doc: row.text(1)? })).transpose()
}

/// Returns a page of documents of the locations that have all of the tags.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    tags: &[String],
    start: &Start,
    limit: usize,
) -> Result<Page<String>> {
    let page = if tags.is_empty() {
        Page::read(tx, &PAGE, owner.into(), &[], start, limit).await?
    } else {
        let list = serde_json::Value::from(tags).to_string();
        let filters = [list.into(), Value::Int(tags.len() as i64)];
        Page::read(tx, &PAGE_TAGGED, owner.into(), &filters, start, limit).await?
    };
    page.try_map(|mut row| row.text(1))
}

/// Returns up to `limit` locations with their documents, oldest first.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, limit: usize) -> Result<Vec<(Id<Location>, String)>> {
    let rows = tx.all(&ALL, &[owner.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}

pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Location>,
    doc: &str,
    tags: &[String],
) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), id.into(), doc.into()]).await?;
    search_terms::insert(tx, owner, id, terms_of(doc)?.iter()).await?;
    insert_tags(tx, owner, id, tags).await
}

/// Replaces the document, and keeps the old one as a version.
pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Location>,
    old: &StoredLocation,
    doc: &str,
    tags: &[String],
    now: Timestamp,
) -> Result<()> {
    keep_version(tx, owner, id, old, now).await?;
    tx.send(&UPDATE, &[doc.into(), owner.into(), id.into()]).await?;
    tx.send(&TAGS_DELETE, &[owner.into(), id.into()]).await?;
    search_terms::replace(tx, owner, id, &terms_of(&old.doc)?, &terms_of(doc)?).await?;
    insert_tags(tx, owner, id, tags).await
}

/// Deletes the location, and keeps its last document as a version for the shipments that refer to it.
pub async fn delete(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Location>,
    old: &StoredLocation,
    now: Timestamp,
) -> Result<()> {
    keep_version(tx, owner, id, old, now).await?;
    search_terms::delete(tx, owner, id, terms_of(&old.doc)?.iter()).await?;
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

/// Returns the search terms of a location's document.
fn terms_of(doc: &str) -> Result<BTreeSet<String>> {
    let location: SearchedLocation = serde_json::from_str(doc).map_err(Error::fault)?;
    Ok(location.searched().terms())
}

async fn keep_version(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Location>,
    old: &StoredLocation,
    now: Timestamp,
) -> Result<()> {
    let values = [owner.into(), id.into(), old.version.into(), old.doc.as_str().into(), now.into()];
    tx.send(&KEEP_VERSION, &values).await
}

async fn insert_tags(tx: &mut Tx<'_>, owner: Owner, id: Id<Location>, tags: &[String]) -> Result<()> {
    for tag in tags {
        tx.send(&TAG_INSERT, &[owner.into(), tag.as_str().into(), id.into()]).await?;
    }
    Ok(())
}

/// Deletes at most `limit` versions of locations that were replaced before the given time and that no shipment refers
/// to, oldest first. Returns how many.
pub async fn delete_versions(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_VERSIONS, &[before.into(), limit.into()]).await
}
