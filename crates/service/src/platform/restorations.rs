//! Restored backups: detected by the first heartbeat after the restoration, or reported by an operator. Purchases are then
//! looked up before they are made, since they may have been made before the restoration.
//!
//! The mark in the database is a counter that each heartbeat increments, together with the place where it was written: on
//! SQLite the file, on PostgreSQL the system, its timeline and the database. A server also stores the mark in a file of its own.
//! The comparison depends neither on a clock nor on randomness, so a server that was merely killed never looks restored.
//!
//! The mark also contains the time that the servers have reached, so that all of them, and later ones, go on from there.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Error, Result, Timestamp};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::platform::{clocks, restorations};
use tracing::warn;

use crate::platform::clock::Moments;
use crate::platform::context::Context;
use crate::platform::durable;
use crate::platform::resource::json;

/// How far the mark was, and where.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
struct Mark {
    beat: i64,
    place: String,
    /// The time of the server that wrote it, and how much of that is trusted. Marks of earlier versions have neither.
    #[serde(default)]
    reached_at: Option<Timestamp>,
    #[serde(default)]
    trusted_at: Option<Timestamp>,
}

/// The mark as this server last saw it, outside the database.
#[derive(Default)]
pub struct Memory(Mutex<Seen>);

#[derive(Default, Clone)]
struct Seen {
    beat: Memorised,
    /// The file that keeps it while the server does not run.
    file: Option<PathBuf>,
}

/// How far the mark was when this server last saw it.
#[derive(Default, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memorised {
    /// The server is new, or has lost its data folder.
    #[default]
    Nothing,
    Beat(i64),
    /// The file can't be read, or holds no number: a restored backup can't be ruled out.
    Unreadable,
}

impl Memorised {
    fn read(file: &Path) -> Self {
        match std::fs::read_to_string(file) {
            Ok(text) => text.trim().parse().map_or(Self::Unreadable, Self::Beat),
            Err(error) if error.kind() == ErrorKind::NotFound => Self::Nothing,
            Err(_) => Self::Unreadable,
        }
    }

    fn number(self) -> i64 {
        match self {
            Self::Beat(beat) => beat,
            Self::Nothing | Self::Unreadable => 0,
        }
    }
}

/// A heartbeat's mark, and whether a restored backup was found by it.
pub struct Beat {
    number: i64,
    /// How many purchases are looked up because of a restored backup.
    pub doubted: Option<u64>,
    /// The time, which is at least what other servers have reached.
    pub now: Timestamp,
    /// The time by which things may be deleted for their age.
    pub trusted: Timestamp,
    /// How many rows had times that a wrong clock wrote, and were repaired.
    pub repaired: Option<u64>,
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the mark from a file, and stores it there from now on.
    pub fn keep_in(&self, file: PathBuf) {
        let beat = Memorised::read(&file);
        *self.lock() = Seen { beat, file: Some(file) };
    }

    /// How far the mark was when this server last saw it.
    pub fn seen(&self) -> Memorised {
        self.lock().beat
    }

    /// Stores the mark after a heartbeat's commit.
    pub async fn store(&self, beat: &Beat) {
        let file = {
            let mut seen = self.lock();
            seen.beat = Memorised::Beat(beat.number);
            seen.file.clone()
        };
        if let Some(file) = file {
            keep(file, beat.number).await;
        }
    }
}

/// Writes the mark's number into this server's file, on a thread of its own because a sync of the disk may be slow.
async fn keep(file: PathBuf, number: i64) {
    let shown = file.display().to_string();
    let kept = tokio::task::spawn_blocking(move || durable::replace(&file, &format!("{number}\n"))).await;
    if let Err(error) = kept.map_err(std::io::Error::other).and_then(|kept| kept) {
        warn!(%error, path = shown, "the file with this server's mark can't be written");
    }
}

/// Increments the mark, and records a restored backup if one is detected.
///
/// The time is read once the mark is locked: a heartbeat may wait for that lock for longer than a lease lasts.
pub async fn beat(tx: &mut Tx<'_>, seen: Memorised, context: &Context) -> Result<Beat> {
    let place = tx.place().await?;
    let text = restorations::mark_for_update(tx).await?;
    let moments = context.beat_moments();
    let mark: Option<Mark> =
        text.map(|text| serde_json::from_str(&text).map_err(Error::fault)).transpose()?;
    let (now, repaired) = match moments.join(mark.as_ref().and_then(|mark| mark.reached_at)) {
        Some(now) => (now, None),
        None => (moments.now, Some(clocks::repair(tx, &moments.bounds()).await?)),
    };
    let trusted = trusted(tx, mark.as_ref(), &moments, now).await?;
    let doubted = match reason(mark.as_ref(), &place, seen) {
        Some(reason) => Some(restorations::insert(tx, now, reason).await?),
        None => None,
    };
    let number = mark.map_or(0, |mark| mark.beat).max(seen.number()) + 1;
    let mark = Mark { beat: number, place, reached_at: Some(now), trusted_at: Some(trusted) };
    restorations::set_mark(tx, &json(&mark)?).await?;
    Ok(Beat { number, doubted, now, trusted, repaired })
}

/// Returns the trusted time: the later of the mark's and this server's. A mark of an earlier version contains none; if the
/// server has none yet either, it is the time of the newest event.
async fn trusted(
    tx: &mut Tx<'_>,
    mark: Option<&Mark>,
    moments: &Moments,
    now: Timestamp,
) -> Result<Timestamp> {
    let trusted = match mark.and_then(|mark| mark.trusted_at).max(moments.trusted) {
        Some(trusted) => trusted,
        None => clocks::newest_event(tx).await?.unwrap_or(now),
    };
    Ok(trusted.min(now))
}

/// Returns why a database with this mark, in this place, counts as restored; `None` if it does not.
fn reason(mark: Option<&Mark>, place: &str, seen: Memorised) -> Option<&'static str> {
    match (mark, seen) {
        (_, Memorised::Unreadable) => Some("its server can't read how far it had counted"),
        (None, Memorised::Nothing) => None,
        (None, Memorised::Beat(_)) => Some("its servers had counted on, and it had not"),
        (Some(mark), _) if mark.place != place => Some("it had been in another place"),
        (Some(mark), Memorised::Beat(beat)) if mark.beat < beat => Some("its servers had counted further"),
        (Some(_), _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_is_behind_or_elsewhere_was_restored() {
        let mark = |beat: i64| {
            let place = "here".to_owned();
            Mark { beat, place, reached_at: None, trusted_at: None }
        };
        let (nothing, beat) = (Memorised::Nothing, Memorised::Beat);
        assert_eq!(reason(None, "here", nothing), None, "a new one");
        assert_eq!(reason(Some(&mark(7)), "here", nothing), None, "a new server, or one without a memory");
        assert_eq!(reason(Some(&mark(7)), "here", beat(7)), None);
        assert_eq!(
            reason(Some(&mark(8)), "here", beat(7)),
            None,
            "killed before it remembered, or others counted on"
        );
        assert!(reason(Some(&mark(6)), "here", beat(7)).is_some());
        assert!(reason(Some(&mark(7)), "there", beat(7)).is_some());
        assert!(reason(None, "here", beat(7)).is_some());
        assert!(reason(Some(&mark(7)), "here", Memorised::Unreadable).is_some());
        assert!(reason(None, "here", Memorised::Unreadable).is_some());
    }
}
