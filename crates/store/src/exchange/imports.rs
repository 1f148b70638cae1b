//! Imports, and their claims: one node works on an import at a time.

use model::exchange::import::{Import, Status};
use model::{Id, Owner, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};

const GET: Sql = Sql::same(
    "SELECT version, fence, told_at, place, position, row_number, doc FROM import WHERE owner = $1 AND id = $2",
);
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT version, fence, told_at, place, position, row_number, doc FROM import WHERE owner = $1 AND id = $2",
    "SELECT version, fence, told_at, place, position, row_number, doc FROM import WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const INSERT: Sql = Sql::same(
    "INSERT INTO import (owner, id, version, status, place, told_at, due_at, doc) VALUES ($1, $2, 1, $3, $4, $5, $6, $7)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE import SET version = version + 1, status = $1, position = $2, row_number = $3, told_at = $4, ended_at = $5, doc = $6
     WHERE owner = $7 AND id = $8",
);
const RECEIVE: Sql = Sql::same("UPDATE import SET place = $1, due_at = $2 WHERE owner = $3 AND id = $4");
const WAKE: Sql =
    Sql::same("UPDATE import SET due_at = $1 WHERE owner = $2 AND id = $3 AND due_at IS NOT NULL");
const FORGET_FILE: Sql =
    Sql::same("UPDATE import SET place = NULL WHERE owner = $1 AND id = $2 AND fence = $3");
/// Spans organisations.
const ANY_DUE: Sql = Sql::same(
    "SELECT fence FROM import WHERE due_at <= $1
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
/// Spans organisations.
const CLAIM: Sql = Sql::each(
    "UPDATE import SET holder = $1, fence = fence + 1 WHERE (owner, id) IN (
         SELECT i.owner, i.id FROM import i WHERE i.due_at <= $2
         AND i.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY i.due_at LIMIT $3)
     RETURNING owner, id, fence",
    "UPDATE import SET holder = $1, fence = fence + 1 WHERE ctid = ANY (ARRAY(
         SELECT i.ctid FROM import i WHERE i.due_at <= $2
         AND i.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY i.due_at LIMIT $3 FOR UPDATE OF i SKIP LOCKED))
     RETURNING owner, id, fence",
);
/// Spans organisations: a backup has the files of all. An ended import needs its file no more, although its place stays until the file
/// is deleted.
const PLACES: Sql = Sql::each(
    "SELECT place FROM import WHERE due_at IS NOT NULL AND ended_at IS NULL AND place IS NOT NULL",
    "",
);
const RELEASE: Sql = Sql::same(
    "UPDATE import SET holder = '', due_at = $1 WHERE owner = $2 AND id = $3 AND fence = $4 AND holder <> ''",
);
/// Spans organisations. Imports whose errors and rows are deleted already.
const DELETE_ENDED: Sql = Sql::each(
    "DELETE FROM import WHERE (owner, id) IN (
         SELECT owner, id FROM import WHERE ended_at < $1 AND place IS NULL ORDER BY ended_at LIMIT $2)
     AND NOT EXISTS (SELECT 1 FROM import_error e WHERE e.owner = import.owner AND e.import_id = import.id)
     AND NOT EXISTS (SELECT 1 FROM import_failed_row r WHERE r.owner = import.owner AND r.import_id = import.id)",
    "DELETE FROM import WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM import WHERE ended_at < $1 AND place IS NULL ORDER BY ended_at LIMIT $2))
     AND NOT EXISTS (SELECT 1 FROM import_error e WHERE e.owner = import.owner AND e.import_id = import.id)
     AND NOT EXISTS (SELECT 1 FROM import_failed_row r WHERE r.owner = import.owner AND r.import_id = import.id)",
);
const ALL: PageSql = PageSql {
    older: Sql::same("SELECT id, doc FROM import WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
    newer: Sql::same("SELECT id, doc FROM import WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};
const OF_STATUS: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, doc FROM import WHERE owner = $1 AND id < $2 AND status = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, doc FROM import WHERE owner = $1 AND id > $2 AND status = $3 ORDER BY id LIMIT $4",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &GET_FOR_UPDATE,
    &INSERT,
    &UPDATE,
    &RECEIVE,
    &WAKE,
    &FORGET_FILE,
    &ANY_DUE,
    &CLAIM,
    &PLACES,
    &RELEASE,
    &DELETE_ENDED,
    &ALL.older,
    &ALL.newer,
    &OF_STATUS.older,
    &OF_STATUS.newer,
];

/// An import's document as the API serves it, and what is kept beside it.
#[derive(Clone)]
pub struct StoredImport {
    pub version: i64,
    /// The claim under which it is worked on.
    pub fence: i64,
    /// When its progress was last told.
    pub told_at: Timestamp,
    /// Where its file is.
    pub place: Option<String>,
    pub progress: Progress,
    pub doc: String,
}

/// How far the file of an import is worked off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes from the beginning. 0 if not even the header was read.
    pub position: i64,
    /// The number of the last row.
    pub row_number: i64,
}

/// A node's claim of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportClaim {
    pub owner: Owner,
    pub import: Id<Import>,
    pub fence: i64,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Import>) -> Result<Option<StoredImport>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner, id: Id<Import>) -> Result<Option<StoredImport>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    status: Option<Status>,
    start: &Start,
    limit: usize,
) -> Result<Page<String>> {
    let (sql, filters): (&PageSql, Vec<Value>) = match status {
        None => (&ALL, Vec::new()),
        Some(status) => (&OF_STATUS, vec![status.as_str().into()]),
    };
    Page::read(tx, sql, owner.into(), &filters, start, limit).await?.try_map(|mut row| row.text(1))
}

/// Returns the places of the files that imports of all organisations have still to read.
pub async fn places(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let rows = tx.all(&PLACES, &[]).await?;
    rows.into_iter().map(|mut row| row.text(0)).collect()
}

/// Inserts an import, with the place of its file if it has one. It is due at this moment.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    import: &Import,
    place: Option<&str>,
    due_at: Timestamp,
    doc: &str,
) -> Result<()> {
    let values = [
        owner.into(),
        import.id.into(),
        import.status.as_str().into(),
        place.into(),
        import.created_at.into(),
        due_at.into(),
        doc.into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Writes a locked import that has changed.
pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    import: &Import,
    progress: Progress,
    told_at: Timestamp,
    doc: &str,
) -> Result<()> {
    let values = [
        import.status.as_str().into(),
        progress.position.into(),
        progress.row_number.into(),
        told_at.into(),
        import.ended_at.into(),
        doc.into(),
        owner.into(),
        import.id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

/// Records where the file of an import is. Work on it is due.
pub async fn receive(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Import>,
    place: &str,
    now: Timestamp,
) -> Result<()> {
    tx.send(&RECEIVE, &[place.into(), now.into(), owner.into(), id.into()]).await
}

/// Has a node look at the import soon, unless nothing is left to do.
pub async fn wake(tx: &mut Tx<'_>, owner: Owner, id: Id<Import>, now: Timestamp) -> Result<()> {
    tx.send(&WAKE, &[now.into(), owner.into(), id.into()]).await
}

/// Records that the file of an import is deleted.
pub async fn forget_file(tx: &mut Tx<'_>, claim: &ImportClaim) -> Result<()> {
    tx.send(&FORGET_FILE, &[claim.owner.into(), claim.import.into(), claim.fence.into()]).await
}

/// Spans organisations: returns whether there is a due import that no living node holds.
pub async fn any_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_DUE, &[now.into()]).await?.is_some())
}

/// Spans organisations: claims due imports, the one that waits longest first.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<ImportClaim>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter()
        .map(|mut row| Ok(ImportClaim { owner: row.owner(0)?, import: row.id(1)?, fence: row.int(2)? }))
        .collect()
}

/// Releases a claim, unless it is lost. The import is due again at this time; `None` if nothing is left to do.
pub async fn release(tx: &mut Tx<'_>, claim: &ImportClaim, due_at: Option<Timestamp>) -> Result<()> {
    let values = [due_at.into(), claim.owner.into(), claim.import.into(), claim.fence.into()];
    tx.send(&RELEASE, &values).await
}

/// Spans organisations: deletes imports that ended before the moment and whose errors and rows are deleted.
pub async fn delete_ended(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_ENDED, &[before.into(), limit.into()]).await
}

fn read(mut row: Row) -> Result<StoredImport> {
    Ok(StoredImport {
        version: row.int(0)?,
        fence: row.int(1)?,
        told_at: row.moment(2)?,
        place: row.text_or_null(3)?,
        progress: Progress { position: row.int(4)?, row_number: row.int(5)? },
        doc: row.text(6)?,
    })
}
