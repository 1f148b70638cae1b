//! Webhook deliveries: what was sent to which endpoint, the outcome, and when to retry. Deliveries that succeeded at
//! once are stored in groups (`webhook_successes`), and listed together with the others.

use model::events::webhook_delivery::{Status, WebhookDelivery};
use model::{Error, Id, Owner, Result, Timestamp, WebhookEndpoint};

use crate::events::events::Logged;
use crate::events::webhook_successes;
use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{BY_ID, Found, Page, PageSql, Start};

const GET: Sql = Sql::same(
    "SELECT id, endpoint_id, event_id, event_type, sequence, status, attempt, next_attempt_at, attempts,
         created_at, updated_at
     FROM webhook_delivery WHERE owner = $1 AND endpoint_id = $2 AND id = $3",
);
/// `$4` is a status, or null for all.
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, endpoint_id, event_id, event_type, sequence, status, attempt, next_attempt_at, attempts,
             created_at, updated_at
         FROM webhook_delivery WHERE owner = $1 AND id < $2 AND endpoint_id = $3 AND (status = $4 OR $4 = '')
         ORDER BY id DESC LIMIT $5",
    ),
    newer: Sql::same(
        "SELECT id, endpoint_id, event_id, event_type, sequence, status, attempt, next_attempt_at, attempts,
             created_at, updated_at
         FROM webhook_delivery WHERE owner = $1 AND id > $2 AND endpoint_id = $3 AND (status = $4 OR $4 = '')
         ORDER BY id LIMIT $5",
    ),
};
const INSERT: Sql = Sql::same(
    "INSERT INTO webhook_delivery (owner, endpoint_id, id, event_id, event_type, sequence, status, attempt,
         next_attempt_at, attempts, payload, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE webhook_delivery SET status = $1, attempt = $2, next_attempt_at = $3, attempts = $4, updated_at = $5
     WHERE owner = $6 AND endpoint_id = $7 AND id = $8",
);
/// Each delivery with its event, if that is still stored.
const DUE: Sql = Sql::same(
    "SELECT d.id, d.endpoint_id, d.event_id, d.event_type, d.sequence, d.status, d.attempt, d.next_attempt_at,
         d.attempts, d.created_at, d.updated_at, d.payload,
         e.sequence, e.resource_id, e.created_at, e.object, e.previous_attributes, e.actor, e.actor_name
     FROM webhook_delivery d LEFT JOIN event e ON e.owner = d.owner AND e.id = d.event_id
     WHERE d.owner = $1 AND d.endpoint_id = $2 AND d.next_attempt_at <= $3
     ORDER BY d.next_attempt_at, d.id LIMIT $4",
);
/// Retries that are pending when an endpoint is disabled for good are given up.
const GIVE_UP: Sql = Sql::same(
    "UPDATE webhook_delivery SET status = 'failed', next_attempt_at = NULL, updated_at = $1
     WHERE owner = $2 AND endpoint_id = $3 AND next_attempt_at IS NOT NULL",
);
/// Spans organisations: endpoints that may have old deliveries, including deleted endpoints.
const ENDPOINTS: Sql = Sql::same(
    "SELECT owner, id, CAST(0 AS bigint) FROM webhook_endpoint
     UNION ALL SELECT owner, endpoint_id, CAST(1 AS bigint) FROM webhook_grave",
);
const DELETE_OLD: Sql = Sql::same(
    "DELETE FROM webhook_delivery WHERE owner = $1 AND endpoint_id = $2 AND id IN (
         SELECT d.id FROM webhook_delivery d WHERE d.owner = $1 AND d.endpoint_id = $2 AND d.id < $3
         AND d.next_attempt_at IS NULL ORDER BY d.id LIMIT $4)",
);
const DELETE_ORPHANS: Sql = Sql::same(
    "DELETE FROM webhook_delivery WHERE owner = $1 AND endpoint_id = $2 AND id IN (
         SELECT d.id FROM webhook_delivery d WHERE d.owner = $1 AND d.endpoint_id = $2 LIMIT $3)",
);
const UNEARTH: Sql = Sql::same("DELETE FROM webhook_grave WHERE owner = $1 AND endpoint_id = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &PAGE.older,
    &PAGE.newer,
    &INSERT,
    &UPDATE,
    &DUE,
    &GIVE_UP,
    &ENDPOINTS,
    &DELETE_OLD,
    &DELETE_ORPHANS,
    &UNEARTH,
];

/// A key that sorts after all ids.
const BEYOND: &str = "~";

/// A delivery that is due, and its content.
pub struct Due {
    pub delivery: WebhookDelivery,
    pub content: Content,
}

/// What a delivery posts.
pub enum Content {
    Event(Logged),
    /// A body of its own, for a test delivery.
    Body(String),
    /// The event is no longer stored.
    Expired,
}

pub async fn get(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    id: Id<WebhookDelivery>,
) -> Result<Option<WebhookDelivery>> {
    match tx.one(&GET, &[owner.into(), endpoint.into(), id.into()]).await? {
        Some(mut row) => read(&mut row).map(Some),
        None => webhook_successes::get(tx, owner, endpoint, id).await,
    }
}

/// Returns a page of an endpoint's deliveries, of one status or of all.
pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    status: Option<Status>,
    start: &Start,
    limit: usize,
) -> Result<Page<WebhookDelivery>> {
    let (is_towards_old, key) = BY_ID.bearing(start);
    let items = look(tx, owner, endpoint, status, is_towards_old, &key, limit + 1).await?;
    let found = Found::new(BY_ID, start, items, limit, |delivery| Ok(delivery.id.to_string()))?;
    let has_back = match &found.edge {
        Some(edge) => !look(tx, owner, endpoint, status, !is_towards_old, edge, 1).await?.is_empty(),
        None => false,
    };
    Ok(found.page(has_back))
}

/// Returns up to `limit` deliveries from an id on: towards older ones, newest first, or towards newer ones, oldest
/// first.
async fn look(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    status: Option<Status>,
    is_towards_old: bool,
    key: &str,
    limit: usize,
) -> Result<Vec<WebhookDelivery>> {
    let status_word = status.map_or("", Status::as_str);
    let values = [owner.into(), key.into(), endpoint.into(), status_word.into(), Value::Int(limit as i64)];
    let rows = tx.all(if is_towards_old { &PAGE.older } else { &PAGE.newer }, &values).await?;
    let mut found = rows.into_iter().map(|mut row| read(&mut row)).collect::<Result<Vec<_>>>()?;
    if matches!(status, None | Some(Status::Succeeded)) {
        found.extend(webhook_successes::look(tx, owner, endpoint, is_towards_old, key, limit).await?);
        found.sort_by_cached_key(|delivery| delivery.id.to_string());
        if is_towards_old {
            found.reverse();
        }
        found.truncate(limit);
    }
    Ok(found)
}

/// Inserts the first attempts: the successful ones as a group, the others one by one.
pub async fn insert_sent(tx: &mut Tx<'_>, owner: Owner, sent: &[WebhookDelivery]) -> Result<()> {
    let (done, open): (Vec<_>, Vec<_>) = sent.iter().partition(|sent| sent.status == Status::Succeeded);
    webhook_successes::insert(tx, owner, &done).await?;
    for delivery in open {
        insert(tx, owner, delivery, None).await?;
    }
    Ok(())
}

/// Inserts a delivery. `payload` is its body if that is not in the log.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    delivery: &WebhookDelivery,
    payload: Option<&str>,
) -> Result<()> {
    let values = [
        owner.into(),
        delivery.webhook_endpoint_id.into(),
        delivery.id.into(),
        delivery.event_id.into(),
        delivery.event_type.as_str().into(),
        delivery.sequence.into(),
        delivery.status.as_str().into(),
        delivery.attempt.into(),
        delivery.next_attempt_at.into(),
        attempts_json(delivery)?.into(),
        payload.into(),
        delivery.created_at.into(),
        delivery.updated_at.into(),
    ];
    tx.send(&INSERT, &values).await
}

/// Updates a delivery after another attempt.
pub async fn update(tx: &mut Tx<'_>, owner: Owner, delivery: &WebhookDelivery) -> Result<()> {
    let values = [
        delivery.status.as_str().into(),
        delivery.attempt.into(),
        delivery.next_attempt_at.into(),
        attempts_json(delivery)?.into(),
        delivery.updated_at.into(),
        owner.into(),
        delivery.webhook_endpoint_id.into(),
        delivery.id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

/// Returns the due deliveries of an endpoint, the longest due first.
pub async fn due(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Due>> {
    let values = [owner.into(), endpoint.into(), now.into(), Value::Int(limit as i64)];
    tx.all(&DUE, &values).await?.into_iter().map(read_due).collect()
}

/// Gives up all pending retries of an endpoint.
pub async fn give_up(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    now: Timestamp,
) -> Result<()> {
    tx.send(&GIVE_UP, &[now.into(), owner.into(), endpoint.into()]).await
}

/// Returns all endpoints of all owners, and whether each is deleted.
pub async fn endpoints(tx: &mut Tx<'_>) -> Result<Vec<(Owner, Id<WebhookEndpoint>, bool)>> {
    let rows = tx.all(&ENDPOINTS, &[]).await?;
    rows.into_iter().map(|mut row| Ok((row.owner(0)?, row.id(1)?, row.int(2)? == 1))).collect()
}

/// Deletes at most `limit` finished deliveries that are older than the id, and returns how many.
pub async fn delete_old(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    before: Id<WebhookDelivery>,
    limit: i64,
) -> Result<u64> {
    let groups = webhook_successes::delete_old(tx, owner, endpoint, &before.to_string(), limit).await?;
    let rows = tx.execute(&DELETE_OLD, &[owner.into(), endpoint.into(), before.into(), limit.into()]).await?;
    Ok(groups.max(rows))
}

/// Deletes at most `limit` deliveries of a deleted endpoint, and forgets the endpoint after the last.
pub async fn delete_orphans(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    limit: i64,
) -> Result<u64> {
    let groups = webhook_successes::delete_old(tx, owner, endpoint, BEYOND, limit).await?;
    let rows = tx.execute(&DELETE_ORPHANS, &[owner.into(), endpoint.into(), limit.into()]).await?;
    let deleted = groups.max(rows);
    if deleted < limit as u64 {
        tx.send(&UNEARTH, &[owner.into(), endpoint.into()]).await?;
    }
    Ok(deleted)
}

fn attempts_json(delivery: &WebhookDelivery) -> Result<String> {
    serde_json::to_string(&delivery.attempts).map_err(Error::fault)
}

fn read(row: &mut Row) -> Result<WebhookDelivery> {
    let status = row.text(5)?;
    Ok(WebhookDelivery {
        id: row.id(0)?,
        webhook_endpoint_id: row.id(1)?,
        event_id: row.id(2)?,
        event_type: row.text(3)?,
        sequence: row.int_or_null(4)?,
        status: Status::parse(&status).ok_or_else(|| Error::fault(format!("unknown status {status}")))?,
        attempt: row.int(6)?,
        next_attempt_at: row.moment_or_null(7)?,
        attempts: serde_json::from_str(&row.text(8)?).map_err(Error::fault)?,
        created_at: row.moment(9)?,
        updated_at: row.moment(10)?,
    })
}

fn read_due(mut row: Row) -> Result<Due> {
    let delivery = read(&mut row)?;
    let content = match (row.text_or_null(11)?, row.int_or_null(12)?) {
        (Some(body), _) => Content::Body(body),
        (None, Some(sequence)) => Content::Event(Logged {
            id: delivery.event_id,
            sequence,
            r#type: delivery.event_type.clone(),
            resource_id: row.text(13)?,
            created_at: row.moment(14)?,
            object: row.text(15)?,
            previous_attributes: row.text_or_null(16)?,
            actor: row.text_or_null(17)?,
            actor_name: row.text_or_null(18)?,
        }),
        (None, None) => Content::Expired,
    };
    Ok(Due { delivery, content })
}
