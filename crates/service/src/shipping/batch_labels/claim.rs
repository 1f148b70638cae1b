//! Claiming the labels of batches: on a notification, and periodically in case a notification was lost or its node died.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::shipping::batch_labels::{self, State, Work};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::BatchLabels;
use super::make::Pass;
use crate::platform::log;

/// Batches whose labels a node makes at once.
const BATCHES_MAX: usize = 2;
/// How often a node polls for work without a notification: work becomes due with time, and other nodes die.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How soon it checks again for a label that has not arrived yet, in seconds.
const LATE_REST_SECONDS: i64 = 1;
/// The longest pause after failures, in seconds. The pause doubles with each failure.
const REST_SECONDS_MAX: i64 = 60;

impl BatchLabels {
    /// Notifies the claiming task that labels are wanted.
    pub(super) fn notify(&self) {
        self.state.work.notify();
    }

    pub(super) fn labelling_news(&self) -> watch::Receiver<u64> {
        self.state.news.subscribe()
    }

    /// Stops the work. Other nodes continue it, or this one after its next start.
    pub(crate) fn stop(&self) {
        self.state.is_stopping.send_replace(true);
    }

    /// Whether work that is claimed under this node name may go on.
    pub(super) fn may_label(&self, node: &str) -> bool {
        !*self.state.is_stopping.borrow() && self.nodes.is_node(node)
    }

    /// Makes all labels of batches that are due, and returns when none are: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        loop {
            let claimed = self.claim_labels(BATCHES_MAX).await?;
            if claimed.is_empty() {
                return Ok(());
            }
            for (node, work) in claimed {
                self.clone().label_batch(node, work).await;
            }
        }
    }

    /// Claims and makes labels until the server stops.
    pub(crate) async fn work_forever(self) {
        let mut work = self.state.work.subscribe();
        let mut stop = self.state.is_stopping.subscribe();
        let mut batches = JoinSet::new();
        while !*stop.borrow_and_update() {
            while let Some(ended) = batches.try_join_next() {
                // A task that panicked did not release its claim.
                if ended.is_err() {
                    self.nodes.disown();
                }
            }
            match self.claim_labels(BATCHES_MAX - batches.len()).await {
                Ok(claimed) => claimed.into_iter().for_each(|(node, work)| {
                    batches.spawn(self.clone().label_batch(node, work));
                }),
                Err(error) => log::error("labels", &error),
            }
            tokio::select! {
                _ = work.changed() => {}
                _ = stop.changed() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        batches.join_all().await;
    }

    async fn claim_labels(&self, limit: usize) -> Result<Vec<(Arc<str>, Work)>> {
        let now = self.context.now();
        let Some(node) = self.nodes.node().filter(|_| limit > 0) else { return Ok(Vec::new()) };
        let read =
            self.context.db().read(Access::System, async move |tx| batch_labels::any_due(tx, now).await);
        if !read.await? {
            return Ok(Vec::new());
        }
        let name = Arc::clone(&node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| batch_labels::claim(tx, &name, now, limit).await);
        let claimed = self.nodes.check_claim(claim.await)?;
        Ok(claimed.into_iter().map(|work| (Arc::clone(&node), work)).collect())
    }

    /// Makes a batch's labels until they are done, or one must be waited for, or an error occurs; then releases the claim.
    pub(crate) async fn label_batch(self, node: Arc<str>, mut work: Work) {
        let result = self.label_on(&node, &mut work).await;
        let now = self.context.now();
        let due_at = match result {
            Ok(Pass::Lost) => return,
            Ok(Pass::Late) => Some(now.plus_seconds(LATE_REST_SECONDS)),
            Ok(Pass::More) => Some(now),
            Ok(Pass::Done) => None,
            Err(error) => {
                log::error("labels", &error);
                work.failures += 1;
                let doubled = 1 << work.failures.clamp(0, 6);
                Some(now.plus_seconds(doubled.min(REST_SECONDS_MAX)))
            }
        };
        let owner = work.owner;
        let let_go =
            self.context.db().write(owner, async move |tx| batch_labels::let_go(tx, &work, due_at).await);
        if let Err(error) = let_go.await {
            log::error("labels", &error);
            if self.nodes.is_node(&node) {
                self.nodes.disown();
            }
        }
        self.state.news.notify();
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
