//! Randomness, passed in so that tests can repeat everything exactly.

use std::cell::RefCell;

use model::Timestamp;
use model::platform::id::{Id, Kind, RANDOM_BYTES};

/// Makes randomness.
pub trait Random: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);

    /// Fills the bytes with randomness for a name that need not be secret, such as that of a request.
    fn fill_name(&self, bytes: &mut [u8]) {
        self.fill(bytes);
    }
}

/// The machine's source of randomness.
pub struct SystemRandom;

/// Bytes for names that a thread asks the machine for at once: most machines answer by a system call.
const NAME_BYTES: usize = 384;

/// Randomness for names that a thread has not used yet.
struct NameBytes {
    bytes: [u8; NAME_BYTES],
    used: usize,
}

thread_local! {
    static NAMES: RefCell<NameBytes> =
        const { RefCell::new(NameBytes { bytes: [0; NAME_BYTES], used: NAME_BYTES }) };
}

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

    fn fill_name(&self, bytes: &mut [u8]) {
        if bytes.len() > NAME_BYTES {
            return self.fill(bytes);
        }
        NAMES.with_borrow_mut(|names| {
            if names.used + bytes.len() > NAME_BYTES {
                self.fill(&mut names.bytes);
                names.used = 0;
            }
            let end = names.used + bytes.len();
            bytes.copy_from_slice(&names.bytes[names.used..end]);
            names.used = end;
        });
    }
}

/// A new identifier of this moment.
pub fn new_id<K: Kind>(random: &dyn Random, now: Timestamp) -> Id<K> {
    let mut bytes = [0; RANDOM_BYTES];
    random.fill(&mut bytes);
    Id::new(now, bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_names_have_the_same_bytes() {
        let mut seen = HashSet::new();
        for _ in 0..1000 {
            let mut name = [0; 12];
            SystemRandom.fill_name(&mut name);
            assert!(seen.insert(name.to_vec()));
        }
        let mut long = [0; NAME_BYTES + 1];
        SystemRandom.fill_name(&mut long);
        assert!(long[NAME_BYTES - 8..].iter().any(|byte| *byte != 0));
    }
}
