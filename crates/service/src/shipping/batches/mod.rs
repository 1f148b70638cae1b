//! Batches: shipments that are bought, labelled and handed over together.

mod details;
mod filling;
mod member;
mod members;
mod parts;
mod purchase;
mod rotation;
mod service;
mod shipments;
mod wanted;

use details::details;
use model::platform::shape;
use model::shipping::batch::{BatchInput, Details, Status};
use model::{Batch, Code, Error, Event, Id, Result};
use serde_json::Value;
use store::shipping::batches::{self};
use store::shipping::documents::{self, papers_subject};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};
use crate::shipping::purchasing::Purchasing;
use crate::shipping::shipments::Shipments;

pub use filling::{fill, open};
pub use member::{ensure_member_changeable, member_changed, show, tell_if_manifested};
pub use purchase::begin_purchase;
pub use wanted::wanted_service;

/// Operations on batches, and their purchase.
#[derive(Clone)]
pub struct Batches {
    context: Context,
    purchasing: Purchasing,
    shipments: Shipments,
    /// Most shipments that a batch may have.
    shipments_max: usize,
}

impl Batches {
    pub(crate) fn new(
        context: &Context,
        purchasing: &Purchasing,
        shipments: &Shipments,
        shipments_max: usize,
    ) -> Self {
        let (purchasing, shipments) = (purchasing.clone(), shipments.clone());
        Self { context: context.clone(), purchasing, shipments, shipments_max }
    }

    /// Returns the most shipments that a batch may have.
    pub(crate) fn shipments_max(&self) -> usize {
        self.shipments_max
    }

    /// Notifies the task that stores purchases of batches.
    pub(crate) fn notify(&self) {
        self.purchasing.notify();
    }

    pub async fn create(&self, command: Command, input: BatchInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<Batch>(now);
        let log = self.context.event_log(&command.caller, owner, now);
        let limit = self.shipments_max;
        let create = async move |tx: &mut Tx<'_>| {
            let service = match &input.service {
                Some(named) => Some(service::find(tx, owner, named).await?),
                None => None,
            };
            let (name, metadata) = (input.name.clone(), input.metadata.clone());
            let details = Details { name, service, options: input.options, metadata };
            batches::insert(tx, owner, id, &json(&details)?, now).await?;
            if !input.shipments.is_empty() {
                let batch = found(batches::get_for_update(tx, owner, id).await?)?;
                let rules = members::Rules::new(&details, input.overrides, limit);
                let delta = members::add(tx, owner, &batch, &input.shipments, &rules).await?;
                batches::change(tx, owner, id, Status::Open, delta, now).await?;
            }
            let stored = found(batches::get(tx, owner, id).await?)?;
            let shown = member::show(tx, owner, std::slice::from_ref(&stored)).await?.remove(0);
            log.append(tx, &Event::new("batch.created", id, &shown)).await?;
            Ok(Reply::created(format!("/batches/{id}"), Some(version_etag(stored.version)), shown))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<Batch>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(batches::get(tx, owner, id).await?)?;
            let shown = member::show(tx, owner, std::slice::from_ref(&stored)).await?.remove(0);
            Ok(Reply::resource(version_etag(stored.version), shown))
        });
        read.await
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery, status: Option<Status>) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            let page = batches::page(tx, owner, status, &start, limit).await?;
            let items = member::show(tx, owner, &page.items).await?;
            Ok(Page { items, older_than: page.older_than, newer_than: page.newer_than })
        });
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    /// Merges a patch into a batch that is neither bought nor being bought. The shipments that it names are added.
    pub async fn update(&self, command: Command, id: Id<Batch>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let limit = self.shipments_max;
        let update = async move |tx: &mut Tx<'_>| {
            let old = found(batches::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            old.status.ensure_changeable()?;
            let before = details(&old)?;
            let current = serde_json::to_value(&before).map_err(Error::fault)?;
            let input: BatchInput = shape::parse_patch(service::make_way(current, &patch), patch.clone())?;
            let new_service = match &input.service {
                Some(named) if patch.get("service").is_some() => Some(service::find(tx, owner, named).await?),
                Some(_) => before.service.clone(),
                None => None,
            };
            let details = Details {
                name: input.name,
                service: new_service,
                options: input.options,
                metadata: input.metadata,
            };
            let rules = members::Rules::new(&details, input.overrides, limit);
            if details.service != before.service {
                rules.ensure_service(tx, owner, id).await?;
            }
            let delta = members::add(tx, owner, &old, &input.shipments, &rules).await?;
            batches::set_details(tx, owner, &old, &json(&details)?, now).await?;
            let (stored, shown) = member::recount(tx, owner, &old, delta, &log).await?;
            Ok(Reply::resource(version_etag(stored.version), shown))
        };
        self.context.write(&command, update).await
    }

    /// Deletes a batch whose purchase was never started. Its shipments remain.
    pub async fn delete(&self, command: Command, id: Id<Batch>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let delete = async move |tx: &mut Tx<'_>| {
            let old = found(batches::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            old.status.ensure_changeable()?;
            model::ensure(old.status == Status::Open, Code::BatchNotOpen)?;
            let shown = member::show(tx, owner, std::slice::from_ref(&old)).await?.remove(0);
            batches::delete(tx, owner, &old).await?;
            documents::delete_of_subject(tx, owner, &papers_subject(&id.to_string())).await?;
            log.append(tx, &Event::new("batch.deleted", id, &shown)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}
