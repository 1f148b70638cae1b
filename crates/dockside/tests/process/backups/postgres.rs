//! Backups with PostgreSQL: the commands that are printed are those of the guide, and they work.

use std::path::Path;
use std::process::Command;

use carriers::sandbox::Mode;
use testkit::database::Database;
use testkit::resources::create_location;
use testkit::server::{Server, program_path, run, token};
use testkit::shipments::create_account;

use super::{bought_shipment, fetch_files};

/// Runs commands in a shell that finds the program and the database.
fn shell(home: &Path, commands: &str, database: &Database) -> String {
    let folder = program_path().parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").expect("a PATH");
    let mut shell = Command::new("sh");
    shell.args(["-c", commands]).current_dir(home).env("PATH", format!("{folder}:{path}"));
    let output = shell.env("DOCKSIDE_DATABASE_URL", &database.url).output().expect("sh runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}\n{said}");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the indented block of the guide's page that has this word, without the indentation of the block.
fn shown(word: &str) -> String {
    let page = crate::guide::page("operating.md");
    let mut blocks = page.split("\n\n").filter(|block| block.lines().all(|line| line.starts_with("    ")));
    let block = blocks.find(|block| block.contains(word)).unwrap_or_else(|| panic!("no block has {word}"));
    block.lines().map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect()
}

/// The commands without the comment that names the database, which is another one each time.
fn commands(printed: &str) -> String {
    printed
        .lines()
        .filter(|line| !line.starts_with("# These commands"))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn the_commands_that_are_printed_for_postgres_make_a_backup_and_restore_it() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let url = ["--database-url", database.url.as_str()];
    let token = token(home.path(), &[&url[..], &["--test"]].concat());
    let server = Server::start(home.path(), &url);
    let mut client = server.client(&token);
    create_location(&mut client);
    create_account(&mut client, Mode::Idempotent, None);
    let shipment = bought_shipment(&mut client);

    let printed = run(home.path(), &[&["backup", "tonight"], &url[..]].concat());
    assert!(printed.code == 1 && printed.stderr.contains("nothing is backed up yet"), "{}", printed.stderr);
    assert!(!printed.stdout.contains(&database.url), "the password is not printed: {}", printed.stdout);
    assert_eq!(
        commands(&printed.stdout),
        commands(&shown("pg_dump")),
        "docs/guide/operating.md shows others"
    );
    assert!(shell(home.path(), &printed.stdout, &database).contains("The backup is complete."));
    let late = bought_shipment(&mut client);
    server.stop();

    database.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    std::fs::remove_dir_all(home.path().join("dockside-data")).unwrap();
    let printed = run(home.path(), &[&["restore", "tonight"], &url[..]].concat());
    assert!(printed.code == 1 && printed.stderr.contains("nothing is restored yet"), "{}", printed.stderr);
    assert_eq!(
        commands(&printed.stdout),
        commands(&shown("pg_restore --single")),
        "docs/guide/operating.md shows others"
    );
    assert!(shell(home.path(), &printed.stdout, &database).contains("looked up first"));
    let server = Server::start(home.path(), &url);
    let mut client = server.client(&token);
    assert_eq!(client.get(&format!("/shipments/{shipment}")).json()["status"], "purchased");
    assert_eq!(client.get(&format!("/shipments/{late}")).status, 404);
    assert_eq!(fetch_files(&server, &mut client), 1);
    server.stop();
}
