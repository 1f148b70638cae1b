//! Package types: create, read, change, delete.

use model::fulfilment::package_type::{PACKAGE_TYPES_MAX, PackageType, PackageTypeInput};
use model::platform::id::PackageTypeKind;
use model::platform::json::{parse as parse_json, previous_attributes};
use model::platform::problem::Issue;
use model::platform::shape;
use model::{Code, Error, Event, Id, Owner, Problem, Result, ensure};
use serde_json::Value;
use store::Tx;
use store::fulfilment::package_types::{self, StoredPackageType};
use store::places::location_configurations;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::events::EventLog;
use crate::places::rule_users::rules_naming;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};

/// Rules that a refusal to delete a package type names.
const RULES_NAMED_MAX: usize = 10;

/// Operations on package types.
#[derive(Clone)]
pub struct PackageTypes {
    context: Context,
}

impl PackageTypes {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    pub async fn create(&self, command: Command, input: PackageTypeInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<PackageTypeKind>(now);
        let new = PackageType { id, details: input, created_at: now, updated_at: now };
        let doc = json(&new)?;
        let log = self.context.event_log(&command.caller, owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            insert(tx, owner, &new, &doc, &log).await?;
            Ok(Reply::created(format!("/package_types/{id}"), Some(version_etag(1)), doc.clone()))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<PackageTypeKind>) -> Result<Reply> {
        let owner = caller.owner;
        let read =
            self.context.db().read(owner, async move |tx| found(package_types::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| package_types::page(tx, owner, &start, limit).await);
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    pub async fn update(&self, command: Command, id: Id<PackageTypeKind>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            package_types::lock(tx, owner).await?;
            let stored = found(package_types::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let doc = update_package_type(tx, owner, id, &stored, patch.clone(), &log).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, update).await
    }

    /// Deletes a package type that no shipping rule names. Shipments that name it keep its id, and the dimensions that they copied.
    pub async fn delete(&self, command: Command, id: Id<PackageTypeKind>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            let old = found(package_types::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            ensure_not_in_rules(tx, owner, id).await?;
            package_types::delete(tx, owner, id).await?;
            log.append(tx, &Event::new("package_type.deleted", id, &old.doc)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}

/// Creates a package type inside a transaction.
pub async fn create_package_type(
    tx: &mut Tx<'_>,
    owner: Owner,
    input: PackageTypeInput,
    log: &EventLog,
) -> Result<()> {
    let (id, now) = (log.new_id::<PackageTypeKind>(), log.now());
    let new = PackageType { id, details: input, created_at: now, updated_at: now };
    let doc = json(&new)?;
    insert(tx, owner, &new, &doc, log).await
}

async fn insert(tx: &mut Tx<'_>, owner: Owner, new: &PackageType, doc: &str, log: &EventLog) -> Result<()> {
    let (id, details) = (new.id, &new.details);
    package_types::lock(tx, owner).await?;
    let is_room = package_types::count(tx, owner).await? < PACKAGE_TYPES_MAX as i64;
    ensure(is_room, Code::TooManyPackageTypes)?;
    ensure_usable(tx, owner, id, details).await?;
    package_types::insert(tx, owner, id, &details.handle, doc, &details.location_ids).await?;
    log.append(tx, &Event::new("package_type.created", id, doc)).await
}

/// Merges a patch into a locked package type, and returns its new document.
pub async fn update_package_type(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PackageTypeKind>,
    stored: &StoredPackageType,
    patch: Value,
    log: &EventLog,
) -> Result<String> {
    let old = parse_json(stored.doc.as_bytes())?;
    let created_at = serde_json::from_value(old["created_at"].clone()).map_err(Error::fault)?;
    let details: PackageTypeInput = shape::parse_patch(old.clone(), patch)?;
    ensure_usable(tx, owner, id, &details).await?;
    let (handle, locations) = (details.handle.clone(), details.location_ids.clone());
    let new = PackageType { id, details, created_at, updated_at: log.now() };
    let new = serde_json::to_value(new).map_err(Error::fault)?;
    let doc = new.to_string();
    package_types::update(tx, owner, id, &handle, &doc, &locations).await?;
    let event = Event::new("package_type.updated", id, &doc);
    log.append(tx, &event.changed_from(previous_attributes(&old, &new))).await?;
    Ok(doc)
}

/// Refuses to delete a package type that shipping rules name: without it they would choose another one.
async fn ensure_not_in_rules(tx: &mut Tx<'_>, owner: Owner, id: Id<PackageTypeKind>) -> Result<()> {
    let rules = rules_naming(tx, owner, id, "package_type_id", RULES_NAMED_MAX).await?;
    if rules.is_empty() {
        return Ok(());
    }
    let sentences: Vec<_> = rules.iter().map(|rule| rule.message.as_str()).collect();
    let detail = Some(sentences.join(" "));
    Err(Problem { code: Code::PackageTypeInUse, detail, issues: rules }.into())
}

/// Refuses a handle that another package type has, and locations that do not exist. The locations can't be deleted until
/// this transaction ends.
async fn ensure_usable(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PackageTypeKind>,
    details: &PackageTypeInput,
) -> Result<()> {
    let user = package_types::handle_user(tx, owner, &details.handle).await?;
    if user.is_some_and(|user| user != id) {
        let code = Code::HandleTaken;
        let issue = Issue::new(code.as_str(), "/handle", "Another package type has this handle.");
        return Err(Problem::field(code, issue).into());
    }
    let mut unknown = Vec::new();
    for (place, location) in details.location_ids.iter().enumerate() {
        if !location_configurations::hold_location(tx, owner, *location).await? {
            let place = format!("/location_ids/{place}");
            unknown.push(Issue::new(Code::LocationNotFound.as_str(), place, "There is no such location."));
        }
    }
    match unknown.is_empty() {
        true => Ok(()),
        false => Err(Problem::fields(Code::LocationNotFound, unknown).into()),
    }
}
