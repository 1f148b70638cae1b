//! Rate limits: a token bucket for each organisation, refilled at a constant rate. Off unless configured. An
//! organisation can make as many access tokens as it likes, so a bucket per access token would limit nothing.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

use http::{HeaderMap, HeaderName, HeaderValue};
use model::{Id, Organisation};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
/// The most buckets in memory. Full ones are removed first, because a missing bucket counts as full.
const BUCKETS_MAX: usize = 50_000;

pub struct Buckets {
    per_second: f64,
    burst: f64,
    buckets: Mutex<HashMap<Id<Organisation>, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Buckets {
    pub fn new(per_second: u32, burst: u32) -> Self {
        let burst = f64::from(burst.max(1));
        Self { per_second: f64::from(per_second), burst, buckets: Mutex::default() }
    }

    fn is_off(&self) -> bool {
        self.per_second <= 0.0
    }

    fn refilled(&self, bucket: &Bucket) -> f64 {
        (bucket.left + bucket.at.elapsed().as_secs_f64() * self.per_second).min(self.burst)
    }

    /// Takes one request from the organisation's bucket. Returns the seconds to wait if it is empty.
    pub fn refuse(&self, organisation: Id<Organisation>) -> Option<u64> {
        if self.is_off() {
            return None;
        }
        let mut buckets = self.buckets.lock().ok()?;
        if buckets.len() >= BUCKETS_MAX {
            buckets.retain(|_, bucket| self.refilled(bucket) < self.burst);
        }
        let now = Instant::now();
        let bucket = buckets.entry(organisation).or_insert(Bucket { left: self.burst, at: now });
        bucket.left = self.refilled(bucket);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return None;
        }
        Some(((1.0 - bucket.left) / self.per_second).ceil().max(1.0) as u64)
    }

    /// Adds headers with the policy and the remaining requests.
    pub fn add_headers(&self, organisation: Id<Organisation>, headers: &mut HeaderMap) {
        if self.is_off() {
            return;
        }
        let left =
            self.buckets.lock().ok().and_then(|buckets| buckets.get(&organisation).map(|bucket| bucket.left));
        let left = left.unwrap_or(self.burst);
        let refill = ((self.burst - left) / self.per_second).ceil();
        let window = (self.burst / self.per_second).ceil();
        let values = [
            (RATE_LIMIT_POLICY, format!("\"default\";q={};w={window}", self.burst)),
            (RATE_LIMIT, format!("\"default\";r={};t={refill}", left.floor())),
        ];
        for (name, value) in values {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_empties_alone() {
        let buckets = Buckets::new(1, 3);
        let (one, other) = (Id::from_bits(1), Id::from_bits(2));
        assert!((0..3).all(|_| buckets.refuse(one).is_none()));
        assert_eq!(buckets.refuse(one), Some(1));
        assert_eq!(buckets.refuse(other), None);
        let mut headers = HeaderMap::new();
        buckets.add_headers(one, &mut headers);
        assert_eq!(headers[RATE_LIMIT_POLICY], "\"default\";q=3;w=3");
        assert!(headers[RATE_LIMIT].to_str().unwrap().starts_with("\"default\";r=0;"));
    }

    #[test]
    fn without_a_rate_nothing_is_refused_or_said() {
        let buckets = Buckets::new(0, 1);
        assert!((0..100).all(|_| buckets.refuse(Id::from_bits(1)).is_none()));
        let mut headers = HeaderMap::new();
        buckets.add_headers(Id::from_bits(1), &mut headers);
        assert!(headers.is_empty());
    }
}
