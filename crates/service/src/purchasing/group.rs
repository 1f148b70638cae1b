//! Writing down in groups: whatever comes while one group is written is the next. So a purchase that is alone is written
//! at once, and a hundred that come to an end together cost one transaction.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::carriers::Receipt;
use model::shipment::ShipmentError;
use model::{Error, Owner, Result};
use store::purchases::Purchase;
use tokio::sync::oneshot;

use super::record::{PreparedPurchase, record_entries};
use crate::documents::StoredFile;
use crate::{Service, fault};

/// Entries of one transaction. Others wait for as long as it takes.
const GROUP_MAX: usize = 128;

/// Something to write down.
pub enum Entry {
    /// A carrier is being asked from now on.
    Call(Box<Purchase>),
    /// The carrier sold it: the receipt, which is in [`Purchase::receipt`], before anything else is done with it.
    Receipt(Box<Purchase>),
    /// What came of it, for now.
    Settle(Box<Settled>),
}

/// How a purchase stands, and what that means for its shipment.
pub struct Settled {
    pub purchase: Purchase,
    pub change: Change,
    /// The texts of the change, made before the transaction that writes them. Where the shipment is another by then, they are
    /// made anew.
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
    /// Nobody knows, and a person must find out.
    Review(ShipmentError),
    /// It is bought, and its label could not be drawn or stored yet: the shipment stays `purchasing`, and its batch waits.
    LabelFailed(ShipmentError),
    Bought {
        receipt: Receipt,
        files: Vec<StoredFile>,
        /// Whether the carrier delivers the label later.
        is_label_pending: bool,
        error: Option<ShipmentError>,
    },
}

/// What waits to be written down, by owner. Whoever's queue is here has somebody who writes it.
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

    /// Queues up; tells whether nobody writes this queue yet.
    fn push(&self, owner: Owner, waiting: Waiting) -> bool {
        let mut queues = self.lock();
        let is_first = !queues.contains_key(&owner);
        queues.entry(owner).or_default().push(waiting);
        is_first
    }

    /// The next group; none, and no queue any more, where nobody waits.
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

/// Whoever writes a queue. Where that ends too early, those who wait are told so, and the next begins anew.
struct Writer {
    service: Service,
    owner: Owner,
    /// Whether the queue came to its end, and is no longer this writer's.
    is_done: bool,
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_done {
            self.service.0.purchasing.groups.lock().remove(&self.owner);
        }
    }
}

impl Service {
    /// Writes something down, with whatever else there is; false where the purchase is no longer held, and nothing was
    /// written.
    pub(super) async fn write_down(&self, owner: Owner, entry: impl Into<Arc<Entry>>) -> Result<bool> {
        let entry = entry.into();
        let (told, answer) = oneshot::channel();
        if self.0.purchasing.groups.push(owner, Waiting { entry, told }) {
            let writer = Writer { service: self.clone(), owner, is_done: false };
            tokio::spawn(writer.write_all());
        }
        answer.await.map_err(Error::fault)?
    }

    async fn record_group(&self, owner: Owner, entries: Arc<[Arc<Entry>]>) -> Result<Vec<bool>> {
        let events = self.event_log(owner, self.now());
        fault!("before_record");
        let record =
            self.db().write(owner, async move |tx| record_entries(tx, owner, &entries, &events).await);
        let (written, is_finished) = record.await?;
        fault!("after_record");
        if is_finished {
            fault!("after_finish");
        }
        self.notice(owner);
        Ok(written)
    }
}

impl Writer {
    async fn write_all(mut self) {
        while let Some(group) = self.service.0.purchasing.groups.next(self.owner) {
            let entries = group.iter().map(|waiting| Arc::clone(&waiting.entry)).collect();
            match self.service.record_group(self.owner, entries).await {
                Ok(written) => {
                    for (waiting, is_written) in group.into_iter().zip(written) {
                        // Whoever has gone does not need to know.
                        let _ = waiting.told.send(Ok(is_written));
                    }
                }
                // One that can't be written must not keep the others from it.
                Err(_) => self.write_singly(group).await,
            }
        }
        self.is_done = true;
    }

    async fn write_singly(&self, group: Vec<Waiting>) {
        for waiting in group {
            let written = self.service.record_group(self.owner, Arc::new([waiting.entry])).await;
            let written = written.map(|flags| flags.first() == Some(&true));
            let _ = waiting.told.send(written);
        }
    }
}
