//! What a backup and a restore may replace: nothing, unless they are told to.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use testkit::server::{Server, run};

use super::{ARCHIVE, backup, check_database, fetch_files, restore, small_store, succeeded};

#[test]
fn a_backup_replaces_no_file_and_a_restore_no_store_unless_told_to() {
    let home = tempfile::tempdir().unwrap();
    let token = small_store(home.path(), "data");
    let archive = home.path().join(ARCHIVE);
    fs::write(&archive, "an earlier backup").unwrap();
    let refused = backup(home.path(), &["--data", "data"]);
    assert!(refused.code == 1 && refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(fs::read(&archive).unwrap(), b"an earlier backup");
    let made = succeeded(backup(home.path(), &["--data", "data", "--force"]));
    assert!(made.contains("the database, 1 file and the keys") && made.contains("verified"), "{made}");
    assert_eq!(fs::metadata(&archive).unwrap().permissions().mode() & 0o777, 0o600);

    let listed =
        std::process::Command::new("tar").args(["-tf", ARCHIVE]).current_dir(home.path()).output().unwrap();
    assert!(listed.status.success() && listed.stderr.is_empty(), "{listed:?}");

    let refused = restore(home.path(), &["--data", "data"]);
    assert!(refused.code == 1 && refused.stderr.contains("data/dockside.db exists"), "{}", refused.stderr);
    let server = Server::start(home.path(), &["--data", "data"]);
    let refused = restore(home.path(), &["--data", "data", "--force"]);
    assert!(refused.code == 1 && refused.stderr.contains("another server"), "{}", refused.stderr);
    assert_eq!(server.client(&token).get("/locations").status, 200);
    server.stop();

    // Into a folder that is there and empty, with files elsewhere, and over a store.
    fs::create_dir(home.path().join("empty")).unwrap();
    for words in [
        &["--data", "empty", "--files", "labels"][..],
        &["--data", "data", "--force"],
        &["--data", "deep/new"],
    ] {
        let said = succeeded(restore(home.path(), words));
        assert!(said.contains("the database, 1 file and the keys"), "{said}");
        let settings: Vec<_> = words.iter().copied().filter(|word| *word != "--force").collect();
        let server = Server::start(home.path(), &settings);
        assert!(server.log().contains("a backup was restored"), "{}", server.log());
        assert_eq!(fetch_files(&server, &mut server.client(&token)), 1, "{words:?}");
        server.stop();
        check_database(&home.path().join(words[1]).join("dockside.db"));
    }
    let refused = restore(home.path(), &["--data", "other", "--files", "labels"]);
    assert!(refused.code == 1 && refused.stderr.contains("labels exists"), "{}", refused.stderr);
    assert!(!home.path().join("other").exists(), "nothing was made");
}

#[test]
fn what_is_no_backup_is_refused() {
    let home = tempfile::tempdir().unwrap();
    small_store(home.path(), "data");
    let missing = restore(home.path(), &["--data", "restored"]);
    assert!(missing.code == 1 && missing.stderr.contains("a.tar: No such file"), "{}", missing.stderr);
    for file in ["data/dockside.db", "data/secrets.toml"] {
        let refused = run(home.path(), &["restore", file, "--data", "restored"]);
        assert!(
            refused.code == 1 && refused.stderr.contains("is no backup of Dockside"),
            "{}",
            refused.stderr
        );
    }
    assert!(!home.path().join("restored").exists(), "nothing was made");
}
