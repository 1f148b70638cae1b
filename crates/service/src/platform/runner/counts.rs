//! Counters of a job on this node, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// The counters of one job. They are written by its runner and read by any thread.
#[derive(Default)]
pub struct Counts {
    under_way: AtomicU64,
    claimed: AtomicU64,
    succeeded: AtomicU64,
    failed: AtomicU64,
    panicked: AtomicU64,
    failed_claims: AtomicU64,
}

/// What the counters say at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Totals {
    /// Turns under way.
    pub under_way: u64,
    /// Items that were claimed since the start.
    pub claimed: u64,
    /// Turns that ended, by how they ended.
    pub succeeded: u64,
    pub failed: u64,
    pub panicked: u64,
    /// Claims that failed.
    pub failed_claims: u64,
}

impl Counts {
    pub fn totals(&self) -> Totals {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Totals {
            under_way: read(&self.under_way),
            claimed: read(&self.claimed),
            succeeded: read(&self.succeeded),
            failed: read(&self.failed),
            panicked: read(&self.panicked),
            failed_claims: read(&self.failed_claims),
        }
    }

    pub(super) fn set_under_way(&self, turns: usize) {
        self.under_way.store(turns as u64, Ordering::Relaxed);
    }

    pub(super) fn count_claimed(&self, items: usize) {
        self.claimed.fetch_add(items as u64, Ordering::Relaxed);
    }

    pub(super) fn count_ended(&self, is_success: bool) {
        let count = if is_success { &self.succeeded } else { &self.failed };
        count.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_panicked(&self) {
        self.panicked.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_failed_claim(&self) {
        self.failed_claims.fetch_add(1, Ordering::Relaxed);
    }
}
