//! Archives that are not as they were written: each is refused with a sentence, and nothing is restored.

use std::path::Path;

use testkit::random::Random;
use testkit::server::Ended;

use super::{ARCHIVE, backup, restore, small_store, succeeded};

/// The size of a block of a tar archive, and the blocks of each region in which a byte is changed.
const BLOCK: usize = 512;
const CHANGES_IN_DATABASE: u64 = 10;
const CUTS: u64 = 8;

/// Where each entry begins, with its name and the size of its content.
fn entries(archive: &[u8]) -> Vec<(usize, String, usize)> {
    let (mut at, mut entries) = (0, Vec::new());
    while archive[at] != 0 {
        let text = |from: usize, to: usize| {
            let field = &archive[at + from..at + to];
            String::from_utf8(field.iter().copied().take_while(|byte| *byte != 0).collect()).unwrap()
        };
        let size = usize::from_str_radix(&text(124, 136), 8).unwrap();
        entries.push((at, text(0, 100), size));
        at += BLOCK + size.next_multiple_of(BLOCK);
    }
    entries
}

fn refused(home: &Path, archive: &[u8], words: &[&str]) -> String {
    std::fs::write(home.join(ARCHIVE), archive).unwrap();
    let Ended { code, stdout, stderr } = restore(home, &["--data", "restored"]);
    assert_eq!((code, stdout.as_str(), stderr.lines().count()), (1, "", 1), "{stderr}");
    assert!(words.iter().any(|word| stderr.contains(word)), "{stderr}");
    assert!(stderr.contains(ARCHIVE), "{stderr}");
    for name in ["dockside.db", "secrets.toml", "restoring", "restored", "files/restoring"] {
        assert!(!home.join("restored").join(name).exists(), "{name}: {stderr}");
    }
    stderr
}

#[test]
fn a_backup_that_is_damaged_anywhere_is_refused() {
    let mut random = Random::seeded("damaged backups");
    let home = tempfile::tempdir().unwrap();
    small_store(home.path(), "data");
    succeeded(backup(home.path(), &["--data", "data"]));
    let whole = std::fs::read(home.path().join(ARCHIVE)).unwrap();
    let entries = entries(&whole);
    let names: Vec<_> = entries.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(names[..3], ["dockside-backup.json", "secrets.toml", "dockside.db"], "{names:?}");
    assert_eq!(names.last(), Some(&"dockside-backup.sha256"));
    assert!(names.iter().any(|name| name.starts_with("files/")), "{names:?}");

    // In each entry: its head, its content, and the zeros behind it; then the end.
    let mut places = vec![whole.len() - 1, whole.len() - 2 * BLOCK];
    for (at, name, size) in &entries {
        places.extend([*at, at + 130, at + 150, at + 511, at + BLOCK, at + BLOCK + size - 1]);
        places.extend((size % BLOCK != 0).then_some(at + BLOCK + size));
        if name == "dockside.db" {
            let inside = || at + BLOCK + random.below(*size as u64) as usize;
            places.extend(std::iter::repeat_with(inside).take(CHANGES_IN_DATABASE as usize));
        }
    }
    for place in &places {
        let mut damaged = whole.clone();
        damaged[*place] ^= 1 << random.below(8);
        refused(
            home.path(),
            &damaged,
            &["is damaged", "is no backup of Dockside", "is truncated", "newer than"],
        );
    }
    let mut cuts = vec![0, 1, BLOCK, 2 * BLOCK, whole.len() - 1, whole.len() - BLOCK];
    cuts.extend(std::iter::repeat_with(|| random.below(whole.len() as u64) as usize).take(CUTS as usize));
    for cut in &cuts {
        refused(home.path(), &whole[..*cut], &["is truncated", "is no backup of Dockside"]);
    }
    refused(home.path(), &[&whole[..], b"x"].concat(), &["is damaged"]);
    println!("{} changed bytes and {} cuts were refused", places.len(), cuts.len());

    std::fs::write(home.path().join(ARCHIVE), &whole).unwrap();
    succeeded(restore(home.path(), &["--data", "restored"]));
}

#[test]
fn a_backup_without_a_file_that_the_database_names_is_made_only_if_that_is_wanted() {
    let home = tempfile::tempdir().unwrap();
    small_store(home.path(), "data");
    let files = home.path().join("data/files");
    let owner =
        std::fs::read_dir(&files).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
    let label = std::fs::read_dir(owner.unwrap()).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&label).unwrap();
    // Shorter than its row says, and then gone.
    std::fs::write(&label, &bytes[..bytes.len() - 1]).unwrap();
    let short = backup(home.path(), &["--data", "data"]);
    assert!(short.code == 1 && short.stderr.contains("missing or too short"), "{}", short.stderr);
    std::fs::remove_file(&label).unwrap();
    let missing = backup(home.path(), &["--data", "data"]);
    let name = label.strip_prefix(&files).unwrap().display().to_string();
    assert!(missing.code == 1 && missing.stderr.contains(&name), "{}", missing.stderr);
    assert!(missing.stderr.contains("--allow-missing-files"), "{}", missing.stderr);
    assert_eq!(std::fs::read_dir(home.path()).unwrap().filter(is_archive).count(), 0, "nothing is left");

    let made = succeeded(backup(home.path(), &["--data", "data", "--allow-missing-files"]));
    assert!(made.contains("1 file that the database names could not be copied"), "{made}");
    let restored = succeeded(restore(home.path(), &["--data", "restored"]));
    assert!(restored.contains("Missing already when the backup was made: 1 file."), "{restored}");
}

fn is_archive(entry: &std::io::Result<std::fs::DirEntry>) -> bool {
    entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(ARCHIVE)
}

#[test]
fn a_database_that_is_damaged_is_not_backed_up() {
    let home = tempfile::tempdir().unwrap();
    small_store(home.path(), "data");
    let file = home.path().join("data/dockside.db");
    // A server that stops leaves its last pages in the write-ahead log, which would hide the damage.
    let database = rusqlite::Connection::open(&file).unwrap();
    let busy: i64 = database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
    assert_eq!(busy, 0, "no other connection reads the log");
    drop(database);
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 3 * 4096].fill(0x55);
    std::fs::write(&file, &bytes).unwrap();
    let refused = backup(home.path(), &["--data", "data"]);
    assert!(refused.code == 1 && refused.stderr.contains("can't be backed up"), "{}", refused.stderr);
    assert_eq!(std::fs::read_dir(home.path()).unwrap().filter(is_archive).count(), 0, "nothing is left");
}
