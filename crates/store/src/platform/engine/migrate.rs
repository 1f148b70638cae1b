//! Schema migrations. Two folders, one per engine, hold files with the same names. At start, a process applies each
//! missing one once, under a lock.

use model::{Error, Result};
use rusqlite::Connection;

use super::postgres::error as postgres_error;
use super::sqlite::error as sqlite_error;

/// One step of the schema, in both SQL dialects.
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
            sqlite: include_str!(concat!("../../../migrations/sqlite/", $name, ".sql")),
            postgres: include_str!(concat!("../../../migrations/postgres/", $name, ".sql")),
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
    "0012_cleaning",
    "0013_labels_pending",
    "0014_documents_by_package",
    "0015_order_references",
    "0016_privileges",
    "0017_schema_versions",
    "0018_suspects",
    "0021_shipment_counts",
    "0022_expired_tokens",
    "0023_follow_ups",
    "0024_tracking_numbers",
    "0025_retention",
    "0026_unfinished_purchases",
    "0027_earlier_names",
    "0028_more_suspects",
    "0029_order_fields",
    "0030_fulfilment",
    "0031_item_details",
    "0032_package_types",
    "0033_time_zones",
    "0034_shipping_rules",
    "0035_order_shipments",
    "0037_printing",
    "0038_search",
    "0039_brandings",
    "0040_waves",
    "0041_scans",
    "0042_planned_stock",
    "0043_organisation_names",
    "0044_users",
    "0045_late_orders",
    "0046_imports",
    "0050_openid_connect",
    "0055_sample_data",
    "0056_error_codes",
    "0057_actors",
    "0058_purchase_ship_on",
    "0059_carrier_tokens",
    "0060_passkeys",
    "0061_mails",
    "0062_costs",
];

const TABLE: &str = "CREATE TABLE IF NOT EXISTS migration (name TEXT NOT NULL PRIMARY KEY)";
/// An arbitrary number that all nodes agree on, so that only one migrates at a time.
const LOCK: &str = "SELECT pg_advisory_xact_lock(4716051120331)";
/// Row level security applies to migrations as well. Without this setting they could neither see nor change rows.
const SPAN_ORGANISATIONS: &str = "SET LOCAL dockside.owner = '*'";
const APPLIED: &str = "SELECT name FROM migration ORDER BY name";
/// The version of the program that applied a step. A step that was applied before versions were recorded gets the
/// version of the first program that recorded them.
const VERSION_OF: &str = "SELECT version FROM migration WHERE name = $1";
const SET_VERSION: &str = "UPDATE migration SET version = $1 WHERE version IS NULL";
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub fn sqlite(connection: &mut Connection) -> Result<()> {
    let tx = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(sqlite_error::fault)?;
    tx.execute_batch(TABLE).map_err(sqlite_error::fault)?;
    ensure_known(&tx)?;
    for migration in MIGRATIONS {
        let added = tx
            .execute("INSERT INTO migration (name) VALUES (?1) ON CONFLICT DO NOTHING", [migration.name])
            .map_err(sqlite_error::fault)?;
        if added == 1 {
            tx.execute_batch(migration.sqlite).map_err(|error| failed(migration, error))?;
        }
    }
    tx.execute(SET_VERSION, [VERSION]).map_err(sqlite_error::fault)?;
    tx.commit().map_err(sqlite_error::fault)
}

/// Refuses a schema that is newer than this program.
pub fn ensure_known(connection: &Connection) -> Result<()> {
    let applied = sqlite_names(connection).map_err(sqlite_error::fault)?;
    let Some(newer) = newest_unknown(&applied) else { return Ok(()) };
    let version = connection.query_row(VERSION_OF, [newer], |row| row.get(0));
    Err(too_new(newer, version.ok().flatten()))
}

pub async fn postgres(client: &mut tokio_postgres::Client) -> Result<()> {
    let tx = client.transaction().await.map_err(postgres_error::fault)?;
    tx.batch_execute(LOCK).await.map_err(postgres_error::fault)?;
    tx.batch_execute(SPAN_ORGANISATIONS).await.map_err(postgres_error::fault)?;
    tx.batch_execute(TABLE).await.map_err(postgres_error::fault)?;
    let applied = tx.query(APPLIED, &[]).await.map_err(postgres_error::fault)?;
    let applied: Vec<String> = applied.iter().map(|row| row.get(0)).collect();
    if let Some(newer) = newest_unknown(&applied) {
        let version = tx.query_one(VERSION_OF, &[&newer]).await;
        return Err(too_new(newer, version.ok().and_then(|row| row.get(0))));
    }
    for migration in MIGRATIONS {
        let added = tx
            .execute("INSERT INTO migration (name) VALUES ($1) ON CONFLICT DO NOTHING", &[&migration.name])
            .await
            .map_err(postgres_error::fault)?;
        if added == 1 {
            tx.batch_execute(migration.postgres).await.map_err(|error| failed(migration, error))?;
        }
    }
    tx.execute(SET_VERSION, &[&VERSION]).await.map_err(postgres_error::fault)?;
    tx.commit().await.map_err(postgres_error::fault)
}

fn sqlite_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(APPLIED)?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}

/// Returns the newest applied step that this program does not know. It comes from the newest version of the program
/// that has migrated this schema.
fn newest_unknown(applied: &[String]) -> Option<&str> {
    let is_known = |name: &str| MIGRATIONS.iter().any(|migration| migration.name == name);
    applied.iter().map(String::as_str).rev().find(|name| !is_known(name))
}

/// Returns the error for a schema that is newer than this program. Such a program must not write: it would leave out
/// columns and rows on which the newer version relies.
fn too_new(migration: &str, version: Option<String>) -> Error {
    let version =
        version.map_or_else(|| "a newer version".to_owned(), |version| format!("version {version}"));
    Error::unavailable(format!(
        "its schema has the step {migration} of {version} of Dockside, which this version ({VERSION}) does not know: start \
         {version} or a later one"
    ))
}

fn failed(migration: &Migration, error: impl std::error::Error) -> Error {
    Error::fault(format!("migration {} failed: {error}", migration.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a store from before labels were confirmed: a shipment with its label, one whose label is late, one
    /// whose server crashed between receipt and report, and one that was never bought.
    const BEFORE_LABELS_PENDING: &str = r#"
        INSERT INTO batch (owner, id, version, status, details, created_at, updated_at)
            VALUES ('o', 'batch_1', 1, 'purchased', '{}', 0, 0);
        INSERT INTO shipment (owner, id, version, status, doc, batch_id) VALUES
            ('o', 'shp_1', 1, 'purchased', '{"id":"shp_1"}', 'batch_1'),
            ('o', 'shp_2', 1, 'purchased', '{"id":"shp_2"}', 'batch_1'),
            ('o', 'shp_3', 1, 'purchasing', '{"id":"shp_3"}', NULL),
            ('o', 'shp_4', 1, 'draft', '{"id":"shp_4"}', NULL);
        INSERT INTO purchase (owner, id, shipment_id, account_id, service, reference, state, receipt, is_labelled,
                created_at, updated_at) VALUES
            ('o', 'pur_1', 'shp_1', 'ca', 's', 'r', 'bought', '{"charged":515,"currency":"GBP"}', 1, 0, 0),
            ('o', 'pur_2', 'shp_2', 'ca', 's', 'r', 'bought', '{"charged":0,"currency":""}', 0, 0, 0),
            ('o', 'pur_3', 'shp_3', 'ca', 's', 'r', 'bought', '{"charged":515,"currency":"GBP"}', 0, 0, 0);
    "#;

    #[test]
    fn shipments_of_an_older_version_get_their_cost_and_whether_their_label_is_pending() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLE).unwrap();
        for migration in MIGRATIONS.iter().filter(|migration| migration.name < "0013") {
            connection.execute("INSERT INTO migration (name) VALUES (?1)", [migration.name]).unwrap();
            connection.execute_batch(migration.sqlite).unwrap();
        }
        connection.execute_batch(BEFORE_LABELS_PENDING).unwrap();
        sqlite(&mut connection).unwrap();
        let docs = texts(&connection, "SELECT doc FROM shipment ORDER BY id");
        // Later migrations add fields at the end.
        let before: Vec<_> =
            docs.iter().filter_map(|doc| Some(doc.split_once(r#","order_id""#)?.0)).collect();
        assert_eq!(
            before,
            [
                r#"{"id":"shp_1","cost":{"amount":515,"currency_code":"GBP"},"label_pending":false"#,
                r#"{"id":"shp_2","cost":null,"label_pending":true"#,
                r#"{"id":"shp_3","cost":null,"label_pending":false"#,
                r#"{"id":"shp_4","cost":null,"label_pending":false"#,
            ]
        );
        let follow_up = "SELECT id || ' ' || is_follow_up FROM purchase ORDER BY id";
        assert_eq!(texts(&connection, follow_up), ["pur_1 1", "pur_2 1", "pur_3 0"]);
        let pending = "SELECT labels_pending_count || ' ' || labels_awaited FROM batch";
        assert_eq!(texts(&connection, pending), ["1 1"]);
    }

    #[test]
    fn a_schema_of_a_newer_version_is_refused_and_left_as_it_is() {
        let mut connection = Connection::open_in_memory().unwrap();
        sqlite(&mut connection).unwrap();
        let newer =
            "INSERT INTO migration (name, version) VALUES ('9998_old', '7.0.0'), ('9999_new', '7.1.0')";
        connection.execute_batch(newer).unwrap();
        let refused = sqlite(&mut connection).unwrap_err().to_string();
        assert!(refused.contains("9999_new of version 7.1.0"), "{refused}");
        assert!(refused.contains("start version 7.1.0 or a later one"), "{refused}");
        let applied =
            texts(&connection, "SELECT name || ' ' || version FROM migration ORDER BY name DESC LIMIT 3");
        let last = MIGRATIONS.last().unwrap().name;
        assert_eq!(applied, ["9999_new 7.1.0", "9998_old 7.0.0", &format!("{last} {VERSION}")]);
    }

    fn texts(connection: &Connection, sql: &str) -> Vec<String> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    }
}
