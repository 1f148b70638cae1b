//! The entries of a backup's archive.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::Failure;

/// The first entry.
pub const DESCRIPTION: &str = "dockside-backup.json";
pub const DATABASE: &str = "dockside.db";
/// The folder of the entries that are files, with the keys that they have in the file store.
pub const FILES_FOLDER: &str = "files";
/// Lists the files that were missing already, one in a line.
pub const MISSING: &str = "missing-files.txt";
/// Counts up when an earlier version could not restore an archive.
const FORMAT: u64 = 1;

/// What an archive says of itself.
#[derive(Serialize, Deserialize, Debug, PartialEq, Eq)]
pub struct Description {
    pub format: u64,
    /// The version of the program that made it.
    pub dockside: String,
    pub made_at: String,
    pub has_keys: bool,
    /// `false` if the files are in a bucket.
    pub has_files: bool,
}

impl Description {
    pub fn new(made_at: String, has_keys: bool, has_files: bool) -> Self {
        let dockside = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: FORMAT, dockside, made_at, has_keys, has_files }
    }

    /// Reads a description. One of a later format is refused with the version that it takes.
    pub fn read(text: &[u8]) -> Result<Self, Failure> {
        let damaged = |error: serde_json::Error| {
            Failure(format!("it is damaged: {DESCRIPTION} can't be read: {error}"))
        };
        let json: Value = serde_json::from_slice(text).map_err(damaged)?;
        let format = json["format"].as_u64().unwrap_or_default();
        if format > FORMAT {
            let version = json["dockside"].as_str().unwrap_or("a newer version");
            return Err(Failure(format!(
                "its format {format} is newer than this version ({}) of Dockside: use version {version} or a later one",
                env!("CARGO_PKG_VERSION")
            )));
        }
        serde_json::from_value(json).map_err(damaged)
    }
}

/// Whether a file of the file store may have this key: it must stay in its folder when it is unpacked.
pub fn is_key(key: &str) -> bool {
    key.split('/').all(|step| !step.is_empty() && step != "." && step != ".." && !step.contains('\0'))
        && key.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_as_it_was_written() {
        let description = Description::new("2026-11-19T03:00:00Z".to_owned(), true, false);
        let text = serde_json::to_vec(&description).unwrap();
        assert_eq!(Description::read(&text).map_err(|failure| failure.0), Ok(description));
        let newer = br#"{"format": 2, "dockside": "7.1.0", "parts": []}"#;
        let refused = Description::read(newer).err().unwrap().0;
        assert!(refused.contains("use version 7.1.0 or a later one"), "{refused}");
        assert!(Description::read(b"{}").is_err() && Description::read(b"x").is_err());
    }

    #[test]
    fn a_key_stays_in_its_folder() {
        assert!(is_key("org_1_test/doc_1") && is_key("org_1/a.b/c"));
        for key in ["", "doc_1", "/etc/passwd", "../doc_1", "org/../../x", "org//x", "org/.", "org/", "a/\0"]
        {
            assert!(!is_key(key), "{key:?}");
        }
    }
}
