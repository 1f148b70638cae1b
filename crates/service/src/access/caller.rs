//! The caller of an operation.

use model::{Code, Id, Owner, Result, Scope, Scopes, Timestamp, User};

/// The caller of an operation, as its access token says.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    pub owner: Owner,
    pub user: Id<User>,
    pub token: Id<model::AccessToken>,
    pub scopes: Scopes,
    /// When the token ends, if it does.
    pub expires_at: Option<Timestamp>,
}

impl Caller {
    /// Refuses a caller whose token lacks the scope.
    pub fn require(&self, scope: Scope) -> Result<()> {
        if self.scopes.contains(scope) {
            return Ok(());
        }
        let problem = model::Problem::from(Code::InsufficientScope);
        Err(problem.with_detail(format!("The token lacks the scope `{scope}`.")).into())
    }
}
