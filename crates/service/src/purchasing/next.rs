//! What follows from what a carrier said, or from its silence. Pure, because money hangs on it.
//!
//! Architecture Invariant: nothing is bought again on a guess. What may have been bought is looked up; where that can't be
//! done either, it is bought again only from a carrier that makes the same purchase once, and else a person decides.

use std::time::Duration;

use ::carriers::{Capabilities, Outcome, Receipt};
use model::Timestamp;
use model::shipment::{ErrorCode, ErrorType, ShipmentError, Source};

/// Attempts that fail one after another before it is given up.
const FAILURES_MAX: i64 = 8;
/// The rest before something is tried again: doubled each time, and never longer than the second.
const REST_FIRST_SECONDS: i64 = 1;
const REST_MAX_SECONDS: i64 = 3600;

/// What is known when a decision is made.
#[derive(Clone, Copy)]
pub struct Facts {
    pub can: Capabilities,
    pub now: Timestamp,
    /// Failures one after another before this.
    pub failures: i64,
    /// Since when nobody knows whether it was bought: the last moment at which it may have been sent.
    pub unknown_at: Option<Timestamp>,
    /// How long a look-up may fail before a person is asked.
    pub review_seconds: i64,
    /// How long a carrier may go on with what it was asked after nobody listens any more, beside the time for which its
    /// purchases are invisible.
    pub settle_seconds: i64,
}

/// What is to be done next.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// It is bought; what was bought beside it is to be taken back.
    Bought { receipt: Receipt, duplicates: Vec<Receipt> },
    /// It is not bought, and will not be.
    Failed(ShipmentError),
    /// It is not bought, and is tried again.
    Again { due_at: Timestamp, error: Option<ShipmentError> },
    /// It may have been bought, and is looked up.
    Check { due_at: Timestamp, unknown_at: Timestamp, error: Option<ShipmentError> },
    /// A person must find out.
    Review(ShipmentError),
}

impl Facts {
    /// After an attempt to buy.
    pub fn after_buying(&self, outcome: Outcome) -> Next {
        match outcome {
            Outcome::Bought(receipt) => Next::Bought { receipt, duplicates: Vec::new() },
            Outcome::Found(found) if !found.is_empty() => self.after_look_up(Outcome::Found(found)),
            Outcome::Rejected(error) => Next::Failed(error),
            Outcome::Unsent { why, .. } if self.failures + 1 >= FAILURES_MAX => Next::Failed(why),
            Outcome::Unsent { why, retry_after } => {
                let due_at = self.later(retry_after);
                Next::Again { due_at, error: Some(why) }
            }
            Outcome::Unknown(error) => self.unknown(error, self.now),
            _ => self.unknown(puzzled(), self.now),
        }
    }

    /// After a server died while it was asking; what it sent may be on its way until `gone_at`.
    pub fn after_crash(&self, gone_at: Timestamp) -> Next {
        let message = "A server stopped before the carrier's answer came.";
        let error = unknown_outcome(message);
        if self.failures + 1 >= FAILURES_MAX {
            return Next::Review(error);
        }
        self.unknown(error, gone_at)
    }

    /// Where it may have been bought, as by a database that a backup has replaced, and the carrier can't be asked.
    pub fn unasked(&self) -> Next {
        let message = "The carrier can't be asked whether it was.";
        self.unknown(unknown_outcome(message), self.unknown_at.unwrap_or(self.now))
    }

    /// After a look-up.
    pub fn after_look_up(&self, outcome: Outcome) -> Next {
        let error = match outcome {
            Outcome::Found(found) => {
                let mut receipts = found.into_iter().map(|found| found.receipt);
                match receipts.next() {
                    Some(receipt) => return Next::Bought { receipt, duplicates: receipts.collect() },
                    None => return self.absent(),
                }
            }
            Outcome::Rejected(error) | Outcome::Unsent { why: error, .. } | Outcome::Unknown(error) => error,
            _ => puzzled(),
        };
        let unknown_at = self.unknown_at.unwrap_or(self.now);
        if self.now >= unknown_at.plus_seconds(self.review_seconds) {
            return Next::Review(unknown_outcome(&error.message));
        }
        Next::Check { due_at: self.later(None), unknown_at, error: Some(error) }
    }

    /// The carrier knows of no purchase: true once everything that was sent must have arrived and be visible.
    fn absent(&self) -> Next {
        let unknown_at = self.unknown_at.unwrap_or(self.now);
        let delay = self.can.visibility_delay.as_micros() as i64;
        let certain_at = Timestamp::from_micros(unknown_at.as_micros().saturating_add(delay));
        let certain_at = certain_at.plus_seconds(self.settle_seconds);
        if self.now < certain_at {
            return Next::Check { due_at: certain_at, unknown_at, error: None };
        }
        if self.failures + 1 >= FAILURES_MAX {
            let message = "The carrier did not answer, and has no such purchase.";
            let code = ErrorCode::ProviderUnavailable;
            return Next::Failed(ShipmentError::new(ErrorType::Purchase, code, Source::Provider, message));
        }
        Next::Again { due_at: self.now, error: None }
    }

    fn unknown(&self, error: ShipmentError, unknown_at: Timestamp) -> Next {
        if self.can.can_look_up {
            return Next::Check { due_at: self.now, unknown_at, error: Some(error) };
        }
        let is_over = self.now >= self.unknown_at.unwrap_or(self.now).plus_seconds(self.review_seconds);
        if self.can.is_idempotent && self.failures + 1 < FAILURES_MAX && !is_over {
            return Next::Again { due_at: self.later(None), error: Some(error) };
        }
        Next::Review(unknown_outcome(&error.message))
    }

    /// When to try again after one failure more.
    fn later(&self, asked_for: Option<Duration>) -> Timestamp {
        let asked_for = asked_for.map_or(0, |wait| wait.as_secs().min(REST_MAX_SECONDS as u64) as i64);
        self.now.plus_seconds(rest_seconds(self.failures).max(asked_for))
    }
}

/// The rest after so many failures.
pub fn rest_seconds(failures: i64) -> i64 {
    let doublings = failures.clamp(0, 12) as u32;
    (REST_FIRST_SECONDS << doublings).min(REST_MAX_SECONDS)
}

fn unknown_outcome(message: &str) -> ShipmentError {
    let message = format!("It is not known whether it was bought. {message}");
    ShipmentError::new(ErrorType::Purchase, ErrorCode::OutcomeUnknown, Source::Provider, message)
}

fn puzzled() -> ShipmentError {
    let message = "The carrier answered something else than was asked.";
    ShipmentError::new(ErrorType::Purchase, ErrorCode::OutcomeUnknown, Source::Provider, message)
}

#[cfg(test)]
mod tests {
    use ::carriers::Found;
    use proptest::prelude::*;

    use super::*;

    fn can(is_idempotent: bool, can_look_up: bool) -> Capabilities {
        Capabilities {
            is_idempotent,
            can_look_up,
            can_void: true,
            can_manifest: false,
            can_track: true,
            label_formats: &[],
            visibility_delay: Duration::from_secs(5),
        }
    }

    fn facts(is_idempotent: bool, can_look_up: bool) -> Facts {
        let now = Timestamp::from_micros(1_793_523_600_000_000);
        Facts {
            can: can(is_idempotent, can_look_up),
            now,
            failures: 0,
            unknown_at: None,
            review_seconds: 100,
            settle_seconds: 0,
        }
    }

    fn receipt(name: &str) -> Receipt {
        Receipt {
            purchase: name.to_owned(),
            tracking_numbers: vec!["1".to_owned()],
            charged: 1,
            currency: "GBP".to_owned(),
            label: None,
        }
    }

    fn silence() -> Outcome {
        Outcome::Unknown(puzzled())
    }

    #[test]
    fn silence_is_looked_up_or_repeated_or_a_person_s_to_solve() {
        assert!(matches!(facts(true, true).after_buying(silence()), Next::Check { .. }));
        assert!(matches!(facts(false, true).after_buying(silence()), Next::Check { .. }));
        assert!(matches!(facts(true, false).after_buying(silence()), Next::Again { .. }));
        assert!(matches!(facts(false, false).after_buying(silence()), Next::Review(_)));
    }

    #[test]
    fn what_may_be_bought_and_can_t_be_asked_for_is_repeated_or_a_person_s_to_solve() {
        assert!(matches!(facts(true, false).unasked(), Next::Again { .. }));
        assert!(matches!(facts(false, false).unasked(), Next::Review(_)));
    }

    #[test]
    fn what_is_not_found_is_bought_again_only_once_that_is_certain() {
        let mut facts = facts(false, true);
        let gone = facts.now.plus_seconds(-2);
        facts.unknown_at = Some(gone);
        let certain = gone.plus_seconds(5);
        let next = facts.after_look_up(Outcome::Found(Vec::new()));
        assert_eq!(next, Next::Check { due_at: certain, unknown_at: gone, error: None });
        facts.now = certain;
        assert!(matches!(facts.after_look_up(Outcome::Found(Vec::new())), Next::Again { .. }));
        let facts = Facts { settle_seconds: 30, ..facts };
        let next = facts.after_look_up(Outcome::Found(Vec::new()));
        assert!(matches!(next, Next::Check { due_at, .. } if due_at == certain.plus_seconds(30)), "{next:?}");
    }

    #[test]
    fn after_a_crash_the_last_byte_may_have_left_at_the_end_of_the_call() {
        let facts = facts(false, true);
        let gone_at = facts.now.plus_seconds(20);
        let next = facts.after_crash(gone_at);
        assert!(matches!(next, Next::Check { unknown_at, .. } if unknown_at == gone_at), "{next:?}");
        assert!(matches!(Facts { failures: 7, ..facts }.after_crash(gone_at), Next::Review(_)));
    }

    #[test]
    fn of_several_purchases_one_is_kept() {
        let found = vec![Found { receipt: receipt("a") }, Found { receipt: receipt("b") }];
        let next = facts(false, true).after_look_up(Outcome::Found(found));
        assert_eq!(next, Next::Bought { receipt: receipt("a"), duplicates: vec![receipt("b")] });
    }

    #[test]
    fn a_look_up_that_fails_for_too_long_is_a_person_s_to_solve() {
        let mut facts = facts(true, true);
        facts.unknown_at = Some(facts.now.plus_seconds(-99));
        assert!(matches!(facts.after_look_up(silence()), Next::Check { .. }));
        facts.unknown_at = Some(facts.now.plus_seconds(-100));
        assert!(matches!(facts.after_look_up(silence()), Next::Review(_)));
    }

    fn outcomes() -> impl Strategy<Value = u8> {
        0u8..6
    }

    fn outcome(kind: u8) -> Outcome {
        match kind {
            0 => Outcome::Bought(receipt("a")),
            1 => Outcome::Rejected(puzzled()),
            2 => Outcome::Unsent { why: puzzled(), retry_after: Some(Duration::from_secs(u64::MAX)) },
            3 => silence(),
            4 => Outcome::Voided,
            _ => Outcome::Found(Vec::new()),
        }
    }

    proptest! {
        #[test]
        fn nothing_that_may_be_bought_is_bought_again_where_it_would_be_bought_twice(
            kind in outcomes(), failures in 0i64..20, can_look_up: bool, after_crash: bool,
        ) {
            let facts = Facts { failures, ..facts(false, can_look_up) };
            let is_certain = !after_crash && matches!(kind, 0..=2);
            let next = if after_crash {
                facts.after_crash(facts.now)
            } else {
                facts.after_buying(outcome(kind))
            };
            if !is_certain {
                prop_assert!(matches!(next, Next::Check { .. } | Next::Review(_)), "{:?}", next);
            }
        }

        #[test]
        fn rests_grow_and_end(failures in 0i64..1000) {
            prop_assert!(rest_seconds(failures) <= rest_seconds(failures + 1));
            prop_assert!((1..=REST_MAX_SECONDS).contains(&rest_seconds(failures)));
        }
    }
}
