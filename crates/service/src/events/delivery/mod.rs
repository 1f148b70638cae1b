//! The delivery of events to webhook endpoints: at least once, in order while an endpoint succeeds.
//!
//! Each endpoint has a lane with a cursor of its own, so that a slow or dead endpoint does not delay the others. One node at
//! a time holds a lane. It records posts in groups, together with the cursor, in one transaction. After a kill, the lane
//! continues from the last record: events may arrive twice, and none is lost.

mod aside;
mod lane;
mod pages;
mod post;
mod record;
mod signature;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::events::webhook_delivery::RETRY_AFTER_SECONDS_MAX;
use model::{Id, Result, Timestamp};
use outbound::Outbound;
use store::Access;
use store::events::webhook_deliveries;
use store::events::webhook_lanes::{self, Held};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

pub use post::{Answer, Post, posted_body};
pub use signature::{SECRET_BYTES, Secrets};

use crate::events::webhook_endpoints::WebhookEndpoints;
use crate::platform::clock::DELIVERY_REST_SECONDS_MAX;
use crate::platform::context::Context;
use crate::platform::log;
use crate::platform::nodes::Nodes;
use crate::platform::signal::Signal;

/// Lanes that a node works on at once, and how many of them may belong to failing endpoints: however many endpoints fail,
/// healthy ones have room.
const LANES_MAX: usize = 512;
const ILL_LANES_MAX: usize = 128;
/// How often a node polls for lanes without a notification: retries become due with time, and a hint may be lost.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The shortest time between two claims, so that many writes cause one claim.
const LOOK_REST: Duration = Duration::from_millis(10);
/// How long lanes may take to end once the server is told to stop.
const STOP_TIME: Duration = Duration::from_secs(20);
/// The pause before a transaction that an overloaded database rejected is repeated.
const BUSY_REST: Duration = Duration::from_millis(50);
/// Lanes that use the database at once.
const TURNS: usize = 2;
/// Deliveries that one transaction deletes at most.
const CLEAN_MAX: i64 = 2000;

const _: () = assert!(ILL_LANES_MAX < LANES_MAX);
/// The longest `Retry-After` that is heeded, and its jitter, must be within the longest rest that clocks are repaired for.
const _: () = assert!(RETRY_AFTER_SECONDS_MAX * 5 / 4 <= DELIVERY_REST_SECONDS_MAX);

/// How long a lane that is resumed alone goes on after its first delivery.
const ALONE_TIME: Duration = Duration::from_secs(2);

/// The state that all lanes of a node share: permits and counters.
struct State {
    is_stopping: watch::Sender<bool>,
    /// Permits for the database: however many lanes there are, requests find it free.
    turns: Semaphore,
    pages: pages::Pages,
    counts: Counts,
}

/// Attempts since the start, and the lanes under way.
#[derive(Default)]
pub struct Counts {
    pub succeeded: AtomicU64,
    pub failed: AtomicU64,
    pub lanes: AtomicU64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            is_stopping: watch::channel(false).0,
            turns: Semaphore::new(TURNS),
            pages: pages::Pages::default(),
            counts: Counts::default(),
        }
    }
}

/// When a lane ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Linger {
    /// When it has nothing to do.
    Never,
    /// When it has had nothing to do for a while.
    ForNews,
    /// When it has nothing to do, or soon after its first delivery: the lane is a suspect. It records each delivery before it
    /// begins the next, so that a stop of the server counts against one delivery.
    Alone,
}

/// The delivery of events to webhook endpoints. Clones share its state.
#[derive(Clone)]
pub struct Delivery {
    context: Context,
    nodes: Nodes,
    outbound: Outbound,
    endpoints: WebhookEndpoints,
    /// Changes when an event becomes readable, and when there is anything else to deliver.
    news: Signal,
    state: Arc<State>,
}

impl Delivery {
    pub(crate) fn new(
        context: &Context,
        nodes: &Nodes,
        outbound: &Outbound,
        endpoints: &WebhookEndpoints,
        news: &Signal,
    ) -> Self {
        Self {
            context: context.clone(),
            nodes: nodes.clone(),
            outbound: outbound.clone(),
            endpoints: endpoints.clone(),
            news: news.clone(),
            state: Arc::default(),
        }
    }

    /// Returns the counters of this node.
    pub fn counts(&self) -> &Counts {
        &self.state.counts
    }

    /// Delivers all that is due, and returns when nothing is: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        loop {
            let mut lanes = JoinSet::new();
            for held in self.claim_lanes(LANES_MAX, ILL_LANES_MAX).await? {
                lanes.spawn(self.clone().run_lane(held, Linger::Never));
            }
            if lanes.is_empty() {
                return Ok(());
            }
            for ended in lanes.join_all().await {
                ended?;
            }
        }
    }

    /// Delivers until the server stops.
    pub(crate) async fn work_forever(self) {
        let mut news = self.news.subscribe();
        let mut stop = self.state.is_stopping.subscribe();
        let (mut sound, mut ill) = (JoinSet::new(), JoinSet::new());
        while !*stop.borrow_and_update() {
            while let Some(ended) = sound.try_join_next().or_else(|| ill.try_join_next()) {
                if ended.is_err() {
                    // A lane that panicked was not released.
                    self.nodes.disown();
                }
            }
            self.state.counts.lanes.store((sound.len() + ill.len()) as u64, Ordering::Relaxed);
            let room = LANES_MAX - ILL_LANES_MAX - sound.len();
            match self.claim_lanes(room, ILL_LANES_MAX - ill.len()).await {
                Ok(claimed) => {
                    for held in claimed {
                        let lanes = if held.health.failures > 0 { &mut ill } else { &mut sound };
                        lanes.spawn(self.clone().run_lane(held, Linger::ForNews));
                    }
                }
                Err(error) => log::error("deliver", &error),
            }
            tokio::time::sleep(LOOK_REST).await;
            tokio::select! {
                _ = news.changed() => {}
                _ = stop.changed() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        let end = async { tokio::join!(sound.join_all(), ill.join_all()) };
        if tokio::time::timeout(STOP_TIME, end).await.is_err() {
            log::info("stop", "some webhooks did not end in time; they will be sent again");
        }
    }

    /// Tells the lanes to end.
    pub(crate) fn stop(&self) {
        self.state.is_stopping.send_replace(true);
    }

    /// Claims lanes that have something to deliver: up to so many of healthy endpoints, and of failing ones.
    async fn claim_lanes(&self, sound: usize, ill: usize) -> Result<Vec<Held>> {
        let now = self.context.now();
        let Some(node) = self.nodes.node() else { return Ok(Vec::new()) };
        let read =
            self.context.db().read(Access::System, async move |tx| webhook_lanes::any_due(tx, now).await);
        if !read.await? {
            return Ok(Vec::new());
        }
        let claim = self.context.db().write(Access::System, async move |tx| {
            let mut lanes = webhook_lanes::claim(tx, &node, now, false, sound).await?;
            lanes.extend(webhook_lanes::claim(tx, &node, now, true, ill).await?);
            Ok(lanes)
        });
        self.nodes.check_claim(claim.await)
    }

    /// Deletes the deliveries of deleted endpoints, and those from before the moment, if there is one.
    pub(crate) async fn clean(&self, before: Option<Timestamp>) -> Result<()> {
        let before = before.map(|moment| Id::new(moment, [0; model::platform::id::RANDOM_BYTES]));
        let read = self.context.db().read(Access::System, async |tx| webhook_deliveries::endpoints(tx).await);
        for (owner, endpoint, is_gone) in read.await? {
            loop {
                let clean = self.context.db().write(owner, async move |tx| match before {
                    _ if is_gone => webhook_deliveries::delete_orphans(tx, owner, endpoint, CLEAN_MAX).await,
                    Some(id) => webhook_deliveries::delete_old(tx, owner, endpoint, id, CLEAN_MAX).await,
                    None => Ok(0),
                });
                if clean.await? < CLEAN_MAX as u64 {
                    break;
                }
            }
        }
        Ok(())
    }
}
