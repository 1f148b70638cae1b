//! Who may be listening at an external server of streams: users who had a token lately, by resource.

use model::{Id, Owner, Result, Timestamp, User};

use crate::engine::{Sql, Tx, Value};

/// `$4` names the resources: `["orders", …]`. Whoever comes back is not sent away any more.
const ADMIT: Sql = Sql::each(
    "INSERT INTO stream_audience (owner, user_id, resource, until)
     SELECT $1, $2, value, $3 FROM json_each($4) WHERE true
     ON CONFLICT (owner, user_id, resource)
     DO UPDATE SET until = max(stream_audience.until, excluded.until), ending_code = 0",
    "INSERT INTO stream_audience (owner, user_id, resource, until)
     SELECT $1, $2, value, $3::bigint FROM json_array_elements_text($4::text::json) w(value)
     ON CONFLICT (owner, user_id, resource)
     DO UPDATE SET until = greatest(stream_audience.until, excluded.until), ending_code = 0",
);
const LISTENING: Sql = Sql::same(
    "SELECT user_id, resource FROM stream_audience
     WHERE owner = $1 AND until > $2 AND ending_code <> $3 ORDER BY user_id",
);
const END: Sql = Sql::same(
    "UPDATE stream_audience SET ending_code = $1
     WHERE owner = $2 AND (CAST($3 AS TEXT) IS NULL OR user_id = $3)",
);
/// Spans organisations.
const ENDING: Sql = Sql::same(
    "SELECT DISTINCT owner, user_id, ending_code FROM stream_audience WHERE ending_code > 0 LIMIT $1",
);
/// Only what was to end for this reason: who was admitted again meanwhile stays.
const FORGET: Sql =
    Sql::same("DELETE FROM stream_audience WHERE owner = $1 AND user_id = $2 AND ending_code = $3");
const KEEP: Sql = Sql::same(
    "UPDATE stream_audience SET ending_code = 0 WHERE owner = $1 AND user_id = $2 AND ending_code = $3",
);
/// Spans organisations: those who had no token for long.
const DELETE_OLD: Sql = Sql::same("DELETE FROM stream_audience WHERE until < $1 AND ending_code = 0");

pub(crate) const STATEMENTS: &[&Sql] = &[&ADMIT, &LISTENING, &END, &ENDING, &FORGET, &KEEP, &DELETE_OLD];

/// Somebody who must be sent away.
#[derive(Clone, Copy)]
pub struct Ending {
    pub owner: Owner,
    pub user: Id<User>,
    pub code: i64,
}

/// The user may listen to these resources (`["orders", …]`) until then.
pub async fn admit(
    tx: &mut Tx<'_>,
    owner: Owner,
    user: Id<User>,
    resources: &str,
    until: Timestamp,
) -> Result<()> {
    let values = [owner.into(), user.into(), until.into(), resources.into()];
    tx.send(&ADMIT, &values).await
}

/// Who listens to what, except those who are sent away for good with this code.
pub async fn listening(
    tx: &mut Tx<'_>,
    owner: Owner,
    now: Timestamp,
    final_code: i64,
) -> Result<Vec<(String, String)>> {
    let rows = tx.all(&LISTENING, &[owner.into(), now.into(), final_code.into()]).await?;
    rows.into_iter().map(|mut row| Ok((row.text(0)?, row.text(1)?))).collect()
}

/// The user, or everyone of the owner, must be sent away.
pub async fn end(tx: &mut Tx<'_>, owner: Owner, user: Option<Id<User>>, code: i64) -> Result<()> {
    tx.send(&END, &[code.into(), owner.into(), user.into()]).await
}

/// Spans organisations: some of those who must be sent away.
pub async fn ending(tx: &mut Tx<'_>, limit: usize) -> Result<Vec<Ending>> {
    let rows = tx.all(&ENDING, &[Value::Int(limit as i64)]).await?;
    let ending = |mut row: crate::engine::Row| {
        Ok(Ending { owner: row.owner(0)?, user: row.id(1)?, code: row.int(2)? })
    };
    rows.into_iter().map(ending).collect()
}

/// They were sent away: for good, or to come back with another token.
pub async fn ended(tx: &mut Tx<'_>, ending: Ending, is_final: bool) -> Result<()> {
    let values = [ending.owner.into(), ending.user.into(), ending.code.into()];
    tx.send(if is_final { &FORGET } else { &KEEP }, &values).await
}

/// Spans organisations: forgets those who had no token for long.
pub async fn delete_old(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[before.into()]).await
}
