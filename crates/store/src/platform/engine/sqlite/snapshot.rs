//! A snapshot on SQLite: a read transaction on a connection of its own.
//!
//! Its reads run on threads for blocking work and not on the reader threads: each of those has one transaction for all reads of a
//! group, which would have to stay open.

use std::path::PathBuf;

use model::{Error, Result};
use rusqlite::{Connection, OpenFlags};
use tokio::task::spawn_blocking;

use super::super::tx::Tx;
use super::error::fault;
use super::{connect, poll_once, run};

/// An open read transaction. Closing its connection ends it.
pub struct SqliteSnapshot {
    /// `None` while a read has it, and after a read that failed.
    connection: Option<Connection>,
}

impl SqliteSnapshot {
    pub async fn open(file: PathBuf) -> Result<Self> {
        let opened = spawn_blocking(move || {
            let connection = connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            connection.execute_batch("PRAGMA query_only = ON").map_err(fault)?;
            run(&connection, "BEGIN")?;
            // BEGIN takes no snapshot. The first read does.
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).map_err(fault)?;
            Ok::<_, Error>(connection)
        });
        Ok(Self { connection: Some(opened.await.map_err(Error::fault)??) })
    }

    pub async fn read<T, F>(&mut self, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let mut connection =
            self.connection.take().ok_or_else(|| Error::fault("the snapshot has ended with an error"))?;
        let read = spawn_blocking(move || {
            let result = poll_once(&mut connection, &operation);
            (connection, result)
        });
        let (connection, result) = read.await.map_err(Error::fault)?;
        if result.is_ok() {
            self.connection = Some(connection);
        }
        result
    }
}
