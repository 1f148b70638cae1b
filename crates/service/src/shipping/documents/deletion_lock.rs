//! The lock that keeps servers from deleting files of a folder while a backup copies them.
//!
//! A row stops naming a file in a transaction that commits before the file is deleted. So if a server deletes a file after
//! it has seen that no backup holds the lock, a backup that takes the lock later, and only then its snapshot, does not find the
//! file named.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Result};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

/// The name of the file that is locked. No owner of files has this name.
const FILE: &str = "backup.lock";

/// Held while a backup copies files, or while a server deletes one.
pub struct DeletionLock {
    _file: File,
}

impl DeletionLock {
    /// Takes the lock for a backup, once no deletion is under way. It must be taken before the snapshot of the database.
    pub fn hold(folder: &Path) -> Result<Self> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(folder.join(FILE))?;
        // A file that root made would keep the server from starting again: all in its folder must be its own user's.
        let owner = std::fs::metadata(folder)?;
        if file.metadata()?.uid() != owner.uid() {
            fchown(&file, Some(owner.uid()), Some(owner.gid()))?;
        }
        file.lock()?;
        Ok(Self { _file: file })
    }

    /// Takes the lock for a deletion. `Err` with [`ErrorKind::WouldBlock`] means that a backup holds it. Without a file no
    /// backup was ever made.
    pub(super) fn share(folder: &Path) -> Result<Option<Self>> {
        let file = match File::open(folder.join(FILE)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Err(ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_deleted_while_a_backup_holds_the_lock() {
        let folder = std::env::temp_dir().join(format!("dockside-deletion-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert!(DeletionLock::share(&folder).unwrap().is_none(), "there was no backup yet");
        let held = DeletionLock::hold(&folder).unwrap();
        let refused = DeletionLock::share(&folder).err().map(|error| error.kind());
        assert_eq!(refused, Some(ErrorKind::WouldBlock));
        drop(held);
        let deletions = [DeletionLock::share(&folder).unwrap(), DeletionLock::share(&folder).unwrap()];
        assert!(deletions.iter().all(Option::is_some), "several deletions at a time");
        drop(deletions);
        drop(DeletionLock::hold(&folder).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
