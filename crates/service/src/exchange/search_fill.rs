//! The job that writes the search terms of resources that were stored before there were terms.

use std::time::Duration;

use model::Result;
use store::Access;
use store::exchange::search_fill;
use tracing::{info, warn};

use crate::platform::context::Context;

/// Resources of one transaction, so that no other transaction waits for long.
const FILL_MAX: usize = 200;
/// The pause between two transactions: requests come first.
const REST: Duration = Duration::from_millis(5);
/// The pause after a failure, and while other nodes work on everything that is left.
const RETRY_REST: Duration = Duration::from_secs(5);

/// Completes the index of the search after an upgrade.
#[derive(Clone)]
pub struct SearchFill {
    context: Context,
}

impl SearchFill {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Writes the terms of everything that lacks them: for tests and tools, which wait for no timer.
    pub async fn work(&self) -> Result<()> {
        while self.fill_next().await?.is_some() {}
        Ok(())
    }

    /// Writes the terms of the next resources. Returns how many, or `None` if nothing is left for this node.
    async fn fill_next(&self) -> Result<Option<usize>> {
        let fill =
            self.context.db().write(Access::System, async move |tx| match search_fill::mark(tx).await? {
                Some(mark) => search_fill::fill(tx, &mark, FILL_MAX).await.map(Some),
                None => Ok(None),
            });
        fill.await
    }

    /// Works until everything is filled. Nothing new comes: whatever is stored from now on has its terms.
    pub(crate) async fn work_to_the_end(self) {
        let mut filled = 0;
        loop {
            match self.fill_next().await {
                Ok(Some(resources)) => {
                    filled += resources;
                    tokio::time::sleep(REST).await;
                }
                Ok(None) if self.is_done().await => break,
                Ok(None) => tokio::time::sleep(RETRY_REST).await,
                Err(error) => {
                    warn!(%error, "filling the search index failed, retrying");
                    tokio::time::sleep(RETRY_REST).await;
                }
            }
        }
        if filled > 0 {
            info!(resources = filled, "search index filled");
        }
    }

    /// Returns whether no mark is left, on this node or another.
    async fn is_done(&self) -> bool {
        let read = self.context.db().read(Access::System, async |tx| search_fill::is_done(tx).await);
        read.await.unwrap_or_default()
    }
}
