//! Databases on the tests' PostgreSQL server. Tests use it one at a time, because one of them crashes it.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_postgres::{Client, NoTls};

use crate::contents::{Contents, EVENTS, HEAD, LOCATIONS, TAG_COUNT};

static TURN: Mutex<()> = Mutex::new(());

/// A fresh database. While this value lives, no other test uses the server.
pub struct Database {
    admin: String,
    name: String,
    pub url: String,
    _turn: MutexGuard<'static, ()>,
}

impl Database {
    /// Creates it, and waits until no other test uses the server.
    pub fn create() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let admin = std::env::var("DOCKSIDE_TEST_POSTGRES").expect(
            "DOCKSIDE_TEST_POSTGRES names a server: checks/scripts/postgres.sh run COMMAND starts one",
        );
        let name = format!("process_{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        with(&admin, async |client| client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap());
        let (server, _) = admin.rsplit_once('/').expect("a database in the address");
        Self { url: format!("{server}/{name}"), admin, name, _turn: turn }
    }

    /// Where the server listens.
    pub fn address(&self) -> SocketAddr {
        let (_, rest) = self.url.split_once('@').expect("a user");
        rest.split('/').next().unwrap_or_default().parse().expect("an address")
    }

    /// Returns the URL of the database at another address.
    pub fn url_at(&self, address: SocketAddr) -> String {
        self.url.replace(&self.address().to_string(), &address.to_string())
    }

    /// Returns the URL of the database for the superuser, by the socket in the server's folder. Over TCP the server accepts
    /// the product's role only.
    pub fn superuser_url(&self) -> String {
        let control = std::env::var("DOCKSIDE_TEST_PG_CTL").expect("DOCKSIDE_TEST_PG_CTL names a program");
        let folder = std::path::Path::new(&control).with_file_name("server");
        let folder = folder.to_string_lossy().replace('/', "%2F");
        format!("postgres://postgres@{folder}:{}/{}", self.address().port(), self.name)
    }

    pub fn execute(&self, sql: &str) {
        with(&self.url, async |client| client.batch_execute(sql).await.unwrap());
    }

    /// Returns the contents of the database in one snapshot.
    pub fn contents(&self) -> Contents {
        with(&self.url, async |client| {
            let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL dockside.owner = '*'";
            client.batch_execute(begin).await.unwrap();
            let locations = client.query(LOCATIONS, &[]).await.unwrap();
            let events = client.query(EVENTS, &[]).await.unwrap();
            let tags = client.query_one(TAG_COUNT, &[]).await.unwrap().get(0);
            let head = client.query_opt(HEAD, &[]).await.unwrap();
            Contents {
                locations: locations.iter().map(|row| row.get(0)).collect(),
                tags,
                events: events.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect(),
                head: head.map_or(0, |row| row.get(0)),
            }
        })
    }
}

/// Crashes the server and starts it again. Returns for how long it was unavailable, at most.
pub fn crash_server() -> Duration {
    let control = std::env::var("DOCKSIDE_TEST_PG_CTL").expect("DOCKSIDE_TEST_PG_CTL names a program");
    let began = std::time::Instant::now();
    let status = Command::new(control).arg("restart-immediate").status().expect("it runs");
    assert!(status.success());
    began.elapsed()
}

/// Drops a database although it may be in use. Not by `WITH (FORCE)`: that also wants to end a vacuum that happens to be
/// at work there, which only a superuser may, and fails. Without it the server ends the vacuum by itself.
pub fn drop_database(name: &str) -> [String; 2] {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user";
    [format!("{end} AND datname = '{name}'"), format!("DROP DATABASE {name}")]
}

pub fn with<T>(url: &str, work: impl AsyncFnOnce(&Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a server");
        tokio::spawn(connection);
        work(&client).await
    })
}

impl Drop for Database {
    fn drop(&mut self) {
        // If the test failed because the server is gone, the test's own failure says more than an error here.
        if !std::thread::panicking() {
            with(&self.admin, async |client| {
                for sql in drop_database(&self.name) {
                    client.batch_execute(&sql).await.unwrap();
                }
            });
        }
    }
}
