//! Webhook lanes: how far the log was delivered to each endpoint, and which node holds the lane.
//!
//! A node holds a lane for as long as its lease lasts. Each claim raises the lane's fence, and nothing is recorded
//! under an old fence: a node that was frozen and resumes can no longer write.

use model::events::webhook_delivery::Health;
use model::{Id, Owner, Result, Timestamp, WebhookEndpoint};

use crate::platform::engine::{Row, Sql, Tx, Value, stops, taken};

const INSERT: Sql = Sql::same(
    "INSERT INTO webhook_lane (owner, endpoint_id, cursor, is_open)
     VALUES ($1, $2, coalesce((SELECT sequence FROM event_head h WHERE h.owner = $1), 0), $3)",
);
/// Spans organisations. A lane is due if it has events after its cursor and is not paused, or if it has a due retry.
const ANY_DUE: Sql = Sql::same(
    "SELECT l.fence FROM webhook_lane l LEFT JOIN event_head h ON h.owner = l.owner
     WHERE l.is_open = 1 AND l.crashes = 0 AND ((l.paused_until <= $1 AND l.cursor < h.sequence) OR l.retry_at <= $1)
     AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
/// Spans organisations. `$3` is 1 to claim lanes of failing endpoints, and 0 to claim those of healthy ones. Each
/// kind has its own permits.
const CLAIM: Sql = Sql::each(
    concat!(
        "UPDATE webhook_lane SET ",
        taken!(),
        ", starts = 0 WHERE (owner, endpoint_id) IN (
         SELECT l.owner, l.endpoint_id FROM webhook_lane l LEFT JOIN event_head h ON h.owner = l.owner
         WHERE l.is_open = 1 AND l.crashes = 0 AND ((l.paused_until <= $2 AND l.cursor < h.sequence) OR l.retry_at <= $2)
         AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         AND (l.failures > 0) = ($3 = 1) ORDER BY l.cursor - coalesce(h.sequence, 0) DESC LIMIT $4)
     RETURNING owner, endpoint_id, cursor, failures, failing_since, paused_until, fence, crashes"
    ),
    concat!(
        "UPDATE webhook_lane SET ",
        taken!(),
        ", starts = 0 WHERE ctid = ANY (ARRAY(
         SELECT l.ctid FROM webhook_lane l LEFT JOIN event_head h ON h.owner = l.owner
         WHERE l.is_open = 1 AND l.crashes = 0 AND ((l.paused_until <= $2 AND l.cursor < h.sequence) OR l.retry_at <= $2)
         AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         AND (l.failures > 0) = ($3::bigint = 1) ORDER BY l.cursor - coalesce(h.sequence, 0) DESC
         LIMIT $4 FOR UPDATE OF l SKIP LOCKED))
     RETURNING owner, endpoint_id, cursor, failures, failing_since, paused_until, fence, crashes"
    ),
);
/// Spans organisations. Claims one suspect of at most `$3` stops. Those with the fewest stops come first, and then those of
/// healthy endpoints: they are soon done.
const CLAIM_SUSPECT: Sql = Sql::each(
    concat!(
        "UPDATE webhook_lane SET ",
        taken!(),
        ", starts = 0 WHERE (owner, endpoint_id) IN (
         SELECT l.owner, l.endpoint_id FROM webhook_lane l LEFT JOIN event_head h ON h.owner = l.owner
         WHERE l.crashes > 0 AND l.is_open = 1
         AND ((l.paused_until <= $2 AND l.cursor < h.sequence) OR l.retry_at <= $2)
         AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         AND ",
        stops!("l."),
        " <= $3 ORDER BY l.crashes, l.failures LIMIT 1)
     RETURNING owner, endpoint_id, cursor, failures, failing_since, paused_until, fence, crashes"
    ),
    concat!(
        "UPDATE webhook_lane SET ",
        taken!(),
        ", starts = 0 WHERE ctid = ANY (ARRAY(
         SELECT l.ctid FROM webhook_lane l
         LEFT JOIN event_head h ON h.owner = l.owner
         WHERE l.crashes > 0 AND l.is_open = 1
         AND ((l.paused_until <= $2 AND l.cursor < h.sequence) OR l.retry_at <= $2)
         AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         AND ",
        stops!("l."),
        " <= $3 ORDER BY l.crashes, l.failures LIMIT 1 FOR UPDATE OF l SKIP LOCKED))
     RETURNING owner, endpoint_id, cursor, failures, failing_since, paused_until, fence, crashes"
    ),
);
/// Spans organisations. Counts the start of a server for each suspect. After `$1` starts, a suspect is none any more. What another
/// server has locked is left out: waiting for it could be a deadlock, because that server locks rows in an order of its own.
const COUNT_START: Sql = Sql::each(
    "UPDATE webhook_lane SET crashes = CASE WHEN starts < $1 THEN crashes ELSE 0 END,
         starts = CASE WHEN starts < $1 THEN starts + 1 ELSE 0 END
     WHERE crashes > 0 AND is_open = 1
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)",
    "UPDATE webhook_lane SET crashes = CASE WHEN starts < $1 THEN crashes ELSE 0 END,
         starts = CASE WHEN starts < $1 THEN starts + 1 ELSE 0 END
     WHERE ctid = ANY (ARRAY(
         SELECT l.ctid FROM webhook_lane l WHERE l.crashes > 0 AND l.is_open = 1
         AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         FOR UPDATE SKIP LOCKED))",
);
const RECORD: Sql = Sql::same(
    "UPDATE webhook_lane SET crashes = 0, cursor = $1, failures = $2, failing_since = $3, paused_until = $4
     WHERE owner = $5 AND endpoint_id = $6 AND fence = $7",
);
const RELEASE: Sql = Sql::same(
    "UPDATE webhook_lane SET holder = '', crashes = 0 WHERE owner = $1 AND endpoint_id = $2 AND fence = $3",
);
const SET_RETRY: Sql = Sql::same(
    "UPDATE webhook_lane SET retry_at = (
         SELECT min(d.next_attempt_at) FROM webhook_delivery d WHERE d.owner = webhook_lane.owner
         AND d.endpoint_id = webhook_lane.endpoint_id AND d.next_attempt_at IS NOT NULL)
     WHERE owner = $1 AND endpoint_id = $2",
);
const CLOSE: Sql = Sql::same("UPDATE webhook_lane SET is_open = 0 WHERE owner = $1 AND endpoint_id = $2");
/// Re-enabling resets the failure state and raises the fence, so the previous holder cannot overwrite it.
const OPEN: Sql = Sql::same(
    "UPDATE webhook_lane SET is_open = 1, failures = 0, failing_since = NULL, paused_until = 0,
         fence = fence + 1, holder = '', crashes = 0
     WHERE owner = $1 AND endpoint_id = $2 AND is_open = 0",
);
/// Raises the fence even if the cursor is not beyond the sequence. The holder may have sent events after it that it
/// has not recorded. It can no longer record them, so they are sent again too.
const REWIND: Sql = Sql::same(
    "UPDATE webhook_lane SET cursor = CASE WHEN cursor > $1 THEN $1 ELSE cursor END, paused_until = 0,
         fence = fence + 1, holder = '', crashes = 0
     WHERE owner = $2 AND endpoint_id = $3",
);

const VERSION: Sql = Sql::same(
    "SELECT e.version FROM webhook_lane l JOIN webhook_endpoint e ON e.owner = l.owner AND e.id = l.endpoint_id
     WHERE l.owner = $1 AND l.endpoint_id = $2 AND l.fence = $3",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &ANY_DUE,
    &CLAIM,
    &CLAIM_SUSPECT,
    &COUNT_START,
    &RECORD,
    &RELEASE,
    &SET_RETRY,
    &CLOSE,
    &OPEN,
    &REWIND,
    &VERSION,
];

/// A lane that a node holds.
#[derive(Clone)]
pub struct Held {
    pub owner: Owner,
    pub endpoint: Id<WebhookEndpoint>,
    /// Everything up to this sequence is delivered, skipped, or stored as a delivery to retry.
    pub cursor: i64,
    pub health: Health,
    pub fence: i64,
    /// The number of servers in a row that stopped while they held it. A claim counts it up, and a record resets it.
    pub crashes: i64,
}

/// Inserts the lane of a new endpoint. It starts after the newest event.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    is_open: bool,
) -> Result<()> {
    let values = [owner.into(), endpoint.into(), Value::Int(is_open.into())];
    tx.send(&INSERT, &values).await
}

/// Returns whether there is due work that no live node holds.
pub async fn any_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_DUE, &[now.into()]).await?.is_some())
}

/// Claims due lanes, either of failing endpoints or of healthy ones. Lanes with the shortest backlog come first: they
/// are finished soon, and would otherwise wait long behind a large one.
pub async fn claim(
    tx: &mut Tx<'_>,
    node: &str,
    now: Timestamp,
    ill: bool,
    limit: usize,
) -> Result<Vec<Held>> {
    let values = [node.into(), now.into(), Value::Int(ill.into()), Value::Int(limit as i64)];
    tx.all(&CLAIM, &values).await?.into_iter().map(held).collect()
}

/// Claims a suspect of at most `stops_max` stops that has something to deliver, if there is one.
pub async fn claim_suspect(
    tx: &mut Tx<'_>,
    node: &str,
    now: Timestamp,
    stops_max: i64,
) -> Result<Option<Held>> {
    let values = [node.into(), now.into(), stops_max.into()];
    tx.one(&CLAIM_SUSPECT, &values).await?.map(held).transpose()
}

/// Counts the start of a server for each suspect that no living node holds. One that was not claimed during `starts_max` starts
/// is a suspect no longer: it is claimed like any other.
pub async fn count_start(tx: &mut Tx<'_>, now: Timestamp, starts_max: i64) -> Result<()> {
    tx.send(&COUNT_START, &[starts_max.into(), now.into()]).await
}

fn held(mut row: Row) -> Result<Held> {
    Ok(Held {
        owner: row.owner(0)?,
        endpoint: row.id(1)?,
        cursor: row.int(2)?,
        health: Health {
            failures: row.int(3)?,
            failing_since: row.moment_or_null(4)?,
            paused_until: row.moment(5)?,
        },
        fence: row.int(6)?,
        crashes: row.int(7)?,
    })
}

/// Records how far a lane has come. Returns false, and writes nothing, if the node no longer holds the lane.
pub async fn record(tx: &mut Tx<'_>, lane: &Held) -> Result<bool> {
    let values = [
        lane.cursor.into(),
        lane.health.failures.into(),
        lane.health.failing_since.into(),
        lane.health.paused_until.into(),
        lane.owner.into(),
        lane.endpoint.into(),
        lane.fence.into(),
    ];
    Ok(tx.execute(&RECORD, &values).await? > 0)
}

/// Releases the claim.
pub async fn release(tx: &mut Tx<'_>, lane: &Held) -> Result<()> {
    let values = [lane.owner.into(), lane.endpoint.into(), lane.fence.into()];
    tx.send(&RELEASE, &values).await
}

/// Sets the lane's next retry to the earliest one of its deliveries. Call after these have changed.
pub async fn set_retry(tx: &mut Tx<'_>, owner: Owner, endpoint: Id<WebhookEndpoint>) -> Result<()> {
    tx.send(&SET_RETRY, &[owner.into(), endpoint.into()]).await
}

/// Stops deliveries to the endpoint.
pub async fn close(tx: &mut Tx<'_>, owner: Owner, endpoint: Id<WebhookEndpoint>) -> Result<()> {
    tx.send(&CLOSE, &[owner.into(), endpoint.into()]).await
}

/// Resumes deliveries from the cursor, and resets the failure state.
pub async fn open(tx: &mut Tx<'_>, owner: Owner, endpoint: Id<WebhookEndpoint>) -> Result<()> {
    tx.send(&OPEN, &[owner.into(), endpoint.into()]).await
}

/// Returns the version of the endpoint, or `None` if it is deleted or the node no longer holds the lane.
pub async fn version(tx: &mut Tx<'_>, held: &Held) -> Result<Option<i64>> {
    let values = [held.owner.into(), held.endpoint.into(), held.fence.into()];
    tx.one(&VERSION, &values).await?.map(|mut row| row.int(0)).transpose()
}

/// Moves the cursor back to a sequence. The node that holds the lane loses it, because it has an outdated cursor.
pub async fn rewind(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    sequence: i64,
) -> Result<()> {
    tx.send(&REWIND, &[sequence.into(), owner.into(), endpoint.into()]).await
}
