//! A backup, made as operators make it while the server runs, and restored over the data.

use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use tempfile::TempDir;
use testkit::database::drop_database;

use crate::sql::Store;

/// The place into which a backup is restored.
#[derive(Clone, Copy, PartialEq)]
pub enum How {
    /// A new file, or a new database. The servers have no mark file.
    Elsewhere,
    /// The old file or database. The servers have their mark file.
    InPlace,
    /// The old file or database. The servers have no mark file, as if a whole machine was restored.
    Unmarked,
}

pub struct Backup {
    store: Store,
    folder: TempDir,
}

impl Backup {
    pub fn make(store: &Store) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let backup = Self { store: store.clone(), folder };
        match store {
            Store::Sqlite(file) => {
                let database = Connection::open(file).expect("a database");
                let into = backup.file().to_str().expect("a plain path").to_owned();
                database.execute("VACUUM INTO ?1", [into]).expect("a backup");
            }
            // As the servers' own role, which sees one owner's rows unless the setting asks for all.
            Store::Postgres(url) => {
                let mut dump = Command::new("pg_dump");
                dump.env("PGOPTIONS", "-c dockside.owner=*").args([
                    "--enable-row-security",
                    "--no-owner",
                    "--file",
                ]);
                succeed(dump.arg(backup.file()).arg(url));
            }
        }
        backup
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("backup")
    }

    /// Replaces the data by the backup. No server may be running.
    pub fn restore(&self, how: How) {
        match &self.store {
            Store::Sqlite(file) => self.restore_sqlite(file, how),
            Store::Postgres(url) => self.restore_postgres(url, how),
        }
    }

    fn restore_sqlite(&self, file: &Path, how: How) {
        for end in ["-wal", "-shm"] {
            let mut beside = file.as_os_str().to_owned();
            beside.push(end);
            // The last reader may have deleted it already.
            let _gone = std::fs::remove_file(beside);
        }
        if how == How::Elsewhere {
            // The old file stays, so that the new one can't get its inode number.
            std::fs::rename(file, file.with_extension("old")).expect("a database");
        }
        std::fs::copy(self.file(), file).expect("a copy");
    }

    fn restore_postgres(&self, url: &str, how: How) {
        let (server, name) = url.rsplit_once('/').expect("a database in the address");
        let psql = |url: &str, arguments: &[&str]| {
            let mut psql = Command::new("psql");
            psql.args(["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--output", "/dev/null"]);
            succeed(psql.args(arguments).arg(url));
        };
        if how == How::Elsewhere {
            let admin = format!("{server}/postgres");
            for sql in drop_database(name) {
                psql(&admin, &["--command", &sql]);
            }
            psql(&admin, &["--command", &format!("CREATE DATABASE {name}")]);
        } else {
            psql(url, &["--command", "DROP SCHEMA public CASCADE; CREATE SCHEMA public"]);
        }
        psql(url, &["--file", self.file().to_str().expect("a plain path")]);
    }
}

fn succeed(command: &mut Command) {
    let output = command.output().expect("a program of PostgreSQL");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
