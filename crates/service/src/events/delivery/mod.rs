//! The delivery of events to webhook endpoints: at least once, in order while an endpoint succeeds.
//!
//! Each endpoint has a lane with a cursor of its own, so that a slow or dead endpoint does not delay the others. One node at
//! a time holds a lane. It records posts in groups, together with the cursor, in one transaction. After a kill, the lane
//! continues from the last record: events may arrive twice, and none is lost.

mod aside;
mod claim;
mod lane;
mod pages;
mod post;
mod record;
mod signature;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use model::events::webhook_delivery::RETRY_AFTER_SECONDS_MAX;
use model::{Id, Result, Timestamp};
use outbound::Outbound;
use store::Access;
use store::events::webhook_deliveries;
use tokio::sync::Semaphore;

pub use post::{Answer, Post, posted_body};
pub use signature::{SECRET_BYTES, Secrets};

use crate::events::webhook_endpoints::WebhookEndpoints;
use crate::platform::clock::DELIVERY_REST_SECONDS_MAX;
use crate::platform::context::Context;
use crate::platform::nodes::Nodes;
use crate::platform::runner::{self, Totals};
use crate::platform::signal::Signal;

/// The pause before a transaction that an overloaded database rejected is repeated.
const BUSY_REST: Duration = Duration::from_millis(50);
/// Lanes that use the database at once.
const TURNS: usize = 2;
/// Deliveries that one transaction deletes at most.
const CLEAN_MAX: i64 = 2000;

/// The longest `Retry-After` that is heeded, and its jitter, must be within the longest rest that clocks are repaired for.
const _: () = assert!(RETRY_AFTER_SECONDS_MAX * 5 / 4 <= DELIVERY_REST_SECONDS_MAX);

/// How long a lane that is resumed alone goes on after its first delivery.
const ALONE_TIME: Duration = Duration::from_secs(2);

/// The state that all lanes of a node share: permits and counters.
struct State {
    /// Permits for the database: however many lanes there are, requests find it free.
    turns: Semaphore,
    pages: pages::Pages,
    counts: Counts,
    turn_counts: Arc<runner::Counts>,
}

/// Attempts since the start.
#[derive(Default)]
pub struct Counts {
    pub succeeded: AtomicU64,
    pub failed: AtomicU64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            turns: Semaphore::new(TURNS),
            pages: pages::Pages::default(),
            counts: Counts::default(),
            turn_counts: Arc::default(),
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

    /// Returns the counters of this node's lanes.
    pub fn turn_totals(&self) -> Totals {
        self.state.turn_counts.totals()
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
