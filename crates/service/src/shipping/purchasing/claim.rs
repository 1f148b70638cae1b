//! Claiming due purchases: on a notification, and periodically in case a notification was lost or its node died.
//!
//! What is to be bought, looked up, labelled or voided comes first. Follow-up of shipments that are shown as purchased (late
//! labels, duplicates, tracking) gets the remaining turns.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use model::{CarrierAccount, Id, Result};
use store::Access;
use store::shipping::purchases::{self, Purchase};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use super::Purchasing;
use super::follow::Follows;
use super::job::{Claimed, Job};
use super::lanes::Lanes;
use super::places::{Line, Place};
use super::share::share;
use super::state::Counts;
use crate::platform::{crash_point::crash_point, log};

/// Purchases that a node works on at once. Per lane, `LANE_CALLS` times as many wait for their carrier as its account takes
/// concurrent calls, so that the next is ready when a call ends. Purchases whose label is drawn or stored don't count.
const TURNS_MAX: usize = 1024;
const LANE_CALLS: usize = 2;
/// Due purchases that a node reads, to claim some of them.
const DUE_MAX: usize = 2_048;
/// How often a node polls for work without a notification: purchases become due with time, and other nodes die.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long it waits after a turn ends for other turns to end, before it claims more.
const GATHER: Duration = Duration::from_millis(10);
/// How long calls may take to end once the server is told to stop. A purchase whose call does not end is looked up later.
const STOP_TIME: Duration = Duration::from_secs(20);

/// The turns under way on a node.
#[derive(Default)]
struct Turns {
    buying: JoinSet<()>,
    follows: Follows,
    lanes: Arc<Lanes>,
    /// Whether more purchases were due than the node claimed.
    is_more: bool,
}

impl Turns {
    fn buy(
        &mut self,
        purchasing: &Purchasing,
        node: &Arc<str>,
        purchase: Purchase,
        loaded: Option<Box<Job>>,
    ) {
        let slot = self.lanes.take((purchase.account, purchase.batch));
        let claimed = Claimed { node: Arc::clone(node), purchase, slot: Some(slot) };
        self.buying.spawn(purchasing.clone().turn(claimed, loaded));
    }

    /// Collects the turns that have ended.
    fn gather(&mut self, purchasing: &Purchasing) {
        while let Some(ended) = self.buying.try_join_next() {
            purchasing.check_turn(&ended);
        }
        while let Some(ended) = self.follows.tasks.try_join_next() {
            purchasing.check_turn(&ended);
        }
    }
}

impl Purchasing {
    /// Notifies the claiming task that there may be something to buy, to look up or to void.
    pub(crate) fn notify(&self) {
        self.state.work.notify();
    }

    /// Notifies waiting requests that a turn has ended.
    pub(super) fn tell_purchasing(&self) {
        self.state.news.notify();
    }

    /// Changes when there may be something to do.
    pub(crate) fn work_signal(&self) -> watch::Receiver<u64> {
        self.state.work.subscribe()
    }

    /// Changes to true when the server is about to stop.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.state.is_stopping.subscribe()
    }

    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.state.news.subscribe()
    }

    /// Returns the counters of this node.
    pub fn counts(&self) -> &Counts {
        &self.state.counts
    }

    /// Works once on everything that is due, and returns whether there was anything: for tests and tools, which wait for no
    /// notification.
    pub(crate) async fn work_once(&self) -> Result<bool> {
        let mut turns = Turns::default();
        self.take_purchases(&mut turns).await?;
        self.take_follow_ups(&mut turns.follows, turns.buying.len()).await?;
        let is_any = !turns.buying.is_empty() || !turns.follows.tasks.is_empty();
        turns.buying.join_all().await;
        turns.follows.tasks.join_all().await;
        Ok(is_any)
    }

    /// Claims purchases and works on them until the server stops.
    pub(crate) async fn work_forever(self) {
        let mut work = self.state.work.subscribe();
        let mut stop = self.state.is_stopping.subscribe();
        let mut turns = Turns::default();
        while !*stop.borrow_and_update() {
            turns.gather(&self);
            if let Err(error) = self.take_work(&mut turns).await {
                log::error("purchase", &error);
            }
            let under_way = turns.buying.len() + turns.follows.tasks.len();
            self.state.counts.turns.store(under_way as u64, Ordering::Relaxed);
            let (is_buying, is_following) =
                (turns.is_more && !turns.buying.is_empty(), turns.follows.has_more);
            tokio::select! {
                _ = work.changed() => {}
                _ = stop.changed() => {}
                Some(ended) = turns.buying.join_next(), if is_buying => {
                    self.check_turn(&ended);
                    tokio::time::sleep(GATHER).await;
                }
                () = turns.lanes.freed(), if turns.is_more => tokio::time::sleep(GATHER).await,
                Some(ended) = turns.follows.tasks.join_next(), if is_following => {
                    self.check_turn(&ended);
                }
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        let end = async {
            turns.buying.join_all().await;
            turns.follows.tasks.join_all().await;
        };
        if tokio::time::timeout(STOP_TIME, end).await.is_err() {
            log::info("stop", "some carriers did not answer in time; what they did will be looked up");
        }
    }

    async fn take_work(&self, turns: &mut Turns) -> Result<()> {
        turns.is_more = false;
        self.take_purchases(turns).await?;
        self.take_follow_ups(&mut turns.follows, turns.buying.len()).await
    }

    /// Rotates the node name if a turn panicked, because such a turn did not release its claim.
    fn check_turn<T>(&self, ended: &Result<T, JoinError>) {
        if ended.is_err() {
            self.nodes.disown();
        }
    }

    /// Stops claiming. Turns under way may end.
    pub(crate) fn stop(&self) {
        self.state.is_stopping.send_replace(true);
    }

    /// Claims what is to be bought, looked up or voided, in fair shares.
    async fn take_purchases(&self, turns: &mut Turns) -> Result<()> {
        let now = self.context.now();
        let room = TURNS_MAX.saturating_sub(turns.buying.len());
        let Some(node) = self.nodes.node().filter(|_| room > 0) else { return Ok(()) };
        let lane_max = (self.settings.account_calls_max.max(1) * LANE_CALLS).min(TURNS_MAX);
        let read = self
            .context
            .db()
            .read(Access::System, async move |tx| purchases::due(tx, now, lane_max + 1, DUE_MAX).await);
        let due = read.await?;
        let all = due.len();
        let wanted = share(due, &turns.lanes.taken(), lane_max, room);
        turns.is_more |= wanted.len() < all;
        if wanted.is_empty() {
            return Ok(());
        }
        let name = Arc::clone(&node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| purchases::claim(tx, &name, &wanted, now).await);
        let claimed = self.nodes.check_claim(claim.await)?;
        crash_point!("after_claim");
        for (purchase, loaded) in self.load_claimed(&node, claimed).await {
            turns.buy(self, &node, purchase, loaded);
        }
        Ok(())
    }

    /// Reads what claimed purchases need, in one transaction for each owner. A purchase for which that fails is read again
    /// by its own turn.
    pub(super) async fn load_claimed(
        &self,
        node: &Arc<str>,
        mut claimed: Vec<Purchase>,
    ) -> Vec<(Purchase, Option<Box<Job>>)> {
        claimed.sort_by_key(|purchase| purchase.owner);
        let mut all = Vec::with_capacity(claimed.len());
        for of_owner in claimed.chunk_by(|a, b| a.owner == b.owner) {
            let Some(first) = of_owner.first() else { continue };
            let loaded = self.load_all(first.owner, node, of_owner).await.unwrap_or_else(|error| {
                log::error("purchase", &error);
                Vec::new()
            });
            let loaded = loaded.into_iter().chain(std::iter::repeat_with(|| None));
            all.extend(of_owner.iter().cloned().zip(loaded));
        }
        all
    }

    /// Waits for a call permit of a purchase's account.
    pub(crate) async fn place(&self, purchase: &Purchase) -> Place {
        self.place_in_line(purchase.account, purchase.batch).await
    }

    /// Waits for a call permit of an account, in this queue.
    pub(crate) async fn place_in_line(&self, account: Id<CarrierAccount>, line: Line) -> Place {
        let max = self.settings.account_calls_max;
        self.state.places.take(account, line, max).await
    }
}
