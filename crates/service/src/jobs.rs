//! Work that goes on beside the requests. Each job takes no input, does what there is to do, and may be run at any
//! time by any node: on a signal, and now and then in case a signal was lost.

use std::time::Duration;

use model::Result;
use store::{Access, access_tokens, events, idempotency};

use crate::{Service, log};

/// How often events are numbered where no signal came: a write on another node rings no bell here.
const RELAY_EVERY: Duration = Duration::from_millis(100);
/// How often what has expired is cleaned away.
const CLEAN_EVERY: Duration = Duration::from_secs(600);

impl Service {
    /// Runs the jobs until the process ends.
    pub fn start_jobs(&self) {
        if self.db().is_shared() {
            tokio::spawn(self.clone().relay_forever());
        }
        tokio::spawn(self.clone().clean_forever());
    }

    /// Numbers the events that are committed and have no number yet; tells how many.
    pub async fn relay_events(&self) -> Result<u64> {
        let mut numbered = 0;
        loop {
            let some = self.db().write(Access::System, async |tx| events::relay(tx).await).await?;
            numbered += some.unwrap_or(0);
            if some.is_none_or(|some| some < events::RELAY_MAX as u64) {
                return Ok(numbered);
            }
        }
    }

    /// Takes away what has expired.
    pub async fn clean(&self) -> Result<()> {
        let now = self.now();
        let before = now.plus_seconds(-self.settings().idempotency_seconds);
        let clean = self.db().write(Access::System, async move |tx| {
            idempotency::delete_old(tx, before).await?;
            access_tokens::delete_expired(tx, now).await.map(drop)
        });
        clean.await
    }

    async fn relay_forever(self) {
        loop {
            // A bell or the timer, whichever is first.
            let _either = tokio::time::timeout(RELAY_EVERY, self.0.relay.notified()).await;
            if let Err(error) = self.relay_events().await {
                log::error("relay", &error);
                tokio::time::sleep(RELAY_EVERY).await;
            }
        }
    }

    async fn clean_forever(self) {
        loop {
            tokio::time::sleep(CLEAN_EVERY).await;
            if let Err(error) = self.clean().await {
                log::error("clean", &error);
            }
        }
    }
}
