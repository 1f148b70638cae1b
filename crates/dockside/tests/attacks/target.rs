//! The server that is attacked, with two organisations: one attacks or is idle, the other goes on working.

use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use testkit::database::Database;
use testkit::server::{LOOK_EVERY, Server, Starting, program_path, run, token, wait_until};
use testkit::storage::{FILE, connect, run as run_in};

use crate::neighbour::{Figures, Neighbour};
use crate::process_metrics;

/// How long a server is watched before an attack, to know its quiet times; and how long on a machine that others use.
const QUIET_TIME: Duration = Duration::from_millis(1500);
const QUIET_TIME_MAX: Duration = Duration::from_secs(30);
/// How many requests must have been timed by then.
const QUIET_REQUESTS: usize = 200;

pub struct Target {
    pub engine: &'static str,
    /// The token of the organisation that the attack uses, where it uses one.
    pub token: String,
    /// The token of the other organisation.
    pub other: String,
    pub server: Server,
    /// The arguments that name the store.
    store: Vec<String>,
    folder: TempDir,
    database: Option<Database>,
}

impl Target {
    pub fn start(more: &[&str]) -> Self {
        Self::start_within("", more)
    }

    /// Starts the server with these limits of the shell, such as `ulimit -Sn 64;`.
    pub fn start_within(limits: &str, more: &[&str]) -> Self {
        process_metrics::raise_descriptors();
        let (engine, database) = match std::env::var("TEST_DB").as_deref() {
            Ok("postgres") => ("postgres", Some(Database::create())),
            _ => ("sqlite", None),
        };
        let mut store = vec!["--data", "data"];
        if let Some(database) = &database {
            store.extend(["--database-url", &database.url]);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let token = token(folder.path(), &store);
        let words =
            ["token", "create", "--organisation", "Other", "--create-organisation", "--user", "a@b.example"];
        let made = run(folder.path(), &[&words[..], &store].concat());
        assert_eq!(made.code, 0, "{}", made.stderr);
        let other = made.stdout.trim().to_owned();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{limits} exec \"$0\" \"$@\"")]).arg(program_path());
        command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]).args(&store).args(more);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("DOCKSIDE_") {
                command.env_remove(name);
            }
        }
        command.current_dir(folder.path());
        let server = Starting::command(folder.path(), command).ready();
        let store = store.into_iter().map(str::to_owned).collect();
        Self { engine, token, other, server, store, folder, database }
    }

    /// Makes a token for the test world of the organisation that the attack uses.
    pub fn test_token(&self) -> String {
        let store = self.store.iter().map(String::as_str);
        token(self.folder.path(), &store.chain(["--test"]).collect::<Vec<_>>())
    }

    /// Runs statements in the database: the first on SQLite, the second on PostgreSQL.
    pub fn run_sql(&self, sqlite: &str, postgres: &str) {
        match &self.database {
            None => {
                let file = self.folder.path().join("data").join(FILE);
                let session = rusqlite::Connection::open(file).expect("the file");
                session.busy_timeout(Duration::from_secs(60)).expect("a time limit");
                session.execute_batch(sqlite).expect("the statements run");
            }
            Some(database) => {
                let threads = tokio::runtime::Runtime::new().expect("threads");
                threads.block_on(async {
                    let session = connect(&database.url).await;
                    run_in(&session, &format!("SET dockside.owner = '*'; {postgres}")).await;
                });
            }
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Watches the other organisation's requests for a while, and returns their figures.
    pub fn quiet(&self) -> Figures {
        let neighbour = self.neighbour();
        let began = Instant::now();
        while began.elapsed() < QUIET_TIME
            || neighbour.requests() < QUIET_REQUESTS && began.elapsed() < QUIET_TIME_MAX
        {
            std::thread::sleep(LOOK_EVERY);
        }
        neighbour.finish()
    }

    /// Starts to send the other organisation's requests, one after the other.
    pub fn neighbour(&self) -> Neighbour {
        self.neighbour_of(&self.other)
    }

    /// Starts to send requests with this token, one after the other.
    pub fn neighbour_of(&self, token: &str) -> Neighbour {
        Neighbour::start(self.address(), token, self.server.process_id())
    }

    /// Waits until the server holds no more than so many sockets, and returns the seconds that took.
    pub fn freed(&self, sockets: usize, limit: Duration) -> f64 {
        wait_until("the server frees the connections", limit, || {
            process_metrics::sockets(self.address()) <= sockets
        })
        .as_secs_f64()
    }
}
