//! What a purchase that succeeded changes of its shipment, made before the transaction that writes it.

use ::carriers::Receipt;
use model::Result;
use model::shipping::document::DocumentType;
use model::shipping::indexed_shipment::IndexedShipment;
use model::shipping::rate::Rate;
use model::shipping::shipment::{Cost, ErrorType, RATES_MAX, Shipment, Status, TrackingStatus};
use store::shipping::documents::StoredDocument;
use store::shipping::shipments::StoredShipment;

use super::change::Change;
use crate::events::events::EventLog;
use crate::shipping::documents::StoredFile;
use crate::shipping::shipments::{Prepared, without_links};

/// What a purchase that succeeded changes of its shipment: the files that it gets, and its texts.
pub struct PreparedPurchase {
    pub added: Vec<StoredDocument>,
    pub change: Prepared,
    pub event: &'static str,
}

impl PreparedPurchase {
    /// Returns `None` if the shipment shows all of it already. `before` are the files that it has.
    pub fn new(
        stored: &StoredShipment,
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
        let indexed = IndexedShipment::from(&old);
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
        let change = Prepared::new(stored, indexed, &new, &without_links(&documents))?;
        Ok(Some(Self { added, change, event }))
    }
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
