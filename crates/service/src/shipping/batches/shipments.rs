//! The shipments of a batch: listed, added and removed.

use model::shipping::batch::{MembersAdded, MembersRemoved};
use model::{Batch, Id, Result};
use store::shipping::batch_members::{self};
use store::shipping::batches::{self};
use store::{Order, Tx};

use super::details::details;
use super::members::{self, Rules};
use super::{Batches, member, parts};
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, version_etag};
use crate::shipping::shipments::documents_of;

impl Batches {
    /// Returns a page of a batch's shipments, oldest first, whole or with the named ones of their seven parts.
    pub async fn list_shipments(
        &self,
        caller: &Caller,
        query: ListQuery,
        id: Id<Batch>,
        parts: Vec<String>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            found(batches::get(tx, owner, id).await?)?;
            let page = batch_members::page(tx, owner, id, &start, limit).await?;
            let documents = documents_of(tx, owner, &page.items.iter().collect::<Vec<_>>()).await?;
            Ok((page, documents))
        });
        let (page, documents) = read.await?;
        let page = page.try_map(|stored| {
            let shown = self.shipments.shown_shipment(owner, &stored, &documents)?;
            if parts.is_empty() { Ok(shown) } else { parts::only(&shown, &parts) }
        })?;
        self.context.listing_in(Order::OldestFirst, owner, &query, page)
    }

    /// Puts shipments into a batch. Those that are in it already stay.
    pub async fn add_shipments(&self, command: Command, id: Id<Batch>, input: MembersAdded) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let limit = self.shipments_max;
        let change = async move |tx: &mut Tx<'_>| {
            let old = found(batches::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            old.status.ensure_changeable()?;
            let rules = Rules::new(&details(&old)?, input.overrides, limit);
            let delta = members::add(tx, owner, &old, &input.shipments, &rules).await?;
            // What changes nothing is not told of.
            let (stored, shown) = match delta.shipments {
                0 => (old.clone(), member::show(tx, owner, &[old]).await?.remove(0)),
                _ => member::recount(tx, owner, &old, delta, &log).await?,
            };
            Ok(Reply::resource(version_etag(stored.version), shown))
        };
        self.context.write(&command, change).await
    }

    /// Takes shipments out of a batch. The shipments remain, without a batch.
    pub async fn remove_shipments(
        &self,
        command: Command,
        id: Id<Batch>,
        input: MembersRemoved,
    ) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let change = async move |tx: &mut Tx<'_>| {
            let old = found(batches::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            old.status.ensure_changeable()?;
            let delta = members::remove(tx, owner, id, &input.shipments).await?;
            // What changes nothing is not told of.
            let (stored, shown) = match delta.shipments {
                0 => (old.clone(), member::show(tx, owner, &[old]).await?.remove(0)),
                _ => member::recount(tx, owner, &old, delta, &log).await?,
            };
            Ok(Reply::resource(version_etag(stored.version), shown))
        };
        self.context.write(&command, change).await
    }
}
