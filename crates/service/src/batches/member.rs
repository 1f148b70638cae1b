//! What a change of a shipment means for the batch that it is in: its counts, its status, and its events.

use model::batch::{Delta, ERRORS_MAX, Facts, MEMBERS_SHOWN, Status};
use model::{Batch, Error, Event, Id, Owner, Result};
use serde_json::{Map, Value};
use store::batches::{self, Stored};
use store::{Tx, manifest_shipments, purchases, shipments};

use crate::events::EventLog;
use crate::found;
use crate::reply::json;

/// While a batch is bought, its progress is told of at most once in so long.
const TELL_MILLIS: i64 = 250;

/// Refuses to change a shipment that is in a batch which is bought, or is being bought. The shipment is locked, and so is
/// its batch.
pub async fn ensure_member_changeable(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &shipments::Stored,
) -> Result<()> {
    let Some(batch) = stored.batch else { return Ok(()) };
    let Some(batch) = batches::get(tx, owner, batch).await? else { return Ok(()) };
    Ok(batch.status.ensure_changeable()?)
}

/// Called whenever something changed with shipments of a batch that it counts or shows, in the same transaction, once the
/// shipments and what is known of their purchases are written: brings counts and status up to date, and tells of it. True
/// where the purchase of the batch has come to its end with that.
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

/// As [`member_changed`], for whoever changed a batch that is not being bought; gives it as it is now.
pub async fn recount(
    tx: &mut Tx<'_>,
    owner: Owner,
    old: &Stored,
    delta: Delta,
    events: &EventLog,
) -> Result<(Stored, String)> {
    let status = count(tx, owner, old, delta, events).await?;
    let (new, shown) = tell(tx, owner, old, status.event(old.status), events).await?;
    if may_complete(old, &new, delta) {
        tell_if_manifested(tx, owner, &new, &shown, events).await?;
    }
    Ok((new, shown))
}

/// Whether a batch may be whole in manifests by a change of its own, and not by that of a manifest: some days are closed
/// out before the last shipment is bought, and what is voided need not be handed over.
fn may_complete(old: &Stored, new: &Stored, delta: Delta) -> bool {
    new.status == Status::Purchased && (old.status != new.status || delta.purchased < 0)
}

/// Tells of a batch that is bought and of which everything is in manifests now.
pub async fn tell_if_manifested(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: &Stored,
    shown: &str,
    events: &EventLog,
) -> Result<()> {
    if batch.counts.purchased > 0 && manifest_shipments::is_batch_manifested(tx, owner, batch.id).await? {
        events.append(tx, &Event::new("batch.manifested", batch.id, shown)).await?;
    }
    Ok(())
}

/// Brings counts and status up to date.
async fn count(
    tx: &mut Tx<'_>,
    owner: Owner,
    old: &Stored,
    delta: Delta,
    events: &EventLog,
) -> Result<Status> {
    let facts = facts(tx, owner, old, delta).await?;
    let status = facts.map_or(old.status, |facts| old.status.after(old.counts + delta, facts));
    batches::change(tx, owner, old.id, status, delta, events.now()).await?;
    Ok(status)
}

/// What the status follows from; none where it can't follow from this change.
async fn facts(tx: &mut Tx<'_>, owner: Owner, old: &Stored, delta: Delta) -> Result<Option<Facts>> {
    let may_follow = match old.status {
        Status::Open | Status::Purchased => false,
        Status::Purchasing => old.begun_to.is_none() && purchases::awaited(tx, owner, old.id, 1).await? == 0,
        // Only what is bought or removed leaves fewer to buy.
        Status::PartiallyPurchased | Status::PurchaseFailed => delta.purchased > 0 || delta.shipments < 0,
    };
    if !may_follow {
        return Ok(None);
    }
    let has_unbought = batches::has_unbought(tx, owner, old.id).await?;
    Ok(Some(Facts { is_under_way: false, has_unbought }))
}

/// Tells of a batch that was changed, and gives it as it is now. Called once all of it is written.
pub async fn tell(
    tx: &mut Tx<'_>,
    owner: Owner,
    old: &Stored,
    event: &'static str,
    events: &EventLog,
) -> Result<(Stored, String)> {
    let new = found(batches::get(tx, owner, old.id).await?)?;
    let shown = show(tx, owner, std::slice::from_ref(&new)).await?.remove(0);
    let previous = previous(old, &new)?;
    events.append(tx, &Event::new(event, old.id, &shown).changed_from(previous)).await?;
    Ok((new, shown))
}

/// Batches as they are shown.
pub async fn show(tx: &mut Tx<'_>, owner: Owner, of: &[Stored]) -> Result<Vec<String>> {
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
                created_at: stored.created_at,
                updated_at: stored.updated_at,
            })
        })
        .collect()
}

/// The fields that changed, with the values they had. What was shown of its shipments is not kept, so it is not told.
fn previous(old: &Stored, new: &Stored) -> Result<Value> {
    let fields = |stored: &Stored| {
        let mut fields: Map<String, Value> = serde_json::from_str(&stored.details).map_err(Error::fault)?;
        fields.insert("status".to_owned(), stored.status.as_str().into());
        fields.insert("updated_at".to_owned(), stored.updated_at.to_string().into());
        if let Value::Object(counts) = serde_json::to_value(stored.counts).map_err(Error::fault)? {
            fields.extend(counts);
        }
        Ok::<_, Error>(Value::Object(fields))
    };
    Ok(model::json::previous_attributes(&fields(old)?, &fields(new)?))
}
