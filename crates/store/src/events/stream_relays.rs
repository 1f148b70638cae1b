//! Stream relays: how far each log was sent to an external stream server, and which node holds the work.
//!
//! A node holds a relay for as long as its lease lasts, as with a webhook lane.

use model::{Owner, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, taken};
use crate::platform::suspects::{OTHERS, SUSPECTS};

/// Starts after the newest event. Clients read older state through the API when they start.
const INSERT: Sql = Sql::same(
    "INSERT INTO stream_relay (owner, cursor)
     VALUES ($1, coalesce((SELECT sequence FROM event_head h WHERE h.owner = $1), 0))
     ON CONFLICT (owner) DO NOTHING",
);
const DELETE: Sql = Sql::same("DELETE FROM stream_relay WHERE owner = $1");
/// Spans organisations. `$3` is 1 to claim suspects, and 0 to claim everything else.
const CLAIM: Sql = Sql::each(
    concat!(
        "UPDATE stream_relay SET ",
        taken!(),
        " WHERE owner IN (
         SELECT r.owner FROM stream_relay r JOIN event_head h ON h.owner = r.owner
         WHERE r.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         AND (r.crashes > 0) = ($3 = 1) AND r.cursor < h.sequence
         ORDER BY h.sequence - r.cursor LIMIT $4)
     RETURNING owner, cursor, fence, crashes"
    ),
    concat!(
        "UPDATE stream_relay SET ",
        taken!(),
        " WHERE ctid = ANY (ARRAY(
         SELECT r.ctid FROM stream_relay r JOIN event_head h ON h.owner = r.owner
         WHERE (r.crashes > 0) = ($3::bigint = 1) AND r.cursor < h.sequence
         AND r.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY h.sequence - r.cursor LIMIT $4 FOR UPDATE OF r SKIP LOCKED))
     RETURNING owner, cursor, fence, crashes"
    ),
);
const RECORD: Sql =
    Sql::same("UPDATE stream_relay SET cursor = $1, crashes = 0 WHERE owner = $2 AND fence = $3");
const RELEASE: Sql =
    Sql::same("UPDATE stream_relay SET holder = '', crashes = 0 WHERE owner = $1 AND fence = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &DELETE, &CLAIM, &RECORD, &RELEASE];

/// A relay that a node holds.
#[derive(Clone, Copy)]
pub struct Held {
    pub owner: Owner,
    /// Everything up to this sequence was sent.
    pub cursor: i64,
    pub fence: i64,
    /// The number of servers in a row that stopped while they held it.
    pub crashes: i64,
}

/// Starts to send the owner's events.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&INSERT, &[owner.into()]).await
}

/// Stops sending the owner's events.
pub async fn delete(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&DELETE, &[owner.into()]).await
}

/// Claims relays that have events to send and that no live node holds.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<Held>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), OTHERS, (limit as i64).into()]).await?;
    rows.into_iter().map(held).collect()
}

/// Claims the first suspect.
pub async fn claim_suspect(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<Option<Held>> {
    tx.one(&CLAIM, &[node.into(), now.into(), SUSPECTS, 1i64.into()]).await?.map(held).transpose()
}

fn held(mut row: Row) -> Result<Held> {
    Ok(Held { owner: row.owner(0)?, cursor: row.int(1)?, fence: row.int(2)?, crashes: row.int(3)? })
}

/// Records how far the relay has come. Returns false if another node holds it by now.
pub async fn record(tx: &mut Tx<'_>, held: Held, cursor: i64) -> Result<bool> {
    Ok(tx.execute(&RECORD, &[cursor.into(), held.owner.into(), held.fence.into()]).await? > 0)
}

/// Releases the claim.
pub async fn release(tx: &mut Tx<'_>, held: Held) -> Result<()> {
    tx.send(&RELEASE, &[held.owner.into(), held.fence.into()]).await
}
