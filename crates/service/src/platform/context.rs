//! What every component needs: the database, the time, randomness, the keys, and whom to notify after a commit. Time and
//! randomness are passed in, so that tests can repeat everything exactly.

use std::sync::Arc;

use model::platform::id::{Id, Kind};
use model::{Owner, Result, Timestamp};
use store::platform::clocks;
use store::{Access, Db};
use tokio_util::sync::CancellationToken;

use crate::platform::clock::{Clock, ClockState, Clocks, Moments};
use crate::platform::random::{Random, new_id};

/// Is told of every commit that wrote events.
pub trait AfterCommit: Send + Sync {
    fn committed(&self, owner: Owner);
}

/// The settings that every component may need.
#[derive(Clone)]
pub struct ContextSettings {
    /// Page size where the caller names none, and the largest there is.
    pub page_limit_default: usize,
    pub page_limit_max: usize,
    /// How long an answer is kept for a repeated request, in seconds.
    pub idempotency_seconds: i64,
    /// How long a call to a carrier may take, in seconds.
    pub call_seconds: u64,
    /// Signs cursors and file links. Nodes that share a database share it.
    pub signing_key: [u8; 32],
    /// Encrypts credentials at rest. Nodes that share a database share it.
    pub encryption_key: [u8; 32],
}

/// What every component needs. Clones share it.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    db: Db,
    clocks: Clocks,
    random: Arc<dyn Random>,
    settings: ContextSettings,
    after_commit: Arc<dyn AfterCommit>,
    stop: CancellationToken,
}

impl Context {
    pub(crate) fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        settings: ContextSettings,
        after_commit: Arc<dyn AfterCommit>,
    ) -> Self {
        let clocks = Clocks::new(clock);
        Self(Arc::new(Inner { db, clocks, random, settings, after_commit, stop: CancellationToken::new() }))
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    /// Is cancelled when background work is to end. The server then waits for turns that are under way.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    pub fn settings(&self) -> &ContextSettings {
        &self.0.settings
    }

    pub(crate) fn random(&self) -> &Arc<dyn Random> {
        &self.0.random
    }

    /// Fills the bytes with randomness.
    pub fn fill_random(&self, bytes: &mut [u8]) {
        self.0.random.fill(bytes);
    }

    /// Fills the bytes with randomness for a name that need not be secret.
    pub fn fill_random_name(&self, bytes: &mut [u8]) {
        self.0.random.fill_name(bytes);
    }

    pub(crate) fn new_id<K: Kind>(&self, now: Timestamp) -> Id<K> {
        new_id(&*self.0.random, now)
    }

    /// Wakes the tasks that number or send events. Call it after a commit that wrote events of this owner.
    pub(crate) fn notice(&self, owner: Owner) {
        self.0.after_commit.committed(owner);
    }

    /// The time, as everything here sees it. It never goes back while the process lives.
    pub fn now(&self) -> Timestamp {
        self.0.clocks.now()
    }

    /// The machine's own time: for those outside who compare it with theirs. It may go back.
    pub fn machine_time(&self) -> Timestamp {
        self.0.clocks.machine_time()
    }

    /// The time by which the age of something is judged: `now`, unless the clock has jumped.
    pub(crate) fn trusted_time(&self, now: Timestamp) -> Timestamp {
        self.0.clocks.trusted(now).unwrap_or(now)
    }

    /// Whether a heartbeat has read which time the installation has reached.
    pub(crate) fn has_trusted_time(&self) -> bool {
        self.0.clocks.trusted(self.now()).is_some()
    }

    /// The time by which things may be deleted for their age; `None` while the clock is not trusted.
    pub(crate) async fn pruning_time(&self) -> Result<Option<Timestamp>> {
        let read = self.db().read(Access::System, async |tx| clocks::database_time(tx).await);
        let database = read.await?.map(|told| self.0.clocks.database_time(told));
        Ok(self.0.clocks.pruning_time(database))
    }

    /// What an operator should know of the clocks.
    pub fn clock_state(&self) -> ClockState {
        self.0.clocks.state()
    }

    pub(crate) fn beat_moments(&self) -> Moments {
        let now = self.now();
        let call_seconds = self.settings().call_seconds as i64;
        Moments { now, trusted: self.0.clocks.trusted(now), call_seconds }
    }

    /// After a heartbeat's commit.
    pub(crate) fn reach(&self, now: Timestamp, trusted: Timestamp, repaired: Option<u64>) {
        self.0.clocks.reach(now, trusted, repaired);
    }
}
