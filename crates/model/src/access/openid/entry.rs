//! Whom an identity provider lets in: the decision, from what it says of a person and from the users that there are.

use std::collections::BTreeMap;

use crate::access::openid::identity::Identity;
use crate::access::openid::refusal::Refusal;
use crate::{Id, User};

/// The role of a new user if the provider's claims choose none.
pub const NEW_USER_ROLE: &str = "viewer";

/// Whom the operator lets in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Policy {
    /// Domains that addresses must be in, in small letters; empty for all.
    pub domains: Vec<String>,
    /// The claim whose values choose roles.
    pub role_claim: Option<String>,
    /// The role of each value. If there is any, the provider decides on the roles of users at each sign-in.
    pub roles: BTreeMap<String, String>,
    /// Whether a person whom no administrator has invited becomes a user.
    pub creates_users: bool,
}

/// A user as the decision sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Account {
    pub id: Id<User>,
    pub is_disabled: bool,
    /// Whether a subject of the same provider signs in as this user.
    pub is_linked: bool,
}

/// What the policy says of a person, whatever users there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Admission {
    /// The names of the roles that the user gets, or `None` if those of the user stay.
    pub roles: Option<Vec<String>>,
    pub may_create: bool,
}

/// As whom a person enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The user that the subject is linked to.
    Linked(Id<User>),
    /// The user with the person's address, whom the subject is linked to from now on.
    Link(Id<User>),
    /// A new user.
    Create,
}

impl Policy {
    /// Decides whether the person may enter at all.
    pub fn admit(&self, identity: &Identity) -> Result<Admission, Refusal> {
        let email = identity.verified_email.as_deref();
        if !self.domains.is_empty() {
            let domain = email.and_then(|email| email.rsplit_once('@')).ok_or(Refusal::EmailUnverified)?.1;
            if !self.domains.iter().any(|allowed| allowed == domain) {
                return Err(Refusal::Domain);
            }
        }
        let roles = self.roles_of(identity)?;
        // Without a limit, everyone with an account at the provider would become a user.
        let is_limited = !self.domains.is_empty() || !self.roles.is_empty();
        Ok(Admission { roles, may_create: self.creates_users && is_limited })
    }

    fn roles_of(&self, identity: &Identity) -> Result<Option<Vec<String>>, Refusal> {
        if self.roles.is_empty() {
            return Ok(None);
        }
        let mut roles: Vec<String> =
            identity.role_values.iter().filter_map(|value| self.roles.get(value).cloned()).collect();
        roles.sort_unstable();
        roles.dedup();
        if roles.is_empty() { Err(Refusal::NoRole) } else { Ok(Some(roles)) }
    }
}

/// Decides as whom the person enters. `linked` is the user that the subject is linked to, `with_address` the user that has
/// the verified address.
pub fn decide(
    identity: &Identity,
    admission: &Admission,
    linked: Option<Account>,
    with_address: Option<Account>,
) -> Result<Entry, Refusal> {
    if let Some(account) = linked {
        return if account.is_disabled { Err(Refusal::Disabled) } else { Ok(Entry::Linked(account.id)) };
    }
    if identity.verified_email.is_none() {
        return Err(Refusal::EmailUnverified);
    }
    match with_address {
        Some(account) if account.is_disabled => Err(Refusal::Disabled),
        // Addresses are given to other people in time. The new holder does not become the old one.
        Some(account) if account.is_linked => Err(Refusal::OtherIdentity),
        Some(account) => Ok(Entry::Link(account.id)),
        None if admission.may_create => Ok(Entry::Create),
        None => Err(Refusal::NotInvited),
    }
}
