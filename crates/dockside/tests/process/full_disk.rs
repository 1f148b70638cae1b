//! A disk without space: the server says so, goes on reading, also after a restart, and recovers by itself.
//!
//! A limit on the size of files stands in for the disk. It needs no right to mount one, and SQLite's log of writes meets it as
//! it meets a full disk: a write fails in the middle.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use testkit::client::Client;
use testkit::server::{Server, Starting, program, token, wait_until};

const LIMIT: Duration = Duration::from_secs(30);
/// Blocks of 512 or 1,024 bytes that a file may have: more than the empty store, and less than the log of writes of a few
/// thousand locations.
const BLOCKS: u64 = 8_000;

/// A server whose files can't grow beyond a size. The signal that the limit sends is ignored, so that a write fails instead.
fn limited(home: &Path) -> Server {
    let serve = program(home, &["serve", "--listen", "127.0.0.1:0"]);
    let mut command = Command::new("sh");
    command
        .current_dir(home)
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| !name.to_string_lossy().starts_with("DOCKSIDE_")));
    command.args(["-c", &format!("trap '' XFSZ; ulimit -S -f {BLOCKS}; exec \"$0\" \"$@\"")]);
    command.arg(serve.get_program()).args(serve.get_args());
    Starting::command(home, command).ready()
}

fn location(number: usize) -> String {
    json!({
        "name": format!("Depot {number} {}", "x".repeat(200)),
        "address": {"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}},
    })
    .to_string()
}

/// Creates locations until one is refused, and returns how many there are.
fn fill(client: &mut Client) -> usize {
    for number in 0..20_000 {
        let answer = client.post("/locations", &location(number));
        if answer.status != 201 {
            assert_eq!((answer.status, &answer.json()["code"]), (503, &json!("store_unavailable")));
            return number;
        }
    }
    panic!("the files could grow beyond their limit");
}

fn ready(server: &Server) -> (u16, String) {
    let answer = server.client("").get("/readyz");
    let code = answer.json()["code"].as_str().unwrap_or_default().to_owned();
    (answer.status, code)
}

#[test]
fn a_full_disk_is_reported_reads_go_on_and_writes_recover() {
    let home = tempfile::tempdir().unwrap();
    let token = token(home.path(), &[]);
    let server = limited(home.path());
    let mut client = server.client(&token);
    assert_eq!(ready(&server), (200, String::new()));
    let made = fill(&mut client);
    assert!(made > 10, "only {made} were made before the limit");
    let told = wait_until("readyz tells that writes fail", LIMIT, || {
        ready(&server) == (503, "store_not_writable".to_owned())
    });
    // Until the last block is used, small writes succeed, and the server may have closed the idle connection meanwhile.
    let listed = server.client(&token).get("/locations?limit=1");
    assert_eq!(listed.status, 200, "reads go on");
    // Kill the server: a clean stop could free space.
    server.kill();

    let server = limited(home.path());
    let mut client = server.client(&token);
    assert_eq!(client.get("/locations?limit=1").json(), listed.json(), "reads go on after a restart");
    assert_eq!(ready(&server), (503, "store_not_writable".to_owned()));
    assert_eq!(client.post("/locations", &location(0)).status, 503);

    server.lift_file_limit();
    let back = wait_until("writes come back without a restart", LIMIT, || ready(&server).0 == 200);
    assert_eq!(client.post("/locations", &location(0)).status, 201);
    println!("full disk: {made} locations made, readyz told after {told:?}, writes back after {back:?}");
    server.stop();
}
