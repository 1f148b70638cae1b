//! Signals: notifications that there may be something to do. They carry nothing, so several may be merged into one.

use tokio::sync::watch;

/// A signal. Its clones notify the same receivers.
#[derive(Clone)]
pub struct Signal(watch::Sender<u64>);

impl Default for Signal {
    fn default() -> Self {
        Self(watch::channel(0).0)
    }
}

impl Signal {
    pub fn notify(&self) {
        self.0.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Returns a receiver, for which every earlier notification counts as seen.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.subscribe()
    }
}
