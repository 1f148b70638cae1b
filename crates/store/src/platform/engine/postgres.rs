//! PostgreSQL: a pool of connections with prepared statements. A transaction that provably did not commit is
//! repeated.

mod connection;
pub mod error;
mod listen;
mod pipeline;
mod snapshot;
mod tls;
mod transaction;
mod verifier;

use std::sync::Arc;
use std::time::Duration;

use model::platform::fair::Tenant;
use model::{Code, Error, Result};
use tokio_postgres::{Client, Config};

use connection::{Loan, OPEN_TIME_MAX, Shared, silent, within};
use error::is_passing;
pub use listen::{Listener, PAYLOAD_BYTES_MAX};
use pipeline::ANSWER_TIME_MAX;
pub use snapshot::PgSnapshot;
use tls::Tls;
pub use transaction::PgTx;
use transaction::{End, Ended, Failure};

use super::access::Access;
use super::fair_permits::FairPermits;
use super::migrate;
use super::tx::Tx;

/// Attempts to run a transaction, including the first.
const ATTEMPTS_MAX: u32 = 5;
/// The wait before the first repetition. It doubles with each further one.
const BACKOFF: Duration = Duration::from_millis(4);
/// How long a caller waits for a connection before it is refused as [`Code::Overloaded`].
const POOL_WAIT: Duration = Duration::from_secs(5);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// These detect a server that vanished without closing its connections: the first while requests are in flight, the
/// others while there are none.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(15);
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(3);
const KEEPALIVE_RETRIES: u32 = 3;

/// How a transaction begins whose statements all see the same state.
const BEGIN_SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

const ROLE: &str = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";

pub struct Pool {
    shared: Arc<Shared>,
    /// One permit per connection. If all are in use, organisations take turns.
    permits: FairPermits,
    /// Whether the role is a superuser, or has BYPASSRLS.
    pub bypasses_row_security: bool,
}

fn configure(url: &str) -> Result<(Config, Tls)> {
    let (mut config, tls) = tls::parse(url)?;
    config.connect_timeout(CONNECT_TIMEOUT).application_name("dockside");
    config.tcp_user_timeout(TCP_USER_TIMEOUT).keepalives_idle(KEEPALIVE_IDLE);
    config.keepalives_interval(KEEPALIVE_INTERVAL).keepalives_retries(KEEPALIVE_RETRIES);
    Ok((config, tls))
}

/// Returns whether a server has set up its schema in this database.
pub async fn has_store(url: &str) -> Result<bool> {
    let (config, tls) = configure(url)?;
    let client = connect(&config, tls).await?;
    let look = client.query_one("SELECT to_regclass('migration') IS NOT NULL", &[]);
    Ok(within(ANSWER_TIME_MAX, look).await?.get(0))
}

/// Opens a connection outside of the pool. Its statements have no time limit, because a migration may take long.
async fn connect(config: &Config, tls: Tls) -> Result<Client> {
    let connecting = tokio::time::timeout(OPEN_TIME_MAX, config.connect(tls)).await;
    let (client, connection) = connecting.map_err(|_| silent(OPEN_TIME_MAX))?.map_err(Error::unavailable)?;
    tokio::spawn(connection);
    Ok(client)
}

impl Pool {
    pub async fn open(url: &str, connections: usize) -> Result<Self> {
        let (config, tls) = configure(url)?;
        let mut client = connect(&config, tls.clone()).await?;
        migrate::postgres(&mut client).await?;
        let role = within(ANSWER_TIME_MAX, client.query_one(ROLE, &[])).await?;
        // One organisation may use all connections if no other waits: transactions are short, so others soon get
        // their turn.
        let permits = FairPermits::new(connections.max(1), connections.max(1));
        Ok(Self { shared: Shared::new(config, tls), permits, bypasses_row_security: role.get(0) })
    }

    pub async fn write<T, F>(&self, access: Access, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        self.repeat(access, "BEGIN READ WRITE", End::Awaited, operation).await
    }

    pub async fn read<T, F>(&self, access: Access, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        self.repeat(access, BEGIN_SNAPSHOT, End::Sent, operation).await
    }

    /// Opens a snapshot over a connection that is not one of the pool: a pool of snapshots that wait for slow clients would have no
    /// connection for anything else.
    pub async fn snapshot(&self, access: Access, time_max: Duration) -> Result<PgSnapshot> {
        PgSnapshot::open(Arc::clone(&self.shared), &begin(BEGIN_SNAPSHOT, access), time_max).await
    }

    async fn repeat<T, F>(&self, access: Access, how: &str, end: End, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        let begin = begin(how, access);
        let mut attempt = 1;
        loop {
            match self.attempt(access.tenant(), &begin, end, &operation).await {
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

    async fn attempt<T, F>(&self, tenant: Tenant, begin: &str, end: End, operation: &F) -> Result<T, Failure>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        let mut loan = self.lend(tenant).await.map_err(Failure::Before)?;
        let mut tx = Tx::Postgres(PgTx::new(loan.begin().map_err(Failure::Before)?, begin));
        let result = operation(&mut tx).await;
        let Tx::Postgres(tx) = tx else {
            return Err(Failure::Before(Error::fault("a transaction changed its engine")));
        };
        let ended = match result {
            Ok(value) => tx.commit(end).await.map(|()| value),
            Err(error) => Err(tx.roll_back(error).await),
        };
        // After a commit or a rollback, the connection goes back to the pool.
        match ended {
            Ok(value) => {
                loan.end();
                Ok(value)
            }
            Err(Ended::RolledBack(error)) => {
                loan.end();
                Err(Failure::Before(error))
            }
            Err(Ended::Broken(failure)) => Err(failure),
        }
    }

    async fn lend(&self, tenant: Tenant) -> Result<Loan> {
        let permit = tokio::time::timeout(POOL_WAIT, self.permits.acquire(tenant)).await;
        self.shared.lend(permit.map_err(|_| Code::Overloaded)?).await
    }

    pub async fn prepare(&self, sql: &'static str) -> Result<()> {
        let mut loan = self.lend(Tenant::System).await?;
        let prepared = within(ANSWER_TIME_MAX, loan.begin()?.client.prepare(sql)).await;
        if prepared.is_ok() {
            loan.end();
        }
        prepared.map(drop)
    }
}

/// Returns the statements that begin a transaction and set its owner for row level security. The text of an owner has
/// no character that needs escaping.
fn begin(how: &str, access: Access) -> String {
    match access {
        Access::Owner(owner) => format!("{how}; SET LOCAL dockside.owner = '{owner}'"),
        Access::System => format!("{how}; SET LOCAL dockside.owner = '*'"),
    }
}
