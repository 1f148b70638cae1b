//! A promoted PostgreSQL replica: it may lack the latest purchases, so servers must notice the promotion before they buy more.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use testkit::database::with;
use testkit::server::{Server, wait_until};

/// A heartbeat comes every three seconds, and the connections to the server that was killed are replaced first. The checkpoint
/// after a promotion takes minutes.
const NOTICED_WITHIN: Duration = Duration::from_secs(15);
/// Gives the checkpoint many pages to write, so that it takes long.
const FILL: &str = "CREATE TABLE filler AS SELECT repeat('x', 500) AS text FROM generate_series(1, 60000)";
const CHECKPOINT: &str = "SELECT timeline_id::bigint FROM pg_control_checkpoint()";

/// A PostgreSQL server for one test, which the test may promote.
struct Replica {
    folder: tempfile::TempDir,
    url: String,
}

impl Replica {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        script("start", folder.path().to_owned());
        let url = fs::read_to_string(folder.path().join("url")).unwrap().trim().to_owned();
        with(&url, async |client| client.batch_execute("CREATE DATABASE shop").await.unwrap());
        let url = url.replace("/postgres", "/shop");
        Self { folder, url }
    }

    fn promote(&self) {
        script("promote", self.folder.path().to_owned());
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        script("stop", self.folder.path().to_owned());
    }
}

fn script(action: &str, folder: PathBuf) {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../checks/scripts/postgres.sh"));
    assert!(command.arg(action).arg(folder).status().unwrap().success(), "{action}");
}

#[test]
fn a_promoted_replica_is_noticed_before_its_checkpoint() {
    let replica = Replica::start();
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--database-url", &replica.url]);
    with(&replica.url, async |client| client.batch_execute(FILL).await.unwrap());
    assert!(!server.log().contains("a backup was restored"));
    replica.promote();
    let took = wait_until("the promotion is noticed", NOTICED_WITHIN, || {
        server.log().contains("a backup was restored")
    });
    let timeline: i64 =
        with(&replica.url, async |client| client.query_one(CHECKPOINT, &[]).await.unwrap().get(0));
    println!("promotion: noticed after {took:?}; the last checkpoint is of timeline {timeline}");
    server.stop();
}
