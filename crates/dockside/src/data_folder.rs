//! The data folder: the database, the files and the secrets of a server. All of it is for the server's own user alone.
//!
//! Two things keep it so. [`restrict_new_files`] takes everything that this process makes away from other users, whatever
//! the caller's umask is. [`prepare`] repairs the modes of what is there already, and refuses what belongs to another user:
//! that user could read or replace the secrets.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::Mode;
use rustix::process::{geteuid, umask};
use service::platform::durable;
use tracing::warn;

use crate::failure::Failure;

const FOLDER_MODE: u32 = 0o700;
/// The permissions of all users but the owner.
const OTHERS: u32 = 0o077;
/// The root of a file system has this folder. It belongs to root, also if the data folder does not.
const LOST_AND_FOUND: &str = "lost+found";

/// Has files and folders that this process makes from now on be for its own user alone.
pub fn restrict_new_files() {
    umask(Mode::from_raw_mode(OTHERS));
}

/// Makes the data folder if there is none, and restricts everything in it to this process's user.
pub fn prepare(data: &Path) -> Result<(), Failure> {
    let failed = |error| Failure(format!("the data folder {} can't be made: {error}", data.display()));
    let is_new = !data.exists();
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(data).map_err(failed)?;
    if is_new {
        // A folder above that this user may not read can't be synced. Then the file system decides when the name is durable.
        let _best_effort = durable::sync_folder_of(data);
    }
    // Followed where it is a link: the folder may be on another disk.
    let state = fs::metadata(data).map_err(|error| unreadable(data, &error))?;
    let mut repaired = 0;
    restrict(data, &state, &mut repaired)?;
    restrict_contents(data, &mut repaired)?;
    if repaired > 0 {
        warn!(path = %data.display(), repaired, "data folder was open to other users");
    }
    Ok(())
}

fn restrict_contents(folder: &Path, repaired: &mut u64) -> Result<(), Failure> {
    for entry in fs::read_dir(folder).map_err(|error| unreadable(folder, &error))? {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        let path = entry.path();
        let state = match entry.metadata() {
            Ok(state) => state,
            // Another server on the same folder may delete files meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(unreadable(&path, &error)),
        };
        // What a link points to is outside, where the operator decides.
        if state.is_symlink() || entry.file_name() == LOST_AND_FOUND {
            continue;
        }
        restrict(&path, &state, repaired)?;
        if state.is_dir() {
            restrict_contents(&path, repaired)?;
        }
    }
    Ok(())
}

/// Takes one file or folder away from other users.
fn restrict(path: &Path, state: &Metadata, repaired: &mut u64) -> Result<(), Failure> {
    let (owner, user) = (state.uid(), geteuid().as_raw());
    if owner != user {
        return Err(Failure(format!(
            "{path} belongs to the user with the id {owner}, and this process runs as the user with the id {user}: start it \
             as that user, or give it the data folder with `chown -R {user}`",
            path = path.display()
        )));
    }
    let mode = state.permissions().mode();
    if mode & OTHERS == 0 {
        return Ok(());
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)) {
        Ok(()) => *repaired += 1,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            return Err(Failure(format!(
                "{} is open to other users (mode {:o}), and that can't be changed: {error}",
                path.display(),
                mode & 0o777
            )));
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("{} in the data folder can't be read: {error}", path.display()))
}
