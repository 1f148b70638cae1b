//! Claiming imports that are due, for the runner.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::exchange::imports::{self, ImportClaim};

use super::Imports;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{Claimed, Job, PerClass, Plan, Runner, TurnCapacity, work_once};

impl Job for Imports {
    type Item = ImportClaim;

    const PLAN: Plan = Plan {
        name: "imports",
        // A few at once keep a small file from waiting for a large one.
        turns_max: PerClass { main: 4, side: 0 },
        look_every: Duration::from_millis(250),
        rest: Duration::ZERO,
        gather: Duration::ZERO,
        stop_time: Duration::from_secs(20),
        unfinished: "some imports did not stop in time; they are resumed later",
    };

    async fn claim(&mut self, node: &Arc<str>, capacity: TurnCapacity) -> Result<Claimed<ImportClaim>> {
        let (now, limit) = (self.context.now(), capacity.free.main);
        let look = self.context.db().read(Access::System, async move |tx| imports::any_due(tx, now).await);
        if limit == 0 || !look.await? {
            return Ok(Claimed::main(None));
        }
        let name = Arc::clone(node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| imports::claim(tx, &name, now, limit).await);
        Ok(Claimed::main(self.nodes.check_claim(claim.await)?))
    }

    fn turn(&self, node: Arc<str>, claim: ImportClaim) -> impl Future<Output = Result<()>> + Send + 'static {
        self.clone().import_turn(node, claim)
    }
}

impl Imports {
    /// Returns the runner that works on imports until the server stops.
    pub(crate) fn runner(&self) -> Runner<Self, Nodes> {
        let (wake, stop) = (self.state.work.subscribe(), self.context.stop());
        Runner::new(self.clone(), &self.nodes, wake, stop, &self.state.counts)
    }

    /// Works on every import that is due, and returns when none is: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        while work_once(&mut self.clone(), &self.nodes).await? {}
        Ok(())
    }
}
