//! Reading a stored wave, and writing it with its event.

use model::{Error, Event, Owner, Result, Timestamp, Wave};
use store::Tx;
use store::fulfilment::waves::{self, StoredWave};

use crate::events::events::EventLog;
use crate::platform::resource::{json, previous};

/// The shortest time between two events that tell of a wave's progress.
const TELL_MILLIS: i64 = 250;

/// Reads what is kept of a wave.
pub fn read_wave(stored: &StoredWave) -> Result<Wave> {
    serde_json::from_str(&stored.doc).map_err(Error::fault)
}

/// Writes a locked wave that has changed, with its event if there is one. Returns what is shown of it.
pub async fn write_wave(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredWave,
    wave: &Wave,
    done_to: i64,
    event: Option<&'static str>,
    log: &EventLog,
) -> Result<String> {
    let doc = json(wave)?;
    let told_at = if event.is_some() { log.now() } else { stored.told_at };
    waves::update(tx, owner, wave, done_to, told_at, &doc).await?;
    if let Some(name) = event {
        let before = read_wave(stored)?;
        log.append(tx, &Event::new(name, wave.id, &doc).changed_from(previous(&before, wave)?)).await?;
    }
    Ok(doc)
}

/// Returns the event of a wave's progress, unless there was one a moment ago.
pub fn progress_event(stored: &StoredWave, now: Timestamp) -> Option<&'static str> {
    let is_due = now.as_micros() >= stored.told_at.as_micros() + TELL_MILLIS * 1000;
    is_due.then_some("wave.updated")
}
