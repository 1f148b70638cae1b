//! Files that are saved: complete, or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// What a file is called while it is not complete.
const PART_SUFFIX: &str = ".part";
/// The path that stands for the standard output.
pub const STANDARD_OUTPUT: &str = "-";

/// Takes the pieces of a file while they arrive.
pub type Sink<'a> = &'a mut (dyn FnMut(&[u8]) -> io::Result<()> + Send);

/// Writes a file, and returns its size in bytes. It appears when it is complete.
pub async fn file(
    path: &Path,
    receive: impl AsyncFnOnce(Sink<'_>) -> Result<u64, Failure>,
) -> Result<u64, Failure> {
    let part = part_of(path);
    let named = |error: io::Error| Failure::refused(format!("{}: {error}", part.display()));
    let mut file = BufWriter::new(File::create(&part).map_err(named)?);
    let mut sink = |data: &[u8]| file.write_all(data);
    let received = receive(&mut sink).await.and_then(|bytes| {
        file.flush().and_then(|()| file.get_ref().sync_all()).map(|()| bytes).map_err(named)
    });
    drop(file);
    let kept = received.and_then(|bytes| {
        let renamed = std::fs::rename(&part, path);
        renamed.map(|()| bytes).map_err(|error| Failure::refused(format!("{}: {error}", path.display())))
    });
    if kept.is_err() {
        // What is incomplete must not be taken for the file.
        let _removed = std::fs::remove_file(&part);
    }
    kept
}

/// Writes a file to the standard output, and returns its size in bytes.
pub async fn print(receive: impl AsyncFnOnce(Sink<'_>) -> Result<u64, Failure>) -> Result<u64, Failure> {
    // Kept apart: the failure of a download only says that its taker failed.
    let mut lost: Option<io::Error> = None;
    let mut out = io::stdout();
    let mut sink = |data: &[u8]| {
        let written = out.write_all(data);
        if let Err(error) = &written {
            lost = Some(error.kind().into());
        }
        written
    };
    let received = receive(&mut sink).await;
    if let Some(error) = lost {
        return Err(Failure::output(&error));
    }
    let bytes = received?;
    out.flush().map_err(|error| Failure::output(&error))?;
    Ok(bytes)
}

/// Returns the path of a file in a folder by the name that a server gave. A name with a path in it is refused: it would lead elsewhere.
pub fn path_in(folder: &Path, name: &str) -> Result<PathBuf, Failure> {
    let is_plain = !name.is_empty() && Path::new(name).file_name().is_some_and(|plain| plain == name);
    if is_plain && !name.contains(['/', '\\', '\0']) {
        return Ok(folder.join(name));
    }
    Err(Failure::refused(format!(
        "the server names a file {name:?}, which is no name of a file. Use --output"
    )))
}

/// Returns the path of the file while it is not complete: beside it, so that it can be renamed.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(PART_SUFFIX);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_lies_beside_the_file() {
        assert_eq!(part_of(Path::new("/tmp/orders.csv")), Path::new("/tmp/orders.csv.part"));
    }

    #[test]
    fn a_name_from_the_server_stays_in_the_folder() {
        let folder = Path::new("labels");
        assert_eq!(path_in(folder, "Order 1, label.pdf").unwrap(), Path::new("labels/Order 1, label.pdf"));
        for name in ["", ".", "..", "../x", "/etc/passwd", "a/b", "a\\b"] {
            assert!(path_in(folder, name).is_err(), "{name}");
        }
    }
}
