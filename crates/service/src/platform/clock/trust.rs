//! Which time is believed when something is deleted because of its age.
//!
//! A clock that jumps forward makes everything look old. The trusted time goes on from the moment that the installation had
//! reached, at the pace of a monotonic clock. So a jump is never trusted at once, in a running server or across a restart.
//! A server that was stopped for long looks the same as a jump; there the trusted time catches up at double pace.

use std::time::Duration;

use model::Timestamp;

use super::steady::micros;

/// How far two clocks may differ before nothing is deleted, in seconds.
pub const DIFFERENCE_SECONDS_MAX: i64 = 3600;
/// How much faster than real time the trusted time may pass while it is behind. A jump by some time is trusted after it
/// stayed unnoticed for as long.
const CATCH_UP_PACE: i64 = 2;

/// The newest moment that is known to be past. Pure: what the clocks say is passed in.
#[derive(Clone, Copy, Debug)]
pub struct Trust {
    at: Timestamp,
    since: Duration,
}

/// Why nothing is deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The time is so many seconds ahead of what the installation had reached: it jumped, or all servers were stopped.
    Ahead(i64),
    /// The time differs from the database's by so many seconds.
    Database(i64),
}

impl Trust {
    /// `at` is the moment that the installation had reached when the monotonic clock stood at `since`.
    pub fn new(at: Timestamp, since: Duration) -> Self {
        Self { at, since }
    }

    /// Goes on to the present, and returns the trusted time. It is never ahead of `now`.
    pub fn advance(&mut self, now: Timestamp, monotonic: Duration) -> Timestamp {
        let passed = micros(monotonic.saturating_sub(self.since)).saturating_mul(CATCH_UP_PACE);
        let at = Timestamp::from_micros(self.at.as_micros().saturating_add(passed));
        (self.at, self.since) = (at.min(now), monotonic.max(self.since));
        self.at
    }
}

/// Returns the time by which things may be deleted for their age.
pub fn judge(now: Timestamp, trusted: Timestamp, database: Option<Timestamp>) -> Result<Timestamp, Refusal> {
    let ahead_of = |other: Timestamp| now.as_seconds().saturating_sub(other.as_seconds());
    if let Some(difference) = database.map(ahead_of)
        && difference.saturating_abs() > DIFFERENCE_SECONDS_MAX
    {
        return Err(Refusal::Database(difference));
    }
    if ahead_of(trusted) > DIFFERENCE_SECONDS_MAX {
        return Err(Refusal::Ahead(ahead_of(trusted)));
    }
    Ok(now.min(trusted).min(database.unwrap_or(now)))
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ahead(seconds) => write!(
                out,
                "nothing is deleted for its age: the clock is {seconds} s ahead of the moment that this installation \
                 had reached. If the clock is right, because all servers were stopped, deleting goes on by itself after \
                 as long a time; if it is wrong, set it right and restart the server"
            ),
            Self::Database(seconds) => write!(
                out,
                "nothing is deleted for its age: the clock and the database's differ by {} s. Set both right",
                seconds.saturating_abs()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BEGIN: i64 = 1_793_523_600;
    const HOUR: i64 = 3600;
    const YEAR: i64 = 365 * 24 * HOUR;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros((BEGIN + seconds) * 1_000_000)
    }

    fn after(seconds: i64) -> Duration {
        Duration::from_secs(seconds.unsigned_abs())
    }

    #[test]
    fn time_that_passes_is_trusted() {
        let mut trust = Trust::new(at(0), after(0));
        let trusted = trust.advance(at(31 * 24 * HOUR), after(31 * 24 * HOUR));
        assert_eq!(judge(at(31 * 24 * HOUR), trusted, None), Ok(at(31 * 24 * HOUR)));
    }

    #[test]
    fn a_jump_is_refused_for_as_long_as_it_was_far() {
        let mut trust = Trust::new(at(0), after(0));
        let trusted = trust.advance(at(10 * YEAR), after(0));
        assert_eq!(judge(at(10 * YEAR), trusted, None), Err(Refusal::Ahead(10 * YEAR)));
        let trusted = trust.advance(at(10 * YEAR + YEAR), after(YEAR));
        assert_eq!(judge(at(10 * YEAR + YEAR), trusted, None), Err(Refusal::Ahead(9 * YEAR)));
    }

    #[test]
    fn a_server_that_was_stopped_for_a_week_deletes_again_after_a_week() {
        const WEEK: i64 = 7 * 24 * HOUR;
        let mut trust = Trust::new(at(0), after(0));
        let early = trust.advance(at(WEEK + WEEK / 2), after(WEEK / 2));
        assert!(judge(at(WEEK + WEEK / 2), early, None).is_err());
        let later = trust.advance(at(2 * WEEK), after(WEEK));
        assert_eq!(judge(at(2 * WEEK), later, None), Ok(at(2 * WEEK)));
    }

    #[test]
    fn the_database_s_clock_must_agree_in_both_directions() {
        let now = at(0);
        for differs in [HOUR + 1, -HOUR - 1] {
            assert_eq!(judge(now, now, Some(at(-differs))), Err(Refusal::Database(differs)));
        }
        assert_eq!(judge(now, now, Some(at(-HOUR))), Ok(at(-HOUR)), "the earlier of both");
        assert_eq!(judge(now, now, Some(at(HOUR))), Ok(now));
    }

    proptest! {
        #[test]
        fn what_is_deleted_was_old_enough_by_every_clock(
            now in -YEAR..YEAR, trusted in -YEAR..YEAR, database in proptest::option::of(-YEAR..YEAR),
        ) {
            if let Ok(by) = judge(at(now), at(trusted), database.map(at)) {
                prop_assert!(by <= at(now) && by <= at(trusted));
                prop_assert!(database.is_none_or(|database| by <= at(database)));
            }
        }

        #[test]
        fn trusted_time_never_passes_faster_than_twice_the_real_time(
            steps in proptest::collection::vec((-YEAR..YEAR, 0..24 * HOUR), 1..50),
        ) {
            let mut trust = Trust::new(at(0), after(0));
            let mut passed = 0;
            for (now, step) in steps {
                passed += step;
                let trusted = trust.advance(at(now), after(passed));
                prop_assert!(trusted <= at(now));
                prop_assert!(trusted <= at(CATCH_UP_PACE * passed));
            }
        }
    }
}
