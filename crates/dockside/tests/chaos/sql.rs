//! Reads the database without a server, by the judge's own SQL, in one snapshot.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use testkit::cluster::Cluster;
use tokio_postgres::NoTls;

const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Begins a snapshot that shows the rows of all owners.
const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL dockside.owner = '*'";

/// A row, its values as texts: the statements here ask for nothing else.
pub type Row = Vec<Option<String>>;

#[derive(Clone)]
pub enum Store {
    Sqlite(PathBuf),
    Postgres(String),
}

impl Store {
    pub fn of(cluster: &Cluster) -> Self {
        match &cluster.database {
            Some(database) => Self::Postgres(database.url.clone()),
            None => Self::Sqlite(cluster.folders[0].path().join("data/dockside.db")),
        }
    }

    /// Returns the rows of each statement, all in one snapshot.
    pub fn rows(&self, statements: &[&str]) -> Vec<Vec<Row>> {
        match self {
            Self::Sqlite(file) => of_sqlite(file, statements),
            Self::Postgres(url) => of_postgres(url, statements),
        }
    }
}

fn of_sqlite(file: &Path, statements: &[&str]) -> Vec<Vec<Row>> {
    let mut database =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("a database");
    database.busy_timeout(BUSY_TIMEOUT).expect("a time");
    let moment = database.transaction().expect("a transaction");
    let all = statements.iter().map(|sql| {
        let mut statement = moment.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let width = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..width).map(|column| row.get(column)).collect();
        statement.query_map([], row).expect("rows").map(|row| row.expect("texts")).collect()
    });
    all.collect()
}

fn of_postgres(url: &str, statements: &[&str]) -> Vec<Vec<Row>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a server");
        tokio::spawn(connection);
        client.batch_execute(SNAPSHOT).await.expect("a transaction");
        let mut all = Vec::new();
        for sql in statements {
            let rows = client.query(*sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
            all.push(rows.iter().map(|row| (0..row.len()).map(|column| row.get(column)).collect()).collect());
        }
        all
    })
}
