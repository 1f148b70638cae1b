//! PostgreSQL: a pool of connections with prepared statements, and transactions that are repeated where they
//! provably did not commit.

mod listen;
mod pipeline;
mod transaction;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use model::{Code, Error, Result};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, NoTls, Statement};

pub use listen::{Listener, PAYLOAD_BYTES_MAX};
pub use transaction::PgTx;

use super::{Access, Tx, migrate};

/// How often a transaction is tried, the first time included.
const ATTEMPTS_MAX: u32 = 5;
/// The wait before the first repetition; it doubles.
const BACKOFF: Duration = Duration::from_millis(4);
/// How long a caller waits for a connection before it is turned away.
const POOL_WAIT: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Short limits keep one stuck transaction from holding up the rest. And no bitmap scans: a list walks along an index
/// and stops at its limit. Of rows behind row level security that are newer than the statistics the planner expects
/// one, so it would fetch and sort all there are: 110 ms instead of 0.1 for the next events of a log that grows. For the
/// same reason no table is read whole where an index leads into it, and nothing is compiled for the price of that. And
/// plans are made without looking at values: they are the same each time, and cost nothing then.
const SESSION: &str = "SET statement_timeout = '15s'; SET lock_timeout = '10s'; \
                       SET idle_in_transaction_session_timeout = '15s'; SET enable_bitmapscan = off; \
                       SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan";
/// How long a connection keeps its plans. One that was made while a table was empty takes any index for as good as any
/// other: it read all purchases of an organisation to find one, for as long as nobody analysed the table.
const PLANS_KEPT: Duration = Duration::from_secs(5);

pub struct Pool {
    config: Config,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
    /// Where the pool was opened.
    runtime: Handle,
}

struct Connection {
    client: Arc<Client>,
    statements: HashMap<&'static str, Statement>,
    /// Since when it keeps its plans.
    planned_at: Instant,
}

/// A connection on loan. It goes back to the pool only between transactions: one that was dropped in the middle
/// of its work, as when a caller hangs up, is closed, which rolls it back.
struct Loan<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
    _permit: SemaphorePermit<'a>,
}

/// Whether the end of a transaction is waited for. Whoever only read need not know how that ended.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Awaited,
    Sent,
}

/// How a transaction ended that did not commit.
enum Ended {
    /// It is as if it had never been, and its connection can be used again.
    RolledBack(Error),
    /// Its connection is of no more use.
    Broken(Failure),
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
        self.repeat(&begin("BEGIN", access), End::Awaited, operation).await
    }

    pub async fn read<T, F>(&self, access: Access, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        let begin = begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", access);
        self.repeat(&begin, End::Sent, operation).await
    }

    async fn repeat<T, F>(&self, begin: &str, end: End, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        let mut attempt = 1;
        loop {
            match self.attempt(begin, end, &operation).await {
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

    async fn attempt<T, F>(&self, begin: &str, end: End, operation: &F) -> Result<T, Failure>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        let mut loan = self.lend().await.map_err(Failure::Before)?;
        let Some(mut connection) = loan.connection.take() else {
            return Err(Failure::Before(Error::fault("the pool lent no connection")));
        };
        let mut tx = Tx::Postgres(PgTx::new(&mut connection, begin));
        let result = operation(&mut tx).await;
        let Tx::Postgres(tx) = tx else {
            return Err(Failure::Before(Error::fault("a transaction changed its engine")));
        };
        let ended = match result {
            Ok(value) => tx.commit(end).await.map(|()| value),
            Err(error) => Err(tx.roll_back(error).await),
        };
        // Whatever ended as it should leaves its connection to others.
        match ended {
            Ok(value) => {
                loan.connection = Some(connection);
                Ok(value)
            }
            Err(Ended::RolledBack(error)) => {
                loan.connection = Some(connection);
                Err(Failure::Before(error))
            }
            Err(Ended::Broken(failure)) => Err(failure),
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
        Ok(Connection { client: Arc::new(client), statements: HashMap::new(), planned_at: Instant::now() })
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
