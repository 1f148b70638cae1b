//! Percentiles of durations.

use std::time::Duration;

use crate::harness::outcome::Outcome;

/// The 10th percentile, which other work on the machine hardly changes, the median, and the 99th percentile.
pub struct Times {
    pub p10_ms: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
}

impl Times {
    pub fn of(mut times: Vec<Duration>) -> Outcome<Self> {
        if times.is_empty() {
            return Err("nothing was measured".into());
        }
        times.sort_unstable();
        let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1000.0;
        Ok(Self { p10_ms: at(10), p50_ms: at(50), p99_ms: at(99) })
    }
}
