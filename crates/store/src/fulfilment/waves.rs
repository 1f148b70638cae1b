//! Waves, and their claims: one node works on a wave at a time.

use model::fulfilment::wave::{Status, Wave};
use model::{Id, Owner, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};
use crate::shipping::documents::{self, papers_subject};

/// SQLite has one writer, and needs no lock.
const LOCK_ALL: Sql =
    Sql::each("", "SELECT 1::bigint FROM pg_advisory_xact_lock(hashtextextended($1, 7302844019256))");
const GET: Sql =
    Sql::same("SELECT version, fence, done_to, told_at, doc FROM wave WHERE owner = $1 AND id = $2");
const GET_FOR_UPDATE: Sql = Sql::each(
    "SELECT version, fence, done_to, told_at, doc FROM wave WHERE owner = $1 AND id = $2",
    "SELECT version, fence, done_to, told_at, doc FROM wave WHERE owner = $1 AND id = $2 FOR UPDATE",
);
const RULES: Sql = Sql::same("SELECT rules FROM wave WHERE owner = $1 AND id = $2");
const INSERT: Sql = Sql::same(
    "INSERT INTO wave (owner, id, version, status, rules, told_at, due_at, doc) VALUES ($1, $2, 1, $3, $4, $5, $6, $7)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE wave SET version = version + 1, status = $1, done_to = $2, told_at = $3, ended_at = $4, doc = $5
     WHERE owner = $6 AND id = $7",
);
const RESUME: Sql = Sql::same(
    "UPDATE wave SET rules = $1, due_at = $2, fence = fence + 1, holder = '' WHERE owner = $3 AND id = $4",
);
const WAKE: Sql =
    Sql::same("UPDATE wave SET due_at = $1 WHERE owner = $2 AND id = $3 AND due_at IS NOT NULL");
/// Spans organisations.
const ANY_DUE: Sql = Sql::same(
    "SELECT fence FROM wave WHERE due_at <= $1
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
/// Spans organisations.
const CLAIM: Sql = Sql::each(
    "UPDATE wave SET holder = $1, fence = fence + 1 WHERE (owner, id) IN (
         SELECT w.owner, w.id FROM wave w WHERE w.due_at <= $2
         AND w.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY w.due_at LIMIT $3)
     RETURNING owner, id, fence",
    "UPDATE wave SET holder = $1, fence = fence + 1 WHERE ctid = ANY (ARRAY(
         SELECT w.ctid FROM wave w WHERE w.due_at <= $2
         AND w.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY w.due_at LIMIT $3 FOR UPDATE OF w SKIP LOCKED))
     RETURNING owner, id, fence",
);
const RELEASE: Sql = Sql::same(
    "UPDATE wave SET holder = '', due_at = $1 WHERE owner = $2 AND id = $3 AND fence = $4 AND holder <> ''",
);
/// Spans organisations. Waves whose orders and batches are deleted already.
const DELETE_ENDED: Sql = Sql::each(
    "DELETE FROM wave WHERE (owner, id) IN (SELECT owner, id FROM wave WHERE ended_at < $1 ORDER BY ended_at LIMIT $2)
     AND NOT EXISTS (SELECT 1 FROM wave_order o WHERE o.owner = wave.owner AND o.wave_id = wave.id)
     AND NOT EXISTS (SELECT 1 FROM wave_batch b WHERE b.owner = wave.owner AND b.wave_id = wave.id)
     RETURNING owner, id",
    "DELETE FROM wave WHERE ctid = ANY (ARRAY(SELECT ctid FROM wave WHERE ended_at < $1 ORDER BY ended_at LIMIT $2))
     AND NOT EXISTS (SELECT 1 FROM wave_order o WHERE o.owner = wave.owner AND o.wave_id = wave.id)
     AND NOT EXISTS (SELECT 1 FROM wave_batch b WHERE b.owner = wave.owner AND b.wave_id = wave.id)
     RETURNING owner, id",
);
const ALL: PageSql = PageSql {
    older: Sql::same("SELECT id, doc FROM wave WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
    newer: Sql::same("SELECT id, doc FROM wave WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};
const OF_STATUS: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, doc FROM wave WHERE owner = $1 AND id < $2 AND status = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, doc FROM wave WHERE owner = $1 AND id > $2 AND status = $3 ORDER BY id LIMIT $4",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LOCK_ALL,
    &GET,
    &GET_FOR_UPDATE,
    &RULES,
    &INSERT,
    &UPDATE,
    &RESUME,
    &WAKE,
    &ANY_DUE,
    &CLAIM,
    &RELEASE,
    &DELETE_ENDED,
    &ALL.older,
    &ALL.newer,
    &OF_STATUS.older,
    &OF_STATUS.newer,
];

/// A wave's document as the API serves it, and what is kept beside it.
pub struct StoredWave {
    pub version: i64,
    /// The claim under which it is worked on.
    pub fence: i64,
    /// The last position up to which no order waits.
    pub done_to: i64,
    /// When its progress was last told.
    pub told_at: Timestamp,
    pub doc: String,
}

/// A node's claim of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaveClaim {
    pub owner: Owner,
    pub wave: Id<Wave>,
    pub fence: i64,
}

/// Keeps others from starting or resuming waves of the owner until this transaction ends.
pub async fn lock_all(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&LOCK_ALL, &[owner.into()]).await
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Wave>) -> Result<Option<StoredWave>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

pub async fn get_for_update(tx: &mut Tx<'_>, owner: Owner, id: Id<Wave>) -> Result<Option<StoredWave>> {
    tx.one(&GET_FOR_UPDATE, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns the shipping rules of a wave as JSON.
pub async fn rules(tx: &mut Tx<'_>, owner: Owner, id: Id<Wave>) -> Result<Option<String>> {
    tx.one(&RULES, &[owner.into(), id.into()]).await?.map(|mut row| row.text(0)).transpose()
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

/// Inserts a wave that is due at once.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, wave: &Wave, rules: &str, doc: &str) -> Result<()> {
    let now = wave.created_at;
    let values = [
        owner.into(),
        wave.id.into(),
        wave.status.as_str().into(),
        rules.into(),
        now.into(),
        now.into(),
        doc.into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Writes a locked wave that has changed.
pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: &Wave,
    done_to: i64,
    told_at: Timestamp,
    doc: &str,
) -> Result<()> {
    let values = [
        wave.status.as_str().into(),
        done_to.into(),
        told_at.into(),
        wave.ended_at.into(),
        doc.into(),
        owner.into(),
        wave.id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

/// Makes a wave due again that had ended, with the rules as they are now.
pub async fn resume(tx: &mut Tx<'_>, owner: Owner, id: Id<Wave>, rules: &str, now: Timestamp) -> Result<()> {
    tx.send(&RESUME, &[rules.into(), now.into(), owner.into(), id.into()]).await
}

/// Has a node look at the wave soon, unless the wave has ended.
pub async fn wake(tx: &mut Tx<'_>, owner: Owner, id: Id<Wave>, now: Timestamp) -> Result<()> {
    tx.send(&WAKE, &[now.into(), owner.into(), id.into()]).await
}

/// Spans organisations: returns whether there is a due wave that no living node holds.
pub async fn any_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_DUE, &[now.into()]).await?.is_some())
}

/// Spans organisations: claims due waves, the one that waits longest first.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<WaveClaim>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter()
        .map(|mut row| Ok(WaveClaim { owner: row.owner(0)?, wave: row.id(1)?, fence: row.int(2)? }))
        .collect()
}

/// Releases a claim, unless it is lost. The wave is due again at this time; `None` if it has ended.
pub async fn release(tx: &mut Tx<'_>, claim: &WaveClaim, due_at: Option<Timestamp>) -> Result<()> {
    let values = [due_at.into(), claim.owner.into(), claim.wave.into(), claim.fence.into()];
    tx.send(&RELEASE, &values).await
}

/// Spans organisations: deletes waves that ended before the moment and whose orders and batches are deleted, with their papers.
pub async fn delete_ended(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    let rows = tx.all(&DELETE_ENDED, &[before.into(), limit.into()]).await?;
    let deleted = rows.len() as u64;
    for mut row in rows {
        let (owner, id): (Owner, Id<Wave>) = (row.owner(0)?, row.id(1)?);
        documents::delete_of_subject(tx, owner, &papers_subject(&id.to_string())).await?;
    }
    Ok(deleted)
}

fn read(mut row: Row) -> Result<StoredWave> {
    Ok(StoredWave {
        version: row.int(0)?,
        fence: row.int(1)?,
        done_to: row.int(2)?,
        told_at: row.moment(3)?,
        doc: row.text(4)?,
    })
}
