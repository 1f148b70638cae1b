//! Group commit of purchases: the entries that arrive while one group is written form the next group. So a single purchase
//! is written at once, and a hundred that end together cost one transaction.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::carriers::Receipt;
use model::shipping::shipment::ShipmentError;
use model::{Error, Owner, Result};
use store::shipping::purchases::Purchase;
use tokio::sync::oneshot;

use super::record::{PreparedPurchase, record_entries};
use crate::platform::crash_point::crash_point;
use crate::shipping::documents::StoredFile;
use crate::shipping::purchasing::Purchasing;

/// Maximum number of entries in one transaction. Further entries wait for the next one.
const GROUP_MAX: usize = 128;

/// A change of a purchase that is to be written.
pub enum Entry {
    /// The call to the carrier is about to start (`calling`).
    Call(Box<Purchase>),
    /// The carrier sold it. The receipt ([`Purchase::receipt`]) is written before anything else is done with it.
    Receipt(Box<Purchase>),
    /// The state that the turn ends with.
    Settle(Box<Settled>),
}

/// A purchase at the end of its turn, and what changes in its shipment.
pub struct Settled {
    pub purchase: Purchase,
    pub change: Change,
    /// The documents of the change, made before the transaction that writes them. If the shipment has changed by then, they
    /// are made again.
    pub prepared: Option<Box<PreparedPurchase>>,
}

impl Settled {
    pub fn new(purchase: Purchase, change: Change) -> Self {
        Self { purchase, change, prepared: None }
    }
}

pub enum Change {
    Nothing,
    Failed(ShipmentError),
    /// It is unknown whether it was bought, and a person must find out.
    Review(ShipmentError),
    /// It is bought, but its label could not be drawn or stored yet: the shipment stays `purchasing`, and its batch waits.
    LabelFailed(ShipmentError),
    Bought {
        receipt: Receipt,
        files: Vec<StoredFile>,
        /// Whether the carrier delivers the label later.
        is_label_pending: bool,
        error: Option<ShipmentError>,
    },
}

/// Entries that wait to be written, by owner. An owner has a queue here only while a writer task drains it.
#[derive(Default)]
pub struct Groups(Mutex<HashMap<Owner, Vec<Waiting>>>);

struct Waiting {
    entry: Arc<Entry>,
    told: oneshot::Sender<Result<bool>>,
}

impl Groups {
    fn lock(&self) -> MutexGuard<'_, HashMap<Owner, Vec<Waiting>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry to its owner's queue. Returns true if no task drains the queue yet, so that the caller must start one.
    fn push(&self, owner: Owner, waiting: Waiting) -> bool {
        let mut queues = self.lock();
        let is_first = !queues.contains_key(&owner);
        queues.entry(owner).or_default().push(waiting);
        is_first
    }

    /// Returns the next group. If no entry waits, removes the queue and returns `None`.
    fn next(&self, owner: Owner) -> Option<Vec<Waiting>> {
        let mut queues = self.lock();
        let queue = queues.get_mut(&owner)?;
        if queue.is_empty() {
            queues.remove(&owner);
            return None;
        }
        let count = queue.len().min(GROUP_MAX);
        Some(queue.drain(..count).collect())
    }
}

/// The task that drains an owner's queue. If it ends early, its waiters get an error, and the next entry starts a new task.
struct Writer {
    purchasing: Purchasing,
    owner: Owner,
    /// Whether the queue was drained and removed, so that it is no longer this task's.
    is_done: bool,
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_done {
            self.purchasing.state.groups.lock().remove(&self.owner);
        }
    }
}

impl Purchasing {
    /// Writes an entry, together with others that wait. Returns false if this node no longer holds the purchase; then nothing
    /// was written.
    pub(super) async fn write_down(&self, owner: Owner, entry: impl Into<Arc<Entry>>) -> Result<bool> {
        let entry = entry.into();
        let (told, answer) = oneshot::channel();
        if self.state.groups.push(owner, Waiting { entry, told }) {
            let writer = Writer { purchasing: self.clone(), owner, is_done: false };
            tokio::spawn(writer.write_all());
        }
        answer.await.map_err(Error::fault)?
    }

    async fn record_group(&self, owner: Owner, entries: Arc<[Arc<Entry>]>) -> Result<Vec<bool>> {
        let events = self.context.event_log(owner, self.context.now());
        crash_point!("before_record");
        let record = self
            .context
            .db()
            .write(owner, async move |tx| record_entries(tx, owner, &entries, &events).await);
        let (written, is_finished) = record.await?;
        crash_point!("after_record");
        if is_finished {
            crash_point!("after_finish");
        }
        self.context.notice(owner);
        Ok(written)
    }
}

impl Writer {
    async fn write_all(mut self) {
        while let Some(group) = self.purchasing.state.groups.next(self.owner) {
            let entries = group.iter().map(|waiting| Arc::clone(&waiting.entry)).collect();
            match self.purchasing.record_group(self.owner, entries).await {
                Ok(written) => {
                    for (waiting, is_written) in group.into_iter().zip(written) {
                        // A caller that was cancelled needs no answer.
                        let _ = waiting.told.send(Ok(is_written));
                    }
                }
                // One entry that can't be written must not prevent the others from being written.
                Err(_) => self.write_singly(group).await,
            }
        }
        self.is_done = true;
    }

    async fn write_singly(&self, group: Vec<Waiting>) {
        for waiting in group {
            let written = self.purchasing.record_group(self.owner, Arc::new([waiting.entry])).await;
            let written = written.map(|flags| flags.first() == Some(&true));
            let _ = waiting.told.send(written);
        }
    }
}
