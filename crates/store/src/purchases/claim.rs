//! What is due, and who takes it.

use model::{Batch, CarrierAccount, Error, Id, Owner, PurchaseAttempt, Result, Timestamp};

use super::{Purchase, read};
use crate::engine::{Row, Sql, Tx, Value};

/// Spans organisations. The first of each lane come first: where one has thousands, they are not even read.
pub(super) const DUE: Sql = Sql::same(
    "SELECT owner, id, account_id, batch_id FROM (
         SELECT p.owner, p.id, p.account_id, p.batch_id, p.due_at,
             ROW_NUMBER() OVER (PARTITION BY p.owner, p.account_id, p.batch_id ORDER BY p.due_at, p.id) AS place
         FROM purchase p WHERE p.due_at <= $1 AND p.state <> 'bought'
         AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1)) due
     WHERE place <= $2 ORDER BY place, due_at LIMIT $3",
);
/// Spans organisations. `$3` lists owners and ids as JSON: they are found by these, and not (`+`) by when they are due.
/// One that was changed between being seen and being locked may be left for the next time.
pub(super) const CLAIM: Sql = Sql::each(
    concat!(
        "UPDATE purchase SET holder = $1, fence = fence + 1
         WHERE +due_at <= $2 AND state <> 'bought'
         AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         AND (owner, id) IN (SELECT value ->> 0, value ->> 1 FROM json_each($3))
         RETURNING ",
        columns!()
    ),
    concat!(
        "UPDATE purchase SET holder = $1, fence = fence + 1 WHERE ctid = ANY (ARRAY(
             SELECT due.ctid FROM jsonb_array_elements($3::text::jsonb) AS wanted
             CROSS JOIN LATERAL (
                 SELECT p.ctid FROM purchase p WHERE p.owner = wanted ->> 0 AND p.id = wanted ->> 1
                 AND p.due_at + 0 <= $2 AND p.state <> 'bought'
                 AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
                 FOR UPDATE SKIP LOCKED) due))
         RETURNING ",
        columns!()
    ),
);
/// Spans organisations.
pub(super) const CLAIM_BOUGHT: Sql = Sql::each(
    concat!(
        "UPDATE purchase SET holder = $1, fence = fence + 1
         WHERE (owner, id) IN (
             SELECT p.owner, p.id FROM purchase p WHERE p.due_at <= $2 AND p.state = 'bought'
             AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY p.due_at LIMIT $3)
         RETURNING ",
        columns!()
    ),
    concat!(
        "UPDATE purchase SET holder = $1, fence = fence + 1 WHERE ctid = ANY (ARRAY(
             SELECT p.ctid FROM purchase p WHERE p.due_at <= $2 AND p.state = 'bought'
             AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY p.due_at LIMIT $3 FOR UPDATE SKIP LOCKED))
         RETURNING ",
        columns!()
    ),
);
/// Spans organisations.
pub(super) const ANY_BOUGHT_DUE: Sql = Sql::same(
    "SELECT fence FROM purchase WHERE due_at <= $1 AND state = 'bought'
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
pub(super) const AWAITED: Sql = Sql::same(
    "SELECT COUNT(*) FROM (SELECT 1 FROM purchase WHERE owner = $1 AND batch_id = $2 LIMIT $3) awaited",
);

/// Something to do that no living node is at.
#[derive(Clone, Debug, PartialEq)]
pub struct Due {
    pub owner: Owner,
    pub id: Id<PurchaseAttempt>,
    pub account: Id<CarrierAccount>,
    pub batch: Option<Id<Batch>>,
}

/// What there is to do that no living node is at, but for what was bought already: of each lane the first few, and in all
/// so many at the most.
pub async fn due(tx: &mut Tx<'_>, now: Timestamp, lane_max: usize, max: usize) -> Result<Vec<Due>> {
    let values = [now.into(), Value::Int(lane_max as i64), Value::Int(max as i64)];
    let read = |mut row: Row| {
        Ok(Due { owner: row.owner(0)?, id: row.id(1)?, account: row.id(2)?, batch: row.id_or_null(3)? })
    };
    tx.all(&DUE, &values).await?.into_iter().map(read).collect()
}

/// Takes these, where nobody else did meanwhile.
pub async fn claim(tx: &mut Tx<'_>, node: &str, due: &[Due], now: Timestamp) -> Result<Vec<Purchase>> {
    let list: Vec<_> = due.iter().map(|due| [due.owner.to_string(), due.id.to_string()]).collect();
    let list = serde_json::to_string(&list).map_err(Error::fault)?;
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), list.into()]).await?;
    rows.into_iter().map(|row| read(row, 0)).collect()
}

/// Whether there is anything to do for what was bought.
pub async fn any_bought_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_BOUGHT_DUE, &[now.into()]).await?.is_some())
}

/// Takes what was bought and is to be labelled or tracked.
pub async fn claim_bought(
    tx: &mut Tx<'_>,
    node: &str,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Purchase>> {
    let rows = tx.all(&CLAIM_BOUGHT, &[node.into(), now.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(|row| read(row, 0)).collect()
}

/// For how many purchases a batch waits, counted up to so many.
pub async fn awaited(tx: &mut Tx<'_>, owner: Owner, batch: Id<Batch>, max: usize) -> Result<usize> {
    let row = tx.one(&AWAITED, &[owner.into(), batch.into(), Value::Int(max as i64)]).await?;
    let count = row.map(|mut row| row.int(0)).transpose()?.unwrap_or_default();
    Ok(usize::try_from(count).unwrap_or_default())
}
