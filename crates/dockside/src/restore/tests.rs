//! Archives that are whole, and that no backup has made: by another version, or by someone else.

use std::io::Read;

use rusqlite::Connection;

use super::*;
use crate::backup_archive::{ArchiveWriter, DESCRIPTION, MISSING};

/// The tables that a restore reads, with a document that has a file.
const TABLES: &str = "
    CREATE TABLE migration (name TEXT NOT NULL PRIMARY KEY, version TEXT);
    CREATE TABLE installation (owner TEXT, name TEXT, value TEXT);
    CREATE TABLE import (place TEXT, due_at BIGINT, ended_at BIGINT);
    CREATE TABLE document (owner TEXT, id TEXT, place TEXT, file_size BIGINT);
    INSERT INTO migration VALUES ('0001_foundation', '0.1.0');
    INSERT INTO document VALUES ('org_1', 'doc_1', 'org_1/doc_1', 5);
    INSERT INTO document VALUES ('org_1', 'doc_2', 'org_1/pack-doc_2@3', 4);";

/// An archive that is being made.
struct Case {
    home: tempfile::TempDir,
    writer: ArchiveWriter<File>,
}

impl Case {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let file = File::create(home.path().join("a.tar")).unwrap();
        let mut writer = ArchiveWriter::new(file, 1_793_664_000);
        let description = Description::new("2026-11-19T03:00:00Z".to_owned(), false, true);
        writer.append_text(DESCRIPTION, &serde_json::to_string(&description).unwrap()).unwrap();
        Self { home, writer }
    }

    fn text(mut self, name: &str, text: &str) -> Self {
        self.writer.append_text(name, text).unwrap();
        self
    }

    /// Adds a database with the tables, and with what these statements change.
    fn database(mut self, changes: &str) -> Self {
        let file = self.home.path().join("made.db");
        let database = Connection::open(&file).unwrap();
        database.execute_batch(TABLES).unwrap();
        database.execute_batch(changes).unwrap();
        drop(database);
        let mut bytes = Vec::new();
        File::open(&file).unwrap().read_to_end(&mut bytes).unwrap();
        self.writer.append(DATABASE, bytes.len() as u64, &mut &bytes[..]).unwrap();
        self
    }

    fn files(self) -> Self {
        self.text("files/org_1/doc_1", "label").text("files/org_1/pack-doc_2", "1234567")
    }

    /// Unpacks the archive, and returns what is wrong with it.
    fn outcome(self) -> Result<Unpacked, String> {
        self.writer.finish().unwrap();
        let data = self.home.path().join("outer/data");
        let settings =
            Settings { store: Store { data: Some(data.clone()), ..Store::default() }, ..Settings::default() };
        let places = Places { files: Some(data.join("files")), data };
        let file = self.home.path().join("a.tar");
        let outcome = prepare(&File::open(&file).unwrap(), &file, &settings, &places);
        let outer: Vec<_> = fs::read_dir(self.home.path().join("outer")).unwrap().collect();
        assert_eq!(outer.len(), 1, "nothing is written elsewhere: {outer:?}");
        outcome.map(|(unpacked, _)| unpacked).map_err(|failure| failure.0)
    }
}

#[test]
fn an_archive_with_everything_that_its_database_names_is_restored() {
    let unpacked = Case::new().database("").files().outcome().unwrap();
    assert_eq!((unpacked.files, unpacked.missing.len()), (2, 0));
}

#[test]
fn an_archive_that_lacks_a_file_is_refused_unless_it_says_so() {
    let lacks = |case: Case| case.outcome().err().unwrap();
    let refused = lacks(Case::new().database("").text("files/org_1/pack-doc_2", "1234567"));
    assert!(refused.contains("lacks the file org_1/doc_1"), "{refused}");
    let short =
        Case::new().database("").text("files/org_1/doc_1", "label").text("files/org_1/pack-doc_2", "123456");
    assert!(lacks(short).contains("lacks the file org_1/pack-doc_2"));
    let running = "INSERT INTO import VALUES ('org_1/imp_1-ab', 7, NULL), ('org_1/imp_2-ab', 7, 8)";
    assert!(lacks(Case::new().database(running).files()).contains("org_1/imp_1-ab"));
    let said = Case::new().database(running).files().text(MISSING, "org_1/imp_1-ab\n").outcome().unwrap();
    assert_eq!(said.missing.len(), 1);
}

#[test]
fn an_entry_that_no_backup_has_is_refused_and_written_nowhere() {
    for name in [
        "../evil",
        "files/../../evil",
        "files/../evil",
        "/evil",
        "files//evil",
        "files/evil",
        "evil",
        "files/org_1/../../../evil",
    ] {
        let refused = Case::new().text(name, "x").database("").files().outcome().err().unwrap();
        assert!(refused.contains("which no backup has"), "{name}: {refused}");
    }
    let twice = Case::new().database("").files().text("files/org_1/doc_1", "other").outcome().err().unwrap();
    assert!(twice.contains("exists"), "{twice}");
}

#[test]
fn a_database_that_this_version_can_not_use_is_refused() {
    let none = Case::new().files().outcome().err().unwrap();
    assert!(none.contains("has no database"), "{none}");
    let foreign = Case::new().text(DATABASE, &"no database".repeat(100)).files().outcome().err().unwrap();
    assert!(foreign.contains("can't be used"), "{foreign}");
    let newer = "INSERT INTO migration VALUES ('9999_new', '7.1.0')";
    let refused = Case::new().database(newer).files().outcome().err().unwrap();
    assert!(refused.contains("start version 7.1.0 or a later one"), "{refused}");
}
