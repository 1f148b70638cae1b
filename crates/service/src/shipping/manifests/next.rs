//! What follows from a carrier's answer about a manifest, or from its silence. Pure.

use ::carriers::{Manifested, Outcome};
use model::Timestamp;

use crate::platform::backoff::backoff_seconds;

/// Consecutive failed attempts after which a manifest is given up: after about a day.
const FAILURES_MAX: i64 = 34;
/// The pause before a carrier that works on a manifest is asked again: a tenth of the time so far, within these limits.
const LOOK_SECONDS_MIN: i64 = 1;
const LOOK_SECONDS_MAX: i64 = 3600;
/// The time after which a manifest that the carrier still works on is given up.
const WAIT_SECONDS_MAX: i64 = 7 * 24 * 3600;

/// What is known when a decision is made.
#[derive(Clone, Copy)]
pub struct Facts {
    pub now: Timestamp,
    pub begun_at: Timestamp,
    /// Consecutive failures before this attempt.
    pub failures: i64,
}

/// What is to be done next.
#[derive(Debug, PartialEq)]
pub enum Next {
    Created(Manifested),
    Failed(String),
    /// It is asked for again.
    Again {
        due_at: Timestamp,
        failures: i64,
        message: Option<String>,
        carrier_reference: Option<String>,
    },
}

impl Facts {
    pub fn after_asking(&self, outcome: Outcome) -> Next {
        match outcome {
            Outcome::Manifested(manifested) => Next::Created(manifested),
            Outcome::Manifesting(name) => self.wait(name),
            Outcome::Rejected(error) => Next::Failed(error.message),
            // Repeating the request does not create a second manifest, so it is repeated if the carrier did not answer.
            Outcome::Unsent { why, retry_after } => {
                let asked_for = retry_after.map_or(0, |wait| wait.as_secs().min(3600) as i64);
                self.again(why.message, asked_for)
            }
            Outcome::Unknown(why) => self.again(why.message, 0),
            _ => self.again("The carrier answered something else than was asked.".to_owned(), 0),
        }
    }

    /// After a failure on this side, such as of the file store: the carrier has the manifest, so it is not given up.
    pub fn after_fault(&self) -> Next {
        Next::Again {
            due_at: self.now.plus_seconds(backoff_seconds(self.failures)),
            // Capped below the limit, so that failures on this side alone never end the manifest.
            failures: (self.failures + 1).min(FAILURES_MAX - 1),
            message: None,
            carrier_reference: None,
        }
    }

    fn wait(&self, name: String) -> Next {
        let waited = self.now.as_seconds() - self.begun_at.as_seconds();
        if waited >= WAIT_SECONDS_MAX {
            return Next::Failed("The carrier did not come to an end with it within a week.".to_owned());
        }
        Next::Again {
            due_at: self.now.plus_seconds((waited / 10).clamp(LOOK_SECONDS_MIN, LOOK_SECONDS_MAX)),
            failures: 0,
            message: None,
            carrier_reference: Some(name),
        }
    }

    fn again(&self, message: String, asked_for: i64) -> Next {
        if self.failures + 1 >= FAILURES_MAX {
            return Next::Failed(message);
        }
        Next::Again {
            due_at: self.now.plus_seconds(backoff_seconds(self.failures).max(asked_for)),
            failures: self.failures + 1,
            message: Some(message),
            carrier_reference: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};

    use super::*;

    fn facts() -> Facts {
        let now = Timestamp::from_micros(1_793_523_600_000_000);
        Facts { now, begun_at: now, failures: 0 }
    }

    fn error() -> ShipmentError {
        ShipmentError::new(ErrorType::Manifest, ErrorCode::ServiceUnavailable, Source::Carrier, "No.")
    }

    #[test]
    fn a_no_is_a_no_and_silence_is_asked_again() {
        assert_eq!(facts().after_asking(Outcome::Rejected(error())), Next::Failed("No.".to_owned()));
        let again = facts().after_asking(Outcome::Unknown(error()));
        let Next::Again { due_at, failures, .. } = again else { panic!("{again:?}") };
        assert_eq!((due_at, failures), (facts().now.plus_seconds(1), 1));
        let limited = Outcome::Unsent { why: error(), retry_after: Some(Duration::from_secs(30)) };
        let again = facts().after_asking(limited);
        assert!(matches!(again, Next::Again { due_at, .. } if due_at == facts().now.plus_seconds(30)));
    }

    #[test]
    fn silence_ends_in_about_a_day() {
        let (mut facts, begin) = (facts(), facts().now);
        let mut asked = 0;
        while let Next::Again { due_at, failures, .. } = facts.after_asking(Outcome::Unknown(error())) {
            (facts.now, facts.failures, asked) = (due_at, failures, asked + 1);
        }
        let hours = (facts.now.as_seconds() - begin.as_seconds()) / 3600;
        assert!((20..=26).contains(&hours), "{hours} hours, {asked} times");
    }

    #[test]
    fn a_carrier_that_is_at_it_is_waited_for_and_not_for_ever() {
        let mut facts = Facts { failures: 5, ..facts() };
        let waits = facts.after_asking(Outcome::Manifesting("m".to_owned()));
        assert!(
            matches!(waits, Next::Again { failures: 0, due_at, .. } if due_at == facts.now.plus_seconds(1))
        );
        facts.begun_at = facts.now.plus_seconds(-WAIT_SECONDS_MAX);
        assert!(matches!(facts.after_asking(Outcome::Manifesting("m".to_owned())), Next::Failed(_)));
    }
}
