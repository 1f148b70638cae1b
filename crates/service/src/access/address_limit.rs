//! How often each network address failed to sign in of late, on this node.
//!
//! The limit per account is shared by all nodes, through the database. This one keeps one address from trying many accounts.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Failures of one address in a window, after which it is refused.
const FAILURES_MAX: u32 = 60;
const WINDOW: Duration = Duration::from_secs(15 * 60);
/// Addresses that are remembered at most. Beyond that, those whose window is over are forgotten, and then all.
const ADDRESSES_MAX: usize = 20_000;

/// Failed sign-ins by address.
#[derive(Default)]
pub struct AddressLimit(Mutex<HashMap<u64, (u32, Instant)>>);

impl AddressLimit {
    /// Returns for how many seconds the address is refused, if it is.
    pub fn refuse(&self, address: Option<IpAddr>) -> Option<i64> {
        let all = self.0.lock().ok()?;
        let (failures, since) = all.get(&key(address?))?;
        let left = WINDOW.checked_sub(since.elapsed())?;
        (*failures >= FAILURES_MAX).then(|| left.as_secs() as i64 + 1)
    }

    /// Counts a failure.
    pub fn count(&self, address: Option<IpAddr>) {
        let (Some(address), Ok(mut all)) = (address, self.0.lock()) else { return };
        if all.len() >= ADDRESSES_MAX {
            all.retain(|_, (_, since)| since.elapsed() < WINDOW);
        }
        if all.len() >= ADDRESSES_MAX {
            all.clear();
        }
        let entry = all.entry(key(address)).or_insert_with(|| (0, Instant::now()));
        if entry.1.elapsed() >= WINDOW {
            *entry = (0, Instant::now());
        }
        entry.0 += 1;
    }
}

/// Returns what counts as one address: a provider gives each customer a whole /64 of IPv6.
fn key(address: IpAddr) -> u64 {
    match address.to_canonical() {
        IpAddr::V4(address) => u64::from(u32::from(address)),
        IpAddr::V6(address) => (u128::from(address) >> 64) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_refused_after_its_failures_and_others_are_not() {
        let limit = AddressLimit::default();
        let address = |text: &str| Some(text.parse::<IpAddr>().unwrap());
        for _ in 0..FAILURES_MAX {
            assert_eq!(limit.refuse(address("192.0.2.1")), None);
            limit.count(address("192.0.2.1"));
            limit.count(address("2001:db8::1"));
        }
        assert!(limit.refuse(address("192.0.2.1")).is_some_and(|seconds| (1..=901).contains(&seconds)));
        assert!(limit.refuse(address("::ffff:192.0.2.1")).is_some(), "the same address");
        assert!(limit.refuse(address("2001:db8::2")).is_some(), "the same /64");
        assert_eq!(limit.refuse(address("192.0.2.2")), None);
        assert_eq!(limit.refuse(None), None);
    }

    #[test]
    fn memory_is_bounded() {
        let limit = AddressLimit::default();
        for number in 0..(ADDRESSES_MAX as u32 + 10) {
            limit.count(Some(IpAddr::V4(number.into())));
        }
        assert!(limit.0.lock().unwrap().len() <= ADDRESSES_MAX);
    }
}
