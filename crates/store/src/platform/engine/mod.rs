//! The engine: transactions on SQLite or PostgreSQL behind one type. It knows no domain.
//!
//! One operation is one function is one transaction, written once as `async |tx| …`. On PostgreSQL the future is
//! awaited. On SQLite it moves to a database thread and is polled once. The SQLite calls never suspend, so a
//! transaction that awaits anything but the database fails in every test run on SQLite.
//!
//! Architecture Invariant: only this module knows which database it is.

mod access;
mod fair_permits;
mod migrate;
mod postgres;
mod row_limit;
mod snapshot;
mod sql;
mod sqlite;
mod tx;
mod value;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::Result;
use model::platform::fair::Tenant;
use tracing::{Instrument, Span, debug, debug_span};

pub use access::Access;
pub use fair_permits::{FairPermit, FairPermits};
pub use migrate::MIGRATIONS;
pub use postgres::PAYLOAD_BYTES_MAX;
pub use snapshot::Snapshot;
pub use sql::Sql;
pub(crate) use sql::{stops, taken, wanted};
pub use sqlite::database_file::DatabaseFile;
pub use tx::Tx;
pub(crate) use value::id_list;
pub use value::{Row, Value};

/// The database to open, and how many connections to it.
#[derive(Clone)]
pub enum Place {
    Sqlite { file: PathBuf, readers: usize },
    Postgres { url: String, connections: usize },
}

/// An open, migrated database. Clones share it.
#[derive(Clone)]
pub struct Db(Arc<Engine>);

enum Engine {
    Sqlite(sqlite::Sqlite),
    Postgres(Box<postgres::Pool>),
}

/// A subscription to a notification channel, which can also send to it.
pub enum Listener {
    /// SQLite: no other process uses the database, so no notification ever comes.
    Alone,
    Postgres(Box<postgres::Listener>),
}

impl Db {
    /// Opens the database and brings its schema up to date.
    pub async fn open(place: Place) -> Result<Self> {
        let engine = match place {
            Place::Sqlite { file, readers } => Engine::Sqlite(sqlite::Sqlite::open(&file, readers)?),
            Place::Postgres { url, connections } => {
                Engine::Postgres(Box::new(postgres::Pool::open(&url, connections).await?))
            }
        };
        Ok(Self(Arc::new(engine)))
    }

    /// Opens the database as [`Db::open`] does, or returns `None` if it has no Dockside schema yet.
    pub async fn open_existing(place: Place) -> Result<Option<Self>> {
        let exists = match &place {
            // SQLite writes the first page before anything else, so an empty file has no schema.
            Place::Sqlite { file, .. } => std::fs::metadata(file).is_ok_and(|file| file.len() > 0),
            Place::Postgres { url, .. } => postgres::has_store(url).await?,
        };
        if exists { Self::open(place).await.map(Some) } else { Ok(None) }
    }

    /// Runs a transaction that writes. It may run several times: an attempt that provably did not commit is repeated.
    pub async fn write<T, F>(&self, access: impl Into<Access>, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    {
        let span = debug_span!("transaction", access = "write", engine = self.engine_name());
        match &*self.0 {
            Engine::Sqlite(sqlite) if span.is_disabled() => {
                sqlite.write(span, access.into().tenant(), operation).await
            }
            Engine::Sqlite(sqlite) => {
                logged(&span, Box::pin(sqlite.write(span.clone(), access.into().tenant(), operation))).await
            }
            // Boxed: otherwise the future of each caller in the chain would contain the whole transaction.
            Engine::Postgres(pool) => logged(&span, Box::pin(pool.write(access.into(), operation))).await,
        }
    }

    /// Runs a read-only transaction on one consistent snapshot.
    pub async fn read<T, F>(&self, access: impl Into<Access>, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    {
        let span = debug_span!("transaction", access = "read", engine = self.engine_name());
        match &*self.0 {
            Engine::Sqlite(sqlite) if span.is_disabled() => {
                sqlite.read(span, access.into().tenant(), operation).await
            }
            Engine::Sqlite(sqlite) => {
                logged(&span, Box::pin(sqlite.read(span.clone(), access.into().tenant(), operation))).await
            }
            Engine::Postgres(pool) => logged(&span, Box::pin(pool.read(access.into(), operation))).await,
        }
    }

    /// Opens a snapshot that several reads see, over a connection of its own. While it is open, PostgreSQL keeps the rows that
    /// other transactions delete, and SQLite can't reset its log. So the caller must drop it after `time_max` at the latest:
    /// PostgreSQL ends an idle one then by itself.
    pub async fn snapshot(&self, access: impl Into<Access>, time_max: Duration) -> Result<Snapshot> {
        match &*self.0 {
            Engine::Sqlite(sqlite) => {
                let opened = sqlite::snapshot::SqliteSnapshot::open(sqlite.file().to_owned()).await;
                opened.map(Snapshot::of_sqlite)
            }
            Engine::Postgres(pool) => pool.snapshot(access.into(), time_max).await.map(Snapshot::of_postgres),
        }
    }

    fn engine_name(&self) -> &'static str {
        match &*self.0 {
            Engine::Sqlite(_) => "sqlite",
            Engine::Postgres(_) => "postgres",
        }
    }

    /// Returns whether other processes may use the database too. If so, any cached row may be out of date.
    pub fn is_shared(&self) -> bool {
        matches!(&*self.0, Engine::Postgres(_))
    }

    /// Returns whether the database role is exempt from row level security, as a PostgreSQL superuser is.
    pub fn bypasses_row_security(&self) -> bool {
        match &*self.0 {
            Engine::Sqlite(_) => false,
            Engine::Postgres(pool) => pool.bypasses_row_security,
        }
    }

    /// Listens on a channel, over a connection of its own. A notification that is sent from now on arrives at most
    /// once: it is lost if the connection breaks. The channel's name must be an identifier.
    pub async fn listen(&self, channel: &'static str) -> Result<Listener> {
        match &*self.0 {
            Engine::Sqlite(_) => Ok(Listener::Alone),
            Engine::Postgres(pool) => Ok(Listener::Postgres(Box::new(pool.listen(channel).await?))),
        }
    }

    /// Sends a payload of up to [`PAYLOAD_BYTES_MAX`] bytes to all listeners of a channel. This opens a connection. A
    /// caller that has a listener should use [`Listener::notify`].
    pub async fn notify(&self, channel: &'static str, payload: &str) -> Result<()> {
        match &*self.0 {
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(pool) => pool.notify(channel, payload).await,
        }
    }

    /// Prepares a statement without running it, so that a test can check each one.
    pub async fn prepare(&self, sql: &'static Sql) -> Result<()> {
        match &*self.0 {
            Engine::Sqlite(_) if sql.sqlite.is_empty() => Ok(()),
            Engine::Postgres(_) if sql.postgres.is_empty() => Ok(()),
            Engine::Sqlite(sqlite) => {
                let check =
                    |connection: &mut _| sqlite::statements::check_placeholders(connection, sql.sqlite);
                sqlite.on_reader(Tenant::System, check).await
            }
            Engine::Postgres(pool) => pool.prepare(sql.postgres).await,
        }
    }
}

/// Runs a transaction inside its span, and logs how long it took. If the span is disabled, callers leave this out where they
/// can, because it copies the transaction's future.
async fn logged<T>(span: &Span, transaction: impl Future<Output = Result<T>>) -> Result<T> {
    let began = (!span.is_disabled()).then(Instant::now);
    let result = transaction.instrument(span.clone()).await;
    if let Some(began) = began {
        let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        debug!(parent: span, micros, is_ok = result.is_ok(), "transaction ended");
    }
    result
}

impl Listener {
    /// Returns the payload of the next notification, or an error once the connection is broken. Cancel safe: dropping
    /// the future loses no notification.
    pub async fn heard(&mut self) -> Result<String> {
        match self {
            Listener::Alone => std::future::pending().await,
            Listener::Postgres(listener) => listener.heard().await,
        }
    }

    /// Sends a payload to all listeners of the channel, this one included.
    pub async fn notify(&self, payload: &str) -> Result<()> {
        match self {
            Listener::Alone => Ok(()),
            Listener::Postgres(listener) => listener.notify(payload).await,
        }
    }
}
