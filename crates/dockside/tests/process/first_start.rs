//! The first start: all that a person needs is on the screen, once, and works when it is pasted.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::load::body;
use crate::server::Server;

#[test]
fn the_first_start_welcomes_and_later_ones_do_not() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    let welcome = server.stdout();
    assert_eq!(welcome.matches("Welcome to Dockside").count(), 1, "{welcome}");
    for (label, prefix) in [("live token", "dk_live_"), ("test token", "dk_test_")] {
        let token = after(&welcome, label);
        assert!(token.starts_with(prefix), "{token}");
        assert_eq!(server.client(token).get("/locations").status, 200);
    }

    let made = sh(&pasted(&welcome));
    let location: serde_json::Value = serde_json::from_str(&made).expect("the location that curl made");
    assert_eq!(location["name"], "Depot");
    let path = format!("/locations/{}", location["id"].as_str().expect("an id"));
    let test_token = after(&welcome, "test token");
    assert_eq!(server.client(test_token).get(&path).body, made);
    assert_eq!(server.client(after(&welcome, "live token")).get(&path).status, 404, "the worlds are apart");
    let docs = welcome.split("Read on at http://").nth(1).expect("where to read on").trim();
    assert_eq!(docs, format!("{}/docs", server.address));
    assert_eq!(server.client("").get("/docs").status, 200);
    server.stop();

    let again = Server::start(home.path(), &["--data", "data"]);
    assert_eq!(again.stdout(), "");
    assert_eq!(again.client(test_token).get(&path).body, made);
    again.stop();
}

#[test]
fn the_data_folder_and_the_secrets_are_for_the_owner_alone() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &[]);
    let data = home.path().join("dockside-data");
    assert_eq!((mode(&data), mode(&data.join("secrets.toml"))), (0o700, 0o600));
    let secrets = std::fs::read_to_string(data.join("secrets.toml")).unwrap();
    server.stop();
    Server::start(home.path(), &[]).stop();
    assert_eq!(std::fs::read_to_string(data.join("secrets.toml")).unwrap(), secrets, "made once");
}

#[test]
fn tokens_secrets_and_addresses_are_not_in_the_log() {
    let home = tempfile::tempdir().unwrap();
    let mut server = Server::start(home.path(), &["--data", "data"]);
    let welcome = server.stdout();
    let (live, test) = (after(&welcome, "live token"), after(&welcome, "test token"));
    let mut client = server.client(live);
    assert_eq!(client.post("/locations", &body("Harbour").to_string()).status, 201);
    assert_eq!(client.get("/locations?tags=harbour").status, 200);
    assert_eq!(client.get(&format!("/locations/{test}")).status, 404);
    let account = |carrier: &str| {
        format!(
            r#"{{"carrier":{{"handle":"{carrier}"}},"name":"Gateway","credentials":{{"api_key":"EZTKhidden"}}}}"#
        )
    };
    assert_eq!(client.post("/carrier_accounts", &account("easypost")).status, 201);
    assert_eq!(client.post("/carrier_accounts", &account("own")).status, 422);
    let log = server.stopped();
    assert_eq!(log.matches(r#""message":"request""#).count(), 5, "{log}");
    let secrets = std::fs::read_to_string(home.path().join("data/secrets.toml")).unwrap();
    let keys: Vec<&str> = secrets.lines().filter_map(|line| line.split('"').nth(1)).collect();
    assert_eq!(keys.len(), 2);
    for secret in keys.into_iter().chain([live, test, "arbour", "EZTKhidden"]) {
        assert!(!log.contains(secret), "{secret} is in {log}");
    }
}

/// The word behind a label of the welcome.
fn after<'a>(welcome: &'a str, label: &str) -> &'a str {
    let line = welcome.lines().find_map(|line| line.trim().strip_prefix(label));
    line.unwrap_or_else(|| panic!("no {label} in {welcome}")).trim()
}

/// The command in the welcome, as a person would select it.
fn pasted(welcome: &str) -> String {
    let lines = welcome.lines().skip_while(|line| !line.trim().starts_with("curl"));
    lines.take_while(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

fn sh(command: &str) -> String {
    // Where a proxy is set, the command of the welcome must still reach this machine.
    let output =
        Command::new("sh").args(["-c", command]).env("NO_PROXY", "127.0.0.1").output().expect("sh runs");
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}
