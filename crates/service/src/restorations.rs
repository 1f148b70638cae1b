//! Backups that were restored: found out with the first heartbeat after it, or said by an operator. What is to be bought is
//! then looked up first, since the database that is gone may have bought it.
//!
//! The mark in the database counts on with each heartbeat, and says in which place it was made: on SQLite the file, on
//! PostgreSQL the system, its timeline and the database. A server remembers the mark in a file of its own. Neither a clock
//! nor anything random is asked, so a server that was merely killed never looks restored.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Error, Result, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Access, Tx, restorations};

use crate::reply::json;
use crate::{Service, log};

const BY_COMMAND: &str = "an operator said so";

/// How far the mark was, and where.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
struct Mark {
    beat: i64,
    place: String,
}

/// What this server knows of the mark, beside the database.
#[derive(Default)]
pub struct Memory(Mutex<Seen>);

#[derive(Default, Clone)]
struct Seen {
    beat: i64,
    /// Where it is kept while the server is away.
    file: Option<PathBuf>,
}

/// A heartbeat's mark, and whether a restored backup was found by it.
pub struct Beat {
    number: i64,
    /// How many purchases are looked up for it.
    doubted: Option<u64>,
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    /// Remembers the mark in a file from now on, and finds out whether the database is one that was restored, before
    /// anybody is served.
    pub async fn remember_at(&self, file: PathBuf) -> Result<()> {
        let beat = match std::fs::read_to_string(&file) {
            Ok(text) => text.trim().parse().unwrap_or(0),
            Err(_) => 0,
        };
        *self.0.restoration.lock() = Seen { beat, file: Some(file) };
        self.heartbeat().await
    }

    /// Says that a backup was restored, where nobody could find out. Tells how many purchases are looked up for it.
    pub async fn record_restoration(&self) -> Result<u64> {
        let now = self.now();
        let record =
            self.db().write(Access::System, async move |tx| restorations::insert(tx, now, BY_COMMAND).await);
        record.await
    }

    /// How far the mark was when this server last saw it.
    pub(crate) fn seen_beat(&self) -> i64 {
        self.0.restoration.lock().beat
    }

    /// After a heartbeat's commit: remembers its mark, and has clients load anew what may be gone.
    pub(crate) async fn after_beat(&self, beat: Beat) -> Result<()> {
        let seen = {
            let mut seen = self.0.restoration.lock();
            seen.beat = beat.number;
            seen.clone()
        };
        if let Some(file) = &seen.file
            && let Err(error) = keep(file, seen.beat)
        {
            log::info("heartbeat", &format!("{} can't be written: {error}", file.display()));
        }
        if let Some(doubted) = beat.doubted {
            let what =
                format!("a backup was restored: {doubted} purchases are looked up before anything is bought");
            log::info("restored", &what);
            self.renew_epoch().await?;
        }
        Ok(())
    }
}

/// Under another name first: a server that dies here leaves the whole old one or the whole new one.
fn keep(file: &std::path::Path, beat: i64) -> std::io::Result<()> {
    let fresh = file.with_extension("new");
    std::fs::write(&fresh, format!("{beat}\n"))?;
    std::fs::rename(&fresh, file)
}

/// Counts on, and writes down that a backup was restored where that is found.
pub async fn beat(tx: &mut Tx<'_>, seen: i64, now: Timestamp) -> Result<Beat> {
    let place = tx.place().await?;
    let text = restorations::mark_for_update(tx).await?;
    let mark: Option<Mark> =
        text.map(|text| serde_json::from_str(&text).map_err(Error::fault)).transpose()?;
    let doubted = match reason(mark.as_ref(), &place, seen) {
        Some(reason) => Some(restorations::insert(tx, now, reason).await?),
        None => None,
    };
    let number = mark.map_or(0, |mark| mark.beat).max(seen) + 1;
    restorations::set_mark(tx, &json(&Mark { beat: number, place })?).await?;
    Ok(Beat { number, doubted })
}

/// Why a database with this mark, in this place, is one that was restored; nothing where it is not.
fn reason(mark: Option<&Mark>, place: &str, seen: i64) -> Option<&'static str> {
    match mark {
        None if seen == 0 => None,
        None => Some("its servers had counted on, and it had not"),
        Some(mark) if mark.place != place => Some("it had been in another place"),
        Some(mark) if mark.beat < seen => Some("its servers had counted further"),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_is_behind_or_elsewhere_was_restored() {
        let mark = |beat: i64| Mark { beat, place: "here".to_owned() };
        assert_eq!(reason(None, "here", 0), None, "a new one");
        assert_eq!(reason(Some(&mark(7)), "here", 0), None, "a new server, or one without a memory");
        assert_eq!(reason(Some(&mark(7)), "here", 7), None);
        assert_eq!(
            reason(Some(&mark(8)), "here", 7),
            None,
            "killed before it remembered, or others counted on"
        );
        assert!(reason(Some(&mark(6)), "here", 7).is_some());
        assert!(reason(Some(&mark(7)), "there", 7).is_some());
        assert!(reason(None, "here", 7).is_some());
    }

    #[test]
    fn what_is_remembered_is_read_again() {
        let folder = std::env::temp_dir().join(format!("dockside-mark-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("mark");
        keep(&file, 41).unwrap();
        keep(&file, 42).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), "42");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
