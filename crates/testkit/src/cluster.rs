//! The servers of a test: one on SQLite, two on one PostgreSQL.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tokio_postgres::NoTls;

use crate::client::Client;
use crate::database::Database;
use crate::server::{Server, token};

/// The addresses of the servers. `None` while a server does not run.
pub type Addresses = Arc<Mutex<Vec<Option<SocketAddr>>>>;

/// Servers, and everything that is needed to start them again.
pub struct Cluster {
    pub engine: &'static str,
    pub nodes: usize,
    pub token: String,
    pub addresses: Addresses,
    pub servers: Vec<Server>,
    pub folders: Vec<TempDir>,
    pub arguments: Vec<String>,
    pub database: Option<Database>,
}

impl Cluster {
    /// Starts the servers of the engine that `TEST_DB` names.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same, with more arguments for the servers.
    pub fn start_with(more: &[&str]) -> Self {
        Self::start_as(&[], more)
    }

    /// The same, with more arguments for the command that makes the token.
    pub fn start_as(more_of_token: &[&str], more: &[&str]) -> Self {
        Self::start_on(&std::env::var("TEST_DB").unwrap_or_default(), more_of_token, more)
    }

    /// The same, on an engine that the test names.
    pub fn start_on(engine: &str, more_of_token: &[&str], more: &[&str]) -> Self {
        match engine {
            "postgres" => {
                let database = Database::create();
                let cluster = Self::start_at(Some(&database.url), more_of_token, more);
                Self { database: Some(database), ..cluster }
            }
            _ => Self::start_at(None, more_of_token, more),
        }
    }

    /// The same, on a PostgreSQL database that the test has made, or else on SQLite.
    pub fn start_at(url: Option<&str>, more_of_token: &[&str], more: &[&str]) -> Self {
        let key = "5e".repeat(32);
        let arguments = ["--data", "data", "--signing-key", &key, "--encryption-key", &key];
        let mut arguments = arguments.map(str::to_owned).to_vec();
        let (engine, nodes) = if url.is_some() { ("postgres", 2) } else { ("sqlite", 1) };
        if let Some(url) = url {
            arguments.extend(["--database-url".to_owned(), url.to_owned()]);
        }
        let folders: Vec<_> = (0..nodes).map(|_| tempfile::tempdir().unwrap()).collect();
        // The first to open a database leaves a mark of its encryption key there, so the command needs the keys too.
        let given: Vec<_> = arguments.iter().map(String::as_str).collect();
        let token = token(folders[0].path(), &[&given, more_of_token].concat());
        arguments.extend(more.iter().map(|word| (*word).to_owned()));
        let given: Vec<_> = arguments.iter().map(String::as_str).collect();
        let servers: Vec<_> = folders.iter().map(|folder| Server::start(folder.path(), &given)).collect();
        let addresses = servers.iter().map(|server| Some(server.address)).collect();
        let addresses = Arc::new(Mutex::new(addresses));
        Self { engine, nodes, token, addresses, servers, folders, arguments, database: None }
    }

    /// Returns a client of one of the servers, in turn.
    pub fn client(&self, number: usize) -> Client {
        self.servers[number % self.servers.len()].client(&self.token)
    }

    /// Kills a server as `kill -9` does, and starts it again on the same data.
    pub fn kill(&mut self, node: usize) {
        let server = self.servers.remove(node);
        server.kill();
        self.addresses.lock().unwrap()[node] = None;
        let given: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        let server = Server::start(self.folders[node].path(), &given);
        self.addresses.lock().unwrap()[node] = Some(server.address);
        self.servers.insert(node, server);
    }

    /// Stops all servers in an orderly way, and checks what remains.
    pub fn stop(&mut self) {
        self.servers.drain(..).for_each(Server::stop);
        match &self.database {
            None => {
                let file = self.folders[0].path().join("data/dockside.db");
                drop(crate::contents::Contents::of_sqlite(&file));
            }
            // The sessions have ended, so PostgreSQL has counted everything in them.
            Some(database) => assert_eq!(deadlocks(&database.url), 0, "deadlocks"),
        }
    }
}

fn deadlocks(url: &str) -> i64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a server");
        tokio::spawn(connection);
        let sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        client.query_one(sql, &[]).await.expect("the statistics").get(0)
    })
}
