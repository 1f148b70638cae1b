//! The ledger: a file with one line of JSON for everything the carrier did, written and synced before the carrier answers.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc;

use carriers::sandbox::desk::Entry;
use tokio::sync::oneshot;

use crate::failure::Failure;

/// Characters of a torn line that are shown.
const SHOWN_CHARS_MAX: usize = 200;

/// Where lines are handed in.
pub struct Ledger {
    writer: mpsc::Sender<Page>,
}

/// Lines that belong together, and whom to tell that they are safe.
struct Page {
    lines: String,
    written: oneshot::Sender<()>,
}

/// What an opened ledger had.
pub struct Opened {
    pub entries: Vec<Entry>,
    /// A last line that a crash left unfinished. The carrier had not answered for it, so it is dropped.
    pub torn: Option<String>,
    /// Comes when nothing can be written any more.
    pub failed: oneshot::Receiver<io::Error>,
}

/// The ledger did not take what was handed in.
pub struct Unwritten;

impl Ledger {
    /// Reads a ledger, or makes one, and holds it: two carriers must not write into one.
    pub fn open(path: &Path) -> Result<(Self, Opened), Failure> {
        let failed = |error: io::Error| Failure(format!("--ledger {}: {error}", path.display()));
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                Failure(format!("--ledger {}: another carrier writes it", path.display()))
            }
            TryLockError::Error(error) => failed(error),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        let entries =
            read(&bytes[..whole]).map_err(|why| Failure(format!("--ledger {}: {why}", path.display())))?;
        let torn = (whole < bytes.len()).then(|| {
            String::from_utf8_lossy(&bytes[whole..]).chars().take(SHOWN_CHARS_MAX).collect::<String>()
        });
        file.set_len(whole as u64).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        let (writer, pages) = mpsc::channel();
        let (failure, failed) = oneshot::channel();
        std::thread::spawn(move || {
            if let Err(error) = write(&mut file, &pages) {
                // Sending fails only if the receiver has ended, and then needs no error.
                let _unheard = failure.send(error);
            }
        });
        Ok((Self { writer }, Opened { entries, torn, failed }))
    }

    /// Returns once the entries are synced to the file.
    pub async fn append(&self, entries: &[Entry]) -> Result<(), Unwritten> {
        let mut lines = String::new();
        for entry in entries {
            lines.push_str(&serde_json::to_string(entry).map_err(|_| Unwritten)?);
            lines.push('\n');
        }
        let (written, safe) = oneshot::channel();
        self.writer.send(Page { lines, written }).map_err(|_| Unwritten)?;
        safe.await.map_err(|_| Unwritten)
    }
}

/// Writes what is handed in. All that waits shares one sync.
fn write(file: &mut File, pages: &mpsc::Receiver<Page>) -> io::Result<()> {
    while let Ok(first) = pages.recv() {
        let waiting: Vec<Page> = std::iter::once(first).chain(pages.try_iter()).collect();
        let lines: String = waiting.iter().map(|page| page.lines.as_str()).collect();
        file.write_all(lines.as_bytes())?;
        file.sync_data()?;
        for page in waiting {
            // A caller that was cancelled needs no answer.
            let _unheard = page.written.send(());
        }
    }
    Ok(())
}

/// Reads whole lines; the error is a sentence.
fn read(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let entries = lines.enumerate().map(|(place, line)| {
        serde_json::from_slice(line)
            .map_err(|error| format!("line {} is no line of a ledger: {error}", place + 1))
    });
    entries.collect()
}
