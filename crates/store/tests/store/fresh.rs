//! Empty databases for tests: a file for SQLite, or a new database on the test server for PostgreSQL.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use model::{Id, Owner};
use store::{Db, Place};

/// The database that a test runs on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// Runs each of the named functions as a test of each engine.
macro_rules! on_both_engines {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() { super::$name(crate::fresh::Engine::Sqlite).await })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $name() { super::$name(crate::fresh::Engine::Postgres).await })*
        }
    };
}

/// An empty database, which is deleted at the end of the test.
pub enum Fresh {
    File { folder: tempfile::TempDir },
    Database { server: String, name: String },
}

impl Fresh {
    pub async fn new(engine: Engine) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        if engine == Engine::Sqlite {
            return Fresh::File { folder: tempfile::tempdir().expect("a folder") };
        }
        let server = std::env::var("DOCKSIDE_TEST_POSTGRES").expect(
            "DOCKSIDE_TEST_POSTGRES names the PostgreSQL server to test on; ./test and checks/scripts/postgres.sh set it",
        );
        let name = format!("store_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let made = connect(&server).await.batch_execute(&format!("CREATE DATABASE {name}")).await;
        made.expect("a database");
        Fresh::Database { server, name }
    }

    /// Returns the path of SQLite's file.
    pub fn file(&self) -> PathBuf {
        match self {
            Fresh::File { folder } => folder.path().join("dockside.db"),
            Fresh::Database { .. } => panic!("PostgreSQL has no file to look at"),
        }
    }

    /// Returns the URL of the PostgreSQL database.
    pub fn url(&self) -> String {
        match self {
            Fresh::File { .. } => panic!("SQLite has no address"),
            Fresh::Database { server, name } => {
                let (server, _) = server.rsplit_once('/').expect("a database in the address");
                format!("{server}/{name}")
            }
        }
    }

    pub fn place(&self) -> Place {
        match self {
            Fresh::File { .. } => Place::Sqlite { file: self.file(), readers: 2 },
            Fresh::Database { .. } => Place::Postgres { url: self.url(), connections: CONNECTIONS },
        }
    }

    /// Opens the database, which migrates it.
    pub async fn open(&self) -> Db {
        Db::open(self.place()).await.expect("the store opens")
    }

    /// Opens a connection outside of the store, to inspect and change its rows.
    pub async fn postgres(&self) -> tokio_postgres::Client {
        connect(&self.url()).await
    }

    /// Opens a connection to SQLite's file outside of the store.
    pub fn sqlite(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).expect("the file opens")
    }
}

/// The size of the store's pool.
pub const CONNECTIONS: usize = 8;

async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("a server");
    tokio::spawn(connection);
    client
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let Fresh::Database { server, name } = self else { return };
        // Not by `WITH (FORCE)`: that also ends an autovacuum worker, which only a superuser may.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user";
        let end = format!("{end} AND datname = '{name}'");
        let (server, sql) = (server.clone(), format!("DROP DATABASE {name}"));
        // In a thread of its own, because the test's runtime may be shutting down.
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let client = connect(&server).await;
                client.batch_execute(&end).await.expect("its users go");
                client.batch_execute(&sql).await.expect("the database goes");
            });
        });
        let _failed = dropping.join();
    }
}

/// Returns the owner with this number.
pub fn owner(number: u128) -> Owner {
    Owner::live(Id::from_bits(number))
}
