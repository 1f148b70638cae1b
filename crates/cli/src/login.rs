//! `dockside login` and `dockside logout`: the server and the token that commands use, in a file that only its owner may read.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::{Exit, Failure};

/// The file and its folder, below the user's folder for settings.
const FILE: &str = "login.json";
const FOLDER: &str = "dockside";
/// Only the owner may read and write.
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;
/// Permissions of others, which the file must not have.
const OTHERS: u32 = 0o077;

/// A server, and the token to call it with.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub struct Login {
    pub url: String,
    pub token: String,
}

/// Where the login is kept.
pub struct LoginFile {
    path: PathBuf,
}

impl LoginFile {
    /// Finds the file by the environment: `$XDG_CONFIG_HOME`, or `.config` in the user's home.
    pub fn of_environment() -> Option<Self> {
        let folder = folder(std::env::var_os("XDG_CONFIG_HOME"), std::env::var_os("HOME"))?;
        Some(Self::in_folder(&folder))
    }

    /// Returns the file below a folder for settings.
    pub fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join(FOLDER).join(FILE) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the login, or `None` if there is none.
    pub fn read(&self) -> Result<Option<Login>, Failure> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failure(&error)),
        };
        let mode = file.metadata().map_err(|error| self.failure(&error))?.permissions().mode();
        if mode & OTHERS != 0 {
            let path = self.path.display();
            return Err(Failure::new(
                Exit::SignIn,
                format!(
                    "{path}: other users may open this file, and it holds a token. Run `chmod 600 {path}`"
                ),
            ));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| self.failure(&error))?;
        serde_json::from_str(&text).map(Some).map_err(|_| {
            Failure::new(
                Exit::SignIn,
                format!("{}: this is no login. Run `dockside login` again", self.path.display()),
            )
        })
    }

    /// Keeps a login in place of the one that was there.
    pub fn write(&self, login: &Login) -> Result<(), Failure> {
        self.replace(login).map_err(|error| self.failure(&error))
    }

    fn replace(&self, login: &Login) -> io::Result<()> {
        let folder = self.path.parent().ok_or(ErrorKind::NotFound)?;
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)?;
        // Written beside it and renamed, so that the token is never in a file that others may read or that is incomplete.
        let part = self.path.with_extension(format!("{}.part", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&part)?;
        let written = file
            .write_all(serde_json::to_string(login)?.as_bytes())
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&part, &self.path));
        if written.is_err() {
            // What failed first is what the user should hear of.
            let _left = fs::remove_file(&part);
        }
        written
    }

    /// Deletes the login. Returns whether there was one.
    pub fn delete(&self) -> Result<bool, Failure> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.failure(&error)),
        }
    }

    fn failure(&self, error: &io::Error) -> Failure {
        Failure::refused(format!("{}: {error}", self.path.display()))
    }
}

/// Returns the folder for settings. A relative `XDG_CONFIG_HOME` is ignored, as its specification says.
fn folder(config: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let config = config.map(PathBuf::from).filter(|path| path.is_absolute());
    let home = home.map(PathBuf::from).filter(|path| path.is_absolute());
    config.or_else(|| home.map(|home| home.join(".config")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login() -> Login {
        Login { url: "http://host".to_owned(), token: "dk_test_1".to_owned() }
    }

    #[test]
    fn a_login_is_kept_for_its_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let file = LoginFile::in_folder(&home.path().join("a"));
        assert_eq!(file.read().unwrap(), None);
        file.write(&Login { url: "http://other".to_owned(), ..login() }).unwrap();
        file.write(&login()).unwrap();
        assert_eq!(file.read().unwrap(), Some(login()));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(file.path()), mode(file.path().parent().unwrap())), (0o600, 0o700));
        assert_eq!(fs::read_dir(file.path().parent().unwrap()).unwrap().count(), 1);
        assert!(file.delete().unwrap());
        assert!(!file.delete().unwrap());
    }

    #[test]
    fn a_login_that_others_may_read_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let file = LoginFile::in_folder(home.path());
        file.write(&login()).unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o640)).unwrap();
        let failure = file.read().unwrap_err();
        assert!(failure.exit == Exit::SignIn && failure.message.contains("chmod 600"), "{failure}");
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(file.path(), "{}").unwrap();
        assert!(file.read().unwrap_err().message.contains("dockside login"));
    }

    #[test]
    fn the_folder_follows_the_environment() {
        let found = |config: &str, home: &str| {
            let given = |text: &str| Some(OsString::from(text)).filter(|text| !text.is_empty());
            folder(given(config), given(home))
        };
        assert_eq!(found("/x", "/home/a"), Some("/x".into()));
        assert_eq!(found("", "/home/a"), Some("/home/a/.config".into()));
        assert_eq!(found("x", "/home/a"), Some("/home/a/.config".into()));
        assert_eq!(found("", ""), None);
    }
}
