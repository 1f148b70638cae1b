//! The pause before work that failed is tried again. Pure.

/// The pause after the first failure. It doubles with each failure, up to the longest.
const FIRST_SECONDS: i64 = 1;
pub const BACKOFF_SECONDS_MAX: i64 = 3600;

/// Returns the pause after so many earlier failures in a row.
pub fn backoff_seconds(failures: i64) -> i64 {
    let doublings = failures.clamp(0, 12) as u32;
    (FIRST_SECONDS << doublings).min(BACKOFF_SECONDS_MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pauses_grow_and_end(failures in 0i64..1000) {
            prop_assert!(backoff_seconds(failures) <= backoff_seconds(failures + 1));
            prop_assert!((1..=BACKOFF_SECONDS_MAX).contains(&backoff_seconds(failures)));
        }
    }
}
