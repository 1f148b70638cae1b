//! This node among the others that share its database. Its claims are valid while its lease is: each heartbeat, every few
//! seconds, extends the lease. Once the lease has expired, other nodes may take over the claims.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::{Code, Error, Result, Timestamp};
use store::platform::{nodes, restorations as store_restorations};
use store::{Access, Tx};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::platform::boxed::BoxFuture;
use crate::platform::context::Context;
use crate::platform::restorations::{self, Beat, Memory};
use crate::platform::runner::Lease;

/// How long a lease lasts after a heartbeat.
pub const ALIVE_SECONDS: i64 = 10;
/// How often a node writes a heartbeat.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(3);
/// Rows of stopped nodes are deleted after an hour.
const FORGET_SECONDS: i64 = 3600;
const NAME_BYTES: usize = 12;
/// Why a backup counts as restored if an operator reports it.
const BY_COMMAND: &str = "an operator said so";

const _: () = assert!(HEARTBEAT_EVERY.as_secs() * 3 < ALIVE_SECONDS as u64);

/// The identity of this node, as the other nodes see it.
#[derive(Default)]
pub struct Node {
    identity: Mutex<Option<Identity>>,
    /// Whether the last heartbeat could not be written.
    is_failing: AtomicBool,
}

#[derive(Clone)]
struct Identity {
    name: Arc<str>,
    /// When the node took this name.
    since: Timestamp,
    alive_until: Timestamp,
    /// Whether there may be claims under this name that no task of this node works on.
    is_disowned: bool,
}

impl Identity {
    fn lives(&self, now: Timestamp) -> bool {
        !self.is_disowned && now < self.alive_until
    }
}

impl Node {
    fn get(&self) -> Option<Identity> {
        self.identity.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the last heartbeat could not be written. Each heartbeat is a write, so this tells whether the database takes
    /// writes, without a write of its own.
    pub fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    /// Extends the lease of the name. A name that was disowned in the meantime stays disowned.
    fn extend(&self, name: Arc<str>, now: Timestamp, alive_until: Timestamp) {
        let mut identity = self.identity.lock().unwrap_or_else(PoisonError::into_inner);
        let known = identity.take().filter(|known| known.name == name);
        let is_disowned = known.as_ref().is_some_and(|known| known.is_disowned);
        let since = known.map_or(now, |known| known.since);
        *identity = Some(Identity { name, since, alive_until, is_disowned });
    }

    fn disown(&self) {
        let mut identity = self.identity.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(identity) = identity.as_mut() {
            identity.is_disowned = true;
        }
    }

    fn forget(&self) {
        *self.identity.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Is told when a heartbeat has found that a backup was restored.
pub trait AfterRestoration: Send + Sync {
    fn restored(&self) -> BoxFuture<'_, Result<()>>;
}

/// This node among the others: its name, its lease, and how far it has counted.
#[derive(Clone)]
pub struct Nodes {
    context: Context,
    node: Arc<Node>,
    memory: Arc<Memory>,
    after_restoration: Arc<dyn AfterRestoration>,
}

impl Nodes {
    pub(crate) fn new(context: &Context, after_restoration: Arc<dyn AfterRestoration>) -> Self {
        let (node, memory) = (Arc::default(), Arc::default());
        Self { context: context.clone(), node, memory, after_restoration }
    }

    /// Whether the last heartbeat could not be written.
    pub(crate) fn is_failing(&self) -> bool {
        self.node.is_failing()
    }

    /// Returns the name under which this node claims work, if its lease is valid.
    pub(crate) fn node(&self) -> Option<Arc<str>> {
        let now = self.context.now();
        self.node.get().filter(|identity| identity.lives(now)).map(|identity| identity.name)
    }

    /// Returns the name that this node has or had last, for the log: its lease may have expired.
    pub fn name(&self) -> Option<Arc<str>> {
        self.node.get().map(|identity| identity.name)
    }

    /// Returns for how long this node has had its name, in seconds: since it started, or since it last gave up a name.
    pub(crate) fn age_seconds(&self) -> i64 {
        let now = self.context.now();
        self.node.get().map_or(0, |identity| now.as_seconds() - identity.since.as_seconds())
    }

    /// Whether claims under this name are still this node's.
    pub(crate) fn is_node(&self, name: &str) -> bool {
        self.node().is_some_and(|node| *node == *name)
    }

    /// Writes a heartbeat: under the same name as before or, if the lease has expired, under a new one.
    pub async fn heartbeat(&self) -> Result<()> {
        let beat = self.beat().await;
        self.node.is_failing.store(beat.is_err(), Ordering::Relaxed);
        beat
    }

    async fn beat(&self) -> Result<()> {
        let before = self.node.get();
        self.beat_once(before.clone()).await?;
        let name = self.node.get().map(|identity| identity.name);
        let is_late =
            |before: Identity| name == Some(Arc::clone(&before.name)) && !before.lives(self.context.now());
        if before.is_some_and(is_late) {
            // The lease lapsed before its extension was committed, so other nodes may have claimed what it covers.
            self.disown();
            self.beat_once(self.node.get()).await?;
        }
        Ok(())
    }

    /// Extends the lease of this node's name. If the lease has lapsed, or there is none, the node takes a new name.
    async fn beat_once(&self, before: Option<Identity>) -> Result<()> {
        let is_first = before.is_none() && !self.context.db().is_shared();
        let mut random = [0; NAME_BYTES];
        self.context.fill_random(&mut random);
        let fresh: Arc<str> = random.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        let (seen, context) = (self.memory.seen(), self.context.clone());
        let beat = self.context.db().write(Access::System, async move |tx| {
            // Check for a restored backup before anything can be claimed: what is to be bought may have been bought already.
            let beat = restorations::beat(tx, seen, &context).await?;
            let (now, alive_until) = (beat.now, beat.now.plus_seconds(ALIVE_SECONDS));
            if is_first {
                // SQLite has one process at a time, so no other node lives: its claims are free.
                nodes::delete_all(tx).await?;
            }
            if let Some(before) = &before {
                if before.lives(now) && nodes::extend(tx, &before.name, alive_until, now).await? {
                    return Ok((Arc::clone(&before.name), beat));
                }
                nodes::delete(tx, &before.name).await?;
            }
            nodes::insert(tx, &fresh, alive_until).await?;
            nodes::delete_dead(tx, beat.trusted.plus_seconds(-FORGET_SECONDS)).await?;
            Ok((Arc::clone(&fresh), beat))
        });
        let (name, beat) = beat.await?;
        self.context.reach(beat.now, beat.trusted, beat.repaired);
        self.node.extend(name, beat.now, beat.now.plus_seconds(ALIVE_SECONDS));
        self.after_beat(beat).await
    }

    /// Makes the next heartbeat take a new name. Claims under the old name are then free, whether a lane still works on them
    /// or no task does.
    pub(crate) fn disown(&self) {
        self.node.disown();
    }

    /// Makes the next heartbeat take a new name if a claim failed: work may be claimed although the answer was lost. A claim that
    /// was rejected as busy never began.
    pub(crate) fn check_claim<T>(&self, claimed: Result<T>) -> Result<T> {
        claimed.inspect_err(|error| {
            if !is_busy(error) {
                self.disown();
            }
        })
    }

    /// Deletes this node's row, so that other nodes need not wait for its lease to expire before they take over its claims.
    pub(crate) async fn leave(&self) -> Result<()> {
        let Some(identity) = self.node.get() else { return Ok(()) };
        self.node.forget();
        self.context.db().write(Access::System, async move |tx| nodes::delete(tx, &identity.name).await).await
    }

    /// Writes heartbeats until the server stops. It ends between two heartbeats, so that none is written after the node gave up
    /// its name.
    pub(crate) async fn heartbeat_until(self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.heartbeat().await {
                warn!(%error, "heartbeat failed, retrying");
            }
            let _either = tokio::time::timeout(HEARTBEAT_EVERY, stop.cancelled()).await;
        }
    }

    /// Stores the mark in a file from now on, and checks whether the database was restored, before any request is served.
    pub async fn remember_at(&self, file: PathBuf) -> Result<()> {
        self.memory.keep_in(file);
        match self.heartbeat().await {
            // For example, the disk is full. Reads can be served, and nothing is bought before a heartbeat is written: only then
            // does this node have a name under which it can claim purchases.
            Err(error) if error.is_unavailable() => {
                warn!(%error, "first heartbeat failed: nothing is bought or sent before one succeeds");
                Ok(())
            }
            beat => beat,
        }
    }

    /// Records that a backup was restored, if no server could detect it. Returns how many purchases are looked up because of it.
    pub async fn record_restoration(&self) -> Result<u64> {
        let now = self.context.now();
        let record = async move |tx: &mut Tx<'_>| store_restorations::insert(tx, now, BY_COMMAND).await;
        self.context.db().write(Access::System, record).await
    }

    /// Stores the mark after a heartbeat's commit. If a backup was restored, makes clients reload what may be gone.
    async fn after_beat(&self, beat: Beat) -> Result<()> {
        self.memory.store(&beat).await;
        if let Some(doubted) = beat.doubted {
            warn!(
                purchases = doubted,
                "a backup was restored: these purchases are looked up before anything is bought"
            );
            self.after_restoration.restored().await?;
        }
        Ok(())
    }
}

impl Lease for Nodes {
    fn name(&self) -> Option<Arc<str>> {
        self.node()
    }

    fn give_up(&self) {
        self.disown();
    }
}

/// Whether the database rejected a transaction before it began, because it is overloaded.
pub(crate) fn is_busy(error: &Error) -> bool {
    matches!(error, Error::Refused(problem) if problem.code == Code::Overloaded)
}
