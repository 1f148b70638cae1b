//! Automatic closing: at the time that a location configuration names, all open groups of its origin are closed, once.
//!
//! The configuration's row has the moment of the next closing. The node that moves this moment on writes the manifests in the
//! same transaction. So only one of several nodes closes, and a node that dies before its commit has closed nothing.

use model::places::closing::Day;
use model::{Result, Timestamp};
use store::Access;
use store::places::location_configurations::{self, ToClose};
use store::shipping::manifest_shipments;
use tracing::warn;

use super::Manifests;
use super::close::begin_all;
use super::group::{Days, groups};

/// Maximum number of configurations that one pass closes.
const CLOSINGS_MAX: usize = 100;

impl Manifests {
    /// Closes the configurations whose closing is due.
    pub(super) async fn close_due(&self) -> Result<()> {
        let now = self.context.now();
        let look = self.context.db().read(Access::System, async move |tx| {
            location_configurations::to_close(tx, now, CLOSINGS_MAX).await
        });
        for due in look.await? {
            // A configuration that can't be closed now must not prevent the others from being closed.
            let (organisation, location) = (due.owner, due.origin);
            if let Err(error) = self.close(due, now).await {
                warn!(%error, %organisation, %location, "closing failed, retrying");
            }
        }
        Ok(())
    }

    async fn close(&self, due: ToClose, now: Timestamp) -> Result<()> {
        let (owner, origin) = (due.owner, due.origin);
        let read = self
            .context
            .db()
            .read(owner, async move |tx| manifest_shipments::open_of_location(tx, owner, origin).await);
        // If it is already tomorrow in UTC, shipments that were bought this evening have that date, but wait to be collected now.
        let today = Day::of(now);
        let last = due.closing.day_at(now).map_or(today, |there| there.max(today));
        let intents = self.intents(owner, groups(read.await?, Days::UpTo(last), None), now).await?;
        let close = self.context.db().write(owner, async move |tx| {
            if location_configurations::take_closing(tx, &due, now).await? {
                begin_all(tx, owner, &intents, now).await?;
            }
            Ok(())
        });
        close.await?;
        self.notify();
        Ok(())
    }
}
