//! Backups without keys: a restore says what is missing, and a server does not start without it.

use std::fs;

use testkit::server::{Server, run};

use super::{ARCHIVE, backup, restore, small_store, succeeded};

const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--data", "restored"];

#[test]
fn a_store_that_was_restored_without_its_keys_says_what_is_missing() {
    let home = tempfile::tempdir().unwrap();
    let token = small_store(home.path(), "data");
    let made = succeeded(backup(home.path(), &["--data", "data", "--without-secrets"]));
    assert!(made.contains("The keys are not in it"), "{made}");
    let keys = fs::read_to_string(home.path().join("data/secrets.toml")).unwrap();
    let archive = fs::read(home.path().join(ARCHIVE)).unwrap();
    for key in keys.lines().filter_map(|line| line.split('"').nth(1)) {
        assert!(
            !archive.windows(key.len()).any(|window| window == key.as_bytes()),
            "a key is in the archive"
        );
    }

    let said = succeeded(restore(home.path(), &["--data", "restored"]));
    assert!(said.contains("The keys are missing") && said.contains("secrets.toml"), "{said}");
    let refused = run(home.path(), &SERVE);
    assert_eq!(refused.code, 1);
    for word in ["there are no secrets at", "restored/secrets.toml", "encryption_key"] {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }
    assert!(!home.path().join("restored/secrets.toml").exists(), "new keys would hide what is missing");

    fs::write(home.path().join("restored/secrets.toml"), &keys).unwrap();
    let server = Server::start(home.path(), &["--data", "restored"]);
    assert_eq!(server.client(&token).get("/locations").status, 200);
    server.stop();

    // Where the keys are in place, a restore needs none, and refuses those of another store.
    fs::remove_file(home.path().join("restored/dockside.db")).unwrap();
    fs::remove_dir_all(home.path().join("restored/files")).unwrap();
    let said = succeeded(restore(home.path(), &["--data", "restored"]));
    assert!(!said.contains("missing"), "{said}");
    small_store(home.path(), "other");
    let refused = restore(home.path(), &["--data", "other", "--force"]);
    assert!(refused.code == 1 && refused.stderr.contains("is not the one with which"), "{}", refused.stderr);
    assert!(refused.stderr.contains("Nothing was changed"), "{}", refused.stderr);
    Server::start(home.path(), &["--data", "other"]).stop();
}

fn words<'a>(signing: &'a str, encryption: &'a str) -> [&'a str; 6] {
    ["--data", "data", "--signing-key", signing, "--encryption-key", encryption]
}

#[test]
fn keys_that_are_in_the_settings_are_in_the_backup() {
    let home = tempfile::tempdir().unwrap();
    let [signing, encryption, other] = ["ab", "cd", "ef"].map(|byte| byte.repeat(32));
    Server::start(home.path(), &words(&signing, &encryption)).stop();
    let nowhere = backup(home.path(), &["--data", "data"]);
    assert!(nowhere.code == 1 && nowhere.stderr.contains("there are no secrets"), "{}", nowhere.stderr);
    let wrong = backup(home.path(), &words(&signing, &other));
    assert!(wrong.code == 1 && wrong.stderr.contains("is not the one with which"), "{}", wrong.stderr);
    succeeded(backup(home.path(), &words(&signing, &encryption)));
    succeeded(restore(home.path(), &["--data", "restored"]));
    Server::start(home.path(), &["--data", "restored"]).stop();
    let text = fs::read_to_string(home.path().join("restored/secrets.toml")).unwrap();
    assert!(text.contains(&signing) && text.contains(&encryption), "{text}");
}
