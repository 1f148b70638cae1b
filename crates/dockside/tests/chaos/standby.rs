//! Two PostgreSQL servers for one test: a primary, and a standby with asynchronous replication.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use testkit::database::with;

const NAME: &str = "shop";
/// How far the primary has written, and how far the standby has replayed, in bytes.
const WRITTEN: &str = "SELECT (pg_current_wal_lsn() - '0/0')::bigint";
const REPLAYED: &str = "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint";
const STANDBYS: &str = "SELECT count(*) FROM pg_stat_replication";

/// A PostgreSQL server in its own folder. It ends when this value is dropped.
struct Postgres {
    folder: TempDir,
}

/// Primary and standby. The servers under test have the addresses of both, and use the one that accepts writes.
pub struct Pair {
    primary: Postgres,
    standby: Postgres,
}

impl Postgres {
    fn start(action: &str, more: &[&Path]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        script(action, folder.path(), more);
        Self { folder }
    }

    /// Where it listens: host and port.
    fn address(&self) -> String {
        let url = fs::read_to_string(self.folder.path().join("url")).expect("an address");
        let (_, rest) = url.split_once('@').expect("a user");
        rest.split('/').next().unwrap_or_default().to_owned()
    }

    fn url(&self, name: &str) -> String {
        format!("postgres://dockside@{}/{name}", self.address())
    }

    fn number(&self, sql: &str) -> i64 {
        with(&self.url("postgres"), async |client| client.query_one(sql, &[]).await.expect("a number").get(0))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        script("stop", self.folder.path(), &[]);
    }
}

impl Pair {
    pub fn start() -> Self {
        let primary = Postgres::start("start", &[]);
        let create = format!("CREATE DATABASE {NAME}");
        with(&primary.url("postgres"), async |client| client.batch_execute(&create).await.unwrap());
        let standby = Postgres::start("standby", &[primary.folder.path()]);
        Self { primary, standby }
    }

    /// Returns the URL of the database on the server that accepts writes.
    pub fn url(&self) -> String {
        let (first, second) = (self.primary.address(), self.standby.address());
        format!("postgres://dockside@{first},{second}/{NAME}?target_session_attrs=read-write")
    }

    /// The database on the standby.
    pub fn standby_url(&self) -> String {
        self.standby.url(NAME)
    }

    /// How many bytes of the primary's log the standby lacks.
    pub fn lag_bytes(&self) -> i64 {
        self.primary.number(WRITTEN) - self.standby.number(REPLAYED)
    }

    /// Ends the replication. Data in transit does not arrive later either.
    pub fn cut_off(&self) {
        script("cut-off", self.standby.folder.path(), &[]);
    }

    pub fn is_cut_off(&self) -> bool {
        self.primary.number(STANDBYS) == 0
    }

    /// Kills the primary, as a crash would.
    pub fn kill_primary(&self) {
        script("stop", self.primary.folder.path(), &[]);
    }

    /// Makes the standby the primary.
    pub fn promote(&self) {
        script("take-over", self.standby.folder.path(), &[]);
    }
}

fn script(action: &str, folder: &Path, more: &[&Path]) {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../checks/scripts/postgres.sh"));
    let status = command.arg(action).arg(folder).args(more).status().expect("the script runs");
    assert!(status.success(), "{action} {}", folder.display());
}
