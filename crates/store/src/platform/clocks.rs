//! Clocks: the database's time, the time of the newest event, and the repair of timestamps that a wrong clock wrote.

use model::{Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::installation::INSTALLATION;

/// SQLite runs in the server's process and has no clock of its own.
const DATABASE_TIME: Sql = Sql::each(
    "SELECT CAST(NULL AS bigint)",
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
);
/// Spans organisations: reads the newest event of each log by its sequence.
const NEWEST_EVENT: Sql = Sql::same(
    "SELECT max(written_at) FROM (
         SELECT (SELECT e.created_at FROM event e WHERE e.owner = h.owner AND e.sequence = h.sequence) AS written_at
         FROM event_head h WHERE h.owner > '') newest",
);
/// Spans organisations, as all of the following statements do. They only make work due earlier, so a node that holds
/// the work meanwhile loses nothing: the time that it records replaces this one. Each uses an index: that of due
/// work, or (by `owner > ''`) the primary key.
const PURCHASES_DUE: Sql =
    Sql::same("UPDATE purchase SET due_at = $1 WHERE due_at > $2 AND is_follow_up = 0");
const FOLLOW_UP_DUE: Sql =
    Sql::same("UPDATE purchase SET due_at = $1 WHERE due_at > $2 AND is_follow_up = 1");
const PURCHASES_UNKNOWN: Sql = Sql::same(
    "UPDATE purchase SET unknown_at = $1 WHERE due_at IS NOT NULL AND is_follow_up = 0 AND unknown_at > $1",
);
const LABELS_DUE: Sql = Sql::same("UPDATE batch_labels SET due_at = $1 WHERE due_at > $2");
const LABELS_TOLD: Sql =
    Sql::same("UPDATE batch_labels SET told_at = $1 WHERE due_at IS NOT NULL AND told_at > $1");
const BATCHES_TOLD: Sql = Sql::same("UPDATE batch SET told_at = $1 WHERE owner > '' AND told_at > $1");
const MANIFESTS_DUE: Sql = Sql::same("UPDATE manifest SET due_at = $1 WHERE due_at > $2");
const MANIFESTS_BEGUN: Sql =
    Sql::same("UPDATE manifest SET begun_at = $1 WHERE due_at IS NOT NULL AND begun_at > $1");
const LANES_PAUSED: Sql =
    Sql::same("UPDATE webhook_lane SET paused_until = $1 WHERE owner > '' AND paused_until > $2");
const LANES_FAILING: Sql =
    Sql::same("UPDATE webhook_lane SET failing_since = $1 WHERE owner > '' AND failing_since > $1");
const LANES_RETRY: Sql =
    Sql::same("UPDATE webhook_lane SET retry_at = $1 WHERE owner > '' AND retry_at > $2");
const DELIVERIES_DUE: Sql =
    Sql::same("UPDATE webhook_delivery SET next_attempt_at = $1 WHERE owner > '' AND next_attempt_at > $2");
const NODES_FAR: Sql = Sql::same("DELETE FROM node WHERE owner = $1 AND alive_until > $2");

pub(crate) const STATEMENTS: &[&Sql] = &[
    &DATABASE_TIME,
    &NEWEST_EVENT,
    &PURCHASES_DUE,
    &FOLLOW_UP_DUE,
    &PURCHASES_UNKNOWN,
    &LABELS_DUE,
    &LABELS_TOLD,
    &BATCHES_TOLD,
    &MANIFESTS_DUE,
    &MANIFESTS_BEGUN,
    &LANES_PAUSED,
    &LANES_FAILING,
    &LANES_RETRY,
    &DELIVERIES_DUE,
    &NODES_FAR,
];

/// The latest times that a correct clock can have written. Later ones come from a wrong clock.
pub struct Bounds {
    pub now: Timestamp,
    /// The last time at which a carrier may have received a request. No purchase can be ambiguous since a later time.
    pub asked_until: Timestamp,
    /// The latest time until which work other than deliveries may wait.
    pub rest_until: Timestamp,
    /// The latest time until which a delivery or an endpoint may wait.
    pub delivery_rest_until: Timestamp,
    /// The latest time at which the lease of a node may end.
    pub lease_until: Timestamp,
}

/// Returns the database's own time, if it has a clock.
pub async fn database_time(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    moment(tx.one(&DATABASE_TIME, &[]).await?)
}

/// Returns when the newest event of all logs was written.
pub async fn newest_event(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    moment(tx.one(&NEWEST_EVENT, &[]).await?)
}

/// Makes work due now that is due after the bounds, and ends leases that end after them. Returns the number of
/// changed rows.
///
/// Such a lease may belong to a live node whose clock is wrong. Another node then claims its work, which raises the
/// fences: the first node can record nothing more under its old claims, and may not call a carrier for them.
pub async fn repair(tx: &mut Tx<'_>, bounds: &Bounds) -> Result<u64> {
    let Bounds { now, asked_until, rest_until, delivery_rest_until, lease_until } = bounds;
    let mut changed = 0;
    for (sql, beyond) in [
        (&PURCHASES_DUE, rest_until),
        (&FOLLOW_UP_DUE, rest_until),
        (&LABELS_DUE, rest_until),
        (&MANIFESTS_DUE, rest_until),
        (&LANES_PAUSED, delivery_rest_until),
        (&LANES_RETRY, delivery_rest_until),
        (&DELIVERIES_DUE, delivery_rest_until),
    ] {
        changed += tx.execute(sql, &[(*now).into(), (*beyond).into()]).await?;
    }
    changed += tx.execute(&PURCHASES_UNKNOWN, &[(*asked_until).into()]).await?;
    for sql in [&LABELS_TOLD, &BATCHES_TOLD, &MANIFESTS_BEGUN, &LANES_FAILING] {
        changed += tx.execute(sql, &[(*now).into()]).await?;
    }
    Ok(changed + tx.execute(&NODES_FAR, &[INSTALLATION.into(), (*lease_until).into()]).await?)
}

fn moment(row: Option<Row>) -> Result<Option<Timestamp>> {
    row.map_or(Ok(None), |mut row| row.moment_or_null(0))
}
