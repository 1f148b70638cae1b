//! Streams: parts of the log, chosen by event types, many at once; and the newest sequence of each log.
//!
//! A stream may have no event for months while other streams of the same log have many. So it is read by its types:
//! each type is an index scan that stops at its limit, however many other events there are.

use model::{Owner, Result};
use serde_json::json;

use crate::events::events::{Logged, read};
use crate::platform::engine::{Row, Sql, Tx, Value};

/// The columns of an event, without its documents if these have more than `$1` bytes. Those are not even read.
macro_rules! columns {
    ($limit:literal) => {
        concat!(
            "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at,
             CASE WHEN octet_length(e.object) + coalesce(octet_length(e.previous_attributes), 0) > ",
            $limit,
            " THEN '' ELSE e.object END,
             CASE WHEN octet_length(e.object) + coalesce(octet_length(e.previous_attributes), 0) > ",
            $limit,
            " THEN NULL ELSE e.previous_attributes END, e.actor, e.actor_name "
        )
    };
}

/// `$2` lists types and sequences: `[["order.created", 7], …]`.
const AFTER: Sql = Sql::each(
    concat!(
        columns!("$1"),
        "FROM json_each($2) w CROSS JOIN event e
         WHERE e.owner = $3 AND e.id IN (
             SELECT id FROM event WHERE owner = $3 AND type = w.value ->> 0 AND sequence > w.value ->> 1
             ORDER BY sequence LIMIT $4)
         ORDER BY e.sequence"
    ),
    concat!(
        columns!("$1::bigint"),
        "FROM json_array_elements($2::text::json) w(value) CROSS JOIN LATERAL (
             SELECT * FROM event WHERE owner = $3 AND type = w.value ->> 0 AND sequence > (w.value ->> 1)::bigint
             ORDER BY sequence LIMIT $4) e
         ORDER BY e.sequence"
    ),
);
const BEFORE: Sql = Sql::each(
    concat!(
        columns!("$1"),
        "FROM json_each($2) w CROSS JOIN event e
         WHERE e.owner = $3 AND e.id IN (
             SELECT id FROM event WHERE owner = $3 AND type = w.value ->> 0 AND sequence < w.value ->> 1
             ORDER BY sequence DESC LIMIT $4)
         ORDER BY e.sequence DESC"
    ),
    concat!(
        columns!("$1::bigint"),
        "FROM json_array_elements($2::text::json) w(value) CROSS JOIN LATERAL (
             SELECT * FROM event WHERE owner = $3 AND type = w.value ->> 0 AND sequence < (w.value ->> 1)::bigint
             ORDER BY sequence DESC LIMIT $4) e
         ORDER BY e.sequence DESC"
    ),
);
const TAIL: Sql = Sql::each(
    concat!(
        columns!("$1"),
        "FROM event e WHERE e.owner = $2 AND e.sequence > $3 ORDER BY e.sequence LIMIT $4"
    ),
    concat!(
        columns!("$1::bigint"),
        "FROM event e WHERE e.owner = $2 AND e.sequence > $3 ORDER BY e.sequence LIMIT $4"
    ),
);
/// Spans organisations: the newest sequences of these logs.
const HEADS: Sql = Sql::each(
    "SELECT owner, sequence FROM event_head WHERE owner IN (SELECT value FROM json_each($1))",
    "SELECT owner, sequence FROM event_head
     WHERE owner IN (SELECT json_array_elements_text($1::text::json))",
);
const HEAD: Sql = Sql::same("SELECT sequence FROM event_head WHERE owner = $1");

pub(crate) const STATEMENTS: &[&Sql] = &[&AFTER, &BEFORE, &TAIL, &HEADS, &HEAD];

/// An event type, and the sequence after or before which its events are read.
pub type Wanted = (&'static str, i64);

/// How much of a log to read at once.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Events. If types are named, this many of each type.
    pub events: usize,
    /// Bytes of all events together.
    pub bytes: usize,
    /// Bytes of one event's documents. The documents of a larger event are left out: its `object` is an empty text.
    pub event_bytes: usize,
}

/// Consecutive events of a log.
#[derive(Default)]
pub struct Part {
    pub events: Vec<Logged>,
    /// Whether the bound on bytes was reached, so that there may be more.
    pub is_cut: bool,
}

/// Returns the events after these sequences, oldest first.
pub async fn after(tx: &mut Tx<'_>, owner: Owner, from: &[Wanted], bounds: Bounds) -> Result<Part> {
    of_types(tx, &AFTER, owner, from, bounds).await
}

/// Returns the events before these sequences, newest first.
pub async fn before(tx: &mut Tx<'_>, owner: Owner, from: &[Wanted], bounds: Bounds) -> Result<Part> {
    of_types(tx, &BEFORE, owner, from, bounds).await
}

/// Returns the events of all types after a sequence, oldest first.
pub async fn tail(tx: &mut Tx<'_>, owner: Owner, sequence: i64, bounds: Bounds) -> Result<Part> {
    some(tx, &TAIL, [owner.into(), sequence.into()], bounds).await
}

async fn of_types(tx: &mut Tx<'_>, sql: &Sql, owner: Owner, from: &[Wanted], bounds: Bounds) -> Result<Part> {
    if from.is_empty() || bounds.events == 0 {
        return Ok(Part::default());
    }
    some(tx, sql, [json!(from).to_string().into(), owner.into()], bounds).await
}

async fn some(tx: &mut Tx<'_>, sql: &Sql, of: [Value; 2], bounds: Bounds) -> Result<Part> {
    let int = |number: usize| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let [first, second] = of;
    let values = [int(bounds.event_bytes), first, second, int(bounds.events)];
    let rows = tx.some(sql, &values, bounds.bytes).await?;
    let is_cut = rows.iter().map(Row::bytes).sum::<usize>() > bounds.bytes;
    Ok(Part { events: rows.into_iter().map(read).collect::<Result<_>>()?, is_cut })
}

/// Returns the newest sequence of a log, or zero if it has no event.
pub async fn head(tx: &mut Tx<'_>, owner: Owner) -> Result<i64> {
    tx.one(&HEAD, &[owner.into()]).await?.map_or(Ok(0), |mut row| row.int(0))
}

/// Spans organisations: returns the newest sequence of each of these logs that has one.
pub async fn heads(tx: &mut Tx<'_>, owners: &[Owner]) -> Result<Vec<(Owner, i64)>> {
    let names: Vec<String> = owners.iter().map(ToString::to_string).collect();
    let rows = tx.all(&HEADS, &[json!(names).to_string().into()]).await?;
    rows.into_iter().map(|mut row| Ok((row.owner(0)?, row.int(1)?))).collect()
}
