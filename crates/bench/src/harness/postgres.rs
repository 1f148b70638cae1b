//! PostgreSQL: a private server, its databases, and pgbench with the product's statements.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};

use crate::harness::load::Figures;
use crate::harness::outcome::Outcome;

/// The folder of PostgreSQL's programs on Debian, by version.
const PROGRAMS: &str = "/usr/lib/postgresql";
/// The private server has 200 connections, some of them reserved and others in use by the product.
const CLIENTS_MAX: usize = 160;
/// How long the product may take to number its events.
const NUMBERING_TIME_MAX: Duration = Duration::from_secs(20);

/// The statements of a create. Variables are bound as the product binds them. Ids consist of a counter and the
/// client's number, so that they grow with time as the product's do.
const SCRIPT: &str = "\
\\set n :n + 1
BEGIN;
SET LOCAL dockside.owner = 'OWNER';
INSERT INTO location (owner, id, version, doc)
VALUES (:owner, 'loc_' || lpad(:n, 20, '0') || lpad(:client_id, 6, '0'), 1, :doc);
INSERT INTO event (owner, id, type, resource_id, created_at, object, previous_attributes)
VALUES (:owner, 'evt_' || lpad(:n, 20, '0') || lpad(:client_id, 6, '0'), 'location.created',
        'loc_' || lpad(:n, 20, '0') || lpad(:client_id, 6, '0'), :n, :doc, NULL);
COMMIT;
";

/// A server: one that the caller named, or a private one that ends when this is dropped.
pub struct PostgresServer {
    pub url: String,
    home: Option<tempfile::TempDir>,
}

impl PostgresServer {
    pub async fn start() -> Outcome<Self> {
        if let Ok(url) = std::env::var("DOCKSIDE_TEST_POSTGRES") {
            return Ok(Self { url, home: None });
        }
        let home = tempfile::Builder::new().prefix("dockside-bench-").tempdir()?;
        let mut start = tokio::process::Command::from(control("start", home.path()));
        let file = home.path().join("url");
        let mut server = Self { url: String::new(), home: Some(home) };
        let output = start.output().await?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().into());
        }
        server.url = std::fs::read_to_string(file)?.trim().to_owned();
        Ok(server)
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        if let Some(home) = &self.home {
            let _already_stopped = control("stop", home.path()).status();
        }
    }
}

fn control(action: &str, home: &Path) -> Command {
    let mut command =
        Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checks/scripts/postgres.sh"));
    command.arg(action).arg(home);
    command
}

/// A database of this run.
pub struct Database {
    pub url: String,
    /// A connection that sees the rows of all owners.
    pub client: Client,
}

impl Database {
    /// Creates the database, and drops it first if it exists.
    pub async fn create(server: &str, name: &str) -> Outcome<Self> {
        let admin = connect(server).await?;
        // Not by `WITH (FORCE)`: that also ends an autovacuum worker, which only a superuser may.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user";
        admin.batch_execute(&format!("{end} AND datname = '{name}'")).await?;
        admin.batch_execute(&format!("DROP DATABASE IF EXISTS {name}")).await?;
        admin.batch_execute(&format!("CREATE DATABASE {name}")).await?;
        let (host, _) = server.rsplit_once('/').ok_or("the server's address names no database")?;
        let url = format!("{host}/{name}");
        let client = connect(&url).await?;
        client.batch_execute("SET dockside.owner = '*'").await?;
        Ok(Self { url, client })
    }

    /// Waits until every event has its number, and returns how long that took.
    pub async fn until_numbered(&self) -> Outcome<Duration> {
        let began = Instant::now();
        while began.elapsed() < NUMBERING_TIME_MAX {
            let waiting = "SELECT EXISTS (SELECT FROM event WHERE sequence IS NULL)";
            if !self.client.query_one(waiting, &[]).await?.try_get::<_, bool>(0)? {
                return Ok(began.elapsed());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Err("the product does not number its events".into())
    }
}

async fn connect(url: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// The path of pgbench.
pub struct Pgbench(PathBuf);

/// A script for pgbench, and the database to run it on.
pub struct Script {
    program: PathBuf,
    arguments: Vec<String>,
    url: String,
    turns: AtomicU64,
}

impl Pgbench {
    /// Finds the newest installed version.
    pub fn find() -> Outcome<Self> {
        let versions = std::fs::read_dir(PROGRAMS).into_iter().flatten().flatten();
        let programs = versions.map(|version| version.path().join("bin/pgbench"));
        let newest = programs.filter(|program| program.exists()).max();
        Ok(Self(newest.ok_or("pgbench is not installed")?))
    }

    /// Writes the script of a create into the folder.
    pub fn script(&self, folder: &Path, url: &str, owner: &str, doc: &str) -> Outcome<Script> {
        self.script_of(
            &folder.join("create.sql"),
            url,
            &SCRIPT.replace("OWNER", owner),
            &[("owner", owner), ("doc", doc)],
        )
    }

    /// Writes a script into the file.
    pub fn script_of(
        &self,
        file: &Path,
        url: &str,
        text: &str,
        variables: &[(&str, &str)],
    ) -> Outcome<Script> {
        std::fs::write(file, text)?;
        let options = ["--no-vacuum", "--protocol=prepared", "--jobs=2"].map(str::to_owned);
        let file = format!("--file={}", file.display());
        let variables = variables.iter().map(|(name, value)| format!("--define={name}={value}"));
        let arguments = options.into_iter().chain([file]).chain(variables).collect();
        Ok(Script { program: self.0.clone(), arguments, url: url.to_owned(), turns: AtomicU64::new(0) })
    }
}

impl Script {
    /// Runs the script over this number of connections, at most as many as the server has. The first second does not
    /// count: each connection plans its statements and fills its caches then, which the product's connections did
    /// long ago.
    pub async fn run(&self, connections: usize, seconds: u64) -> Outcome<Figures> {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed) + 1;
        let output = tokio::process::Command::new(&self.program)
            .args(&self.arguments)
            .arg(format!("--define=n={turn}000000000"))
            .arg(format!("--client={}", connections.min(CLIENTS_MAX)))
            .arg(format!("--time={}", seconds + 1))
            .arg("--progress=1")
            .arg(&self.url)
            .kill_on_drop(true)
            .output()
            .await?;
        let text = String::from_utf8_lossy(&output.stderr);
        let warm: Vec<f64> = text.lines().filter_map(progress).skip(1).collect();
        if !output.status.success() || warm.is_empty() {
            return Err(format!("pgbench failed: {text}").into());
        }
        let per_second = warm.iter().sum::<f64>() / warm.len() as f64;
        Ok(Figures { per_second, latency: None, cpu_micros: None })
    }
}

/// Returns the transactions per second of one of pgbench's progress lines.
fn progress(line: &str) -> Option<f64> {
    let (_, figures) = line.strip_prefix("progress: ")?.split_once(" s, ")?;
    figures.split_once(" tps")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_tells_its_transactions() {
        let line = "progress: 2.0 s, 857.3 tps, lat 74.2 ms stddev 9.1, 0 failed";
        assert_eq!(progress(line), Some(857.3));
        assert_eq!(progress("pgbench (15.14)"), None);
    }
}
