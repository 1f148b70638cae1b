//! Taking what is due: on a bell, and now and then in case a bell was lost or its server died.
//!
//! What is to be bought, looked up or taken back comes first; what was bought already, and is to be labelled or tracked,
//! has what is left.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::{CarrierAccount, Id, Result};
use store::Access;
use store::purchases::{self, Purchase};
use tokio::sync::watch;
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::Instant;

use super::group::Groups;
use super::places::{Line, Place, Places};
use super::share::{Lane, share};
use crate::delivery::is_busy;
use crate::{Service, fault, log};

/// Purchases that a node works on at once, and of these how many times as many of one lane as its account takes calls:
/// so that the next is there when a call ends.
const TURNS_MAX: usize = 512;
const LANE_CALLS: usize = 2;
/// What was bought and is labelled or tracked at once.
const FOLLOWS_MAX: usize = 16;
/// While so many are bought at once, that has to wait: so few, and so long before the next are taken.
const MANY: usize = 16;
const FOLLOWS_MAX_BESIDE_MANY: usize = 2;
const FOLLOW_REST_BESIDE_MANY: Duration = Duration::from_millis(50);
/// Purchases that are due of which a node reads, to take some.
const DUE_MAX: usize = 2_048;
/// How often a node looks for work where no bell rang: time passes, and other nodes die.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long it waits for others to come to an end with the first that did, before it takes more.
const GATHER: Duration = Duration::from_millis(10);
/// How long calls may take to come to an end once the server is told to stop. What does not is looked up later.
const STOP_TIME: Duration = Duration::from_secs(20);

/// What purchases share on a node.
pub struct Purchasing {
    /// Changes when there may be something to do.
    work: watch::Sender<u64>,
    /// Changes when something has come to an end.
    news: watch::Sender<u64>,
    is_stopping: watch::Sender<bool>,
    places: Arc<Places>,
    pub(super) groups: Groups,
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
            places: Arc::default(),
            groups: Groups::default(),
            counts: Counts::default(),
        }
    }
}

/// A purchase, and the name under which this node holds it.
type Claimed = (Arc<str>, Purchase);

/// What a node is at.
#[derive(Default)]
struct Turns {
    buying: JoinSet<()>,
    following: JoinSet<()>,
    /// Of what is being bought: the lane of each, and how many there are of each lane.
    lanes: HashMap<task::Id, Lane>,
    held: HashMap<Lane, usize>,
    /// When something to label or to track was last taken.
    followed_at: Option<Instant>,
    /// Whether there was more to do than was taken.
    is_more: bool,
}

impl Turns {
    fn follows_max(&self) -> usize {
        if self.buying.len() < MANY { FOLLOWS_MAX } else { FOLLOWS_MAX_BESIDE_MANY }
    }

    /// How many more may be labelled or tracked now.
    fn room_to_follow(&self) -> usize {
        let is_resting = self.followed_at.is_some_and(|at| at.elapsed() < FOLLOW_REST_BESIDE_MANY);
        match is_resting && self.buying.len() >= MANY {
            true => 0,
            false => self.follows_max().saturating_sub(self.following.len()),
        }
    }

    fn buy(&mut self, service: &Service, (node, purchase): Claimed) {
        let lane = (purchase.account, purchase.batch);
        let task = self.buying.spawn(service.clone().turn(node, purchase));
        self.lanes.insert(task.id(), lane);
        *self.held.entry(lane).or_default() += 1;
    }

    fn bought(&mut self, service: &Service, ended: &Result<(task::Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => *id,
            Err(error) => error.id(),
        };
        service.check_turn(ended);
        let Some(lane) = self.lanes.remove(&id) else { return };
        if let Some(count) = self.held.get_mut(&lane) {
            *count -= 1;
            if *count == 0 {
                self.held.remove(&lane);
            }
        }
    }

    /// Takes note of all that has come to an end.
    fn gather(&mut self, service: &Service) {
        while let Some(ended) = self.buying.try_join_next_with_id() {
            self.bought(service, &ended);
        }
        while let Some(ended) = self.following.try_join_next() {
            service.check_turn(&ended);
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

    /// Changes when there may be something to do.
    pub(crate) fn purchasing_work(&self) -> watch::Receiver<u64> {
        self.0.purchasing.work.subscribe()
    }

    /// Whether the server is about to stop.
    pub(crate) fn purchasing_stop(&self) -> watch::Receiver<bool> {
        self.0.purchasing.is_stopping.subscribe()
    }

    pub(crate) fn purchasing_news(&self) -> watch::Receiver<u64> {
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
            self.begin_batches().await?;
            let mut turns = Turns::default();
            self.take_purchases(&mut turns).await?;
            self.take_bought(&mut turns).await?;
            if turns.buying.is_empty() && turns.following.is_empty() {
                return Ok(());
            }
            turns.buying.join_all().await;
            turns.following.join_all().await;
        }
    }

    /// Works until the server stops.
    pub(crate) async fn purchase_forever(self) {
        let mut work = self.0.purchasing.work.subscribe();
        let mut stop = self.0.purchasing.is_stopping.subscribe();
        let mut turns = Turns::default();
        let beginning = tokio::spawn(self.clone().begin_batches_forever());
        while !*stop.borrow_and_update() {
            turns.gather(&self);
            if let Err(error) = self.take_work(&mut turns).await {
                log::error("purchase", &error);
            }
            let under_way = turns.buying.len() + turns.following.len();
            self.0.purchasing.counts.turns.store(under_way as u64, Ordering::Relaxed);
            let (is_buying, is_following) = (turns.is_more && !turns.buying.is_empty(), turns.is_more);
            let follows_max = turns.follows_max();
            tokio::select! {
                _ = work.changed() => {}
                _ = stop.changed() => {}
                Some(ended) = turns.buying.join_next_with_id(), if is_buying => {
                    turns.bought(&self, &ended);
                    tokio::time::sleep(GATHER).await;
                }
                Some(ended) = turns.following.join_next(), if is_following && turns.following.len() >= follows_max => {
                    self.check_turn(&ended);
                }
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        let end = async {
            // What it has begun is committed, or is not: nobody waits for it.
            let _stopped = beginning.await;
            turns.buying.join_all().await;
            turns.following.join_all().await;
        };
        if tokio::time::timeout(STOP_TIME, end).await.is_err() {
            log::info("stop", "some carriers did not answer in time; what they did will be looked up");
        }
    }

    async fn take_work(&self, turns: &mut Turns) -> Result<()> {
        turns.is_more = false;
        self.take_purchases(turns).await?;
        self.take_bought(turns).await
    }

    /// A turn that panicked did not give back what it held.
    fn check_turn<T>(&self, ended: &Result<T, JoinError>) {
        if ended.is_err() {
            self.disown();
        }
    }

    /// Lets what is under way come to an end.
    pub(crate) fn stop_purchasing(&self) {
        self.0.purchasing.is_stopping.send_replace(true);
    }

    /// Takes what is to be bought, looked up or taken back, in fair shares.
    async fn take_purchases(&self, turns: &mut Turns) -> Result<()> {
        let now = self.now();
        let room = TURNS_MAX.saturating_sub(turns.buying.len());
        let Some(node) = self.node().filter(|_| room > 0) else { return Ok(()) };
        let lane_max = (self.settings().carriers.account_calls_max.max(1) * LANE_CALLS).min(TURNS_MAX);
        let read = self
            .db()
            .read(Access::System, async move |tx| purchases::due(tx, now, lane_max + 1, DUE_MAX).await);
        let due = read.await?;
        let all = due.len();
        let wanted = share(due, &turns.held, lane_max, room);
        turns.is_more |= wanted.len() < all;
        if wanted.is_empty() {
            return Ok(());
        }
        let name = Arc::clone(&node);
        let claim =
            self.db().write(Access::System, async move |tx| purchases::claim(tx, &name, &wanted, now).await);
        let claimed = self.check_claim(claim.await)?;
        fault!("after_claim");
        for purchase in claimed {
            turns.buy(self, (Arc::clone(&node), purchase));
        }
        Ok(())
    }

    /// Takes what was bought, and is to be labelled or tracked.
    async fn take_bought(&self, turns: &mut Turns) -> Result<()> {
        let now = self.now();
        let room = turns.room_to_follow();
        let Some(node) = self.node().filter(|_| room > 0) else { return Ok(()) };
        let read = self.db().read(Access::System, async move |tx| purchases::any_bought_due(tx, now).await);
        if !read.await? {
            return Ok(());
        }
        let name = Arc::clone(&node);
        let claim = self
            .db()
            .write(Access::System, async move |tx| purchases::claim_bought(tx, &name, now, room).await);
        let claimed = self.check_claim(claim.await)?;
        turns.is_more |= claimed.len() == room;
        turns.followed_at = Some(Instant::now());
        for purchase in claimed {
            turns.following.spawn(self.clone().turn(Arc::clone(&node), purchase));
        }
        Ok(())
    }

    /// Where a claim failed, some may have been claimed without our learning of it; not so where it was never begun.
    fn check_claim<T>(&self, claimed: Result<T>) -> Result<T> {
        claimed.inspect_err(|error| {
            if !is_busy(error) {
                self.disown();
            }
        })
    }

    /// A place among the calls to a purchase's account.
    pub(crate) async fn place(&self, purchase: &Purchase) -> Place {
        self.place_in_line(purchase.account, purchase.batch).await
    }

    /// A place among the calls to an account, for who stands in this line.
    pub(crate) async fn place_in_line(&self, account: Id<CarrierAccount>, line: Line) -> Place {
        let max = self.settings().carriers.account_calls_max;
        self.0.purchasing.places.take(account, line, max).await
    }
}
