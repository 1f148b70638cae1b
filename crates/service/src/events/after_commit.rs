//! What follows a commit that wrote events: the tasks that number them, deliver them and show them are notified.

use std::sync::Arc;

use model::Owner;
use tokio::sync::Notify;

use crate::events::bus::Channels;
use crate::events::stream::position::Positions;
use crate::platform::context::AfterCommit;
use crate::platform::signal::Signal;

/// The tasks that are notified of new events. Clones notify the same tasks.
#[derive(Clone)]
pub struct EventNotices {
    /// Whether other nodes share the database. Their commits are seen by the relay, which numbers all events.
    pub is_shared: bool,
    /// Notified after a commit that left events to number.
    pub relay: Arc<Notify>,
    pub positions: Arc<Positions>,
    pub deliveries: Signal,
    pub channels: Arc<Channels>,
}

impl AfterCommit for EventNotices {
    fn committed(&self, owner: Owner) {
        if self.is_shared {
            self.relay.notify_one();
        } else {
            self.positions.forget(owner);
            self.deliveries.notify();
            self.channels.hint_here(owner);
        }
    }
}
