//! Changes of purchases that are to be written, and the queues in which they wait for their transaction.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::{Owner, Result};
use store::shipping::duplicate_charges::DuplicateCharge;
use store::shipping::purchases::Purchase;
use tokio::sync::oneshot;

use super::change::Change;
use super::prepared::PreparedPurchase;

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
    /// What the carrier charged for a second purchase about which it has decided.
    pub duplicate: Option<DuplicateCharge>,
}

impl Settled {
    pub fn new(purchase: Purchase, change: Change) -> Self {
        Self { purchase, change, prepared: None, duplicate: None }
    }
}

/// Entries that wait to be written, by owner. An owner has a queue here only while a writer task drains it.
#[derive(Default)]
pub struct Groups(Mutex<HashMap<Owner, Vec<Waiting>>>);

pub struct Waiting {
    pub entry: Arc<Entry>,
    pub told: oneshot::Sender<Result<bool>>,
}

impl Groups {
    pub fn lock(&self) -> MutexGuard<'_, HashMap<Owner, Vec<Waiting>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry to its owner's queue. Returns true if no task drains the queue yet, so that the caller must start one.
    pub fn push(&self, owner: Owner, waiting: Waiting) -> bool {
        let mut queues = self.lock();
        let is_first = !queues.contains_key(&owner);
        queues.entry(owner).or_default().push(waiting);
        is_first
    }

    /// Returns the next group. If no entry waits, removes the queue and returns `None`.
    pub fn next(&self, owner: Owner) -> Option<Vec<Waiting>> {
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
