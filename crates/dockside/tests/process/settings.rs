//! Settings: from the flag, then the environment, then the file; a wrong one is named and stops the start.

use std::net::TcpListener;
use std::path::Path;

use testkit::database::Database;
use testkit::server::{Ended, Server, Starting, ended, program, run, token};

use crate::first_start::welcome;

/// The page size that a server on these settings answers with.
fn page_limit(home: &Path, token: &str, variables: &[(&str, &str)], flags: &[&str]) -> i64 {
    let mut command = program(home, &[&["serve"], flags].concat());
    command.envs(variables.iter().copied());
    let server = Starting::command(home, command).ready();
    server.client(token).get("/locations").json()["limit"].as_i64().expect("a limit")
}

#[test]
fn the_flag_wins_over_the_variable_and_the_variable_over_the_file() {
    let home = tempfile::tempdir().unwrap();
    let file = "data = \"elsewhere\"\nlisten = \"127.0.0.1:0\"\npage_limit_default = 7\n";
    std::fs::write(home.path().join("dockside.toml"), file).unwrap();
    let token = token(home.path(), &[]);
    assert!(home.path().join("elsewhere/dockside.db").exists(), "commands read the file too");
    let variable = ("DOCKSIDE_PAGE_LIMIT_DEFAULT", "8");
    let flag = ["--page-limit-default", "9"];
    assert_eq!(page_limit(home.path(), &token, &[], &[]), 7);
    assert_eq!(page_limit(home.path(), &token, &[variable], &[]), 8);
    assert_eq!(page_limit(home.path(), &token, &[variable], &flag), 9);
    assert_eq!(page_limit(home.path(), &token, &[], &flag), 9);

    // A file that the flag or the variable names replaces the default file.
    let other = file.replace("= 7", "= 6");
    std::fs::write(home.path().join("other.toml"), other).unwrap();
    assert_eq!(page_limit(home.path(), &token, &[("DOCKSIDE_CONFIG", "other.toml")], &[]), 6);
    assert_eq!(page_limit(home.path(), &token, &[], &["--config", "other.toml"]), 6);
}

/// Asserts that a start fails with these words in its error, and prints nothing on standard output.
fn refuses(home: &Path, variables: &[(&str, &str)], flags: &[&str], names: &[&str]) -> Ended {
    let mut command = program(home, &[&["serve"], flags].concat());
    command.envs(variables.iter().copied());
    let refused = ended(command);
    assert_ne!(refused.code, 0, "{flags:?}");
    assert_eq!(refused.stdout, "", "{flags:?}");
    for name in names {
        assert!(
            refused.stderr.contains(name),
            "{flags:?} {variables:?} does not name {name}: {}",
            refused.stderr
        );
    }
    assert!(!refused.stderr.contains("panicked"), "{}", refused.stderr);
    refused
}

#[test]
fn a_wrong_flag_or_variable_stops_the_start_and_is_named() {
    let home = tempfile::tempdir().unwrap();
    let flags: [(&[&str], &str); 15] = [
        (&["--listen", "nonsense"], "--listen"),
        (&["--header-seconds", "soon"], "--header-seconds"),
        (&["--requests-max", "0"], "requests_max"),
        (&["--database-url", "mysql://localhost/x"], "database_url"),
        (&["--signing-key", "abc"], "signing_key"),
        (&["--cors-origins", "shop.example.com"], "cors_origins"),
        (&["--outbound-allow", "127.0.0.0/8,10.1.2.3/16"], "10.1.2.3/16"),
        (&["--database-url", "postgres://x", "--nats-url", "http://nats.internal"], "nats:// or tls://"),
        (&["--nats-url", "nats://nats.internal"], "nats_url"),
        (&["--lisen", "127.0.0.1:0"], "--lisen"),
        (&["--public-url", "ship.example.com"], "public_url"),
        (&["--file-url-seconds", "0"], "file_url_seconds"),
        (&["--files", "gs://labels"], "the setting files"),
        (&["--files", "s3://labels"], "files_key_id"),
        (&["--files-region", "eu-west-1"], "files_region"),
    ];
    for (arguments, name) in flags {
        refuses(home.path(), &[], arguments, &[name]);
    }
    refuses(home.path(), &[("DOCKSIDE_LISTEN", "nonsense")], &[], &["--listen", "nonsense"]);
    refuses(home.path(), &[("DOCKSIDE_PAGE_LIMIT_DEFAULT", "500")], &[], &["page_limit_default"]);
    let networks = ("DOCKSIDE_OUTBOUND_ALLOW", "10.0.0.1");
    refuses(home.path(), &[networks], &[], &["--outbound-allow", "10.0.0.1", "10.1.0.0/16"]);
}

#[test]
fn a_wrong_file_stops_the_start_and_is_named() {
    let home = tempfile::tempdir().unwrap();
    refuses(home.path(), &[], &["--config", "missing.toml"], &["missing.toml"]);
    let files = [
        ("lisen = \"127.0.0.1:0\"", "lisen"),
        ("header_seconds = \"soon\"", "header_seconds"),
        ("requests_max = 0", "requests_max"),
        ("outbound_allow = [\"localhost/8\"]", "`outbound_allow`"),
        ("listen = ", "line 1"),
    ];
    for (text, name) in files {
        std::fs::write(home.path().join("dockside.toml"), text).unwrap();
        let refused = refuses(home.path(), &[], &[], &[name]);
        assert_eq!(refused.code, 1);
    }
}

#[test]
fn what_is_wrong_with_the_file_is_said_without_the_values() {
    let home = tempfile::tempdir().unwrap();
    let files = [
        ("signing_key = \"hunter2", "signing_key"),
        ("encryption_key = hunter2", "encryption_key"),
        ("rate_burst = 1\nfiles_secret = [\"hunter2\"]", "line 2, `files_secret`"),
        ("realtime = \"hunter2\"", "`realtime`"),
        ("listen = \"hunter2\"", "`listen`"),
        ("header_seconds = \"hunter2\"", "`header_seconds`"),
        ("signing_key = \"hunter2\"", "signing_key"),
        ("database_url = \"mysql://ada:hunter2@db/x\"", "database_url"),
        ("public_url = \"ada:hunter2@ship.example.com\"", "public_url"),
        ("cors_origins = [\"hunter2\"]", "cors_origins"),
        ("files = \"gs://hunter2\"", "files"),
        (
            "files_secret_file = \"hunter2\"\nfiles = \"s3://labels\"\nfiles_key_id = \"k\"",
            "files_secret_file",
        ),
        ("realtime_key_file = \"hunter2\"", "realtime_key_file"),
        (
            "realtime = \"centrifugo\"\ncentrifugo_key = \"k\"\ncentrifugo_url = \"ada:hunter2@10.0.0.5\"",
            "centrifugo_url",
        ),
    ];
    for (text, name) in files {
        std::fs::write(home.path().join("dockside.toml"), text).unwrap();
        let refused = refuses(home.path(), &[], &[], &[name]);
        assert!(!refused.stderr.contains("hunter2"), "{text}: {}", refused.stderr);
    }
}

#[test]
fn a_server_with_another_encryption_key_does_not_start() {
    let home = tempfile::tempdir().unwrap();
    let (one, other) = ("11".repeat(32), "22".repeat(32));
    Server::start(home.path(), &["--encryption-key", &one]).stop();
    refuses(home.path(), &[], &["--encryption-key", &other], &["encryption_key"]);
    assert_ne!(run(home.path(), &["token", "list", "--encryption-key", &other]).code, 0);
    Server::start(home.path(), &["--encryption-key", &one]).stop();
}

#[test]
fn realtime_settings_that_contradict_each_other_stop_the_start() {
    let home = tempfile::tempdir().unwrap();
    let flags: [(&[&str], &str); 6] = [
        (&["--realtime", "centrifugo"], "centrifugo_url"),
        (
            &["--realtime", "centrifugo", "--centrifugo-url", "10.0.0.5", "--centrifugo-key", "k"],
            "centrifugo_url",
        ),
        (&["--centrifugo-key", "k"], "centrifugo"),
        (&["--realtime-secret", "short"], "realtime_secret"),
        (&["--realtime-key-file", "nowhere.pem"], "realtime_key_file"),
        (&["--realtime-user-max", "0"], "realtime_user_max"),
    ];
    for (flags, name) in flags {
        refuses(home.path(), &[], flags, &[name]);
    }
}

#[test]
fn an_unavailable_resource_stops_the_start_and_is_named() {
    let home = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = refuses(home.path(), &[], &["--listen", &address], &["listen", &address]);
    assert_eq!(refused.code, 1);

    // The token for the welcome was not lost with the start that failed.
    let server = Server::start(home.path(), &[]);
    assert!(welcome(&home.path().join("dockside-data")).is_some());
    server.stop();

    // No process listens on this port after the drop. The error must not contain the password.
    drop(taken);
    let url = format!("postgres://ada:hunter2@{address}/x");
    let refused = refuses(home.path(), &[], &["--database-url", &url], &["database_url"]);
    assert_eq!(refused.code, 1);
    assert!(!refused.stderr.contains("hunter2"));

    std::fs::write(home.path().join("file"), "").unwrap();
    refuses(home.path(), &[], &["--data", "file/data"], &["data", "file/data"]);
    refuses(home.path(), &[], &["--files", "file/labels"], &["the setting files", "file/labels"]);
}

#[test]
fn the_short_commands_print_what_they_promise() {
    let home = tempfile::tempdir().unwrap();
    let version = run(home.path(), &["--version"]);
    assert_eq!(version.stdout, format!("dockside {}\n", env!("CARGO_PKG_VERSION")));

    let printed = run(home.path(), &["openapi"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (0, ""));
    let document: serde_json::Value = serde_json::from_str(&printed.stdout).expect("JSON");
    assert!(!home.path().join("dockside-data").exists(), "it needs no store");

    let server = Server::start(home.path(), &[]);
    assert_eq!(server.client("").get("/openapi.json").json(), document);
    for _ in 0..2 {
        let done = run(home.path(), &["migrate"]);
        assert_eq!((done.code, done.stdout.as_str()), (0, "The schema is up to date.\n"));
    }
}

#[test]
fn a_migrated_postgres_database_is_still_a_new_store() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let store = ["--database-url", database.url.as_str()];
    let done = run(home.path(), &[&["migrate"], &store[..]].concat());
    assert_eq!((done.code, done.stdout.as_str()), (0, "The schema is up to date.\n"), "{}", done.stderr);
    assert!(!home.path().join("dockside-data").exists(), "it needs no data folder");
    let server = Server::start(home.path(), &store);
    assert!(welcome(&home.path().join("dockside-data")).is_some());
    server.stop();
}

#[test]
fn a_port_alone_is_enough_to_listen_on() {
    let home = tempfile::tempdir().unwrap();
    for (written, is_open) in [("0", false), (":0", true), ("localhost:0", false)] {
        let command = program(home.path(), &["serve", "--listen", written]);
        let server = Starting::command(home.path(), command).ready();
        assert_eq!(server.address.ip().is_unspecified(), is_open, "{written}");
        server.stop();
    }
    std::fs::write(home.path().join("dockside.toml"), "listen = 0\n").unwrap();
    let server = Starting::command(home.path(), program(home.path(), &["serve"])).ready();
    assert!(server.address.ip().is_loopback());
    server.stop();
}

#[test]
fn the_help_of_a_command_lists_its_own_flags_in_groups() {
    let home = tempfile::tempdir().unwrap();
    let help = |words: &[&str]| run(home.path(), &[words, &["--help"]].concat()).stdout;
    let serve = help(&["serve"]);
    for heading in ["Store:", "Server:", "Limits:", "Realtime:", "Carriers and purchases:", "Files:"] {
        assert!(serve.contains(heading), "{heading} {serve}");
    }
    assert!(serve.contains("--page-limit-max") && serve.contains("--files-region"), "{serve}");

    let commands: [(&[&str], &[&str]); 10] = [
        (&["token", "create"], &["--organisation", "--create-organisation", "--scopes"]),
        (&["token", "list"], &[]),
        (&["token", "revoke"], &["--nats-url"]),
        (&["geo", "import"], &[]),
        (&["announce"], &["--nats-url"]),
        (&["renew-epoch"], &["--nats-url"]),
        (&["restored"], &["--nats-url"]),
        (&["migrate"], &[]),
        (&["backup"], &["--without-secrets", "--force", "--allow-missing-files"]),
        (&["restore"], &["--force"]),
    ];
    let store = ["--data", "--database-url", "--config", "--signing-key", "--encryption-key"];
    for (words, own) in commands {
        let shown = help(words);
        for flag in store.iter().chain(own) {
            assert!(
                shown.contains(&format!("{flag} ")) || shown.contains(&format!("{flag}\n")),
                "{words:?} {flag}"
            );
        }
        let is_foreign = |flag: &&str| shown.contains(*flag);
        let foreign =
            ["--listen", "--page-limit-max", "--files", "--realtime", "--carrier-seconds", "--log-format"];
        assert_eq!(foreign.iter().find(|flag| is_foreign(flag)), None, "{words:?}");
        assert_eq!(shown.contains("--nats-url"), own.contains(&"--nats-url"), "{words:?}");
        assert!(shown.contains("Store:"), "{words:?}");
    }
}
