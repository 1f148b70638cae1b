//! Where the data of a test lives: a folder, or a database that no other test uses.

use std::hash::{DefaultHasher, Hash, Hasher};

use service::shipping::documents::{Bucket, FilePlace};
use store::Place;
use store::platform::engine::MIGRATIONS;
use tokio_postgres::Client;

/// The name of the data's file, where it is one.
pub const FILE: &str = "dockside.db";

/// The place of the data. It belongs to the test for as long as this value lives.
pub enum Storage {
    Folder(tempfile::TempDir),
    /// The database's address, and the session that holds the lock on its number.
    Database {
        url: String,
        _claim: Client,
    },
}

/// Returns an empty place on the engine that `TEST_DB` names.
pub async fn fresh_storage() -> (Place, Storage) {
    match std::env::var("TEST_DB").as_deref() {
        Ok("postgres") => claim_database().await,
        _ => {
            let folder = tempfile::tempdir().expect("a folder");
            let place = Place::Sqlite { file: folder.path().join(FILE), readers: 2 };
            (place, Storage::Folder(folder))
        }
    }
}

/// A place for files with nothing in it: a folder, or a part of the bucket `dockside` of the store that `TEST_S3` names,
/// with the key in `TEST_S3_KEY_ID` and `TEST_S3_SECRET`.
pub fn fresh_files() -> (FilePlace, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = match std::env::var("TEST_S3") {
        Err(_) => FilePlace::Folder(folder.path().to_owned()),
        Ok(endpoint) => FilePlace::Bucket(Bucket {
            name: "dockside".to_owned(),
            // No other test has this name while the folder exists, and none had it before in this process.
            prefix: format!("worlds/{}", folder.path().file_name().expect("a name").display()),
            endpoint: Some(endpoint),
            region: None,
            key_id: std::env::var("TEST_S3_KEY_ID").expect("the id of a key"),
            secret: std::env::var("TEST_S3_SECRET").expect("its secret"),
            is_in_path: true,
        }),
    };
    (place, folder)
}

/// A database that no other test uses, emptied. Databases are kept and used again, since dropping one costs the server
/// a checkpoint, which takes longer than most tests do. Their tables are kept too: to make them takes as long as a test.
async fn claim_database() -> (Place, Storage) {
    let admin = std::env::var("DOCKSIDE_TEST_POSTGRES").expect("DOCKSIDE_TEST_POSTGRES names a server");
    let claim = connect(&admin).await;
    let name = format!("it_{}", claim_number(&claim).await);
    let known = claim.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&name]).await;
    if known.expect("the list of databases").is_none() {
        run(&claim, &format!("CREATE DATABASE {name}")).await;
    }
    let (server, _) = admin.rsplit_once('/').expect("a database in the address");
    let schema = schema();
    let url = format!("{server}/{name}?options=-csearch_path%3D{schema}");
    let session = connect(&url).await;
    run(&session, &format!("CREATE SCHEMA IF NOT EXISTS {schema}")).await;
    run(&session, EMPTY).await;
    let place = Place::Postgres { url: url.clone(), connections: 8 };
    (place, Storage::Database { url, _claim: claim })
}

/// A schema of its own, because not every server lets the owner of a database drop the public one. Its name tells which
/// migrations made it, so that a program with others makes its own.
fn schema() -> String {
    let mut hasher = DefaultHasher::new();
    for migration in MIGRATIONS {
        (migration.name, migration.postgres).hash(&mut hasher);
    }
    format!("it_{:016x}", hasher.finish())
}

/// Empties all tables but the list of migrations, those that others refer to last, and has all sequences begin again. By
/// DELETE: TRUNCATE waits for the disk once for each table.
const EMPTY: &str = "
SET dockside.owner = '*';
DO $$
DECLARE
    name TEXT;
    todo TEXT[];
    left_over TEXT[];
BEGIN
    SELECT array_agg(tablename) INTO todo FROM pg_tables WHERE schemaname = current_schema AND tablename <> 'migration';
    WHILE todo <> '{}' LOOP
        left_over := '{}';
        FOREACH name IN ARRAY todo LOOP
            BEGIN
                EXECUTE format('DELETE FROM %I', name);
            EXCEPTION WHEN foreign_key_violation THEN
                left_over := left_over || name;
            END;
        END LOOP;
        IF left_over = todo THEN RAISE 'tables refer to each other: %', todo; END IF;
        todo := left_over;
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema LOOP
        EXECUTE format('ALTER SEQUENCE %I RESTART', name);
    END LOOP;
END $$";

/// Returns the first number that no session has locked. This session holds the lock until it ends.
async fn claim_number(session: &Client) -> i64 {
    let mut number = 0;
    loop {
        let row = session.query_one("SELECT pg_try_advisory_lock($1)", &[&number]).await;
        if row.expect("an answer").get(0) {
            return number;
        }
        number += 1;
    }
}

pub async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("a server");
    tokio::spawn(connection);
    client
}

pub async fn run(session: &Client, sql: &str) {
    session.batch_execute(sql).await.expect("the statement runs");
}
