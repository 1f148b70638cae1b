//! Claiming the labels of batches: on a notification, and periodically in case a notification was lost or its node died.

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::shipping::batch_labels::{self, State, Work};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::make::Pass;
use crate::Service;
use crate::events::delivery::is_busy;
use crate::platform::log;

/// Batches whose labels a node makes at once.
const BATCHES_MAX: usize = 2;
/// Labels that are made at once. Each waits for a core and then for the disk, on a thread that has memory of its own.
const LABELS_AT_ONCE: usize = 8;
/// How often a node polls for work without a notification: work becomes due with time, and other nodes die.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How soon it checks again for a label that has not arrived yet, in seconds.
const LATE_REST_SECONDS: i64 = 1;
/// The longest pause after failures, in seconds. The pause doubles with each failure.
const REST_SECONDS_MAX: i64 = 60;

/// The state that the label work of a node shares.
pub struct Labelling {
    /// Changes when there may be something to do.
    work: watch::Sender<u64>,
    /// Changes when work on a batch has ended.
    news: watch::Sender<u64>,
    is_stopping: watch::Sender<bool>,
    /// Permits for labels that are being made.
    pub(super) places: Semaphore,
    /// Permits for drawing, one for each core.
    pub(crate) cores: Arc<Semaphore>,
}

impl Default for Labelling {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            work: watch::channel(0).0,
            news: watch::channel(0).0,
            is_stopping: watch::channel(false).0,
            places: Semaphore::new(LABELS_AT_ONCE),
            cores: Arc::new(Semaphore::new(cores)),
        }
    }
}

impl Service {
    /// Notifies the claiming task that labels are wanted.
    pub(super) fn ring_labelling(&self) {
        self.0.labelling.work.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(super) fn labelling_news(&self) -> watch::Receiver<u64> {
        self.0.labelling.news.subscribe()
    }

    /// Stops the work. Other nodes continue it, or this one after its next start.
    pub(crate) fn stop_labelling(&self) {
        self.0.labelling.is_stopping.send_replace(true);
    }

    /// Whether work that is claimed under this node name may go on.
    pub(super) fn may_label(&self, node: &str) -> bool {
        !*self.0.labelling.is_stopping.borrow() && self.is_node(node)
    }

    /// Makes all labels of batches that are due, and returns when none are: for tests and tools, which wait for no notification.
    pub async fn work_batch_labels(&self) -> Result<()> {
        self.heartbeat().await?;
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
    pub(crate) async fn label_batches_forever(self) {
        let mut work = self.0.labelling.work.subscribe();
        let mut stop = self.0.labelling.is_stopping.subscribe();
        let mut batches = JoinSet::new();
        while !*stop.borrow_and_update() {
            while let Some(ended) = batches.try_join_next() {
                // A task that panicked did not release its claim.
                if ended.is_err() {
                    self.disown();
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
        let now = self.now();
        let Some(node) = self.node().filter(|_| limit > 0) else { return Ok(Vec::new()) };
        let read = self.db().read(Access::System, async move |tx| batch_labels::any_due(tx, now).await);
        if !read.await? {
            return Ok(Vec::new());
        }
        let name = Arc::clone(&node);
        let claim =
            self.db().write(Access::System, async move |tx| batch_labels::claim(tx, &name, now, limit).await);
        // If the claim failed, work may be claimed although the answer was lost. A claim that was rejected as busy never began.
        let claimed = claim.await.inspect_err(|error| {
            if !is_busy(error) {
                self.disown();
            }
        })?;
        Ok(claimed.into_iter().map(|work| (Arc::clone(&node), work)).collect())
    }

    /// Makes a batch's labels until they are done, or one must be waited for, or an error occurs; then releases the claim.
    pub(crate) async fn label_batch(self, node: Arc<str>, mut work: Work) {
        let result = self.label_on(&node, &mut work).await;
        let now = self.now();
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
        let let_go = self.db().write(owner, async move |tx| batch_labels::let_go(tx, &work, due_at).await);
        if let Err(error) = let_go.await {
            log::error("labels", &error);
            if self.is_node(&node) {
                self.disown();
            }
        }
        self.0.labelling.news.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Ends the work on a batch's labels because servers stopped during it.
    pub(crate) async fn set_labels_aside(&self, work: Work) -> Result<()> {
        let (owner, now) = (work.owner, self.now());
        self.db().write(owner, async move |tx| batch_labels::set_aside(tx, &work, now).await).await?;
        self.0.labelling.news.send_modify(|count| *count = count.wrapping_add(1));
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
