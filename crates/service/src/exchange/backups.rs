//! What a backup consists of: a copy of the database that no server has open, and the files that it names.
//!
//! Bytes of a file are durable before its row commits, so every file that a copy names existed when the copy was begun. The
//! [`DeletionLock`](crate::shipping::documents::DeletionLock) keeps servers from deleting one before the backup has it.

use std::collections::BTreeMap;
use std::path::Path;

use model::{Error, Result};
use store::exchange::imports;
use store::platform::restorations;
use store::shipping::documents::{self, PlacedFile};
use store::{DatabaseFile, Tx};

use crate::platform::vault;
use crate::shipping::documents::locate;

/// Rows of documents that are read at once.
const ROWS_EACH: i64 = 1000;

/// The database of a backup.
pub struct BackupDatabase(DatabaseFile);

/// An object of the file store that a database names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededFile {
    pub key: String,
    /// The least size that it must have: where the last file in it ends.
    pub bytes: u64,
}

impl BackupDatabase {
    /// Copies the database of a server, which may be running. A server that opens the copy finds that it was restored, and looks
    /// up what may have been bought since.
    pub fn copy(from: &Path, into: &Path) -> Result<Self> {
        let mut copy = DatabaseFile::copy(from, into)?;
        copy.run(async |tx| restorations::displace(tx).await)?;
        Ok(Self(copy))
    }

    /// Opens a copy.
    pub fn open(file: &Path) -> Result<Self> {
        DatabaseFile::open(file).map(Self)
    }

    /// Refuses a damaged database, and one of a newer version.
    pub fn ensure_sound(&self) -> Result<()> {
        self.0.ensure_sound()
    }

    /// Returns whether this key opens the secrets in the database.
    pub fn is_key(&mut self, encryption_key: &[u8; 32]) -> Result<bool> {
        let key = *encryption_key;
        self.0.run(async move |tx: &mut Tx<'_>| vault::is_key_of(tx, &key).await)
    }

    /// Visits all files that the database names, each object once.
    pub fn visit_files<E: From<Error>>(
        &mut self,
        mut visit: impl FnMut(NeededFile) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut shared = BTreeMap::new();
        let mut after = (String::new(), String::new());
        loop {
            let from = after.clone();
            let rows =
                self.0.run(async move |tx: &mut Tx<'_>| documents::places(tx, &from, ROWS_EACH).await)?;
            let Some(last) = rows.last() else { break };
            after = last.key.clone();
            for row in &rows {
                match alone(row)? {
                    Some(file) => visit(file)?,
                    None => note_shared(&mut shared, row)?,
                }
            }
        }
        for (key, bytes) in shared {
            visit(NeededFile { key, bytes })?;
        }
        for key in self.0.run(async |tx: &mut Tx<'_>| imports::places(tx).await)? {
            visit(NeededFile { key, bytes: 0 })?;
        }
        Ok(())
    }
}

/// Returns the object of a file that has one of its own, or `None` for a file in a pack.
fn alone(row: &PlacedFile) -> Result<Option<NeededFile>> {
    let (key, _) = locate(&row.place);
    let bytes = u64::try_from(row.file_size).map_err(Error::fault)?;
    Ok((key == row.place).then(|| NeededFile { key: key.to_owned(), bytes }))
}

fn note_shared(shared: &mut BTreeMap<String, u64>, row: &PlacedFile) -> Result<()> {
    let (key, offset) = locate(&row.place);
    let end = offset.saturating_add(u64::try_from(row.file_size).map_err(Error::fault)?);
    let needed = shared.entry(key.to_owned()).or_default();
    *needed = end.max(*needed);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(place: &str, file_size: i64) -> PlacedFile {
        PlacedFile { key: (String::new(), String::new()), place: place.to_owned(), file_size }
    }

    #[test]
    fn a_pack_must_reach_to_the_end_of_its_last_file() {
        let mut shared = BTreeMap::new();
        for (place, size) in [("o/pack-a@0", 10), ("o/pack-a@30", 5), ("o/pack-a@10", 20), ("o/pack-b@0", 1)]
        {
            assert_eq!(alone(&row(place, size)).unwrap(), None);
            note_shared(&mut shared, &row(place, size)).unwrap();
        }
        let needed: Vec<_> = shared.into_iter().collect();
        assert_eq!(needed, [("o/pack-a".to_owned(), 35), ("o/pack-b".to_owned(), 1)]);
        let alone = alone(&row("o/doc_1-2", 7)).unwrap();
        assert_eq!(alone, Some(NeededFile { key: "o/doc_1-2".to_owned(), bytes: 7 }));
    }
}
