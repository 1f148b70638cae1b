//! The queues of printers: on each, one node or one agent works at a time.
//!
//! Every transaction that changes a job locks the queue of its printer first, so that a queue never forgets that a job waits.

use model::fulfilment::printer::PRINTERS_MAX;
use model::{Id, Owner, Printer, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value};

/// The holder of a queue whose job an agent has claimed.
const AGENT: &str = "agent";

const INSERT: Sql = Sql::same("INSERT INTO print_queue (owner, printer_id, is_agent) VALUES ($1, $2, $3)");
const DELETE: Sql = Sql::same("DELETE FROM print_queue WHERE owner = $1 AND printer_id = $2");
const SET_AGENT: Sql = Sql::same("UPDATE print_queue SET is_agent = $1 WHERE owner = $2 AND printer_id = $3");
const GET: Sql = Sql::same(
    "SELECT owner, printer_id, is_agent, holder, fence FROM print_queue WHERE owner = $1 AND printer_id = $2",
);
const LOCK: Sql = Sql::each(
    "SELECT owner, printer_id, is_agent, holder, fence FROM print_queue WHERE owner = $1 AND printer_id = $2",
    "SELECT owner, printer_id, is_agent, holder, fence FROM print_queue WHERE owner = $1 AND printer_id = $2 FOR UPDATE",
);
/// A queue that is held is looked at again by its holder, so only the moment matters.
const WAKE: Sql = Sql::same(
    "UPDATE print_queue SET due_at = CASE WHEN is_agent = 0 THEN $1 ELSE due_at END,
     ready_at = CASE WHEN is_agent = 1 THEN $1 ELSE ready_at END WHERE owner = $2 AND printer_id = $3",
);
/// Spans organisations.
const ANY_DUE: Sql = Sql::same(
    "SELECT fence FROM print_queue WHERE due_at <= $1
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
/// Spans organisations. An agent is no node, so a queue that an agent holds is claimed once its lease has ended.
const CLAIM: Sql = Sql::each(
    "UPDATE print_queue SET holder = $1, fence = fence + 1 WHERE (owner, printer_id) IN (
         SELECT q.owner, q.printer_id FROM print_queue q WHERE q.due_at <= $2
         AND q.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY q.due_at LIMIT $3)
     RETURNING owner, printer_id, is_agent, holder, fence",
    "UPDATE print_queue SET holder = $1, fence = fence + 1 WHERE ctid = ANY (ARRAY(
         SELECT q.ctid FROM print_queue q WHERE q.due_at <= $2
         AND q.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
         ORDER BY q.due_at LIMIT $3 FOR UPDATE OF q SKIP LOCKED))
     RETURNING owner, printer_id, is_agent, holder, fence",
);
const READY: Sql = Sql::each(
    "SELECT owner, printer_id, is_agent, holder, fence FROM print_queue
     WHERE owner = $1 AND ready_at <= $2 AND is_agent = 1 AND holder = '' ORDER BY ready_at LIMIT $3",
    "SELECT owner, printer_id, is_agent, holder, fence FROM print_queue
     WHERE owner = $1 AND ready_at <= $2 AND is_agent = 1 AND holder = '' ORDER BY ready_at LIMIT $3
     FOR UPDATE SKIP LOCKED",
);
const READY_PRINTERS: Sql = Sql::same(
    "SELECT printer_id FROM print_queue
     WHERE owner = $1 AND ready_at <= $2 AND is_agent = 1 AND holder = '' ORDER BY ready_at LIMIT $3",
);
const TAKE: Sql = Sql::same(
    "UPDATE print_queue SET holder = $1, fence = fence + 1, due_at = $2 WHERE owner = $3 AND printer_id = $4",
);
const RELEASE: Sql = Sql::same(
    "UPDATE print_queue SET holder = '', due_at = $1, ready_at = $2 WHERE owner = $3 AND printer_id = $4",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &DELETE,
    &SET_AGENT,
    &GET,
    &LOCK,
    &WAKE,
    &ANY_DUE,
    &CLAIM,
    &READY,
    &READY_PRINTERS,
    &TAKE,
    &RELEASE,
];

/// The queue of a printer.
#[derive(Clone, Debug)]
pub struct PrintQueue {
    pub owner: Owner,
    pub printer: Id<Printer>,
    /// Whether an agent prints its jobs.
    pub is_agent: bool,
    holder: String,
    pub fence: i64,
}

impl PrintQueue {
    /// Whether the queue is still held under this claim of a node.
    pub fn is_held_by(&self, claim: &PrintQueue) -> bool {
        self.fence == claim.fence && self.holder == claim.holder && !self.holder.is_empty()
    }

    /// Whether an agent holds the queue under this fence.
    pub fn is_held_by_agent(&self, fence: i64) -> bool {
        self.holder == AGENT && self.fence == fence
    }
}

pub async fn insert(tx: &mut Tx<'_>, owner: Owner, printer: Id<Printer>, is_agent: bool) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), printer.into(), Value::Int(is_agent.into())]).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, printer: Id<Printer>) -> Result<()> {
    tx.send(&DELETE, &[owner.into(), printer.into()]).await
}

/// Sets whether an agent prints the jobs. There must be none that are not finished.
pub async fn set_agent(tx: &mut Tx<'_>, owner: Owner, printer: Id<Printer>, is_agent: bool) -> Result<()> {
    tx.send(&SET_AGENT, &[Value::Int(is_agent.into()), owner.into(), printer.into()]).await
}

/// Returns the queue of a printer, as it is now.
pub async fn get(tx: &mut Tx<'_>, owner: Owner, printer: Id<Printer>) -> Result<Option<PrintQueue>> {
    tx.one(&GET, &[owner.into(), printer.into()]).await?.map(read).transpose()
}

/// Locks the queue until this transaction ends. `None` if there is no such printer.
pub async fn lock(tx: &mut Tx<'_>, owner: Owner, printer: Id<Printer>) -> Result<Option<PrintQueue>> {
    tx.one(&LOCK, &[owner.into(), printer.into()]).await?.map(read).transpose()
}

/// Makes the queue due: a job waits.
pub async fn wake(tx: &mut Tx<'_>, owner: Owner, printer: Id<Printer>, now: Timestamp) -> Result<()> {
    tx.send(&WAKE, &[now.into(), owner.into(), printer.into()]).await
}

/// Spans organisations: returns whether there is a due queue that no living node holds.
pub async fn any_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_DUE, &[now.into()]).await?.is_some())
}

/// Spans organisations: claims due queues.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<PrintQueue>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(read).collect()
}

/// Returns the printers of the owner that an agent may claim a job of.
pub async fn ready_printers(tx: &mut Tx<'_>, owner: Owner, now: Timestamp) -> Result<Vec<Id<Printer>>> {
    let values = [owner.into(), now.into(), Value::Int(PRINTERS_MAX as i64)];
    tx.all(&READY_PRINTERS, &values).await?.into_iter().map(|mut row| row.id(0)).collect()
}

/// Locks the queues of the owner that an agent may claim a job of.
pub async fn ready(tx: &mut Tx<'_>, owner: Owner, now: Timestamp) -> Result<Vec<PrintQueue>> {
    let rows = tx.all(&READY, &[owner.into(), now.into(), Value::Int(PRINTERS_MAX as i64)]).await?;
    rows.into_iter().map(read).collect()
}

/// Has an agent hold a locked queue until its lease ends, and returns the fence of the claim.
pub async fn take(tx: &mut Tx<'_>, queue: &PrintQueue, lease_expires_at: Timestamp) -> Result<i64> {
    let values = [AGENT.into(), lease_expires_at.into(), queue.owner.into(), queue.printer.into()];
    tx.send(&TAKE, &values).await?;
    Ok(queue.fence + 1)
}

/// Releases a locked queue until its next job is due, or until one is made if `due_at` is `None`.
pub async fn release(tx: &mut Tx<'_>, queue: &PrintQueue, due_at: Option<Timestamp>) -> Result<()> {
    let (due_at, ready_at) = if queue.is_agent { (None, due_at) } else { (due_at, None) };
    tx.send(&RELEASE, &[due_at.into(), ready_at.into(), queue.owner.into(), queue.printer.into()]).await
}

/// Releases a locked queue. It is due again at this time.
pub async fn release_due(tx: &mut Tx<'_>, queue: &PrintQueue, due_at: Timestamp) -> Result<()> {
    tx.send(&RELEASE, &[due_at.into(), Value::Null, queue.owner.into(), queue.printer.into()]).await
}

fn read(mut row: Row) -> Result<PrintQueue> {
    Ok(PrintQueue {
        owner: row.owner(0)?,
        printer: row.id(1)?,
        is_agent: row.int(2)? == 1,
        holder: row.text(3)?,
        fence: row.int(4)?,
    })
}
