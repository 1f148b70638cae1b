//! Time and randomness, passed in so that tests can repeat everything exactly.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use model::Timestamp;
use model::platform::id::{Id, Kind, RANDOM_BYTES};

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

/// Makes randomness.
pub trait Random: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
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

/// The machine's source of randomness.
pub struct SystemRandom;

impl Random for SystemRandom {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that asks the machine for randomness"
    )]
    #[expect(clippy::panic, reason = "a machine without randomness must not make guessable secrets")]
    fn fill(&self, bytes: &mut [u8]) {
        if let Err(error) = getrandom::fill(bytes) {
            panic!("the machine gives no randomness: {error}");
        }
    }
}

/// A new identifier of this moment.
pub fn new_id<K: Kind>(random: &dyn Random, now: Timestamp) -> Id<K> {
    let mut bytes = [0; RANDOM_BYTES];
    random.fill(&mut bytes);
    Id::new(now, bytes)
}
