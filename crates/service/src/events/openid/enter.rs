//! Lets a person in whom the identity provider described: finds, links or makes the user, and begins the session.

use model::access::access_token::Secret;
use model::access::openid::entry::{Account, Admission, Entry, NEW_USER_ROLE, decide};
use model::access::openid::identity::Identity;
use model::access::openid::refusal::Refusal;
use model::access::role::{BuiltInRole, parse_role};
use model::access::session::BeganWith;
use model::access::user::USERS_MAX;
use model::events::actor::Actor;
use model::platform::json::previous_attributes;
use model::{Error, Event, Id, Organisation, Owner, Result, Role, Timestamp, User};
use store::Tx;
use store::access::identities::{self, Subject};
use store::access::roles;
use store::access::users::{self, StoredUser, StoredUserRole};
use tracing::warn;

use super::OpenId;
use crate::access::new_session::{NewSession, SignInOrigin, SignedIn, insert};
use crate::access::rights::Rights;
use crate::events::events::EventLog;
use crate::events::users::ensure_other_admin;
use crate::platform::resource::{found, json as json_text};

/// What the transaction needs of the request.
#[derive(Clone)]
struct Entering {
    organisation: Id<Organisation>,
    issuer: String,
    identity: Identity,
    admission: Admission,
    /// The id of a user that is made.
    new_user: Id<User>,
    now: Timestamp,
    log: EventLog,
}

impl OpenId {
    /// Begins the session of the person, as the user that they are or become.
    pub(super) async fn enter(
        &self,
        organisation: Id<Organisation>,
        identity: Identity,
        admission: Admission,
        origin: &SignInOrigin,
    ) -> Result<std::result::Result<SignedIn, Refusal>> {
        let (now, owner) = (self.context.now(), Owner::live(organisation));
        let draft = NewSession::draft(&self.context, organisation, BeganWith::OpenidConnect, origin);
        let (hash, session) = (Secret::hash(draft.secret.as_str()), draft.session.clone());
        let sets_roles = admission.roles.is_some();
        let entering = Entering {
            organisation,
            issuer: self.issuer().to_owned(),
            identity,
            admission,
            new_user: self.context.new_id(now),
            now,
            // The provider decides on users and roles, and no caller of the API.
            log: self.context.event_log(Actor::System, owner, now),
        };
        let begin = self.context.db().write(owner, async move |tx| {
            users::lock(tx, organisation).await?;
            // A refusal comes before the first write.
            match entering.user(tx).await? {
                Ok(user) => insert(tx, &user, session.clone(), hash).await.map(Ok),
                Err(refusal) => Ok(Err(refusal)),
            }
        });
        let begun = begin.await;
        if begun.is_ok() {
            self.context.notice(owner);
        }
        if sets_roles {
            // Roles may have been taken away.
            self.ends.recheck(organisation, None, &begun).await;
        }
        match begun? {
            Ok(session) => draft.done(&session).map(Ok),
            Err(refusal) => Ok(Err(refusal)),
        }
    }
}

impl Entering {
    fn subject(&self) -> Subject<'_> {
        Subject { issuer: &self.issuer, name: &self.identity.subject }
    }

    /// Returns the user as whom the person enters, linked and with the roles that the claims choose.
    async fn user(&self, tx: &mut Tx<'_>) -> Result<std::result::Result<StoredUser, Refusal>> {
        let linked = identities::get(tx, self.organisation, self.subject()).await?;
        let linked = self.account(tx, linked).await?;
        let with_address = match &self.identity.verified_email {
            Some(email) => users::by_address(tx, self.organisation, email).await?,
            None => None,
        };
        let with_address = self.account(tx, with_address).await?;
        let entry = match decide(&self.identity, &self.admission, linked, with_address) {
            Ok(entry) => entry,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let roles = match &self.admission.roles {
            Some(names) => Some(self.roles(tx, names).await?),
            None => None,
        };
        if roles.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Err(Refusal::NoRole));
        }
        match entry {
            Entry::Linked(id) => self.known(tx, id, roles).await.map(Ok),
            Entry::Link(id) => {
                identities::insert(tx, self.organisation, self.subject(), id, self.now).await?;
                self.known(tx, id, roles).await.map(Ok)
            }
            Entry::Create if users::count(tx, self.organisation).await? >= USERS_MAX => {
                Ok(Err(Refusal::TooManyUsers))
            }
            Entry::Create => self.create(tx, roles).await,
        }
    }

    async fn account(&self, tx: &mut Tx<'_>, id: Option<Id<User>>) -> Result<Option<Account>> {
        let Some(id) = id else { return Ok(None) };
        let user = found(users::get(tx, self.organisation, id).await?)?;
        let is_linked = identities::is_linked(tx, self.organisation, id, &self.issuer).await?;
        Ok(Some(Account { id, is_disabled: user.is_disabled, is_linked }))
    }

    /// Returns the roles with these names. The operator may have named some that the organisation does not have.
    async fn roles(&self, tx: &mut Tx<'_>, names: &[String]) -> Result<Vec<StoredUserRole>> {
        let mut all = Vec::new();
        for name in names {
            let id = match parse_role(name) {
                Some(id) => Some(id),
                None => roles::by_name(tx, self.organisation, name).await?,
            };
            let role = match id {
                Some(id) => roles::get(tx, self.organisation, id).await?,
                None => None,
            };
            match role {
                Some(role) if all.iter().any(|known: &StoredUserRole| known.id == role.id) => {}
                Some(role) => all.push(StoredUserRole { id: role.id, scopes: role.scopes }),
                None => warn!(role = name, "the setting oidc_roles names a role that does not exist"),
            }
        }
        all.sort_unstable_by_key(|role| Id::<Role>::bits(role.id));
        Ok(all)
    }

    /// Returns a user that there is, after giving it the roles.
    async fn known(
        &self,
        tx: &mut Tx<'_>,
        id: Id<User>,
        roles: Option<Vec<StoredUserRole>>,
    ) -> Result<StoredUser> {
        let user = found(users::get(tx, self.organisation, id).await?)?;
        let Some(roles) = roles else { return Ok(user) };
        let old = Rights::of(tx, self.organisation, id).await?;
        let mut new = Rights::sum(roles)?;
        let admin = BuiltInRole::Admin.id();
        if !new.roles.contains(&admin) {
            match ensure_other_admin(tx, &user, &old).await {
                Err(Error::Refused(_)) => {
                    warn!(user = %id, "the claims take the role admin from the last administrator, who keeps all roles");
                    new = old.clone();
                }
                checked => checked?,
            }
        }
        if new.roles == old.roles {
            return Ok(user);
        }
        let before = serde_json::to_value(old.view(&user)).map_err(Error::fault)?;
        users::update(tx, &user, self.now).await?;
        users::set_roles(tx, self.organisation, id, &new.roles).await?;
        let changed = found(users::get(tx, self.organisation, id).await?)?;
        let after = serde_json::to_value(new.view(&changed)).map_err(Error::fault)?;
        let event = Event::new("user.updated", id, &after.to_string());
        self.log.append(tx, &event.changed_from(previous_attributes(&before, &after))).await?;
        Ok(changed)
    }

    async fn create(
        &self,
        tx: &mut Tx<'_>,
        roles: Option<Vec<StoredUserRole>>,
    ) -> Result<std::result::Result<StoredUser, Refusal>> {
        let Some(email) = self.identity.verified_email.clone() else {
            return Ok(Err(Refusal::EmailUnverified));
        };
        let roles = match roles {
            Some(roles) => roles,
            None => self.roles(tx, &[NEW_USER_ROLE.to_owned()]).await?,
        };
        let rights = Rights::sum(roles)?;
        let name = self.identity.name.clone().unwrap_or_else(|| email.clone());
        let user = User { id: self.new_user, email };
        users::insert(tx, self.organisation, &user, &name, self.now).await?;
        users::set_roles(tx, self.organisation, user.id, &rights.roles).await?;
        identities::insert(tx, self.organisation, self.subject(), user.id, self.now).await?;
        let stored = found(users::get(tx, self.organisation, user.id).await?)?;
        self.log.append(tx, &Event::new("user.created", user.id, &json_text(&rights.view(&stored))?)).await?;
        Ok(Ok(stored))
    }
}
