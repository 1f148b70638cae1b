//! What a group of purchases writes: in one transaction, and in a few round trips however many they are.

use std::collections::BTreeMap;

use ::carriers::Receipt;
use model::batch::Delta;
use model::document::DocumentType;
use model::shipment::{Shipment, ShipmentError, Status, TrackingStatus};
use model::{Batch, Event, Id, Owner, Result, Timestamp};
use store::Tx;
use store::documents::{self, StoredDocument};
use store::purchases::{self, Purchase};
use store::shipments::{self, Stored};

use super::group::{Change, Entry, Settled};
use crate::batches::member_changed;
use crate::documents::StoredFile;
use crate::events::EventLog;
use crate::found;
use crate::reply::json;
use crate::shipments::{Changed, change_uncounted, documents_of, read_shipment, without_links};

/// Writes down what there is; tells of each entry whether its purchase was still held, and of all whether the purchase of a
/// batch has come to its end with them.
pub async fn record_entries(
    tx: &mut Tx<'_>,
    owner: Owner,
    entries: &[Entry],
    events: &EventLog,
) -> Result<(Vec<bool>, bool)> {
    let (mut called, mut settled) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            Entry::Call(purchase) => called.push(&**purchase),
            Entry::Settle(one) => settled.push(&**one),
        }
    }
    // Batches first, then shipments, then purchases, as everywhere: who takes locks in one order never waits in a circle.
    let changed = settled.iter().filter(|one| !matches!(one.change, Change::Nothing));
    let wanted: Vec<Id<Shipment>> = changed.map(|one| one.purchase.shipment).collect();
    let stored = shipments::all_for_update(tx, owner, &wanted).await?;
    let purchases: Vec<&Purchase> = settled.iter().map(|one| &one.purchase).collect();
    let is_called = purchases::call(tx, &called, events.now()).await?;
    let is_recorded = purchases::record_all(tx, &purchases, events.now()).await?;
    let held = settled.iter().zip(&is_recorded).filter(|(_, is_held)| **is_held).map(|(one, _)| *one);
    let is_finished = change_all(tx, owner, &held.collect::<Vec<_>>(), &stored, events).await?;
    let (mut is_called, mut is_recorded) = (is_called.into_iter(), is_recorded.into_iter());
    let is_written = |entry: &Entry| {
        let is_held = match entry {
            Entry::Call(_) => is_called.next(),
            Entry::Settle(_) => is_recorded.next(),
        };
        is_held == Some(true)
    };
    Ok((entries.iter().map(is_written).collect(), is_finished))
}

/// Changes the shipments of purchases, and tells their batches.
async fn change_all(
    tx: &mut Tx<'_>,
    owner: Owner,
    held: &[&Settled],
    stored: &[Stored],
    events: &EventLog,
) -> Result<bool> {
    // What was not bought yet has no files.
    let mut files = documents_of(tx, owner, &stored.iter().collect::<Vec<_>>()).await?;
    let mut deltas: BTreeMap<Id<Batch>, Delta> = BTreeMap::new();
    for settled in held {
        let of = |stored: &&Stored| stored.id == settled.purchase.shipment;
        let stored = match settled.change {
            Change::Nothing => continue,
            _ => found(stored.iter().find(of))?,
        };
        let subject = stored.id.to_string();
        let its_files = files.extract_if(.., |file| file.subject == subject).collect();
        let changed = change(tx, settled, stored, its_files, events).await?;
        if let Some((batch, delta)) = changed.and_then(|changed| changed.batch) {
            *deltas.entry(batch).or_default() += delta;
        }
    }
    let mut is_finished = false;
    for (batch, delta) in deltas {
        is_finished |= member_changed(tx, owner, batch, delta, events).await?;
    }
    Ok(is_finished)
}

/// What a purchase means for its shipment.
async fn change(
    tx: &mut Tx<'_>,
    settled: &Settled,
    stored: &Stored,
    files: Vec<StoredDocument>,
    events: &EventLog,
) -> Result<Option<Changed>> {
    let purchase = &settled.purchase;
    match &settled.change {
        Change::Nothing => Ok(None),
        Change::Failed(error) => {
            fail(tx, purchase.owner, stored, Status::PurchaseFailed, error, events).await.map(Some)
        }
        Change::Review(error) => {
            let changed = fail(tx, purchase.owner, stored, Status::Purchasing, error, events).await?;
            let attempt = super::review::view(tx, purchase).await?;
            let event = Event::new("purchase_attempt.needs_review", purchase.id, &json(&attempt)?);
            events.append(tx, &event).await?;
            Ok(Some(changed))
        }
        Change::Bought { receipt, files: new, error } => {
            buy(tx, purchase.owner, stored, files, (receipt, new, error.as_ref()), events).await
        }
    }
}

async fn fail(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &Stored,
    status: Status,
    error: &ShipmentError,
    events: &EventLog,
) -> Result<Changed> {
    let mut new = Shipment { status, updated_at: events.now(), ..read_shipment(stored)? };
    new.add_error(error.clone());
    let event = match status {
        Status::PurchaseFailed => "shipment.purchase_failed",
        _ => "shipment.updated",
    };
    change_uncounted(tx, owner, stored, &new, &[], event, events).await
}

/// `before` are the files that it has already.
async fn buy(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &Stored,
    before: Vec<StoredDocument>,
    (receipt, files, error): (&Receipt, &[StoredFile], Option<&ShipmentError>),
    events: &EventLog,
) -> Result<Option<Changed>> {
    let is_news = stored.status != Status::Purchased;
    if !is_news && files.is_empty() && error.is_none() {
        return Ok(None);
    }
    let mut documents = before;
    for file in files {
        // Whoever wanted the labels of its batch may have been faster: one of each kind is enough.
        if !documents.iter().any(|known| is_same_label(&known.file, file)) {
            documents.push(documents::insert(tx, owner, &stored.id.to_string(), file, events.now()).await?);
        }
    }
    let mut new = bought(read_shipment(stored)?, receipt, events.now());
    if let Some(error) = error {
        new.add_error(error.clone());
    }
    let event = if is_news { "shipment.purchased" } else { "shipment.updated" };
    change_uncounted(tx, owner, stored, &new, &without_links(&documents), event, events).await.map(Some)
}

fn is_same_label(one: &StoredFile, other: &StoredFile) -> bool {
    let is_label = one.r#type == DocumentType::Label && other.r#type == DocumentType::Label;
    is_label && one.file_type == other.file_type && one.file_name == other.file_name
}

/// The shipment once it was bought.
fn bought(old: Shipment, receipt: &Receipt, now: Timestamp) -> Shipment {
    let is_news = old.status != Status::Purchased;
    let mut new = Shipment { status: Status::Purchased, updated_at: now, ..old };
    new.tracking_number = receipt.tracking_numbers.first().cloned();
    for (package, number) in new.details.packages.iter_mut().zip(&receipt.tracking_numbers) {
        package.tracking_number = Some(number.clone());
    }
    if is_news {
        new.tracking_status = TrackingStatus::PreTransit;
    }
    new
}
