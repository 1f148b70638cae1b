//! The welcome of a new store, which holds its first access tokens: to the person at the terminal, or into a file.
//!
//! If standard output is not a terminal, it ends up in a log: of a container, a service manager, a build. Tokens must not
//! stand there, so they go into a file that only the owner of the data folder can read, and the log says where it is.

use std::fs::{self, OpenOptions};
use std::io::{IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use tracing::info;

use crate::failure::Failure;

/// The file's name in the data folder.
const FILE: &str = "welcome.txt";

/// Delivers the welcome.
pub fn deliver(text: &str, data: &Path) -> Result<(), Failure> {
    if std::io::stdout().is_terminal() {
        std::io::stdout().write_all(text.as_bytes())?;
        return Ok(());
    }
    let path = data.join(FILE);
    write(&path, text).map_err(|error| {
        Failure(format!(
            "the access tokens of the new store can't be written to {}: {error}. Make others with `dockside token create \
             --organisation Default --user admin@localhost`",
            path.display()
        ))
    })?;
    let path = std::path::absolute(&path).unwrap_or(path);
    info!("new store: its access tokens are in {}", path.display());
    Ok(())
}

/// Writes the file whole under another name first, so that a crash never leaves half of it.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    // A draft of an earlier process with the same id would keep its mode.
    let _none = fs::remove_file(&draft);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
    let head = "Keep this file secret, and delete it once you have stored the tokens.\n";
    file.write_all(head.as_bytes())?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft, path)
}
