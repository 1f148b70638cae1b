//! What the label work of a node shares: notifications, permits and counters.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::platform::runner::Counts;
use crate::platform::signal::Signal;

/// Labels that are made at once. Each waits for a core and then for the disk, on a thread that has memory of its own.
const LABELS_AT_ONCE: usize = 8;

/// The state that the label work of a node shares.
pub struct Labelling {
    /// Changes when there may be something to do.
    pub work: Signal,
    /// Changes when work on a batch has ended.
    pub news: Signal,
    pub counts: Arc<Counts>,
    /// Permits for labels that are being made.
    pub places: Semaphore,
}

impl Default for Labelling {
    fn default() -> Self {
        Self {
            work: Signal::default(),
            news: Signal::default(),
            counts: Arc::default(),
            places: Semaphore::new(LABELS_AT_ONCE),
        }
    }
}
