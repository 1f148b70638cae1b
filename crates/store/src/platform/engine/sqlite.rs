//! SQLite: one writer thread with group commit, and reader threads with connections of their own.
//!
//! A durable commit costs one sync of the disk, however much it writes. So the writer takes all queued transactions,
//! runs each in a savepoint (a refused one rolls back alone), commits them together, and only then answers the
//! callers. Organisations take turns, for writes and for reads: the queue of one does not delay the others.

pub mod database_file;
pub mod error;
mod jobs;
pub mod snapshot;
pub mod statements;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use model::platform::fair::Tenant;
use model::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;
use tracing::Span;

use super::migrate;
use super::tx::Tx;
use error::fault;
use jobs::{Jobs, Worker};

/// Transactions that may be queued for the writer. Further ones are refused as overloaded.
const WRITES_WAITING_MAX: usize = 4096;
/// Reads that may be queued. Further ones are refused as overloaded.
const READS_WAITING_MAX: usize = 4096;
/// Transactions in one commit. This bounds how long the first of them waits.
const GROUP_MAX: usize = 512;
/// Reads on one snapshot. This bounds how long a snapshot keeps the log of the database from being reset.
const SNAPSHOT_READS_MAX: usize = 64;
/// How long the writer waits for more transactions, if the last group was large.
const GATHER: Duration = Duration::from_micros(300);
/// The size of the last group from which waiting for more pays off.
const GATHER_FROM: usize = 4;
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const STATEMENTS_CACHED: usize = 256;
/// The writer's page cache. A group of transactions that changes more pages than fit writes them to the log before its end, and
/// again when they change again: the 2 MiB of SQLite hold what a dozen orders of a wave change.
const WRITER_CACHE_KIB: usize = 16 * 1024;

/// Runs a transaction. The `answer` in its result tells the caller the outcome, once the commit has ended.
type Write = Box<dyn FnOnce(&mut Connection) -> Ran + Send>;
type Answer = Box<dyn FnOnce(Commit<'_>) + Send>;
type Read = Box<dyn FnOnce(&mut Connection) + Send>;

/// A transaction that ran and is not committed yet.
struct Ran {
    answer: Answer,
    /// Whether the transaction succeeded. If so, the transactions behind it see its changes.
    is_done: bool,
}

/// The outcome of the commit that a group of transactions shares.
#[derive(Clone, Copy)]
enum Commit<'a> {
    Durable,
    /// The whole group was rolled back.
    Failed {
        cause: &'a str,
        /// Whether this transaction saw uncommitted changes of others in its group.
        saw_others: bool,
    },
}

pub struct Sqlite {
    file: PathBuf,
    writes: Jobs<Write>,
    reads: Jobs<Read>,
}

impl Sqlite {
    pub fn open(file: &Path, readers: usize) -> Result<Self> {
        let mut writer = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        writer.execute_batch(&format!("PRAGMA cache_size = -{WRITER_CACHE_KIB}")).map_err(fault)?;
        migrate::sqlite(&mut writer)?;
        let writes = Jobs::new(WRITES_WAITING_MAX);
        let waiting = writes.worker();
        spawn("sqlite-writer", move || write_groups(writer, &waiting))?;
        let reads = Jobs::<Read>::new(READS_WAITING_MAX);
        for number in 0..readers.max(1) {
            let mut reader = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            reader.execute_batch("PRAGMA query_only = ON").map_err(fault)?;
            let waiting = reads.worker();
            spawn(&format!("sqlite-reader-{number}"), move || {
                while let Some((_, read)) = waiting.recv() {
                    read_group(&mut reader, &waiting, read);
                }
            })?;
        }
        Ok(Self { file: file.to_owned(), writes, reads })
    }

    /// Runs a transaction that writes. The span is that of the transaction, which the writer thread enters.
    pub async fn write<T, F>(&self, span: Span, tenant: Tenant, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let job: Write = Box::new(move |connection| {
            if sender.is_closed() {
                // The caller gave up while the job was queued, so no answer is needed.
                return Ran { answer: Box::new(|_| ()), is_done: false };
            }
            let result = span.in_scope(|| in_savepoint(connection, &operation));
            let is_done = result.is_ok();
            let answer: Answer = Box::new(move |commit| {
                let result = match commit {
                    Commit::Failed { cause, saw_others } if saw_others || is_done => {
                        Err(Error::unavailable(cause.to_owned()))
                    }
                    // An error stands even if the commit failed, provided the transaction saw only committed data.
                    _ => result,
                };
                // The caller may be gone. The transaction is committed all the same.
                let _gone = sender.send(result);
            });
            Ran { answer, is_done }
        });
        self.writes.push(tenant, job)?;
        receiver.await.map_err(|_| self.writes.dropped())?
    }

    /// Runs a transaction that reads. The span is that of the transaction, which the reader thread enters.
    pub async fn read<T, F>(&self, span: Span, tenant: Tenant, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.on_reader(tenant, move |connection| {
            let _inside = span.enter();
            ensure_begun(connection)?;
            poll_once(connection, &operation)
        })
        .await
    }

    /// Returns the file of the database, for connections of their own.
    pub fn file(&self) -> &Path {
        &self.file
    }

    pub async fn on_reader<T, F>(&self, tenant: Tenant, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let job: Read = Box::new(move |connection| {
            if !sender.is_closed() {
                let _gone = sender.send(work(connection));
            }
        });
        self.reads.push(tenant, job)?;
        receiver.await.map_err(|_| self.reads.dropped())?
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).map(drop).map_err(Error::fault)
}

fn connect(file: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection =
        Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(fault)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(fault)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    // Query plans must not depend on bound values. Otherwise each new LIMIT would prepare the statement again.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fault)?;
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY;",
        )
        .map_err(fault)?;
    Ok(connection)
}

/// Runs a read, and further reads on the same snapshot of the database. To open and to close a snapshot takes two system
/// calls, which can take as long as a short read.
///
/// Only reads that were queued before the snapshot may see it: a caller whose write has been answered must find it. They stay
/// in the queue until their turn comes, so a slow read delays none of them while another reader is idle.
fn read_group(connection: &mut Connection, waiting: &Worker<Read>, first: Read) {
    let last_number = waiting.last_number();
    // If this fails, the reads answer with an error.
    let _checked_by_reads = run(connection, "BEGIN");
    first(connection);
    for _ in 1..SNAPSHOT_READS_MAX {
        let Some((_, next)) = waiting.recv_up_to(last_number) else { break };
        next(connection);
    }
    if run(connection, "COMMIT").is_err() {
        let _closed_already = run(connection, "ROLLBACK");
    }
}

/// Refuses to run a transaction if its thread could not begin one.
fn ensure_begun(connection: &Connection) -> Result<()> {
    match connection.is_autocommit() {
        true => Err(Error::unavailable("no transaction could be begun")),
        false => Ok(()),
    }
}

/// The writer thread's loop: takes the queued transactions, runs them, commits them, and answers the callers.
fn write_groups(mut connection: Connection, waiting: &Worker<Write>) {
    let mut last_group = 1;
    while let Some((_, first)) = waiting.recv() {
        if let Err(cause) = run(&connection, "BEGIN IMMEDIATE") {
            let cause = &cause.to_string();
            (first(&mut connection).answer)(Commit::Failed { cause, saw_others: false });
            continue;
        }
        let group = run_group(&mut connection, waiting, first, last_group);
        last_group = group.len();
        let committed = run(&connection, "COMMIT");
        if committed.is_err() {
            // A failed commit may leave the transaction open, for example if the disk is full.
            let _closed_already = run(&connection, "ROLLBACK");
        }
        let failure = committed.err().map(|cause| cause.to_string());
        let mut saw_others = false;
        for Ran { answer, is_done } in group {
            match &failure {
                None => answer(Commit::Durable),
                Some(cause) => answer(Commit::Failed { cause, saw_others }),
            }
            saw_others |= is_done;
        }
    }
}

/// Runs the queued transactions. If the last group was large, also waits a moment for more.
fn run_group(
    connection: &mut Connection,
    waiting: &Worker<Write>,
    first: Write,
    last_group: usize,
) -> Vec<Ran> {
    let mut group = vec![first(connection)];
    let deadline = (last_group >= GATHER_FROM).then(|| Instant::now() + GATHER);
    while group.len() < GROUP_MAX {
        let next = match deadline {
            Some(deadline) if group.len() < last_group => waiting.recv_deadline(deadline),
            _ => waiting.try_recv(),
        };
        let Some((_, next)) = next else { break };
        group.push(next(connection));
    }
    group
}

fn in_savepoint<T, F>(connection: &mut Connection, operation: &F) -> Result<T>
where
    F: AsyncFn(&mut Tx<'_>) -> Result<T>,
{
    // Outside of a transaction, a savepoint would commit by itself.
    ensure_begun(connection)?;
    run(connection, "SAVEPOINT operation")?;
    let result = poll_once(connection, operation);
    if result.is_err() {
        run(connection, "ROLLBACK TO operation")?;
    }
    run(connection, "RELEASE operation")?;
    result
}

/// Runs a transaction's future, which on SQLite must be ready at its first poll.
fn poll_once<T, F>(connection: &mut Connection, operation: &F) -> Result<T>
where
    F: AsyncFn(&mut Tx<'_>) -> Result<T>,
{
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        let mut tx = Tx::Sqlite(connection);
        let future = pin!(operation(&mut tx));
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => Err(Error::fault("a transaction awaited something other than the database")),
        }
    }));
    attempt.unwrap_or_else(|_| Err(Error::fault("a transaction panicked")))
}

fn run(connection: &Connection, sql: &'static str) -> Result<()> {
    connection.prepare_cached(sql).and_then(|mut statement| statement.raw_execute()).map(drop).map_err(fault)
}
