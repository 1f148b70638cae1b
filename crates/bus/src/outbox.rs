//! What waits to be sent: it is merged, and leaves as one message.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// What a program has to tell other nodes. Merging keeps it small, however long no message can be sent.
pub trait Pending: Default + Send {
    fn is_empty(&self) -> bool;

    fn merge(&mut self, other: &Self);

    /// Returns the text of the message, of at most [`crate::MESSAGE_BYTES_MAX`] less [`crate::ENVELOPE_BYTES_MAX`] bytes.
    fn text(&self) -> String;
}

/// Collects what waits to be sent.
#[derive(Default)]
pub struct Outbox<P> {
    pending: Mutex<P>,
    /// Notified when `pending` has something to send.
    added: Notify,
}

impl<P: Pending> Outbox<P> {
    pub fn add(&self, more: &P) {
        self.pending().merge(more);
        self.added.notify_one();
    }

    /// Returns all that waits, and leaves nothing.
    pub(crate) fn take(&self) -> P {
        std::mem::take(&mut *self.pending())
    }

    /// Waits until something is to be sent, and until the moment. It is cancel safe.
    pub(crate) async fn until_pending(&self, moment: Instant) {
        while self.pending().is_empty() {
            self.added.notified().await;
        }
        sleep_until(moment).await;
    }

    fn pending(&self) -> MutexGuard<'_, P> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
