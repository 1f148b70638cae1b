//! Claiming the labels of batches, for the runner, and making them until the claim is released.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::shipping::batch_labels::{self, State, Work};
use tokio::sync::watch;
use tracing::{Instrument, error_span, warn};

use super::BatchLabels;
use super::make::Pass;
use crate::platform::backoff::backoff_seconds;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{Claimed, Job, PerClass, Plan, Runner, Totals, TurnCapacity, work_once};

/// How soon it checks again for a label that has not arrived yet, in seconds.
const LATE_REST_SECONDS: i64 = 1;
/// The longest pause after failures, in seconds.
const REST_SECONDS_MAX: i64 = 60;

impl Job for BatchLabels {
    type Item = Work;

    const PLAN: Plan = Plan {
        name: "batch_labels",
        turns_max: PerClass { main: 2, side: 0 },
        look_every: Duration::from_millis(250),
        rest: Duration::ZERO,
        gather: Duration::ZERO,
        stop_time: Duration::from_secs(20),
        unfinished: "the labels of some batches did not end in time; they are continued later",
    };

    async fn claim(&mut self, node: &Arc<str>, capacity: TurnCapacity) -> Result<Claimed<Work>> {
        let (now, limit) = (self.context.now(), capacity.free.main);
        let look =
            self.context.db().read(Access::System, async move |tx| batch_labels::any_due(tx, now).await);
        if limit == 0 || !look.await? {
            return Ok(Claimed::main(None));
        }
        let name = Arc::clone(node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| batch_labels::claim(tx, &name, now, limit).await);
        Ok(Claimed::main(self.nodes.check_claim(claim.await)?))
    }

    fn turn(&self, node: Arc<str>, work: Work) -> impl Future<Output = Result<()>> + Send + 'static {
        self.clone().label_batch(node, work)
    }
}

impl BatchLabels {
    /// Notifies the claiming task that labels are wanted.
    pub(super) fn notify(&self) {
        self.state.work.notify();
    }

    pub(super) fn labelling_news(&self) -> watch::Receiver<u64> {
        self.state.news.subscribe()
    }

    /// Returns the counters of this node's turns.
    pub fn turn_totals(&self) -> Totals {
        self.state.counts.totals()
    }

    /// Whether work that is claimed under this node name may go on.
    pub(super) fn may_label(&self, node: &str) -> bool {
        !self.context.stop().is_cancelled() && self.nodes.is_node(node)
    }

    /// Returns the runner that makes labels until the server stops. Other nodes then continue, or this one after its next start.
    pub(crate) fn runner(&self) -> Runner<Self, Nodes> {
        let (wake, stop) = (self.state.work.subscribe(), self.context.stop());
        Runner::new(self.clone(), &self.nodes, wake, stop, &self.state.counts)
    }

    /// Makes all labels of batches that are due, and returns when none are: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        while work_once(&mut self.clone(), &self.nodes).await? {}
        Ok(())
    }

    /// Makes a batch's labels until they are done, or one must be waited for, or an error occurs; then releases the claim.
    pub(crate) async fn label_batch(self, node: Arc<str>, work: Work) -> Result<()> {
        let format = work.format.as_str();
        let span = error_span!("labels", batch = %work.batch, format, organisation = %work.owner, %node);
        Box::pin(self.take_label_turn(node, work)).instrument(span).await
    }

    async fn take_label_turn(self, node: Arc<str>, mut work: Work) -> Result<()> {
        let result = self.label_on(&node, &mut work).await;
        let now = self.context.now();
        let due_at = match result {
            Ok(Pass::Lost) => return Ok(()),
            Ok(Pass::Late) => Some(now.plus_seconds(LATE_REST_SECONDS)),
            Ok(Pass::More) => Some(now),
            Ok(Pass::Done) => None,
            Err(error) => {
                warn!(%error, failures = work.failures + 1, "making the labels of a batch failed, retrying");
                let rest_seconds = backoff_seconds(work.failures).min(REST_SECONDS_MAX);
                work.failures += 1;
                Some(now.plus_seconds(rest_seconds))
            }
        };
        let owner = work.owner;
        let let_go =
            self.context.db().write(owner, async move |tx| batch_labels::let_go(tx, &work, due_at).await);
        let let_go = let_go.await;
        if let Err(error) = &let_go {
            warn!(%error, "labels of a batch not released: this node takes another name");
            if self.nodes.is_node(&node) {
                self.nodes.disown();
            }
        }
        self.state.news.notify();
        let_go
    }

    /// Ends the work on a batch's labels because servers stopped during it.
    pub(crate) async fn set_labels_aside(&self, work: Work) -> Result<()> {
        let (owner, now) = (work.owner, self.context.now());
        self.context.db().write(owner, async move |tx| batch_labels::set_aside(tx, &work, now).await).await?;
        self.state.news.notify();
        Ok(())
    }

    async fn label_on(&self, node: &str, work: &mut Work) -> Result<Pass> {
        loop {
            if !self.may_label(node) {
                return Ok(Pass::More);
            }
            let pass = match work.state {
                State::Making => self.make_labels(work).await?,
                State::Merging => self.merge_labels(node, work).await?,
                State::Made | State::Refused => return Ok(Pass::Done),
            };
            if pass != Pass::More {
                return Ok(pass);
            }
        }
    }
}
