//! Runs the relay that numbers events on PostgreSQL, on a signal and at intervals.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::Result;
use store::Access;
use store::events::relay::{self, Watermark};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::events::after_commit::EventNotices;
use crate::events::bus::{Bus, Hint};
use crate::platform::context::Context;

/// How often the relay looks without a signal: a write on another node gives this one none.
const RELAY_EVERY: Duration = Duration::from_millis(100);

/// Numbers events. Its clones share what it remembers between two looks.
#[derive(Clone)]
pub struct Relay {
    context: Context,
    bus: Bus,
    notices: EventNotices,
    mark: Arc<Mutex<Watermark>>,
}

impl Relay {
    pub(crate) fn new(context: &Context, bus: &Bus, notices: &EventNotices) -> Self {
        let mark = Arc::default();
        Self { context: context.clone(), bus: bus.clone(), notices: notices.clone(), mark }
    }

    /// Numbers the committed events that have no number yet. Returns how many.
    pub async fn work(&self) -> Result<u64> {
        let mut numbered = 0;
        loop {
            let mark = self.mark();
            let relay =
                self.context.db().write(Access::System, async move |tx| relay::relay(tx, &mark).await);
            let (relayed, mark) = relay.await?;
            // Two calls at the same time may replace each other's watermark: each of them holds.
            *self.mark.lock().unwrap_or_else(PoisonError::into_inner) = mark;
            numbered += relayed.count;
            if !relayed.owners.is_empty() {
                self.notices.deliveries.notify();
                relayed.owners.iter().for_each(|owner| self.notices.positions.forget(*owner));
                self.bus.hint(Hint::Events(relayed.owners.into()));
            }
            if relayed.count < relay::RELAY_MAX.unsigned_abs() {
                return Ok(numbered);
            }
        }
    }

    /// Returns the watermark with which the next look begins.
    pub fn mark(&self) -> Watermark {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Numbers events until the server stops, and then once more: the last turns may have written some. It ends between two looks,
    /// because a look that is dropped holds its lock until PostgreSQL has cancelled it.
    pub(crate) async fn work_until(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            tokio::select! {
                () = self.notices.relay.notified() => {}
                () = stop.cancelled() => {}
                () = tokio::time::sleep(RELAY_EVERY) => {}
            }
            if let Err(error) = self.work().await {
                warn!(%error, "numbering events failed, retrying");
                tokio::time::sleep(RELAY_EVERY).await;
            }
        }
    }
}
