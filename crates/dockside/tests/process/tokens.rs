//! The command line's tokens, while a server runs on the same store.

use std::path::Path;
use std::time::Duration;

use testkit::database::Database;
use testkit::load::body;
use testkit::server::{Ended, Server, run, wait_until};

const CREATE: [&str; 7] =
    ["token", "create", "--organisation", "Acme", "--create-organisation", "--user", "ada@acme.example"];

fn create(home: &Path, more: &[&str]) -> Ended {
    run(home, &[&CREATE, more, &["--data", "data"]].concat())
}

fn list(home: &Path) -> Vec<String> {
    let listed = run(home, &["token", "list", "--data", "data"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (0, ""));
    listed.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn a_token_is_printed_alone_and_accepted_at_once() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    let kinds: [(&[&str], &str, u16, u16); 4] = [
        (&[], "dk_live_", 200, 201),
        (&["--test"], "dk_test_", 200, 201),
        (&["--scopes", "locations:read access_tokens:read"], "dk_live_", 200, 403),
        (&["--scopes", "orders:write", "--expires-in", "1h"], "dk_live_", 403, 403),
    ];
    for (more, prefix, reads, writes) in kinds {
        let made = create(home.path(), more);
        assert_eq!((made.code, made.stderr.as_str()), (0, ""));
        let token = made.stdout.strip_suffix('\n').expect("a line");
        let is_word = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        assert!(token.starts_with(prefix) && is_word, "{token:?}");
        let mut client = server.client(token);
        assert_eq!(client.get("/locations").status, reads, "{more:?}");
        assert_eq!(client.post("/locations", &body("made").to_string()).status, writes, "{more:?}");
    }
}

#[test]
fn an_expired_token_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    let made = create(home.path(), &["--expires-in", "2s"]);
    let mut client = server.client(made.stdout.trim());
    assert_eq!(client.get("/locations").status, 200);
    wait_until("it expires", Duration::from_secs(10), || client.get("/locations").status == 401);
}

#[test]
fn a_wrong_order_for_a_token_is_named_and_makes_nothing() {
    let home = tempfile::tempdir().unwrap();
    Server::start(home.path(), &["--data", "data"]).stop();
    let wrong: [(&[&str], &[&str]); 4] = [
        (&["--scopes", "locations:read lorries:write"], &["--scopes", "lorries:write"]),
        (&["--scopes", "reservations:write"], &["--scopes", "reservations:write"]),
        (&["--expires-in", "soon"], &["--expires-in", "soon"]),
        (&["--expires-in", "-1h"], &["--expires-in", "-1h"]),
    ];
    for (more, names) in wrong {
        let joined = more.join("=");
        let refused = create(home.path(), &[&joined]);
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{joined}");
        assert!(names.iter().all(|name| refused.stderr.contains(name)), "{joined}: {}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 1, "a sentence: {}", refused.stderr);
    }
    assert_eq!(list(home.path()).len(), 3, "the heading, and the tokens of the first start");
}

#[test]
fn commands_on_a_folder_without_a_store_fail_and_name_the_path() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("empty")).unwrap();
    std::fs::write(home.path().join("codes.txt"), "GB\tBS1\tBristol\t\t\t\t\t\t\t51.45\t-2.59\t4\n").unwrap();
    let commands: [&[&str]; 9] = [
        &CREATE,
        &["backup", "a.tar"],
        &["token", "list"],
        &["token", "revoke", "tok_00000000000000000000000000"],
        &["announce", "hello"],
        &["renew-epoch"],
        &["restored"],
        &["migrate"],
        &["geo", "import", "codes.txt"],
    ];
    for data in ["mistyped", "empty"] {
        let file = home.path().canonicalize().unwrap().join(data).join("dockside.db");
        for words in commands {
            let refused = run(home.path(), &[words, &["--data", data]].concat());
            assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{words:?}");
            assert!(refused.stderr.contains(&file.display().to_string()), "{words:?}: {}", refused.stderr);
            assert!(refused.stderr.contains("dockside serve"), "{words:?}: {}", refused.stderr);
        }
    }
    assert!(!home.path().join("mistyped").exists(), "nothing was made");
    assert_eq!(std::fs::read_dir(home.path().join("empty")).unwrap().count(), 0, "nothing was made");
}

#[test]
fn commands_on_a_postgres_database_without_a_store_fail_and_name_it() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let refused = run(home.path(), &["token", "list", "--database-url", &database.url]);
    let (_, place) = database.url.split_once('@').expect("a user");
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(
        refused.stderr.contains("there is no store") && refused.stderr.contains(place),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains('@'), "no user and no password: {}", refused.stderr);
    assert!(!home.path().join("dockside-data").exists(), "nothing was made");
    // The store exists, but its keys are not in this folder. The command does not generate new ones.
    Server::start(home.path(), &["--data", "data", "--database-url", &database.url]).stop();
    let refused = run(home.path(), &["token", "list", "--database-url", &database.url]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("dockside-data/secrets.toml"), "{}", refused.stderr);
    assert!(!home.path().join("dockside-data").exists(), "nothing was made");
}

#[test]
fn an_unknown_organisation_is_refused_with_the_known_ones_unless_it_is_to_be_made() {
    let home = tempfile::tempdir().unwrap();
    Server::start(home.path(), &["--data", "data"]).stop();
    let make = |name: &str, more: &[&str]| {
        let words = ["token", "create", "--organisation", name, "--user", "ada@acme.example"];
        run(home.path(), &[&words, more, &["--data", "data"]].concat())
    };
    let refused = make("Defualt", &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    for words in
        ["\"Defualt\"", "Did you mean Default?", "Known organisations: Default.", "--create-organisation"]
    {
        assert!(refused.stderr.contains(words), "{words}: {}", refused.stderr);
    }
    assert_eq!(make("Default", &[]).code, 0);
    assert_eq!(make("Acme", &["--create-organisation"]).code, 0);
    assert_eq!(make("Acme", &[]).code, 0, "it exists now");
    assert_eq!(make("Acme", &["--create-organisation"]).code, 0, "no second one is made");
    assert!(make("Nobody", &[]).stderr.contains("Known organisations: Acme, Default."));
}

#[test]
fn the_list_is_a_table_without_secrets() {
    let home = tempfile::tempdir().unwrap();
    Server::start(home.path(), &["--data", "data"]).stop();
    let secrets = [
        create(home.path(), &["--expires-in", "30d"]).stdout,
        create(home.path(), &["--test", "--scopes", "locations:read"]).stdout,
    ];
    let mut lines = list(home.path());
    assert_eq!(lines.len(), 5, "with those of the first start: {lines:?}");
    lines.retain(|line| !line.contains("admin@localhost"));
    assert_eq!(lines.len(), 3, "{lines:?}");
    let heads: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(heads, ["ID", "ORGANISATION", "USER", "WORLD", "EXPIRES", "SCOPES"]);
    for head in heads {
        let column = lines[0].find(head).unwrap();
        for line in &lines[1..] {
            assert!(column == 0 || line.as_bytes()[column - 1] == b' ', "{head} is not aligned: {lines:#?}");
            assert_ne!(line.as_bytes()[column], b' ', "{head} is not aligned: {lines:#?}");
        }
    }
    let rows = &lines[1..];
    assert!(
        rows.iter().all(|row| row.starts_with("tok_") && row.contains("  Acme          ada@acme.example  "))
    );
    assert!(rows.iter().any(|row| row.contains("  test   never  ") && row.ends_with("  locations:read")));
    assert!(rows.iter().any(|row| row.contains("  live   20") && row.ends_with("  *")));
    // The list contains neither a token nor its random part.
    for secret in &secrets {
        let tail = &secret.trim()[secret.trim().len() - 20..];
        assert!(!lines.join("\n").contains(tail));
    }
}

#[test]
fn a_revoked_token_stops_working_on_a_running_server() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    let made = create(home.path(), &[]);
    let mut client = server.client(made.stdout.trim());
    assert_eq!(client.get("/locations").status, 200);
    let id = list(home.path()).into_iter().find(|line| line.contains("Acme")).expect("its row");
    let id = id.split(' ').next().expect("an id");

    let revoked = run(home.path(), &["token", "revoke", id, "--data", "data"]);
    assert_eq!((revoked.code, revoked.stdout), (0, format!("revoked {id}\n")));
    wait_until("it is refused", Duration::from_secs(3), || client.get("/locations").status == 401);

    for (unknown, says) in [(id, "there is no token"), ("tok_x", "is not a token's id")] {
        let refused = run(home.path(), &["token", "revoke", unknown, "--data", "data"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
        assert!(refused.stderr.contains(says) && refused.stderr.contains(unknown), "{}", refused.stderr);
    }
}

#[test]
fn what_a_token_made_is_revoked_with_it_unless_it_is_to_be_kept() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    for (flags, is_kept) in [(&["--keep-children"][..], true), (&[][..], false)] {
        let parent = create(home.path(), &[]);
        let mut client = server.client(parent.stdout.trim());
        let me = list(home.path()).pop().expect("the newest");
        let id = me.split(' ').next().expect("an id").to_owned();
        let child = client.post("/access_tokens", r#"{"scopes":["locations:read"]}"#).json();
        let (child_id, secret) = (child["id"].as_str().unwrap(), child["token"].as_str().unwrap());
        let revoked = run(home.path(), &[&["token", "revoke", &id, "--data", "data"], flags].concat());
        let expected = match is_kept {
            true => format!("revoked {id}\n"),
            false => format!("revoked {id}\nrevoked {child_id}\n"),
        };
        assert_eq!((revoked.code, revoked.stdout), (0, expected), "{}", revoked.stderr);
        wait_until("the parent is refused", Duration::from_secs(3), || {
            client.get("/locations").status == 401
        });
        let status = server.client(secret).get("/locations").status;
        assert_eq!(status, if is_kept { 200 } else { 401 });
    }
}
