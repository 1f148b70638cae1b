//! Whether clients of streams still have access. An access token may be revoked on any node or by the command line, or
//! expire; the connections and channels that depend on it must then end, too.
//!
//! Every access token that [`Streams::vouch`] has checked is watched. It is checked again every few seconds, and at once on a
//! hint; so a lost hint costs a few seconds.

use std::collections::BTreeSet;
use std::time::Duration;

use model::{AccessToken, Id, Owner, Result, Scopes, Timestamp};
use realtime::code::Disconnect;
use realtime::hub::Audience;
use realtime::session::ControlMessage;
use realtime::token::Grant;
use store::access::{access_tokens, provisions, sessions, users};
use store::{Access, Tx};
use tracing::warn;

use super::tokens::readable;
use super::watched::WatchedToken;
use crate::access::rights::Rights;
use crate::access::sessions::{is_alive, session_of};
use crate::events::bus::Hint;
use crate::events::stream::Streams;

/// How often all watched tokens are checked without a hint.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Tokens that one transaction checks.
const TOKENS_MAX: usize = 500;
/// How long a connection outlives its token, so that it can be refreshed.
const GRACE_SECONDS: i64 = 60;

impl Streams {
    /// Checks that the access token behind a client is valid and that its owner is provisioned; else returns how to disconnect.
    ///
    /// The token is watched before it is read, so that a later revocation finds it.
    pub async fn vouch(&self, grant: Grant) -> Result<Result<(), Disconnect>> {
        let Grant { owner, user, access_token: id } = grant;
        let until = self.context.now().plus_seconds(self.state.lives.longest() + GRACE_SECONDS);
        let token = WatchedToken { owner, user, scopes: Scopes::ALL, until };
        self.state.access.all().entry(id).or_insert(token).until = until;
        let read = self.context.db().read(owner, async move |tx| {
            let is_enabled =
                users::get(tx, owner.organisation, user).await?.is_some_and(|user| !user.is_disabled);
            let token = access_tokens::get(tx, owner, id).await?.filter(|_| is_enabled);
            Ok((token, provisions::exists(tx, owner).await?))
        });
        let (token, is_provisioned) = read.await?;
        let now = self.context.now();
        let is_valid = match token {
            Some(token) => token.is_alive(now) && token.user == user,
            None => self.has_session(grant, now).await?,
        };
        Ok(match is_valid {
            _ if !is_provisioned => Err(Disconnect::FORCE),
            false => Err(Disconnect::STATE_INVALIDATED),
            true => Ok(()),
        })
    }

    /// Returns whether the id stands for a session of the user that has not ended. Sessions belong to the live world.
    async fn has_session(&self, grant: Grant, now: Timestamp) -> Result<bool> {
        let organisation = grant.owner.organisation;
        let id = session_of(grant.access_token);
        let read = async move |tx: &mut Tx<'_>| sessions::get(tx, organisation, id).await;
        let session = self.context.db().read(Owner::live(organisation), read).await?;
        Ok(session.is_some_and(|session| session.user == grant.user && is_alive(&session, now)))
    }

    /// Ends what depends on a token or provision of the owner that was just taken away, on this node at once. An error is only
    /// logged, because the next periodic check does the same.
    pub(crate) async fn end_streams(&self, owner: Owner) {
        if let Err(error) = self.recheck_access(Some(owner)).await {
            warn!(%error, organisation = %owner, "checking the access of streams failed, retrying");
        }
    }

    /// Checks all watched tokens, or those of one owner, and ends the connections that have lost access.
    pub(crate) async fn recheck_access(&self, only: Option<Owner>) -> Result<()> {
        let now = self.context.now();
        let mut watched: Vec<(Id<AccessToken>, WatchedToken)> = {
            let mut all = self.state.access.all();
            all.retain(|_, token| now < token.until);
            all.iter().map(|(id, token)| (*id, *token)).collect()
        };
        watched.retain(|(_, token)| only.is_none_or(|only| only == token.owner));
        for some in watched.chunks(TOKENS_MAX) {
            self.recheck_tokens(some, now).await?;
        }
        Ok(())
    }

    async fn recheck_tokens(
        &self,
        watched: &[(Id<AccessToken>, WatchedToken)],
        now: Timestamp,
    ) -> Result<()> {
        let asked: Vec<(Owner, Id<AccessToken>)> =
            watched.iter().map(|(id, token)| (token.owner, *id)).collect();
        let owners: BTreeSet<Owner> = watched.iter().map(|(_, token)| token.owner).collect();
        let owners: Vec<Owner> = owners.into_iter().collect();
        let read = self.context.db().read(Access::System, async move |tx| {
            let tokens = access_tokens::some(tx, &asked).await?;
            let others: Vec<_> = asked
                .iter()
                .filter(|(_, id)| !tokens.iter().any(|token| token.id == *id))
                .map(|(owner, id)| (owner.organisation, session_of(*id)))
                .collect();
            let sessions = sessions::some(tx, &others).await?;
            Ok((tokens, sessions, provisions::some(tx, &owners).await?))
        });
        let (tokens, sessions, provisioned) = read.await?;
        for (id, token) in watched {
            if !provisioned.contains(&token.owner) {
                self.hub().send_control(
                    Audience::Owner(token.owner),
                    ControlMessage::Disconnect(Disconnect::FORCE),
                );
                self.state.access.all().remove(id);
                continue;
            }
            let by_token = tokens.iter().find(|found| found.id == *id && found.is_alive(now));
            let by_session = || {
                let found = sessions.iter().find(|(session, _)| session.id == session_of(*id));
                let (_, roles) = found.filter(|(session, _)| is_alive(session, now))?;
                Rights::sum(roles.iter().cloned()).ok().map(|rights| rights.scopes)
            };
            match by_token.map(|found| found.scopes).or_else(by_session) {
                Some(scopes) => self.narrow(*id, *token, scopes),
                None => {
                    self.hub().send_control(token.audience(), ControlMessage::RevokeToken(*id));
                    self.state.access.all().remove(id);
                }
            }
        }
        Ok(())
    }

    /// Revokes the channels of resources that the token may no longer read.
    fn narrow(&self, id: Id<AccessToken>, token: WatchedToken, scopes: Scopes) {
        let before = match self.state.access.all().get_mut(&id) {
            Some(token) => std::mem::replace(&mut token.scopes, scopes),
            None => return,
        };
        for resource in readable(before.without(scopes)) {
            let order = ControlMessage::RevokeResource { access_token: id, resource };
            self.hub().send_control(token.audience(), order);
        }
    }

    /// Checks the watched tokens and the epoch, on a hint or periodically, until the process ends.
    pub(crate) async fn watch_access_forever(self) {
        let mut hints = self.bus.hints();
        loop {
            let wait = async { while matches!(hints.recv().await, Ok(hint) if hint != Hint::Access) {} };
            let _either = tokio::time::timeout(LOOK_EVERY, wait).await;
            if let Err(error) = self.recheck_access(None).await {
                warn!(%error, "checking the access of streams failed, retrying");
            }
            if let Err(error) = self.epochs.read_epoch().await {
                warn!(%error, "reading the epoch of the log failed, retrying");
            }
        }
    }
}
