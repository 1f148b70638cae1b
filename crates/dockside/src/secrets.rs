//! Secrets that the server needs: given by the settings, or made once and kept in the data folder.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use service::platform::durable;
use service::{Random, SystemRandom};

use crate::failure::Failure;
use crate::settings::Store;
use crate::settings::hex_key::{self, KEY_BYTES};
use crate::toml_error;

pub const FILE: &str = "secrets.toml";
const NAMES: [&str; 2] = ["signing_key", "encryption_key"];

/// The keys. With them one can forge cursors and file links, and read carriers' credentials.
pub struct Secrets {
    pub signing_key: [u8; KEY_BYTES],
    /// Kept from the first start on, so that what is encrypted later can be read for ever.
    pub encryption_key: [u8; KEY_BYTES],
    /// What [`Secrets::keep`] writes, and where, if keys were made.
    fresh: Option<(Stored, PathBuf)>,
}

#[derive(Deserialize, Clone)]
struct Stored {
    signing_key: String,
    encryption_key: String,
}

impl Stored {
    fn make() -> Self {
        let key = || {
            let mut key = [0; KEY_BYTES];
            SystemRandom.fill(&mut key);
            key.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        Self { signing_key: key(), encryption_key: key() }
    }

    fn to_text(&self) -> String {
        let head =
            "# Made at first start. Keep it secret, back it up, and share it between nodes of one database.";
        let [signing, encryption] = NAMES;
        format!("{head}\n{signing} = \"{}\"\n{encryption} = \"{}\"\n", self.signing_key, self.encryption_key)
    }
}

impl Secrets {
    /// Reads the secrets of a store that exists, and makes none: others would not open what is sealed in it.
    pub fn find(settings: &Store) -> Result<Self, Failure> {
        if !Self::are_at(settings) {
            let path = settings.data().join(FILE);
            let path = std::path::absolute(&path).unwrap_or(path);
            return Err(Failure(format!(
                "there are no secrets at {}: name the server's data folder with --data, or give its signing_key and \
                 encryption_key",
                path.display()
            )));
        }
        Self::load(settings)
    }

    /// Returns whether the secrets are given by the settings, or in the data folder.
    pub fn are_at(settings: &Store) -> bool {
        let is_given = settings.signing_key.is_some() && settings.encryption_key.is_some();
        is_given || settings.data().join(FILE).exists()
    }

    /// Returns the file of secrets that was looked for, if there was none.
    pub fn missing_file(&self) -> Option<&Path> {
        self.fresh.as_ref().map(|(_, path)| path.as_path())
    }

    /// Returns the secrets as a file of secrets has them.
    pub fn to_text(&self) -> String {
        let hex = |key: &[u8; KEY_BYTES]| key.iter().map(|byte| format!("{byte:02x}")).collect();
        Stored { signing_key: hex(&self.signing_key), encryption_key: hex(&self.encryption_key) }.to_text()
    }

    /// Reads the secrets, and makes those that there are not. New ones are in memory only: a start that fails must not leave
    /// keys that no store was made with.
    pub fn load(settings: &Store) -> Result<Self, Failure> {
        let path = settings.data().join(FILE);
        let given = settings.signing_key.clone().zip(settings.encryption_key.clone());
        let (stored, fresh) = match given {
            Some((signing_key, encryption_key)) => (Stored { signing_key, encryption_key }, None),
            None => match read(&path)? {
                Some(stored) => (stored, None),
                None => {
                    let made = Stored::make();
                    (made.clone(), Some((made, path)))
                }
            },
        };
        let signing_key = settings.signing_key.as_ref().unwrap_or(&stored.signing_key);
        let encryption_key = settings.encryption_key.as_ref().unwrap_or(&stored.encryption_key);
        Ok(Self {
            signing_key: parse_key(NAMES[0], signing_key)?,
            encryption_key: parse_key(NAMES[1], encryption_key)?,
            fresh,
        })
    }

    /// Writes new secrets into the data folder, durably. Called before anything is sealed with them. Returns whether these
    /// are the secrets there: if another server has just started in the same folder, it may have written its own.
    pub fn keep(&self) -> Result<bool, Failure> {
        let Some((stored, path)) = &self.fresh else { return Ok(true) };
        write(path, stored).map_err(|error| failed(path, &error))
    }

    /// Deletes the secrets that [`Secrets::keep`] has just written: the store turned out to have others.
    pub fn discard(&self) {
        if let Some((_, path)) = &self.fresh {
            // The start has failed already, and says why.
            let _left = fs::remove_file(path);
        }
    }
}

/// Reads the file of secrets, if there is one.
fn read(path: &Path) -> Result<Option<Stored>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let what = format!("the secrets in {}", path.display());
            toml_error::parse(&what, &text, &NAMES.map(str::to_owned)).map(Some)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure(format!("the secrets in {}: {error}", path.display()))
}

/// Writes the file whole under another name and then links it, so that of two servers that start at once one wins. Returns
/// whether it was this one.
fn write(path: &Path, stored: &Stored) -> std::io::Result<bool> {
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    // A draft of an earlier process with the same id would keep its mode.
    let _none = fs::remove_file(&draft);
    // The folder is synced too: else the file could be gone after a power failure, with what was sealed with its keys.
    let linked = write_draft(&draft, stored)
        .and_then(|()| fs::hard_link(&draft, path))
        .and_then(|()| durable::sync_folder_of(path));
    let removed = fs::remove_file(&draft);
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && removed.is_ok() => Ok(false),
        linked => linked.and(removed).map(|()| true),
    }
}

fn write_draft(draft: &Path, stored: &Stored) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    file.write_all(stored.to_text().as_bytes())?;
    file.sync_all()
}

fn parse_key(name: &str, hex: &str) -> Result<[u8; KEY_BYTES], Failure> {
    hex_key::parse(hex).map_err(|why| Failure(format!("the setting {name} {why}")))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn secrets_are_kept_once_and_for_the_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let settings = Store { data: Some(folder.path().to_owned()), ..Store::default() };
        let load = || Secrets::load(&settings).unwrap_or_else(|failure| panic!("{}", failure.0));
        let keep = |secrets: &Secrets| secrets.keep().unwrap_or_else(|failure| panic!("{}", failure.0));
        let (first, rival) = (load(), load());
        assert!(!path.exists(), "made in memory");
        assert!(keep(&first) && !keep(&rival), "the first that keeps its own wins");
        assert!(keep(&load()), "those that were read are there");
        assert_eq!(load().to_text(), fs::read_to_string(&path).unwrap());
        assert_eq!(load().signing_key, first.signing_key);
        assert_ne!(first.signing_key, first.encryption_key);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
        let given = Store { signing_key: Some("ab".repeat(32)), ..settings.clone() };
        assert_eq!(Secrets::load(&given).map(|secrets| secrets.signing_key).ok(), Some([0xab; 32]));
        load().discard();
        assert!(path.exists(), "what was read is not discarded");
        first.discard();
        assert!(!path.exists());
    }

    #[test]
    fn what_is_wrong_with_the_file_is_said_without_its_keys() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Store { data: Some(folder.path().to_owned()), ..Store::default() };
        for text in ["signing_key = \"abcdef", "signing_key = [\"abcdef\"]", "signing_key = abcdef"] {
            fs::write(folder.path().join(FILE), text).unwrap();
            let said = Secrets::load(&settings).err().unwrap().0;
            assert!(said.contains("signing_key") && !said.contains("abcdef"), "{said}");
        }
    }

    #[test]
    fn a_wrong_key_is_named() {
        for key in ["", "zz", &"g".repeat(64), &"é".repeat(32)] {
            assert!(parse_key("signing_key", key).err().unwrap().0.contains("signing_key"));
        }
    }
}
