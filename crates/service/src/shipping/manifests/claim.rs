//! Claiming manifests that are due, for the runner.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::shipping::manifests::{self, StoredManifest};
use tracing::warn;

use super::Manifests;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{Claimed, Job, PerClass, Plan, Runner, TurnCapacity, work_once};

impl Job for Manifests {
    type Item = StoredManifest;

    const PLAN: Plan = Plan {
        name: "manifests",
        // One may have a hundred thousand shipments.
        turns_max: PerClass { main: 4, side: 0 },
        look_every: Duration::from_millis(250),
        rest: Duration::ZERO,
        gather: Duration::ZERO,
        stop_time: Duration::from_secs(20),
        unfinished: "some carriers did not answer in time; they are asked again for their manifests",
    };

    async fn claim(&mut self, node: &Arc<str>, capacity: TurnCapacity) -> Result<Claimed<StoredManifest>> {
        // Groups that can't be closed keep no manifest waiting.
        if let Err(error) = self.close_due().await {
            warn!(%error, "reading which closings are due failed, retrying");
        }
        let (now, limit) = (self.context.now(), capacity.free.main);
        let look = self.context.db().read(Access::System, async move |tx| manifests::any_due(tx, now).await);
        if limit == 0 || !look.await? {
            return Ok(Claimed::main(None));
        }
        let name = Arc::clone(node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| manifests::claim(tx, &name, now, limit).await);
        Ok(Claimed::main(self.nodes.check_claim(claim.await)?))
    }

    fn turn(
        &self,
        node: Arc<str>,
        manifest: StoredManifest,
    ) -> impl Future<Output = Result<()>> + Send + 'static {
        self.clone().manifest_turn(node, manifest)
    }
}

impl Manifests {
    /// Returns the runner that works on manifests until the server stops.
    pub(crate) fn runner(&self) -> Runner<Self, Nodes> {
        let (wake, stop) = (self.state.work.subscribe(), self.context.stop());
        Runner::new(self.clone(), &self.nodes, wake, stop, &self.state.counts)
    }

    /// Works on everything that is due, and returns when nothing is: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        self.close_due().await?;
        while work_once(&mut self.clone(), &self.nodes).await? {}
        Ok(())
    }
}
