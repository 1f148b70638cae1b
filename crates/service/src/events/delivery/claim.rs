//! Claiming lanes that have something to deliver, for the runner.
//!
//! Lanes of failing endpoints have turns of their own: however many endpoints fail, healthy ones have capacity.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::events::webhook_lanes::{self, Held};

use super::{Delivery, Linger};
use crate::platform::nodes::Nodes;
use crate::platform::runner::{Claimed, Class, Job, PerClass, Plan, Runner, TurnCapacity, work_once};

/// The lanes of a node.
pub struct LaneJob {
    delivery: Delivery,
    linger: Linger,
}

impl Job for LaneJob {
    type Item = Held;

    const PLAN: Plan = Plan {
        name: "webhooks",
        turns_max: PerClass { main: 384, side: 128 },
        // Retries become due with time, and a hint may be lost.
        look_every: Duration::from_millis(100),
        rest: Duration::from_millis(10),
        gather: Duration::ZERO,
        stop_time: Duration::from_secs(20),
        unfinished: "some webhooks did not end in time; they will be sent again",
    };

    async fn claim(&mut self, node: &Arc<str>, capacity: TurnCapacity) -> Result<Claimed<Held>> {
        let Delivery { context, nodes, .. } = &self.delivery;
        let (now, node) = (context.now(), Arc::clone(node));
        let look = context.db().read(Access::System, async move |tx| webhook_lanes::any_due(tx, now).await);
        if !look.await? {
            return Ok(Claimed::main(None));
        }
        let claim = context.db().write(Access::System, async move |tx| {
            let mut lanes = webhook_lanes::claim(tx, &node, now, false, capacity.free.main).await?;
            lanes.extend(webhook_lanes::claim(tx, &node, now, true, capacity.free.side).await?);
            Ok(lanes)
        });
        let lanes = nodes.check_claim(claim.await)?;
        let class = |held: &Held| if held.health.failures > 0 { Class::Side } else { Class::Main };
        let items = lanes.into_iter().map(|held| (class(&held), held)).collect();
        Ok(Claimed { items, has_more: PerClass::default() })
    }

    fn turn(&self, _node: Arc<str>, held: Held) -> impl Future<Output = Result<()>> + Send + 'static {
        self.delivery.clone().run_lane(held, self.linger)
    }
}

impl Delivery {
    /// Returns the runner that delivers until the server stops.
    pub(crate) fn runner(&self) -> Runner<LaneJob, Nodes> {
        let job = LaneJob { delivery: self.clone(), linger: Linger::ForNews };
        let (wake, stop) = (self.news.subscribe(), self.context.stop());
        Runner::new(job, &self.nodes, wake, stop, &self.state.turn_counts)
    }

    /// Delivers all that is due, and returns when nothing is: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        let mut job = LaneJob { delivery: self.clone(), linger: Linger::Never };
        while work_once(&mut job, &self.nodes).await? {}
        Ok(())
    }
}
