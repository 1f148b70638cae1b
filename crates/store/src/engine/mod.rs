//! The engine: transactions on SQLite or PostgreSQL behind one type. It knows no domain.
//!
//! One operation is one function is one transaction, written once as `async |tx| …`. On PostgreSQL it is awaited.
//! On SQLite it moves to a thread of its own and is polled once: since nothing there waits, a transaction that
//! awaits anything but the database is caught by every test run on SQLite.
//!
//! Architecture Invariant: only this module knows which database it is.

mod migrate;
mod postgres;
mod sqlite;
mod value;

use std::path::PathBuf;
use std::sync::Arc;

use model::{Owner, Result};

pub use migrate::MIGRATIONS;
pub use postgres::PAYLOAD_BYTES_MAX;
pub use value::{Row, Value};

/// A statement. Placeholders are numbered in the order in which they first appear.
pub struct Sql {
    sqlite: &'static str,
    postgres: &'static str,
}

impl Sql {
    /// The same text for both engines.
    pub const fn same(text: &'static str) -> Self {
        Self { sqlite: text, postgres: text }
    }

    /// Where the engines really differ. An empty text is nothing to do there.
    pub const fn each(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite, postgres }
    }

    /// What PostgreSQL is told, for whoever wants to see its plan.
    pub fn postgres_text(&self) -> &'static str {
        self.postgres
    }
}

/// In the text for PostgreSQL, the ids that a placeholder lists as JSON, each once and sorted: `wanted.id`. What is wanted of
/// them is looked up for each, by `CROSS JOIN LATERAL (… FOR UPDATE)` or `(… OFFSET 0)`, which keep PostgreSQL from changing
/// the order. Left to itself, it reads the list anew for each row of a table that it takes for a small one.
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

/// Whose rows a transaction may touch. On PostgreSQL, row level security holds it to that.
#[derive(Clone, Copy)]
pub enum Access {
    Owner(Owner),
    /// Work that spans organisations: relays, cleaning, the command line.
    System,
}

impl From<Owner> for Access {
    fn from(owner: Owner) -> Self {
        Access::Owner(owner)
    }
}

/// Where the data is.
#[derive(Clone)]
pub enum Place {
    Sqlite { file: PathBuf, readers: usize },
    Postgres { url: String, connections: usize },
}

/// A database, migrated and open. Clones share it.
#[derive(Clone)]
pub struct Db(Arc<Engine>);

enum Engine {
    Sqlite(sqlite::Sqlite),
    Postgres(Box<postgres::Pool>),
}

/// Hears what is told on a channel, and tells it to the others that listen there.
pub enum Listener {
    /// The process has the database to itself: there is nobody to hear.
    Alone,
    Postgres(postgres::Listener),
}

/// A transaction under way.
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

    /// Runs a transaction that writes. It may run several times where the first ones provably did not commit.
    pub async fn write<T, F>(&self, access: impl Into<Access>, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.write(operation).await,
            Engine::Postgres(pool) => pool.write(access.into(), operation).await,
        }
    }

    /// Runs a transaction that only reads, on one consistent state.
    pub async fn read<T, F>(&self, access: impl Into<Access>, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    {
        match &*self.0 {
            Engine::Sqlite(sqlite) => sqlite.read(operation).await,
            Engine::Postgres(pool) => pool.read(access.into(), operation).await,
        }
    }

    /// Whether several processes may share the database: then someone else may have changed anything.
    pub fn is_shared(&self) -> bool {
        matches!(&*self.0, Engine::Postgres(_))
    }

    /// Listens on a channel, on a connection of its own. What is told from now on is heard, at most once: it is lost where
    /// the connection breaks. The channel's name is an identifier.
    pub async fn listen(&self, channel: &'static str) -> Result<Listener> {
        match &*self.0 {
            Engine::Sqlite(_) => Ok(Listener::Alone),
            Engine::Postgres(pool) => Ok(Listener::Postgres(pool.listen(channel).await?)),
        }
    }

    /// Tells something of up to [`PAYLOAD_BYTES_MAX`] bytes to all who listen on a channel, for whoever does not listen:
    /// it opens a connection for that.
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
                sqlite.on_reader(|connection| sqlite::check_placeholders(connection, sql.sqlite)).await
            }
            Engine::Postgres(pool) => pool.prepare(sql.postgres).await,
        }
    }
}

impl Listener {
    /// The next thing that was told; an error once the connection is broken. Where it is not awaited to its end, nothing
    /// is lost.
    pub async fn heard(&mut self) -> Result<String> {
        match self {
            Listener::Alone => std::future::pending().await,
            Listener::Postgres(listener) => listener.heard().await,
        }
    }

    /// Tells something to all who listen on the channel, this one included.
    pub async fn notify(&self, payload: &str) -> Result<()> {
        match self {
            Listener::Alone => Ok(()),
            Listener::Postgres(listener) => listener.notify(payload).await,
        }
    }
}

impl Tx<'_> {
    /// What tells this database from a copy of it: on SQLite which file it is, on PostgreSQL the system, its timeline and
    /// the database. A backup that was restored is, as a rule, elsewhere.
    pub async fn place(&mut self) -> Result<String> {
        match self {
            Tx::Sqlite(connection) => Ok(sqlite::place(connection)),
            Tx::Postgres(tx) => tx.place().await,
        }
    }

    /// Runs a statement and tells how many rows it changed.
    pub async fn execute(&mut self, sql: &Sql, values: &[Value]) -> Result<u64> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(0),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(0),
            Tx::Sqlite(connection) => sqlite::execute(connection, sql.sqlite, values),
            Tx::Postgres(tx) => tx.execute(sql.postgres, values).await,
        }
    }

    /// Runs a statement for each set of values, and tells how many rows each changed. On PostgreSQL that takes one round
    /// trip.
    pub async fn execute_each(&mut self, sql: &Sql, of: &[Vec<Value>]) -> Result<Vec<u64>> {
        match self {
            Tx::Sqlite(connection) => {
                of.iter().map(|values| sqlite::execute(connection, sql.sqlite, values)).collect()
            }
            Tx::Postgres(tx) => tx.execute_each(sql.postgres, of).await,
        }
    }

    /// Runs a statement of which nobody needs to know how many rows it changed. On PostgreSQL it is not waited for: it is
    /// done before whatever comes after it, and where it fails, so does that, or the end of the transaction.
    pub async fn send(&mut self, sql: &Sql, values: &[Value]) -> Result<()> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(()),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(()),
            Tx::Sqlite(connection) => sqlite::execute(connection, sql.sqlite, values).map(drop),
            Tx::Postgres(tx) => tx.send(sql.postgres, values).await,
        }
    }

    /// Runs a query that gives at most one row.
    pub async fn one(&mut self, sql: &Sql, values: &[Value]) -> Result<Option<Row>> {
        Ok(self.all(sql, values).await?.pop())
    }

    /// Runs a query and gives all its rows: statements limit themselves.
    pub async fn all(&mut self, sql: &Sql, values: &[Value]) -> Result<Vec<Row>> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(Vec::new()),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(Vec::new()),
            Tx::Sqlite(connection) => sqlite::all(connection, sql.sqlite, values),
            Tx::Postgres(tx) => tx.all(sql.postgres, values).await,
        }
    }
}
