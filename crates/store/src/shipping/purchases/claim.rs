//! Due purchases and follow-ups, and the claims of nodes on them.

use model::{Batch, CarrierAccount, Error, Id, Owner, PurchaseAttempt, Result, Timestamp};

use super::purchase::{Purchase, columns, read};
use crate::platform::engine::{Row, Sql, Tx, Value, stops, taken};
use crate::platform::restorations;

/// The condition that a purchase is no suspect. A purchase that one server held when it stopped, and that was released since
/// then without an answer of its carrier, is none.
macro_rules! unsuspected {
    ($purchase:literal) => {
        concat!("(", $purchase, "crashes = 0 OR (", $purchase, "crashes = 1 AND ", $purchase, "holder = ''))")
    };
}

/// Spans organisations. The first of each lane come first, so that the rest of a lane with thousands is not even
/// read.
pub(super) const DUE: Sql = Sql::same(concat!(
    "SELECT owner, id, account_id, batch_id FROM (
         SELECT p.owner, p.id, p.account_id, p.batch_id, p.due_at,
             ROW_NUMBER() OVER (PARTITION BY p.owner, p.account_id, p.batch_id ORDER BY p.due_at, p.id) AS place
         FROM purchase p WHERE p.due_at <= $1 AND p.is_follow_up = 0 AND ",
    unsuspected!("p."),
    " AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1)) due
     WHERE place <= $2 ORDER BY place, due_at LIMIT $3"
));
/// Spans organisations. `$3` lists owners and ids as JSON. Rows are found by these, and not (`+`) by the time when
/// they are due. A purchase that changed between being read and being locked may be left for the next claim. `$4` is
/// 1 to claim follow-ups.
pub(super) const CLAIM: Sql = Sql::each(
    concat!(
        "UPDATE purchase SET ",
        taken!(),
        ", starts = 0 WHERE +due_at <= $2 AND ",
        unsuspected!(""),
        " AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         AND (owner, id) IN (SELECT value ->> 0, value ->> 1 FROM json_each($3)) AND is_follow_up = $4
         RETURNING ",
        columns!()
    ),
    concat!(
        "UPDATE purchase SET ",
        taken!(),
        ", starts = 0 WHERE ctid = ANY (ARRAY(
             SELECT due.ctid FROM jsonb_array_elements($3::text::jsonb) AS wanted
             CROSS JOIN LATERAL (
                 SELECT p.ctid FROM purchase p WHERE p.owner = wanted ->> 0 AND p.id = wanted ->> 1
                 AND p.due_at + 0 <= $2 AND p.is_follow_up = $4 AND ",
        unsuspected!("p."),
        " AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
                 FOR UPDATE SKIP LOCKED) due))
         RETURNING ",
        columns!()
    ),
);
/// Spans organisations.
pub(super) const FOLLOW_UPS: Sql = Sql::same(concat!(
    "SELECT owner, id, account_id FROM purchase WHERE due_at <= $1 AND is_follow_up = 1 AND ",
    unsuspected!(""),
    " AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1)
     ORDER BY due_at LIMIT $2"
));
/// Spans organisations. Steps through the index from account to account, and reads the first few of each: the other
/// due rows of an account with thousands are not read. `$3` lists the accounts to leave out as JSON. The time is compared
/// together with the account, because PostgreSQL would otherwise use the index on `due_at` alone for some accounts.
pub(super) const FOLLOW_UPS_BY_ACCOUNT: Sql = Sql::each(
    concat!(
        "WITH RECURSIVE account (id) AS (
         SELECT '' UNION ALL SELECT (
             SELECT p.account_id FROM purchase p
             WHERE p.account_id > account.id AND p.due_at IS NOT NULL AND p.is_follow_up = 1
             ORDER BY p.account_id LIMIT 1) FROM account WHERE account.id IS NOT NULL)
     SELECT p.owner, p.id, p.account_id FROM account CROSS JOIN purchase p WHERE p.rowid IN (
         SELECT due.rowid FROM purchase due
         WHERE due.account_id = account.id AND due.due_at <= $1 AND due.is_follow_up = 1 AND ",
        unsuspected!("due."),
        " AND due.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1)
         ORDER BY due.due_at LIMIT $2)
     AND account.id NOT IN (SELECT value FROM json_each($3))
     ORDER BY p.due_at LIMIT $4"
    ),
    concat!(
        "WITH RECURSIVE account (id) AS (
         SELECT ''::text COLLATE \"C\" UNION ALL SELECT (
             SELECT p.account_id FROM purchase p
             WHERE p.account_id > account.id AND p.due_at IS NOT NULL AND p.is_follow_up = 1
             ORDER BY p.account_id, p.due_at LIMIT 1) FROM account WHERE account.id IS NOT NULL)
     SELECT due.owner, due.id, due.account_id FROM account CROSS JOIN LATERAL (
         SELECT p.owner, p.id, p.account_id, p.due_at FROM purchase p
         WHERE p.account_id = account.id AND (p.account_id, p.due_at) <= (account.id, $1::bigint)
         AND p.due_at IS NOT NULL AND p.is_follow_up = 1 AND ",
        unsuspected!("p."),
        " AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1)
         ORDER BY p.account_id, p.due_at LIMIT $2) due
     WHERE account.id <> ALL (ARRAY(SELECT jsonb_array_elements_text($3::text::jsonb)))
     ORDER BY due.due_at LIMIT $4"
    ),
);
/// Spans organisations. `$2` lists the accounts to leave out as JSON. What is unfinished has an index of its own.
pub(super) const UNFINISHED: Sql = Sql::each(
    concat!(
        "SELECT owner, id, account_id FROM purchase WHERE due_at <= $1 AND is_follow_up = 1 AND is_tracking = 0
     AND account_id NOT IN (SELECT value FROM json_each($2)) AND ",
        unsuspected!(""),
        " AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1)
     ORDER BY due_at LIMIT $3"
    ),
    concat!(
        "SELECT owner, id, account_id FROM purchase WHERE due_at <= $1 AND is_follow_up = 1 AND is_tracking = 0
     AND account_id <> ALL (ARRAY(SELECT jsonb_array_elements_text($2::text::jsonb))) AND ",
        unsuspected!(""),
        " AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1)
     ORDER BY due_at LIMIT $3"
    ),
);
/// Spans organisations. Claims one suspect of at most `$3` stops, whether it is a purchase or a follow-up. Those with the
/// fewest stops come first: most of them are innocent, and soon done.
pub(super) const CLAIM_SUSPECT: Sql = Sql::each(
    concat!(
        "UPDATE purchase SET ",
        taken!(),
        ", starts = 0 WHERE rowid IN (
             SELECT p.rowid FROM purchase p WHERE p.crashes > 0 AND p.due_at <= $2 AND ",
        stops!("p."),
        " BETWEEN 2 AND $3
             AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY p.crashes, p.due_at LIMIT 1)
         RETURNING ",
        columns!()
    ),
    concat!(
        "UPDATE purchase SET ",
        taken!(),
        ", starts = 0 WHERE ctid = ANY (ARRAY(
             SELECT p.ctid FROM purchase p WHERE p.crashes > 0 AND p.due_at <= $2 AND ",
        stops!("p."),
        " BETWEEN 2 AND $3
             AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY p.crashes, p.due_at LIMIT 1 FOR UPDATE SKIP LOCKED))
         RETURNING ",
        columns!()
    ),
);
/// Spans organisations. Counts the start of a server for each suspect. After `$1` starts, a suspect is none any more. What another
/// server has locked is left out: waiting for it could be a deadlock, because that server locks rows in an order of its own.
pub(super) const COUNT_START: Sql = Sql::each(
    "UPDATE purchase SET crashes = CASE WHEN starts < $1 THEN crashes ELSE 0 END,
         starts = CASE WHEN starts < $1 THEN starts + 1 ELSE 0 END
     WHERE crashes > 0 AND due_at <= $2
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)",
    "UPDATE purchase SET crashes = CASE WHEN starts < $1 THEN crashes ELSE 0 END,
         starts = CASE WHEN starts < $1 THEN starts + 1 ELSE 0 END
     WHERE ctid = ANY (ARRAY(
         SELECT p.ctid FROM purchase p WHERE p.crashes > 0 AND p.due_at <= $2
         AND p.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         FOR UPDATE SKIP LOCKED))",
);
pub(super) const AWAITED: Sql = Sql::same(
    "SELECT COUNT(*) FROM (SELECT 1 FROM purchase WHERE owner = $1 AND batch_id = $2 LIMIT $3) awaited",
);

/// A due purchase or follow-up that no live node holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Due {
    pub owner: Owner,
    pub id: Id<PurchaseAttempt>,
    pub account: Id<CarrierAccount>,
    pub batch: Option<Id<Batch>>,
}

/// Returns due purchases that no live node holds, without follow-ups: the first `lane_max` of each lane, and at most
/// `max` in total.
pub async fn due(tx: &mut Tx<'_>, now: Timestamp, lane_max: usize, max: usize) -> Result<Vec<Due>> {
    let values = [now.into(), Value::Int(lane_max as i64), Value::Int(max as i64)];
    let read = |mut row: Row| {
        Ok(Due { owner: row.owner(0)?, id: row.id(1)?, account: row.id(2)?, batch: row.id_or_null(3)? })
    };
    tx.all(&DUE, &values).await?.into_iter().map(read).collect()
}

/// Claims these purchases, except those that another node has claimed meanwhile. Claims none if the database was
/// restored or promoted and no heartbeat has recorded that yet.
pub async fn claim(tx: &mut Tx<'_>, node: &str, due: &[Due], now: Timestamp) -> Result<Vec<Purchase>> {
    if !restorations::is_in_place(tx).await? {
        return Ok(Vec::new());
    }
    claim_listed(tx, node, due, now, false).await
}

/// Returns the follow-ups that no live node holds and that have been due for the longest: late labels, duplicates to
/// void, tracking.
pub async fn follow_ups(tx: &mut Tx<'_>, now: Timestamp, max: usize) -> Result<Vec<Due>> {
    let rows = tx.all(&FOLLOW_UPS, &[now.into(), Value::Int(max as i64)]).await?;
    rows.into_iter().map(read_follow_up).collect()
}

/// Returns the follow-ups that are due and lack their label or have a duplicate to void, the one that is due longest first.
/// Leaves out the accounts in `barred`.
pub async fn unfinished(
    tx: &mut Tx<'_>,
    now: Timestamp,
    barred: &[Id<CarrierAccount>],
    max: usize,
) -> Result<Vec<Due>> {
    let values = [now.into(), account_list(barred)?, Value::Int(max as i64)];
    tx.all(&UNFINISHED, &values).await?.into_iter().map(read_follow_up).collect()
}

/// Returns follow-ups as [`follow_ups`] does, but at most `account_max` of each account, and none of the accounts in
/// `barred`. Costs a look-up for each account with follow-ups.
pub async fn follow_ups_by_account(
    tx: &mut Tx<'_>,
    now: Timestamp,
    account_max: usize,
    barred: &[Id<CarrierAccount>],
    max: usize,
) -> Result<Vec<Due>> {
    let values = [now.into(), Value::Int(account_max as i64), account_list(barred)?, Value::Int(max as i64)];
    tx.all(&FOLLOW_UPS_BY_ACCOUNT, &values).await?.into_iter().map(read_follow_up).collect()
}

/// Returns accounts as a JSON array of their ids.
fn account_list(accounts: &[Id<CarrierAccount>]) -> Result<Value> {
    let ids: Vec<_> = accounts.iter().map(ToString::to_string).collect();
    Ok(serde_json::to_string(&ids).map_err(Error::fault)?.into())
}

/// A follow-up belongs to no batch any more: an account's follow-ups are one lane.
fn read_follow_up(mut row: Row) -> Result<Due> {
    Ok(Due { owner: row.owner(0)?, id: row.id(1)?, account: row.id(2)?, batch: None })
}

/// Claims these follow-ups, except those that another node has claimed meanwhile.
pub async fn claim_follow_ups(
    tx: &mut Tx<'_>,
    node: &str,
    due: &[Due],
    now: Timestamp,
) -> Result<Vec<Purchase>> {
    claim_listed(tx, node, due, now, true).await
}

async fn claim_listed(
    tx: &mut Tx<'_>,
    node: &str,
    due: &[Due],
    now: Timestamp,
    is_follow_up: bool,
) -> Result<Vec<Purchase>> {
    let list: Vec<_> = due.iter().map(|due| [due.owner.to_string(), due.id.to_string()]).collect();
    let list = serde_json::to_string(&list).map_err(Error::fault)?;
    let values = [node.into(), now.into(), list.into(), Value::Int(is_follow_up.into())];
    tx.all(&CLAIM, &values).await?.into_iter().map(|row| read(row, 0)).collect()
}

/// Claims a suspect of at most `stops_max` stops, if there is one. Claims none if the database was restored or promoted and no
/// heartbeat has recorded that yet.
pub async fn claim_suspect(
    tx: &mut Tx<'_>,
    node: &str,
    now: Timestamp,
    stops_max: i64,
) -> Result<Option<Purchase>> {
    if !restorations::is_in_place(tx).await? {
        return Ok(None);
    }
    let values = [node.into(), now.into(), stops_max.into()];
    tx.one(&CLAIM_SUSPECT, &values).await?.map(|row| read(row, 0)).transpose()
}

/// Counts the start of a server for each suspect that no living node holds. One that was not claimed during `starts_max` starts
/// is a suspect no longer: it is claimed like any other.
pub async fn count_start(tx: &mut Tx<'_>, now: Timestamp, starts_max: i64) -> Result<()> {
    tx.send(&COUNT_START, &[starts_max.into(), now.into()]).await
}

/// Returns the number of purchases that a batch waits for, at most `max`.
pub async fn awaited(tx: &mut Tx<'_>, owner: Owner, batch: Id<Batch>, max: usize) -> Result<usize> {
    let row = tx.one(&AWAITED, &[owner.into(), batch.into(), Value::Int(max as i64)]).await?;
    let count = row.map(|mut row| row.int(0)).transpose()?.unwrap_or_default();
    Ok(usize::try_from(count).unwrap_or_default())
}
