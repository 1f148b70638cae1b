//! Randomness, passed in so that tests can repeat everything exactly.

use model::Timestamp;
use model::platform::id::{Id, Kind, RANDOM_BYTES};

/// Makes randomness.
pub trait Random: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
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
