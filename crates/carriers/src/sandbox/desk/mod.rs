//! The carrier's side of the protocol, as a function: what was asked, and all that was kept under its key, give the answer
//! and what is to be kept.
//!
//! Whoever serves it makes the new entries durable before the answer leaves, and serves the requests of one key one after
//! another. Nothing else is remembered, so a carrier that was killed goes on from its ledger as if nothing had happened.

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

/// How much longer a slow answer takes.
const SLOW: Duration = Duration::from_secs(3);

/// How the carrier behaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Desk {
    pub mode: Mode,
    /// How long every answer takes.
    pub latency: Duration,
    /// How long a purchase stays invisible to look-ups.
    pub visibility_delay: Duration,
    pub faults: Faults,
    pub seed: u64,
}

impl Desk {
    /// The carrier that the product itself plays for an account with these settings.
    pub fn of(settings: &Settings) -> Self {
        let visibility_delay = Duration::from_millis(settings.visibility_delay_ms);
        Self { mode: settings.mode, visibility_delay, ..Self::default() }
    }
}

/// What the carrier answers, and what it keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub body: Bytes,
    /// How long the answer takes.
    pub delay: Duration,
    /// Whether the connection ends without an answer.
    pub is_cut: bool,
    /// To be made durable before the answer leaves.
    pub entries: Vec<Entry>,
}

impl Reply {
    fn json(status: u16, body: &impl Serialize) -> Self {
        // What is written here is made of texts and numbers, which can always be written.
        let body = serde_json::to_vec(body).unwrap_or_default();
        let (delay, entries) = (Duration::ZERO, Vec::new());
        Self { status, retry_after: None, body: body.into(), delay, is_cut: false, entries }
    }

    fn failure(status: u16, code: &str, message: String, charged: Option<bool>) -> Self {
        Self::json(status, &Failure { error: FailureBody { code: code.to_owned(), message, charged } })
    }

    /// No, and nothing was charged.
    pub fn refusal(status: u16, code: &str, message: String) -> Self {
        Self::failure(status, code, message, Some(false))
    }

    fn unknown_purchase(name: &str) -> Self {
        Self::refusal(404, "not_found", format!("There is no purchase {name}."))
    }

    /// A fault that tells nothing of what was done.
    fn broken() -> Self {
        Self::failure(500, "internal_error", "Something went wrong.".to_owned(), None)
    }

    fn cut() -> Self {
        Self { is_cut: true, ..Self::json(200, &()) }
    }

    /// What arrives at whoever asked.
    pub fn answer(&self) -> Answer {
        if self.is_cut {
            return Answer::Lost("The connection ended without an answer.".to_owned());
        }
        Answer::Response { status: self.status, retry_after: self.retry_after, body: self.body.clone() }
    }
}

/// Answers a request. `earlier` is everything that was kept under its key ([`Asked::reference`]), in order.
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
