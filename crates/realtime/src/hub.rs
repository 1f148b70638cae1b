//! Who listens to what, and who is there. Shared by all connections of a node, and safe to call from any thread.
//!
//! An event is published once per stream. It is encoded once per codec, whoever listens, and reaches each listener's
//! [`Outbox`] as two shared pointers. Locks are divided by stream, are held for memory only, and are never taken
//! one inside another except an outbox's inside a stream's.

mod outbox;
mod registry;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use bytes::Bytes;
use model::{Id, User};

use crate::channel::{Channel, Stream};
use crate::frame::{Broadcast, Head};
use crate::limits::BATCH_MESSAGES_MAX;
use crate::session::{ClientId, Mail};

pub use outbox::{Outbox, Taken};
pub use registry::Audience;
use registry::Registry;

/// Locks that the streams share.
const SHARDS: usize = 64;

/// All listeners of a node.
pub struct Hub {
    streams: Vec<Mutex<HashMap<Stream, Listeners>>>,
    registry: Registry,
}

/// The listeners of one stream, by the user whose view they have.
#[derive(Default)]
struct Listeners(HashMap<Option<Id<User>>, View>);

/// One channel: all connections of one user.
struct View {
    head: Arc<Head>,
    listeners: Vec<Listener>,
}

struct Listener {
    client: ClientId,
    outbox: Arc<Outbox>,
}

impl Hub {
    /// A hub that lets a user and an organisation have so many connections at once.
    pub fn new(connections_per_user_max: u32, connections_per_organisation_max: u32) -> Self {
        Self {
            streams: (0..SHARDS).map(|_| Mutex::default()).collect(),
            registry: Registry::new(connections_per_user_max, connections_per_organisation_max),
        }
    }

    /// From now on, every event of the channel reaches the outbox.
    pub fn attach(&self, channel: Channel, client: ClientId, outbox: &Arc<Outbox>) {
        let mut shard = self.shard(channel.stream());
        let listeners = shard.entry(channel.stream()).or_default();
        let view = listeners.0.entry(channel.user()).or_insert_with(|| View {
            head: Arc::new(Head::new(channel)),
            // Most users have one connection.
            listeners: Vec::with_capacity(1),
        });
        if view.listeners.iter().all(|listener| listener.client != client) {
            view.listeners.push(Listener { client, outbox: Arc::clone(outbox) });
        }
    }

    /// From now on, no further event of the channel does.
    pub fn detach(&self, channel: Channel, client: ClientId) {
        let mut shard = self.shard(channel.stream());
        let Some(listeners) = shard.get_mut(&channel.stream()) else { return };
        if let Some(view) = listeners.0.get_mut(&channel.user()) {
            if let Some(place) = view.listeners.iter().position(|listener| listener.client == client) {
                view.listeners.swap_remove(place);
            }
            if view.listeners.is_empty() {
                listeners.0.remove(&channel.user());
            }
        }
        if listeners.0.is_empty() {
            shard.remove(&channel.stream());
        }
    }

    /// Sends an event to everyone who listens; returns to how many.
    ///
    /// `data` is JSON. Of one stream, publish in the order of offsets and from one place at a time, and only what
    /// readers of the log can see already: a listener drops what comes after a higher offset.
    pub fn publish(&self, stream: Stream, offset: u64, data: Bytes) -> usize {
        self.publish_all(stream, [(offset, data)])
    }

    /// The same with several events of one stream. Each listener gets them at once and is woken once, so that they
    /// share its frames.
    pub fn publish_all(&self, stream: Stream, events: impl IntoIterator<Item = (u64, Bytes)>) -> usize {
        let mut wakers = Vec::new();
        let count = self.spread(stream, events, &mut wakers);
        wakers.into_iter().for_each(Waker::wake);
        count
    }

    fn spread(
        &self,
        stream: Stream,
        events: impl IntoIterator<Item = (u64, Bytes)>,
        wakers: &mut Vec<Waker>,
    ) -> usize {
        let shard = self.shard(stream);
        let Some(listeners) = shard.get(&stream) else { return 0 };
        let events: Vec<_> =
            events.into_iter().map(|(offset, data)| Arc::new(Broadcast::new(offset, data))).collect();
        // As many together as share a frame.
        let frames: Vec<Arc<[Arc<Broadcast>]>> = events.chunks(BATCH_MESSAGES_MAX).map(Arc::from).collect();
        let mut count = 0;
        for view in listeners.0.values() {
            for listener in &view.listeners {
                let mail = frames
                    .iter()
                    .map(|events| Mail::Events { head: Arc::clone(&view.head), events: Arc::clone(events) });
                wakers.extend(listener.outbox.put_all(mail));
                count += 1;
            }
        }
        count
    }

    /// Whether anyone listens: what nobody hears need not be read from the log.
    pub fn is_heard(&self, stream: Stream) -> bool {
        self.shard(stream).contains_key(&stream)
    }

    /// Every stream that someone listens to.
    pub fn streams(&self) -> Vec<Stream> {
        self.streams.iter().flat_map(|shard| lock(shard).keys().copied().collect::<Vec<_>>()).collect()
    }

    /// The connections on a channel of this node.
    pub fn presence(&self, channel: Channel) -> Vec<ClientId> {
        let shard = self.shard(channel.stream());
        let view = shard.get(&channel.stream()).and_then(|listeners| listeners.0.get(&channel.user()));
        view.map(|view| view.listeners.iter().map(|listener| listener.client).collect()).unwrap_or_default()
    }

    fn shard(&self, stream: Stream) -> MutexGuard<'_, HashMap<Stream, Listeners>> {
        let mut hasher = DefaultHasher::new();
        stream.hash(&mut hasher);
        lock(&self.streams[hasher.finish() as usize % SHARDS])
    }
}

/// Takes a lock. No panic leaves a map half changed, so one that happened elsewhere does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
