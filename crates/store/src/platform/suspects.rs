//! Suspects: work that servers held when they stopped, twice in a row. Each kind of work is claimed by its own module.

use model::{Result, Timestamp};

use crate::platform::engine::{Sql, Tx, Value};

/// The parameter of a claim that takes only suspects, and of one that takes everything else.
pub(crate) const SUSPECTS: Value = Value::Int(1);
pub(crate) const OTHERS: Value = Value::Int(0);

/// Spans organisations. It also finds stream relays that have no event to send at the moment, which a claim then
/// skips.
const ANY: Sql = Sql::same(
    "SELECT holder FROM (
         SELECT holder FROM manifest WHERE crashes > 0 AND due_at <= $1
         UNION ALL SELECT holder FROM batch_labels WHERE crashes > 0 AND due_at <= $1
         UNION ALL SELECT holder FROM stream_relay WHERE crashes > 0) suspect
     WHERE holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&ANY];

/// Returns whether there may be a suspect that no living node holds.
pub async fn any(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY, &[now.into()]).await?.is_some())
}
