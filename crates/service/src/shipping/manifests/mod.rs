//! Manifests: each is stored first, with its shipments; then the node that holds the manifest asks the carrier.
//!
//! ```text
//! creating → created        the carrier took it, or needs no manifest; the paper is stored
//!     │    ↘ failed         the carrier refused: the list stays, the shipments are free again
//!     └────→ creating       the carrier is working on it, or did not answer: it is asked again under the same reference
//! ```
//!
//! The shipments of a manifest have one account, one origin and one day. The origin is the version of the location that a
//! shipment was made from, or the address that it was given. The day is the one on which it is to be shipped, else the one on
//! which it was bought, and begins at midnight in UTC. None of it changes once a shipment is bought, so a change of the location
//! neither splits a manifest nor empties it.
//!
//! The request is safe to repeat: it contains the manifest's id, and the carrier answers with the state of that manifest.

mod close;
mod closing;
mod group;
mod next;
mod paper;
mod show;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use model::Result;
use store::Access;
use store::shipping::manifests::{self, StoredManifest};
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};

use crate::platform::context::Context;
use crate::platform::log;
use crate::platform::nodes::Nodes;
use crate::platform::signal::Signal;
use crate::shipping::carrier_accounts::CarrierAccounts;
use crate::shipping::carrier_calls::CarrierCalls;
use crate::shipping::documents::Documents;
use crate::shipping::purchasing::Purchasing;

/// Manifests that a node works on at once. One may have a hundred thousand shipments.
const TURNS_MAX: usize = 4;
/// How often a node polls for work without a notification: manifests become due with time, and other nodes die.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long calls may take to end once the server is told to stop. A manifest whose call does not end is asked for again.
const STOP_TIME: Duration = Duration::from_secs(20);

/// The state that all manifests of a node share.
struct State {
    /// Changes when there may be something to do.
    work: Signal,
    /// Changes when a turn has ended.
    news: Signal,
    is_stopping: watch::Sender<bool>,
}

impl Default for State {
    fn default() -> Self {
        Self { work: Signal::default(), news: Signal::default(), is_stopping: watch::channel(false).0 }
    }
}

/// Manifests: what a carrier collects, and the paper that its driver signs. Clones share their state.
#[derive(Clone)]
pub struct Manifests {
    context: Context,
    nodes: Nodes,
    calls: CarrierCalls,
    carrier_accounts: CarrierAccounts,
    documents: Documents,
    purchasing: Purchasing,
    state: Arc<State>,
}

/// The components that manifests need.
pub(crate) struct Needs<'a> {
    pub nodes: &'a Nodes,
    pub calls: &'a CarrierCalls,
    pub carrier_accounts: &'a CarrierAccounts,
    pub documents: &'a Documents,
    pub purchasing: &'a Purchasing,
}

impl Manifests {
    pub(crate) fn new(context: &Context, needs: &Needs<'_>) -> Self {
        Self {
            context: context.clone(),
            nodes: needs.nodes.clone(),
            calls: needs.calls.clone(),
            carrier_accounts: needs.carrier_accounts.clone(),
            documents: needs.documents.clone(),
            purchasing: needs.purchasing.clone(),
            state: Arc::default(),
        }
    }

    /// Notifies the claiming task that there may be a manifest to ask for.
    fn notify(&self) {
        self.state.work.notify();
    }

    /// Notifies waiting requests that a turn has ended.
    fn tell_manifesting(&self) {
        self.state.news.notify();
    }

    /// Works on everything that is due, and returns when nothing is: for tests and tools, which wait for no notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        self.close_due().await?;
        loop {
            let mut turns = JoinSet::new();
            for (node, manifest) in self.claim_manifests(TURNS_MAX).await? {
                turns.spawn(self.clone().manifest_turn(node, manifest));
            }
            if turns.is_empty() {
                return Ok(());
            }
            turns.join_all().await;
        }
    }

    /// Claims manifests and works on them until the server stops.
    pub(crate) async fn work_forever(self) {
        let mut work = self.state.work.subscribe();
        let mut stop = self.state.is_stopping.subscribe();
        let mut turns = JoinSet::new();
        while !*stop.borrow_and_update() {
            while let Some(ended) = turns.try_join_next() {
                self.check_manifest_turn(&ended);
            }
            if let Err(error) = self.close_due().await {
                log::error("closing", &error);
            }
            match self.claim_manifests(TURNS_MAX - turns.len()).await {
                Ok(claimed) => {
                    for (node, manifest) in claimed {
                        turns.spawn(self.clone().manifest_turn(node, manifest));
                    }
                }
                Err(error) => log::error("manifest", &error),
            }
            tokio::select! {
                _ = work.changed() => {}
                _ = stop.changed() => {}
                Some(ended) = turns.join_next(), if turns.len() == TURNS_MAX => self.check_manifest_turn(&ended),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        if tokio::time::timeout(STOP_TIME, turns.join_all()).await.is_err() {
            log::info(
                "stop",
                "some carriers did not answer in time; they are asked again for their manifests",
            );
        }
    }

    /// Rotates the node name if a turn panicked, because such a turn did not release its claim.
    fn check_manifest_turn(&self, ended: &Result<(), JoinError>) {
        if ended.is_err() {
            self.nodes.disown();
        }
    }

    /// Stops claiming. Turns under way may end.
    pub(crate) fn stop(&self) {
        self.state.is_stopping.send_replace(true);
    }

    async fn claim_manifests(&self, limit: usize) -> Result<Vec<(Arc<str>, StoredManifest)>> {
        let now = self.context.now();
        let Some(node) = self.nodes.node().filter(|_| limit > 0) else { return Ok(Vec::new()) };
        let read = self.context.db().read(Access::System, async move |tx| manifests::any_due(tx, now).await);
        if !read.await? {
            return Ok(Vec::new());
        }
        let name = Arc::clone(&node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| manifests::claim(tx, &name, now, limit).await);
        // If the claim failed, manifests may be claimed although the answer was lost. A claim rejected as busy never began.
        let claimed = self.nodes.check_claim(claim.await)?;
        Ok(claimed.into_iter().map(|manifest| (Arc::clone(&node), manifest)).collect())
    }
}
