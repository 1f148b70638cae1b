//! What the purchases of a node share: notifications, call permits, entries that wait, and counters.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio::sync::watch;

use super::entry::Groups;
use super::places::Places;
use crate::platform::signal::Signal;

/// The state that all purchases of a node share.
pub struct State {
    /// Changes when there may be something to do.
    pub work: Signal,
    /// Changes when a purchase has ended a turn.
    pub news: Signal,
    pub is_stopping: watch::Sender<bool>,
    pub places: Arc<Places>,
    pub groups: Groups,
    pub counts: Counts,
}

/// Outcomes since the start, and the turns under way.
#[derive(Default)]
pub struct Counts {
    pub bought: AtomicU64,
    pub failed: AtomicU64,
    pub unknown: AtomicU64,
    /// Turns under way.
    pub turns: AtomicU64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            work: Signal::default(),
            news: Signal::default(),
            is_stopping: watch::channel(false).0,
            places: Arc::default(),
            groups: Groups::default(),
            counts: Counts::default(),
        }
    }
}
