//! The running servers. Each has a lease. While it lasts, the server's claims are valid. Once it has expired, other
//! nodes may claim the work.

use model::{Result, Timestamp};

use crate::platform::engine::{Sql, Tx};
use crate::platform::installation::INSTALLATION;

const INSERT: Sql = Sql::same("INSERT INTO node (owner, id, alive_until) VALUES ($1, $2, $3)");
/// Only an unexpired lease is extended: a node that was frozen for too long has lost its claims, and must not regain
/// them.
const EXTEND: Sql =
    Sql::same("UPDATE node SET alive_until = $1 WHERE owner = $2 AND id = $3 AND alive_until > $4");
const DELETE: Sql = Sql::same("DELETE FROM node WHERE owner = $1 AND id = $2");
const DELETE_DEAD: Sql = Sql::same("DELETE FROM node WHERE owner = $1 AND alive_until <= $2");
const DELETE_ALL: Sql = Sql::same("DELETE FROM node WHERE owner = $1");

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &EXTEND, &DELETE, &DELETE_DEAD, &DELETE_ALL];

pub async fn insert(tx: &mut Tx<'_>, node: &str, alive_until: Timestamp) -> Result<()> {
    tx.send(&INSERT, &[INSTALLATION.into(), node.into(), alive_until.into()]).await
}

/// Extends a node's lease. Returns false if it has expired.
pub async fn extend(tx: &mut Tx<'_>, node: &str, until: Timestamp, now: Timestamp) -> Result<bool> {
    let values = [until.into(), INSTALLATION.into(), node.into(), now.into()];
    Ok(tx.execute(&EXTEND, &values).await? > 0)
}

pub async fn delete(tx: &mut Tx<'_>, node: &str) -> Result<()> {
    tx.send(&DELETE, &[INSTALLATION.into(), node.into()]).await
}

/// Deletes nodes whose lease expired long ago.
pub async fn delete_dead(tx: &mut Tx<'_>, before: Timestamp) -> Result<()> {
    tx.send(&DELETE_DEAD, &[INSTALLATION.into(), before.into()]).await
}

/// Deletes all nodes, for a database that only one process can open, or that was restored. A running node takes a new
/// id with its next heartbeat.
pub async fn delete_all(tx: &mut Tx<'_>) -> Result<()> {
    tx.send(&DELETE_ALL, &[INSTALLATION.into()]).await
}
