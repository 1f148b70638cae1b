//! One server, and the commands that an operator runs beside it.

use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use testkit::client::Client;
use testkit::cluster::Addresses;
use testkit::database::Database;
use testkit::server::{Server, run, token};

/// Signs the tokens of streams, so that a test can make some that end soon.
pub const SECRET: &str = "a secret that the tests and the server share";

pub struct Single {
    pub engine: &'static str,
    pub token: String,
    pub server: Server,
    folder: TempDir,
    store: Vec<String>,
    _database: Option<Database>,
}

impl Single {
    /// Starts it on the engine that `TEST_DB` names.
    pub fn start(more: &[&str]) -> Self {
        let (engine, database) = match std::env::var("TEST_DB").as_deref() {
            Ok("postgres") => ("postgres", Some(Database::create())),
            _ => ("sqlite", None),
        };
        let mut store = vec!["--data".to_owned(), "data".to_owned()];
        if let Some(database) = &database {
            store.extend(["--database-url".to_owned(), database.url.clone()]);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let given: Vec<_> = store.iter().map(String::as_str).collect();
        let token = token(folder.path(), &given);
        let arguments = [&given[..], &["--realtime-secret", SECRET], more].concat();
        let server = Server::start(folder.path(), &arguments);
        Self { engine, token, server, folder, store, _database: database }
    }

    pub fn client(&self) -> Client {
        self.server.client(&self.token)
    }

    pub fn addresses(&self) -> Addresses {
        Arc::new(Mutex::new(vec![Some(self.server.address)]))
    }

    /// Runs a command on the same store.
    pub fn command(&self, words: &[&str]) -> String {
        let store: Vec<_> = self.store.iter().map(String::as_str).collect();
        let ended = run(self.folder.path(), &[words, &store].concat());
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        ended.stdout
    }
}
