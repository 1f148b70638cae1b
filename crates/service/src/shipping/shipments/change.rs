//! Changing a shipment: its row, its event, and what its batch counts.

use model::platform::json::previous_attributes_of;
use model::shipping::batch::{Batch, Delta};
use model::shipping::document::Document;
use model::shipping::indexed_shipment::{IndexedChange, IndexedShipment};
use model::shipping::shipment::{Shipment, Summary};
use model::{Error, Event, Id, Owner, Result};
use store::Tx;
use store::shipping::shipments::{self, StoredShipment};

use super::shown::shown;
use crate::events::events::EventLog;
use crate::platform::resource::json;
use crate::shipping::batches;

/// What a batch shows of its shipments, beside what it counts.
const SEEN_IN_BATCH: [&str; 3] = ["name", "status", "errors"];

/// The texts that a change of a shipment writes.
///
/// Making them needs no database. A caller that changes many shipments makes them before its transaction: on SQLite all
/// transactions share one thread.
pub struct Prepared {
    /// The shipment that is changed, and its version before.
    of: (Id<Shipment>, i64),
    doc: String,
    summary: Summary,
    indexed: IndexedChange,
    /// The shipment with its files, as it is shown.
    shown: String,
    /// The fields that change, with their values before, as JSON text.
    previous: String,
    /// Whether the shipment's batch shows one of these fields.
    is_seen_in_batch: bool,
}

impl Prepared {
    /// Makes the texts for a shipment that becomes `new`, with the files that it has then. `old` is what the stored shipment is
    /// found by.
    pub fn new(
        stored: &StoredShipment,
        old: IndexedShipment,
        new: &Shipment,
        documents: &[Document],
    ) -> Result<Self> {
        let doc = json(new)?;
        let previous = previous_attributes_of(&stored.doc, &doc).map_err(Error::fault)?;
        let is_seen_in_batch = SEEN_IN_BATCH.iter().any(|field| previous.get(field).is_some());
        let (of, previous) = ((stored.id, stored.version), previous.to_string());
        let shown = shown(&doc, documents)?;
        let indexed = IndexedChange { old, new: IndexedShipment::from(new) };
        Ok(Self { of, doc, summary: new.summary(), indexed, shown, previous, is_seen_in_batch })
    }

    /// Whether this is a change of the shipment as it is stored: each change gives it another version.
    pub fn is_of(&self, stored: &StoredShipment) -> bool {
        self.of == (stored.id, stored.version)
    }
}

/// Stores a changed shipment, writes its event, and returns it as it is shown. For changes before it has files.
pub async fn change_shipment(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    new: &Shipment,
    event: &'static str,
    log: &EventLog,
) -> Result<String> {
    change_with_documents(tx, owner, stored, new, &[], event, log).await
}

/// Stores a changed shipment, writes its event with the files that it has now, and updates its batch.
pub async fn change_with_documents(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    new: &Shipment,
    documents: &[Document],
    event: &'static str,
    log: &EventLog,
) -> Result<String> {
    // Boxed, because most operations on shipments call this and would embed the large future.
    let changed = Box::pin(change_uncounted(tx, owner, stored, new, documents, event, log)).await?;
    if let Some((batch, delta)) = changed.batch {
        Box::pin(batches::member_changed(tx, owner, batch, delta, log)).await?;
    }
    Ok(changed.shown)
}

/// A changed shipment, and what is still to be applied to its batch.
pub struct Changed {
    pub shown: String,
    /// The batch that shows something of the change, and by how much its counts change.
    pub batch: Option<(Id<Batch>, Delta)>,
}

/// As [`change_with_documents`], but does not update the batch: a caller that changes many shipments of a batch applies the sum
/// once, with [`batches::member_changed`] in the same transaction.
pub async fn change_uncounted(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    new: &Shipment,
    documents: &[Document],
    event: &'static str,
    log: &EventLog,
) -> Result<Changed> {
    let prepared = Prepared::new(stored, IndexedShipment::of(&stored.doc)?, new, documents)?;
    let batch = write_prepared(tx, owner, stored, &prepared, event, log).await?;
    Ok(Changed { shown: prepared.shown, batch })
}

/// Writes a change that was prepared for the shipment as it is stored. Returns what is still to be applied to its batch.
pub async fn write_prepared(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    prepared: &Prepared,
    event: &'static str,
    log: &EventLog,
) -> Result<Option<(Id<Batch>, Delta)>> {
    let Prepared { doc, summary, indexed, shown, previous, is_seen_in_batch, .. } = prepared;
    shipments::update(tx, owner, stored.id, summary, indexed, doc).await?;
    let delta = summary.counts() - stored.summary.counts();
    let event = Event { previous_attributes: Some(previous.clone()), ..Event::new(event, stored.id, shown) };
    log.append(tx, &event).await?;
    let is_seen = delta != Delta::default() || *is_seen_in_batch;
    Ok(stored.batch.filter(|_| is_seen).map(|batch| (batch, delta)))
}
