//! The queue of items for one connection: bounded in bytes, filled by any thread, drained by the connection's driver.
//!
//! Adding an item never waits. If the client reads too slowly, the queued items are discarded and the connection is
//! closed. The client then recovers from the log, and no other client is delayed.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::limits::{BATCH_BYTES_MAX, BATCH_MESSAGES_MAX, OUTBOX_BYTES_MAX};
use crate::session::OutboxItem;

/// Approximate bytes that an item costs besides its data.
const ITEM_BYTES: usize = 128;

/// The bounded queue of one connection.
#[derive(Default)]
pub struct Outbox(Mutex<State>);

#[derive(Default)]
struct State {
    items: VecDeque<OutboxItem>,
    bytes: usize,
    is_slow: bool,
    waker: Option<Waker>,
}

/// The content taken from an outbox.
#[derive(Debug)]
pub enum OutboxContent {
    /// The next items, in order; about as many as one frame holds.
    Items(Vec<OutboxItem>),
    /// The client read too slowly, and its items were discarded.
    Slow,
}

impl Outbox {
    /// Returns ready if the outbox has items or its client was found slow. Otherwise registers the waker, replacing
    /// the previous one.
    pub fn poll_ready(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.is_slow || !state.items.is_empty() {
            return Poll::Ready(());
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            empty => *empty = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Waits until the outbox has items or its client was found slow. Works in any async runtime and is cancel-safe.
    pub async fn ready(&self) {
        poll_fn(|context| self.poll_ready(context)).await;
    }

    /// Removes and returns the next items, as many as fit into one frame.
    pub fn take(&self) -> OutboxContent {
        let mut state = self.state();
        if state.is_slow {
            return OutboxContent::Slow;
        }
        let (mut taken, mut bytes, mut messages) = (Vec::new(), 0, 0);
        while messages < BATCH_MESSAGES_MAX
            && bytes < BATCH_BYTES_MAX
            && let Some(item) = state.items.pop_front()
        {
            bytes += cost(&item);
            messages += count(&item);
            taken.push(item);
        }
        state.bytes -= bytes;
        if state.items.is_empty() {
            // Free the queue's memory, so that an idle connection does not keep the capacity of its last burst.
            state.items = VecDeque::new();
        }
        OutboxContent::Items(taken)
    }

    /// Adds an item and returns the waker of the waiting driver, if there is one. Wake it after releasing all locks.
    pub(super) fn put(&self, item: OutboxItem) -> Option<Waker> {
        self.put_all([item])
    }

    /// Adds several items and returns the waker of the waiting driver, if there is one.
    pub(super) fn put_all(&self, items: impl IntoIterator<Item = OutboxItem>) -> Option<Waker> {
        let mut state = self.state();
        if state.is_slow {
            return None;
        }
        for item in items {
            state.bytes += cost(&item);
            if state.bytes > OUTBOX_BYTES_MAX {
                state.is_slow = true;
                state.items = VecDeque::new();
                break;
            }
            state.items.push_back(item);
        }
        state.waker.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No panic leaves the state half changed, so poison is ignored.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how many messages of a frame the item needs.
fn count(item: &OutboxItem) -> usize {
    match item {
        OutboxItem::Events { events, .. } => events.len(),
        OutboxItem::Input(_) | OutboxItem::Control(_) => 1,
    }
}

fn cost(item: &OutboxItem) -> usize {
    let bytes = match item {
        OutboxItem::Events { events, .. } => events.iter().map(|event| event.data().len()).sum(),
        OutboxItem::Input(frame) => frame.len(),
        // Control messages must reach a client whose outbox is almost full. They are few, so their size does not
        // matter.
        OutboxItem::Control(_) => 0,
    };
    count(item) * ITEM_BYTES + bytes
}
