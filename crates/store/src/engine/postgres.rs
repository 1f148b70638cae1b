//! PostgreSQL: a pool of connections with prepared statements, and transactions that are repeated where they
//! provably did not commit.

mod listen;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use model::{Code, Error, Result};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut};
use tokio_postgres::{Client, Config, NoTls, Statement};

pub use listen::{Listener, PAYLOAD_BYTES_MAX};

use super::{Access, Row, Tx, Value, migrate};

/// How often a transaction is tried, the first time included.
const ATTEMPTS_MAX: u32 = 5;
/// The wait before the first repetition; it doubles.
const BACKOFF: Duration = Duration::from_millis(4);
/// How long a caller waits for a connection before it is turned away.
const POOL_WAIT: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Short limits keep one stuck transaction from holding up the rest. And no bitmap scans: a list walks along an index
/// and stops at its limit. Of rows behind row level security that are newer than the statistics the planner expects
/// one, so it would fetch and sort all there are: 110 ms instead of 0.1 for the next events of a log that grows.
const SESSION: &str = "SET statement_timeout = '15s'; SET lock_timeout = '10s'; \
                       SET idle_in_transaction_session_timeout = '15s'; SET enable_bitmapscan = off";

pub struct Pool {
    config: Config,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
    /// Where the pool was opened.
    runtime: Handle,
}

struct Connection {
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

/// A connection on loan. It goes back to the pool only between transactions: one that was dropped in the middle
/// of its work, as when a caller hangs up, is closed, which rolls it back.
struct Loan<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
    _permit: SemaphorePermit<'a>,
}

/// A transaction on PostgreSQL. It begins with its first statement, in the same round trip.
pub struct PgTx<'a> {
    connection: &'a mut Connection,
    begin: Option<String>,
    /// PostgreSQL rolls back at the end whatever had a failed statement in it, and calls that a commit.
    has_failed: bool,
}

/// How far a failed attempt got.
enum Failure {
    /// It can't have committed.
    Before(Error),
    /// The answer to the commit was lost: it may have.
    Unknown(Error),
}

impl Pool {
    pub async fn open(url: &str, connections: usize) -> Result<Self> {
        let mut config: Config = url.parse().map_err(Error::unavailable)?;
        config.connect_timeout(CONNECT_TIMEOUT).application_name("dockside");
        let (mut client, connection) = config.connect(NoTls).await.map_err(Error::unavailable)?;
        tokio::spawn(connection);
        migrate::postgres(&mut client).await?;
        let permits = Semaphore::new(connections.max(1));
        Ok(Self { config, idle: Mutex::default(), permits, runtime: Handle::current() })
    }

    pub async fn write<T, F>(&self, access: Access, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        self.repeat(&begin("BEGIN", access), operation).await
    }

    pub async fn read<T, F>(&self, access: Access, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        self.repeat(&begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", access), operation).await
    }

    async fn repeat<T, F>(&self, begin: &str, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        let mut attempt = 1;
        loop {
            match self.attempt(begin, &operation).await {
                Ok(value) => return Ok(value),
                Err(Failure::Unknown(error)) => return Err(error),
                Err(Failure::Before(error)) if attempt == ATTEMPTS_MAX || !is_passing(&error) => {
                    return Err(error);
                }
                Err(Failure::Before(_)) => tokio::time::sleep(BACKOFF * (1 << attempt)).await,
            }
            attempt += 1;
        }
    }

    async fn attempt<T, F>(&self, begin: &str, operation: &F) -> Result<T, Failure>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        let mut loan = self.lend().await.map_err(Failure::Before)?;
        let Some(mut connection) = loan.connection.take() else {
            return Err(Failure::Before(Error::fault("the pool lent no connection")));
        };
        let mut tx = Tx::Postgres(PgTx {
            connection: &mut connection,
            begin: Some(begin.to_owned()),
            has_failed: false,
        });
        let result = operation(&mut tx).await;
        let Tx::Postgres(PgTx { begin, has_failed, .. }) = tx else {
            return Err(Failure::Before(Error::fault("a transaction changed its engine")));
        };
        let has_begun = begin.is_none();
        let result = match result {
            Ok(_) if has_failed => Err(Error::fault("an operation went on after a statement that failed")),
            result => result,
        };
        match result {
            Ok(value) => {
                if has_begun {
                    connection.client.batch_execute("COMMIT").await.map_err(|error| {
                        match error.code() {
                            // The server said no, so it is not committed. That it goes down says neither.
                            Some(code) if !is_shutting_down(code) => Failure::Before(fault(error)),
                            _ => Failure::Unknown(fault(error)),
                        }
                    })?;
                }
                loan.connection = Some(connection);
                Ok(value)
            }
            Err(error) => {
                if has_begun && connection.client.batch_execute("ROLLBACK").await.is_err() {
                    return Err(Failure::Before(error));
                }
                loan.connection = Some(connection);
                Err(Failure::Before(error))
            }
        }
    }

    async fn lend(&self) -> Result<Loan<'_>> {
        let permit = match tokio::time::timeout(POOL_WAIT, self.permits.acquire()).await {
            Ok(permit) => permit.map_err(Error::fault)?,
            Err(_) => return Err(Code::Overloaded.into()),
        };
        loop {
            let idle = self.idle.lock().map_err(|_| Error::fault("the pool's lock is poisoned"))?.pop();
            let connection = match idle {
                Some(connection) if connection.client.is_closed() => continue,
                Some(connection) => connection,
                None => self.connect().await?,
            };
            return Ok(Loan { pool: self, connection: Some(connection), _permit: permit });
        }
    }

    async fn connect(&self) -> Result<Connection> {
        let config = self.config.clone();
        // Where the pool was opened, whoever asks: a connection outlives the asker, and must not run on threads that step
        // back for others. The task ends with the connection; its error reaches us through the client.
        let connect = self.runtime.spawn(async move {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok::<_, tokio_postgres::Error>(client)
        });
        let client = connect.await.map_err(Error::fault)?.map_err(fault)?;
        client.batch_execute(SESSION).await.map_err(fault)?;
        Ok(Connection { client, statements: HashMap::new() })
    }

    pub async fn prepare(&self, sql: &'static str) -> Result<()> {
        let loan = self.lend().await?;
        match &loan.connection {
            Some(connection) => connection.client.prepare(sql).await.map(drop).map_err(fault),
            None => Ok(()),
        }
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if let (Some(connection), Ok(mut idle)) = (self.connection.take(), self.pool.idle.lock()) {
            idle.push(connection);
        }
    }
}

/// Opens a transaction and tells row level security whose it is. An owner's key has no character to escape.
fn begin(how: &str, access: Access) -> String {
    match access {
        Access::Owner(owner) => format!("{how}; SET LOCAL dockside.owner = '{owner}'"),
        Access::System => format!("{how}; SET LOCAL dockside.owner = '*'"),
    }
}

/// The system tells itself from others, and which line of its history it is on: a copy that went its own way has another.
const PLACE: &str = "SELECT s.system_identifier || '/' || c.timeline_id || '/' || d.oid
    FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database()";
/// Where somebody took the right away to ask that.
const PLACE_IN_SYSTEM: &str = "SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database()";
const MAY_ASK_SYSTEM: &str = "SELECT CAST(has_function_privilege('pg_control_system()', 'execute')
    AND has_function_privilege('pg_control_checkpoint()', 'execute') AS TEXT)";

impl PgTx<'_> {
    async fn statement(&mut self, sql: &'static str) -> Result<Statement> {
        if let Some(statement) = self.connection.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.connection.client.prepare(sql).await.map_err(fault)?;
        self.connection.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    pub async fn execute(&mut self, sql: &'static str, values: &[Value]) -> Result<u64> {
        let statement = self.statement(sql).await?;
        let begin = self.begin.take();
        let client = &self.connection.client;
        let changed = begun(client, begin, client.execute(&statement, &parameters(values))).await;
        self.has_failed |= changed.is_err();
        changed.map_err(fault)
    }

    pub async fn place(&mut self) -> Result<String> {
        let may_ask = self.all(MAY_ASK_SYSTEM, &[]).await?.pop().map(|mut row| row.text(0)).transpose()?;
        let sql = if may_ask.as_deref() == Some("true") { PLACE } else { PLACE_IN_SYSTEM };
        let place = self.all(sql, &[]).await?.pop().map(|mut row| row.text(0)).transpose()?;
        Ok(place.unwrap_or_default())
    }

    pub async fn all(&mut self, sql: &'static str, values: &[Value]) -> Result<Vec<Row>> {
        let statement = self.statement(sql).await?;
        let begin = self.begin.take();
        let client = &self.connection.client;
        let rows = begun(client, begin, client.query(&statement, &parameters(values))).await;
        self.has_failed |= rows.is_err();
        rows.map_err(fault)?.iter().map(row).collect()
    }
}

/// Runs a statement; the first of a transaction in one round trip with what begins it.
async fn begun<T>(
    client: &Client,
    begin: Option<String>,
    statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, tokio_postgres::Error> {
    match begin {
        None => statement.await,
        Some(begin) => {
            let (begun, outcome) = tokio::join!(biased; client.batch_execute(&begin), statement);
            begun.and(outcome)
        }
    }
}

fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn row(row: &tokio_postgres::Row) -> Result<Row> {
    let values = row.columns().iter().enumerate().map(|(place, column)| {
        let value = match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(place).map(|value| value.map(Value::Int)),
            Type::TEXT => row.try_get::<_, Option<String>>(place).map(|value| value.map(Value::Text)),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(place).map(|value| value.map(Value::Blob)),
            ref other => return Err(Error::fault(format!("a statement gives a column of type {other}"))),
        };
        value.map(|value| value.unwrap_or(Value::Null)).map_err(fault)
    });
    Ok(Row(values.collect::<Result<_>>()?))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        to: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match (self, to) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(int), &Type::INT8) => int.to_sql(to, out),
            (Value::Text(text), &Type::TEXT) => text.to_sql(to, out),
            (Value::Blob(bytes), &Type::BYTEA) => bytes.to_sql(to, out),
            (value, to) => Err(format!("{value:?} does not fit a placeholder of type {to}").into()),
        }
    }

    fn accepts(to: &Type) -> bool {
        matches!(*to, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    tokio_postgres::types::to_sql_checked!();
}

/// Whether the same transaction may succeed if it is run again.
fn is_passing(error: &Error) -> bool {
    let Error::Fault(fault) = error else { return false };
    let Some(error) = fault.cause.downcast_ref::<tokio_postgres::Error>() else { return false };
    match error.code() {
        Some(code) => {
            *code == SqlState::T_R_SERIALIZATION_FAILURE
                || *code == SqlState::T_R_DEADLOCK_DETECTED
                || is_shutting_down(code)
        }
        // Not an answer of the server: the connection was lost, or could not be had.
        None => {
            error.is_closed()
                || error.to_string().contains("connect")
                || error.to_string().contains("communicating")
        }
    }
}

fn is_shutting_down(code: &SqlState) -> bool {
    *code == SqlState::ADMIN_SHUTDOWN
        || *code == SqlState::CRASH_SHUTDOWN
        || *code == SqlState::CANNOT_CONNECT_NOW
}

pub fn fault(error: tokio_postgres::Error) -> Error {
    match error.code() {
        None => Error::unavailable(error),
        Some(code)
            if is_shutting_down(code)
                || *code == SqlState::QUERY_CANCELED
                || *code == SqlState::LOCK_NOT_AVAILABLE
                || *code == SqlState::TOO_MANY_CONNECTIONS
                || *code == SqlState::T_R_SERIALIZATION_FAILURE
                || *code == SqlState::T_R_DEADLOCK_DETECTED
                || *code == SqlState::DISK_FULL =>
        {
            Error::unavailable(error)
        }
        Some(_) => Error::fault(error),
    }
}
