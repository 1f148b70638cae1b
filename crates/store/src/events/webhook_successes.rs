//! Deliveries that succeeded at the first attempt, as nearly all do. They are written in groups: one row for all that
//! a lane sent between two records. A row for each would cost more than the sending.

use model::{Error, Id, Owner, Result, WebhookDelivery, WebhookEndpoint};

use crate::platform::engine::{Row, Sql, Tx, Value};

const INSERT: Sql = Sql::same(
    "INSERT INTO webhook_success (owner, endpoint_id, first_id, last_id, docs) VALUES ($1, $2, $3, $4, $5)",
);
const OLDER: Sql = Sql::same(
    "SELECT docs, first_id, last_id FROM webhook_success
     WHERE owner = $1 AND endpoint_id = $2 AND first_id < $3 AND last_id < $4 ORDER BY last_id DESC LIMIT $5",
);
const NEWER: Sql = Sql::same(
    "SELECT docs, first_id, last_id FROM webhook_success
     WHERE owner = $1 AND endpoint_id = $2 AND last_id > $3 AND first_id > $4 ORDER BY first_id LIMIT $5",
);
const AROUND: Sql = Sql::same(
    "SELECT docs FROM webhook_success WHERE owner = $1 AND endpoint_id = $2 AND last_id >= $3 AND first_id <= $3
     ORDER BY last_id LIMIT 8",
);
const DELETE_OLD: Sql = Sql::same(
    "DELETE FROM webhook_success WHERE owner = $1 AND endpoint_id = $2 AND last_id IN (
         SELECT s.last_id FROM webhook_success s WHERE s.owner = $1 AND s.endpoint_id = $2 AND s.last_id < $3
         ORDER BY s.last_id LIMIT $4)",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &OLDER, &NEWER, &AROUND, &DELETE_OLD];

/// Groups that the first query reads. If groups are small, each further query reads more.
const GROUPS_MIN: usize = 2;
const GROUPS_GROWTH: usize = 4;

/// Keys that sort before and after all ids.
const BEFORE: &str = "";
const BEYOND: &str = "~";

/// Inserts deliveries of one endpoint, in the order of their ids, as one group.
pub async fn insert(tx: &mut Tx<'_>, owner: Owner, group: &[&WebhookDelivery]) -> Result<()> {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return Ok(()) };
    let docs = serde_json::to_string(group).map_err(Error::fault)?;
    let values =
        [owner.into(), first.webhook_endpoint_id.into(), first.id.into(), last.id.into(), docs.into()];
    tx.send(&INSERT, &values).await
}

pub async fn get(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    id: Id<WebhookDelivery>,
) -> Result<Option<WebhookDelivery>> {
    for mut row in tx.all(&AROUND, &[owner.into(), endpoint.into(), id.into()]).await? {
        let found = group(&mut row)?.into_iter().find(|delivery| delivery.id == id);
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Returns up to `limit` deliveries from an id on: towards older ones, newest first, or towards newer ones, oldest
/// first.
pub async fn look(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    is_towards_old: bool,
    key: &str,
    limit: usize,
) -> Result<Vec<WebhookDelivery>> {
    let (sql, mut from) =
        if is_towards_old { (&OLDER, BEYOND.to_owned()) } else { (&NEWER, BEFORE.to_owned()) };
    let mut found: Vec<(String, WebhookDelivery)> = Vec::new();
    let mut groups = GROUPS_MIN;
    loop {
        let values =
            [owner.into(), endpoint.into(), key.into(), from.as_str().into(), Value::Int(groups as i64)];
        let rows = tx.all(sql, &values).await?;
        let is_last = rows.len() < groups;
        for mut row in rows {
            from = row.text(if is_towards_old { 2 } else { 1 })?;
            found.extend(group(&mut row)?.into_iter().map(|delivery| (delivery.id.to_string(), delivery)));
        }
        // Deliveries that are not read yet lie beyond the beginning of the last group. Groups of two nodes may
        // overlap, so only deliveries before that are known to be complete.
        let is_known = |id: &str| if is_towards_old { id > from.as_str() } else { id < from.as_str() };
        let is_ahead = |id: &str| if is_towards_old { id < key } else { id > key };
        found.retain(|(id, _)| is_ahead(id));
        if is_last || found.iter().filter(|(id, _)| is_known(id)).count() >= limit {
            break;
        }
        groups *= GROUPS_GROWTH;
    }
    found.sort_unstable_by(
        |(one, _), (other, _)| if is_towards_old { other.cmp(one) } else { one.cmp(other) },
    );
    Ok(found.into_iter().take(limit).map(|(_, delivery)| delivery).collect())
}

/// Deletes at most `limit` groups that are older than the id, and returns how many.
pub async fn delete_old(
    tx: &mut Tx<'_>,
    owner: Owner,
    endpoint: Id<WebhookEndpoint>,
    before: &str,
    limit: i64,
) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[owner.into(), endpoint.into(), before.into(), limit.into()]).await
}

fn group(row: &mut Row) -> Result<Vec<WebhookDelivery>> {
    serde_json::from_str(&row.text(0)?).map_err(Error::fault)
}
