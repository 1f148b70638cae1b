//! The engine: transactions on SQLite or PostgreSQL behind one type. It knows no domain.
//!
//! One operation is one function is one transaction, written once as `async |tx| …`. On PostgreSQL the future is
//! awaited. On SQLite it moves to a database thread and is polled once. The SQLite calls never suspend, so a
//! transaction that awaits anything but the database fails in every test run on SQLite.
//!
//! Architecture Invariant: only this module knows which database it is.

mod fair_permits;
mod migrate;
mod postgres;
mod sqlite;
mod value;

use std::path::PathBuf;
use std::sync::Arc;

use model::platform::fair::Tenant;
use model::{Owner, Result};

pub use fair_permits::{FairPermit, FairPermits};
pub use migrate::MIGRATIONS;
pub use postgres::PAYLOAD_BYTES_MAX;
pub use value::{Row, Value};

/// An SQL statement. Placeholders are numbered in the order in which they first appear.
pub struct Sql {
    sqlite: &'static str,
    postgres: &'static str,
}

impl Sql {
    /// A statement with the same text for both engines.
    pub const fn same(text: &'static str) -> Self {
        Self { sqlite: text, postgres: text }
    }

    /// A statement with a text for each engine. An empty text means that this engine has nothing to do.
    pub const fn each(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite, postgres }
    }

    /// Returns the text for SQLite, so that a test can explain its query plan.
    pub fn sqlite_text(&self) -> &'static str {
        self.sqlite
    }

    /// Returns the text for PostgreSQL, so that a test can explain its query plan.
    pub fn postgres_text(&self) -> &'static str {
        self.postgres
    }
}

/// The assignments of a claim: the new holder, the next fence, and the number of servers in a row that stopped while
/// they held the work. Work that its holder released has the empty holder, and keeps its number of crashes.
macro_rules! taken {
    () => {
        "holder = $1, fence = fence + 1, crashes = CASE WHEN holder = '' THEN crashes ELSE crashes + 1 END"
    };
}
pub(crate) use taken;

/// In the text for PostgreSQL, the ids that a placeholder lists as JSON, each once and sorted: `wanted.id`. Join them
/// by `CROSS JOIN LATERAL (… FOR UPDATE)` or `(… OFFSET 0)`, which look each id up and keep PostgreSQL from changing
/// the join order. Otherwise, if PostgreSQL takes the table for a small one, it reads the list again for each row.
macro_rules! wanted {
    ($placeholder:literal) => {
        concat!(
            "(SELECT DISTINCT id COLLATE \"C\" AS id FROM jsonb_array_elements_text(",
            $placeholder,
            "::text::jsonb) AS list (id) ORDER BY 1) wanted"
        )
    };
}
pub(crate) use wanted;

/// The rows that a transaction may touch. On PostgreSQL, row level security enforces it.
#[derive(Clone, Copy)]
pub enum Access {
    Owner(Owner),
    /// Work that spans organisations: relays, cleaning, the command line.
    System,
}

impl Access {
    /// Returns the tenant whose turn the transaction uses.
    fn tenant(self) -> Tenant {
        match self {
            Access::Owner(owner) => owner.into(),
            Access::System => Tenant::System,
        }
    }
}

impl From<Owner> for Access {
    fn from(owner: Owner) -> Self {
        Access::Owner(owner)
    }
}

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

/// An open transaction.
pub enum Tx<'a> {
    Sqlite(&'a mut rusqlite::Connection),
    Postgres(postgres::PgTx<'a>),
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
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.write(access.into().tenant(), operation).await,
            // Boxed: otherwise the future of each caller in the chain would contain the whole transaction.
            Engine::Postgres(pool) => Box::pin(pool.write(access.into(), operation)).await,
        }
    }

    /// Runs a read-only transaction on one consistent snapshot.
    pub async fn read<T, F>(&self, access: impl Into<Access>, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.read(access.into().tenant(), operation).await,
            Engine::Postgres(pool) => Box::pin(pool.read(access.into(), operation)).await,
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
                let check = |connection: &mut _| sqlite::check_placeholders(connection, sql.sqlite);
                sqlite.on_reader(Tenant::System, check).await
            }
            Engine::Postgres(pool) => pool.prepare(sql.postgres).await,
        }
    }
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

impl Tx<'_> {
    /// Returns a name that differs between this database and a copy of it: on SQLite the file's inode number, on
    /// PostgreSQL the system identifier, the timeline and the database. A restored backup usually has another one.
    pub async fn place(&mut self) -> Result<String> {
        match self {
            Tx::Sqlite(connection) => Ok(sqlite::place(connection)),
            Tx::Postgres(tx) => tx.place().await,
        }
    }

    /// Executes a statement and returns the number of rows that it changed.
    pub async fn execute(&mut self, sql: &Sql, values: &[Value]) -> Result<u64> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(0),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(0),
            Tx::Sqlite(connection) => sqlite::execute(connection, sql.sqlite, values),
            Tx::Postgres(tx) => tx.execute(sql.postgres, values).await,
        }
    }

    /// Executes a statement once for each set of values, and returns the number of rows that each changed. On
    /// PostgreSQL this takes one round trip.
    pub async fn execute_each(&mut self, sql: &Sql, of: &[Vec<Value>]) -> Result<Vec<u64>> {
        match self {
            Tx::Sqlite(connection) => {
                of.iter().map(|values| sqlite::execute(connection, sql.sqlite, values)).collect()
            }
            Tx::Postgres(tx) => tx.execute_each(sql.postgres, of).await,
        }
    }

    /// Executes a statement without returning a row count. On PostgreSQL the statement is pipelined: its error
    /// surfaces at the next awaited statement or at the commit.
    pub async fn send(&mut self, sql: &Sql, values: &[Value]) -> Result<()> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(()),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(()),
            Tx::Sqlite(connection) => sqlite::execute(connection, sql.sqlite, values).map(drop),
            Tx::Postgres(tx) => tx.send(sql.postgres, values).await,
        }
    }

    /// Runs a query that returns at most one row.
    pub async fn one(&mut self, sql: &Sql, values: &[Value]) -> Result<Option<Row>> {
        Ok(self.all(sql, values).await?.pop())
    }

    /// Runs a query and returns all rows. The statement itself must limit their number.
    pub async fn all(&mut self, sql: &Sql, values: &[Value]) -> Result<Vec<Row>> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(Vec::new()),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(Vec::new()),
            Tx::Sqlite(connection) => sqlite::all(connection, sql.sqlite, values),
            Tx::Postgres(tx) => tx.all(sql.postgres, values).await,
        }
    }

    /// Runs a query and returns its first rows: those that fit into `bytes_max`, and the one that exceeds it, which
    /// tells the caller that there is more. If the query has two rows or more, at least two are returned. Further
    /// rows are not kept in memory.
    pub async fn some(&mut self, sql: &Sql, values: &[Value], bytes_max: usize) -> Result<Vec<Row>> {
        match self {
            Tx::Sqlite(connection) => sqlite::some(connection, sql.sqlite, values, bytes_max),
            Tx::Postgres(tx) => tx.some(sql.postgres, values, bytes_max).await,
        }
    }
}

/// Collects rows until they exceed a number of bytes.
struct Gathered {
    rows: Vec<Row>,
    bytes: usize,
    bytes_max: usize,
}

impl Gathered {
    fn up_to(bytes_max: usize) -> Self {
        Self { rows: Vec::new(), bytes: 0, bytes_max }
    }

    /// Adds a row, and returns whether to read another.
    fn add(&mut self, row: Row) -> bool {
        self.bytes = self.bytes.saturating_add(row.bytes());
        self.rows.push(row);
        self.bytes <= self.bytes_max || self.rows.len() < 2
    }
}
