//! Revoking access tokens: one, and with it those that it made.
//!
//! A token that leaked may have made others. They are revoked with it, unless the caller says that they are known and
//! needed. What was traded for a token at `/oauth/token` always goes with it: it stands for the token itself.

use std::collections::BTreeSet;

use model::{AccessToken, Code, Id, Owner, Problem, Result, User, ensure};
use realtime::code::Disconnect;
use store::access::access_tokens;
use store::access::access_tokens::Revoked;
use store::{Access, Tx};

use crate::access::access_tokens::{AccessTokens, etag};
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::bus::{Bus, Hint};
use crate::events::stream::{Streams, centrifugo};
use crate::platform::context::Context;
use crate::platform::resource::found;

/// Which tokens a revocation takes beside the named one and those traded for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Children {
    /// All that it made, and what those made.
    Revoke,
    /// None: they become those of the revoked token's own creator.
    Keep,
}

/// Revokes access tokens, and ends what depends on them.
#[derive(Clone)]
pub struct Revocations {
    context: Context,
    access_tokens: AccessTokens,
    bus: Bus,
    streams: Streams,
}

impl Revocations {
    pub(crate) fn new(context: &Context, access_tokens: &AccessTokens, bus: &Bus, streams: &Streams) -> Self {
        let (access_tokens, bus, streams) = (access_tokens.clone(), bus.clone(), streams.clone());
        Self { context: context.clone(), access_tokens, bus, streams }
    }

    /// Revokes a token that has no more rights than the caller's.
    pub async fn revoke(&self, command: Command, id: Id<AccessToken>, children: Children) -> Result<Reply> {
        let caller = command.caller;
        let owner = caller.owner;
        let precondition = command.precondition.clone();
        let delete = async move |tx: &mut Tx<'_>| {
            let token = found(access_tokens::get(tx, owner, id).await?)?;
            ensure_covered(&caller, &token)?;
            ensure_current(&precondition, &etag())?;
            Ok(Reply::revoked(revoke(tx, &token, children).await?))
        };
        let reply = self.context.write(&command, delete).await;
        self.access_tokens.forget_callers();
        self.streams.end_streams(owner).await;
        self.bus.hint_access(&reply);
        reply
    }

    /// Revokes any organisation's token, for the operator, and returns all that were revoked. Other nodes hear of it with
    /// [`Bus::send`].
    pub async fn revoke_any(&self, id: Id<AccessToken>, children: Children) -> Result<Vec<Id<AccessToken>>> {
        let work = self.context.db().write(Access::System, async move |tx| {
            let owner = found(access_tokens::owner_of(tx, id).await?)?;
            let token = found(access_tokens::get(tx, owner, id).await?)?;
            revoke(tx, &token, children).await
        });
        let revoked = work.await?;
        self.access_tokens.forget_callers();
        self.bus.hint(Hint::Access);
        Ok(revoked)
    }
}

/// Refuses a caller that would take away rights it does not have: a narrow token must not be able to lock out the others.
fn ensure_covered(caller: &Caller, token: &AccessToken) -> Result<()> {
    if caller.scopes.covers(token.scopes) {
        return Ok(());
    }
    let lacking = token.scopes.without(caller.scopes);
    let detail =
        format!("You can revoke tokens with no more scopes than yours. Your token lacks: {lacking}.");
    Err(Problem::from(Code::InsufficientScope).with_detail(detail).into())
}

/// Deletes the token and what goes with it, and marks the streams of their users to be ended. Returns the ids of those that
/// lists show, the named one first.
async fn revoke(tx: &mut Tx<'_>, token: &AccessToken, children: Children) -> Result<Vec<Id<AccessToken>>> {
    let revoked = match children {
        Children::Revoke => access_tokens::delete(tx, token.owner, token.id).await?,
        Children::Keep => access_tokens::delete_alone(tx, token).await?,
    };
    ensure(!revoked.is_empty(), Code::NotFound)?;
    end_external_streams(tx, token.owner, &revoked).await?;
    let is_shown = |gone: &&Revoked| gone.id == token.id || !gone.is_traded;
    Ok(revoked.iter().filter(is_shown).map(|gone| gone.id).collect())
}

async fn end_external_streams(tx: &mut Tx<'_>, owner: Owner, revoked: &[Revoked]) -> Result<()> {
    let users: BTreeSet<Id<User>> = revoked.iter().map(|gone| gone.user).collect();
    for user in users {
        centrifugo::end(tx, owner, Some(user), Disconnect::STATE_INVALIDATED).await?;
    }
    Ok(())
}
