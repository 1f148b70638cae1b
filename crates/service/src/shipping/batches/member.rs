//! What a change of a shipment means for its batch: counts, status and events.

use std::collections::BTreeMap;

use model::shipping::batch::{Delta, ERRORS_MAX, Facts, MEMBERS_SHOWN, Status};
use model::{Batch, Error, Event, Id, Owner, Result};
use serde_json::{Map, Value};
use store::Tx;
use store::shipping::batches::{self, StoredBatch};
use store::shipping::{manifest_shipments, purchases, shipments};

use crate::events::events::EventLog;
use crate::platform::resource::{found, json};

/// The shortest time between two progress events of a batch that is being bought.
const TELL_MILLIS: i64 = 250;

/// Refuses to change a shipment whose batch is bought, or is being bought. The caller has locked the shipment and its batch.
pub async fn ensure_member_changeable(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &shipments::StoredShipment,
) -> Result<()> {
    let Some(batch) = stored.batch else { return Ok(()) };
    let Some(batch) = batches::get(tx, owner, batch).await? else { return Ok(()) };
    Ok(batch.status.ensure_changeable()?)
}

/// Updates the counts and the status of a batch after a change of its shipments, and writes the events. Call it in the same
/// transaction, once the shipments and their purchases are written. Returns true if the purchase of the batch ended with
/// this change.
pub async fn member_changed(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    delta: Delta,
    events: &EventLog,
) -> Result<bool> {
    let old = found(batches::get_for_update(tx, owner, batch).await?)?;
    let status = count(tx, owner, &old, delta, events).await?;
    let tells_at = old.told_at.as_micros() + TELL_MILLIS * 1000;
    if status == Status::Purchasing && events.now().as_micros() < tells_at {
        return Ok(false);
    }
    if status == Status::Purchasing {
        batches::set_told_at(tx, owner, batch, events.now()).await?;
    }
    let (new, shown) = tell(tx, owner, &old, status.event(old.status), events).await?;
    if new.are_labels_awaited && new.counts.labels_pending == 0 && new.status != Status::Purchasing {
        batches::set_labels_ready(tx, owner, batch).await?;
        events.append(tx, &Event::new("batch.labels_ready", batch, &shown)).await?;
    }
    if may_complete(&old, &new, delta) {
        tell_if_manifested(tx, owner, &new, &shown, events).await?;
    }
    Ok(old.status == Status::Purchasing && status != Status::Purchasing)
}

/// As [`member_changed`], for a caller that changed a batch which is not being bought. Returns the batch as it is now.
pub async fn recount(
    tx: &mut Tx<'_>,
    owner: Owner,
    old: &StoredBatch,
    delta: Delta,
    events: &EventLog,
) -> Result<(StoredBatch, String)> {
    let status = count(tx, owner, old, delta, events).await?;
    let (new, shown) = tell(tx, owner, old, status.event(old.status), events).await?;
    if may_complete(old, &new, delta) {
        tell_if_manifested(tx, owner, &new, &shown, events).await?;
    }
    Ok((new, shown))
}

/// Whether a change of the batch itself, and not of a manifest, may complete its manifests: some days are closed out before the
/// last shipment is bought, and voided shipments need not be handed over.
fn may_complete(old: &StoredBatch, new: &StoredBatch, delta: Delta) -> bool {
    new.status == Status::Purchased && (old.status != new.status || delta.purchased < 0)
}

/// Writes an event if all shipments of a bought batch are in manifests now.
pub async fn tell_if_manifested(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: &StoredBatch,
    shown: &str,
    events: &EventLog,
) -> Result<()> {
    if batch.counts.purchased > 0 && manifest_shipments::is_batch_manifested(tx, owner, batch.id).await? {
        events.append(tx, &Event::new("batch.manifested", batch.id, shown)).await?;
    }
    Ok(())
}

/// Updates counts and status, and returns the status.
async fn count(
    tx: &mut Tx<'_>,
    owner: Owner,
    old: &StoredBatch,
    delta: Delta,
    events: &EventLog,
) -> Result<Status> {
    let facts = facts(tx, owner, old, delta).await?;
    let status = facts.map_or(old.status, |facts| old.status.after(old.counts + delta, facts));
    batches::change(tx, owner, old.id, status, delta, events.now()).await?;
    Ok(status)
}

/// Returns the facts that determine the status, or `None` if this change can't change it.
async fn facts(tx: &mut Tx<'_>, owner: Owner, old: &StoredBatch, delta: Delta) -> Result<Option<Facts>> {
    let may_follow = match old.status {
        Status::Open | Status::Purchased => false,
        Status::Purchasing => old.begun_to.is_none() && purchases::awaited(tx, owner, old.id, 1).await? == 0,
        // Only buying or removing shipments leaves fewer to buy.
        Status::PartiallyPurchased | Status::PurchaseFailed => delta.purchased > 0 || delta.shipments < 0,
    };
    if !may_follow {
        return Ok(None);
    }
    let has_unbought = batches::has_unbought(tx, owner, old.id).await?;
    Ok(Some(Facts { is_under_way: false, has_unbought }))
}

/// Writes the event of a changed batch, and returns the batch as it is now. Call it once all of the change is written.
pub async fn tell(
    tx: &mut Tx<'_>,
    owner: Owner,
    old: &StoredBatch,
    event: &'static str,
    events: &EventLog,
) -> Result<(StoredBatch, String)> {
    let new = found(batches::get(tx, owner, old.id).await?)?;
    let shown = show(tx, owner, std::slice::from_ref(&new)).await?.remove(0);
    let previous = previous(old, &new)?;
    events.append(tx, &Event::new(event, old.id, &shown).changed_from(previous)).await?;
    Ok((new, shown))
}

/// Returns batches as the API shows them.
pub async fn show(tx: &mut Tx<'_>, owner: Owner, of: &[StoredBatch]) -> Result<Vec<String>> {
    let filled: Vec<_> = of.iter().filter(|batch| batch.counts.shipments > 0).map(|batch| batch.id).collect();
    let faulty: Vec<_> = of.iter().filter(|batch| batch.counts.errors > 0).map(|batch| batch.id).collect();
    let members = match filled.is_empty() {
        true => Vec::new(),
        false => batches::first_members(tx, owner, &filled, MEMBERS_SHOWN).await?,
    };
    let errors = match faulty.is_empty() {
        true => Vec::new(),
        false => batches::errors(tx, owner, &faulty, ERRORS_MAX).await?,
    };
    let mut error_counts = match faulty.is_empty() {
        true => BTreeMap::new(),
        false => batches::error_counts(tx, owner, &faulty).await?,
    };
    of.iter()
        .map(|stored| {
            let its_errors = errors.iter().filter(|(batch, _)| *batch == stored.id);
            let its_members = members.iter().filter(|(batch, _)| *batch == stored.id);
            json(&Batch {
                id: stored.id,
                details: serde_json::from_str(&stored.details).map_err(Error::fault)?,
                status: stored.status,
                errors: its_errors.map(|(_, error)| error.clone()).take(ERRORS_MAX).collect(),
                shipments: its_members.map(|(_, member)| member.clone()).collect(),
                counts: stored.counts,
                error_counts: error_counts.remove(&stored.id).unwrap_or_default(),
                created_at: stored.created_at,
                updated_at: stored.updated_at,
            })
        })
        .collect()
}

/// Returns the fields that changed, with their old values. The old list of shipments is not stored, so it is left out.
fn previous(old: &StoredBatch, new: &StoredBatch) -> Result<Value> {
    let fields = |stored: &StoredBatch| {
        let mut fields: Map<String, Value> = serde_json::from_str(&stored.details).map_err(Error::fault)?;
        fields.insert("status".to_owned(), stored.status.as_str().into());
        fields.insert("updated_at".to_owned(), stored.updated_at.to_string().into());
        if let Value::Object(counts) = serde_json::to_value(stored.counts).map_err(Error::fault)? {
            fields.extend(counts);
        }
        Ok::<_, Error>(Value::Object(fields))
    };
    Ok(model::platform::json::previous_attributes(&fields(old)?, &fields(new)?))
}
