//! Taking what is due: on a bell, and now and then in case a bell was lost or its server died.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::{CarrierAccount, Id, Result};
use store::Access;
use store::purchases::{self, Purchase};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinError, JoinSet};

use crate::delivery::is_busy;
use crate::{Service, log};

/// Purchases that a node works on at once.
const TURNS_MAX: usize = 256;
/// How often a node looks for work where no bell rang: time passes, and other nodes die.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long calls may take to come to an end once the server is told to stop. What does not is looked up later.
const STOP_TIME: Duration = Duration::from_secs(20);

/// What purchases share on a node.
pub struct Purchasing {
    /// Changes when there may be something to do.
    work: watch::Sender<u64>,
    /// Changes when something has come to an end.
    news: watch::Sender<u64>,
    is_stopping: watch::Sender<bool>,
    /// Places for calls, by account.
    places: Mutex<HashMap<Id<CarrierAccount>, Arc<Semaphore>>>,
    pub(super) counts: Counts,
}

/// What was bought since the start, and what was not.
#[derive(Default)]
pub struct Counts {
    pub bought: AtomicU64,
    pub failed: AtomicU64,
    pub unknown: AtomicU64,
    /// Under way.
    pub turns: AtomicU64,
}

impl Default for Purchasing {
    fn default() -> Self {
        Self {
            work: watch::channel(0).0,
            news: watch::channel(0).0,
            is_stopping: watch::channel(false).0,
            places: Mutex::default(),
            counts: Counts::default(),
        }
    }
}

impl Service {
    /// Says that there is something to buy, to look up or to take back.
    pub(crate) fn ring_purchasing(&self) {
        self.0.purchasing.work.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Says that something has come to an end.
    pub(super) fn tell_purchasing(&self) {
        self.0.purchasing.news.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(super) fn purchasing_news(&self) -> watch::Receiver<u64> {
        self.0.purchasing.news.subscribe()
    }

    /// What purchases count on this node.
    pub fn purchase_counts(&self) -> &Counts {
        &self.0.purchasing.counts
    }

    /// Does all that is due, and returns when nothing is: for tests and tools, which wait for no bell.
    pub async fn work_purchases(&self) -> Result<()> {
        self.heartbeat().await?;
        loop {
            let mut turns = JoinSet::new();
            for (node, purchase) in self.claim_purchases(TURNS_MAX).await? {
                turns.spawn(self.clone().turn(node, purchase));
            }
            if turns.is_empty() {
                return Ok(());
            }
            turns.join_all().await;
        }
    }

    /// Works until the server stops.
    pub(crate) async fn purchase_forever(self) {
        let mut work = self.0.purchasing.work.subscribe();
        let mut stop = self.0.purchasing.is_stopping.subscribe();
        let mut turns = JoinSet::new();
        while !*stop.borrow_and_update() {
            while let Some(ended) = turns.try_join_next() {
                self.check_turn(&ended);
            }
            self.0.purchasing.counts.turns.store(turns.len() as u64, Ordering::Relaxed);
            match self.claim_purchases(TURNS_MAX - turns.len()).await {
                Ok(claimed) => {
                    for (node, purchase) in claimed {
                        turns.spawn(self.clone().turn(node, purchase));
                    }
                }
                Err(error) => log::error("purchase", &error),
            }
            tokio::select! {
                _ = work.changed() => {}
                _ = stop.changed() => {}
                Some(ended) = turns.join_next(), if turns.len() == TURNS_MAX => self.check_turn(&ended),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        if tokio::time::timeout(STOP_TIME, turns.join_all()).await.is_err() {
            log::info("stop", "some carriers did not answer in time; what they did will be looked up");
        }
    }

    /// A turn that panicked did not give back what it held.
    fn check_turn(&self, ended: &Result<(), JoinError>) {
        if ended.is_err() {
            self.disown();
        }
    }

    /// Lets what is under way come to an end.
    pub(crate) fn stop_purchasing(&self) {
        self.0.purchasing.is_stopping.send_replace(true);
    }

    async fn claim_purchases(&self, limit: usize) -> Result<Vec<(Arc<str>, Purchase)>> {
        let now = self.now();
        let Some(node) = self.node().filter(|_| limit > 0) else { return Ok(Vec::new()) };
        let read = self.db().read(Access::System, async move |tx| purchases::any_due(tx, now).await);
        if !read.await? {
            return Ok(Vec::new());
        }
        let name = Arc::clone(&node);
        let claim =
            self.db().write(Access::System, async move |tx| purchases::claim(tx, &name, now, limit).await);
        // Where that failed, some may have been claimed without our learning of it; not so where it was never begun.
        let claimed = claim.await.inspect_err(|error| {
            if !is_busy(error) {
                self.disown();
            }
        })?;
        Ok(claimed.into_iter().map(|purchase| (Arc::clone(&node), purchase)).collect())
    }

    /// A place among the calls to an account.
    pub(crate) async fn place(&self, account: Id<CarrierAccount>) -> Option<OwnedSemaphorePermit> {
        let places = {
            let mut all = self.0.purchasing.places.lock().unwrap_or_else(PoisonError::into_inner);
            let fresh = || Arc::new(Semaphore::new(self.settings().carriers.account_calls_max.max(1)));
            Arc::clone(all.entry(account).or_insert_with(fresh))
        };
        places.acquire_owned().await.ok()
    }
}
