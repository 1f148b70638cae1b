//! What waits to be sent to one connection: bounded by bytes, filled by anyone, emptied by its driver.
//!
//! Nobody who fills it ever waits. If the client does not keep up, all that waited is thrown away and the connection
//! is closed: it recovers from the log, and nobody else is held up.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::limits::{BATCH_BYTES_MAX, BATCH_MESSAGES_MAX, OUTBOX_BYTES_MAX};
use crate::session::Mail;

/// Bytes that a piece of mail costs beside its data: what stands around an event, roughly.
const MAIL_BYTES: usize = 128;

/// The mail of one connection.
#[derive(Default)]
pub struct Outbox(Mutex<State>);

#[derive(Default)]
struct State {
    mail: VecDeque<Mail>,
    bytes: usize,
    is_slow: bool,
    waker: Option<Waker>,
}

/// What was in an outbox.
#[derive(Debug)]
pub enum Taken {
    /// The next mail, in order; about as much as one frame holds.
    Mail(Vec<Mail>),
    /// The client fell behind, and the mail is lost.
    Slow,
}

impl Outbox {
    /// Ready when there is mail, or the news that the client fell behind. Wakes the task that asked last.
    pub fn poll_ready(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.is_slow || !state.mail.is_empty() {
            return Poll::Ready(());
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            empty => *empty = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Waits for mail. Needs no runtime in particular, and may be dropped at any time.
    pub async fn ready(&self) {
        poll_fn(|context| self.poll_ready(context)).await;
    }

    /// The mail that fits into one frame, in order.
    pub fn take(&self) -> Taken {
        let mut state = self.state();
        if state.is_slow {
            return Taken::Slow;
        }
        let (mut taken, mut bytes, mut messages) = (Vec::new(), 0, 0);
        while messages < BATCH_MESSAGES_MAX
            && bytes < BATCH_BYTES_MAX
            && let Some(mail) = state.mail.pop_front()
        {
            bytes += cost(&mail);
            messages += count(&mail);
            taken.push(mail);
        }
        state.bytes -= bytes;
        if state.mail.is_empty() {
            // An idle connection keeps no room for its last burst.
            state.mail = VecDeque::new();
        }
        Taken::Mail(taken)
    }

    /// Adds mail; the waker, if somebody waits. Wake it after letting go of every lock.
    pub(super) fn put(&self, mail: Mail) -> Option<Waker> {
        self.put_all([mail])
    }

    /// The same with several.
    pub(super) fn put_all(&self, mail: impl IntoIterator<Item = Mail>) -> Option<Waker> {
        let mut state = self.state();
        if state.is_slow {
            return None;
        }
        for mail in mail {
            state.bytes += cost(&mail);
            if state.bytes > OUTBOX_BYTES_MAX {
                state.is_slow = true;
                state.mail = VecDeque::new();
                break;
            }
            state.mail.push_back(mail);
        }
        state.waker.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here is left half done by a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many messages of a frame it is.
fn count(mail: &Mail) -> usize {
    match mail {
        Mail::Events { events, .. } => events.len(),
        Mail::Input(_) | Mail::Order(_) => 1,
    }
}

fn cost(mail: &Mail) -> usize {
    let bytes = match mail {
        Mail::Events { events, .. } => events.iter().map(|event| event.data().len()).sum(),
        Mail::Input(frame) => frame.len(),
        // Orders must get through to a client that is nearly slow; they are few.
        Mail::Order(_) => 0,
    };
    count(mail) * MAIL_BYTES + bytes
}
