//! The lock on a data folder with SQLite: one server at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::failure::Failure;

const FILE: &str = "server.lock";

/// Held by a server for as long as its process lives: the system releases the lock of a process that is killed. Commands don't
/// take it, since they make one short change each and may run beside the server.
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Takes the lock of a folder, or says which process has it.
    pub fn take(data: &Path) -> Result<Self, Failure> {
        let path = data.join(FILE);
        let failed = |error: std::io::Error| Failure(format!("{} can't be locked: {error}", path.display()));
        // Never truncated before the lock is held: the content names the process that holds it.
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = options.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Failure(taken(data, &mut file))),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        // The number only makes the message of a second server better, so a full disk does not keep the first from starting.
        let _unnamed = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }
}

fn taken(data: &Path, file: &mut File) -> String {
    let mut holder = String::new();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let process = match file.read_to_string(&mut holder) {
        Ok(_) if is_number(&holder) => format!(" (process {holder})"),
        _ => String::new(),
    };
    format!(
        "another server{process} uses the data folder {}. SQLite is for one server: stop that one, name another folder \
         with --data, or use PostgreSQL with --database-url",
        data.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_locked_until_its_holder_ends() {
        let folder = tempfile::tempdir().unwrap();
        let take = || FolderLock::take(folder.path()).map_err(|failure| failure.0);
        let held = take().unwrap();
        let refused = take().err().unwrap();
        assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
        drop(held);
        take().unwrap();
    }
}
