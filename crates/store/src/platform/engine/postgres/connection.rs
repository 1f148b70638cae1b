//! Connections of the pool: opened within a time limit, lent, and closed.
//!
//! A connection keeps its permit until it is closed, even if its caller is gone earlier. Otherwise callers that hang
//! up would leave more backends on the server than the pool may have.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::{Error, Result};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, Config, Statement};

use super::super::fair_permits::FairPermit;
use super::error::fault;
use super::tls::Tls;

/// How long it may take to open a connection, from the first packet to the answer to the greeting.
pub const OPEN_TIME_MAX: Duration = Duration::from_secs(5);
/// How long the server has to cancel a statement, and then to close the connection.
const CANCEL_TIME_MAX: Duration = Duration::from_secs(3);
const CLOSE_TIME_MAX: Duration = Duration::from_secs(3);

/// Settings of each connection. Short timeouts keep one stuck transaction from blocking the others.
///
/// Bitmap scans are off, so that a list walks along an index and stops at its limit. For rows behind row level
/// security that are newer than the statistics, the planner estimates one row. With bitmap scans it would fetch and
/// sort all of them, which takes 110 ms instead of 0.1 ms for the next events of a growing log. Sequential scans are
/// off for the same reason. JIT compilation is off, because the planner's high cost of a disabled scan would trigger
/// it. Plans are generic: they don't depend on the values, so a cached plan is reused at no cost.
///
/// Only a transaction that begins as `READ WRITE` may write. If a `BEGIN` fails, the statements that were pipelined
/// behind it run outside of a transaction, and must change nothing.
const SESSION: &str = "SET statement_timeout = '15s'; SET lock_timeout = '10s'; \
                       SET idle_in_transaction_session_timeout = '15s'; SET enable_bitmapscan = off; \
                       SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan; \
                       SET default_transaction_read_only = on";

/// The state that all connections of a pool share.
pub struct Shared {
    pub config: Config,
    pub tls: Tls,
    /// The runtime in which the pool was opened. A connection outlives its caller, so its task must not run on the
    /// low-priority threads that deliver webhooks.
    pub runtime: Handle,
    idle: Mutex<Vec<Connection>>,
}

pub struct Connection {
    pub client: Arc<Client>,
    pub statements: HashMap<&'static str, Statement>,
    /// When its cached plans were last discarded.
    pub planned_at: Instant,
    /// Whether the role may read the system identifier and the timeline. `None` until the first transaction asks.
    pub may_ask_system: Option<bool>,
    /// Whether the server left a request unanswered for too long.
    pub is_silent: bool,
    /// The task that reads and writes the socket. It ends with the connection.
    driver: JoinHandle<()>,
}

/// A connection that one caller uses. It returns to the pool only between transactions. If it is dropped within one,
/// because the caller hung up, it is closed, which rolls the transaction back.
pub struct Loan {
    shared: Arc<Shared>,
    connection: Option<Connection>,
    permit: Option<FairPermit>,
    is_between_transactions: bool,
}

impl Shared {
    pub fn new(config: Config, tls: Tls) -> Arc<Self> {
        Arc::new(Self { config, tls, runtime: Handle::current(), idle: Mutex::default() })
    }

    /// Returns an idle connection, or opens a new one.
    pub async fn lend(self: &Arc<Self>, permit: FairPermit) -> Result<Loan> {
        while let Some(connection) = self.pop_idle() {
            if !connection.client.is_closed() {
                return Ok(Loan::new(Arc::clone(self), connection, permit));
            }
        }
        let shared = Arc::clone(self);
        // In a task of its own: if the caller hangs up meanwhile, the new connection becomes an idle one.
        let open = self.runtime.spawn(async move {
            let connection = Connection::open(&shared).await?;
            Ok(Loan::new(shared, connection, permit))
        });
        open.await.map_err(Error::fault)?
    }

    fn pop_idle(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Closes a connection, and keeps its permit until the connection is closed.
    pub fn close(&self, connection: Connection, permit: Option<FairPermit>) {
        let tls = self.tls.clone();
        self.runtime.spawn(async move {
            connection.close(tls).await;
            drop(permit);
        });
    }
}

impl Connection {
    /// Opens a connection, whose task runs in the current runtime.
    pub async fn open(shared: &Shared) -> Result<Self> {
        let connecting = shared.config.connect(shared.tls.clone());
        let (client, socket) = within(OPEN_TIME_MAX, connecting).await?;
        let driver = tokio::spawn(async move {
            // The client reports the error to the callers.
            let _ended = socket.await;
        });
        if let Err(error) = within(OPEN_TIME_MAX, client.batch_execute(SESSION)).await {
            driver.abort();
            return Err(error);
        }
        let (client, statements) = (Arc::new(client), HashMap::new());
        let planned_at = Instant::now();
        Ok(Self { client, statements, planned_at, may_ask_system: None, is_silent: false, driver })
    }

    /// Cancels the running statement and closes the connection. On return the backend is gone, unless the server does
    /// not answer.
    async fn close(self, tls: Tls) {
        let Self { client, statements, mut driver, .. } = self;
        drop(statements);
        if !client.is_closed() {
            // If the statement can't be cancelled, its `statement_timeout` ends it.
            let _cancelled = timeout(CANCEL_TIME_MAX, client.cancel_token().cancel_query(tls)).await;
        }
        drop(client);
        if timeout(CLOSE_TIME_MAX, &mut driver).await.is_err() {
            driver.abort();
        }
    }
}

impl Loan {
    fn new(shared: Arc<Shared>, connection: Connection, permit: FairPermit) -> Self {
        Self { shared, connection: Some(connection), permit: Some(permit), is_between_transactions: true }
    }

    /// Returns the connection to run a transaction on. Call [`Loan::end`] after the transaction has
    /// ended.
    pub fn begin(&mut self) -> Result<&mut Connection> {
        self.is_between_transactions = false;
        self.connection.as_mut().ok_or_else(|| Error::fault("the pool lent no connection"))
    }

    /// Marks the connection as reusable: no transaction is open on it.
    pub fn end(&mut self) {
        self.is_between_transactions = true;
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if self.is_between_transactions {
            self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            return;
        }
        if connection.is_silent {
            // The idle connections lead to the same server. Each of them would make a caller wait for the full time
            // limit.
            while let Some(idle) = self.shared.pop_idle() {
                self.shared.close(idle, None);
            }
        }
        self.shared.close(connection, self.permit.take());
    }
}

/// Awaits an answer of the server, for `limit` at most.
pub async fn within<T>(
    limit: Duration,
    request: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T> {
    match timeout(limit, request).await {
        Ok(answer) => answer.map_err(fault),
        Err(_) => Err(silent(limit)),
    }
}

pub fn silent(limit: Duration) -> Error {
    Error::unavailable(format!("the database did not answer within {} s", limit.as_secs()))
}
