//! Writing down in groups: whatever comes while one group is written is the next. So a purchase that is alone is written
//! at once, and a hundred that come to an end together cost one transaction.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::carriers::Receipt;
use model::batch::Delta;
use model::document::DocumentType;
use model::shipment::{Shipment, ShipmentError, Status, TrackingStatus};
use model::{Batch, Error, Event, Id, Owner, Result, Timestamp};
use store::purchases::{self, Purchase};
use store::shipments::Stored;
use store::{Tx, documents, shipments};
use tokio::sync::oneshot;

use crate::batches::member_changed;
use crate::documents::StoredFile;
use crate::events::EventLog;
use crate::reply::json;
use crate::shipments::{Changed, change_uncounted, read_shipment, without_links};
use crate::{Service, fault, found};

/// Entries of one transaction. Others wait for as long as it takes.
const GROUP_MAX: usize = 128;

/// Something to write down.
#[derive(Clone)]
pub enum Entry {
    /// A carrier is being asked from now on.
    Call(Box<Purchase>),
    /// What came of it, for now.
    Settle(Box<Settled>),
}

/// How a purchase stands, and what that means for its shipment.
#[derive(Clone)]
pub struct Settled {
    pub purchase: Purchase,
    pub change: Change,
}

#[derive(Clone)]
pub enum Change {
    Nothing,
    Failed(ShipmentError),
    /// Nobody knows, and a person must find out.
    Review(ShipmentError),
    Bought {
        receipt: Receipt,
        files: Vec<StoredFile>,
        error: Option<ShipmentError>,
    },
}

/// What waits to be written down, by owner. Whoever's queue is here has somebody who writes it.
#[derive(Default)]
pub struct Groups(Mutex<HashMap<Owner, Vec<Waiting>>>);

struct Waiting {
    entry: Entry,
    told: oneshot::Sender<Result<bool>>,
}

impl Groups {
    fn lock(&self) -> MutexGuard<'_, HashMap<Owner, Vec<Waiting>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues up; tells whether nobody writes this queue yet.
    fn push(&self, owner: Owner, waiting: Waiting) -> bool {
        let mut queues = self.lock();
        let is_first = !queues.contains_key(&owner);
        queues.entry(owner).or_default().push(waiting);
        is_first
    }

    /// The next group; none, and no queue any more, where nobody waits.
    fn next(&self, owner: Owner) -> Option<Vec<Waiting>> {
        let mut queues = self.lock();
        let queue = queues.get_mut(&owner)?;
        if queue.is_empty() {
            queues.remove(&owner);
            return None;
        }
        let count = queue.len().min(GROUP_MAX);
        Some(queue.drain(..count).collect())
    }
}

/// Whoever writes a queue. Where that ends too early, those who wait are told so, and the next begins anew.
struct Writer {
    service: Service,
    owner: Owner,
    /// Whether the queue came to its end, and is no longer this writer's.
    is_done: bool,
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_done {
            self.service.0.purchasing.groups.lock().remove(&self.owner);
        }
    }
}

impl Service {
    /// Writes something down, with whatever else there is; false where the purchase is no longer held, and nothing was
    /// written.
    pub(super) async fn write_down(&self, owner: Owner, entry: Entry) -> Result<bool> {
        let (told, answer) = oneshot::channel();
        if self.0.purchasing.groups.push(owner, Waiting { entry, told }) {
            let writer = Writer { service: self.clone(), owner, is_done: false };
            tokio::spawn(writer.write_all());
        }
        answer.await.map_err(Error::fault)?
    }

    async fn record_group(&self, owner: Owner, entries: Arc<[Entry]>) -> Result<Vec<bool>> {
        let now = self.now();
        let events = self.event_log(owner, now);
        fault!("before_record");
        let record =
            self.db().write(owner, async move |tx| write_entries(tx, owner, &entries, &events, now).await);
        let (written, is_finished) = record.await?;
        fault!("after_record");
        if is_finished {
            fault!("after_finish");
        }
        self.notice(owner);
        Ok(written)
    }
}

impl Writer {
    async fn write_all(mut self) {
        while let Some(group) = self.service.0.purchasing.groups.next(self.owner) {
            let entries: Arc<[Entry]> = group.iter().map(|waiting| waiting.entry.clone()).collect();
            match self.service.record_group(self.owner, entries).await {
                Ok(written) => {
                    for (waiting, is_written) in group.into_iter().zip(written) {
                        // Whoever has gone does not need to know.
                        let _ = waiting.told.send(Ok(is_written));
                    }
                }
                // One that can't be written must not keep the others from it.
                Err(_) => self.write_singly(group).await,
            }
        }
        self.is_done = true;
    }

    async fn write_singly(&self, group: Vec<Waiting>) {
        for waiting in group {
            let written = self.service.record_group(self.owner, Arc::new([waiting.entry])).await;
            let written = written.map(|flags| flags.first() == Some(&true));
            let _ = waiting.told.send(written);
        }
    }
}

async fn write_entries(
    tx: &mut Tx<'_>,
    owner: Owner,
    entries: &[Entry],
    events: &EventLog,
    now: Timestamp,
) -> Result<(Vec<bool>, bool)> {
    // Batches first, then shipments, then purchases, as everywhere: who takes locks in one order never waits in a circle.
    let mut wanted = Vec::new();
    let mut called = Vec::new();
    for entry in entries {
        match entry {
            Entry::Call(purchase) => called.push((purchase.id, purchase.fence)),
            Entry::Settle(settled) if matches!(settled.change, Change::Nothing) => {}
            Entry::Settle(settled) => wanted.push(settled.purchase.shipment),
        }
    }
    let stored = shipments::all_for_update(tx, owner, &wanted).await?;
    let held = match called.is_empty() {
        true => Vec::new(),
        false => purchases::call(tx, owner, &called, now).await?,
    };
    let mut deltas: BTreeMap<Id<Batch>, Delta> = BTreeMap::new();
    let mut written = Vec::with_capacity(entries.len());
    for entry in entries {
        written.push(match entry {
            Entry::Call(purchase) => held.contains(&purchase.id),
            Entry::Settle(settled) => {
                let stored = stored.iter().find(|stored| stored.id == settled.purchase.shipment);
                settle(tx, settled, stored, &mut deltas, events).await?
            }
        });
    }
    let mut is_finished = false;
    for (batch, delta) in deltas {
        is_finished |= member_changed(tx, owner, batch, delta, events).await?;
    }
    Ok((written, is_finished))
}

/// Records how a purchase stands; false where it is no longer held.
async fn settle(
    tx: &mut Tx<'_>,
    settled: &Settled,
    stored: Option<&Stored>,
    deltas: &mut BTreeMap<Id<Batch>, Delta>,
    events: &EventLog,
) -> Result<bool> {
    let purchase = &settled.purchase;
    if !purchases::record(tx, purchase, events.now()).await? {
        return Ok(false);
    }
    let stored = match (&settled.change, stored) {
        (Change::Nothing, _) => return Ok(true),
        (_, stored) => found(stored)?,
    };
    let changed = match &settled.change {
        Change::Nothing => None,
        Change::Failed(error) => {
            Some(fail(tx, purchase.owner, stored, Status::PurchaseFailed, error, events).await?)
        }
        Change::Review(error) => {
            let changed = fail(tx, purchase.owner, stored, Status::Purchasing, error, events).await?;
            let attempt = super::review::view(tx, purchase).await?;
            let event = Event::new("purchase_attempt.needs_review", purchase.id, &json(&attempt)?);
            events.append(tx, &event).await?;
            Some(changed)
        }
        Change::Bought { receipt, files, error } => {
            buy(tx, purchase.owner, stored, receipt, files, error.as_ref(), events).await?
        }
    };
    if let Some((batch, delta)) = changed.and_then(|changed| changed.batch) {
        *deltas.entry(batch).or_default() += delta;
    }
    Ok(true)
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

async fn buy(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &Stored,
    receipt: &Receipt,
    files: &[StoredFile],
    error: Option<&ShipmentError>,
    events: &EventLog,
) -> Result<Option<Changed>> {
    let is_news = stored.status != Status::Purchased;
    if !is_news && files.is_empty() && error.is_none() {
        return Ok(None);
    }
    let subject = stored.id.to_string();
    let before = match files.is_empty() {
        true => Vec::new(),
        false => documents::of_subject(tx, owner, &subject).await?,
    };
    for file in files {
        // Whoever wanted the labels of its batch may have been faster: one of each kind is enough.
        if !before.iter().any(|known| is_same_label(&known.file, file)) {
            documents::insert(tx, owner, &subject, file, events.now()).await?;
        }
    }
    let mut new = bought(read_shipment(stored)?, receipt, events.now());
    if let Some(error) = error {
        new.add_error(error.clone());
    }
    let all = match is_news && files.is_empty() {
        true => Vec::new(),
        false => documents::of_subject(tx, owner, &subject).await?,
    };
    let event = if is_news { "shipment.purchased" } else { "shipment.updated" };
    change_uncounted(tx, owner, stored, &new, &without_links(&all), event, events).await.map(Some)
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
