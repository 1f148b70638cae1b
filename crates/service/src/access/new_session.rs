//! A session as it begins, whatever the person proved who they are with.

use std::net::IpAddr;

use model::access::access_token::{SECRET_BYTES, Secret};
use model::access::credential::CredentialKind;
use model::access::session::{BeganWith, IDLE_SECONDS, SESSION_SECONDS, SessionView, USER_AGENT_CHARS_MAX};
use model::{Id, Organisation, Result, Session};
use store::Tx;
use store::access::sessions::{self, StoredSession};
use store::access::users::StoredUser;

use crate::access::reply::Reply;
use crate::platform::context::Context;
use crate::platform::resource::json;

/// Where a sign-in comes from.
#[derive(Clone, Default)]
pub struct SignInOrigin {
    pub address: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// The cookie that came with the challenge for a passkey.
    pub attempt: Option<String>,
}

/// A new session, and the secret of its cookie.
pub struct SignedIn {
    pub reply: Reply,
    pub cookie: Secret,
}

/// A session that is not stored yet, and its secret.
pub(crate) struct NewSession {
    pub session: StoredSession,
    pub secret: Secret,
}

impl NewSession {
    pub fn draft(
        context: &Context,
        organisation: Id<Organisation>,
        began_with: BeganWith,
        origin: &SignInOrigin,
    ) -> Self {
        let now = context.now();
        let mut random = [0; SECRET_BYTES];
        context.fill_random(&mut random);
        let short = |text: &String| text.chars().take(USER_AGENT_CHARS_MAX).collect();
        let session = StoredSession {
            id: context.new_id(now),
            // Set with the user, in the transaction.
            user: Id::from_bits(0),
            generation: 0,
            began_with,
            user_agent: origin.user_agent.as_ref().map(short),
            created_at: now,
            seen_at: now,
            expires_at: now.plus_seconds(SESSION_SECONDS),
        };
        Self { session, secret: CredentialKind::Session.create(organisation, random) }
    }

    /// Returns the answer for the session, once it is stored.
    pub fn done(self, session: &StoredSession) -> Result<SignedIn> {
        let body = json(&view(session, Some(session.id)))?;
        let reply = Reply::created(format!("/sessions/{}", session.id), None, body);
        Ok(SignedIn { reply, cookie: self.secret })
    }
}

/// Stores the session of a user.
pub(crate) async fn insert(
    tx: &mut Tx<'_>,
    user: &StoredUser,
    session: StoredSession,
    hash: [u8; 32],
) -> Result<StoredSession> {
    let session = StoredSession { user: user.id, generation: user.generation, ..session };
    sessions::insert(tx, user.organisation, &session, hash).await?;
    Ok(session)
}

/// Returns the session as the API shows it.
pub(crate) fn view(session: &StoredSession, current: Option<Id<Session>>) -> SessionView {
    SessionView {
        id: session.id,
        user_id: session.user,
        began_with: session.began_with,
        user_agent: session.user_agent.clone(),
        is_current: current == Some(session.id),
        created_at: session.created_at,
        seen_at: session.seen_at,
        idle_expires_at: session.seen_at.plus_seconds(IDLE_SECONDS).min(session.expires_at),
        expires_at: session.expires_at,
    }
}
