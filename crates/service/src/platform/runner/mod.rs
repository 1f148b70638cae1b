//! The runner of background work. It claims what is due, on a notification and periodically in case a notification was lost or
//! another node died, and works on each claimed item in a turn, as a task of its own.
//!
//! A claim is valid while the node's lease is, and each item has a fence: a turn that lost its claim can record nothing. A turn
//! that panics does not release its claim, so the node then gives up its name, and all of its claims are free.
//!
//! There are two classes of turns. `Main` is the work itself; `Side` has turns of its own, so that it takes none from the main
//! work. Which of the due items are claimed is the job's decision, and so is fairness among them.

mod counts;
#[cfg(test)]
mod tests;

use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use model::Result;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::warn;

pub use counts::{Counts, Totals};

/// The longest pause after claims that failed. The pause doubles with each failure in a row.
const FAILED_PAUSE_MAX: Duration = Duration::from_secs(1);

/// The class of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Main,
    Side,
}

/// One value for each class.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct PerClass<T> {
    pub main: T,
    pub side: T,
}

/// What a runner must know of a job.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The name of the job in metrics and in the log.
    pub name: &'static str,
    /// Turns that a node has under way at once.
    pub turns_max: PerClass<usize>,
    /// How often the job looks for work without a notification: items become due with time, and other nodes die.
    pub look_every: Duration,
    /// The shortest time between two claims, so that many notifications cause one claim.
    pub rest: Duration,
    /// How long the runner waits for other turns to end after one has, before it claims more.
    pub gather: Duration,
    /// How long turns may take to end once the server is told to stop.
    pub stop_time: Duration,
    /// What happens to the items of turns that do not end in time.
    pub unfinished: &'static str,
}

/// The turns that are under way, and how many more may begin.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct TurnCapacity {
    pub under_way: PerClass<usize>,
    pub free: PerClass<usize>,
}

/// Items that were claimed, and whether more were due than were claimed.
pub struct Claimed<I> {
    pub items: Vec<(Class, I)>,
    pub has_more: PerClass<bool>,
}

impl<I> Claimed<I> {
    /// Returns claimed items of the main class.
    pub fn main(items: impl IntoIterator<Item = I>) -> Self {
        let items = items.into_iter().map(|item| (Class::Main, item)).collect();
        Self { items, has_more: PerClass::default() }
    }
}

/// A kind of background work.
pub trait Job: Send + 'static {
    /// An item that this node has claimed.
    type Item: Send + 'static;

    const PLAN: Plan;

    /// Claims due items under this name, as many as there is capacity for.
    fn claim(
        &mut self,
        node: &Arc<str>,
        capacity: TurnCapacity,
    ) -> impl Future<Output = Result<Claimed<Self::Item>>> + Send;

    /// Works on an item, and releases its claim. An error is logged by the turn itself.
    fn turn(&self, node: Arc<str>, item: Self::Item) -> impl Future<Output = Result<()>> + Send + 'static;

    /// Ends when more of the main class may be claimed although no turn has ended.
    fn freed(&self) -> impl Future<Output = ()> + Send {
        pending()
    }
}

/// The lease under which a node claims.
pub trait Lease: Clone + Send + Sync + 'static {
    /// Returns the name under which this node claims, if its lease is valid.
    fn name(&self) -> Option<Arc<str>>;

    /// Gives up the name, because there may be claims under it that no task works on.
    fn give_up(&self);
}

/// How a turn ended.
type Ended = std::result::Result<Result<()>, JoinError>;

/// Runs a job until the server stops.
pub struct Runner<J, L> {
    job: J,
    lease: L,
    wake: watch::Receiver<u64>,
    stop: CancellationToken,
    counts: Arc<Counts>,
    turns: PerClass<JoinSet<Result<()>>>,
    /// For each class, whether the end of a turn makes capacity for an item that is due.
    has_more: PerClass<bool>,
    claimed_at: Option<Instant>,
    /// Claims that failed in a row.
    failures: u32,
}

impl<J: Job, L: Lease> Runner<J, L> {
    pub fn new(
        job: J,
        lease: &L,
        wake: watch::Receiver<u64>,
        stop: &CancellationToken,
        counts: &Arc<Counts>,
    ) -> Self {
        Self {
            job,
            lease: lease.clone(),
            wake,
            stop: stop.clone(),
            counts: Arc::clone(counts),
            turns: PerClass::default(),
            has_more: PerClass::default(),
            claimed_at: None,
            failures: 0,
        }
    }

    /// Claims items and works on them until the server stops. Turns that are under way then have some time to end.
    pub async fn run(mut self) {
        while !self.stop.is_cancelled() {
            self.collect();
            self.wake.mark_unchanged();
            self.claim().await;
            self.wait().await;
        }
        self.drain().await;
    }

    fn capacity(&self) -> TurnCapacity {
        let under_way = PerClass { main: self.turns.main.len(), side: self.turns.side.len() };
        let max = J::PLAN.turns_max;
        let free = PerClass {
            main: max.main.saturating_sub(under_way.main),
            side: max.side.saturating_sub(under_way.side),
        };
        TurnCapacity { under_way, free }
    }

    /// Collects the turns that have ended.
    fn collect(&mut self) {
        for turns in [&mut self.turns.main, &mut self.turns.side] {
            while let Some(ended) = turns.try_join_next() {
                note(&ended, &self.lease, &self.counts);
            }
        }
    }

    /// Claims what is due, and begins its turns.
    async fn claim(&mut self) {
        self.has_more = PerClass::default();
        let Some(node) = self.lease.name() else { return };
        let claimed = self.job.claim(&node, self.capacity()).await;
        self.claimed_at = Some(Instant::now());
        match claimed {
            Ok(claimed) => {
                self.failures = 0;
                self.begin(&node, claimed);
            }
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                self.counts.count_failed_claim();
                warn!(%error, job = J::PLAN.name, "claiming work failed, retrying");
            }
        }
    }

    fn begin(&mut self, node: &Arc<str>, claimed: Claimed<J::Item>) {
        self.counts.count_claimed(claimed.items.len());
        for (class, item) in claimed.items {
            let turns = match class {
                Class::Main => &mut self.turns.main,
                Class::Side => &mut self.turns.side,
            };
            turns.spawn(self.job.turn(Arc::clone(node), item));
        }
        let capacity = self.capacity();
        self.counts.set_under_way(capacity.under_way.main + capacity.under_way.side);
        self.has_more = PerClass {
            main: claimed.has_more.main || capacity.free.main == 0,
            side: claimed.has_more.side || capacity.free.side == 0,
        };
    }

    /// Waits until there may be something to claim, or the server stops.
    async fn wait(&mut self) {
        let plan = J::PLAN;
        let Self { job, lease, wake, stop, counts, turns, has_more, claimed_at, failures } = self;
        if *failures > 0 {
            let pause = plan.look_every.saturating_mul(1 << (*failures).min(8)).min(FAILED_PAUSE_MAX);
            let _either = tokio::time::timeout(pause, stop.cancelled()).await;
            return;
        }
        if let Some(at) = claimed_at.filter(|_| !plan.rest.is_zero()) {
            tokio::time::sleep_until(at + plan.rest).await;
        }
        let has_ended = tokio::select! {
            () = stop.cancelled() => false,
            _ = wake.changed() => false,
            ended = next_ended(turns, *has_more) => {
                note(&ended, lease, counts);
                true
            }
            () = job.freed(), if has_more.main => true,
            () = tokio::time::sleep(plan.look_every) => false,
        };
        if has_ended && !plan.gather.is_zero() {
            tokio::time::sleep(plan.gather).await;
        }
    }

    async fn drain(mut self) {
        let (lease, counts) = (&self.lease, &self.counts);
        let turns = &mut self.turns;
        let end = async {
            for turns in [&mut turns.main, &mut turns.side] {
                while let Some(ended) = turns.join_next().await {
                    note(&ended, lease, counts);
                }
            }
        };
        if tokio::time::timeout(J::PLAN.stop_time, end).await.is_err() {
            warn!(job = J::PLAN.name, "{}", J::PLAN.unfinished);
        }
        self.counts.set_under_way(0);
    }
}

/// Waits for the end of a turn of a class that has more to do.
async fn next_ended(turns: &mut PerClass<JoinSet<Result<()>>>, has_more: PerClass<bool>) -> Ended {
    poll_fn(|context| {
        for (turns, has_more) in [(&mut turns.main, has_more.main), (&mut turns.side, has_more.side)] {
            if has_more && let Poll::Ready(Some(ended)) = turns.poll_join_next(context) {
                return Poll::Ready(ended);
            }
        }
        Poll::Pending
    })
    .await
}

/// Counts a turn that has ended. If it panicked, its claim was not released.
fn note(ended: &Ended, lease: &impl Lease, counts: &Counts) {
    match ended {
        Ok(result) => counts.count_ended(result.is_ok()),
        Err(_) => {
            counts.count_panicked();
            lease.give_up();
        }
    }
}

/// Works once on everything that is due, and returns whether there was anything: for tests and tools, which wait for no
/// notification. Fails if a turn failed.
pub async fn work_once<J: Job>(job: &mut J, lease: &impl Lease) -> Result<bool> {
    let Some(node) = lease.name() else { return Ok(false) };
    let capacity = TurnCapacity { under_way: PerClass::default(), free: J::PLAN.turns_max };
    let claimed = job.claim(&node, capacity).await?;
    let mut turns = JoinSet::new();
    for (_, item) in claimed.items {
        turns.spawn(job.turn(Arc::clone(&node), item));
    }
    let is_any = !turns.is_empty();
    turns.join_all().await.into_iter().collect::<Result<()>>()?;
    Ok(is_any)
}
