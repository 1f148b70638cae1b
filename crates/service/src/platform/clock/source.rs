//! Where the time comes from, passed in so that tests can repeat everything exactly.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use model::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time of day. It may be set forward or back at any moment.
    fn now(&self) -> Timestamp;

    /// The time that has passed since a moment of the clock's choice. It never goes back, and can't be set.
    fn monotonic(&self) -> Duration;

    /// What the database's clock says, in the time of this clock: a test's clock stands in another year, and translates.
    fn database_time(&self, told: Timestamp) -> Timestamp {
        told
    }
}

/// The machine's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the machine for the time")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn monotonic(&self) -> Duration {
        static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
        FIRST.elapsed()
    }
}
