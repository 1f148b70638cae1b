//! Time in a test: it does not pass until the test advances it, or sets a clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use model::Timestamp;
use service::{Clock, SystemClock};

/// The moment at which the clock of a test begins, in microseconds: 2026-11-01T09:00:00Z.
pub const BEGIN: i64 = 1_793_523_600_000_000;

/// A clock that stands at [`BEGIN`], and ticks a microsecond each time it is read, so that no two moments are equal.
pub struct TestClock {
    /// The time of day, in microseconds.
    day: AtomicI64,
    /// The time that passed, in microseconds.
    passed: AtomicI64,
    /// Added to the database's time to get the time of this clock, in microseconds.
    database_offset: AtomicI64,
}

impl Default for TestClock {
    fn default() -> Self {
        let database_offset = AtomicI64::new(BEGIN - SystemClock.now().as_micros());
        Self { day: AtomicI64::new(BEGIN), passed: AtomicI64::new(0), database_offset }
    }
}

impl TestClock {
    /// Lets time pass.
    pub fn advance_seconds(&self, seconds: i64) {
        self.advance_millis(seconds * 1000);
    }

    /// Lets time pass. A millisecond suffices to have ids sort by age.
    pub fn advance_millis(&self, millis: i64) {
        for clock in [&self.passed, &self.day, &self.database_offset] {
            clock.fetch_add(millis * 1000, Ordering::Relaxed);
        }
    }

    /// Sets the machine's clock forward or back: no time passes.
    pub fn set_by(&self, seconds: i64) {
        self.day.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }

    /// Sets the database's clock forward or back.
    pub fn set_database_by(&self, seconds: i64) {
        self.database_offset.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.day.fetch_add(1, Ordering::Relaxed))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.passed.load(Ordering::Relaxed).unsigned_abs())
    }

    fn database_time(&self, told: Timestamp) -> Timestamp {
        Timestamp::from_micros(told.as_micros() + self.database_offset.load(Ordering::Relaxed))
    }
}
