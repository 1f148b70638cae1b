//! Waves: jobs that turn many orders into shipments and batches. This module holds what a wave is and how it changes; the
//! service does the work.

mod choosing;
mod exception;
mod grouping;
mod input;
mod shapes;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use exception::message_of;

use crate::platform::id::{Kind as IdKind, ShipmentKind};
use crate::{Batch, Code, Id, Order, Problem, Result, Timestamp, ensure};

pub use choosing::choose_rate;
pub use exception::WaveException;
pub use grouping::{BatchGroup, GroupNames};
pub use input::{BatchOptions, GroupBy, STEP_WORDS, Step, WaveFilter, WaveInput};
pub use shapes::{RESULT, STATUS, WAVE, WAVE_ID, WAVE_ORDER};

/// Maximum number of orders in a wave.
pub const ORDERS_MAX: usize = 100_000;
/// Number of batches that a wave shows.
pub const BATCHES_SHOWN: usize = 100;
/// Maximum number of refused purchases that a wave shows.
pub const ERRORS_MAX: usize = 100;
/// Orders whose pick lists are made by one request.
pub const PART_ORDERS: usize = 500;

/// A wave as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Wave {
    pub id: Id<Wave>,
    #[serde(flatten)]
    pub details: WaveInput,
    pub status: Status,
    #[serde(flatten)]
    pub counts: Counts,
    /// What kept orders from being processed, the most frequent first.
    pub exceptions: Vec<ExceptionCount>,
    /// The first batches that the wave has made.
    pub batch_ids: Vec<Id<Batch>>,
    /// Batches whose purchase was refused.
    pub errors: Vec<BatchRefusal>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Wave {
    const PREFIX: &'static str = "wave";
}

/// How far a wave is.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Queued,
    Running,
    /// Is to end, and a node has not noticed yet.
    Cancelling,
    Cancelled,
    Completed,
}

/// The words of all statuses, in their order.
pub const STATUS_WORDS: [&str; 5] = ["queued", "running", "cancelling", "cancelled", "completed"];

impl Status {
    const ALL: [Status; 5] =
        [Status::Queued, Status::Running, Status::Cancelling, Status::Cancelled, Status::Completed];

    pub fn as_str(self) -> &'static str {
        STATUS_WORDS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Returns whether no order of the wave is worked on any more.
    pub fn is_ended(self) -> bool {
        matches!(self, Status::Cancelled | Status::Completed)
    }
}

/// What came of an order of a wave.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum OrderResult {
    Pending,
    Done,
    Exception,
    Cancelled,
}

/// The words of all results, in their order.
pub const RESULT_WORDS: [&str; 4] = ["pending", "done", "exception", "cancelled"];

impl OrderResult {
    const ALL: [OrderResult; 4] =
        [OrderResult::Pending, OrderResult::Done, OrderResult::Exception, OrderResult::Cancelled];

    pub fn as_str(self) -> &'static str {
        RESULT_WORDS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|result| result.as_str() == word)
    }
}

/// An order of a wave as it is shown.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct WaveOrder {
    /// Its place in the wave, from 1 on.
    pub position: i64,
    pub order_id: Id<Order>,
    /// The order's own reference.
    pub reference: Option<String>,
    pub result: OrderResult,
    /// The last step that was done for it.
    pub step: Option<Step>,
    pub code: Option<String>,
    pub message: Option<String>,
    pub shipment_ids: Vec<Id<ShipmentKind>>,
}

/// How many orders of a wave are how far.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Counts {
    #[serde(rename = "orders_count")]
    pub orders: i64,
    #[serde(rename = "pending_count")]
    pub pending: i64,
    #[serde(rename = "done_count")]
    pub done: i64,
    #[serde(rename = "exceptions_count")]
    pub exceptions: i64,
    #[serde(rename = "cancelled_count")]
    pub cancelled: i64,
    /// Shipments of the orders that are done.
    #[serde(rename = "shipments_count")]
    pub shipments: i64,
}

/// How many orders have the same exception.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct ExceptionCount {
    pub code: String,
    pub orders_count: i64,
}

/// A batch whose purchase was refused.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct BatchRefusal {
    pub batch_id: Id<Batch>,
    pub code: String,
    pub message: String,
}

impl Wave {
    /// Returns a new wave that waits for its turn. `refused` are orders that another wave has.
    pub fn queued(
        id: Id<Wave>,
        details: WaveInput,
        orders: usize,
        refused: &[WaveException],
        now: Timestamp,
    ) -> Self {
        let pending = i64::try_from(orders - refused.len()).unwrap_or(i64::MAX);
        let counts =
            Counts { orders: i64::try_from(orders).unwrap_or(i64::MAX), pending, ..Counts::default() };
        let mut wave = Self {
            id,
            details,
            status: Status::Queued,
            counts,
            exceptions: Vec::new(),
            batch_ids: Vec::new(),
            errors: Vec::new(),
            started_at: None,
            ended_at: None,
            created_at: now,
            updated_at: now,
        };
        wave.count_exceptions(refused);
        wave
    }

    /// Records that work on the wave begins.
    pub fn start(&mut self, now: Timestamp) {
        self.status = Status::Running;
        self.started_at.get_or_insert(now);
        self.updated_at = now;
    }

    /// Records that orders are done, with the number of their shipments, and which are not and why.
    pub fn count(&mut self, done: usize, shipments: usize, exceptions: &[WaveException], now: Timestamp) {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.counts.pending -= number(done + exceptions.len());
        self.counts.done += number(done);
        self.counts.shipments += number(shipments);
        self.count_exceptions(exceptions);
        self.updated_at = now;
    }

    fn count_exceptions(&mut self, exceptions: &[WaveException]) {
        self.counts.exceptions += i64::try_from(exceptions.len()).unwrap_or(i64::MAX);
        for exception in exceptions {
            match self.exceptions.iter_mut().find(|known| known.code == exception.code) {
                Some(known) => known.orders_count += 1,
                None => {
                    self.exceptions.push(ExceptionCount { code: exception.code.clone(), orders_count: 1 });
                }
            }
        }
        self.exceptions.sort_by(|a, b| b.orders_count.cmp(&a.orders_count).then_with(|| a.code.cmp(&b.code)));
    }

    /// Adds a batch to those that are shown, unless there are enough.
    pub fn add_batch(&mut self, batch: Id<Batch>) {
        if self.batch_ids.len() < BATCHES_SHOWN {
            self.batch_ids.push(batch);
        }
    }

    /// Records that the purchase of a batch was refused.
    pub fn refuse_purchase(&mut self, batch: Id<Batch>, problem: &Problem) {
        if self.errors.len() < ERRORS_MAX {
            let (code, message) = (problem.code.as_str().to_owned(), message_of(problem));
            self.errors.push(BatchRefusal { batch_id: batch, code, message });
        }
    }

    /// Asks for the end of the wave. Returns false if that was asked for before.
    ///
    /// # Errors
    ///
    /// Refuses a wave that is completed.
    pub fn cancel(&mut self, now: Timestamp) -> Result<bool> {
        ensure(self.status != Status::Completed, Code::WaveCompleted)?;
        if matches!(self.status, Status::Cancelling | Status::Cancelled) {
            return Ok(false);
        }
        self.status = Status::Cancelling;
        self.updated_at = now;
        Ok(true)
    }

    /// Records that orders were taken out of the wave.
    pub fn count_cancelled(&mut self, orders: usize, now: Timestamp) {
        let orders = i64::try_from(orders).unwrap_or(i64::MAX);
        self.counts.pending -= orders;
        self.counts.cancelled += orders;
        self.updated_at = now;
    }

    /// Ends the wave: it is cancelled if that was asked for, else completed.
    pub fn end(&mut self, now: Timestamp) {
        self.status = match self.status {
            Status::Cancelling => Status::Cancelled,
            _ => Status::Completed,
        };
        self.ended_at = Some(now);
        self.updated_at = now;
    }

    /// Refuses a wave whose exceptions can't be tried again.
    pub fn ensure_retryable(&self) -> Result<()> {
        match self.status {
            Status::Completed => ensure(self.counts.exceptions > 0, Code::NothingToRetry),
            Status::Cancelled => Err(Code::WaveCancelled.into()),
            Status::Queued | Status::Running | Status::Cancelling => Err(Code::WaveRunning.into()),
        }
    }

    /// Records that all exceptions are to be tried again, except those of orders that another wave has.
    pub fn retry(&mut self, again: usize, refused: &[WaveException], now: Timestamp) {
        self.counts.pending = i64::try_from(again).unwrap_or(i64::MAX);
        self.counts.exceptions = 0;
        self.exceptions.clear();
        self.errors.clear();
        self.count_exceptions(refused);
        self.status = Status::Running;
        self.ended_at = None;
        self.updated_at = now;
    }
}
