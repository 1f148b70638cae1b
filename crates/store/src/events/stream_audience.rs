//! The users who may be connected to an external stream server, by resource: those who got a token lately.

use model::{Id, Owner, Result, Timestamp, User};

use crate::platform::engine::{Sql, Tx, Value};

/// `$4` lists the resources: `["orders", …]`. A user who gets a new token is no longer to be disconnected.
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
/// Only rows with this code: a user who was admitted again meanwhile stays.
const FORGET: Sql =
    Sql::same("DELETE FROM stream_audience WHERE owner = $1 AND user_id = $2 AND ending_code = $3");
const KEEP: Sql = Sql::same(
    "UPDATE stream_audience SET ending_code = 0 WHERE owner = $1 AND user_id = $2 AND ending_code = $3",
);
/// Spans organisations: users whose last token expired long ago.
const DELETE_OLD: Sql = Sql::each(
    "DELETE FROM stream_audience WHERE (owner, user_id, resource) IN (
         SELECT owner, user_id, resource FROM stream_audience WHERE until < $1 AND ending_code = 0 ORDER BY until LIMIT $2)",
    "DELETE FROM stream_audience WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM stream_audience WHERE until < $1 AND ending_code = 0 ORDER BY until LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&ADMIT, &LISTENING, &END, &ENDING, &FORGET, &KEEP, &DELETE_OLD];

/// A user to disconnect.
#[derive(Clone, Copy)]
pub struct Ending {
    pub owner: Owner,
    pub user: Id<User>,
    pub code: i64,
}

/// Records that the user may be connected to these resources (`["orders", …]`) until the given time.
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

/// Returns the connected users and their resources, except for users who are to be disconnected with this final code.
pub async fn listening(
    tx: &mut Tx<'_>,
    owner: Owner,
    now: Timestamp,
    final_code: i64,
) -> Result<Vec<(String, String)>> {
    let rows = tx.all(&LISTENING, &[owner.into(), now.into(), final_code.into()]).await?;
    rows.into_iter().map(|mut row| Ok((row.text(0)?, row.text(1)?))).collect()
}

/// Marks the user, or all users of the owner, to be disconnected.
pub async fn end(tx: &mut Tx<'_>, owner: Owner, user: Option<Id<User>>, code: i64) -> Result<()> {
    tx.send(&END, &[code.into(), owner.into(), user.into()]).await
}

/// Spans organisations: returns up to `limit` users to disconnect.
pub async fn ending(tx: &mut Tx<'_>, limit: usize) -> Result<Vec<Ending>> {
    let rows = tx.all(&ENDING, &[Value::Int(limit as i64)]).await?;
    let ending = |mut row: crate::platform::engine::Row| {
        Ok(Ending { owner: row.owner(0)?, user: row.id(1)?, code: row.int(2)? })
    };
    rows.into_iter().map(ending).collect()
}

/// Records that the user was disconnected: finally, or in order to return with another token.
pub async fn ended(tx: &mut Tx<'_>, ending: Ending, is_final: bool) -> Result<()> {
    let values = [ending.owner.into(), ending.user.into(), ending.code.into()];
    tx.send(if is_final { &FORGET } else { &KEEP }, &values).await
}

/// Spans organisations: deletes users whose last token expired long ago.
pub async fn delete_old(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_OLD, &[before.into(), limit.into()]).await
}
