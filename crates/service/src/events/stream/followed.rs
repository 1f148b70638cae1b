//! The logs that clients of this node follow, and how far each was published.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::Owner;
use tokio::sync::Notify;

/// How far the followed logs were published.
#[derive(Default)]
pub struct Tail {
    logs: Mutex<HashMap<Owner, Followed>>,
    announcements: Mutex<Option<Followed>>,
    /// Held while publishing, so that one task at a time publishes the events of a log.
    pub turn: tokio::sync::Mutex<()>,
    /// Notified when a log is newly followed: hints for it were ignored until then.
    pub fresh: Notify,
}

/// How far a log was published.
#[derive(Clone, Copy)]
pub struct Followed {
    /// Events after this sequence are published. The client that made the tail follow the log has read the earlier ones.
    from: i64,
    /// The sequence of the last event that was published.
    pub cursor: i64,
}

impl Followed {
    pub fn from(top: i64) -> Self {
        Self { from: top, cursor: top }
    }

    /// Whether a client that attached, and then read the log up to `top`, gets every later event. Its read contains what was
    /// published before it attached, since only readable events are published.
    pub fn continues(self, top: i64) -> bool {
        self.from <= top
    }
}

impl Tail {
    pub fn logs(&self) -> MutexGuard<'_, HashMap<Owner, Followed>> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn announcements(&self) -> MutexGuard<'_, Option<Followed>> {
        self.announcements.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
