//! The rule that tells work that stops servers from work that servers merely held when they were stopped. Pure.
//!
//! A server always holds many purchases and lanes, so a server that is killed again and again for another reason is often killed
//! while it works on some of them. A stop says little against them if servers live for seconds. It says much if the node ran
//! well for a long time, began this one piece of work, and stopped. So a node resumes a suspect with more stops only after it has
//! run for longer.

use crate::platform::set_aside::STOPS_FIRST;

/// Stops in a row after which work of most kinds is set aside: two beside other work, and one alone.
pub const STOPS_MAX: i64 = 3;
/// Stops in a row after which purchases and lanes are set aside: two beside other work, and three alone.
pub const STOPS_MAX_OF_MANY: i64 = 5;
/// How long a node must have run before it resumes a purchase or a lane that was resumed alone once, and twice.
const AGE_SECONDS_SECOND: i64 = 2;
const AGE_SECONDS_THIRD: i64 = 10;

/// Starts of servers after which a suspect that none of them has resumed is a suspect no longer. Servers that stop before they may
/// resume it are stopped by something else, and the suspect must not wait for as long as that lasts.
pub const STARTS_MAX: i64 = 10;

/// Returns the largest number of stops of the purchases and lanes that a node may resume. A node that still
/// works on another suspect (`is_quiet` is false) resumes only those that were not resumed alone yet.
pub fn stops_max(age_seconds: i64, is_quiet: bool) -> i64 {
    match age_seconds {
        _ if !is_quiet => STOPS_FIRST,
        ..AGE_SECONDS_SECOND => STOPS_FIRST,
        AGE_SECONDS_SECOND..AGE_SECONDS_THIRD => STOPS_FIRST + 1,
        _ => i64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how long a node must have run before it claims work with so many stops.
    fn wait_seconds(stops: i64) -> i64 {
        (0..60).find(|age| stops <= stops_max(*age, true)).expect("a bounded wait")
    }

    /// Returns the probability that innocent work is set aside, if servers are killed at this rate for another reason, and start
    /// again at once. Each attempt at the work takes so long.
    fn set_aside(kills_per_second: f64, work_seconds: f64) -> f64 {
        let is_killed_at_work = 1.0 - (-kills_per_second * work_seconds).exp();
        let reaches_work = |stops| (-kills_per_second * wait_seconds(stops) as f64).exp();
        (0..STOPS_MAX_OF_MANY).map(|stops| is_killed_at_work * reaches_work(stops)).product()
    }

    #[test]
    fn innocent_work_is_hardly_ever_set_aside_however_often_servers_are_killed() {
        for tenth in 0..100 {
            let kills_per_second = f64::from(tenth) / 10.0;
            assert!(set_aside(kills_per_second, 0.2) < 1e-7, "{kills_per_second}");
            assert!(set_aside(kills_per_second, 1.0) < 1e-4, "{kills_per_second}");
        }
    }

    #[test]
    fn work_that_stops_servers_is_resumed_alone_three_times_and_then_set_aside() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(wait_seconds), [0, 0, 0, 2, 10, 10]);
        let alone = (STOPS_FIRST..).take_while(|stops| *stops < STOPS_MAX_OF_MANY).count();
        assert_eq!(alone, 3);
    }

    #[test]
    fn beside_another_suspect_only_first_ones_are_resumed() {
        for age in [0, 5, 3600] {
            assert_eq!(stops_max(age, false), STOPS_FIRST);
        }
    }
}
