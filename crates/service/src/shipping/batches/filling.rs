//! Filling batches: a job opens them, and adds those of its shipments that may still be added.

use model::shipping::batch::{Delta, Details};
use model::shipping::shipment::Status as ShipmentStatus;
use model::{Batch, Event, Id, Owner, Result, Shipment};
use store::Tx;
use store::shipping::batch_members;
use store::shipping::batches::{self, StoredBatch};

use super::member;
use crate::events::events::EventLog;
use crate::platform::resource::{found, json};

/// What came of adding shipments to a batch.
#[derive(Default)]
pub struct Filled {
    /// Those that are in the batch now.
    pub added: Vec<Id<Shipment>>,
    /// Those that are gone, bought, being bought, or in another batch.
    pub refused: Vec<Id<Shipment>>,
}

/// Opens an empty batch, which is locked from then on.
pub async fn open(tx: &mut Tx<'_>, owner: Owner, details: &Details, log: &EventLog) -> Result<StoredBatch> {
    let id: Id<Batch> = log.new_id();
    batches::insert(tx, owner, id, &json(details)?, log.now()).await?;
    let stored = found(batches::get_for_update(tx, owner, id).await?)?;
    let shown = member::show(tx, owner, std::slice::from_ref(&stored)).await?.remove(0);
    log.append(tx, &Event::new("batch.created", id, &shown)).await?;
    Ok(stored)
}

/// Adds shipments to a locked batch that is open and has room for them. Those that are in it already stay.
pub async fn fill(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: &StoredBatch,
    shipments: &[Id<Shipment>],
    log: &EventLog,
) -> Result<Filled> {
    let (mut filled, mut new, mut delta) = (Filled::default(), Vec::new(), Delta::default());
    let known = batch_members::named(tx, owner, shipments).await?;
    for named in &known {
        let is_open = !matches!(
            named.summary.status,
            ShipmentStatus::Purchased | ShipmentStatus::Voided | ShipmentStatus::Purchasing
        );
        match named.batch {
            Some(other) if other == batch.id => filled.added.push(named.id),
            None if is_open => {
                delta += named.summary.counts();
                new.push(named.id);
                filled.added.push(named.id);
            }
            _ => {}
        }
    }
    filled.refused = shipments.iter().filter(|id| !filled.added.contains(id)).copied().collect();
    if !new.is_empty() {
        batch_members::set_batch(tx, owner, &new, Some(batch.id)).await?;
        member::recount(tx, owner, batch, delta, log).await?;
    }
    Ok(filled)
}
