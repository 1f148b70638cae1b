//! SQLite: one writer thread with group commit, and reader threads with connections of their own.
//!
//! A durable commit costs a sync of the disk, whatever is in it. So the writer takes all transactions that wait,
//! runs each in a savepoint (a refused one rolls back alone), commits them together, and only then answers them.

use std::future::Future;
use std::os::unix::fs::MetadataExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError};
use model::{Code, Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql};
use tokio::sync::oneshot;

use super::{Row, Tx, Value, migrate};

/// Transactions that may wait for the writer; beyond it callers are turned away.
const WRITES_WAITING_MAX: usize = 4096;
/// Reads that may wait.
const READS_WAITING_MAX: usize = 4096;
/// Transactions in one commit: bounds how long the first of them waits.
const GROUP_MAX: usize = 512;
/// How long a group may gather once the last one showed that many are writing.
const GATHER: Duration = Duration::from_micros(300);
/// The size of the last group from which gathering pays.
const GATHER_FROM: usize = 4;
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const STATEMENTS_CACHED: usize = 256;

/// Runs a transaction; what it gives back answers the caller, once the commit is known.
type Write = Box<dyn FnOnce(&mut Connection) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<(), &str>) + Send>;
type Read = Box<dyn FnOnce(&mut Connection) + Send>;

pub struct Sqlite {
    writes: Sender<Write>,
    reads: Sender<Read>,
}

impl Sqlite {
    pub fn open(file: &Path, readers: usize) -> Result<Self> {
        let mut writer = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        migrate::sqlite(&mut writer)?;
        let (writes, waiting) = crossbeam_channel::bounded(WRITES_WAITING_MAX);
        spawn("sqlite-writer", move || write_groups(writer, &waiting))?;
        let (reads, waiting) = crossbeam_channel::bounded::<Read>(READS_WAITING_MAX);
        for number in 0..readers.max(1) {
            let mut reader = connect(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            reader.execute_batch("PRAGMA query_only = ON").map_err(fault)?;
            let waiting = waiting.clone();
            spawn(&format!("sqlite-reader-{number}"), move || {
                while let Ok(read) = waiting.recv() {
                    read(&mut reader);
                }
            })?;
        }
        Ok(Self { writes, reads })
    }

    pub async fn write<T, F>(&self, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let job: Write = Box::new(move |connection| {
            let result = in_savepoint(connection, &operation);
            Box::new(move |committed| {
                let result = match committed {
                    Ok(()) => result,
                    // A refusal stands whether or not its neighbours' commit succeeded.
                    Err(cause) => result.and_then(|_| Err(Error::unavailable(cause.to_owned()))),
                };
                // The caller may have gone; the transaction stands all the same.
                let _gone = sender.send(result);
            })
        });
        enqueue(&self.writes, job)?;
        receiver.await.map_err(Error::fault)?
    }

    pub async fn read<T, F>(&self, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.on_reader(move |connection| {
            run(connection, "BEGIN")?;
            let result = poll_once(connection, &operation);
            run(connection, "COMMIT")?;
            result
        })
        .await
    }

    pub async fn on_reader<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let job: Read = Box::new(move |connection| {
            let _gone = sender.send(work(connection));
        });
        enqueue(&self.reads, job)?;
        receiver.await.map_err(Error::fault)?
    }
}

fn enqueue<J>(queue: &Sender<J>, job: J) -> Result<()> {
    queue.try_send(job).map_err(|refused| match refused {
        TrySendError::Full(_) => Code::Overloaded.into(),
        TrySendError::Disconnected(_) => Error::unavailable("the database thread has ended"),
    })
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).map(drop).map_err(Error::fault)
}

fn connect(file: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection =
        Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(fault)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(fault)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    // A plan must not depend on what is bound: each new LIMIT would have the statement prepared again.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fault)?;
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY;",
        )
        .map_err(fault)?;
    Ok(connection)
}

/// The writer's life: take what waits, run it, commit it, answer it.
fn write_groups(mut connection: Connection, waiting: &Receiver<Write>) {
    let mut last_group = 1;
    while let Ok(first) = waiting.recv() {
        if let Err(cause) = run(&connection, "BEGIN IMMEDIATE") {
            first(&mut connection)(Err(&cause.to_string()));
            continue;
        }
        let mut answers = vec![first(&mut connection)];
        let deadline = (last_group >= GATHER_FROM).then(|| Instant::now() + GATHER);
        while answers.len() < GROUP_MAX {
            let next = match deadline {
                Some(deadline) if answers.len() < last_group => waiting.recv_deadline(deadline).ok(),
                _ => waiting.try_recv().ok(),
            };
            let Some(next) = next else { break };
            answers.push(next(&mut connection));
        }
        last_group = answers.len();
        let committed = run(&connection, "COMMIT");
        if committed.is_err() {
            // The commit may have failed with the transaction still open, as when the disk is full.
            let _closed_already = run(&connection, "ROLLBACK");
        }
        let committed = committed.map_err(|cause| cause.to_string());
        for answer in answers {
            answer(committed.as_ref().copied().map_err(String::as_str));
        }
    }
}

fn in_savepoint<T, F>(connection: &mut Connection, operation: &F) -> Result<T>
where
    F: AsyncFn(&mut Tx<'_>) -> Result<T>,
{
    // Outside a transaction a savepoint would commit by itself: the caller's BEGIN failed, so nothing may run.
    if connection.is_autocommit() {
        return Err(Error::unavailable("no transaction could be begun"));
    }
    run(connection, "SAVEPOINT operation")?;
    let result = poll_once(connection, operation);
    if result.is_err() {
        run(connection, "ROLLBACK TO operation")?;
    }
    run(connection, "RELEASE operation")?;
    result
}

/// Runs a transaction's future to its end, which on SQLite is its first poll.
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

/// Which file it is. One that was copied over another keeps the other's number, so this alone tells no backup.
pub fn place(connection: &Connection) -> String {
    let file = connection.path().and_then(|path| std::fs::metadata(path).ok());
    file.map_or_else(String::new, |file| file.ino().to_string())
}

pub fn execute(connection: &Connection, sql: &str, values: &[Value]) -> Result<u64> {
    let mut statement = connection.prepare_cached(sql).map_err(fault)?;
    let changed = statement.execute(rusqlite::params_from_iter(values)).map_err(fault)?;
    Ok(changed as u64)
}

pub fn all(connection: &Connection, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql).map_err(fault)?;
    let columns = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(fault)?;
    let mut answer = Vec::new();
    while let Some(row) = rows.next().map_err(fault)? {
        let values = (0..columns).map(|column| row.get_ref(column).map_err(fault).and_then(value));
        answer.push(Row(values.collect::<Result<_>>()?));
    }
    Ok(answer)
}

fn value(raw: ValueRef<'_>) -> Result<Value> {
    Ok(match raw {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(int) => Value::Int(int),
        ValueRef::Text(text) => Value::Text(std::str::from_utf8(text).map_err(Error::fault)?.to_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        ValueRef::Real(_) => return Err(Error::fault("no column holds a real number")),
    })
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(int) => ValueRef::Integer(*int),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// SQLite numbers `$n` by first appearance, whatever n says: so they must first appear in order.
pub fn check_placeholders(connection: &Connection, sql: &str) -> Result<()> {
    let statement = connection.prepare(sql).map_err(fault)?;
    for place in 1..=statement.parameter_count() {
        if statement.parameter_name(place) != Some(&format!("${place}")) {
            return Err(Error::fault(format!("placeholders out of order in: {sql}")));
        }
    }
    Ok(())
}

pub fn fault(error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull, ReadOnly, SystemIoFailure};
    match error.sqlite_error_code() {
        Some(DatabaseBusy | DatabaseLocked | DiskFull | ReadOnly | SystemIoFailure) => {
            Error::unavailable(error)
        }
        _ => Error::fault(error),
    }
}
