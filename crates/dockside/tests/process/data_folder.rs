//! The data folder: only the server's user can read it, and a failed start leaves no secrets in it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testkit::database::Database;
use testkit::load::body;
use testkit::server::{Server, Starting, program_path, run};

use crate::first_start::{after, welcome};

const OTHER_USER: u32 = 12_345;

/// Everything below a folder, with its mode.
fn modes(folder: &Path) -> Vec<(PathBuf, bool, u32)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let state = entry.metadata().unwrap();
        all.push((entry.path(), state.is_dir(), state.permissions().mode() & 0o777));
        if state.is_dir() {
            all.extend(modes(&entry.path()));
        }
    }
    all
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Starts a server with a umask that lets everyone read and write new files.
fn start_with_open_umask(home: &Path) -> Server {
    let serve =
        format!("umask 000; exec {} serve --listen 127.0.0.1:0 --data data", program_path().display());
    let mut command = Command::new("sh");
    command.args(["-c", &serve]).current_dir(home).stdin(Stdio::null());
    Starting::command(home, command).ready()
}

#[test]
fn everything_in_the_data_folder_is_for_its_owner_alone() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join("data");
    // Made by a person, open to everyone, with the files of an earlier version and of a restored backup in it.
    fs::create_dir_all(data.join("files/old/deep")).unwrap();
    fs::write(data.join("files/old/deep/label.png"), "label").unwrap();
    fs::write(data.join("notes"), "n").unwrap();
    let outside = home.path().join("outside");
    fs::write(&outside, "o").unwrap();
    set_mode(&outside, 0o644);
    symlink(&outside, data.join("link")).unwrap();
    for (path, mode) in [("", 0o777), ("files", 0o755), ("files/old", 0o777), ("files/old/deep", 0o755)] {
        set_mode(&data.join(path), mode);
    }
    set_mode(&data.join("files/old/deep/label.png"), 0o644);
    set_mode(&data.join("notes"), 0o640);

    for _ in 0..2 {
        let server = start_with_open_umask(home.path());
        let text = welcome(&data).expect("the welcome");
        let mut client = server.client(after(&text, "live token"));
        assert_eq!(client.post("/locations", &body("Harbour").to_string()).status, 201);
        let found = modes(&data);
        for name in ["dockside.db", "dockside.db-wal", "secrets.toml", "welcome.txt", "mark", "files"] {
            assert!(found.iter().any(|(path, ..)| *path == data.join(name)), "{name} is not in {found:?}");
        }
        assert_eq!(fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
        for (path, is_folder, mode) in found.iter().filter(|(path, ..)| !path.is_symlink()) {
            assert_eq!(*mode, if *is_folder { 0o700 } else { 0o600 }, "{}: {mode:o}", path.display());
        }
        server.stop();
        // The same holds for files that a command makes in it.
        assert_eq!(run(home.path(), &["token", "list", "--data", "data"]).code, 0);
        set_mode(&data.join("dockside.db"), 0o666);
    }
    let untouched = fs::metadata(&outside).unwrap().permissions().mode() & 0o777;
    assert_eq!(untouched, 0o644, "what a link points to is not in the folder");
}

/// Starts a server that must refuse the folder, and returns what it says.
fn refused(home: &Path, data: &Path) -> String {
    let data = data.display().to_string();
    let ended = run(home, &["serve", "--listen", "127.0.0.1:0", "--data", &data]);
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{}", ended.stderr);
    ended.stderr
}

#[test]
fn a_data_folder_of_another_user_is_refused_with_a_sentence() {
    let home = tempfile::tempdir().unwrap();
    let user = fs::metadata(home.path()).unwrap().uid();
    if user != 0 {
        // Only root can give files away; a folder of root's is another user's for everyone else.
        let said = refused(home.path(), Path::new("/usr"));
        assert!(said.contains("/usr belongs to the user with the id 0"), "{said}");
        return;
    }
    let data = home.path().join("data");
    fs::create_dir(&data).unwrap();
    chown(&data, Some(OTHER_USER), None).unwrap();
    let words = format!("data belongs to the user with the id {OTHER_USER}");
    let said = refused(home.path(), &data);
    assert!(said.contains(&words) && said.contains("chown -R 0"), "{said}");
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0, "nothing was made");

    chown(&data, Some(0), None).unwrap();
    fs::write(data.join("secrets.toml"), "").unwrap();
    chown(data.join("secrets.toml"), Some(OTHER_USER), None).unwrap();
    let said = refused(home.path(), &data);
    assert!(said.contains("secrets.toml belongs to the user with the id"), "{said}");
}

/// The names in a folder, with which none may be left that holds a secret.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_start_that_fails_leaves_no_new_secrets() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("file"), "").unwrap();
    let starts: [&[&str]; 3] = [
        &["--database-url", "postgres://ada@127.0.0.1:1/x"],
        &["--files", "file/labels"],
        &["--signing-key", "abc"],
    ];
    for flags in starts {
        let words = [&["serve", "--listen", "127.0.0.1:0", "--data", "data"], flags].concat();
        assert_eq!(run(home.path(), &words).code, 1, "{flags:?}");
        let left = names(&home.path().join("data"));
        assert!(!left.iter().any(|name| name.contains("secrets")), "{flags:?}: {left:?}");
    }
    Server::start(home.path(), &["--data", "data"]).stop();
    assert!(home.path().join("data/secrets.toml").exists());

    // Without its secrets a store can't be opened, and newly generated ones would hide that.
    fs::remove_file(home.path().join("data/secrets.toml")).unwrap();
    let ended = run(home.path(), &["serve", "--listen", "127.0.0.1:0", "--data", "data"]);
    assert!(ended.code == 1 && ended.stderr.contains("encryption_key"), "{}", ended.stderr);
    assert!(!home.path().join("data/secrets.toml").exists());
}

#[test]
fn a_node_that_lacks_the_secrets_of_a_postgres_store_makes_none() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let store = ["--database-url", database.url.as_str()];
    Server::start(home.path(), &[&["--data", "first"], &store[..]].concat()).stop();
    let second = [&["serve", "--listen", "127.0.0.1:0", "--data", "second"], &store[..]].concat();
    let ended = run(home.path(), &second);
    assert!(ended.code == 1 && ended.stderr.contains("encryption_key"), "{}", ended.stderr);
    let left = names(&home.path().join("second"));
    assert!(!left.iter().any(|name| name.contains("secrets")), "{left:?}");
}
