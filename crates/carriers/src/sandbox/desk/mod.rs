//! The carrier's side of the protocol, as a pure function: a request and all entries under its key determine the
//! answer and the new entries.
//!
//! The caller makes the new entries durable before it sends the answer, and serves the requests of one key one after
//! another. There is no other state, so a carrier that was killed resumes from its ledger.

mod asked;
mod counter;
mod entry;
mod fault;

use std::time::Duration;

use bytes::Bytes;
use model::Timestamp;
use serde::Serialize;

use super::settings::{Mode, Settings};
use super::wire::{Failure, FailureBody};
use crate::Answer;
pub use asked::Asked;
use counter::Counter;
pub use entry::{Entry, Event, Request};
pub use fault::{Fault, Faults};

/// The additional delay of a slow answer.
const SLOW: Duration = Duration::from_secs(3);

/// The configured behaviour of the carrier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desk {
    pub mode: Mode,
    /// The delay of every answer.
    pub latency: Duration,
    /// How long a purchase is invisible to look-ups.
    pub visibility_delay: Duration,
    pub faults: Faults,
    pub seed: u64,
}

impl Desk {
    /// Returns the behaviour of the in-process carrier of an account with these settings.
    pub fn of(settings: &Settings) -> Self {
        let visibility_delay = Duration::from_millis(settings.visibility_delay_ms);
        Self { mode: settings.mode, visibility_delay, ..Self::default() }
    }
}

/// An answer, and the new entries of the ledger.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub body: Bytes,
    /// The delay of the answer.
    pub delay: Duration,
    /// Whether the connection closes without an answer.
    pub is_cut: bool,
    /// Entries to make durable before the answer is sent.
    pub entries: Vec<Entry>,
}

impl Reply {
    fn json(status: u16, body: &impl Serialize) -> Self {
        // The body consists of texts and numbers, so serialisation can't fail.
        let body = serde_json::to_vec(body).unwrap_or_default();
        let (delay, entries) = (Duration::ZERO, Vec::new());
        Self { status, retry_after: None, body: body.into(), delay, is_cut: false, entries }
    }

    fn failure(status: u16, code: &str, message: String, charged: Option<bool>) -> Self {
        let error = FailureBody { code: code.to_owned(), message, charged, package: None };
        Self::json(status, &Failure { error })
    }

    /// Returns a refusal, of a package if one is named. Nothing was charged.
    fn package_refusal(code: &str, message: String, package: Option<u32>) -> Self {
        let error = FailureBody { code: code.to_owned(), message, charged: Some(false), package };
        Self::json(422, &Failure { error })
    }

    /// Returns a refusal. Nothing was charged.
    pub fn refusal(status: u16, code: &str, message: String) -> Self {
        Self::failure(status, code, message, Some(false))
    }

    fn unknown_purchase(name: &str) -> Self {
        Self::refusal(404, "not_found", format!("There is no purchase {name}."))
    }

    /// Returns an internal error, which does not say whether the request was executed.
    fn broken() -> Self {
        Self::failure(500, "internal_error", "Something went wrong.".to_owned(), None)
    }

    fn cut() -> Self {
        Self { is_cut: true, ..Self::json(200, &()) }
    }

    /// Returns the answer as the connector sees it.
    pub fn answer(&self) -> Answer {
        if self.is_cut {
            return Answer::Lost("The connection ended without an answer.".to_owned());
        }
        Answer::Response { status: self.status, retry_after: self.retry_after, body: self.body.clone() }
    }
}

/// Answers a request. `earlier` holds all entries under its key ([`Asked::reference`]), in order.
pub fn serve(desk: &Desk, asked: &Asked, earlier: &[Entry], now: Timestamp) -> Reply {
    let key = asked.reference().unwrap_or_default();
    let strikes = |fault| desk.faults.strikes(fault, desk.seed, key, earlier.len());
    let mut is_struck = true;
    let mut reply = if strikes(Fault::ErrorBefore) {
        Reply::broken()
    } else if strikes(Fault::LostBefore) {
        Reply::cut()
    } else {
        let mut reply = Counter { desk, earlier, now, strikes: &strikes }.answer(asked);
        is_struck = strikes(Fault::Slow);
        if !reply.entries.is_empty() && strikes(Fault::ErrorAfter) {
            reply = Reply { entries: reply.entries, ..Reply::broken() };
        }
        reply.is_cut |= !reply.entries.is_empty() && strikes(Fault::LostAfter);
        reply
    };
    if strikes(Fault::Slow) {
        reply.delay += SLOW;
    }
    reply.delay += desk.latency;
    if let Some(reference) = asked.named_reference().filter(|_| is_struck || asked.request().is_counted()) {
        let status = (!reply.is_cut).then_some(reply.status);
        let event = Event::Visited { request: asked.request(), status };
        reply.entries.insert(0, Entry { at: now, reference: reference.to_owned(), event });
    }
    reply
}
