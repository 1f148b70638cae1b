//! The time of one process. It follows the machine's clock forward and never goes back with it.

use std::time::Duration;

use model::Timestamp;

/// While the machine's clock is behind, the process's time passes at this share of the real pace, so that the machine's
/// clock catches up: a lead of a day is gone after four.
const SLOW_PACE: (i64, i64) = (3, 4);
/// A lead that is worth a line in the log, in microseconds. NTP corrects less than this all the time.
const TOLD_MICROS_MIN: i64 = 1_000_000;

/// Time that never goes back. Pure: what the clocks say is passed in.
pub struct Steady {
    /// The last moment that was taken from the machine's clock or from the installation, and the monotonic time then.
    from: Timestamp,
    since: Duration,
    /// The largest lead that was reported, in microseconds.
    told_micros: i64,
}

/// What the process's clock says.
#[derive(Debug, PartialEq, Eq)]
pub struct Reading {
    pub now: Timestamp,
    /// How far the time is ahead of the machine's clock, in microseconds.
    pub lead_micros: i64,
    /// Whether the lead has become larger, so that it should be reported.
    pub is_news: bool,
}

impl Steady {
    pub fn new(machine: Timestamp, monotonic: Duration) -> Self {
        Self { from: machine, since: monotonic, told_micros: 0 }
    }

    /// Returns the time, given what the machine's two clocks say.
    pub fn read(&mut self, machine: Timestamp, monotonic: Duration) -> Reading {
        let held = self.held(monotonic);
        if machine >= held {
            (self.from, self.since, self.told_micros) = (machine, monotonic, 0);
            return Reading { now: machine, lead_micros: 0, is_news: false };
        }
        let lead_micros = held.as_micros() - machine.as_micros();
        let is_news = lead_micros >= self.told_micros + TOLD_MICROS_MIN;
        if is_news {
            self.told_micros = lead_micros;
        }
        Reading { now: held, lead_micros, is_news }
    }

    /// Goes forward to a moment that the installation has reached already.
    pub fn lift(&mut self, to: Timestamp, monotonic: Duration) {
        if to > self.held(monotonic) {
            (self.from, self.since) = (to, monotonic);
        }
    }

    /// The time if the machine's clock had been set back right after it was last followed.
    fn held(&self, monotonic: Duration) -> Timestamp {
        let passed = micros(monotonic.saturating_sub(self.since));
        let (share, whole) = SLOW_PACE;
        Timestamp::from_micros(self.from.as_micros().saturating_add(passed / whole * share))
    }
}

pub fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BEGIN: i64 = 1_793_523_600_000_000;
    const SECOND: i64 = 1_000_000;
    const DAY: i64 = 24 * 3600 * SECOND;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(BEGIN + micros)
    }

    fn after(micros: i64) -> Duration {
        Duration::from_micros(micros.unsigned_abs())
    }

    #[test]
    fn a_clock_that_is_set_forward_is_followed_at_once() {
        let mut steady = Steady::new(at(0), after(0));
        let jumped = steady.read(at(DAY), after(SECOND));
        assert_eq!(jumped, Reading { now: at(DAY), lead_micros: 0, is_news: false });
    }

    #[test]
    fn a_clock_that_is_set_back_is_held_reported_once_and_waited_for() {
        let mut steady = Steady::new(at(0), after(0));
        let back = steady.read(at(-DAY), after(0));
        assert_eq!(back, Reading { now: at(0), lead_micros: DAY, is_news: true });
        let later = steady.read(at(4 * SECOND - DAY), after(4 * SECOND));
        assert_eq!(later.now, at(3 * SECOND), "time goes on");
        assert!(!later.is_news, "it was reported");
        let caught_up = steady.read(at(3 * DAY), after(4 * DAY));
        assert_eq!((caught_up.now, caught_up.lead_micros), (at(3 * DAY), 0));
        assert!(steady.read(at(0), after(4 * DAY)).is_news, "another set-back is reported again");
    }

    #[test]
    fn what_ntp_corrects_is_not_reported() {
        let mut steady = Steady::new(at(0), after(0));
        assert!(!steady.read(at(-SECOND / 2), after(0)).is_news);
    }

    #[test]
    fn it_is_lifted_to_what_the_installation_has_reached_and_no_lower() {
        let mut steady = Steady::new(at(0), after(0));
        steady.lift(at(DAY), after(0));
        assert_eq!(steady.read(at(0), after(0)).now, at(DAY));
        steady.lift(at(0), after(0));
        assert_eq!(steady.read(at(0), after(0)).now, at(DAY));
    }

    proptest! {
        #[test]
        fn time_never_goes_back_and_is_never_behind_the_machine(
            steps in proptest::collection::vec((-30 * DAY..30 * DAY, 0..DAY), 1..50),
        ) {
            let mut steady = Steady::new(at(0), after(0));
            let (mut last, mut passed) = (at(0), 0);
            for (machine, step) in steps {
                passed += step;
                let reading = steady.read(at(machine), after(passed));
                prop_assert!(reading.now >= last);
                prop_assert!(reading.now >= at(machine));
                prop_assert_eq!(reading.lead_micros, reading.now.as_micros() - at(machine).as_micros());
                last = reading.now;
            }
        }

        #[test]
        fn a_lead_shrinks_until_it_is_gone(lead in 0..DAY, step in SECOND..DAY) {
            let mut steady = Steady::new(at(lead), after(0));
            let mut before = lead;
            for count in 1..200 {
                let reading = steady.read(at(count * step), after(count * step));
                prop_assert!(reading.lead_micros < before || reading.lead_micros == 0);
                before = reading.lead_micros;
            }
            prop_assert!(before == 0 || 200 * step < 5 * lead);
        }
    }
}
