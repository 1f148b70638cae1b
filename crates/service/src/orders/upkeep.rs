//! The job of orders: ends holds at their time, and matches lines whose SKUs exist by now.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::Result;
use store::orders::order_facets::UnmatchedPlace;
use tracing::warn;

use crate::orders::holds::Holds;
use crate::orders::matching::LineMatching;

/// How often the job looks for holds to end.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How many looks for holds pass before the next look for lines.
const LOOKS_PER_MATCHING: u64 = 5;

/// Keeps orders up to date without a request.
#[derive(Clone)]
pub struct OrderUpkeep {
    holds: Holds,
    matching: LineMatching,
    /// Where the next look for lines begins. Each node has its own place, so that all lines are looked at in turn however
    /// many there are.
    place: Arc<Mutex<UnmatchedPlace>>,
}

impl OrderUpkeep {
    pub(crate) fn new(holds: &Holds, matching: &LineMatching) -> Self {
        Self { holds: holds.clone(), matching: matching.clone(), place: Arc::default() }
    }

    /// Does what is due once: for tests and tools, which wait for no timer.
    pub async fn work(&self) -> Result<()> {
        self.holds.release_due().await?;
        self.match_next().await
    }

    async fn match_next(&self) -> Result<()> {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let next = self.matching.match_next(place).await?;
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = next;
        Ok(())
    }

    pub(crate) async fn work_forever(self) {
        for look in 1_u64.. {
            tokio::time::sleep(LOOK_EVERY).await;
            if let Err(error) = self.holds.release_due().await {
                warn!(%error, "ending holds failed, retrying");
            }
            if look.is_multiple_of(LOOKS_PER_MATCHING)
                && let Err(error) = self.match_next().await
            {
                warn!(%error, "matching lines failed, retrying");
            }
        }
    }
}
