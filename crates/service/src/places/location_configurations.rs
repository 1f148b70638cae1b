//! Location configurations: create, read, change, delete.

use model::places::location::without_address;
use model::places::location_configuration::{Embedded, LocationConfiguration, LocationConfigurationInput};
use model::platform::json::previous_attributes;
use model::platform::problem::Issue;
use model::platform::shape;
use model::{Code, Error, Event, Id, Owner, Problem, Result};
use serde_json::Value;
use store::places::location_configurations::{self, StoredLocationConfiguration};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json};

/// Operations on location configurations.
#[derive(Clone)]
pub struct LocationConfigurations {
    context: Context,
}

impl LocationConfigurations {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    pub async fn create(&self, command: Command, input: LocationConfigurationInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<LocationConfiguration>(now);
        let log = self.context.event_log(&command.caller, owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            hold_locations(tx, owner, &input).await?;
            end_other_default(tx, owner, id, &input, &log).await?;
            location_configurations::insert(tx, owner, id, &input, now).await?;
            let stored = found(location_configurations::get(tx, owner, id).await?)?;
            let doc = json(&view(&stored)?)?;
            log.append(tx, &Event::new("location_configuration.created", id, &doc)).await?;
            Ok(Reply::created(format!("/location_configurations/{id}"), Some(etag(&stored)), doc))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<LocationConfiguration>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| found(location_configurations::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(etag(&stored), json(&view(&stored)?)?))
    }

    /// A page of configurations; the embedded locations have their addresses only where asked for.
    pub async fn list(&self, caller: &Caller, query: ListQuery, with_address: bool) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| location_configurations::page(tx, owner, &start, limit).await);
        let page = read.await?;
        let show = |stored: &StoredLocationConfiguration| {
            json(&if with_address { view(stored)? } else { summary(stored)? })
        };
        let page = Page {
            items: page.items.iter().map(show).collect::<Result<_>>()?,
            older_than: page.older_than,
            newer_than: page.newer_than,
        };
        self.context.listing(owner, &query, page)
    }

    pub async fn update(
        &self,
        command: Command,
        id: Id<LocationConfiguration>,
        patch: Value,
    ) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            let old = found(location_configurations::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &etag(&old))?;
            let closing = old.closing.clone();
            let old = serde_json::to_value(view(&old)?).map_err(Error::fault)?;
            let input: LocationConfigurationInput = shape::parse_patch(old.clone(), patch.clone())?;
            hold_locations(tx, owner, &input).await?;
            end_other_default(tx, owner, id, &input, &log).await?;
            location_configurations::update(tx, owner, id, &input, now).await?;
            // A closing that has come and was not seen to yet stays due.
            if input.closing != closing {
                location_configurations::set_closing(tx, owner, id, input.closing.as_ref(), now).await?;
            }
            let new = found(location_configurations::get(tx, owner, id).await?)?;
            let tag = etag(&new);
            let new = serde_json::to_value(view(&new)?).map_err(Error::fault)?;
            let doc = new.to_string();
            let event = Event::new("location_configuration.updated", id, &doc);
            log.append(tx, &event.changed_from(previous_attributes(&old, &new))).await?;
            Ok(Reply::resource(tag, doc))
        };
        self.context.write(&command, update).await
    }

    pub async fn delete(&self, command: Command, id: Id<LocationConfiguration>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            let old = found(location_configurations::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &etag(&old))?;
            location_configurations::delete(tx, owner, id).await?;
            log.append(tx, &Event::new("location_configuration.deleted", id, &json(&view(&old)?)?)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}

/// The tag of a state of a configuration. It shows its locations whole, so it changes with them.
fn etag(stored: &StoredLocationConfiguration) -> String {
    format!("\"{}.{}.{}\"", stored.version, stored.origin.version, stored.r#return.version)
}

fn view(stored: &StoredLocationConfiguration) -> Result<LocationConfiguration> {
    let location = |doc: &str| serde_json::from_str(doc).map_err(Error::fault);
    show(stored, location(&stored.origin.doc)?, location(&stored.r#return.doc)?)
}

fn summary(stored: &StoredLocationConfiguration) -> Result<LocationConfiguration> {
    show(stored, without_address(&stored.origin.doc)?, without_address(&stored.r#return.doc)?)
}

fn show(
    stored: &StoredLocationConfiguration,
    origin: Value,
    r#return: Value,
) -> Result<LocationConfiguration> {
    Ok(LocationConfiguration {
        id: stored.id,
        name: stored.name.clone(),
        locations: Embedded { origin, r#return },
        closing: stored.closing.clone(),
        is_default: stored.is_default,
        complete_allocations_on: stored.complete_allocations_on,
        created_at: stored.created_at,
        updated_at: stored.updated_at,
    })
}

/// If a configuration becomes the default of its origin, the one that was the default before no longer is.
async fn end_other_default(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<LocationConfiguration>,
    input: &LocationConfigurationInput,
    log: &EventLog,
) -> Result<()> {
    if !input.is_default {
        return Ok(());
    }
    let known = location_configurations::lock_default(tx, owner, input.locations.origin.id).await?;
    let Some(other) = known.filter(|known| *known != id) else { return Ok(()) };
    let old = found(location_configurations::get(tx, owner, other).await?)?;
    location_configurations::end_default(tx, owner, other, log.now()).await?;
    let new = found(location_configurations::get(tx, owner, other).await?)?;
    let show = |stored| serde_json::to_value(view(stored)?).map_err(Error::fault);
    let (old, new) = (show(&old)?, show(&new)?);
    let event = Event::new("location_configuration.updated", other, &new.to_string());
    log.append(tx, &event.changed_from(previous_attributes(&old, &new))).await
}

/// Refuses locations that do not exist, and keeps the others from being deleted meanwhile.
async fn hold_locations(tx: &mut Tx<'_>, owner: Owner, input: &LocationConfigurationInput) -> Result<()> {
    let pair = [
        ("/locations/origin/id", input.locations.origin.id),
        ("/locations/return/id", input.locations.r#return.id),
    ];
    let mut issues = Vec::new();
    for (field, id) in pair {
        if !location_configurations::hold_location(tx, owner, id).await? {
            issues.push(Issue::new(Code::LocationNotFound.as_str(), field, "There is no such location."));
        }
    }
    if issues.is_empty() {
        return Ok(());
    }
    Err(Problem { code: Code::LocationNotFound, detail: None, issues }.into())
}
