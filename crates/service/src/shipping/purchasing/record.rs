//! What a group of purchases writes: in one transaction, and in a few round trips, however large the group is.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::carriers::Receipt;
use model::shipping::batch::Delta;
use model::shipping::document::DocumentType;
use model::shipping::rate::Rate;
use model::shipping::shipment::{
    Cost, ErrorType, RATES_MAX, Shipment, ShipmentError, Status, TrackingStatus,
};
use model::{Batch, Event, Id, Owner, Result};
use store::Tx;
use store::shipping::documents::{self, StoredDocument};
use store::shipping::purchases::{self, Purchase};
use store::shipping::shipments::{self, Stored};

use super::group::{Change, Entry, Settled};
use super::late::{accept_observed, keep_receipts};
use crate::events::events::EventLog;
use crate::platform::resource::found;
use crate::platform::resource::json;
use crate::shipping::batches::member_changed;
use crate::shipping::documents::StoredFile;
use crate::shipping::shipments::{
    Prepared, change_uncounted, documents_of, read_shipment, without_links, write_prepared,
};

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
    // Lock batches first, then shipments, then purchases, as everywhere: one order of locks prevents deadlocks.
    let changed = settled.iter().filter(|one| !matches!(one.change, Change::Nothing));
    let wanted: Vec<Id<Shipment>> = changed.map(|one| one.purchase.shipment).collect();
    let stored = shipments::all_for_update(tx, owner, &wanted).await?;
    let purchases: Vec<&Purchase> = settled.iter().map(|one| &one.purchase).collect();
    let is_called = purchases::call(tx, &called, events.now()).await?;
    let is_kept = keep_receipts(tx, &sold, events.now()).await?;
    let is_recorded = purchases::record_all(tx, &purchases, events.now()).await?;
    let held = settled.iter().zip(&is_recorded).filter(|(_, is_held)| **is_held).map(|(one, _)| *one);
    let is_finished = change_all(tx, owner, &held.collect::<Vec<_>>(), &stored, events).await?;
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
    owner: Owner,
    held: &[&Settled],
    stored: &[Stored],
    events: &EventLog,
) -> Result<bool> {
    // A shipment that is not bought yet has no files.
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
        if let Some((batch, delta)) = change(tx, settled, stored, its_files, events).await? {
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
    settled: &Settled,
    stored: &Stored,
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
        Change::Bought { .. } => buy(tx, settled, stored, files, events).await,
    }
}

async fn fail(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &Stored,
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

/// What a purchase that succeeded changes of its shipment: the files that it gets, and its texts.
pub struct PreparedPurchase {
    added: Vec<StoredDocument>,
    change: Prepared,
    event: &'static str,
}

impl PreparedPurchase {
    /// Returns `None` if the shipment shows all of it already. `before` are the files that it has.
    pub fn new(
        stored: &Stored,
        old: Shipment,
        before: Vec<StoredDocument>,
        change: &Change,
        events: &EventLog,
    ) -> Result<Option<Self>> {
        let Change::Bought { receipt, files, is_label_pending, error } = change else { return Ok(None) };
        let is_news = stored.status != Status::Purchased;
        let is_same = stored.summary.label_pending == *is_label_pending;
        // Papers that are all stored come without an error.
        let is_labelled = !is_label_pending && error.is_none();
        let is_mended = is_labelled && old.errors.iter().any(|error| error.r#type == ErrorType::Label);
        if !is_news && is_same && files.is_empty() && error.is_none() && !is_mended {
            return Ok(None);
        }
        let (subject, now) = (stored.id.to_string(), events.now());
        let (mut documents, mut added) = (before, Vec::new());
        for file in files {
            // The job that makes the labels of its batch may have stored it first: one of each kind is enough.
            if !documents.iter().any(|known| is_same_label(&known.file, file)) {
                let (subject, file) = (subject.clone(), file.clone());
                let document = StoredDocument { subject, file, created_at: now, updated_at: now };
                added.push(document.clone());
                documents.push(document);
            }
        }
        let mut new = bought(old, receipt, events);
        new.label_pending = *is_label_pending;
        if is_news {
            // Errors of earlier attempts: that the outcome was unknown, or that it was not bought.
            new.forget_errors(ErrorType::Purchase);
        }
        if is_news || is_labelled {
            // Attempts that failed before the label was stored.
            new.forget_errors(ErrorType::Label);
        }
        if let Some(error) = error {
            new.add_error(error.clone());
        }
        let event = if is_news { "shipment.purchased" } else { "shipment.updated" };
        let change = Prepared::new(stored, &new, &without_links(&documents))?;
        Ok(Some(Self { added, change, event }))
    }
}

/// Shows a shipment as purchased, with its files. `before` are the files that it has already.
async fn buy(
    tx: &mut Tx<'_>,
    settled: &Settled,
    stored: &Stored,
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

fn is_same_label(one: &StoredFile, other: &StoredFile) -> bool {
    let is_label = one.r#type == DocumentType::Label && other.r#type == DocumentType::Label;
    is_label && one.file_type == other.file_type && one.file_name == other.file_name
}

/// Returns the shipment as it is once it was bought.
fn bought(old: Shipment, receipt: &Receipt, events: &EventLog) -> Shipment {
    let is_news = old.status != Status::Purchased;
    let mut new = Shipment { status: Status::Purchased, updated_at: events.now(), ..old };
    new.tracking_number = receipt.tracking_numbers.first().cloned();
    for (package, number) in new.details.packages.iter_mut().zip(&receipt.tracking_numbers) {
        package.tracking_number = Some(number.clone());
    }
    if is_news {
        new.tracking_status = TrackingStatus::PreTransit;
        price(&mut new, receipt, events);
    }
    new
}

/// Sets what a shipment cost. If it was bought without a rate, the purchase becomes one of its rates. If the carrier states no
/// amount, the cost is that of the chosen rate.
fn price(shipment: &mut Shipment, receipt: &Receipt, events: &EventLog) {
    let Shipment { service: Some(chosen), rates, cost, .. } = shipment else { return };
    let rated = chosen.rate.and_then(|id| rates.iter().find(|rate| rate.id == id));
    if receipt.currency.is_empty() {
        *cost = rated.map(|rate| Cost { amount: rate.rate, currency_code: rate.currency_code.clone() });
        return;
    }
    *cost = Some(Cost { amount: receipt.charged, currency_code: receipt.currency.clone() });
    if rated.is_some() {
        return;
    }
    let rate = Rate {
        id: events.new_id(),
        carrier: chosen.carrier.clone(),
        carrier_service: chosen.carrier_service.clone(),
        carrier_account: Some(chosen.carrier_account.clone()),
        rate: receipt.charged,
        currency_code: receipt.currency.clone(),
        delivery_days: None,
        ship_date: None,
        delivery_date: None,
        guaranteed_delivery_date: None,
        // The rate is used up: nothing else can be bought with it.
        expires_at: events.now(),
    };
    chosen.rate = Some(rate.id);
    rates.truncate(RATES_MAX - 1);
    rates.push(rate);
}
