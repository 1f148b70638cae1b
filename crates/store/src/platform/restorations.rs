//! Detection of a restored backup.
//!
//! Servers advance a mark with each heartbeat, and also store it outside of the database. If the database's mark is
//! behind that copy, or was written in another place, the database is an older state: carriers may know purchases
//! that it does not have.

use model::{Result, Timestamp};

use crate::platform::engine::{Sql, Tx};
use crate::platform::installation::{self, INSTALLATION};
use crate::platform::nodes;

/// The name of the mark in the installation's texts.
const MARK: &str = "mark";
/// The place in the mark of a backup. No database has this one.
const BACKUP_PLACE: &str = "a backup";

const LAST: Sql =
    Sql::same("SELECT restored_at FROM restoration WHERE owner = $1 ORDER BY restored_at DESC LIMIT 1");
const INSERT: Sql = Sql::same(
    "INSERT INTO restoration (owner, restored_at, reason) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
/// Locked on PostgreSQL: if two nodes find the same restored backup, the second sees that the first has recorded it.
const GET_MARK: Sql = Sql::each(
    "SELECT value FROM installation WHERE owner = $1 AND name = $2",
    "SELECT value FROM installation WHERE owner = $1 AND name = $2 FOR UPDATE",
);
/// All servers lock the mark with each heartbeat. If a server stops while it holds the lock, its transaction is
/// rolled back long before the leases of the others expire.
const LIMIT_IDLENESS: Sql =
    Sql::each("", "SELECT set_config('idle_in_transaction_session_timeout', '3s', true)");
const MARK_PLACE: Sql = Sql::each(
    "SELECT json_extract(value, '$.place') FROM installation WHERE owner = $1 AND name = $2",
    "SELECT value::json ->> 'place' FROM installation WHERE owner = $1 AND name = $2",
);
/// Not on PostgreSQL: its own programs make the copies.
const DISPLACE: Sql = Sql::each(
    "UPDATE installation SET value = json_set(value, '$.place', $1) WHERE owner = $2 AND name = $3",
    "",
);
/// Waits for the transactions that write purchases, so that none of them commits a purchase that the next statement
/// does not see.
const LOCK_PURCHASES: Sql = Sql::each("", "LOCK TABLE purchase IN SHARE ROW EXCLUSIVE MODE");
/// The lock that writing a purchase takes, taken before the last restoration is read. Otherwise a restoration could
/// commit between the read and the write, and the purchase would be written as unambiguous.
const LOCK_OUT_RESTORATION: Sql = Sql::each("", "LOCK TABLE purchase IN ROW EXCLUSIVE MODE");
/// Spans organisations. The fence goes up, so a node that holds such a purchase loses it. The carrier's own name of the
/// purchase is deleted, because the lost database may have bought it under another name.
const DOUBT: Sql = Sql::same(
    "UPDATE purchase SET state = 'checking', unknown_at = $1, due_at = $1, holder = '', fence = fence + 1, failures = 0,
         prepared = NULL, updated_at = $1
     WHERE state IN ('ready', 'calling', 'checking')",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LAST,
    &INSERT,
    &GET_MARK,
    &LIMIT_IDLENESS,
    &MARK_PLACE,
    &DISPLACE,
    &LOCK_PURCHASES,
    &LOCK_OUT_RESTORATION,
    &DOUBT,
];

/// Returns when a backup was last restored, if one was. Call before writing the purchase that depends on it, in the
/// same transaction.
pub async fn last(tx: &mut Tx<'_>) -> Result<Option<Timestamp>> {
    tx.send(&LOCK_OUT_RESTORATION, &[]).await?;
    let row = tx.one(&LAST, &[INSTALLATION.into()]).await?;
    row.map(|mut row| row.moment(0)).transpose()
}

/// Records that a backup was restored, and makes every purchase due for a look-up that may have been bought since the
/// backup was made. Returns the number of purchases. For purchases that begin later, the code that begins them reads
/// [`last`].
///
/// All nodes lose their ids. If a node keeps running with a promoted replica, the replica may show it as the holder
/// of work that it has finished and released in the lost database. It would never resume that work, and no other node
/// could claim it.
pub async fn insert(tx: &mut Tx<'_>, now: Timestamp, reason: &str) -> Result<u64> {
    tx.send(&INSERT, &[INSTALLATION.into(), now.into(), reason.into()]).await?;
    tx.send(&LOCK_PURCHASES, &[]).await?;
    nodes::delete_all(tx).await?;
    tx.execute(&DOUBT, &[now.into()]).await
}

/// Returns whether the last heartbeat was written in this place. If not, the database is a restored backup or a
/// promoted replica, and the next heartbeat will record that. Until then nothing may be bought. A database without a
/// mark has had no server yet.
pub async fn is_in_place(tx: &mut Tx<'_>) -> Result<bool> {
    let row = tx.one(&MARK_PLACE, &[INSTALLATION.into(), MARK.into()]).await?;
    let Some(marked) = row.map(|mut row| row.text_or_null(0)).transpose()?.flatten() else { return Ok(true) };
    Ok(tx.place().await? == marked)
}

/// Returns the mark as it was last written, and locks it until this transaction ends. From here on the transaction
/// may not pause for more than three seconds between two statements.
pub async fn mark_for_update(tx: &mut Tx<'_>) -> Result<Option<String>> {
    tx.send(&LIMIT_IDLENESS, &[]).await?;
    let row = tx.one(&GET_MARK, &[INSTALLATION.into(), MARK.into()]).await?;
    row.map(|mut row| row.text(0)).transpose()
}

/// Makes the first heartbeat in this copy of the database find that it was restored, whichever file it is put into: a copy on
/// another machine may get the number of the original file.
pub async fn displace(tx: &mut Tx<'_>) -> Result<()> {
    tx.send(&DISPLACE, &[BACKUP_PLACE.into(), INSTALLATION.into(), MARK.into()]).await
}

pub async fn set_mark(tx: &mut Tx<'_>, mark: &str) -> Result<()> {
    installation::replace(tx, MARK, mark).await
}
