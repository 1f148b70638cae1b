//! Claiming due purchases, for the runner.
//!
//! What is to be bought, looked up, labelled or voided comes first. Follow-up of shipments that are shown as purchased (late
//! labels, duplicates, tracking) gets the remaining turns.

use std::sync::Arc;
use std::time::Duration;

use model::{CarrierAccount, Id, Result};
use store::Access;
use store::shipping::purchases::{self, Purchase};
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::warn;

use super::Purchasing;
use super::follow::{FOLLOWS_MAX, Follow, Follows};
use super::job::{Claimed, Job};
use super::lanes::Lanes;
use super::places::{Line, Place};
use super::share::share;
use super::state::Counts;
use crate::platform::crash_point::crash_point;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{self, Class, PerClass, Plan, Runner, Totals, TurnCapacity};

/// Per lane, this many times as many purchases wait for their carrier as its account takes concurrent calls, so that the next is
/// ready when a call ends. Purchases whose label is drawn or stored don't count.
const LANE_CALLS: usize = 2;
/// Purchases that a node works on at once.
const TURNS_MAX: usize = 1024;
/// Due purchases that a node reads, to claim some of them.
const DUE_MAX: usize = 2_048;

/// The purchases of a node: those that are bought, looked up, labelled or voided, and follow-up beside them.
pub struct PurchaseJob {
    purchasing: Purchasing,
    lanes: Arc<Lanes>,
    follows: Follows,
}

/// A purchase that this node holds, and what was read of it when it was claimed.
pub struct Turn {
    claimed: Claimed,
    loaded: Option<Box<Job>>,
    follow: Option<Follow>,
}

impl runner::Job for PurchaseJob {
    type Item = Turn;

    const PLAN: Plan = Plan {
        name: "purchases",
        turns_max: PerClass { main: TURNS_MAX, side: FOLLOWS_MAX },
        look_every: Duration::from_millis(100),
        rest: Duration::ZERO,
        gather: Duration::from_millis(10),
        stop_time: Duration::from_secs(20),
        unfinished: "some carriers did not answer in time; what they did will be looked up",
    };

    async fn claim(&mut self, node: &Arc<str>, capacity: TurnCapacity) -> Result<runner::Claimed<Turn>> {
        let (mut items, main) = self.claim_purchases(node, capacity.free.main).await?;
        let buying = capacity.under_way.main + items.len();
        // What is claimed must be worked on, even if the claim of follow-up fails.
        let side = match self.claim_follow_ups(node, buying).await {
            Ok((follows, has_more)) => {
                items.extend(follows);
                has_more
            }
            Err(error) if items.is_empty() => return Err(error),
            Err(error) => {
                warn!(%error, "claiming follow-up of purchases failed, retrying");
                false
            }
        };
        Ok(runner::Claimed { items, has_more: PerClass { main, side } })
    }

    fn turn(&self, _node: Arc<str>, turn: Turn) -> impl Future<Output = Result<()>> + Send + 'static {
        let purchasing = self.purchasing.clone();
        async move {
            let Turn { claimed, loaded, follow } = turn;
            let (begun_at, slow_after) = (Instant::now(), purchasing.call_time() / 2);
            let done = purchasing.turn(claimed, loaded).await;
            if let Some(follow) = follow {
                follow.end(begun_at.elapsed() >= slow_after);
            }
            done
        }
    }

    async fn freed(&self) {
        self.lanes.freed().await;
    }
}

impl PurchaseJob {
    pub(super) fn new(purchasing: &Purchasing) -> Self {
        Self { purchasing: purchasing.clone(), lanes: Arc::default(), follows: Follows::default() }
    }

    /// Claims what is to be bought, looked up or voided, in fair shares. Returns whether more was due.
    async fn claim_purchases(&self, node: &Arc<str>, room: usize) -> Result<(Vec<(Class, Turn)>, bool)> {
        let Purchasing { context, nodes, settings, .. } = &self.purchasing;
        let now = context.now();
        if room == 0 {
            return Ok((Vec::new(), true));
        }
        let lane_max = (settings.account_calls_max.max(1) * LANE_CALLS).min(TURNS_MAX);
        let read = context
            .db()
            .read(Access::System, async move |tx| purchases::due(tx, now, lane_max + 1, DUE_MAX).await);
        let due = read.await?;
        let all = due.len();
        let wanted = share(due, &self.lanes.taken(), lane_max, room);
        let has_more = wanted.len() < all;
        if wanted.is_empty() {
            return Ok((Vec::new(), has_more));
        }
        let name = Arc::clone(node);
        let claim = context
            .db()
            .write(Access::System, async move |tx| purchases::claim(tx, &name, &wanted, now).await);
        let claimed = nodes.check_claim(claim.await)?;
        crash_point!("after_claim");
        let loaded = self.purchasing.load_claimed(node, claimed).await;
        Ok((
            loaded.into_iter().map(|(purchase, loaded)| self.buy(node, purchase, loaded)).collect(),
            has_more,
        ))
    }

    fn buy(&self, node: &Arc<str>, purchase: Purchase, loaded: Option<Box<Job>>) -> (Class, Turn) {
        let slot = self.lanes.take((purchase.account, purchase.batch));
        let claimed = Claimed { node: Arc::clone(node), purchase, slot: Some(slot) };
        (Class::Main, Turn { claimed, loaded, follow: None })
    }

    /// Claims follow-up beside so many purchases that are under way. Returns whether more was due.
    async fn claim_follow_ups(
        &mut self,
        node: &Arc<str>,
        buying: usize,
    ) -> Result<(Vec<(Class, Turn)>, bool)> {
        let claimed = self.purchasing.claim_follow_ups(node, &mut self.follows, buying).await?;
        let mut turns = Vec::with_capacity(claimed.len());
        for (purchase, loaded) in self.purchasing.load_claimed(node, claimed).await {
            let follow = Some(self.follows.begin(purchase.account));
            let claimed = Claimed { node: Arc::clone(node), purchase, slot: None };
            turns.push((Class::Side, Turn { claimed, loaded, follow }));
        }
        Ok((turns, self.follows.has_more))
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

    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.state.news.subscribe()
    }

    /// Returns the counters of this node.
    pub fn counts(&self) -> &Counts {
        &self.state.counts
    }

    /// Returns the counters of this node's turns.
    pub fn turn_totals(&self) -> Totals {
        self.state.turn_counts.totals()
    }

    /// Works once on everything that is due, and returns whether there was anything: for tests and tools, which wait for no
    /// notification.
    pub(crate) async fn work_once(&self) -> Result<bool> {
        runner::work_once(&mut PurchaseJob::new(self), &self.nodes).await
    }

    /// Returns the runner that works on purchases until the server stops.
    pub(crate) fn runner(&self) -> Runner<PurchaseJob, Nodes> {
        let (wake, stop) = (self.state.work.subscribe(), self.context.stop());
        Runner::new(PurchaseJob::new(self), &self.nodes, wake, stop, &self.state.turn_counts)
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
                warn!(%error, organisation = %first.owner, "reading claimed purchases failed, retrying one by one");
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
