//! Seeded randomness, so that the moments of a failed run can be tried again with `DOCKSIDE_TEST_SEED`.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Splitmix64.
pub struct Random(pub u64);

impl Random {
    /// Returns a generator with a new seed, or with the one that the environment names. It prints the seed.
    pub fn seeded(name: &str) -> Self {
        let given = std::env::var("DOCKSIDE_TEST_SEED").ok();
        let seed = given.map_or_else(
            || RandomState::new().build_hasher().finish(),
            |text| text.parse().expect("DOCKSIDE_TEST_SEED is a whole number"),
        );
        println!("{name}: DOCKSIDE_TEST_SEED={seed}");
        Self(seed)
    }

    /// A number below the bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % bound
    }

    /// Returns a random duration of less than so many milliseconds.
    pub fn within_millis(&mut self, millis: u64) -> Duration {
        Duration::from_micros(self.below(millis * 1000))
    }
}
