//! Small files that survive a power failure: whole, and under their name.

use std::fs::{self, File};
use std::io::{Result, Write as _};
use std::path::Path;

/// Replaces the contents of a file. After a crash the file has the whole old contents or the whole new ones.
pub fn replace(file: &Path, contents: &str) -> Result<()> {
    let draft = file.with_extension("new");
    let mut written = File::create(&draft)?;
    written.write_all(contents.as_bytes())?;
    // Synced before the rename: otherwise the name could lead to an empty file after a power failure.
    written.sync_all()?;
    fs::rename(&draft, file)?;
    sync_folder_of(file)
}

/// Makes the names in the folder of a file durable: syncing a file does not sync its name.
pub fn sync_folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_contents_replace_the_older_and_no_draft_is_left() {
        let folder = std::env::temp_dir().join(format!("dockside-durable-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("mark");
        for contents in ["41 and more\n", "42\n"] {
            replace(&file, contents).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), contents);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(sync_folder_of(Path::new("/nowhere/at/all/mark")).is_err());
        sync_folder_of(Path::new("mark")).unwrap();
    }
}
