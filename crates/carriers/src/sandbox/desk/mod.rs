//! The carrier's side of the protocol, as a pure function: a request and all entries under its key determine the
//! answer and the new entries.
//!
//! The caller makes the new entries durable before it sends the answer, and serves the requests of one key one after
//! another. There is no other state, so a carrier that was killed resumes from its ledger.

mod asked;
mod behaviour;
mod entry;
mod fault;
mod handler;
mod reply;

use std::time::Duration;

use model::Timestamp;

pub use asked::Asked;
pub use behaviour::Desk;
pub use entry::{Entry, Event, Request};
pub use fault::{Fault, Faults};
use handler::Handler;
pub use reply::Reply;

/// The additional delay of a slow answer.
const SLOW: Duration = Duration::from_secs(3);

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
        let mut reply = Handler { desk, earlier, now, strikes: &strikes }.answer(asked);
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
