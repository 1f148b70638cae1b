//! Maps by tenant. Each request looks its tenant up some twenty times, so they have a hash that takes few instructions.
//!
//! It does not withstand keys that an attacker chooses, as that of the standard library does. Here the keys in a map are identifiers
//! of organisations, which the server makes, with random bits.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by tenant.
pub type Tenants<L, T> = HashMap<L, T, BuildHasherDefault<TenantHasher>>;

/// An odd number with evenly distributed bits: 2⁶⁴ divided by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes each word of the key into the hash by a multiplication of 128 bits.
#[derive(Default)]
pub struct TenantHasher(u64);

impl Hasher for TenantHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ FACTOR) * u128::from(FACTOR);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher;

    use super::*;
    use crate::platform::fair::Tenant;
    use crate::{Id, Timestamp};

    #[test]
    fn organisations_of_one_moment_are_spread_over_a_map() {
        const BUCKETS: u64 = 4096;
        let hash = BuildHasherDefault::<TenantHasher>::default();
        // One word of all ids differs only in its last byte.
        let tenants = (0..=u8::MAX).map(|last| {
            let id = Id::new(Timestamp::from_micros(1), [0, 0, 0, 0, 0, 0, 0, 0, last]);
            hash.hash_one(Tenant::Organisation(id))
        });
        let tenants: Vec<u64> = tenants.collect();
        // A map chooses the bucket by the low bits, and compares the highest seven.
        let buckets: HashSet<u64> = tenants.iter().map(|hash| hash % BUCKETS).collect();
        let tags: HashSet<u64> = tenants.iter().map(|hash| hash >> 57).collect();
        assert!(buckets.len() > 200 && tags.len() > 64, "{} {}", buckets.len(), tags.len());
    }
}
