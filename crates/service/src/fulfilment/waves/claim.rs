//! Claiming waves that are due, for the runner.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::fulfilment::waves::{self, WaveClaim};

use super::Waves;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{Claimed, Job, PerClass, Plan, Runner, TurnCapacity, work_once};

impl Job for Waves {
    type Item = WaveClaim;

    const PLAN: Plan = Plan {
        name: "waves",
        // A wave alone uses all processors; a few at once keep a small one from waiting for a large one.
        turns_max: PerClass { main: 4, side: 0 },
        look_every: Duration::from_millis(250),
        rest: Duration::ZERO,
        gather: Duration::ZERO,
        stop_time: Duration::from_secs(20),
        unfinished: "some waves did not stop in time; they are resumed later",
    };

    async fn claim(&mut self, node: &Arc<str>, capacity: TurnCapacity) -> Result<Claimed<WaveClaim>> {
        let (now, limit) = (self.context.now(), capacity.free.main);
        let look = self.context.db().read(Access::System, async move |tx| waves::any_due(tx, now).await);
        if limit == 0 || !look.await? {
            return Ok(Claimed::main(None));
        }
        let name = Arc::clone(node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| waves::claim(tx, &name, now, limit).await);
        Ok(Claimed::main(self.nodes.check_claim(claim.await)?))
    }

    fn turn(&self, node: Arc<str>, claim: WaveClaim) -> impl Future<Output = Result<()>> + Send + 'static {
        self.clone().wave_turn(node, claim)
    }
}

impl Waves {
    /// Returns the runner that works on waves until the server stops.
    pub(crate) fn runner(&self) -> Runner<Self, Nodes> {
        let (wake, stop) = (self.state.work.subscribe(), self.context.stop());
        Runner::new(self.clone(), &self.nodes, wake, stop, &self.state.counts)
    }

    /// Works on every wave that is due, and returns when none is: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        while work_once(&mut self.clone(), &self.nodes).await? {}
        Ok(())
    }
}
