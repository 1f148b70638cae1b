//! The event log: appended to by every write, in its own transaction; numbered without gaps; read by number.
//!
//! On SQLite the one writer numbers an event as it writes it. On PostgreSQL a counter that every transaction took
//! would make them queue for one row, so an event is written with a position only, and [`relay`] numbers what is
//! committed, in the order of positions. A transaction takes its positions while it holds its locks: of two that
//! touch the same row, the later one has the higher position and is never seen without the earlier. Readers see
//! only numbered events, and one relay runs at a time, so the numbers that they see never have a gap.

use model::event::is_known;
use model::{Event, Id, Owner, Result, Timestamp};

use crate::engine::{Row, Sql, Tx, Value};
use crate::page::{Keys, Order, Page, PageSql, Sorting, Start};

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
const GET: Sql = Sql::same(
    "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
     WHERE owner = $1 AND id = $2 AND sequence IS NOT NULL",
);
const AFTER: Sql = Sql::same(
    "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
     WHERE owner = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
);
/// `$3` is the sequence after which the list begins. Towards the new, the greater of it and the key is one bound:
/// of two, SQLite would search by one and read all that lies between.
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 ORDER BY sequence DESC LIMIT $4",
    ),
    newer: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence > max($2, $3) ORDER BY sequence LIMIT $4",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence > greatest($2::bigint, $3::bigint) ORDER BY sequence LIMIT $4",
    ),
};
const PAGE_OF_TYPE: PageSql = PageSql {
    older: Sql::same(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 AND type = $4 ORDER BY sequence DESC LIMIT $5",
    ),
    newer: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence > max($2, $3) AND type = $4 ORDER BY sequence LIMIT $5",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence > greatest($2::bigint, $3::bigint) AND type = $4
         ORDER BY sequence LIMIT $5",
    ),
};
const PAGE_OF_RESOURCE: PageSql = PageSql {
    older: Sql::same(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 AND resource_id = $4
         AND (CAST($5 AS TEXT) IS NULL OR type = $5) ORDER BY sequence DESC LIMIT $6",
    ),
    newer: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence > max($2, $3) AND resource_id = $4
         AND (CAST($5 AS TEXT) IS NULL OR type = $5) ORDER BY sequence LIMIT $6",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes FROM event
         WHERE owner = $1 AND sequence > greatest($2::bigint, $3::bigint) AND resource_id = $4
         AND (CAST($5 AS TEXT) IS NULL OR type = $5) ORDER BY sequence LIMIT $6",
    ),
};
const SPAN: Sql = Sql::same(
    "SELECT (SELECT sequence FROM event WHERE owner = $1 AND sequence > 0 ORDER BY sequence LIMIT 1),
         (SELECT sequence FROM event_head WHERE owner = $1)",
);
/// Spans organisations: every log, with the moment of its oldest event. One that is empty has none.
const LOGS: Sql = Sql::same(
    "SELECT owner, (SELECT created_at FROM event WHERE event.owner = event_head.owner AND event.sequence > 0
                    ORDER BY event.sequence LIMIT 1)
     FROM event_head WHERE owner > $1 ORDER BY owner LIMIT $2",
);
const OLDEST: Sql = Sql::same(
    "SELECT sequence, created_at FROM event WHERE owner = $1 AND sequence > 0 ORDER BY sequence LIMIT $2",
);
/// One node cleans at a time.
const CLEAN_LOCK: Sql =
    Sql::each("SELECT 1", "SELECT 1::bigint WHERE pg_try_advisory_xact_lock(4716051120335)");
const DELETE: Sql = Sql::same("DELETE FROM event WHERE owner = $1 AND sequence >= $2 AND sequence <= $3");
/// Taken where there is anything to number, and held to the end of the transaction: whoever has it numbers, whoever does
/// not leaves it to the other.
const RELAY_LOCK: Sql = Sql::each(
    "SELECT 1",
    "SELECT 1::bigint WHERE CASE
         WHEN (SELECT position FROM event WHERE sequence IS NULL ORDER BY position LIMIT 1) IS NULL THEN false
         ELSE pg_try_advisory_xact_lock(4716051120334) END",
);
/// Spans organisations: numbers the oldest events that have no number yet, and tells how many each owner had. They are
/// found once, and changed where they lie: a plan from the log's first moments would read all of it for every event.
const RELAY: Sql = Sql::each(
    "",
    "WITH batch AS (
         SELECT owner, ctid AS row, position FROM event WHERE sequence IS NULL ORDER BY position LIMIT $1
     ), ready AS (
         SELECT owner, row, row_number() OVER (PARTITION BY owner ORDER BY position) AS place FROM batch
     ), counted AS (
         SELECT owner, max(place) AS amount FROM ready GROUP BY owner
     ), head AS (
         INSERT INTO event_head AS old (owner, sequence) SELECT owner, amount FROM counted
         ON CONFLICT (owner) DO UPDATE SET sequence = old.sequence + excluded.sequence
         RETURNING owner, sequence
     ), numbered AS (
         UPDATE event SET sequence = head.sequence - counted.amount + ready.place
         FROM ready JOIN head USING (owner) JOIN counted USING (owner)
         WHERE event.ctid = ready.row
     )
     SELECT owner, amount FROM counted",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &ADVANCE,
    &INSERT,
    &GET,
    &AFTER,
    &PAGE.older,
    &PAGE.newer,
    &PAGE_OF_TYPE.older,
    &PAGE_OF_TYPE.newer,
    &PAGE_OF_RESOURCE.older,
    &PAGE_OF_RESOURCE.newer,
    &SPAN,
    &LOGS,
    &OLDEST,
    &CLEAN_LOCK,
    &DELETE,
    &RELAY_LOCK,
    &RELAY,
];

/// Events that one relay transaction numbers at most.
pub const RELAY_MAX: i64 = 2000;
/// Events that one cleaning transaction deletes at most: on SQLite, writers wait for it.
pub const DELETE_MAX: usize = 500;
/// Logs that one look for old events takes in.
pub const LOGS_MAX: usize = 1000;

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

/// What chooses events for a list.
#[derive(Clone, Default)]
pub struct Filter {
    /// Only later ones than this; then the oldest comes first.
    pub after: Option<i64>,
    pub r#type: Option<String>,
    pub resource_id: Option<String>,
}

impl Filter {
    /// Whoever follows the log wants what comes next; whoever looks at it, what was last.
    pub fn order(&self) -> Order {
        if self.after.is_some() { Order::OldestFirst } else { Order::NewestFirst }
    }
}

/// From where to where a log reaches.
pub struct Span {
    /// The oldest event that is kept, if there is any.
    pub oldest: Option<i64>,
    /// The newest there ever was.
    pub newest: i64,
}

/// What one relay numbered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relayed {
    pub count: u64,
    /// Whose logs have grown, each once.
    pub owners: Vec<Owner>,
}

/// A log, and the moment of the oldest event that is left of it.
pub struct Log {
    pub owner: Owner,
    pub oldest_at: Option<Timestamp>,
}

/// Writes an event into the transaction that it tells of. Called after the rows it tells of are locked.
pub async fn append(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Event>,
    event: &Event,
    now: Timestamp,
) -> Result<()> {
    debug_assert!(is_known(event.r#type), "{} is not in the catalogue of types", event.r#type);
    tx.send(&ADVANCE, &[owner.into()]).await?;
    let values = [
        owner.into(),
        id.into(),
        event.r#type.into(),
        event.resource_id.as_str().into(),
        now.into(),
        event.object.as_str().into(),
        event.previous_attributes.as_ref().map(ToString::to_string).into(),
    ];
    tx.send(&INSERT, &values).await
}

/// The event, once it is numbered.
pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Event>) -> Result<Option<Logged>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// The numbered events after a sequence, oldest first.
pub async fn after(tx: &mut Tx<'_>, owner: Owner, sequence: i64, limit: usize) -> Result<Vec<Logged>> {
    let rows = tx.all(&AFTER, &[owner.into(), sequence.into(), (limit as i64).into()]).await?;
    rows.into_iter().map(read).collect()
}

/// A page of the numbered events.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &Filter,
    start: &Start,
    limit: usize,
) -> Result<Page<Logged>> {
    let sorting = Sorting { keys: Keys::Number, order: filter.order() };
    let after = Value::Int(filter.after.unwrap_or(0));
    let (sql, filters) = match (&filter.resource_id, filter.r#type.as_deref()) {
        (None, None) => (&PAGE, vec![after]),
        (None, Some(r#type)) => (&PAGE_OF_TYPE, vec![after, r#type.into()]),
        (Some(id), r#type) => (&PAGE_OF_RESOURCE, vec![after, id.as_str().into(), r#type.into()]),
    };
    Page::read_sorted(tx, sql, sorting, owner.into(), &filters, start, limit).await?.try_map(read)
}

pub(crate) fn read(mut row: Row) -> Result<Logged> {
    Ok(Logged {
        sequence: row.int(0)?,
        id: row.id(1)?,
        r#type: row.text(2)?,
        resource_id: row.text(3)?,
        created_at: row.moment(4)?,
        object: row.text(5)?,
        previous_attributes: row.text_or_null(6)?,
    })
}

/// Spans organisations: up to [`LOGS_MAX`] logs, in the order of their owners, from the one after this on.
pub async fn logs(tx: &mut Tx<'_>, beyond: Option<Owner>) -> Result<Vec<Log>> {
    let beyond = beyond.map_or_else(String::new, |owner| owner.to_string());
    let rows = tx.all(&LOGS, &[beyond.into(), Value::Int(LOGS_MAX as i64)]).await?;
    rows.into_iter()
        .map(|mut row| Ok(Log { owner: row.owner(0)?, oldest_at: row.moment_or_null(1)? }))
        .collect()
}

/// Deletes up to [`DELETE_MAX`] events from the beginning of a log, as far as each is older than the moment: what is
/// left has no gap, and its numbers go on. Tells how many, or `None` where another node is at it.
pub async fn delete_old(tx: &mut Tx<'_>, owner: Owner, before: Timestamp) -> Result<Option<u64>> {
    if tx.one(&CLEAN_LOCK, &[]).await?.is_none() {
        return Ok(None);
    }
    let mut old = None;
    for mut row in tx.all(&OLDEST, &[owner.into(), Value::Int(DELETE_MAX as i64)]).await? {
        let sequence = row.int(0)?;
        if row.moment(1)? >= before {
            break;
        }
        let (first, _) = old.unwrap_or((sequence, sequence));
        old = Some((first, sequence));
    }
    let Some((first, last)) = old else { return Ok(Some(0)) };
    tx.execute(&DELETE, &[owner.into(), first.into(), last.into()]).await.map(Some)
}

/// From where to where the log reaches.
pub async fn span(tx: &mut Tx<'_>, owner: Owner) -> Result<Span> {
    let row = tx.one(&SPAN, &[owner.into()]).await?;
    row.map_or(Ok(Span { oldest: None, newest: 0 }), |mut row| {
        Ok(Span { oldest: row.int_or_null(0)?, newest: row.int_or_null(1)?.unwrap_or(0) })
    })
}

/// Numbers what is committed and not numbered yet; tells what that was. Nothing where another node is at it.
pub async fn relay(tx: &mut Tx<'_>) -> Result<Relayed> {
    let mut relayed = Relayed::default();
    if tx.one(&RELAY_LOCK, &[]).await?.is_none() {
        return Ok(relayed);
    }
    for mut row in tx.all(&RELAY, &[RELAY_MAX.into()]).await? {
        relayed.owners.push(row.owner(0)?);
        relayed.count += row.int(1)?.unsigned_abs();
    }
    Ok(relayed)
}
