//! What users may do: the scopes of their roles together.

use model::access::role::{BuiltInRole, role_text, with_events};
use model::access::user::UserView;
use model::{Code, Error, Id, Organisation, Problem, Result, Role, Scopes, User};
use store::Tx;
use store::access::users::{self, StoredUser, StoredUserRole};

use crate::access::caller::Caller;

/// The roles of a user, and what they add up to.
#[derive(Clone, Default)]
pub(crate) struct Rights {
    pub roles: Vec<Id<Role>>,
    pub scopes: Scopes,
}

impl Rights {
    /// Reads the rights of a user.
    pub async fn of(tx: &mut Tx<'_>, organisation: Id<Organisation>, user: Id<User>) -> Result<Self> {
        Self::sum(users::roles(tx, organisation, user).await?)
    }

    /// Returns what roles add up to.
    pub fn sum(roles: impl IntoIterator<Item = StoredUserRole>) -> Result<Self> {
        let mut rights = Self::default();
        for role in roles {
            rights.scopes = rights.scopes.and(scopes_of(role.id, &role.scopes)?);
            rights.roles.push(role.id);
        }
        Ok(rights)
    }

    /// Returns the user as the API shows it.
    pub fn view(&self, user: &StoredUser) -> UserView {
        UserView {
            id: user.id,
            name: user.name.clone(),
            email_address: user.email.clone(),
            roles: self.roles.iter().map(|role| role_text(*role)).collect(),
            scopes: self.scopes.words(),
            has_password: user.password.is_some(),
            is_disabled: user.is_disabled,
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}

/// Returns the scopes of a role: of a built-in one those of this version, of others what is stored.
pub(crate) fn scopes_of(id: Id<Role>, stored: &str) -> Result<Scopes> {
    if let Some(role) = BuiltInRole::from_id(id) {
        return Ok(role.scopes());
    }
    let scopes = Scopes::parse(stored).map_err(|word| Error::fault(format!("unknown scope {word}")))?;
    Ok(with_events(scopes))
}

/// Refuses a caller that would give rights that it does not have. `events:read` is part of every role, and shows only events of
/// what the role may read.
pub(crate) fn ensure_grantable(caller: &Caller, scopes: Scopes) -> Result<()> {
    let lacking = scopes.without(with_events(caller.scopes));
    if lacking == Scopes::default() {
        return Ok(());
    }
    let detail = format!("You can give only scopes that you have. You lack: {lacking}.");
    Err(Problem::from(Code::ScopeNotHeld).with_detail(detail).into())
}

/// Refuses a caller that would act on a user or a role with more rights than its own: it could take over the user, or lock
/// it out.
pub(crate) fn ensure_covers(caller: &Caller, scopes: Scopes) -> Result<()> {
    let lacking = scopes.without(with_events(caller.scopes));
    if lacking == Scopes::default() {
        return Ok(());
    }
    let detail = format!("You can change only what has no more scopes than you. You lack: {lacking}.");
    Err(Problem::from(Code::InsufficientScope).with_detail(detail).into())
}
