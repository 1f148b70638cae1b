//! A snapshot on PostgreSQL: a transaction at the isolation level `REPEATABLE READ`, on a connection of its own.

use std::sync::Arc;
use std::time::Duration;

use model::{Error, Result};

use super::super::tx::Tx;
use super::connection::{Connection, OPEN_TIME_MAX, Shared, within};
use super::transaction::PgTx;

/// The first query takes the snapshot.
const TAKE: &str = "SELECT 1::bigint";

/// An open transaction. Closing its connection ends it.
pub struct PgSnapshot {
    shared: Arc<Shared>,
    /// `None` while a read has it, and after a read that failed.
    connection: Option<Connection>,
}

impl PgSnapshot {
    /// Opens a connection and begins the transaction. The server ends it if it is idle for `time_max`.
    pub async fn open(shared: Arc<Shared>, begin: &str, time_max: Duration) -> Result<Self> {
        let connection = Connection::open(&shared).await?;
        let mut snapshot = Self { shared, connection: Some(connection) };
        let idle = format!("SET idle_in_transaction_session_timeout = '{}ms'", time_max.as_millis().max(1));
        let connection = snapshot.connection.as_mut().ok_or_else(ended)?;
        within(OPEN_TIME_MAX, connection.client.batch_execute(&idle)).await?;
        PgTx::new(connection, begin).all(TAKE, &[]).await?;
        Ok(snapshot)
    }

    pub async fn read<T, F>(&mut self, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send,
    {
        let mut reading =
            Reading { shared: &self.shared, connection: Some(self.connection.take().ok_or_else(ended)?) };
        let connection = reading.connection.as_mut().ok_or_else(ended)?;
        let result = operation(&mut Tx::Postgres(PgTx::resumed(connection))).await;
        if result.is_ok() {
            self.connection = reading.connection.take();
        }
        result
    }
}

impl Drop for PgSnapshot {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.shared.close(connection, None);
        }
    }
}

/// A connection during a read. If the read fails, or its caller hangs up, the connection is closed.
struct Reading<'a> {
    shared: &'a Shared,
    connection: Option<Connection>,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.shared.close(connection, None);
        }
    }
}

fn ended() -> Error {
    Error::fault("the snapshot has ended with an error")
}
