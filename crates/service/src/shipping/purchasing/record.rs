//! What a group of purchases writes: in one transaction, and in a few round trips, however large the group is.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::shipping::batch::Delta;
use model::shipping::shipment::{Shipment, ShipmentError, Status};
use model::{Batch, Event, Id, Owner, Result};
use store::Tx;
use store::shipping::documents::{self, StoredDocument};
use store::shipping::duplicate_charges;
use store::shipping::purchases::{self, Purchase};
use store::shipping::shipments::{self, StoredShipment};

use super::change::Change;
use super::entry::{Entry, Settled};
use super::late::{accept_observed, keep_receipts};
use super::prepared::PreparedPurchase;
use crate::events::events::EventLog;
use crate::platform::resource::{found, json};
use crate::shipping::batches::member_changed;
use crate::shipping::order_contents::OrderContents;
use crate::shipping::shipments::{change_uncounted, documents_of, read_shipment, write_prepared};

/// Writes the entries. Returns for each whether its purchase was still held, and for all together whether the purchase of a
/// batch ended with them.
pub async fn record_entries(
    tx: &mut Tx<'_>,
    owner: Owner,
    entries: &[Arc<Entry>],
    events: &EventLog,
) -> Result<(Vec<bool>, bool)> {
    let (mut called, mut sold, mut settled) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        match &**entry {
            Entry::Call(purchase) => called.push(&**purchase),
            Entry::Receipt(purchase) => sold.push(&**purchase),
            Entry::Settle(one) => settled.push(&**one),
        }
    }
    // Lock orders and levels first, then batches, shipments and purchases, as everywhere: one order of locks prevents
    // deadlocks.
    let changed = settled.iter().filter(|one| !matches!(one.change, Change::Nothing));
    let wanted: Vec<Id<Shipment>> = changed.map(|one| one.purchase.shipment).collect();
    let mut contents = OrderContents::lock(tx, owner, &wanted).await?;
    let stored = shipments::all_for_update(tx, owner, &wanted).await?;
    let purchases: Vec<&Purchase> = settled.iter().map(|one| &one.purchase).collect();
    let is_called = purchases::call(tx, &called, events.now()).await?;
    let is_kept = keep_receipts(tx, &sold, events.now()).await?;
    let is_recorded = purchases::record_all(tx, &purchases, events.now()).await?;
    let held = settled.iter().zip(&is_recorded).filter(|(_, is_held)| **is_held).map(|(one, _)| *one);
    let is_finished = change_all(tx, &mut contents, &held.collect::<Vec<_>>(), &stored, events).await?;
    contents.write(tx, events).await?;
    let (mut is_called, mut is_kept) = (is_called.into_iter(), is_kept.into_iter());
    let mut is_recorded = is_recorded.into_iter();
    let is_written = |entry: &Arc<Entry>| {
        let is_held = match &**entry {
            Entry::Call(_) => is_called.next(),
            Entry::Receipt(_) => is_kept.next(),
            Entry::Settle(_) => is_recorded.next(),
        };
        is_held == Some(true)
    };
    Ok((entries.iter().map(is_written).collect(), is_finished))
}

/// Changes the shipments of purchases, and updates their batches. Returns whether the purchase of a batch ended.
async fn change_all(
    tx: &mut Tx<'_>,
    contents: &mut OrderContents,
    held: &[&Settled],
    stored: &[StoredShipment],
    events: &EventLog,
) -> Result<bool> {
    let owner = contents.owner();
    // A shipment that is not bought yet has no files.
    let mut files = documents_of(tx, owner, &stored.iter().collect::<Vec<_>>()).await?;
    let mut deltas: BTreeMap<Id<Batch>, Delta> = BTreeMap::new();
    for settled in held {
        let of = |stored: &&StoredShipment| stored.id == settled.purchase.shipment;
        let stored = match settled.change {
            Change::Nothing => continue,
            _ => found(stored.iter().find(of))?,
        };
        let subject = stored.id.to_string();
        let its_files = files.extract_if(.., |file| file.subject == subject).collect();
        if let Some((batch, delta)) = change(tx, contents, settled, stored, its_files, events).await? {
            *deltas.entry(batch).or_default() += delta;
        }
    }
    let mut is_finished = false;
    for (batch, delta) in deltas {
        is_finished |= member_changed(tx, owner, batch, delta, events).await?;
    }
    Ok(is_finished)
}

/// A batch whose counts are not updated yet for a change of its member, and by how much they change.
type Member = (Id<Batch>, Delta);

/// Changes the shipment of a purchase.
async fn change(
    tx: &mut Tx<'_>,
    contents: &mut OrderContents,
    settled: &Settled,
    stored: &StoredShipment,
    files: Vec<StoredDocument>,
    events: &EventLog,
) -> Result<Option<Member>> {
    let purchase = &settled.purchase;
    match &settled.change {
        Change::Nothing => Ok(None),
        // An earlier holder bought it after all, so the purchase continues with that receipt.
        Change::Failed(_) if purchase.fence > 1 && accept_observed(tx, purchase, events.now()).await? => {
            Ok(None)
        }
        Change::Failed(error) => {
            contents.fail(stored.id);
            fail(tx, purchase.owner, stored, Status::PurchaseFailed, error, events).await
        }
        Change::Review(error) => {
            let changed = fail(tx, purchase.owner, stored, Status::Purchasing, error, events).await?;
            let attempt = super::review::view(tx, purchase).await?;
            let event = Event::new("purchase_attempt.needs_review", purchase.id, &json(&attempt)?);
            events.append(tx, &event).await?;
            Ok(changed)
        }
        Change::LabelFailed(error) => {
            fail(tx, purchase.owner, stored, Status::Purchasing, error, events).await
        }
        Change::Bought { .. } => {
            if stored.status != Status::Purchased && contents.holds_for(stored.id) {
                contents.buy(&read_shipment(stored)?, events.now());
            }
            let changed = buy(tx, settled, stored, files, events).await?;
            if let Some(duplicate) = &settled.duplicate {
                duplicate_charges::insert(tx, purchase.owner, stored.id, duplicate).await?;
            }
            Ok(changed)
        }
    }
}

async fn fail(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    status: Status,
    error: &ShipmentError,
    events: &EventLog,
) -> Result<Option<Member>> {
    let mut new = Shipment { status, updated_at: events.now(), ..read_shipment(stored)? };
    new.forget_errors(error.r#type);
    new.add_error(error.clone());
    let event = match status {
        Status::PurchaseFailed => "shipment.purchase_failed",
        _ => "shipment.updated",
    };
    Ok(change_uncounted(tx, owner, stored, &new, &[], event, events).await?.batch)
}

/// Shows a shipment as purchased, with its files. `before` are the files that it has already.
async fn buy(
    tx: &mut Tx<'_>,
    settled: &Settled,
    stored: &StoredShipment,
    before: Vec<StoredDocument>,
    events: &EventLog,
) -> Result<Option<Member>> {
    let owner = settled.purchase.owner;
    // Prepared for a shipment without files.
    let is_fit = |prepared: &&PreparedPurchase| before.is_empty() && prepared.change.is_of(stored);
    let made;
    let prepared = match settled.prepared.as_deref().filter(is_fit) {
        Some(prepared) => prepared,
        None => {
            let old = read_shipment(stored)?;
            made = PreparedPurchase::new(stored, old, before, &settled.change, events)?;
            let Some(made) = &made else { return Ok(None) };
            made
        }
    };
    for document in &prepared.added {
        documents::insert(tx, owner, &document.subject, &document.file, document.created_at).await?;
    }
    write_prepared(tx, owner, stored, &prepared.change, prepared.event, events).await
}
