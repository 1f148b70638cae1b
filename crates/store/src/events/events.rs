//! The event log: every write appends to it in its own transaction. Events are numbered without gaps, and read by
//! number.
//!
//! On SQLite the one writer numbers an event as it writes it. On PostgreSQL, a counter that every transaction takes
//! would make them queue for one row. So an event is written with a position only, and [`crate::events::relay`] numbers
//! committed events in the order of positions. A transaction takes its positions while it holds its locks: of two
//! that touch the same row, the later one has the higher position and is never visible without the earlier. Readers
//! see only numbered events, and one relay runs at a time, so the numbers that they see never have a gap.

use model::events::actor::Actor;
use model::events::event::is_known;
use model::{Event, Id, Owner, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{Keys, Order, Page, PageSql, Sorting, Start};

/// Takes the next number on SQLite, where events are numbered as they are written.
const ADVANCE: Sql = Sql::each(
    "INSERT INTO event_head (owner, sequence) VALUES ($1, 1)
     ON CONFLICT (owner) DO UPDATE SET sequence = sequence + 1",
    "",
);
const INSERT: Sql = Sql::each(
    "INSERT INTO event (owner, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name, sequence, position)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, sequence, sequence FROM event_head WHERE owner = $1",
    "INSERT INTO event (owner, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
);
const GET: Sql = Sql::same(
    "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
     WHERE owner = $1 AND id = $2 AND sequence IS NOT NULL",
);
const AFTER: Sql = Sql::same(
    "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
     WHERE owner = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
);
/// `$3` is the sequence after which the list begins. Towards newer events, the greater of `$3` and the key is the
/// only bound: with two bounds, SQLite would search by one and read all rows up to the other.
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 ORDER BY sequence DESC LIMIT $4",
    ),
    newer: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > max($2, $3) ORDER BY sequence LIMIT $4",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > greatest($2::bigint, $3::bigint) ORDER BY sequence LIMIT $4",
    ),
};
const PAGE_OF_TYPE: PageSql = PageSql {
    older: Sql::same(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 AND type = $4 ORDER BY sequence DESC LIMIT $5",
    ),
    newer: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > max($2, $3) AND type = $4 ORDER BY sequence LIMIT $5",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > greatest($2::bigint, $3::bigint) AND type = $4
         ORDER BY sequence LIMIT $5",
    ),
};
const PAGE_OF_RESOURCE: PageSql = PageSql {
    older: Sql::same(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 AND resource_id = $4
         AND (CAST($5 AS TEXT) IS NULL OR type = $5) ORDER BY sequence DESC LIMIT $6",
    ),
    newer: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > max($2, $3) AND resource_id = $4
         AND (CAST($5 AS TEXT) IS NULL OR type = $5) ORDER BY sequence LIMIT $6",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > greatest($2::bigint, $3::bigint) AND resource_id = $4
         AND (CAST($5 AS TEXT) IS NULL OR type = $5) ORDER BY sequence LIMIT $6",
    ),
};
/// As `PAGE`, for the types in `$4`, a JSON array. Each type is read by its index up to the limit, so that a caller
/// that may see few types does not read all events in between.
const PAGE_OF_TYPES: PageSql = PageSql {
    older: Sql::each(
        "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at, e.object, e.previous_attributes, e.actor, e.actor_name
         FROM (SELECT $1 AS owner, $2 AS bound, $3 AS floor) w CROSS JOIN json_each($4) t
         CROSS JOIN event e ON e.rowid IN (
             SELECT rowid FROM event WHERE owner = w.owner AND type = t.value
             AND sequence < w.bound AND sequence > w.floor ORDER BY sequence DESC LIMIT $5)
         ORDER BY e.sequence DESC LIMIT $5",
        "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at, e.object, e.previous_attributes, e.actor, e.actor_name
         FROM json_array_elements_text($4::text::json) t (name) CROSS JOIN LATERAL (
             SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
             WHERE owner = $1 AND type = t.name AND sequence < $2 AND sequence > $3
             ORDER BY sequence DESC LIMIT $5) e
         ORDER BY e.sequence DESC LIMIT $5",
    ),
    newer: Sql::each(
        "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at, e.object, e.previous_attributes, e.actor, e.actor_name
         FROM (SELECT $1 AS owner, $2 AS bound, $3 AS floor) w CROSS JOIN json_each($4) t
         CROSS JOIN event e ON e.rowid IN (
             SELECT rowid FROM event WHERE owner = w.owner AND type = t.value
             AND sequence > max(w.bound, w.floor) ORDER BY sequence LIMIT $5)
         ORDER BY e.sequence LIMIT $5",
        "SELECT e.sequence, e.id, e.type, e.resource_id, e.created_at, e.object, e.previous_attributes, e.actor, e.actor_name
         FROM json_array_elements_text($4::text::json) t (name) CROSS JOIN LATERAL (
             SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
             WHERE owner = $1 AND type = t.name AND sequence > greatest($2::bigint, $3::bigint)
             ORDER BY sequence LIMIT $5) e
         ORDER BY e.sequence LIMIT $5",
    ),
};
/// As `PAGE_OF_RESOURCE`, for the types in `$5`, a JSON array.
const PAGE_OF_RESOURCE_AND_TYPES: PageSql = PageSql {
    older: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 AND resource_id = $4
         AND type IN (SELECT value FROM json_each($5)) ORDER BY sequence DESC LIMIT $6",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 AND resource_id = $4
         AND type = ANY (ARRAY(SELECT json_array_elements_text($5::text::json))) ORDER BY sequence DESC LIMIT $6",
    ),
    newer: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > max($2, $3) AND resource_id = $4
         AND type IN (SELECT value FROM json_each($5)) ORDER BY sequence LIMIT $6",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > greatest($2::bigint, $3::bigint) AND resource_id = $4
         AND type = ANY (ARRAY(SELECT json_array_elements_text($5::text::json))) ORDER BY sequence LIMIT $6",
    ),
};
/// `$4` is an actor. `$5` is null, or the types as a JSON array, and `$6` is null, or a resource: they are compared in the rows that
/// the index has for the actor.
const PAGE_OF_ACTOR: PageSql = PageSql {
    older: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 AND actor = $4
         AND ($5 IS NULL OR type IN (SELECT value FROM json_each($5))) AND ($6 IS NULL OR resource_id = $6)
         ORDER BY sequence DESC LIMIT $7",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence < $2 AND sequence > $3 AND actor = $4
         AND ($5::text IS NULL OR type = ANY (ARRAY(SELECT json_array_elements_text($5::text::json))))
         AND ($6::text IS NULL OR resource_id = $6) ORDER BY sequence DESC LIMIT $7",
    ),
    newer: Sql::each(
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > max($2, $3) AND actor = $4
         AND ($5 IS NULL OR type IN (SELECT value FROM json_each($5))) AND ($6 IS NULL OR resource_id = $6)
         ORDER BY sequence LIMIT $7",
        "SELECT sequence, id, type, resource_id, created_at, object, previous_attributes, actor, actor_name FROM event
         WHERE owner = $1 AND sequence > greatest($2::bigint, $3::bigint) AND actor = $4
         AND ($5::text IS NULL OR type = ANY (ARRAY(SELECT json_array_elements_text($5::text::json))))
         AND ($6::text IS NULL OR resource_id = $6) ORDER BY sequence LIMIT $7",
    ),
};
const SPAN: Sql = Sql::same(
    "SELECT (SELECT sequence FROM event WHERE owner = $1 AND sequence > 0 ORDER BY sequence LIMIT 1),
         (SELECT sequence FROM event_head WHERE owner = $1)",
);
/// Spans organisations: every log, with the time of its oldest event. An empty log has none.
const LOGS: Sql = Sql::same(
    "SELECT owner, (SELECT created_at FROM event WHERE event.owner = event_head.owner AND event.sequence > 0
                    ORDER BY event.sequence LIMIT 1)
     FROM event_head WHERE owner > $1 ORDER BY owner LIMIT $2",
);
const OLDEST: Sql = Sql::same(
    "SELECT sequence, created_at FROM event WHERE owner = $1 AND sequence > 0 ORDER BY sequence LIMIT $2",
);
/// Only one node cleans at a time.
pub(crate) const CLEAN_LOCK: Sql =
    Sql::each("SELECT 1", "SELECT 1::bigint WHERE pg_try_advisory_xact_lock(4716051120335)");
const DELETE: Sql = Sql::same("DELETE FROM event WHERE owner = $1 AND sequence >= $2 AND sequence <= $3");
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
    &PAGE_OF_TYPES.older,
    &PAGE_OF_TYPES.newer,
    &PAGE_OF_RESOURCE_AND_TYPES.older,
    &PAGE_OF_RESOURCE_AND_TYPES.newer,
    &PAGE_OF_ACTOR.older,
    &PAGE_OF_ACTOR.newer,
    &SPAN,
    &LOGS,
    &OLDEST,
    &CLEAN_LOCK,
    &DELETE,
];

/// The most events that one cleaning transaction deletes. On SQLite, writers wait for it.
pub const DELETE_MAX: usize = 500;
/// The most logs that one search for old events reads.
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
    /// The key of who or what made the change, and a name that belongs to it.
    pub actor: Option<String>,
    pub actor_name: Option<String>,
}

/// The filters of a list of events.
#[derive(Clone, Default)]
pub struct Filter {
    /// Only events after this sequence, oldest first.
    pub after: Option<i64>,
    pub r#type: Option<String>,
    pub resource_id: Option<String>,
    /// Only what this actor did: an id, or a type.
    pub actor: Option<String>,
    /// Only these types, because the caller may see no others. `None` if the caller may see all.
    pub visible: Option<Vec<&'static str>>,
}

impl Filter {
    /// Returns the order of the list: oldest first for a client that follows the log, otherwise newest first.
    pub fn order(&self) -> Order {
        if self.after.is_some() { Order::OldestFirst } else { Order::NewestFirst }
    }
}

impl Filter {
    /// Returns the visible types as a JSON array, if the caller may not see all.
    fn visible_json(&self) -> Option<String> {
        let visible = self.visible.as_ref()?;
        let is_wanted = |name: &&&str| self.r#type.as_deref().is_none_or(|wanted| wanted == **name);
        let types: Vec<&str> = visible.iter().filter(is_wanted).copied().collect();
        Some(serde_json::json!(types).to_string())
    }
}

/// The first and the last sequence of a log.
pub struct Span {
    /// The oldest event that is still stored, if there is any.
    pub oldest: Option<i64>,
    /// The newest event that was ever written.
    pub newest: i64,
}

/// A log, and the time of its oldest stored event.
pub struct Log {
    pub owner: Owner,
    pub oldest_at: Option<Timestamp>,
}

/// Appends an event in the transaction that it describes. Call after locking the rows that it describes.
pub async fn append(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Event>,
    event: &Event,
    actor: Actor,
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
        event.previous_attributes.as_deref().into(),
        actor.key().into(),
        actor.name().map(str::to_owned).into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Returns the event, once it is numbered.
pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<Event>) -> Result<Option<Logged>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns the numbered events after a sequence, oldest first.
pub async fn after(tx: &mut Tx<'_>, owner: Owner, sequence: i64, limit: usize) -> Result<Vec<Logged>> {
    let rows = tx.all(&AFTER, &[owner.into(), sequence.into(), (limit as i64).into()]).await?;
    rows.into_iter().map(read).collect()
}

/// Returns a page of the numbered events.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &Filter,
    start: &Start,
    limit: usize,
) -> Result<Page<Logged>> {
    let sorting = Sorting { keys: Keys::Number, order: filter.order() };
    let after = Value::Int(filter.after.unwrap_or(0));
    let types = filter.visible_json();
    if let Some(actor) = &filter.actor {
        let one = || filter.r#type.as_ref().map(|r#type| serde_json::json!([r#type]).to_string());
        let filters =
            [after, actor.as_str().into(), types.or_else(one).into(), filter.resource_id.clone().into()];
        let page = Page::read_sorted(tx, &PAGE_OF_ACTOR, sorting, owner.into(), &filters, start, limit);
        return page.await?.try_map(read);
    }
    let (sql, filters) = match (&filter.resource_id, filter.r#type.as_deref(), types) {
        (None, None, None) => (&PAGE, vec![after]),
        (None, Some(r#type), None) => (&PAGE_OF_TYPE, vec![after, r#type.into()]),
        (Some(id), r#type, None) => (&PAGE_OF_RESOURCE, vec![after, id.as_str().into(), r#type.into()]),
        (None, _, Some(types)) => (&PAGE_OF_TYPES, vec![after, types.into()]),
        (Some(id), _, Some(types)) => {
            (&PAGE_OF_RESOURCE_AND_TYPES, vec![after, id.as_str().into(), types.into()])
        }
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
        actor: row.text_or_null(7)?,
        actor_name: row.text_or_null(8)?,
    })
}

/// Spans organisations: returns up to [`LOGS_MAX`] logs in the order of their owners, starting after `beyond`.
pub async fn logs(tx: &mut Tx<'_>, beyond: Option<Owner>) -> Result<Vec<Log>> {
    let beyond = beyond.map_or_else(String::new, |owner| owner.to_string());
    let rows = tx.all(&LOGS, &[beyond.into(), Value::Int(LOGS_MAX as i64)]).await?;
    rows.into_iter()
        .map(|mut row| Ok(Log { owner: row.owner(0)?, oldest_at: row.moment_or_null(1)? }))
        .collect()
}

/// Deletes up to [`DELETE_MAX`] events from the beginning of a log, while each is older than `before`. The rest has
/// no gap, and its numbers continue. Returns how many, or `None` if another node is cleaning.
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

/// Returns the first and the last sequence of the log.
pub async fn span(tx: &mut Tx<'_>, owner: Owner) -> Result<Span> {
    let row = tx.one(&SPAN, &[owner.into()]).await?;
    row.map_or(Ok(Span { oldest: None, newest: 0 }), |mut row| {
        Ok(Span { oldest: row.int_or_null(0)?, newest: row.int_or_null(1)?.unwrap_or(0) })
    })
}
