//! Suspects: work that servers held when they stopped, twice in a row. Each kind of work is claimed by its own module.

use model::{Result, Timestamp};

use crate::platform::engine::{Sql, Tx, Value, stops};

/// The parameter of a claim that takes only suspects, and of one that takes everything else.
pub(crate) const SUSPECTS: Value = Value::Int(1);
pub(crate) const OTHERS: Value = Value::Int(0);

/// Spans organisations. `$2` is the largest number of stops that a purchase or a lane may have. It also finds stream relays
/// that have no event to send at the moment, which a claim then skips.
const ANY: Sql = Sql::same(concat!(
    "SELECT holder FROM (
         SELECT holder FROM manifest WHERE crashes > 0 AND due_at <= $1
         UNION ALL SELECT holder FROM batch_labels WHERE crashes > 0 AND due_at <= $1
         UNION ALL SELECT holder FROM stream_relay WHERE crashes > 0
         UNION ALL SELECT holder FROM purchase
             WHERE crashes > 0 AND due_at <= $1 AND ",
    stops!(""),
    " BETWEEN 2 AND $2
         UNION ALL SELECT l.holder FROM webhook_lane l LEFT JOIN event_head h ON h.owner = l.owner
             WHERE l.crashes > 0 AND l.is_open = 1 AND ",
    stops!("l."),
    " <= $2
             AND ((l.paused_until <= $1 AND l.cursor < h.sequence) OR l.retry_at <= $1)) suspect
     WHERE holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1"
));

pub(crate) const STATEMENTS: &[&Sql] = &[&ANY];

/// Returns whether there may be a suspect that no living node holds: of the purchases and lanes, one of at most `stops_max`
/// stops.
pub async fn any(tx: &mut Tx<'_>, now: Timestamp, stops_max: i64) -> Result<bool> {
    Ok(tx.one(&ANY, &[now.into(), stops_max.into()]).await?.is_some())
}
