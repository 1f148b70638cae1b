//! This server among others that share its database. What it holds is its own while it lives: it says so every few
//! seconds, and what it held when it stopped saying so is free for the others.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::{Result, Timestamp};
use store::{Access, nodes};

use crate::{Service, log, restorations};

/// How long a node is taken to live after it last said so.
pub const ALIVE_SECONDS: i64 = 10;
/// How often it says so.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(3);
/// Nodes that stopped are forgotten after an hour.
const FORGET_SECONDS: i64 = 3600;
const NAME_BYTES: usize = 12;

const _: () = assert!(HEARTBEAT_EVERY.as_secs() * 3 < ALIVE_SECONDS as u64);

/// Who this server is to the others.
#[derive(Default)]
pub struct Node(Mutex<Option<Identity>>);

#[derive(Clone)]
struct Identity {
    name: Arc<str>,
    alive_until: Timestamp,
    /// Whether something may be held under this name that nobody here works on.
    is_disowned: bool,
}

impl Identity {
    fn lives(&self, now: Timestamp) -> bool {
        !self.is_disowned && now < self.alive_until
    }
}

impl Node {
    fn get(&self) -> Option<Identity> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lives under the name until then. What was disowned in the meantime stays so.
    fn extend(&self, name: Arc<str>, alive_until: Timestamp) {
        let mut identity = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_disowned = identity.as_ref().is_some_and(|known| known.is_disowned && known.name == name);
        *identity = Some(Identity { name, alive_until, is_disowned });
    }

    fn disown(&self) {
        let mut identity = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(identity) = identity.as_mut() {
            identity.is_disowned = true;
        }
    }

    fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Service {
    /// The name under which this server holds things, if it lives.
    pub(crate) fn node(&self) -> Option<Arc<str>> {
        let now = self.now();
        self.0.node.get().filter(|identity| identity.lives(now)).map(|identity| identity.name)
    }

    /// Whether what is held under this name is still ours.
    pub(crate) fn is_node(&self, name: &str) -> bool {
        self.node().is_some_and(|node| *node == *name)
    }

    /// Says that this server lives: under the same name as before or, where it was silent for too long, a new one.
    pub async fn heartbeat(&self) -> Result<()> {
        let now = self.now();
        let alive_until = now.plus_seconds(ALIVE_SECONDS);
        let before = self.0.node.get();
        let is_first = before.is_none() && !self.db().is_shared();
        let is_known = before.as_ref().is_some_and(|identity| identity.lives(now));
        let old = before.map(|identity| identity.name);
        let mut random = [0; NAME_BYTES];
        self.fill_random(&mut random);
        let fresh: Arc<str> = random.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        let seen = self.seen_beat();
        let beat = self.db().write(Access::System, async move |tx| {
            // Before anything can be held: what is to be bought may have been bought already.
            let beat = restorations::beat(tx, seen, now).await?;
            if is_first {
                // Nobody else can be at this database: whoever held something was killed.
                nodes::delete_all(tx).await?;
            }
            if let Some(old) = &old {
                if is_known && nodes::extend(tx, old, alive_until, now).await? {
                    return Ok((Arc::clone(old), beat));
                }
                nodes::delete(tx, old).await?;
            }
            nodes::insert(tx, &fresh, alive_until).await?;
            nodes::delete_dead(tx, now.plus_seconds(-FORGET_SECONDS)).await?;
            Ok((Arc::clone(&fresh), beat))
        });
        let (name, beat) = beat.await?;
        self.0.node.extend(name, alive_until);
        self.after_beat(beat).await
    }

    /// Takes a new name with the next heartbeat. What is held under the old one, by a lane that still works or by
    /// nobody, is free then.
    pub(crate) fn disown(&self) {
        self.0.node.disown();
    }

    /// Says that this server is no more, so that others need not wait to take over what it held.
    pub(crate) async fn leave(&self) -> Result<()> {
        let Some(identity) = self.0.node.get() else { return Ok(()) };
        self.0.node.forget();
        self.db().write(Access::System, async move |tx| nodes::delete(tx, &identity.name).await).await
    }

    pub(crate) async fn heartbeat_forever(self) {
        loop {
            if let Err(error) = self.heartbeat().await {
                log::error("heartbeat", &error);
            }
            tokio::time::sleep(HEARTBEAT_EVERY).await;
        }
    }
}
