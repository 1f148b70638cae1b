//! Claiming e-mails that are due, for the runner.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::access::mails::{self, MailClaim};

use super::Mails;
use crate::platform::crash_point::crash_point;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{Claimed, Job, PerClass, Plan, Runner, TurnCapacity, work_once};

impl Job for Mails {
    type Item = MailClaim;

    const PLAN: Plan = Plan {
        name: "mails",
        // Mail servers limit how many connections one client has.
        turns_max: PerClass { main: 4, side: 0 },
        look_every: Duration::from_millis(500),
        rest: Duration::ZERO,
        gather: Duration::ZERO,
        stop_time: Duration::from_secs(10),
        unfinished: "the mail server did not answer in time; some e-mails may be sent twice",
    };

    async fn claim(&mut self, node: &Arc<str>, capacity: TurnCapacity) -> Result<Claimed<MailClaim>> {
        let (now, limit) = (self.context.now(), capacity.free.main);
        if limit == 0 || !self.are_available() {
            return Ok(Claimed::main(None));
        }
        let look = self.context.db().read(Access::System, async move |tx| mails::any_due(tx, now).await);
        if !look.await? {
            return Ok(Claimed::main(None));
        }
        let name = Arc::clone(node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| mails::claim(tx, &name, now, limit).await);
        let claimed = self.nodes.check_claim(claim.await)?;
        if !claimed.is_empty() {
            crash_point!("after_mail_claim");
        }
        Ok(Claimed::main(claimed))
    }

    fn turn(&self, node: Arc<str>, claim: MailClaim) -> impl Future<Output = Result<()>> + Send + 'static {
        self.clone().mail_turn(node, claim)
    }
}

impl Mails {
    /// Returns the runner that sends e-mails until the server stops.
    pub(crate) fn runner(&self) -> Runner<Self, Nodes> {
        let (wake, stop) = (self.state.work.subscribe(), self.context.stop());
        Runner::new(self.clone(), &self.nodes, wake, stop, &self.state.counts)
    }

    /// Makes one attempt to send every e-mail that is due, and returns when none is: for tests and tools, which wait for no
    /// notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        while work_once(&mut self.clone(), &self.nodes).await? {}
        Ok(())
    }
}
