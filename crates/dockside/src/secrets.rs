//! Secrets that the server needs: given by the settings, or made once and kept in the data folder.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use serde::Deserialize;
use service::{Random, SystemRandom};

use crate::Failure;
use crate::settings::Settings;

const FILE: &str = "secrets.toml";
const KEY_BYTES: usize = 32;

/// The keys. Whoever has them can forge cursors and file links, and read carriers' credentials.
pub struct Secrets {
    pub signing_key: [u8; KEY_BYTES],
    /// Kept from the first start on, so that what is encrypted later can be read for ever.
    pub encryption_key: [u8; KEY_BYTES],
}

#[derive(Deserialize)]
struct Stored {
    signing_key: String,
    encryption_key: String,
}

impl Secrets {
    /// Reads the secrets, making the data folder and what is missing in it.
    pub fn load(settings: &Settings) -> Result<Self, Failure> {
        let data = settings.data();
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&data)
            .map_err(|error| Failure(format!("the data folder {} can't be made: {error}", data.display())))?;
        let given = settings.signing_key.as_ref().zip(settings.encryption_key.as_ref());
        let (signing, encryption) = match given {
            Some((signing, encryption)) => (signing.clone(), encryption.clone()),
            None => {
                let stored = stored(&data.join(FILE))?;
                let or = |given: &Option<String>, stored| given.clone().unwrap_or(stored);
                (
                    or(&settings.signing_key, stored.signing_key),
                    or(&settings.encryption_key, stored.encryption_key),
                )
            }
        };
        Ok(Self {
            signing_key: parse_key("signing_key", &signing)?,
            encryption_key: parse_key("encryption_key", &encryption)?,
        })
    }
}

/// Reads the file of secrets, making it first where there is none.
fn stored(path: &Path) -> Result<Stored, Failure> {
    let failed =
        |error: &dyn std::fmt::Display| Failure(format!("the secrets in {}: {error}", path.display()));
    if !path.exists() {
        make(path).map_err(|error| failed(&error))?;
    }
    let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
    toml::from_str(&text).map_err(|error| failed(&error))
}

/// Written whole under another name and then linked, so that of two that start at once one wins, and the other reads
/// what the first wrote.
fn make(path: &Path) -> std::io::Result<()> {
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    writeln!(
        file,
        "# Made at first start. Keep it secret, back it up, and share it between nodes of one database."
    )?;
    for name in ["signing_key", "encryption_key"] {
        let mut key = [0; KEY_BYTES];
        SystemRandom.fill(&mut key);
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(file, "{name} = \"{hex}\"")?;
    }
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn parse_key(name: &str, hex: &str) -> Result<[u8; KEY_BYTES], Failure> {
    let wrong = || Failure(format!("the setting {name} must have {} hexadecimal digits", 2 * KEY_BYTES));
    if hex.len() != 2 * KEY_BYTES || !hex.is_ascii() {
        return Err(wrong());
    }
    let mut key = [0; KEY_BYTES];
    for (place, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * place..2 * place + 2], 16).map_err(|_| wrong())?;
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn secrets_are_made_once_and_for_the_owner_alone() {
        let folder = std::env::temp_dir().join(format!("dockside-secrets-{}", std::process::id()));
        let settings = Settings { data: Some(folder.clone()), ..Settings::default() };
        let first = Secrets::load(&settings).unwrap_or_else(|failure| panic!("{}", failure.0));
        let second = Secrets::load(&settings).unwrap_or_else(|failure| panic!("{}", failure.0));
        assert_eq!(first.signing_key, second.signing_key);
        assert_ne!(first.signing_key, first.encryption_key);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&folder.join(FILE))), (0o700, 0o600));
        let given = Settings { signing_key: Some("ab".repeat(32)), ..settings };
        assert_eq!(Secrets::load(&given).map(|secrets| secrets.signing_key).ok(), Some([0xab; 32]));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_wrong_key_is_named() {
        for key in ["", "zz", &"g".repeat(64), &"é".repeat(32)] {
            assert!(parse_key("signing_key", key).err().unwrap().0.contains("signing_key"));
        }
    }
}
