//! Roles: create, read, change, delete. Those that are built in can only be read.

use model::access::role::{BuiltInRole, ROLES_MAX, RoleInput, RoleView};
use model::platform::json::previous_attributes;
use model::platform::problem::Issue;
use model::platform::shape;
use model::{Code, Error, Event, Id, Organisation, Problem, Result, Role, Scope, Scopes, ensure};
use serde_json::Value;
use store::access::roles::{self, StoredRole};
use store::access::users;
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::rights::{ensure_covers, ensure_grantable, scopes_of};
use crate::access::write::{Command, ensure_current};
use crate::events::access_ends::AccessEnds;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};

/// Users that a refusal to delete a role names.
const USERS_NAMED_MAX: i64 = 10;

/// Operations on roles.
#[derive(Clone)]
pub struct Roles {
    context: Context,
    ends: AccessEnds,
}

impl Roles {
    pub(crate) fn new(context: &Context, ends: &AccessEnds) -> Self {
        Self { context: context.clone(), ends: ends.clone() }
    }

    pub async fn create(&self, command: Command, input: RoleInput) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let organisation = caller.owner.organisation;
        let scopes = parse_scopes(&input.scopes)?;
        ensure_grantable(&caller, scopes)?;
        let role = StoredRole {
            id: self.context.new_id(now),
            version: 1,
            name: input.name,
            scopes: scopes.to_string(),
            created_at: now,
            updated_at: now,
        };
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            ensure(roles::count(tx, organisation).await? < ROLES_MAX as i64, Code::TooManyRoles)?;
            ensure_free(tx, organisation, &role).await?;
            roles::insert(tx, organisation, &role).await?;
            let doc = json(&view(&role)?)?;
            log.append(tx, &Event::new("role.created", role.id, &doc)).await?;
            Ok(Reply::created(format!("/roles/{}", role.id), Some(version_etag(1)), doc))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<Role>) -> Result<Reply> {
        let owner = caller.owner;
        let read = async move |tx: &mut Tx<'_>| found(roles::get(tx, owner.organisation, id).await?);
        let role = self.context.db().read(owner, read).await?;
        Ok(Reply::resource(version_etag(role.version), json(&view(&role)?)?))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let owner = caller.owner;
        let (start, limit) = (self.context.start(owner, &query)?, query.limit);
        let read = self
            .context
            .db()
            .read(owner, async move |tx| roles::page(tx, owner.organisation, &start, limit).await);
        let page = read.await?;
        let items = page.items.iter().map(|role| json(&view(role)?)).collect::<Result<_>>()?;
        let page = Page { items, older_than: page.older_than, newer_than: page.newer_than };
        self.context.listing(owner, &query, page)
    }

    pub async fn update(&self, command: Command, id: Id<Role>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let organisation = caller.owner.organisation;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let mut role = own_role(tx, organisation, id).await?;
            ensure_current(&precondition, &version_etag(role.version))?;
            ensure_covers(&caller, scopes_of(id, &role.scopes)?)?;
            let before = serde_json::to_value(view(&role)?).map_err(Error::fault)?;
            let input: RoleInput = shape::parse_patch(before.clone(), patch.clone())?;
            let scopes = parse_scopes(&input.scopes)?;
            ensure_grantable(&caller, scopes)?;
            (role.name, role.scopes, role.updated_at) = (input.name, scopes.to_string(), now);
            role.version += 1;
            ensure_free(tx, organisation, &role).await?;
            roles::update(tx, organisation, &role).await?;
            let after = serde_json::to_value(view(&role)?).map_err(Error::fault)?;
            let event = Event::new("role.updated", id, &after.to_string());
            log.append(tx, &event.changed_from(previous_attributes(&before, &after))).await?;
            Ok(Reply::resource(version_etag(role.version), after.to_string()))
        };
        let reply = self.context.write(&command, update).await;
        self.ends.recheck(organisation, None, &reply).await;
        reply
    }

    /// Deletes a role that no user has.
    pub async fn delete(&self, command: Command, id: Id<Role>) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let organisation = caller.owner.organisation;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let role = own_role(tx, organisation, id).await?;
            ensure_current(&precondition, &version_etag(role.version))?;
            ensure_covers(&caller, scopes_of(id, &role.scopes)?)?;
            ensure_unused(tx, organisation, id).await?;
            roles::delete(tx, organisation, id).await?;
            log.append(tx, &Event::new("role.deleted", id, &json(&view(&role)?)?)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}

fn view(role: &StoredRole) -> Result<RoleView> {
    Ok(RoleView {
        id: role.id,
        name: role.name.clone(),
        is_built_in: BuiltInRole::from_id(role.id).is_some(),
        scopes: scopes_of(role.id, &role.scopes)?.words(),
        created_at: role.created_at,
        updated_at: role.updated_at,
    })
}

/// Returns a role that the organisation made.
async fn own_role(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<Role>) -> Result<StoredRole> {
    ensure(BuiltInRole::from_id(id).is_none(), Code::RoleBuiltIn)?;
    found(roles::get(tx, organisation, id).await?)
}

fn parse_scopes(words: &[String]) -> Result<Scopes> {
    let words = words.join(" ");
    let scopes = Scopes::parse(&words)
        .map_err(|word| Problem::body(vec![Issue::new("invalid_value", "/scopes", Scope::unknown(word))]))?;
    Ok(scopes)
}

async fn ensure_free(tx: &mut Tx<'_>, organisation: Id<Organisation>, role: &StoredRole) -> Result<()> {
    let holder = roles::by_name(tx, organisation, &role.name).await?;
    if holder.is_none_or(|holder| holder == role.id) {
        return Ok(());
    }
    let code = Code::RoleNameTaken;
    Err(Problem::field(code, Issue::new(code.as_str(), "/name", "Another role has this name.")).into())
}

async fn ensure_unused(tx: &mut Tx<'_>, organisation: Id<Organisation>, id: Id<Role>) -> Result<()> {
    let users = users::with_role(tx, organisation, id, USERS_NAMED_MAX).await?;
    if users.is_empty() {
        return Ok(());
    }
    let issue = |user: &Id<model::User>| {
        let issue = Issue::new(Code::RoleInUse.as_str(), "", format!("The user {user} has the role."));
        issue.with("user_id", user.to_string())
    };
    Err(Problem::fields(Code::RoleInUse, users.iter().map(issue).collect::<Vec<_>>()).into())
}
