//! The schemas of both engines are equal, so a statement finds the same rows on each.

use store::Db;
use store::platform::engine::MIGRATIONS;

use crate::fresh::{Engine, Fresh};

/// A table, described in the same way for both engines.
#[derive(PartialEq, Debug)]
pub struct Table {
    name: String,
    /// `name type` and whether it may be null, in the order of the columns.
    columns: Vec<String>,
    primary_key: Vec<String>,
    /// `name (columns)`, with `unique` and `partial` if they apply.
    indexes: Vec<String>,
    /// `columns -> table (columns) on delete`.
    foreign_keys: Vec<String>,
}

const SQLITE_TABLES: &str =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";
/// For each table: `kind` (c column, p primary key, i index, f foreign key) and its description.
const SQLITE_PARTS: &str = "
    SELECT * FROM (
        SELECT 'c', name || ' ' || lower(type) || iif(\"notnull\", '', ' null') FROM pragma_table_info(?1) ORDER BY cid
    ) UNION ALL SELECT * FROM (
        SELECT 'p', name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk
    ) UNION ALL SELECT * FROM (
        SELECT 'i', l.name || ' (' ||
               (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno)) ||
               ')' || iif(l.\"unique\", ' unique', '') || iif(l.partial, ' partial', '')
        FROM pragma_index_list(?1) l WHERE l.origin = 'c' ORDER BY l.name
    ) UNION ALL SELECT * FROM (
        SELECT 'f', group_concat(\"from\", ', ') || ' -> ' || \"table\" || ' (' || group_concat(\"to\", ', ') || ') ' ||
               lower(on_delete) AS description
        FROM (SELECT * FROM pragma_foreign_key_list(?1) ORDER BY id, seq) GROUP BY id ORDER BY description
    )";
const POSTGRES_TABLES: &str =
    "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
     ORDER BY relname COLLATE \"C\"";
const POSTGRES_PARTS: &str = "
    WITH names AS (
        SELECT i.indexrelid, i.indrelid, i.indisprimary, i.indisunique, i.indpred,
               string_agg(a.attname, ', ' ORDER BY k.place) AS columns
        FROM pg_index i, unnest(i.indkey) WITH ORDINALITY k (number, place), pg_attribute a
        WHERE i.indrelid = $1::text::regclass AND a.attrelid = i.indrelid AND a.attnum = k.number
        GROUP BY i.indexrelid, i.indrelid, i.indisprimary, i.indisunique, i.indpred
    )
    SELECT kind::text, description::text FROM (
        SELECT 'c' AS kind, attnum::text AS rank,
               attname || ' ' || format_type(atttypid, NULL) || CASE WHEN attnotnull THEN '' ELSE ' null' END AS description
        FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped
        UNION ALL
        SELECT 'p', '', columns FROM names WHERE indisprimary
        UNION ALL
        SELECT 'i', '', indexrelid::regclass || ' (' || columns || ')' || CASE WHEN indisunique THEN ' unique' ELSE '' END ||
               CASE WHEN indpred IS NULL THEN '' ELSE ' partial' END
        FROM names WHERE NOT indisprimary
        UNION ALL
        SELECT 'f', '', pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = $1::text::regclass AND contype = 'f'
    ) parts ORDER BY kind, lpad(rank, 5), description COLLATE \"C\"";

/// Returns PostgreSQL's name of the type of a column in SQLite's schema.
fn postgres_type(column: &str) -> String {
    column.replace(" blob", " bytea")
}

/// `FOREIGN KEY (a, b) REFERENCES t(a, b) ON DELETE CASCADE` as [`Table`] writes it.
fn foreign_key(definition: &str) -> String {
    let rest = definition.strip_prefix("FOREIGN KEY (").expect("a foreign key");
    let (columns, rest) = rest.split_once(") REFERENCES ").expect("a target");
    let (target, rest) = rest.split_once('(').expect("its columns");
    let (to, rest) = rest.split_once(')').expect("their end");
    let on_delete = rest.trim().strip_prefix("ON DELETE ").unwrap_or("NO ACTION").to_lowercase();
    format!("{columns} -> {target} ({to}) {on_delete}")
}

fn table(name: String, parts: &[(String, String)]) -> Table {
    let of = |kind: &str| -> Vec<String> {
        parts.iter().filter(|(known, _)| known == kind).map(|(_, text)| text.clone()).collect()
    };
    let primary_key = of("p").iter().flat_map(|columns| columns.split(", ").map(str::to_owned)).collect();
    Table { name, columns: of("c"), primary_key, indexes: of("i"), foreign_keys: of("f") }
}

fn sqlite_schema(fresh: &Fresh) -> Vec<Table> {
    let connection = fresh.sqlite();
    let mut names = connection.prepare(SQLITE_TABLES).unwrap();
    let names: Vec<String> =
        names.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
    let describe = |name: String| {
        let mut parts = connection.prepare(SQLITE_PARTS).unwrap();
        let parts = parts.query_map([&name], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let mut table = table(name, &parts.collect::<Result<Vec<_>, _>>().unwrap());
        table.columns = table.columns.iter().map(|column| postgres_type(column)).collect();
        table
    };
    names.into_iter().map(describe).collect()
}

async fn postgres_schema(fresh: &Fresh) -> Vec<Table> {
    let client = fresh.postgres().await;
    let mut tables = Vec::new();
    for row in client.query(POSTGRES_TABLES, &[]).await.unwrap() {
        let name: String = row.get(0);
        let parts = client.query(POSTGRES_PARTS, &[&name]).await.unwrap();
        let parts: Vec<(String, String)> = parts.iter().map(|row| (row.get(0), row.get(1))).collect();
        let mut table = table(name, &parts);
        table.foreign_keys = table.foreign_keys.iter().map(|text| foreign_key(text)).collect();
        table.foreign_keys.sort();
        tables.push(table);
    }
    tables
}

pub async fn schema(fresh: &Fresh, engine: Engine) -> Vec<Table> {
    match engine {
        Engine::Sqlite => sqlite_schema(fresh),
        Engine::Postgres => postgres_schema(fresh).await,
    }
}

#[tokio::test]
async fn both_engines_have_the_same_schema() {
    let (file, database) = (Fresh::new(Engine::Sqlite).await, Fresh::new(Engine::Postgres).await);
    let _both = (file.open().await, database.open().await);
    let (sqlite, postgres) = (sqlite_schema(&file), postgres_schema(&database).await);
    let names = |tables: &[Table]| tables.iter().map(|table| table.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&sqlite), names(&postgres));
    assert!(sqlite.len() > 10, "the schema was not read: {sqlite:?}");
    for (sqlite, postgres) in sqlite.iter().zip(&postgres) {
        assert!(!sqlite.columns.is_empty(), "{sqlite:?}");
        assert_eq!(sqlite, postgres);
    }
    let all = |part: fn(&Table) -> &Vec<String>| sqlite.iter().map(|table| part(table).len()).sum::<usize>();
    assert!(all(|table| &table.indexes) > 5 && all(|table| &table.foreign_keys) > 2, "{sqlite:?}");
}

async fn every_key_starts_with_the_owner(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    let _db = fresh.open().await;
    for table in schema(&fresh, engine).await {
        if table.name == "migration" {
            continue;
        }
        assert_eq!(table.primary_key.first().map(String::as_str), Some("owner"), "{table:?}");
        for index in table.indexes.iter().filter(|index| index.contains(" unique")) {
            let is_owned = index.contains(" (owner, ") || index.contains(" (owner)");
            assert!(is_owned, "{}: {index}", table.name);
        }
    }
}

async fn migrating_twice_changes_nothing(engine: Engine) {
    let fresh = Fresh::new(engine).await;
    drop(fresh.open().await);
    let once = schema(&fresh, engine).await;
    drop(fresh.open().await);
    assert_eq!(schema(&fresh, engine).await, once);
    let applied = match engine {
        Engine::Sqlite => {
            fresh.sqlite().query_row("SELECT count(*) FROM migration", [], |row| row.get(0)).unwrap()
        }
        Engine::Postgres => {
            let row = fresh.postgres().await.query_one("SELECT count(*) FROM migration", &[]).await;
            row.unwrap().get::<_, i64>(0)
        }
    };
    assert_eq!(applied, MIGRATIONS.len() as i64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_that_open_an_empty_database_at_once_all_succeed() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let starts: Vec<_> = (0..8).map(|_| tokio::spawn(Db::open(fresh.place()))).collect();
    for start in starts {
        let db = start.await.unwrap().expect("the store opens");
        db.read(store::Access::System, async |tx| store::access::organisations::any(tx).await).await.unwrap();
    }
}

on_both_engines!(every_key_starts_with_the_owner, migrating_twice_changes_nothing);
