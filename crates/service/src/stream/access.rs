//! Whether those who listen still may. A token is revoked on any node, by the command line, or ends by itself; what
//! it opened must end too.
//!
//! Every access token that was vouched for is watched. It is looked at again every few seconds, and at once when
//! somebody says that something changed; so a lost hint costs seconds, never forever.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{AccessToken, Id, Owner, Result, Scopes, Timestamp, User};
use realtime::code::Disconnect;
use realtime::hub::Audience;
use realtime::session::ControlMessage;
use realtime::token::Grant;
use store::{Access, access_tokens, provisions};

use super::tokens::readable;
use crate::bus::Hint;
use crate::{Service, log};

/// How often all are looked at without a hint.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Tokens that one transaction looks at.
const TOKENS_MAX: usize = 500;
/// A connection lives on for a while after its token, so that it can be refreshed.
const GRACE_SECONDS: i64 = 60;

/// The access tokens on which something here may lean.
#[derive(Default)]
pub struct Watched(Mutex<HashMap<Id<AccessToken>, Lean>>);

/// What is known of such a token.
#[derive(Clone, Copy)]
struct Lean {
    owner: Owner,
    user: Id<User>,
    scopes: Scopes,
    /// Nothing leans on it any more once its stream tokens have ended; each new one is vouched for anew.
    until: Timestamp,
}

impl Lean {
    /// Whoever may lean on the token: only its user's connections, of which there are few.
    fn audience(self) -> Audience {
        Audience::User { organisation: self.owner.organisation, user: self.user }
    }
}

impl Watched {
    fn all(&self) -> MutexGuard<'_, HashMap<Id<AccessToken>, Lean>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    /// Whether the access token behind a client still lives, and its owner is provisioned; else, how to close.
    ///
    /// It is watched before it is looked up: whoever revokes it later finds it.
    pub async fn vouch(&self, grant: Grant) -> Result<Result<(), Disconnect>> {
        let Grant { owner, user, access_token: id } = grant;
        let until = self.now().plus_seconds(self.streams().lives.longest() + GRACE_SECONDS);
        let lean = Lean { owner, user, scopes: Scopes::ALL, until };
        self.streams().access.all().entry(id).or_insert(lean).until = until;
        let read = self.db().read(owner, async move |tx| {
            Ok((access_tokens::get(tx, owner, id).await?, provisions::exists(tx, owner).await?))
        });
        let (token, is_provisioned) = read.await?;
        let now = self.now();
        Ok(match token.filter(|token| token.is_alive(now) && token.user == user) {
            _ if !is_provisioned => Err(Disconnect::FORCE),
            None => Err(Disconnect::STATE_INVALIDATED),
            Some(_) => Ok(()),
        })
    }

    /// Called when a token or a provision of the owner was taken away: ends what leaned on it, on this node at once.
    /// It was taken away already, so what fails here is done by the next look.
    pub(crate) async fn end_streams(&self, owner: Owner) {
        if let Err(error) = self.recheck_access(Some(owner)).await {
            log::error("streams", &error);
        }
    }

    /// Looks at all that is watched, or at what one owner has, and ends what leans on nothing.
    pub(crate) async fn recheck_access(&self, only: Option<Owner>) -> Result<()> {
        let now = self.now();
        let mut watched: Vec<(Id<AccessToken>, Lean)> = {
            let mut all = self.streams().access.all();
            all.retain(|_, lean| now < lean.until);
            all.iter().map(|(id, lean)| (*id, *lean)).collect()
        };
        watched.retain(|(_, lean)| only.is_none_or(|only| only == lean.owner));
        for some in watched.chunks(TOKENS_MAX) {
            self.recheck_tokens(some, now).await?;
        }
        Ok(())
    }

    async fn recheck_tokens(&self, watched: &[(Id<AccessToken>, Lean)], now: Timestamp) -> Result<()> {
        let asked: Vec<(Owner, Id<AccessToken>)> =
            watched.iter().map(|(id, lean)| (lean.owner, *id)).collect();
        let owners: BTreeSet<Owner> = watched.iter().map(|(_, lean)| lean.owner).collect();
        let owners: Vec<Owner> = owners.into_iter().collect();
        let read = self.db().read(Access::System, async move |tx| {
            Ok((access_tokens::some(tx, &asked).await?, provisions::some(tx, &owners).await?))
        });
        let (tokens, provisioned) = read.await?;
        for (id, lean) in watched {
            if !provisioned.contains(&lean.owner) {
                self.hub()
                    .send_control(Audience::Owner(lean.owner), ControlMessage::Disconnect(Disconnect::FORCE));
                self.streams().access.all().remove(id);
                continue;
            }
            match tokens.iter().find(|token| token.id == *id && token.is_alive(now)) {
                Some(token) => self.narrow(*id, *lean, token.scopes),
                None => {
                    self.hub().send_control(lean.audience(), ControlMessage::RevokeToken(*id));
                    self.streams().access.all().remove(id);
                }
            }
        }
        Ok(())
    }

    /// Takes away the channels of what the token may not read any more.
    fn narrow(&self, id: Id<AccessToken>, lean: Lean, scopes: Scopes) {
        let before = match self.streams().access.all().get_mut(&id) {
            Some(lean) => std::mem::replace(&mut lean.scopes, scopes),
            None => return,
        };
        for resource in readable(before.without(scopes)) {
            let order = ControlMessage::RevokeResource { access_token: id, resource };
            self.hub().send_control(lean.audience(), order);
        }
    }

    /// Looks at the watched until the process ends, on a hint or when it is time; and at the epoch.
    pub(crate) async fn watch_access_forever(self) {
        let mut hints = self.hints();
        loop {
            let wait = async { while matches!(hints.recv().await, Ok(hint) if hint != Hint::Access) {} };
            let _either = tokio::time::timeout(LOOK_EVERY, wait).await;
            if let Err(error) = self.recheck_access(None).await {
                log::error("streams", &error);
            }
            if let Err(error) = self.read_epoch().await {
                log::error("streams", &error);
            }
        }
    }
}
