//! The shipments of a batch: listed, added and removed, however many at once.

use std::collections::BTreeMap;

use model::platform::problem::Issue;
use model::shipping::batch::{Delta, Details, MembersAdded, MembersRemoved, NamedShipment};
use model::shipping::shipment::Status;
use model::{Batch, Code, Id, Owner, Problem, Result, Shipment};
use store::shipping::batch_members::{self, Named};
use store::shipping::batches::{self, Stored};
use store::{Order, Tx};

use super::Batches;
use super::{details, member, parts};
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, version_etag};
use crate::shipping::shipments::documents_of;

/// How many shipments a refusal names.
const NAMED_MAX: usize = 10;

/// Which shipments a batch accepts.
pub struct Rules {
    /// The services that a shipment may have chosen; `None` if any is accepted.
    chosen: Option<Vec<String>>,
    limit: usize,
}

impl Rules {
    pub fn new(details: &Details, overrides: bool, limit: usize) -> Self {
        let chosen = details.service.as_ref().filter(|_| !overrides).map(|service| service.as_chosen());
        Self { chosen, limit }
    }

    /// Refuses a service if some of the batch's shipments chose another.
    pub async fn ensure_service(&self, tx: &mut Tx<'_>, owner: Owner, batch: Id<Batch>) -> Result<()> {
        let Some(chosen) = &self.chosen else { return Ok(()) };
        let others = batch_members::choosing_another(tx, owner, batch, chosen, NAMED_MAX).await?;
        let entries = others.into_iter().map(|id| (id, "/service".to_owned())).collect();
        refuse(Code::ServiceAlreadySet, entries)
    }
}

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
        let log = self.context.event_log(owner, self.context.now());
        let limit = self.shipments_max;
        let change = async move |tx: &mut Tx<'_>| {
            let old = found(batches::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            old.status.ensure_changeable()?;
            let rules = Rules::new(&details(&old)?, input.overrides, limit);
            let delta = add(tx, owner, &old, &input.shipments, &rules).await?;
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
        let log = self.context.event_log(owner, self.context.now());
        let change = async move |tx: &mut Tx<'_>| {
            let old = found(batches::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            old.status.ensure_changeable()?;
            let delta = remove(tx, owner, id, &input.shipments).await?;
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

/// Puts the named shipments into a batch that is locked. Returns what they add to its counts.
pub async fn add(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: &Stored,
    named: &[NamedShipment],
    rules: &Rules,
) -> Result<Delta> {
    let (places, shipments) = look_up(tx, owner, named).await?;
    let new: Vec<&Named> = shipments.iter().filter(|named| named.batch != Some(batch.id)).collect();
    ensure_unbought(&places, &new)?;
    refuse_those(Code::ShipmentInOtherBatch, &places, &new, |named| named.batch.is_some())?;
    if let Some(chosen) = &rules.chosen {
        let is_other =
            |named: &Named| named.summary.chosen.as_ref().is_some_and(|other| !chosen.contains(other));
        refuse_those(Code::ServiceAlreadySet, &places, &new, is_other)?;
    }
    let count = batch.counts.shipments + new.len() as i64;
    if count > rules.limit as i64 {
        let code = Code::BatchTooLarge;
        let message = format!("The batch would have {count} shipments, and may have {}.", rules.limit);
        return Err(Problem::field(code, Issue::new(code.as_str(), "/shipments", message)).into());
    }
    put(tx, owner, &new, Some(batch.id)).await
}

/// Takes the named shipments out of a batch that is locked. Returns what they take from its counts.
async fn remove(tx: &mut Tx<'_>, owner: Owner, batch: Id<Batch>, named: &[NamedShipment]) -> Result<Delta> {
    let (places, shipments) = look_up(tx, owner, named).await?;
    let all: Vec<&Named> = shipments.iter().collect();
    refuse_those(Code::ShipmentNotInBatch, &places, &all, |named| named.batch != Some(batch))?;
    ensure_unbought(&places, &all)?;
    Ok(Delta::default() - put(tx, owner, &all, None).await?)
}

/// The first position of each shipment in the request.
type Places = BTreeMap<Id<Shipment>, usize>;

/// Returns the named shipments, locked, and their positions in the request.
async fn look_up(tx: &mut Tx<'_>, owner: Owner, named: &[NamedShipment]) -> Result<(Places, Vec<Named>)> {
    let mut places = Places::new();
    for (place, shipment) in named.iter().enumerate() {
        places.entry(shipment.id).or_insert(place);
    }
    if places.is_empty() {
        return Ok((places, Vec::new()));
    }
    let ids: Vec<_> = places.keys().copied().collect();
    let shipments = batch_members::named(tx, owner, &ids).await?;
    if shipments.len() < ids.len() {
        let is_missing = |id: &&Id<Shipment>| shipments.binary_search_by_key(*id, |named| named.id).is_err();
        let mut missing: Vec<_> = ids.iter().filter(is_missing).map(|id| (places[id], *id)).collect();
        missing.sort_unstable_by_key(|(place, _)| *place);
        let issue = |(place, _): &(usize, Id<Shipment>)| {
            let code = Code::ShipmentNotFound;
            Issue::new(code.as_str(), format!("/shipments/{place}"), "There is no such shipment.")
        };
        let issues: Vec<_> = missing.iter().take(NAMED_MAX).map(issue).collect();
        return Err(Problem::fields(Code::ShipmentNotFound, issues).into());
    }
    Ok((places, shipments))
}

/// Refuses shipments that are bought, voided, or being bought.
fn ensure_unbought(places: &Places, shipments: &[&Named]) -> Result<()> {
    for (status, code) in [
        (Status::Purchased, Code::ShipmentPurchased),
        (Status::Voided, Code::ShipmentVoided),
        (Status::Purchasing, Code::ShipmentPurchasing),
    ] {
        refuse_those(code, places, shipments, |named| named.summary.status == status)?;
    }
    Ok(())
}

/// Refuses the request because of some of its shipments, naming the first of them.
fn refuse_those(
    code: Code,
    places: &Places,
    shipments: &[&Named],
    is_at_fault: impl Fn(&Named) -> bool,
) -> Result<()> {
    let mut at_fault: Vec<_> = shipments
        .iter()
        .filter(|named| is_at_fault(named))
        .map(|named| (places[&named.id], named.id))
        .collect();
    at_fault.sort_unstable_by_key(|(place, _)| *place);
    at_fault.truncate(NAMED_MAX);
    refuse(code, at_fault.into_iter().map(|(place, id)| (id, format!("/shipments/{place}"))).collect())
}

fn refuse(code: Code, shipments: Vec<(Id<Shipment>, String)>) -> Result<()> {
    if shipments.is_empty() {
        return Ok(());
    }
    let issue = |(id, field): (Id<Shipment>, String)| {
        Issue::new(code.as_str(), field, code.title()).with("shipment_id", id.to_string())
    };
    Err(Problem::fields(code, shipments.into_iter().map(issue).collect::<Vec<_>>()).into())
}

/// Puts shipments into a batch or none. Returns what they count for.
async fn put(tx: &mut Tx<'_>, owner: Owner, shipments: &[&Named], batch: Option<Id<Batch>>) -> Result<Delta> {
    if shipments.is_empty() {
        return Ok(Delta::default());
    }
    let ids: Vec<_> = shipments.iter().map(|named| named.id).collect();
    batch_members::set_batch(tx, owner, &ids, batch).await?;
    Ok(shipments.iter().fold(Delta::default(), |sum, named| sum + named.summary.counts()))
}
