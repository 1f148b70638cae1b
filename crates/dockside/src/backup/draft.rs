//! The file of a backup while it is written: under another name, and locked, so that its name never belongs to half an archive.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use service::platform::durable;

use crate::failure::Failure;

const SUFFIX: &str = ".part";
const DATABASE_SUFFIX: &str = ".part-database";
/// What SQLite may leave beside the copy of a database if the process is killed.
const BESIDE_DATABASE: [&str; 4] = ["", "-journal", "-wal", "-shm"];

/// An archive that is being written. If it is dropped before [`Draft::keep`], nothing of it is left.
pub struct Draft {
    target: PathBuf,
    path: PathBuf,
    /// The file, which this process has locked.
    pub file: File,
    may_replace: bool,
    is_kept: bool,
}

impl Draft {
    /// Begins an archive of this name. What a killed backup of the same name has left is deleted.
    pub fn begin(target: &Path, may_replace: bool) -> Result<Self, Failure> {
        if target.is_dir() {
            return Err(Failure(format!("{} is a folder: name a file", target.display())));
        }
        if !may_replace && target.exists() {
            return Err(exists(target));
        }
        let path = beside(target, SUFFIX);
        let file = locked(&path)?;
        let draft = Self { target: target.to_owned(), path, file, may_replace, is_kept: false };
        draft.file.set_len(0).map_err(|error| draft.failed(&error))?;
        draft.remove_database();
        Ok(draft)
    }

    /// Where the copy of the database may be until it is in the archive.
    pub fn database(&self) -> PathBuf {
        beside(&self.target, DATABASE_SUFFIX)
    }

    pub fn remove_database(&self) {
        for end in BESIDE_DATABASE {
            let _none = fs::remove_file(beside(&self.database(), end));
        }
    }

    /// Gives the archive its name. Once this returns, it survives a power failure.
    pub fn keep(mut self) -> Result<(), Failure> {
        self.file.sync_all().map_err(|error| self.failed(&error))?;
        let renamed = match self.may_replace {
            true => fs::rename(&self.path, &self.target),
            false => rename_new(&self.path, &self.target),
        };
        match renamed {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(exists(&self.target)),
            renamed => renamed.map_err(|error| self.failed(&error))?,
        }
        self.is_kept = true;
        durable::sync_folder_of(&self.target).map_err(|error| self.failed(&error))
    }

    pub fn failed(&self, error: &std::io::Error) -> Failure {
        Failure(format!("{} can't be written: {error}", self.target.display()))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.remove_database();
        if !self.is_kept {
            let _left = fs::remove_file(&self.path);
        }
    }
}

/// Opens and locks the draft, or says that another process writes it.
fn locked(path: &Path) -> Result<File, Failure> {
    let failed = |error: std::io::Error| Failure(format!("{} can't be written: {error}", path.display()));
    loop {
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
        let file = options.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure(format!("another backup is writing {}", path.display())));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // The backup that had the lock may have given this file its name: then it is an archive that must not be touched.
        let (mine, named) = (file.metadata().map_err(failed)?, fs::metadata(path));
        if named.is_ok_and(|named| (named.ino(), named.dev()) == (mine.ino(), mine.dev())) {
            return Ok(file);
        }
    }
}

/// Renames a file unless the new name exists.
fn rename_new(from: &Path, to: &Path) -> std::io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // A file system that does not know how, such as some that are reached over the network.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if to.exists() {
                Err(ErrorKind::AlreadyExists.into())
            } else {
                fs::rename(from, to)
            }
        }
        renamed => renamed.map_err(Into::into),
    }
}

fn exists(target: &Path) -> Failure {
    Failure(format!("{} exists: choose another name, or replace it with --force", target.display()))
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn an_archive_gets_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.tar");
        let mut draft = Draft::begin(&target, false).ok().unwrap();
        draft.file.write_all(b"half").unwrap();
        fs::write(draft.database(), "copy").unwrap();
        let rival = Draft::begin(&target, true).err().unwrap().0;
        assert!(rival.contains("another backup is writing"), "{rival}");
        drop(draft);
        assert!(names(folder.path()).is_empty(), "nothing is left");

        // Left by a backup that was killed.
        fs::write(folder.path().join("a.tar.part"), "a long draft").unwrap();
        fs::write(folder.path().join("a.tar.part-database"), "copy").unwrap();
        let mut draft = Draft::begin(&target, false).ok().unwrap();
        draft.file.write_all(b"whole").unwrap();
        draft.keep().ok().unwrap();
        assert_eq!(names(folder.path()), ["a.tar"]);
        assert_eq!(fs::read(&target).unwrap(), b"whole");
    }

    #[test]
    fn a_file_is_replaced_only_if_that_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.tar");
        let late = Draft::begin(&target, false).ok().unwrap();
        fs::write(&target, "an earlier backup").unwrap();
        assert!(late.keep().err().unwrap().0.contains("--force"), "it came into being meanwhile");
        assert!(Draft::begin(&target, false).err().unwrap().0.contains("--force"));
        assert_eq!(fs::read(&target).unwrap(), b"an earlier backup");
        Draft::begin(&target, true).ok().unwrap().keep().ok().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"");
        assert!(Draft::begin(folder.path(), true).err().unwrap().0.contains("is a folder"));
    }
}
