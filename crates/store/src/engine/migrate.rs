//! Migrations: two folders with the same file names, applied at start under a lock, each once.

use model::{Error, Result};
use rusqlite::Connection;

use super::{postgres, sqlite};

/// A step of the schema, in both dialects.
pub struct Migration {
    pub name: &'static str,
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

macro_rules! migrations {
    ($($name:literal),* $(,)?) => {
        /// The schema's history, oldest first. A released step never changes.
        pub const MIGRATIONS: &[Migration] = &[$(Migration {
            name: $name,
            sqlite: include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
        }),*];
    };
}

migrations![
    "0001_foundation",
    "0002_stock",
    "0003_events",
    "0004_webhooks",
    "0005_streams",
    "0006_shipments",
    "0007_documents",
    "0008_batches",
    "0009_batch_labels",
    "0010_manifests",
    "0011_restorations",
    "0012_cleaning"
];

const TABLE: &str = "CREATE TABLE IF NOT EXISTS migration (name TEXT NOT NULL PRIMARY KEY)";
/// An arbitrary number that all nodes agree on, so that only one migrates at a time.
const LOCK: &str = "SELECT pg_advisory_xact_lock(4716051120331)";

pub fn sqlite(connection: &mut Connection) -> Result<()> {
    let tx = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(sqlite::fault)?;
    tx.execute_batch(TABLE).map_err(sqlite::fault)?;
    for migration in MIGRATIONS {
        let added = tx
            .execute("INSERT INTO migration (name) VALUES (?1) ON CONFLICT DO NOTHING", [migration.name])
            .map_err(sqlite::fault)?;
        if added == 1 {
            tx.execute_batch(migration.sqlite).map_err(|error| failed(migration, error))?;
        }
    }
    tx.commit().map_err(sqlite::fault)
}

pub async fn postgres(client: &mut tokio_postgres::Client) -> Result<()> {
    let tx = client.transaction().await.map_err(postgres::fault)?;
    tx.batch_execute(LOCK).await.map_err(postgres::fault)?;
    tx.batch_execute(TABLE).await.map_err(postgres::fault)?;
    for migration in MIGRATIONS {
        let added = tx
            .execute("INSERT INTO migration (name) VALUES ($1) ON CONFLICT DO NOTHING", &[&migration.name])
            .await
            .map_err(postgres::fault)?;
        if added == 1 {
            tx.batch_execute(migration.postgres).await.map_err(|error| failed(migration, error))?;
        }
    }
    tx.commit().await.map_err(postgres::fault)
}

fn failed(migration: &Migration, error: impl std::error::Error) -> Error {
    Error::fault(format!("migration {} failed: {error}", migration.name))
}
