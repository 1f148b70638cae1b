//! A database file that no server has open: a copy for a backup, or one that is to be restored. It is never migrated.

use std::path::Path;

use model::{Error, Result};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::super::migrate;
use super::super::tx::Tx;
use super::error::fault;
use super::{connect, poll_once, run};

/// Pages that are copied at once. The snapshot is the same for all of them.
const PAGES_EACH: i32 = 1024;
/// Errors of a damaged database that are named.
const ERRORS_SHOWN: usize = 3;

/// An open database file. It has no log beside it, so it is whole once it is closed.
pub struct DatabaseFile {
    connection: Connection,
}

impl DatabaseFile {
    /// Copies the database of a server, which may be running, to a new file.
    ///
    /// The copy is one snapshot. Without the open read transaction, each write of the server between two steps would make SQLite
    /// begin the copy again, and a busy server would never let it end. Writers do not wait for a reader, but the log of the
    /// database grows until the copy has ended. Pages are copied as they are: `VACUUM INTO` would build all tables and
    /// indexes anew, which takes longer, and the log would grow meanwhile.
    pub fn copy(from: &Path, into: &Path) -> Result<Self> {
        let source = connect(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        source.execute_batch("PRAGMA query_only = ON").map_err(fault)?;
        run(&source, "BEGIN")?;
        // BEGIN takes no snapshot. The first read does.
        source.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).map_err(fault)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut copy = Connection::open_with_flags(into, flags).map_err(fault)?;
        copy.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF").map_err(fault)?;
        copy_pages(&source, &mut copy)?;
        drop(copy);
        Self::open(into)
    }

    /// Opens a copy of a database.
    pub fn open(file: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(file, flags).map_err(fault)?;
        // A copy says that it has a write-ahead log, as the original does. From here on its file is all of it.
        connection
            .execute_batch(
                "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY",
            )
            .map_err(fault)?;
        Ok(Self { connection })
    }

    /// Refuses a file that SQLite finds damaged, or whose schema is newer than this program.
    pub fn ensure_sound(&self) -> Result<()> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check").map_err(fault)?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0)).map_err(fault)?;
        let lines: Vec<String> = lines.take(ERRORS_SHOWN).collect::<rusqlite::Result<_>>().map_err(fault)?;
        if lines != ["ok"] {
            return Err(Error::fault(format!("SQLite finds it damaged: {}", lines.join("; "))));
        }
        migrate::ensure_known(&self.connection)
    }

    /// Runs a transaction.
    pub fn run<T, F>(&mut self, operation: F) -> Result<T>
    where
        F: AsyncFn(&mut Tx<'_>) -> Result<T>,
    {
        run(&self.connection, "BEGIN")?;
        let result = poll_once(&mut self.connection, &operation);
        run(&self.connection, if result.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        result
    }
}

fn copy_pages(source: &Connection, copy: &mut Connection) -> Result<()> {
    let backup = Backup::new(source, copy).map_err(fault)?;
    loop {
        match backup.step(PAGES_EACH).map_err(fault)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => return Err(Error::unavailable("the copy of the database is locked by another program")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

    use super::*;

    /// Rows of about a page each, so that a copy takes many steps.
    const ROWS: i64 = 20_000;
    const FILL: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         INSERT INTO entry (id, text) SELECT i, hex(zeroblob(1000)) FROM n";

    fn count(file: &Path) -> (i64, i64) {
        let connection = Connection::open(file).unwrap();
        let read = |sql| connection.query_row(sql, [], |row| row.get(0)).unwrap();
        (read("SELECT count(*) FROM entry"), read("SELECT coalesce(max(id), 0) FROM entry"))
    }

    /// Without the snapshot the copy begins again with each commit, and has not ended when the writer has.
    #[test]
    fn a_copy_is_one_snapshot_although_it_is_written_to_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let (file, into) = (folder.path().join("a.db"), folder.path().join("b.db"));
        let source =
            connect(&file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE).unwrap();
        source.execute_batch("CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT)").unwrap();
        source.execute(FILL, [ROWS]).unwrap();
        let (is_over, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicI64::new(ROWS)));
        let writer = {
            let (is_over, written) = (Arc::clone(&is_over), Arc::clone(&written));
            std::thread::spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let id = written.load(Ordering::Relaxed) + 1;
                    source.execute("INSERT INTO entry (id, text) VALUES (?1, 'x')", [id]).unwrap();
                    written.store(id, Ordering::Relaxed);
                }
            })
        };
        while written.load(Ordering::Relaxed) < ROWS + 10 {
            std::thread::yield_now();
        }
        let before = written.load(Ordering::Relaxed);
        drop(DatabaseFile::copy(&file, &into).unwrap());
        let after = written.load(Ordering::Relaxed);
        is_over.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        assert!(after > before, "the writer did not wait: {before} {after}");
        let (rows, last) = count(&into);
        assert_eq!(rows, last, "no row is missing in between");
        assert!((before..=after + 1).contains(&rows), "{before} {rows} {after}");
        let files: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert!(!files.iter().any(|name| name.to_string_lossy().starts_with("b.db-")), "{files:?}");
    }

    #[test]
    fn a_damaged_copy_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (file, into) = (folder.path().join("a.db"), folder.path().join("b.db"));
        drop(super::super::Sqlite::open(&file, 1).unwrap());
        DatabaseFile::copy(&file, &into).unwrap().ensure_sound().unwrap();
        let mut bytes = std::fs::read(&into).unwrap();
        let page = 4096;
        bytes[2 * page..3 * page].fill(0xff);
        std::fs::write(&into, &bytes).unwrap();
        let refused = DatabaseFile::open(&into).and_then(|file| file.ensure_sound()).unwrap_err().to_string();
        assert!(refused.contains("damaged") || refused.contains("malformed"), "{refused}");
        std::fs::write(&into, &bytes[..2 * page]).unwrap();
        assert!(DatabaseFile::open(&into).and_then(|file| file.ensure_sound()).is_err());
    }

    #[test]
    fn a_copy_with_a_newer_schema_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (file, into) = (folder.path().join("a.db"), folder.path().join("b.db"));
        drop(super::super::Sqlite::open(&file, 1).unwrap());
        let newer = "INSERT INTO migration (name, version) VALUES ('9999_new', '7.1.0')";
        Connection::open(&file).unwrap().execute_batch(newer).unwrap();
        let refused = DatabaseFile::copy(&file, &into).unwrap().ensure_sound().unwrap_err().to_string();
        assert!(refused.contains("start version 7.1.0 or a later one"), "{refused}");
    }
}
