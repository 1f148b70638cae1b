//! The first start: it shows everything that a person needs on the screen or in a file, once, and it works when pasted.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use testkit::load::body;
use testkit::server::{Server, program_path, wait_until};

#[test]
fn the_first_start_welcomes_and_later_ones_do_not() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    let welcome = welcome(&home.path().join("data")).expect("the welcome");
    assert_eq!(welcome.matches("Welcome to Dockside").count(), 1, "{welcome}");
    for (label, prefix) in [("live token", "dk_live_"), ("test token", "dk_test_")] {
        let token = after(&welcome, label);
        assert!(token.starts_with(prefix), "{token}");
        assert_eq!(server.client(token).get("/locations").status, 200);
    }

    let me: serde_json::Value =
        serde_json::from_str(&server.client(after(&welcome, "live token")).get("/me").body).unwrap();
    let id = me["organisation"]["id"].as_str().expect("an organisation");
    let line = welcome.lines().find(|line| line.contains("organisation")).expect("the organisation");
    assert!(line.contains(id), "the welcome names the organisation's id: {line}");

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

    std::fs::remove_file(home.path().join("data/welcome.txt")).unwrap();
    let again = Server::start(home.path(), &["--data", "data"]);
    assert_eq!(again.stdout(), "");
    assert!(!home.path().join("data/welcome.txt").exists(), "it is written once");
    assert_eq!(again.client(test_token).get(&path).body, made);
    again.stop();
}

#[test]
fn without_a_terminal_the_tokens_are_in_a_file_and_the_log_says_where() {
    let home = tempfile::tempdir().unwrap();
    let mut server = Server::start(home.path(), &["--data", "data"]);
    let file = home.path().canonicalize().unwrap().join("data/welcome.txt");
    assert_eq!(mode(&file), 0o600);
    let welcome = welcome(&home.path().join("data")).expect("the welcome");
    let stdout = server.stdout();
    let log = server.stopped();
    assert!(log.contains(&format!("its access tokens are in {}", file.display())), "{log}");
    for label in ["live token", "test token"] {
        let token = after(&welcome, label);
        assert!(!log.contains(token) && !stdout.contains(token), "{label} is in {log} {stdout}");
    }
    assert_eq!(stdout, "");
    let left = std::fs::read_dir(home.path().join("data")).unwrap();
    let drafts = left.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".new"));
    assert_eq!(drafts.count(), 0, "no draft is left");
}

#[test]
fn at_a_terminal_the_tokens_are_on_the_screen_and_in_no_file() {
    let home = tempfile::tempdir().unwrap();
    let screen = home.path().join("screen");
    let serve = format!("'{}' serve --listen 0 --data data", program_path().display());
    // `script` gives the program a terminal of its own, and shows what appears there.
    let mut terminal = Command::new("script");
    terminal.args(["-qefc", &serve, "/dev/null"]).current_dir(home.path()).stdin(Stdio::null());
    let mut terminal = terminal.stdout(File::create(&screen).unwrap()).spawn().expect("script runs");
    let shown = || std::fs::read_to_string(&screen).unwrap();
    wait_until("the server listens", Duration::from_secs(30), || shown().contains("listening on http://"));
    let shown = shown();
    // The terminal hangs up, and the server ends with it.
    terminal.kill().unwrap();
    terminal.wait().unwrap();
    assert!(after(&shown, "live token").starts_with("dk_live_"), "{shown}");
    assert!(after(&shown, "test token").starts_with("dk_test_"), "{shown}");
    assert_eq!(welcome(&home.path().join("data")), None);
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
    let welcome = welcome(&home.path().join("data")).expect("the welcome");
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

/// The welcome that a server without a terminal left in its data folder.
pub fn welcome(data: &Path) -> Option<String> {
    std::fs::read_to_string(data.join("welcome.txt")).ok()
}

/// Returns the word after a label of the welcome.
pub fn after<'a>(welcome: &'a str, label: &str) -> &'a str {
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
