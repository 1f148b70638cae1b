//! The event log: appended to by every write, in its own transaction; numbered without gaps; read by number.
//!
//! On SQLite the one writer numbers an event as it writes it. On PostgreSQL a counter that every transaction took
//! would make them queue for one row, so an event is written with a position only, and [`relay`] numbers what is
//! committed, in the order of positions. A transaction takes its positions while it holds its locks: of two that
//! touch the same row, the later one has the higher position and is never seen without the earlier. Readers see
//! only numbered events, and one relay runs at a time, so the numbers that they see never have a gap.

use model::{Event, Id, Owner, Result, Timestamp};

use crate::engine::{Sql, Tx};

/// Takes the next number, where events are numbered as they are written.
const ADVANCE: Sql = Sql::each(
    "INSERT INTO event_head (owner, sequence) VALUES ($1, 1)
     ON CONFLICT (owner) DO UPDATE SET sequence = sequence + 1",
    "",
);
const INSERT: Sql = Sql::each(
    "INSERT INTO event (owner, id, type, resource_id, created_at, object, previous_attributes, sequence, position)
     SELECT $1, $2, $3, $4, $5, $6, $7, sequence, sequence FROM event_head WHERE owner = $1",
    "INSERT INTO event (owner, id, type, resource_id, created_at, object, previous_attributes)
     VALUES ($1, $2, $3, $4, $5, $6, $7)",
);
const AFTER: Sql = Sql::same(
    "SELECT id, sequence, type, resource_id, created_at, object, previous_attributes FROM event
     WHERE owner = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
);
/// Held to the end of the transaction: whoever has it numbers, whoever does not leaves it to the other. And what is
/// numbered is planned anew each time: the log grows from nothing to millions while a connection lives, and a plan
/// kept from its first moments reads all of it for every event.
const RELAY_LOCK: Sql = Sql::each(
    "SELECT 1",
    "SELECT 1::bigint WHERE pg_try_advisory_xact_lock(4716051120334)
     AND set_config('plan_cache_mode', 'force_custom_plan', true) <> ''",
);
/// Spans organisations: numbers the oldest events that have no number yet.
const RELAY: Sql = Sql::each(
    "",
    "WITH batch AS (
         SELECT owner, id, position FROM event WHERE sequence IS NULL ORDER BY position LIMIT $1
     ), ready AS (
         SELECT owner, id, row_number() OVER (PARTITION BY owner ORDER BY position) AS place FROM batch
     ), counted AS (
         SELECT owner, max(place) AS amount FROM ready GROUP BY owner
     ), head AS (
         INSERT INTO event_head AS old (owner, sequence) SELECT owner, amount FROM counted
         ON CONFLICT (owner) DO UPDATE SET sequence = old.sequence + excluded.sequence
         RETURNING owner, sequence
     )
     UPDATE event SET sequence = head.sequence - counted.amount + ready.place
     FROM ready JOIN head USING (owner) JOIN counted USING (owner)
     WHERE event.owner = ready.owner AND event.id = ready.id",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&ADVANCE, &INSERT, &AFTER, &RELAY_LOCK, &RELAY];

/// Events that one relay transaction numbers at most.
pub const RELAY_MAX: i64 = 2000;

/// An event of the log.
pub struct Logged {
    pub id: Id<Event>,
    pub sequence: i64,
    pub r#type: String,
    pub resource_id: String,
    pub created_at: Timestamp,
    pub object: String,
    pub previous_attributes: Option<String>,
}

/// Writes an event into the transaction that it tells of. Called after the rows it tells of are locked.
pub async fn append(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Event>,
    event: &Event,
    now: Timestamp,
) -> Result<()> {
    tx.execute(&ADVANCE, &[owner.into()]).await?;
    let values = [
        owner.into(),
        id.into(),
        event.r#type.into(),
        event.resource_id.as_str().into(),
        now.into(),
        event.object.as_str().into(),
        event.previous_attributes.as_ref().map(ToString::to_string).into(),
    ];
    tx.execute(&INSERT, &values).await.map(drop)
}

/// The numbered events after a sequence, oldest first.
pub async fn after(tx: &mut Tx<'_>, owner: Owner, sequence: i64, limit: usize) -> Result<Vec<Logged>> {
    let rows = tx.all(&AFTER, &[owner.into(), sequence.into(), (limit as i64).into()]).await?;
    rows.into_iter()
        .map(|mut row| {
            Ok(Logged {
                id: row.id(0)?,
                sequence: row.int(1)?,
                r#type: row.text(2)?,
                resource_id: row.text(3)?,
                created_at: row.moment(4)?,
                object: row.text(5)?,
                previous_attributes: row.text_or_null(6)?,
            })
        })
        .collect()
}

/// Numbers what is committed and not numbered yet; tells how many, or `None` where another node is at it.
pub async fn relay(tx: &mut Tx<'_>) -> Result<Option<u64>> {
    match tx.one(&RELAY_LOCK, &[]).await? {
        Some(_) => tx.execute(&RELAY, &[RELAY_MAX.into()]).await.map(Some),
        None => Ok(None),
    }
}
