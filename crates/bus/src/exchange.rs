//! The exchange of messages with other nodes, over whichever connections there are.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::envelope::{self, Envelope};
use crate::error::{Error, Result};
use crate::outbox::{Outbox, Pending};
use crate::transport::{Incoming, Link, Transport};
use crate::{ENVELOPE_BYTES_MAX, MESSAGE_BYTES_MAX};

/// The shortest time between two messages to other nodes. What is added in between is merged into one message.
const REST: Duration = Duration::from_millis(5);
/// The wait before reconnecting: it doubles from the minimum to the maximum, and starts again at the minimum once a
/// connection has lasted as long as the maximum.
pub(crate) const BACKOFF_MIN: Duration = Duration::from_millis(100);
pub(crate) const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// What a program does with what arrives. The functions must return soon: they run between two messages.
pub trait Handler: Send + Sync {
    /// Another node sent this text.
    fn received(&self, text: &str);

    /// Messages may have been lost, or one arrived that can't be read.
    fn missed(&self);

    /// A connection was made. `was_lost`: whether [`Handler::disconnected`] was called since the last one. Messages may have been
    /// lost before, in both directions.
    fn connected(&self, is_first: bool, was_lost: bool);

    /// There is no connection. Called once for each outage, and once more if it turns out that an operator must act.
    fn disconnected(&self, error: &Error);
}

/// Sends what is in the outbox, and passes on what arrives.
pub struct Exchange<P, H> {
    transport: Arc<dyn Transport>,
    outbox: Arc<Outbox<P>>,
    handler: H,
    /// The name by which this node recognises its own messages.
    name: String,
}

/// What was reported of the connection.
#[derive(Default)]
struct Reported {
    is_connected_once: bool,
    is_lost: bool,
    is_refused: bool,
}

impl<P: Pending, H: Handler> Exchange<P, H> {
    /// `name` is unique among nodes, without spaces, and at most 32 bytes long.
    pub fn new(transport: Arc<dyn Transport>, outbox: Arc<Outbox<P>>, handler: H, name: String) -> Self {
        Self { transport, outbox, handler, name }
    }

    /// Sends what is in the outbox, and returns once the transport has it.
    pub async fn flush(&self) -> Result<()> {
        let pending = self.outbox.take();
        if pending.is_empty() {
            return Ok(());
        }
        self.transport.deliver(&self.message(&pending)?).await
    }

    /// Exchanges messages until the future is dropped.
    pub async fn run(&self) {
        let probe = envelope::probe(&self.name);
        let (mut reported, mut backoff) = (Reported::default(), BACKOFF_MIN);
        loop {
            let connected = self.transport.connect(&probe).await;
            let begin = Instant::now();
            let error = match connected {
                Err(error) => error,
                Ok(link) => {
                    self.report_connected(&mut reported);
                    self.carry(link, &mut reported).await
                }
            };
            self.report_lost(&mut reported, &error);
            backoff = if begin.elapsed() < BACKOFF_MAX { backoff } else { BACKOFF_MIN };
            sleep(backoff).await;
            backoff = BACKOFF_MAX.min(backoff * 2);
        }
    }

    /// Sends and receives until the link is of no more use, and returns the error.
    async fn carry(&self, mut link: Box<dyn Link>, reported: &mut Reported) -> Error {
        let mut rest_until = Instant::now();
        loop {
            tokio::select! {
                incoming = link.next() => match incoming {
                    Ok(incoming) => self.take(incoming, reported),
                    Err(error) => return error,
                },
                // While the connection is lost, more is merged into what waits.
                () = self.outbox.until_pending(rest_until), if !reported.is_lost => {
                    if let Err(error) = self.send(&mut *link).await {
                        return error;
                    }
                    rest_until = Instant::now() + REST;
                }
            }
        }
    }

    async fn send(&self, link: &mut dyn Link) -> Result<()> {
        let pending = self.outbox.take();
        let sent = link.send(&self.message(&pending)?).await;
        if sent.is_err() {
            self.outbox.add(&pending);
        }
        sent
    }

    fn take(&self, incoming: Incoming, reported: &mut Reported) {
        match incoming {
            Incoming::Message(message) => match envelope::read(&message, &self.name) {
                Envelope::Text(text) => self.handler.received(text),
                Envelope::Unknown => self.handler.missed(),
                Envelope::Ignored => {}
            },
            Incoming::Dropped => self.handler.missed(),
            Incoming::Lost(error) => self.report_lost(reported, &error),
            Incoming::Restored => self.report_connected(reported),
        }
    }

    fn message(&self, pending: &P) -> Result<String> {
        let text = pending.text();
        match text.len() {
            bytes if bytes > MESSAGE_BYTES_MAX - ENVELOPE_BYTES_MAX => Err(Error::TooLong(bytes)),
            _ => Ok(envelope::write(&self.name, &text)),
        }
    }

    fn report_connected(&self, reported: &mut Reported) {
        self.handler.connected(!reported.is_connected_once, reported.is_lost);
        *reported = Reported { is_connected_once: true, ..Reported::default() };
    }

    /// Reports only the first failure of an outage: the failures of further attempts say nothing new, unless an operator must
    /// act.
    fn report_lost(&self, reported: &mut Reported, error: &Error) {
        let is_refused = matches!(error, Error::Refused(_));
        if !reported.is_lost || is_refused && !reported.is_refused {
            self.handler.disconnected(error);
        }
        reported.is_lost = true;
        reported.is_refused |= is_refused;
    }
}

#[cfg(test)]
mod tests;
