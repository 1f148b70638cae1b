//! Reading a stored import, and writing it with its event.

use model::{Error, Event, Import, Owner, Result, Timestamp};
use store::Tx;
use store::exchange::imports::{self, Progress, StoredImport};

use crate::events::events::EventLog;
use crate::platform::resource::{json, previous};

/// The shortest time between two events that tell of an import's progress.
const TELL_MILLIS: i64 = 250;

/// Reads what is kept of an import.
pub fn read_import(stored: &StoredImport) -> Result<Import> {
    serde_json::from_str(&stored.doc).map_err(Error::fault)
}

/// Writes a locked import that has changed, with its event if there is one. Returns what is shown of it.
pub async fn write_import(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredImport,
    import: &Import,
    progress: Progress,
    event: Option<&'static str>,
    log: &EventLog,
) -> Result<String> {
    let doc = json(import)?;
    let told_at = if event.is_some() { log.now() } else { stored.told_at };
    imports::update(tx, owner, import, progress, told_at, &doc).await?;
    if let Some(name) = event {
        let before = read_import(stored)?;
        log.append(tx, &Event::new(name, import.id, &doc).changed_from(previous(&before, import)?)).await?;
    }
    Ok(doc)
}

/// Returns the event of an import's progress, unless there was one a moment ago.
pub fn progress_event(stored: &StoredImport, now: Timestamp) -> Option<&'static str> {
    let is_due = now.as_micros() >= stored.told_at.as_micros() + TELL_MILLIS * 1000;
    is_due.then_some("import.updated")
}
