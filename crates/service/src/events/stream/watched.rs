//! The access tokens that a node watches, because connections of its clients depend on them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{AccessToken, Id, Owner, Scopes, Timestamp, User};
use realtime::hub::Audience;

/// The access tokens on which connections of this node may depend.
#[derive(Default)]
pub struct Watched(Mutex<HashMap<Id<AccessToken>, WatchedToken>>);

/// What this node knows about a watched token.
#[derive(Clone, Copy)]
pub struct WatchedToken {
    pub owner: Owner,
    pub user: Id<User>,
    pub scopes: Scopes,
    /// The time after which no stream token depends on it any more. Each new stream token is checked anew.
    pub until: Timestamp,
}

impl WatchedToken {
    /// Returns the connections that may depend on the token: those of its user, of which there are few.
    pub fn audience(self) -> Audience {
        Audience::User { organisation: self.owner.organisation, user: self.user }
    }
}

impl Watched {
    pub fn all(&self) -> MutexGuard<'_, HashMap<Id<AccessToken>, WatchedToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
