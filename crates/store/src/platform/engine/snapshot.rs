//! A snapshot of the database that several reads see, with pauses between them.
//!
//! The reads of [`Db::read`](super::Db::read) end before their caller goes on, because they share connections with all other reads.
//! A snapshot has a connection of its own, so it may wait for a slow client. Dropping it ends its transaction.

use model::Result;

use super::postgres::PgSnapshot;
use super::sqlite::snapshot::SqliteSnapshot;
use super::tx::Tx;

/// An open read-only transaction. Each of its reads sees the same state of the database.
pub struct Snapshot(Held);

enum Held {
    Sqlite(SqliteSnapshot),
    Postgres(Box<PgSnapshot>),
}

impl Snapshot {
    pub(super) fn of_sqlite(snapshot: SqliteSnapshot) -> Self {
        Self(Held::Sqlite(snapshot))
    }

    pub(super) fn of_postgres(snapshot: PgSnapshot) -> Self {
        Self(Held::Postgres(Box::new(snapshot)))
    }

    /// Runs a read on the snapshot. After an error, or if the returned future is dropped, the snapshot can't be used again.
    pub async fn read<T, F>(&mut self, operation: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        match &mut self.0 {
            Held::Sqlite(snapshot) => snapshot.read(operation).await,
            // Boxed: otherwise the future of each caller in the chain would contain the whole transaction.
            Held::Postgres(snapshot) => Box::pin(snapshot.read(operation)).await,
        }
    }
}
