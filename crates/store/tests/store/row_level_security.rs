//! PostgreSQL restricts every transaction to its owner's rows, whatever its statements say.

use std::fmt::Write as _;

use store::{Access, Sql};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Transaction};

use crate::fresh::{Engine, Fresh, owner};

const TABLES: &str = "SELECT relname::text FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migration' ORDER BY oid";
const UNPROTECTED: &str = "SELECT relname::text FROM pg_class c
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relname <> 'migration'
    AND NOT (relrowsecurity AND relforcerowsecurity AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid))";

/// A migrated database with a row of `A` and a row of `B` in every table.
struct Rows {
    fresh: Fresh,
    client: Client,
    tables: Vec<String>,
    a: String,
    b: String,
}

impl Rows {
    async fn new() -> Self {
        let fresh = Fresh::new(Engine::Postgres).await;
        drop(fresh.open().await);
        let client = fresh.postgres().await;
        let tables = client.query(TABLES, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
        let mut rows = Rows { fresh, client, tables, a: owner(1).to_string(), b: owner(2).to_string() };
        let (a, b) = (rows.a.clone(), rows.b.clone());
        let tables = rows.tables.clone();
        let tx = rows.begin("*").await;
        // In the order of creation, so that a row exists before other rows refer to it.
        for table in &tables {
            for owner in [&a, &b] {
                let insert = insert(&tx, table, owner, "1").await;
                tx.batch_execute(&insert).await.unwrap_or_else(|error| panic!("{insert}: {error:?}"));
            }
        }
        tx.commit().await.unwrap();
        rows
    }

    /// Begins a transaction with an owner, as the store does.
    async fn begin(&mut self, owner: &str) -> Transaction<'_> {
        let tx = self.client.transaction().await.unwrap();
        tx.batch_execute(&format!("SET LOCAL dockside.owner = '{owner}'")).await.unwrap();
        tx
    }
}

/// Returns a statement that inserts a row into any table, with `key` for a text and 1 for a number.
async fn insert(tx: &Transaction<'_>, table: &str, owner: &str, key: &str) -> String {
    let columns = "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute
        WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum";
    let (mut names, mut values) = (String::new(), String::new());
    for column in tx.query(columns, &[&table]).await.unwrap() {
        let (name, kind): (String, String) = (column.get(0), column.get(1));
        let value = match (name.as_str(), kind.as_str()) {
            ("owner", _) => format!("'{owner}'"),
            // Columns in which the schema allows only some values.
            ("status", "text") if table == "webhook_delivery" => "'pending'".to_owned(),
            ("status", "text") if table == "batch" => "'open'".to_owned(),
            ("status", "text") if table == "manifest" => "'creating'".to_owned(),
            ("status", "text") if matches!(table, "print_job" | "wave" | "import") => "'queued'".to_owned(),
            ("result", "text") => "'pending'".to_owned(),
            ("began_with", "text") => "'link'".to_owned(),
            ("step", "text") => "'plan'".to_owned(),
            ("status", "text") => "'draft'".to_owned(),
            ("fulfilment_status", "text") => "'unallocated'".to_owned(),
            ("complete_allocations_on", "text") => "'purchase'".to_owned(),
            ("state", "text") if table == "batch_labels" => "'making'".to_owned(),
            ("state", "text") => "'ready'".to_owned(),
            (_, "text" | "bytea") => format!("'{key}'"),
            (_, "bigint") => "1".to_owned(),
            (_, other) => panic!("{table}.{name}: no value is known for the type {other}"),
        };
        let comma = if names.is_empty() { "" } else { ", " };
        write!(names, "{comma}\"{name}\"").unwrap();
        write!(values, "{comma}{value}").unwrap();
    }
    format!("INSERT INTO \"{table}\" ({names}) VALUES ({values})")
}

async fn owners(tx: &Transaction<'_>, table: &str) -> Vec<String> {
    let rows = tx.query(&format!("SELECT owner FROM \"{table}\" ORDER BY owner"), &[]).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn every_table_is_protected_even_from_its_owner() {
    let rows = Rows::new().await;
    let unprotected: Vec<String> =
        rows.client.query(UNPROTECTED, &[]).await.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(unprotected, Vec::<String>::new());
    assert!(rows.tables.len() >= 10, "{:?}", rows.tables);
    let role = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user";
    let is_exempt: bool = rows.client.query_one(role, &[]).await.unwrap().get(0);
    assert!(!is_exempt, "the tests' role is exempt from row level security, so they would show nothing");
}

#[tokio::test]
async fn without_an_owner_nothing_is_visible() {
    let mut rows = Rows::new().await;
    let tables = rows.tables.clone();
    for table in &tables {
        // First on a connection without the setting, then after a transaction that set it.
        let fresh = rows.fresh.postgres().await;
        let never = fresh.query(&format!("SELECT owner FROM \"{table}\""), &[]).await.unwrap();
        let after = rows.client.query(&format!("SELECT owner FROM \"{table}\""), &[]).await.unwrap();
        assert_eq!((never.len(), after.len()), (0, 0), "{table}");
        let tx = rows.client.transaction().await.unwrap();
        let insert = insert(&tx, table, &owner(1).to_string(), "2").await;
        assert_refused(tx.batch_execute(&insert).await, &insert);
    }
}

#[tokio::test]
async fn an_owner_sees_and_changes_only_its_own_rows() {
    let mut rows = Rows::new().await;
    let (a, b, tables) = (rows.a.clone(), rows.b.clone(), rows.tables.clone());
    for table in &tables {
        let tx = rows.begin(&a).await;
        assert_eq!(owners(&tx, table).await, [a.as_str()], "{table}");
        // Rows of other tables refer to our row and keep it from being deleted, so delete only the rows of others.
        let delete = format!("DELETE FROM \"{table}\" WHERE owner <> '{a}'");
        assert_eq!(tx.execute(&delete, &[]).await.unwrap(), 0, "{delete}");
        let take = format!("UPDATE \"{table}\" SET owner = '{a}' WHERE owner = '{b}'");
        assert_eq!(tx.execute(&take, &[]).await.unwrap(), 0, "{take}");
        tx.rollback().await.unwrap();
    }
    let system = rows.begin("*").await;
    for table in &tables {
        assert_eq!(owners(&system, table).await, [a.as_str(), b.as_str()], "{table}");
    }
}

#[tokio::test]
async fn the_test_world_reads_its_organisation_and_its_users_and_nothing_else() {
    let mut rows = Rows::new().await;
    let (a, tables) = (rows.a.clone(), rows.tables.clone());
    let tx = rows.begin(&format!("{a}_test")).await;
    for table in &tables {
        let is_shared = matches!(table.as_str(), "organisation" | "organisation_user");
        let expected: &[&str] = if is_shared { &[&a] } else { &[] };
        assert_eq!(owners(&tx, table).await, expected, "{table}");
    }
    let changes = [
        "UPDATE organisation SET name = 'x'",
        "DELETE FROM organisation",
        "UPDATE organisation_user SET email = 'x'",
        "DELETE FROM organisation_user",
    ];
    for change in changes {
        assert_eq!(tx.execute(change, &[]).await.unwrap(), 0, "{change}");
    }
    drop(tx);
    for table in ["organisation", "organisation_user"] {
        let tx = rows.begin(&format!("{a}_test")).await;
        let insert = insert(&tx, table, &a, "2").await;
        assert_refused(tx.batch_execute(&insert).await, &insert);
    }
}

#[tokio::test]
async fn an_owner_can_not_write_for_another() {
    let mut rows = Rows::new().await;
    let (a, b, tables) = (rows.a.clone(), rows.b.clone(), rows.tables.clone());
    for table in &tables {
        let tx = rows.begin(&a).await;
        let insert = insert(&tx, table, &b, "2").await;
        assert_refused(tx.batch_execute(&insert).await, &insert);
        drop(tx);
        let tx = rows.begin(&a).await;
        let give = format!("UPDATE \"{table}\" SET owner = '{b}'");
        assert_refused(tx.batch_execute(&give).await, &give);
    }
}

#[tokio::test]
async fn the_store_says_whose_each_transaction_is() {
    const ALL: Sql = Sql::same("SELECT owner FROM event_head ORDER BY owner");
    const INSERT: Sql = Sql::same("INSERT INTO event_head (owner, sequence) VALUES ($1, 1)");
    let rows = Rows::new().await;
    let db = rows.fresh.open().await;
    let seen = async |access: Access| {
        let read = db.read(access, async |tx| {
            let rows = tx.all(&ALL, &[]).await?;
            rows.into_iter().map(|mut row| row.text(0)).collect::<model::Result<Vec<String>>>()
        });
        read.await.unwrap()
    };
    assert_eq!(seen(owner(1).into()).await, [rows.a.as_str()]);
    assert_eq!(seen(owner(2).into()).await, [rows.b.as_str()]);
    assert_eq!(seen(owner(3).into()).await, Vec::<String>::new());
    assert_eq!(seen(Access::System).await, [rows.a.as_str(), rows.b.as_str()]);
    let insert = db.write(owner(1), async |tx| tx.execute(&INSERT, &[owner(3).into()]).await);
    let error = insert.await.unwrap_err().to_string();
    assert!(error.contains("row-level security"), "{error}");
    db.write(owner(3), async |tx| tx.execute(&INSERT, &[owner(3).into()]).await).await.unwrap();
}

fn assert_refused(result: Result<(), tokio_postgres::Error>, statement: &str) {
    let error = result.expect_err(statement);
    assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{statement}: {error}");
}
