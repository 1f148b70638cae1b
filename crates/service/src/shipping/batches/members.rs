//! The rules for the shipments of a batch, and how they are put into it and taken out, however many at once.

use std::collections::BTreeMap;

use model::platform::problem::Issue;
use model::shipping::batch::{Delta, Details, NamedShipment};
use model::shipping::shipment::Status;
use model::{Batch, Code, Id, Owner, Problem, Result, Shipment};
use store::Tx;
use store::shipping::batch_members::{self, Named};
use store::shipping::batches::StoredBatch;

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

/// Puts the named shipments into a batch that is locked. Returns what they add to its counts.
pub async fn add(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: &StoredBatch,
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
pub async fn remove(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    named: &[NamedShipment],
) -> Result<Delta> {
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
