//! Streams: parts of the log by the types of their events, many at once; and how far logs have come.
//!
//! A stream may be quiet for months while others of the same log are not, so it is found by its types: each is a walk
//! along an index that stops at its limit, however much else happened.

use model::{Owner, Result};
use serde_json::json;

use crate::engine::{Sql, Tx};
use crate::events::{Logged, read};

/// `$1` names types and places in the log: `[["order.created", 7], …]`.
const AFTER: Sql = Sql::each(
    "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at, e.object, e.previous_attributes
     FROM json_each($1) w CROSS JOIN event e
     WHERE e.owner = $2 AND e.id IN (
         SELECT id FROM event WHERE owner = $2 AND type = w.value ->> 0 AND sequence > w.value ->> 1
         ORDER BY sequence LIMIT $3)
     ORDER BY e.sequence",
    "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at, e.object, e.previous_attributes
     FROM json_array_elements($1::text::json) w(value) CROSS JOIN LATERAL (
         SELECT * FROM event WHERE owner = $2 AND type = w.value ->> 0 AND sequence > (w.value ->> 1)::bigint
         ORDER BY sequence LIMIT $3) e
     ORDER BY e.sequence",
);
const BEFORE: Sql = Sql::each(
    "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at, e.object, e.previous_attributes
     FROM json_each($1) w CROSS JOIN event e
     WHERE e.owner = $2 AND e.id IN (
         SELECT id FROM event WHERE owner = $2 AND type = w.value ->> 0 AND sequence < w.value ->> 1
         ORDER BY sequence DESC LIMIT $3)
     ORDER BY e.sequence DESC",
    "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at, e.object, e.previous_attributes
     FROM json_array_elements($1::text::json) w(value) CROSS JOIN LATERAL (
         SELECT * FROM event WHERE owner = $2 AND type = w.value ->> 0 AND sequence < (w.value ->> 1)::bigint
         ORDER BY sequence DESC LIMIT $3) e
     ORDER BY e.sequence DESC",
);
/// Spans organisations: how far these logs have come.
const HEADS: Sql = Sql::each(
    "SELECT owner, sequence FROM event_head WHERE owner IN (SELECT value FROM json_each($1))",
    "SELECT owner, sequence FROM event_head
     WHERE owner IN (SELECT json_array_elements_text($1::text::json))",
);
const HEAD: Sql = Sql::same("SELECT sequence FROM event_head WHERE owner = $1");

pub(crate) const STATEMENTS: &[&Sql] = &[&AFTER, &BEFORE, &HEADS, &HEAD];

/// A type of event, and the place in the log from which its events are wanted.
pub type Wanted = (&'static str, i64);

/// The events after these places, each type's up to the limit, the oldest first.
pub async fn after(tx: &mut Tx<'_>, owner: Owner, from: &[Wanted], limit: usize) -> Result<Vec<Logged>> {
    some(tx, &AFTER, owner, from, limit).await
}

/// The events before these places, each type's up to the limit, the newest first.
pub async fn before(tx: &mut Tx<'_>, owner: Owner, from: &[Wanted], limit: usize) -> Result<Vec<Logged>> {
    some(tx, &BEFORE, owner, from, limit).await
}

async fn some(
    tx: &mut Tx<'_>,
    sql: &Sql,
    owner: Owner,
    from: &[Wanted],
    limit: usize,
) -> Result<Vec<Logged>> {
    if from.is_empty() || limit == 0 {
        return Ok(Vec::new());
    }
    let values = [json!(from).to_string().into(), owner.into(), (limit as i64).into()];
    tx.all(sql, &values).await?.into_iter().map(read).collect()
}

/// The newest sequence of a log; zero where nothing happened yet.
pub async fn head(tx: &mut Tx<'_>, owner: Owner) -> Result<i64> {
    tx.one(&HEAD, &[owner.into()]).await?.map_or(Ok(0), |mut row| row.int(0))
}

/// Spans organisations: the newest sequence of each of these logs that has one.
pub async fn heads(tx: &mut Tx<'_>, owners: &[Owner]) -> Result<Vec<(Owner, i64)>> {
    let names: Vec<String> = owners.iter().map(ToString::to_string).collect();
    let rows = tx.all(&HEADS, &[json!(names).to_string().into()]).await?;
    rows.into_iter().map(|mut row| Ok((row.owner(0)?, row.int(1)?))).collect()
}
