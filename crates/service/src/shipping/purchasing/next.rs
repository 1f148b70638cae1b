//! What follows from a carrier's answer, or from its silence. The functions are pure, because money depends on them.
//!
//! Architecture Invariant: nothing is bought again on a guess. What may have been bought is looked up. If the carrier has no
//! look-up, it is bought again only if the carrier is idempotent; else a person decides.
//!
//! Architecture Invariant: a purchase that may have been charged ends as failed only after a look-up that found nothing at a
//! time when everything that was sent had to be visible, however many attempts failed before.

use std::time::Duration;

use ::carriers::{Capabilities, Outcome, Receipt};
use model::Timestamp;
use model::shipping::purchase::State;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use store::shipping::purchases::Purchase;

use crate::platform::backoff::{BACKOFF_SECONDS_MAX, backoff_seconds};

/// Consecutive failed attempts after which a purchase is given up.
pub(super) const FAILURES_MAX: i64 = 8;
/// Look-ups charge nothing, and a batch waits for their answers: the pause before the next one is at most this long, or at most
/// this fraction of the time since the purchase may have been sent.
const LOOK_UP_REST_SECONDS: i64 = 15;
const LOOK_UP_REST_PART: i64 = 4;

/// What is known when a decision is made.
#[derive(Clone, Copy)]
pub struct Facts {
    pub can: Capabilities,
    pub now: Timestamp,
    /// Consecutive failures before this attempt.
    pub failures: i64,
    /// Since when it is unknown whether it was bought: the last moment at which it may have been sent.
    pub unknown_at: Option<Timestamp>,
    /// How long a look-up may fail before a person is asked.
    pub review_seconds: i64,
    /// How long a carrier may go on working on a request after this node has stopped waiting for the answer, in addition to
    /// [`Capabilities::visibility_delay`].
    pub settle_seconds: i64,
}

/// What is to be done next.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// It is bought. The duplicates are to be voided.
    Bought { receipt: Receipt, duplicates: Vec<Receipt> },
    /// It is not bought, and will not be.
    Failed(ShipmentError),
    /// It is tried again. Either it is not bought, or `unknown_at` is set and the carrier is idempotent, so that the carrier
    /// charges at most once.
    Again { due_at: Timestamp, unknown_at: Option<Timestamp>, error: Option<ShipmentError> },
    /// It may have been bought, and is looked up.
    Check { due_at: Timestamp, unknown_at: Timestamp, error: Option<ShipmentError> },
    /// A person must find out.
    Review(ShipmentError),
}

impl Facts {
    /// Returns what is to be done instead of buying, if it may be bought already and the carrier is not idempotent.
    pub fn before_buying(&self) -> Option<Next> {
        (self.unknown_at.is_some() && !self.can.is_idempotent).then(|| self.unasked())
    }

    /// After an attempt to register the shipment, which costs nothing: only earlier attempts may have been charged.
    pub fn after_preparing(&self, outcome: Outcome) -> Next {
        match outcome {
            Outcome::Rejected(_) | Outcome::Unsent { .. } => self.after_buying(outcome),
            Outcome::Unknown(why) => self.after_buying(Outcome::Unsent { why, retry_after: None }),
            _ => self.after_buying(Outcome::Unsent { why: puzzled(), retry_after: None }),
        }
    }

    /// After a look-up of what an earlier attempt prepared, with contents that have changed since. `None` if that was not bought,
    /// so that the shipment may be prepared anew.
    pub fn after_earlier_look_up(&self, outcome: Outcome) -> Option<Next> {
        match outcome {
            Outcome::Found(found) if found.is_empty() => None,
            // The account does not know it, for example because its key is now that of another user of the carrier.
            Outcome::Rejected(error) if error.code != ErrorCode::CredentialsInvalid => None,
            Outcome::Found(_) => {
                let message =
                    "An earlier purchase of this shipment, which was changed since, was made after all.";
                Some(Next::Review(unknown_outcome(message)))
            }
            Outcome::Untraceable(error) => Some(Next::Review(unknown_outcome(&error.message))),
            outcome => Some(self.after_preparing(outcome)),
        }
    }

    /// After an attempt to buy.
    pub fn after_buying(&self, outcome: Outcome) -> Next {
        match outcome {
            Outcome::Bought(receipt) => Next::Bought { receipt, duplicates: Vec::new() },
            Outcome::Found(found) if !found.is_empty() => self.after_look_up(Outcome::Found(found)),
            // This attempt charged nothing, but an earlier one may have: only a look-up proves that it did not.
            Outcome::Rejected(why) | Outcome::Unsent { why, .. } if self.unknown_at.is_some() => {
                self.unknown(why, self.now)
            }
            Outcome::Rejected(error) => Next::Failed(error),
            Outcome::Unsent { why, .. } if self.failures + 1 >= FAILURES_MAX => Next::Failed(why),
            Outcome::Unsent { why, retry_after } => {
                Next::Again { due_at: self.later(retry_after), unknown_at: None, error: Some(why) }
            }
            Outcome::Unknown(error) => self.unknown(error, self.now),
            Outcome::Untraceable(error) => Next::Review(unknown_outcome(&error.message)),
            _ => self.unknown(puzzled(), self.now),
        }
    }

    /// After a node died during its call. Its request may be on its way until `gone_at`.
    pub fn after_crash(&self, gone_at: Timestamp) -> Next {
        let message = "A server stopped before the carrier's answer came.";
        let error = unknown_outcome(message);
        if self.failures + 1 >= FAILURES_MAX {
            return Next::Review(error);
        }
        self.unknown(error, gone_at)
    }

    /// If it may have been bought, for example before a backup was restored, and the carrier has no look-up.
    pub fn unasked(&self) -> Next {
        let message = "The carrier can't be asked whether it was.";
        self.unknown(unknown_outcome(message), self.unknown_at.unwrap_or(self.now))
    }

    /// After a look-up.
    pub fn after_look_up(&self, outcome: Outcome) -> Next {
        let (error, retry_after) = match outcome {
            Outcome::Found(found) => {
                let mut receipts = found.into_iter().map(|found| found.receipt);
                match receipts.next() {
                    Some(receipt) => return Next::Bought { receipt, duplicates: receipts.collect() },
                    None => return self.absent(),
                }
            }
            Outcome::Untraceable(error) => return Next::Review(unknown_outcome(&error.message)),
            Outcome::Unsent { why, retry_after } => (why, retry_after),
            Outcome::Rejected(error) | Outcome::Unknown(error) => (error, None),
            _ => (puzzled(), None),
        };
        let unknown_at = self.unknown_at.unwrap_or(self.now);
        let review_at = unknown_at.plus_seconds(self.review_seconds);
        if self.now >= review_at {
            return Next::Review(unknown_outcome(&error.message));
        }
        let due_at = self.next_look_up_at(unknown_at, retry_after).min(review_at);
        Next::Check { due_at, unknown_at, error: Some(error) }
    }

    /// The carrier knows of no purchase. That is certain once everything that was sent must have arrived and be visible.
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
        Next::Again { due_at: self.now, unknown_at: None, error: None }
    }

    fn unknown(&self, error: ShipmentError, unknown_at: Timestamp) -> Next {
        if self.can.can_look_up {
            return Next::Check { due_at: self.now, unknown_at, error: Some(error) };
        }
        let unknown_at = self.unknown_at.unwrap_or(unknown_at);
        let review_at = unknown_at.plus_seconds(self.review_seconds);
        if self.can.is_idempotent && self.failures + 1 < FAILURES_MAX && self.now < review_at {
            let due_at = self.later(None).min(review_at);
            return Next::Again { due_at, unknown_at: Some(unknown_at), error: Some(error) };
        }
        Next::Review(unknown_outcome(&error.message))
    }

    /// When to try again after one failure more.
    fn later(&self, asked_for: Option<Duration>) -> Timestamp {
        self.now.plus_seconds(backoff_seconds(self.failures).max(asked_seconds(asked_for)))
    }

    /// When to look up again after one failure more.
    fn next_look_up_at(&self, unknown_at: Timestamp, asked_for: Option<Duration>) -> Timestamp {
        let unknown_seconds = (self.now.as_micros() - unknown_at.as_micros()) / 1_000_000;
        let rest_max = (unknown_seconds / LOOK_UP_REST_PART).max(LOOK_UP_REST_SECONDS);
        let rest = backoff_seconds(self.failures).min(rest_max);
        self.now.plus_seconds(rest.max(asked_seconds(asked_for)))
    }
}

impl Next {
    /// The state that follows, for the log.
    pub fn as_str(&self) -> &'static str {
        match self {
            Next::Bought { .. } => State::Bought.as_str(),
            Next::Failed(_) => State::Failed.as_str(),
            Next::Again { .. } => State::Ready.as_str(),
            Next::Check { .. } => State::Checking.as_str(),
            Next::Review(_) => State::Review.as_str(),
        }
    }

    /// When it is due again, for the log.
    pub fn due_at(&self) -> Option<Timestamp> {
        match self {
            Next::Again { due_at, .. } | Next::Check { due_at, .. } => Some(*due_at),
            Next::Bought { .. } | Next::Failed(_) | Next::Review(_) => None,
        }
    }
}

/// Returns what follows for a purchase whose carrier is not asked any more, because its account was deleted or because servers stopped
/// while they worked on it; `None` if nothing is open.
pub fn given_up(state: State, unknown_at: Option<Timestamp>, error: ShipmentError) -> Option<Next> {
    match (state, unknown_at) {
        (State::Ready, None) => Some(Next::Failed(error)),
        (State::Ready | State::Calling | State::Checking, _) => Some(Next::Review(error)),
        (State::Bought | State::Voiding | State::Voided | State::Failed | State::Review, _) => None,
    }
}

/// Why a purchase changes its state, for the log: what it was, what the carrier said, and the times on which the decision
/// stands.
#[derive(PartialEq, Eq, Debug)]
pub struct Decision<'a> {
    pub state: &'static str,
    pub outcome: &'a str,
    pub next: &'static str,
    pub failures: i64,
    pub fence: i64,
    /// How long ago the purchase was due. It grows if servers stop during its turns.
    pub late_ms: Option<i64>,
    pub unknown_ms: Option<i64>,
    pub due_ms: Option<i64>,
}

impl<'a> Decision<'a> {
    pub fn new(purchase: &Purchase, outcome: &'a str, next: &Next, now: Timestamp) -> Self {
        let between = |from: Option<Timestamp>, to: Option<Timestamp>| {
            from.zip(to).map(|(from, to)| (to.as_micros() - from.as_micros()) / 1_000)
        };
        Self {
            state: purchase.state.as_str(),
            outcome,
            next: next.as_str(),
            failures: purchase.failures,
            fence: purchase.fence,
            late_ms: between(purchase.due_at, Some(now)),
            unknown_ms: between(purchase.unknown_at, Some(now)),
            due_ms: between(Some(now), next.due_at()),
        }
    }
}

/// Returns the word for a carrier's answer in the log.
pub fn outcome_word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Bought(_) => "bought",
        Outcome::Found(found) if found.is_empty() => "absent",
        Outcome::Found(_) => "found",
        Outcome::Rejected(_) => "rejected",
        Outcome::Unsent { .. } => "unsent",
        Outcome::Unknown(_) => "unknown",
        Outcome::Untraceable(_) => "untraceable",
        _ => "unexpected",
    }
}

/// Returns the pause that a carrier asked for.
fn asked_seconds(asked_for: Option<Duration>) -> i64 {
    asked_for.map_or(0, |wait| wait.as_secs().min(BACKOFF_SECONDS_MAX as u64) as i64)
}

pub(super) fn unknown_outcome(message: &str) -> ShipmentError {
    let message = format!("It is not known whether it was bought. {message}");
    ShipmentError::new(ErrorType::Purchase, ErrorCode::OutcomeUnknown, Source::Provider, message)
}

fn puzzled() -> ShipmentError {
    let message = "The carrier answered something else than was asked.";
    ShipmentError::new(ErrorType::Purchase, ErrorCode::OutcomeUnknown, Source::Provider, message)
}

#[cfg(test)]
mod tests;
