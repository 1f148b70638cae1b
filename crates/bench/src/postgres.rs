//! PostgreSQL: a private server, databases in it, and pgbench with the statements that the product runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::{Client, NoTls};

use crate::Outcome;
use crate::load::Figures;

/// Where Debian keeps the programs of each version.
const PROGRAMS: &str = "/usr/lib/postgresql";
/// The private server takes 200 connections, of which it keeps some back and the product holds others.
const CLIENTS_MAX: usize = 160;
/// How long the product may take to number its events.
const NUMBERING_TIME_MAX: Duration = Duration::from_secs(20);

/// What a create writes. The variables are bound like the product binds its own; the ids are made of a counter and
/// the client's number, so that they grow with time as the product's do.
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

/// A server: one that the caller named, or one of our own that goes when this is dropped.
pub struct Private {
    pub url: String,
    home: Option<tempfile::TempDir>,
}

impl Private {
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

impl Drop for Private {
    fn drop(&mut self) {
        if let Some(home) = &self.home {
            let _already_stopped = control("stop", home.path()).status();
        }
    }
}

fn control(action: &str, home: &Path) -> Command {
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checks/postgres.sh"));
    command.arg(action).arg(home);
    command
}

/// A database of this run's.
pub struct Database {
    pub url: String,
    /// Sees the rows of all owners.
    pub client: Client,
}

impl Database {
    /// Makes it anew.
    pub async fn create(server: &str, name: &str) -> Outcome<Self> {
        let admin = connect(server).await?;
        // Not by `WITH (FORCE)`: that also wants to end a vacuum that is at work there, which only a superuser may.
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

    /// Waits until every event has its number; tells how long that took.
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

/// The program.
pub struct Pgbench(PathBuf);

/// What it is to run, and where.
pub struct Script {
    program: PathBuf,
    arguments: Vec<String>,
    url: String,
    turns: AtomicU64,
}

impl Pgbench {
    /// The newest one installed.
    pub fn find() -> Outcome<Self> {
        let versions = std::fs::read_dir(PROGRAMS).into_iter().flatten().flatten();
        let programs = versions.map(|version| version.path().join("bin/pgbench"));
        let newest = programs.filter(|program| program.exists()).max();
        Ok(Self(newest.ok_or("pgbench is not installed")?))
    }

    /// Prepares the script of a create in the folder.
    pub fn script(&self, folder: &Path, url: &str, owner: &str, doc: &str) -> Outcome<Script> {
        self.script_of(
            &folder.join("create.sql"),
            url,
            &SCRIPT.replace("OWNER", owner),
            &[("owner", owner), ("doc", doc)],
        )
    }

    /// Prepares any script in the file.
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
    /// Runs it over so many connections, as far as the server has them. The first second does not count: each
    /// connection plans its statements and fills its caches then, which the product's did long ago.
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

/// The transactions per second of a line in which pgbench tells how one second went.
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
