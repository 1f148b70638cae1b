//! The caller of an operation.

use model::access::session::BeganWith;
use model::{Code, Id, Owner, Result, Scope, Scopes, Session, Timestamp, User};

/// The caller of an operation, as its access token or its session says.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    pub owner: Owner,
    pub user: Id<User>,
    /// The access token; for a session, the id that stands for it (the same bits).
    pub token: Id<model::AccessToken>,
    pub scopes: Scopes,
    /// When the token or the session ends, if it does.
    pub expires_at: Option<Timestamp>,
    /// The session, if the caller is a person who has signed in.
    pub session: Option<CallerSession>,
}

/// The session of a caller.
#[derive(Clone, Copy, Debug)]
pub struct CallerSession {
    pub id: Id<Session>,
    pub began_with: BeganWith,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

impl Caller {
    /// Refuses a caller that lacks the scope.
    pub fn require(&self, scope: Scope) -> Result<()> {
        if self.scopes.contains(scope) {
            return Ok(());
        }
        let problem = model::Problem::from(Code::InsufficientScope);
        let whose = if self.session.is_some() { "Your roles lack" } else { "The token lacks" };
        Err(problem.with_detail(format!("{whose} the scope `{scope}`.")).into())
    }
}
