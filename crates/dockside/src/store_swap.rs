//! The last step of a restore: the new store takes the place of the old one, as a whole.
//!
//! A restore unpacks everything beside the old store. Then one rename decides ([`commit`]): before it the folder has the old store, after
//! it the new one. What follows only moves files, and is continued by the next start of a server or command if the process is
//! killed ([`complete`]). A rename of the whole folder would be simpler, but a data folder is often a mount point, which
//! can't be renamed.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use service::platform::crash_point::crash_point;
use service::platform::durable;

use crate::backup_archive::DATABASE;
use crate::failure::Failure;
use crate::folder_lock::FolderLock;
use crate::secrets;

/// The folder within the data folder, and within that of the files, into which an archive is unpacked.
pub const STAGING: &str = "restoring";
/// What the staging folder of the data folder is called once it is decided.
const DECIDED: &str = "restored";
/// Where files of the old store are until they are deleted.
const REPLACED: &str = "replaced";
const PLAN: &str = "plan.json";
/// What SQLite may have beside the old database. With a new one they would destroy it.
const LOGS: [&str; 3] = ["dockside.db-wal", "dockside.db-shm", "dockside.db-journal"];

/// What [`complete`] has to know.
#[derive(Serialize, Deserialize)]
struct Plan {
    /// The folder of the files, if the archive has files.
    files: Option<PathBuf>,
}

/// Decides for the new store, which is whole and durable in the staging folders. The caller holds the lock of the data folder.
pub fn commit(data: &Path, files: Option<&Path>) -> Result<(), Failure> {
    let staging = data.join(STAGING);
    let failed = |error: std::io::Error| Failure(format!("{} can't be written: {error}", staging.display()));
    let files = files.map(std::path::absolute).transpose().map_err(failed)?;
    durable::replace(&staging.join(PLAN), &serde_json::to_string(&Plan { files })?).map_err(failed)?;
    crash_point!("before_restore_commit");
    fs::rename(&staging, data.join(DECIDED)).map_err(failed)?;
    sync(data)?;
    crash_point!("after_restore_commit");
    Ok(())
}

/// Completes a restore that was interrupted after its decision, for commands that do not hold the folder's lock.
pub fn complete_interrupted(data: &Path) -> Result<(), Failure> {
    if data.join(DECIDED).exists() {
        let _lock = FolderLock::take(data)?;
        complete(data)?;
    }
    Ok(())
}

/// Moves the new store into its place, if a restore has decided so. Returns whether there was one. It may be repeated after a kill at
/// any moment. The caller holds the lock of the data folder.
pub fn complete(data: &Path) -> Result<bool, Failure> {
    let decided = data.join(DECIDED);
    let text = match fs::read_to_string(decided.join(PLAN)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        text => text.map_err(|error| failed(&decided, &error))?,
    };
    let plan: Plan = serde_json::from_str(&text)?;
    move_database(data, &decided)?;
    crash_point!("after_restore_database");
    let secrets = decided.join(secrets::FILE);
    if secrets.exists() {
        rename(&secrets, &data.join(secrets::FILE))?;
    }
    if let Some(files) = &plan.files {
        move_files(files)?;
    }
    sync(data)?;
    crash_point!("after_restore_files");
    // Renamed first: a folder that was deleted in part would look like a restore without a plan.
    let garbage = data.join(STAGING);
    delete(&garbage)?;
    rename(&decided, &garbage)?;
    sync(data)?;
    delete(&garbage)?;
    Ok(true)
}

fn move_database(data: &Path, decided: &Path) -> Result<(), Failure> {
    let database = decided.join(DATABASE);
    if !database.exists() {
        return Ok(());
    }
    for log in LOGS {
        delete(&data.join(log))?;
    }
    // Synced before the rename: otherwise a power failure could leave the new database with the log of the old one.
    sync(data)?;
    crash_point!("after_restore_log");
    rename(&database, &data.join(DATABASE))
}

/// Moves the staged files of each owner, after those that are in their place.
fn move_files(folder: &Path) -> Result<(), Failure> {
    let (staged, replaced) = (folder.join(STAGING), folder.join(REPLACED));
    let entries = match fs::read_dir(&staged) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| failed(&staged, &error))?,
    };
    for entry in entries {
        let entry = entry.map_err(|error| failed(&staged, &error))?;
        let (target, aside) = (folder.join(entry.file_name()), replaced.join(entry.file_name()));
        if target.exists() {
            fs::create_dir_all(&replaced).map_err(|error| failed(&replaced, &error))?;
            delete(&aside)?;
            rename(&target, &aside)?;
        }
        rename(&entry.path(), &target)?;
    }
    sync(folder)?;
    delete(&staged)?;
    delete(&replaced)
}

fn rename(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::rename(from, to).map_err(|error| failed(to, &error))
}

fn delete(path: &Path) -> Result<(), Failure> {
    remove(path).map_err(|error| failed(path, &error))
}

/// Deletes a file or a folder with all that is in it, if it exists.
pub fn remove(path: &Path) -> std::io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(state) if state.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn sync(folder: &Path) -> Result<(), Failure> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| failed(folder, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure(format!(
        "{} can't be put in its place: {error}. The restore continues with the next start of the server",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A folder with an old store and, staged beside it, a new one.
    fn staged() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        for (name, text) in [
            ("dockside.db", "old"),
            ("dockside.db-wal", "old"),
            ("secrets.toml", "old"),
            ("files/org_1/doc_1", "old"),
            ("files/org_9/doc_9", "old"),
            ("mark", "7"),
            ("restoring/dockside.db", "new"),
            ("restoring/secrets.toml", "new"),
            ("files/restoring/org_1/doc_1", "new"),
            ("files/restoring/org_2/doc_2", "new"),
        ] {
            write(&data.join(name), text);
        }
        commit(data, Some(&data.join("files"))).ok().unwrap();
        folder
    }

    fn check(data: &Path) {
        for name in ["dockside.db", "secrets.toml", "files/org_1/doc_1", "files/org_2/doc_2"] {
            assert_eq!(read(&data.join(name)), "new", "{name}");
        }
        assert_eq!(read(&data.join("mark")), "7");
        let gone = ["dockside.db-wal", "restoring", "restored", "files/restoring", "files/replaced"];
        for name in gone {
            assert!(!data.join(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_decided_restore_is_completed_once() {
        let folder = staged();
        assert_eq!(complete(folder.path()).ok(), Some(true));
        check(folder.path());
        assert_eq!(complete(folder.path()).ok(), Some(false));
        check(folder.path());
    }

    #[test]
    fn the_log_of_the_new_database_is_never_deleted() {
        let folder = staged();
        let data = folder.path();
        // Killed once the new database was in its place.
        fs::remove_file(data.join("dockside.db-wal")).unwrap();
        fs::rename(data.join("restored/dockside.db"), data.join("dockside.db")).unwrap();
        write(&data.join("dockside.db-wal"), "of the new database");
        complete_interrupted(data).ok().unwrap();
        assert_eq!(read(&data.join("dockside.db-wal")), "of the new database");
    }

    #[test]
    fn files_that_were_moved_already_stay() {
        let folder = staged();
        let files = folder.path().join("files");
        // Killed between the two renames of an owner's files.
        fs::create_dir(files.join("replaced")).unwrap();
        fs::rename(files.join("org_1"), files.join("replaced/org_1")).unwrap();
        complete_interrupted(folder.path()).ok().unwrap();
        check(folder.path());
        assert_eq!(read(&files.join("org_9/doc_9")), "old", "the new store does not name it");
    }

    #[test]
    fn without_a_decision_the_old_store_stays() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join("dockside.db"), "old");
        write(&folder.path().join("restoring/dockside.db"), "half");
        assert_eq!(complete(folder.path()).ok(), Some(false));
        assert_eq!(read(&folder.path().join("dockside.db")), "old");
    }
}
