//! How far each log was handed to an external server of streams, and which node is at it.
//!
//! A relay belongs to the node that holds it for as long as that node lives, as a webhook's lane does.

use model::{Owner, Result, Timestamp};

use crate::engine::{Sql, Tx};

/// It starts behind the newest event there is: what was before, clients read when they start.
const INSERT: Sql = Sql::same(
    "INSERT INTO stream_relay (owner, cursor)
     VALUES ($1, coalesce((SELECT sequence FROM event_head h WHERE h.owner = $1), 0))
     ON CONFLICT (owner) DO NOTHING",
);
const DELETE: Sql = Sql::same("DELETE FROM stream_relay WHERE owner = $1");
/// Spans organisations.
const CLAIM: Sql = Sql::each(
    "UPDATE stream_relay SET holder = $1, fence = fence + 1
     WHERE owner IN (
         SELECT r.owner FROM stream_relay r JOIN event_head h ON h.owner = r.owner
         WHERE r.cursor < h.sequence AND r.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY h.sequence - r.cursor LIMIT $3)
     RETURNING owner, cursor, fence",
    "UPDATE stream_relay SET holder = $1, fence = stream_relay.fence + 1 FROM (
         SELECT r.owner FROM stream_relay r JOIN event_head h ON h.owner = r.owner
         WHERE r.cursor < h.sequence AND r.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY h.sequence - r.cursor LIMIT $3 FOR UPDATE OF r SKIP LOCKED) due
     WHERE stream_relay.owner = due.owner
     RETURNING stream_relay.owner, stream_relay.cursor, stream_relay.fence",
);
const RECORD: Sql = Sql::same("UPDATE stream_relay SET cursor = $1 WHERE owner = $2 AND fence = $3");
const RELEASE: Sql = Sql::same("UPDATE stream_relay SET holder = '' WHERE owner = $1 AND fence = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &DELETE, &CLAIM, &RECORD, &RELEASE];

/// A log that a node hands on.
#[derive(Clone, Copy)]
pub struct Held {
    pub owner: Owner,
    /// Everything up to this sequence was handed on.
    pub cursor: i64,
    pub fence: i64,
}

/// From now on, the owner's events are handed on.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&INSERT, &[owner.into()]).await
}

/// No longer.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&DELETE, &[owner.into()]).await
}

/// Takes logs that have something to hand on, and that no living node is at.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<Held>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), (limit as i64).into()]).await?;
    let held = |mut row: crate::engine::Row| {
        Ok(Held { owner: row.owner(0)?, cursor: row.int(1)?, fence: row.int(2)? })
    };
    rows.into_iter().map(held).collect()
}

/// Writes down how far it came; false where another node holds it by now.
pub async fn record(tx: &mut Tx<'_>, held: Held, cursor: i64) -> Result<bool> {
    Ok(tx.execute(&RECORD, &[cursor.into(), held.owner.into(), held.fence.into()]).await? > 0)
}

/// Gives it back.
pub async fn release(tx: &mut Tx<'_>, held: Held) -> Result<()> {
    tx.send(&RELEASE, &[held.owner.into(), held.fence.into()]).await
}
