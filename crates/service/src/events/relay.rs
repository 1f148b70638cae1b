//! Runs the relay that numbers events on PostgreSQL, on a signal and at intervals.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::Result;
use store::Access;
use store::events::relay::{self, Watermark};
use tokio::sync::Notify;

use crate::Service;
use crate::events::bus::Hint;
use crate::platform::log;

/// How often the relay looks without a signal: a write on another node gives this one none.
const RELAY_EVERY: Duration = Duration::from_millis(100);

/// What the relay of a node remembers between two looks.
#[derive(Default)]
pub struct Relay {
    /// Notified after a write that left events to number.
    pub signal: Notify,
    mark: Mutex<Watermark>,
}

impl Service {
    /// Numbers the committed events that have no number yet. Returns how many.
    pub async fn relay_events(&self) -> Result<u64> {
        let mut numbered = 0;
        loop {
            let mark = self.relay_mark();
            let relay = self.db().write(Access::System, async move |tx| relay::relay(tx, &mark).await);
            let (relayed, mark) = relay.await?;
            // Two calls at the same time may replace each other's watermark: each of them holds.
            *self.0.relay.mark.lock().unwrap_or_else(PoisonError::into_inner) = mark;
            numbered += relayed.count;
            if !relayed.owners.is_empty() {
                self.ring();
                relayed.owners.iter().for_each(|owner| self.forget_position(*owner));
                self.hint(Hint::Events(relayed.owners.into()));
            }
            if relayed.count < relay::RELAY_MAX.unsigned_abs() {
                return Ok(numbered);
            }
        }
    }

    /// Returns the watermark with which the next look begins.
    pub fn relay_mark(&self) -> Watermark {
        self.0.relay.mark.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) async fn relay_forever(self) {
        loop {
            // The signal or the timer, whichever is first.
            let _either = tokio::time::timeout(RELAY_EVERY, self.0.relay.signal.notified()).await;
            if let Err(error) = self.relay_events().await {
                log::error("relay", &error);
                tokio::time::sleep(RELAY_EVERY).await;
            }
        }
    }
}
