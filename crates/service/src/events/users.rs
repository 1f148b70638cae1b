//! Users: invite, read, change, disable, delete, and links to sign in with.

use model::access::access_token::{SECRET_BYTES, Secret};
use model::access::credential::CredentialKind;
use model::access::link_mail::LinkPurpose;
use model::access::role::{BuiltInRole, parse_role};
use model::access::session::{LINK_SECONDS, MAILED_INVITATION_SECONDS};
use model::access::user::{USERS_MAX, UserInput};
use model::platform::json::previous_attributes;
use model::platform::problem::Issue;
use model::platform::shape;
use model::{
    Code, Error, Event, Id, Organisation, Owner, Problem, Result, Role, Timestamp, User, World, ensure,
};
use serde_json::{Value, json};
use store::access::users::{self, StoredUser, StoredUserRole};
use store::access::{access_tokens, identities, passkeys, roles, sessions, sign_ins};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::mails::{Mails, NewLink};
use crate::access::reply::Reply;
use crate::access::rights::{Rights, ensure_covers, ensure_grantable};
use crate::access::write::{Command, ensure_current};
use crate::events::access_ends::AccessEnds;
use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json as json_text, version_etag};

/// Operations on users.
#[derive(Clone)]
pub struct Users {
    context: Context,
    ends: AccessEnds,
    mails: Mails,
    /// What links begin with.
    public_url: String,
}

/// A change of a user beside its fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UserChange {
    Disable,
    Enable,
    SignOut,
}

impl Users {
    pub(crate) fn new(context: &Context, ends: &AccessEnds, mails: &Mails, public_url: &str) -> Self {
        let (ends, mails) = (ends.clone(), mails.clone());
        Self { context: context.clone(), ends, mails, public_url: public_url.to_owned() }
    }

    /// Makes a user, and the link for the first sign-in, which is also sent by e-mail if there is a mail server. The link is no part of
    /// what is kept for an idempotency key.
    pub async fn create(&self, command: Command, input: UserInput) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let organisation = caller.owner.organisation;
        let user = User { id: self.context.new_id(now), email: input.email_address.clone() };
        let link = self.new_link(organisation);
        let new = self.mailed_link(LinkPurpose::Invitation, &link, now);
        let mails = self.mails.clone();
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            ensure(users::count(tx, organisation).await? < USERS_MAX, Code::TooManyUsers)?;
            ensure_free(tx, organisation, &input.email_address, None).await?;
            let rights = wanted_rights(tx, organisation, &input.roles).await?;
            ensure_grantable(&caller, rights.scopes)?;
            users::insert(tx, organisation, &user, &input.name, now).await?;
            users::set_roles(tx, organisation, user.id, &rights.roles).await?;
            sign_ins::set_link(tx, organisation, user.id, new.hash, now.plus_seconds(new.seconds)).await?;
            let stored = found(users::get(tx, organisation, user.id).await?)?;
            mails.add(tx, &stored, &new).await?;
            let doc = json_text(&rights.view(&stored))?;
            log.append(tx, &Event::new("user.created", user.id, &doc)).await?;
            let body = with_link(&doc, None)?;
            Ok(Reply::created(format!("/users/{}", user.id), Some(version_etag(1)), body))
        };
        let reply = self.context.write(&command, create).await?;
        self.mails.notify();
        self.show_link(reply, &link)
    }

    pub async fn get(&self, caller: &Caller, id: Id<User>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| read(tx, owner.organisation, id).await);
        let (user, rights) = read.await?;
        Ok(Reply::resource(version_etag(user.version), json_text(&rights.view(&user))?))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let owner = caller.owner;
        let (start, limit) = (self.context.start(owner, &query)?, query.limit);
        let read = self.context.db().read(owner, async move |tx| {
            let page = users::page(tx, owner.organisation, &start, limit).await?;
            let mut items = Vec::with_capacity(page.items.len());
            for user in &page.items {
                let rights = Rights::of(tx, owner.organisation, user.id).await?;
                items.push(json_text(&rights.view(user))?);
            }
            Ok(Page { items, older_than: page.older_than, newer_than: page.newer_than })
        });
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    pub async fn update(&self, command: Command, id: Id<User>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let organisation = caller.owner.organisation;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let (mut user, old) = read(tx, organisation, id).await?;
            ensure_current(&precondition, &version_etag(user.version))?;
            ensure_covers(&caller, old.scopes)?;
            let before = serde_json::to_value(old.view(&user)).map_err(Error::fault)?;
            let input: UserInput = shape::parse_patch(before.clone(), patch.clone())?;
            ensure_free(tx, organisation, &input.email_address, Some(id)).await?;
            let new = wanted_rights(tx, organisation, &input.roles).await?;
            ensure_grantable(&caller, new.scopes)?;
            if !new.roles.contains(&BuiltInRole::Admin.id()) {
                ensure_other_admin(tx, &user, &old).await?;
            }
            (user.name, user.email) = (input.name, input.email_address);
            users::update(tx, &user, now).await?;
            users::set_roles(tx, organisation, id, &new.roles).await?;
            (user.version, user.updated_at) = (user.version + 1, now);
            let after = serde_json::to_value(new.view(&user)).map_err(Error::fault)?;
            let event = Event::new("user.updated", id, &after.to_string());
            log.append(tx, &event.changed_from(previous_attributes(&before, &after))).await?;
            Ok(Reply::resource(version_etag(user.version), after.to_string()))
        };
        let reply = self.context.write(&command, update).await;
        self.ends.recheck(organisation, None, &reply).await;
        reply
    }

    /// Disables or enables a user, or ends all of their sessions.
    pub async fn change(&self, command: Command, id: Id<User>, change: UserChange) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let organisation = caller.owner.organisation;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let work = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let (user, rights) = read(tx, organisation, id).await?;
            ensure_current(&precondition, &version_etag(user.version))?;
            // A person may always end their own sessions.
            if change != UserChange::SignOut || caller.user != id {
                ensure_covers(&caller, rights.scopes)?;
            }
            let user = apply(tx, user, &rights, change, now, &log).await?;
            Ok(Reply::resource(version_etag(user.version), json_text(&rights.view(&user))?))
        };
        let reply = self.context.write(&command, work).await;
        self.ends.recheck(organisation, Some(id), &reply).await;
        reply
    }

    /// Deletes a user with their sessions and access tokens. Events that name them stay.
    pub async fn delete(&self, command: Command, id: Id<User>) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let organisation = caller.owner.organisation;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let (user, rights) = read(tx, organisation, id).await?;
            ensure_current(&precondition, &version_etag(user.version))?;
            ensure_covers(&caller, rights.scopes)?;
            ensure_other_admin(tx, &user, &rights).await?;
            sessions::delete_of_user(tx, organisation, id).await?;
            sign_ins::delete_link(tx, organisation, id).await?;
            identities::delete_of_user(tx, organisation, id).await?;
            passkeys::delete_of_user(tx, organisation, id).await?;
            access_tokens::delete_of_user(tx, Owner::live(organisation), id).await?;
            users::delete(tx, organisation, id).await?;
            log.append(tx, &Event::new("user.deleted", id, &json_text(&rights.view(&user))?)).await?;
            Ok(Reply::gone())
        };
        let reply = self.context.write(&command, delete).await;
        if reply.is_ok() {
            // The tokens of the test world work no more without their user. Their rows belong to another owner.
            let owner = Owner { organisation, world: World::Test };
            let delete = async move |tx: &mut Tx<'_>| access_tokens::delete_of_user(tx, owner, id).await;
            self.context.db().write(owner, delete).await?;
        }
        self.ends.recheck(organisation, Some(id), &reply).await;
        reply
    }

    /// Makes a one-time link for a user, who also gets it by e-mail if there is a mail server. An older one works no more.
    pub async fn create_link(&self, command: Command, id: Id<User>) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let organisation = caller.owner.organisation;
        let link = self.new_link(organisation);
        let mails = self.mails.clone();
        let first = self.mailed_link(LinkPurpose::Invitation, &link, now);
        let later = self.mailed_link(LinkPurpose::SignIn, &link, now);
        let create = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let (user, rights) = read(tx, organisation, id).await?;
            ensure_covers(&caller, rights.scopes)?;
            ensure(!user.is_disabled, Code::UserDisabled)?;
            let new = if user.password.is_some() { &later } else { &first };
            let expires_at = now.plus_seconds(new.seconds);
            sign_ins::set_link(tx, organisation, id, new.hash, expires_at).await?;
            mails.add(tx, &user, new).await?;
            Ok(Reply::created_many(json!({"sign_in_link": null, "expires_at": expires_at}).to_string()))
        };
        let reply = self.context.write(&command, create).await?;
        self.mails.notify();
        self.show_link(reply, &link)
    }

    /// Returns a link as it is sent by e-mail, and for how long it works. People do not read an invitation at once.
    fn mailed_link(&self, purpose: LinkPurpose, link: &Secret, now: Timestamp) -> NewLink {
        let is_mailed = purpose == LinkPurpose::Invitation && self.mails.are_available();
        let seconds = if is_mailed { MAILED_INVITATION_SECONDS } else { LINK_SECONDS };
        NewLink { purpose, token: link.as_str().to_owned(), hash: Secret::hash(link.as_str()), seconds, now }
    }

    /// Makes a link for the operator, who may do everything.
    pub(crate) fn new_link(&self, organisation: Id<Organisation>) -> Secret {
        let mut random = [0; SECRET_BYTES];
        self.context.fill_random(&mut random);
        CredentialKind::Link.create(organisation, random)
    }

    /// Returns the address that a person opens to sign in. What stands behind `#` is not sent to the server by a browser, so
    /// it is in no log.
    pub(crate) fn address_of(&self, link: &Secret) -> String {
        format!("{}/console/sign-in#{}", self.public_url, link.as_str())
    }

    /// Adds the link to an answer that is given for the first time.
    fn show_link(&self, mut reply: Reply, link: &Secret) -> Result<Reply> {
        if !reply.is_replayed {
            reply.body = with_link(&reply.body, Some(self.address_of(link)))?;
        }
        Ok(reply)
    }
}

fn with_link(doc: &str, link: Option<String>) -> Result<String> {
    let mut value: Value = serde_json::from_str(doc).map_err(Error::fault)?;
    value["sign_in_link"] = json!(link);
    Ok(value.to_string())
}

async fn read(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<User>) -> Result<(StoredUser, Rights)> {
    let user = found(users::get(tx, organisation, id).await?)?;
    Ok((user, Rights::of(tx, organisation, id).await?))
}

async fn apply(
    tx: &mut Tx<'_>,
    mut user: StoredUser,
    rights: &Rights,
    change: UserChange,
    now: Timestamp,
    log: &EventLog,
) -> Result<StoredUser> {
    let r#type = match change {
        UserChange::SignOut => {
            users::end_sessions(tx, user.organisation, user.id).await?;
            return Ok(user);
        }
        UserChange::Disable => "user.disabled",
        UserChange::Enable => "user.updated",
    };
    let is_disabled = change == UserChange::Disable;
    if user.is_disabled == is_disabled {
        return Ok(user);
    }
    if is_disabled {
        ensure_other_admin(tx, &user, rights).await?;
        sign_ins::delete_link(tx, user.organisation, user.id).await?;
    }
    let before = serde_json::to_value(rights.view(&user)).map_err(Error::fault)?;
    users::set_disabled(tx, &user, is_disabled, now).await?;
    (user.is_disabled, user.version, user.updated_at) = (is_disabled, user.version + 1, now);
    let after = serde_json::to_value(rights.view(&user)).map_err(Error::fault)?;
    let event = Event::new(r#type, user.id, &after.to_string());
    log.append(tx, &event.changed_from(previous_attributes(&before, &after))).await?;
    Ok(user)
}

/// Refuses to take away the last administrator that is not disabled. [`users::lock`] must be held.
pub(crate) async fn ensure_other_admin(tx: &mut Tx<'_>, user: &StoredUser, rights: &Rights) -> Result<()> {
    let admin = BuiltInRole::Admin.id();
    if user.is_disabled || !rights.roles.contains(&admin) {
        return Ok(());
    }
    let others = users::count_others(tx, user.organisation, admin, user.id).await?;
    ensure(others > 0, Code::LastAdmin)
}

async fn ensure_free(
    tx: &mut Tx<'_>,
    organisation: Id<Organisation>,
    address: &str,
    except: Option<Id<User>>,
) -> Result<()> {
    let holder = users::by_address(tx, organisation, address).await?;
    if holder.is_none() || holder == except {
        return Ok(());
    }
    let code = Code::EmailAddressTaken;
    let issue = Issue::new(code.as_str(), "/email_address", "Another user has this address.");
    Err(Problem::field(code, issue).into())
}

/// Reads the roles that a request names, and what they add up to.
async fn wanted_rights(tx: &mut Tx<'_>, organisation: Id<Organisation>, names: &[String]) -> Result<Rights> {
    let (mut wanted, mut unknown) = (Vec::<StoredUserRole>::new(), Vec::new());
    for (place, name) in names.iter().enumerate() {
        let role = match parse_role(name) {
            Some(id) => roles::get(tx, organisation, id).await?,
            None => None,
        };
        match role {
            // A built-in role may be listed by its name and by its id.
            Some(role) if wanted.iter().any(|known: &StoredUserRole| known.id == role.id) => {}
            Some(role) => wanted.push(StoredUserRole { id: role.id, scopes: role.scopes }),
            None => {
                let code = Code::RoleNotFound.as_str();
                unknown.push(Issue::new(code, format!("/roles/{place}"), "There is no such role."));
            }
        }
    }
    if !unknown.is_empty() {
        return Err(Problem::fields(Code::RoleNotFound, unknown).into());
    }
    wanted.sort_unstable_by_key(|role: &StoredUserRole| Id::<Role>::bits(role.id));
    Rights::sum(wanted)
}
