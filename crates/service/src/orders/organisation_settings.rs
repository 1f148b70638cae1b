//! What an organisation has set about its orders.

use model::access::organisation::{OrganisationInput, OrganisationView};
use model::platform::json::previous_attributes;
use model::platform::shape;
use model::{Code, Error, Event, Owner, Result, Timestamp, World, ensure};
use serde_json::Value;
use store::Tx;
use store::access::organisations::{self, StoredOrganisation, StoredSettings};
use store::orders::order_references as references;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::events::EventLog;
use crate::orders::order_references;
use crate::platform::context::Context;
use crate::platform::resource::{found, json, version_etag};

/// Operations on what an organisation has set.
#[derive(Clone)]
pub struct OrganisationSettings {
    context: Context,
}

impl OrganisationSettings {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    pub async fn get(&self, caller: &Caller) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let stored = organisations::settings(tx, owner).await?;
            let organisation = found(organisations::get(tx, owner.organisation).await?)?;
            Ok(Reply::resource(etag(&organisation, &stored), json(&view(owner, organisation, &stored))?))
        });
        read.await
    }

    /// Merges a patch into what the organisation has set, in the caller's world.
    pub async fn update(&self, command: Command, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            references::lock(tx, owner).await?;
            let stored = organisations::settings(tx, owner).await?;
            let mut organisation = found(organisations::get(tx, owner.organisation).await?)?;
            let tag = etag(&organisation, &stored);
            ensure_current(&precondition, &tag)?;
            let before = value(owner, organisation.clone(), &stored)?;
            let input: OrganisationInput = shape::parse_patch(before.clone(), patch.clone())?;
            if input.settings == stored.settings && input.name == organisation.name {
                return Ok(Reply::resource(tag, before.to_string()));
            }
            if input.name != organisation.name {
                ensure(owner.world == World::Live, Code::LiveWorldOnly)?;
                organisations::rename(tx, owner.organisation, &input.name).await?;
                organisation.name = input.name;
                organisation.renames += 1;
            }
            let settings = input.settings;
            order_references::set_unique(tx, owner, settings.unique_order_references).await?;
            let new = StoredSettings { version: stored.version + 1, settings, updated_at: Some(now) };
            organisations::set_settings(tx, owner, &new, now).await?;
            let tag = etag(&organisation, &new);
            let after = value(owner, organisation, &new)?;
            let event = Event::new("organisation.updated", owner.organisation, &after.to_string());
            log.append(tx, &event.changed_from(previous_attributes(&before, &after))).await?;
            Ok(Reply::resource(tag, after.to_string()))
        };
        self.context.write(&command, update).await
    }
}

/// Excludes other changes of what the organisation has set, until this transaction ends.
pub(crate) async fn lock(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    references::lock(tx, owner).await
}

/// Records that something beside the settings changed that belongs to the organisation: its version and `updated_at` go
/// on, and `organisation.updated` is appended. [`lock`] must be held.
pub(crate) async fn touch(tx: &mut Tx<'_>, owner: Owner, now: Timestamp, log: &EventLog) -> Result<()> {
    let stored = organisations::settings(tx, owner).await?;
    let organisation = found(organisations::get(tx, owner.organisation).await?)?;
    let before = value(owner, organisation.clone(), &stored)?;
    let new = StoredSettings { version: stored.version + 1, updated_at: Some(now), ..stored };
    organisations::set_settings(tx, owner, &new, now).await?;
    let after = value(owner, organisation, &new)?;
    let event = Event::new("organisation.updated", owner.organisation, &after.to_string());
    log.append(tx, &event.changed_from(previous_attributes(&before, &after))).await.map(drop)
}

/// Returns the tag of what both worlds share and what this world has set: each change makes the sum greater.
fn etag(organisation: &StoredOrganisation, stored: &StoredSettings) -> String {
    version_etag(stored.version + organisation.renames)
}

fn value(owner: Owner, organisation: StoredOrganisation, stored: &StoredSettings) -> Result<Value> {
    serde_json::to_value(view(owner, organisation, stored)).map_err(Error::fault)
}

fn view(owner: Owner, organisation: StoredOrganisation, stored: &StoredSettings) -> OrganisationView {
    let StoredOrganisation { name, created_at, .. } = organisation;
    OrganisationView {
        id: owner.organisation,
        name,
        settings: stored.settings.clone(),
        created_at,
        updated_at: stored.updated_at.unwrap_or(created_at),
    }
}
