//! Claiming the queues of printers that are due, for the runner.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::fulfilment::print_queues::{self, PrintQueue};

use super::PrintJobs;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{Claimed, Job, PerClass, Plan, Runner, TurnCapacity, work_once};

impl Job for PrintJobs {
    type Item = PrintQueue;

    const PLAN: Plan = Plan {
        name: "print_jobs",
        // A turn mostly waits for its printer.
        turns_max: PerClass { main: 64, side: 0 },
        look_every: Duration::from_millis(250),
        rest: Duration::ZERO,
        gather: Duration::ZERO,
        stop_time: Duration::from_secs(20),
        unfinished: "some printers did not take their jobs in time; what became of them is found out later",
    };

    async fn claim(&mut self, node: &Arc<str>, capacity: TurnCapacity) -> Result<Claimed<PrintQueue>> {
        let (now, limit) = (self.context.now(), capacity.free.main);
        let look =
            self.context.db().read(Access::System, async move |tx| print_queues::any_due(tx, now).await);
        if limit == 0 || !look.await? {
            return Ok(Claimed::main(None));
        }
        let name = Arc::clone(node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| print_queues::claim(tx, &name, now, limit).await);
        Ok(Claimed::main(self.nodes.check_claim(claim.await)?))
    }

    fn turn(&self, node: Arc<str>, queue: PrintQueue) -> impl Future<Output = Result<()>> + Send + 'static {
        self.clone().print_turn(node, queue)
    }
}

impl PrintJobs {
    /// Returns the runner that prints until the server stops.
    pub(crate) fn runner(&self) -> Runner<Self, Nodes> {
        let (wake, stop) = (self.state.work.subscribe(), self.context.stop());
        Runner::new(self.clone(), &self.nodes, wake, stop, &self.state.counts)
    }

    /// Prints everything that is due, and returns when nothing is: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        while work_once(&mut self.clone(), &self.nodes).await? {}
        Ok(())
    }
}
