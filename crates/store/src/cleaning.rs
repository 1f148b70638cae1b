//! Deletes rows that would otherwise accumulate for ever: the histories of resources, and rows whose resource is
//! gone.
//!
//! Each function deletes a small number, oldest first, so that no other transaction waits for long. All of them span
//! organisations, except for the history of levels.

use std::collections::BTreeMap;

use model::stock::inventory_item::Change;
use model::{Id, Owner, Result, Timestamp};

use crate::events::events::CLEAN_LOCK;
use crate::platform::engine::{Sql, Tx, Value};
use crate::stock::inventory_levels::At;

/// Old versions of locations that no shipment refers to.
const LOCATION_VERSIONS: Sql = Sql::each(
    "DELETE FROM location_version WHERE (owner, location_id, version) IN (
         SELECT owner, location_id, version FROM location_version v WHERE replaced_at < $1 AND NOT EXISTS (
             SELECT 1 FROM shipment s
             WHERE s.owner = v.owner AND s.origin_id = v.location_id AND s.origin_version = v.version)
         ORDER BY replaced_at LIMIT $2)",
    "DELETE FROM location_version WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM location_version v WHERE replaced_at < $1 AND NOT EXISTS (
             SELECT 1 FROM shipment s
             WHERE s.owner = v.owner AND s.origin_id = v.location_id AND s.origin_version = v.version)
         ORDER BY replaced_at LIMIT $2))",
);
/// Events of a shipment whose purchase is still followed are kept: they show whether a carrier's answer is new.
const TRACKING_EVENTS: Sql = Sql::each(
    "DELETE FROM tracking_event WHERE (owner, shipment_id, number) IN (
         SELECT owner, shipment_id, number FROM tracking_event t WHERE created_at < $1 AND NOT EXISTS (
             SELECT 1 FROM purchase p
             WHERE p.owner = t.owner AND p.shipment_id = t.shipment_id AND p.due_at IS NOT NULL)
         ORDER BY created_at LIMIT $2)",
    "DELETE FROM tracking_event WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM tracking_event t WHERE created_at < $1 AND NOT EXISTS (
             SELECT 1 FROM purchase p
             WHERE p.owner = t.owner AND p.shipment_id = t.shipment_id AND p.due_at IS NOT NULL)
         ORDER BY created_at LIMIT $2))",
);
/// A receipt that came late is kept for as long as its purchase.
const OBSERVATIONS: Sql = Sql::each(
    "DELETE FROM purchase_observation WHERE (owner, purchase_id, fence) IN (
         SELECT owner, purchase_id, fence FROM purchase_observation o WHERE created_at < $1
         AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.owner = o.owner AND p.id = o.purchase_id)
         ORDER BY created_at LIMIT $2)",
    "DELETE FROM purchase_observation WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM purchase_observation o WHERE created_at < $1
         AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.owner = o.owner AND p.id = o.purchase_id)
         ORDER BY created_at LIMIT $2))",
);
/// A token that made others is kept for as long as these exist, so that they can be revoked with it. Tokens that were
/// traded for another are deleted as soon as they expire.
const ENDED_TOKENS: Sql = Sql::each(
    "DELETE FROM access_token WHERE (owner, id) IN (
         SELECT owner, id FROM access_token t WHERE parent_id IS NULL AND expires_at < $1
         AND NOT EXISTS (SELECT 1 FROM access_token made WHERE made.owner = t.owner AND made.creator_id = t.id)
         ORDER BY expires_at LIMIT $2)",
    "DELETE FROM access_token WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM access_token t WHERE parent_id IS NULL AND expires_at < $1
         AND NOT EXISTS (SELECT 1 FROM access_token made WHERE made.owner = t.owner AND made.creator_id = t.id)
         ORDER BY expires_at LIMIT $2))",
);
/// Ids sort by age, so the primary key leads to the oldest.
const OLD_CHANGES: Sql = Sql::same(
    "SELECT id, item_id, location_id, delta FROM inventory_change
     WHERE owner = $1 AND id < $2 AND created_at < $3 ORDER BY id LIMIT $4",
);
const MOVE_HISTORY: Sql = Sql::same(
    "UPDATE inventory_level SET history_from = history_from + $1, is_history_pruned = 1
     WHERE owner = $2 AND item_id = $3 AND location_id = $4",
);
/// Deletes the changes that [`OLD_CHANGES`] found. `$2` is the id of the last of them.
const DELETE_CHANGES: Sql =
    Sql::same("DELETE FROM inventory_change WHERE owner = $1 AND id <= $2 AND created_at < $3");

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LOCATION_VERSIONS,
    &TRACKING_EVENTS,
    &OBSERVATIONS,
    &ENDED_TOKENS,
    &OLD_CHANGES,
    &MOVE_HISTORY,
    &DELETE_CHANGES,
];

/// Deletes at most `limit` versions of locations that were replaced before the given time and that no shipment refers
/// to.
pub async fn delete_location_versions(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&LOCATION_VERSIONS, &[before.into(), limit.into()]).await
}

/// Deletes at most `limit` tracking events from before the given time, of shipments that are no longer followed.
pub async fn delete_tracking_events(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&TRACKING_EVENTS, &[before.into(), limit.into()]).await
}

/// Deletes at most `limit` receipts from before the given time whose purchase was deleted together with its shipment.
pub async fn delete_observations(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&OBSERVATIONS, &[before.into(), limit.into()]).await
}

/// Deletes at most `limit` access tokens that expired before the given time.
pub async fn delete_ended_tokens(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&ENDED_TOKENS, &[before.into(), limit.into()]).await
}

/// Deletes at most `limit` changes of an owner's levels from before the given time. Each level keeps their sum, so
/// its history still adds up to its quantity on hand. Returns how many, or `None` if another node is cleaning.
pub async fn delete_changes(
    tx: &mut Tx<'_>,
    owner: Owner,
    before: Timestamp,
    limit: i64,
) -> Result<Option<u64>> {
    // Two nodes at once would add the same changes to the sums twice.
    if tx.one(&CLEAN_LOCK, &[]).await?.is_none() {
        return Ok(None);
    }
    let oldest_kept: Id<Change> = Id::new(before, Default::default());
    let values = [owner.into(), oldest_kept.into(), before.into(), Value::Int(limit)];
    let (mut sums, mut last) = (BTreeMap::new(), None);
    for mut row in tx.all(&OLD_CHANGES, &values).await? {
        let at = At { item: row.id(1)?, location: row.id(2)? };
        *sums.entry(at).or_insert(0) += row.int(3)?;
        last = Some(row.text(0)?);
    }
    let Some(last) = last else { return Ok(Some(0)) };
    // In the order of their keys, as all transactions lock levels, so that no two wait for each other.
    for (at, sum) in sums {
        tx.send(&MOVE_HISTORY, &[Value::Int(sum), owner.into(), at.item.into(), at.location.into()]).await?;
    }
    tx.execute(&DELETE_CHANGES, &[owner.into(), last.into(), before.into()]).await.map(Some)
}
