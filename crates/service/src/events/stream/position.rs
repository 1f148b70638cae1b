//! Positions: how far a log had come before a resource was read, so that a page can load and then subscribe without missing an
//! event. Every read returns one, so they are cached for a moment. An older position is as good: the client then gets some
//! events again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::Owner;

/// How long a position is cached. If only this process writes, its writes also invalidate the position; but a command line may
/// write, too.
const AGE_MAX: Duration = Duration::from_millis(100);
/// Maximum number of cached positions.
const KEPT_MAX: usize = 10_000;

/// A place in a log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    pub offset: u64,
    pub epoch: Arc<str>,
}

/// The cached positions.
#[derive(Default)]
pub struct Positions(Mutex<Cached>);

#[derive(Default)]
struct Cached {
    offsets: HashMap<Owner, (Instant, u64)>,
    /// How many invalidations there were. A read that began before one may have seen an older end, and is not cached.
    changes: u64,
}

impl Positions {
    pub(super) fn get(&self, owner: Owner) -> Result<u64, u64> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.offsets.get(&owner).filter(|(at, _)| at.elapsed() < AGE_MAX);
        known.map(|(_, offset)| *offset).ok_or(kept.changes)
    }

    pub(super) fn put(&self, owner: Owner, offset: u64, changes: u64) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.changes == changes {
            if kept.offsets.len() >= KEPT_MAX {
                kept.offsets.clear();
            }
            kept.offsets.insert(owner, (Instant::now(), offset));
        }
    }

    /// Invalidates the position of an owner whose log has grown.
    pub fn forget(&self, owner: Owner) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.changes = kept.changes.wrapping_add(1);
        kept.offsets.remove(&owner);
    }

    pub fn forget_all(&self) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.changes = kept.changes.wrapping_add(1);
        kept.offsets.clear();
    }
}
