//! What the purchases of a node share: notifications, call permits, entries that wait, and counters.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::entry::Groups;
use super::places::Places;
use crate::platform::runner;
use crate::platform::signal::Signal;

/// The state that all purchases of a node share.
#[derive(Default)]
pub struct State {
    /// Changes when there may be something to do.
    pub work: Signal,
    /// Changes when a purchase has ended a turn.
    pub news: Signal,
    pub places: Arc<Places>,
    pub groups: Groups,
    pub counts: Counts,
    pub turn_counts: Arc<runner::Counts>,
}

/// Outcomes since the start.
#[derive(Default)]
pub struct Counts {
    pub bought: AtomicU64,
    pub failed: AtomicU64,
    pub unknown: AtomicU64,
}
