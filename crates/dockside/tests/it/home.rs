//! Where the data of a test lives: a folder, or a database that no other test uses.

use service::documents::{Bucket, FilePlace};
use store::Place;
use tokio_postgres::Client;

/// The name of the data's file, where it is one.
pub const FILE: &str = "dockside.db";

/// Where the data lives: it is the test's own for as long as this lasts.
pub enum Home {
    Folder(tempfile::TempDir),
    /// The database's address, and the session that holds the lock on its number.
    Database {
        url: String,
        _claim: Client,
    },
}

/// A place with nothing in it, on the engine that `TEST_DB` names.
pub async fn fresh_place() -> (Place, Home) {
    match std::env::var("TEST_DB").as_deref() {
        Ok("postgres") => claim_database().await,
        _ => {
            let folder = tempfile::tempdir().expect("a folder");
            let place = Place::Sqlite { file: folder.path().join(FILE), readers: 2 };
            (place, Home::Folder(folder))
        }
    }
}

/// A place for files with nothing in it: a folder, or a part of the bucket `dockside` of the store that `TEST_S3` names,
/// for whoever has the key in `TEST_S3_KEY_ID` and `TEST_S3_SECRET`.
pub fn fresh_files() -> (FilePlace, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = match std::env::var("TEST_S3") {
        Err(_) => FilePlace::Folder(folder.path().to_owned()),
        Ok(endpoint) => FilePlace::Bucket(Bucket {
            name: "dockside".to_owned(),
            // Nobody else has it while the folder lasts, nor had it in this process.
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
/// a checkpoint, which takes longer than most tests do.
async fn claim_database() -> (Place, Home) {
    let admin = std::env::var("DOCKSIDE_TEST_POSTGRES").expect("DOCKSIDE_TEST_POSTGRES names a server");
    let claim = connect(&admin).await;
    let name = format!("it_{}", claim_number(&claim).await);
    let known = claim.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&name]).await;
    if known.expect("the list of databases").is_none() {
        run(&claim, &format!("CREATE DATABASE {name}")).await;
    }
    let (server, _) = admin.rsplit_once('/').expect("a database in the address");
    let url = format!("{server}/{name}");
    // A schema of its own, because not every server lets the owner of a database drop the public one.
    run(&connect(&url).await, "DROP SCHEMA IF EXISTS it CASCADE; CREATE SCHEMA it").await;
    let url = format!("{url}?options=-csearch_path%3Dit");
    let place = Place::Postgres { url: url.clone(), connections: 8 };
    (place, Home::Database { url, _claim: claim })
}

/// The first number that no session holds; it is held until this one ends.
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
