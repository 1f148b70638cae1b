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
use store::Access;
use store::access::{access_tokens, provisions};
use tracing::warn;

use super::tokens::readable;
use super::watched::WatchedToken;
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
            Ok((access_tokens::get(tx, owner, id).await?, provisions::exists(tx, owner).await?))
        });
        let (token, is_provisioned) = read.await?;
        let now = self.context.now();
        Ok(match token.filter(|token| token.is_alive(now) && token.user == user) {
            _ if !is_provisioned => Err(Disconnect::FORCE),
            None => Err(Disconnect::STATE_INVALIDATED),
            Some(_) => Ok(()),
        })
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
            Ok((access_tokens::some(tx, &asked).await?, provisions::some(tx, &owners).await?))
        });
        let (tokens, provisioned) = read.await?;
        for (id, token) in watched {
            if !provisioned.contains(&token.owner) {
                self.hub().send_control(
                    Audience::Owner(token.owner),
                    ControlMessage::Disconnect(Disconnect::FORCE),
                );
                self.state.access.all().remove(id);
                continue;
            }
            match tokens.iter().find(|found| found.id == *id && found.is_alive(now)) {
                Some(found) => self.narrow(*id, *token, found.scopes),
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
