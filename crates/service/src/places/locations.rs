//! Locations: create, read, change, delete.

use model::places::location::{Location, LocationInput};
use model::platform::json::{parse as parse_json, previous_attributes};
use model::platform::problem::Issue;
use model::platform::shape;
use model::{Code, Error, Event, Id, Owner, Problem, Result, Timestamp};
use serde_json::Value;
use store::Tx;
use store::places::locations::StoredLocation;
use store::places::{location_configurations, location_users, locations};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::events::EventLog;
use crate::places::rule_users::rules_naming;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};

/// How many users of a location a refusal names.
const USERS_NAMED_MAX: usize = 10;

/// Operations on locations.
#[derive(Clone)]
pub struct Locations {
    context: Context,
}

impl Locations {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    pub async fn create(&self, command: Command, input: LocationInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<Location>(now);
        let tags = input.tags.clone().unwrap_or_default();
        let doc = json(&Location { id, details: input, created_at: now, updated_at: now })?;
        let log = self.context.event_log(&command.caller, owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            insert(tx, owner, id, &doc, &tags, &log).await?;
            Ok(Reply::created(format!("/locations/{id}"), Some(version_etag(1)), doc.clone()))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<Location>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| found(locations::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    /// A page of the locations that carry all of the tags.
    pub async fn list(&self, caller: &Caller, query: ListQuery, tags: Vec<String>) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| locations::page(tx, owner, &tags, &start, limit).await);
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    /// Merges a patch into the location. What it was is kept as a version, which shipments may have pinned.
    pub async fn update(&self, command: Command, id: Id<Location>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            let old = found(locations::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            let doc = update_location(tx, owner, id, &old, patch.clone(), &log).await?;
            Ok(Reply::resource(version_etag(old.version + 1), doc))
        };
        self.context.write(&command, update).await
    }

    /// Deletes a location that nothing uses any more.
    pub async fn delete(&self, command: Command, id: Id<Location>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            let old = found(locations::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            let users = users_of(tx, owner, id).await?;
            if !users.is_empty() {
                return Err(in_use(users));
            }
            locations::delete(tx, owner, id, &old, now).await?;
            log.append(tx, &Event::new("location.deleted", id, &old.doc)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}

/// Creates a location inside a transaction.
pub async fn create_location(
    tx: &mut Tx<'_>,
    owner: Owner,
    input: LocationInput,
    log: &EventLog,
) -> Result<()> {
    let (id, now) = (log.new_id::<Location>(), log.now());
    let tags = input.tags.clone().unwrap_or_default();
    let doc = json(&Location { id, details: input, created_at: now, updated_at: now })?;
    insert(tx, owner, id, &doc, &tags, log).await
}

async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Location>,
    doc: &str,
    tags: &[String],
    log: &EventLog,
) -> Result<()> {
    locations::insert(tx, owner, id, doc, tags).await?;
    log.append(tx, &Event::new("location.created", id, doc)).await
}

/// Merges a patch into a locked location, and returns its new document.
pub async fn update_location(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Location>,
    old: &StoredLocation,
    patch: Value,
    log: &EventLog,
) -> Result<String> {
    let changed = change(id, &old.doc, patch, log.now())?;
    locations::update(tx, owner, id, old, &changed.doc, &changed.tags, log.now()).await?;
    let event = Event::new("location.updated", id, &changed.doc).changed_from(changed.previous);
    log.append(tx, &event).await?;
    Ok(changed.doc)
}

struct Change {
    doc: String,
    tags: Vec<String>,
    previous: Value,
}

fn change(id: Id<Location>, old: &str, patch: Value, now: Timestamp) -> Result<Change> {
    let old = parse_json(old.as_bytes())?;
    let created_at = serde_json::from_value(old["created_at"].clone()).map_err(Error::fault)?;
    let input: LocationInput = shape::parse_patch(old.clone(), patch)?;
    let tags = input.tags.clone().unwrap_or_default();
    let new = Location { id, details: input, created_at, updated_at: now };
    let new = serde_json::to_value(new).map_err(Error::fault)?;
    Ok(Change { doc: new.to_string(), tags, previous: previous_attributes(&old, &new) })
}

/// Who still uses a location: configurations first, then open allocations, stock on hand, package types,
/// printers and shipping rules.
async fn users_of(tx: &mut Tx<'_>, owner: Owner, id: Id<Location>) -> Result<Vec<Issue>> {
    let issue = |code: &'static str, message: String| Issue::new(code, "location_id", message);
    let mut users = Vec::new();
    for user in location_configurations::users_of(tx, owner, id, USERS_NAMED_MAX).await? {
        let message = format!("The location configuration {} ({}) uses it.", user.id, user.name);
        users.push(issue("used_by_location_configuration", message));
    }
    for allocation in location_users::open_allocations(tx, owner, id, USERS_NAMED_MAX).await? {
        let message =
            format!("The open allocation {} of the order {} is there.", allocation.id, allocation.order);
        users.push(issue("used_by_allocation", message));
    }
    for item in location_users::items(tx, owner, id, USERS_NAMED_MAX).await? {
        users.push(issue("used_by_stock", format!("Some of the inventory item {item} is on hand there.")));
    }
    for package_type in location_users::package_types(tx, owner, id, USERS_NAMED_MAX).await? {
        users.push(issue("used_by_package_type", format!("The package type {package_type} names it.")));
    }
    for printer in location_users::printers(tx, owner, id, USERS_NAMED_MAX).await? {
        users.push(issue("used_by_printer", format!("The printer {printer} stands there.")));
    }
    users.extend(rules_naming(tx, owner, id, "location_id", USERS_NAMED_MAX).await?);
    users.truncate(USERS_NAMED_MAX);
    Ok(users)
}

fn in_use(users: Vec<Issue>) -> Error {
    let sentences: Vec<_> = users.iter().map(|user| user.message.as_str()).collect();
    Problem { code: Code::LocationInUse, detail: Some(sentences.join(" ")), issues: users }.into()
}
