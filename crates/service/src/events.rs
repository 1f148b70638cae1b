//! Writing to the event log from within an operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use model::id::{Kind, RANDOM_BYTES};
use model::{Event, Id, Owner, Result, Timestamp};
use store::{Tx, events};

use crate::Service;
use crate::context::{Random, new_id};

/// Appends events of one operation: the same owner, the same moment.
#[derive(Clone)]
pub struct EventLog {
    owner: Owner,
    now: Timestamp,
    random: Arc<dyn Random>,
    /// How many identifiers the operation has taken.
    taken: Arc<AtomicU32>,
}

impl Service {
    pub(crate) fn event_log(&self, owner: Owner, now: Timestamp) -> EventLog {
        EventLog { owner, now, random: Arc::clone(&self.0.random), taken: Arc::default() }
    }
}

impl EventLog {
    /// The moment of the operation.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// A new identifier of the operation's moment, for what is made inside its transaction. The first random bits
    /// count instead, so that what one operation makes sorts in the order in which it was made.
    pub fn new_id<K: Kind>(&self) -> Id<K> {
        let mut bytes = [0; RANDOM_BYTES];
        self.random.fill(&mut bytes);
        let count = self.taken.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes[..count.len() - 1].copy_from_slice(&count[1..]);
        Id::new(self.now, bytes)
    }

    /// Writes an event into the transaction that it tells of. Called once the rows it tells of are written, so
    /// that events of the same rows have the order of their commits.
    pub async fn append(&self, tx: &mut Tx<'_>, event: &Event) -> Result<()> {
        events::append(tx, self.owner, new_id(&*self.random, self.now), event, self.now).await
    }
}
