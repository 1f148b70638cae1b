//! Who calls with a session cookie.

use model::access::access_token::Secret;
use model::access::credential::CredentialKind;
use model::access::session::{BeganWith, IDLE_SECONDS};
use model::{AccessToken, Code, Id, Owner, Result, Session, Timestamp, World, ensure};
use store::access::sessions::{self, StoredSession};

use crate::access::access_tokens::AccessTokens;
use crate::access::caller::{Caller, CallerSession};
use crate::access::rights::Rights;

/// How much later than recorded a session may have been used, in seconds: recording each request would make each a write.
const SEEN_SECONDS: i64 = 300;

impl AccessTokens {
    /// Returns the caller whose session cookie this is, in one of the organisation's worlds.
    pub async fn authenticate_session(&self, cookie: &str, world: World) -> Result<Caller> {
        let organisation = CredentialKind::Session.organisation_of(cookie).ok_or(Code::Unauthenticated)?;
        let owner = Owner::live(organisation);
        let hash = Secret::hash(cookie);
        let caller = match self.cache.get(&hash) {
            Some(caller) => caller,
            None => {
                let revocations = self.cache.revocations();
                let read = self.context.db().read(owner, async move |tx| {
                    let Some(session) = sessions::by_hash(tx, organisation, hash).await? else {
                        return Ok(None);
                    };
                    let rights = Rights::of(tx, organisation, session.user).await?;
                    Ok(Some((session, rights)))
                });
                let (session, rights) = read.await?.ok_or(Code::Unauthenticated)?;
                let now = self.context.now();
                ensure(is_alive(&session, now), Code::Unauthenticated)?;
                self.record_use(organisation, &session, now).await?;
                let caller = caller_of(owner, &session, &rights);
                self.cache.put(hash, caller, revocations);
                caller
            }
        };
        ensure(caller.expires_at.is_none_or(|end| self.context.now() < end), Code::Unauthenticated)?;
        Ok(Caller { owner: Owner { organisation, world }, ..caller })
    }

    async fn record_use(
        &self,
        organisation: Id<model::Organisation>,
        session: &StoredSession,
        now: Timestamp,
    ) -> Result<()> {
        if now < session.seen_at.plus_seconds(SEEN_SECONDS) {
            return Ok(());
        }
        let id = session.id;
        let record = async move |tx: &mut store::Tx<'_>| sessions::set_seen(tx, organisation, id, now).await;
        self.context.db().write(Owner::live(organisation), record).await
    }
}

/// Returns whether the session has neither expired nor been unused for too long.
pub(crate) fn is_alive(session: &StoredSession, now: Timestamp) -> bool {
    now < session.expires_at && now < session.seen_at.plus_seconds(IDLE_SECONDS)
}

fn caller_of(owner: Owner, session: &StoredSession, rights: &Rights) -> Caller {
    Caller {
        owner,
        user: session.user,
        token: token_of(session.id),
        scopes: rights.scopes,
        expires_at: Some(session.expires_at),
        session: Some(CallerSession {
            id: session.id,
            began_with: session.began_with,
            created_at: session.created_at,
            expires_at: session.expires_at,
        }),
    }
}

/// Returns the id that stands for a session wherever a caller is named by its access token: the same bits.
pub(crate) fn token_of(session: Id<Session>) -> Id<AccessToken> {
    Id::from_bits(session.bits())
}

/// Returns the session that an access token's id stands for, if there is one with these bits.
pub(crate) fn session_of(token: Id<AccessToken>) -> Id<Session> {
    Id::from_bits(token.bits())
}

impl CallerSession {
    /// Returns whether the person has just proved here who they are. The proof of an identity provider does not count: who
    /// loses the account there must not keep a way in.
    pub(crate) fn is_recent(&self, now: Timestamp) -> bool {
        let end = self.created_at.plus_seconds(model::access::passkey::RECENT_SECONDS);
        self.began_with != BeganWith::OpenidConnect && now < end
    }

    /// Returns whether the person has just signed in with a link, and may set a password without the old one.
    pub(crate) fn is_fresh_link(&self, now: Timestamp) -> bool {
        let end = self.created_at.plus_seconds(model::access::session::LINK_SECONDS);
        self.began_with == BeganWith::Link && now < end
    }
}
