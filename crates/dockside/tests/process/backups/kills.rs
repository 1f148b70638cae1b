//! `kill -9` in the middle of a backup and of a restore: there is the whole archive or none, and the old store or the new one.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use service::platform::crash_point::{BACKUP_POINTS, RESTORE_POINTS, VARIABLE};
use testkit::random::Random;
use testkit::server::{Server, program, run};

use super::{ARCHIVE, backup, check_database, fetch_files, restore, small_store, succeeded};

const ABORTED: i32 = 6;
const KILLED: i32 = 9;
const KILLS: usize = 10;
/// A kill comes within this time after the start of a command, which takes about as long.
const WITHIN_MILLIS: u64 = 60;
/// Places at which the old store is still in place.
const OLD_UNTIL: &str = "before_restore_commit";

/// Runs a command that aborts at a crash point.
fn aborted(home: &Path, words: &[&str], point: &str) {
    let mut command = program(home, words);
    let status = command.env(VARIABLE, point).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status.signal(), Some(ABORTED), "{point}: {status}");
}

/// Kills a command after a random time. Returns whether that met it.
fn killed(home: &Path, words: &[&str], random: &mut Random) -> bool {
    let mut child = program(home, words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(random.within_millis(WITHIN_MILLIS));
    let _ended = child.kill();
    let status = child.wait().unwrap();
    assert!(status.success() || status.signal() == Some(KILLED), "{status}");
    !status.success()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    entries.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn a_backup_that_is_killed_leaves_no_archive_and_the_next_one_clears_up() {
    let mut random = Random::seeded("killed backups");
    let home = tempfile::tempdir().unwrap();
    let token = small_store(home.path(), "data");
    let server = Server::start(home.path(), &["--data", "data"]);
    let words = ["backup", ARCHIVE, "--data", "data"];
    for point in BACKUP_POINTS {
        aborted(home.path(), &words, point);
        assert!(!home.path().join(ARCHIVE).exists(), "{point}");
    }
    let mut met = 0;
    for _ in 0..KILLS {
        let was_met = killed(home.path(), &words, &mut random);
        met += usize::from(was_met);
        let target = home.path().join(ARCHIVE);
        if target.exists() {
            succeeded(restore(home.path(), &["--data", "restored", "--force"]));
            fs::remove_file(target).unwrap();
        } else {
            assert!(was_met, "a backup that ended has left no archive");
        }
    }
    succeeded(backup(home.path(), &["--data", "data"]));
    let left: Vec<_> = names(home.path()).into_iter().filter(|name| name.contains(".part")).collect();
    assert_eq!(left, Vec::<String>::new());
    assert_eq!(server.client(&token).get("/locations").status, 200);
    server.stop();
    println!("{met} of {KILLS} kills met a backup, and {} aborts", BACKUP_POINTS.len());
}

/// A store and the archive of another one.
struct Stores {
    home: tempfile::TempDir,
    old: String,
    new: String,
}

impl Stores {
    fn make() -> Self {
        let home = tempfile::tempdir().unwrap();
        let new = small_store(home.path(), "new");
        succeeded(backup(home.path(), &["--data", "new"]));
        let old = small_store(home.path(), "old");
        Self { home, old, new }
    }

    /// Puts the old store into the folder `data`, as a server that was killed left it: with a log of writes.
    fn place(&self) {
        let home = self.home.path();
        let copy = "rm -rf data && cp -r old data";
        assert!(Command::new("sh").args(["-c", copy]).current_dir(home).status().unwrap().success());
        let server = Server::start(home, &["--data", "data"]);
        let made = server.client(&self.old).post("/locations", &testkit::load::body("Log").to_string());
        assert_eq!(made.status, 201);
        server.kill();
        assert!(fs::metadata(home.join("data/dockside.db-wal")).unwrap().len() > 0);
    }

    /// Starts a server, and returns whether it has the new store. Whichever it has, it has all of it.
    fn is_new(&self) -> bool {
        let server = Server::start(self.home.path(), &["--data", "data"]);
        let (mut old, mut new) = (server.client(&self.old), server.client(&self.new));
        let statuses = (old.get("/locations").status, new.get("/locations").status);
        let is_new = match statuses {
            (200, 401) => false,
            (401, 200) => true,
            neither => panic!("{neither:?}: {}", server.log()),
        };
        assert_eq!(server.log().contains("a backup was restored"), is_new, "{}", server.log());
        let client = if is_new { &mut new } else { &mut old };
        let locations = client.get("/locations").json()["locations"].as_array().unwrap().len();
        assert_eq!(
            locations,
            if is_new { 1 } else { 2 },
            "the log of the old database is with the old database"
        );
        assert_eq!(fetch_files(&server, client), 1);
        // Sealed with the keys that are in place.
        let account = json!({
            "carrier": {"handle": "sandbox"}, "name": "Sealed", "handle": "sealed", "configuration": {"tokens": true},
            "credentials": {"client_secret": "hidden"},
        });
        assert_eq!(client.post("/carrier_accounts", &account.to_string()).status, 201);
        server.stop();
        check_database(&self.home.path().join("data/dockside.db"));
        is_new
    }
}

#[test]
fn a_restore_that_is_killed_leaves_the_old_store_or_the_new_one() {
    let mut random = Random::seeded("killed restores");
    let stores = Stores::make();
    let home = stores.home.path();
    let words = ["restore", ARCHIVE, "--data", "data", "--force"];
    for point in RESTORE_POINTS {
        stores.place();
        aborted(home, &words, point);
        assert_eq!(stores.is_new(), point != OLD_UNTIL, "{point}");
        assert!(!home.join("data/restored").exists(), "{point}");
    }
    let (mut met, mut new) = (0, 0);
    for _ in 0..KILLS {
        stores.place();
        let was_met = killed(home, &words, &mut random);
        let is_new = stores.is_new();
        assert!(is_new || was_met, "a restore that ended is in place");
        met += usize::from(was_met);
        new += usize::from(is_new);
    }
    println!(
        "{met} of {KILLS} kills met a restore, and {} aborts; {new} ended with the new store",
        RESTORE_POINTS.len()
    );

    // A command completes an interrupted restore, too, and another restore clears up.
    stores.place();
    aborted(home, &words, "after_restore_log");
    assert_eq!(run(home, &["token", "list", "--data", "data"]).code, 0);
    assert!(stores.is_new());
    stores.place();
    aborted(home, &words, OLD_UNTIL);
    succeeded(run(home, &words));
    assert!(!home.join("data/restoring").exists() && !home.join("data/files/restoring").exists());
    assert!(stores.is_new());
}
