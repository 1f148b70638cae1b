//! The hub: which connections of this node listen to which streams. All connections share it, and any thread may call
//! it.
//!
//! An event is published once per stream. It is encoded once per codec, regardless of the number of listeners, and
//! each listener's [`Outbox`] gets two shared pointers to it. Each shard of streams has its own lock. A lock is held
//! only for work in memory. Locks are never nested, except that an outbox's lock is taken inside a stream's.

mod lock;
mod outbox;
mod registry;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;

use bytes::Bytes;
use model::{Id, Organisation, User};

use crate::channel::{Channel, EventStream};
use crate::code::Disconnect;
use crate::frame::{Broadcast, MessagePrefix};
use crate::limits::BATCH_MESSAGES_MAX;
use crate::session::{ClientId, ControlMessage, OutboxItem};
use crate::token::Grant;

use lock::lock;
pub use outbox::{Outbox, OutboxContent};
pub use registry::Audience;
use registry::Registry;

/// Number of locks over which the streams are distributed.
const SHARDS: usize = 64;

/// The registry of all listeners of a node.
pub struct Hub {
    streams: Vec<Mutex<HashMap<EventStream, Listeners>>>,
    registry: Registry,
    /// Number of publications that reached an outbox since the process started.
    published: AtomicU64,
}

/// The listeners of one stream, by user and by whether they use the plain channel name.
#[derive(Default)]
struct Listeners(HashMap<Option<(Id<User>, bool)>, View>);

/// The listeners of one channel: all connections of one user.
struct View {
    prefix: Arc<MessagePrefix>,
    listeners: Vec<Listener>,
}

struct Listener {
    client: ClientId,
    outbox: Arc<Outbox>,
}

impl Hub {
    /// Creates a hub that limits the simultaneous connections of a user and of an organisation.
    pub fn new(connections_per_user_max: u32, connections_per_organisation_max: u32) -> Self {
        Self {
            streams: (0..SHARDS).map(|_| Mutex::default()).collect(),
            registry: Registry::new(connections_per_user_max, connections_per_organisation_max),
            published: AtomicU64::new(0),
        }
    }

    /// Adds a listener: the outbox receives every event of the channel that is published after this call.
    pub fn attach(&self, channel: Channel, client: ClientId, outbox: &Arc<Outbox>) {
        let mut shard = self.shard(channel.stream());
        let listeners = shard.entry(channel.stream()).or_default();
        let view = listeners.0.entry(channel.view()).or_insert_with(|| View {
            prefix: Arc::new(MessagePrefix::new(channel)),
            // Most users have one connection.
            listeners: Vec::with_capacity(1),
        });
        if view.listeners.iter().all(|listener| listener.client != client) {
            view.listeners.push(Listener { client, outbox: Arc::clone(outbox) });
        }
    }

    /// Removes a listener: its outbox receives no further event of the channel.
    pub fn detach(&self, channel: Channel, client: ClientId) {
        let mut shard = self.shard(channel.stream());
        let Some(listeners) = shard.get_mut(&channel.stream()) else { return };
        if let Some(view) = listeners.0.get_mut(&channel.view()) {
            if let Some(place) = view.listeners.iter().position(|listener| listener.client == client) {
                view.listeners.swap_remove(place);
            }
            if view.listeners.is_empty() {
                listeners.0.remove(&channel.view());
            }
        }
        if listeners.0.is_empty() {
            shard.remove(&channel.stream());
        }
    }

    /// Sends an event to all listeners of the stream and returns their number.
    ///
    /// `data` is JSON. The events of one stream must be published in the order of their offsets, by one task at a
    /// time, and only after readers of the log can see them: a listener drops an event whose offset is lower than one
    /// it has seen.
    pub fn publish(&self, stream: EventStream, offset: u64, data: Bytes) -> usize {
        self.publish_all(stream, [(offset, data)])
    }

    /// Sends several events of one stream to its listeners and returns the number of listeners. Each listener gets
    /// them together and is woken once, so that they share its frames.
    pub fn publish_all(&self, stream: EventStream, events: impl IntoIterator<Item = (u64, Bytes)>) -> usize {
        let mut wakers = Vec::new();
        let count = self.fan_out(stream, events, &mut wakers);
        wakers.into_iter().for_each(Waker::wake);
        count
    }

    fn fan_out(
        &self,
        stream: EventStream,
        events: impl IntoIterator<Item = (u64, Bytes)>,
        wakers: &mut Vec<Waker>,
    ) -> usize {
        let shard = self.shard(stream);
        let Some(listeners) = shard.get(&stream) else { return 0 };
        let events: Vec<_> =
            events.into_iter().map(|(offset, data)| Arc::new(Broadcast::new(offset, data))).collect();
        // Events that fit into one frame share one allocation.
        let frames: Vec<Arc<[Arc<Broadcast>]>> = events.chunks(BATCH_MESSAGES_MAX).map(Arc::from).collect();
        let mut count = 0;
        for view in listeners.0.values() {
            for listener in &view.listeners {
                let items = frames.iter().map(|events| OutboxItem::Events {
                    prefix: Arc::clone(&view.prefix),
                    events: Arc::clone(events),
                });
                wakers.extend(listener.outbox.put_all(items));
                count += 1;
            }
        }
        self.published.fetch_add((count * events.len()) as u64, Ordering::Relaxed);
        count
    }

    /// Returns how many publications reached a listener's outbox since the process started.
    pub fn published(&self) -> u64 {
        self.published.load(Ordering::Relaxed)
    }

    /// Returns whether the stream has a listener. Events of a stream without listeners need not be read from the log.
    pub fn has_listeners(&self, stream: EventStream) -> bool {
        self.shard(stream).contains_key(&stream)
    }

    /// Returns every stream that has a listener.
    pub fn streams(&self) -> Vec<EventStream> {
        self.streams.iter().flat_map(|shard| lock(shard).keys().copied().collect::<Vec<_>>()).collect()
    }

    /// Returns the connections on a channel of this node.
    pub fn presence(&self, channel: Channel) -> Vec<ClientId> {
        let shard = self.shard(channel.stream());
        let view = shard.get(&channel.stream()).and_then(|listeners| listeners.0.get(&channel.view()));
        view.map(|view| view.listeners.iter().map(|listener| listener.client).collect()).unwrap_or_default()
    }

    /// Registers and counts a connection, so that control messages reach it. Fails if the user or the organisation
    /// has too many.
    pub fn register(&self, grant: Grant, client: ClientId, outbox: &Arc<Outbox>) -> Result<(), Disconnect> {
        self.registry.register(grant, client, outbox)
    }

    /// Removes a connection.
    pub fn unregister(&self, organisation: Id<Organisation>, client: ClientId) {
        self.registry.unregister(organisation, client);
    }

    /// Sends a control message to all connections of the audience and returns their number.
    pub fn send_control(&self, audience: Audience, message: ControlMessage) -> usize {
        self.registry.send_control(audience, message)
    }

    /// Returns the number of registered connections.
    pub fn connections(&self) -> usize {
        self.registry.connections()
    }

    /// Makes a connection reachable for frames that arrive through `/emulation`.
    pub fn open_session(&self, session: ClientId, outbox: &Arc<Outbox>) {
        self.registry.open_session(session, outbox);
    }

    pub fn close_session(&self, session: ClientId) {
        self.registry.close_session(session);
    }

    /// Adds a frame to the outbox of the connection with this session id. Returns `false` if there is none.
    pub fn emulate(&self, session: &str, frame: Bytes) -> bool {
        self.registry.emulate(session, frame)
    }

    fn shard(&self, stream: EventStream) -> MutexGuard<'_, HashMap<EventStream, Listeners>> {
        let mut hasher = DefaultHasher::new();
        stream.hash(&mut hasher);
        lock(&self.streams[hasher.finish() as usize % SHARDS])
    }
}
