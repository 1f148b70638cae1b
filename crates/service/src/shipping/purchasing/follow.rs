//! Follow-up of a shipment after it was bought: its label, duplicates that were bought by mistake, and its tracking.

use ::carriers::{Label, Outcome, Receipt, Task, Tracked, sandbox};
use model::events::actor::Actor;
use model::shipping::indexed_shipment::{IndexedChange, IndexedShipment};
use model::shipping::shipment::{Shipment, ShipmentError, Status, TrackingStatus};
use model::shipping::tracking::{EVENTS_MAX, MESSAGE_CHARS_MAX, Report, Tracking, TrackingEvent};
use model::{Error, Event, Id, Owner, Result, Timestamp, World};
use serde::{Deserialize, Serialize};
use store::Tx;
use store::shipping::purchases::{self, Purchase};
use store::shipping::shipments::StoredShipment;
use store::shipping::{shipments, tracking_events};

pub use self::claim::{Follow, Follows};
pub use self::permits::FOLLOWS_MAX;
use super::change::Change;
use super::entry::Settled;
use super::job::Job;
use super::papers::Papers;
use super::prepared::PreparedPurchase;
use super::stored_receipt::StoredReceipt;
use super::voiding::{after_duplicate_void, duplicate_charge};
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::events::events::EventLog;
use crate::platform::backoff::{BACKOFF_SECONDS_MAX, backoff_seconds};
use crate::platform::resource::{found, json};
use crate::shipping::documents::StoredFile;
use crate::shipping::hand_over::tell_hand_over;
use crate::shipping::order_contents::OrderContents;
use crate::shipping::purchasing::Purchasing;
use crate::shipping::shipments::read_shipment;

/// Consecutive failed attempts to get a label after which the shipment stays without one.
const LABEL_FAILURES_MAX: i64 = 12;
/// The pause before a carrier is asked again for a label that it does not have yet: a tenth of the time since the purchase,
/// within these limits.
const LABEL_REST_SECONDS_MIN: i64 = 1;
const LABEL_REST_SECONDS_MAX: i64 = 3600;
/// The longest pause before papers that Dockside draws are drawn and stored again: their shipment and its batch wait for them.
const OWN_REST_SECONDS_MAX: i64 = 60;
/// The pause between two tracking requests for a parcel: a tenth of its age, within these limits. A parcel of the sandbox
/// carrier travels for half a minute.
const TRACK_SECONDS_MIN: i64 = 300;
const TRACK_SECONDS_MIN_IN_TEST: i64 = 2;
const TRACK_SECONDS_MAX: i64 = 2 * 3600;
/// The age after which a parcel is no longer tracked.
const TRACK_SECONDS_END: i64 = 60 * 24 * 3600;

impl Purchasing {
    /// Where a shipment is, and where it was.
    pub async fn get_shipment_tracking(&self, caller: &Caller, id: Id<Shipment>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(shipments::get(tx, owner, id).await?)?;
            let way = read_way(tx, owner, id).await?;
            Ok(Reply::done(json(&tracking(&read_shipment(&stored)?, way))?))
        });
        read.await
    }

    /// Does the next step for a purchase that is bought: its label, a duplicate, or tracking.
    pub(super) async fn follow_up(&self, job: Box<Job>) -> Result<()> {
        let Some(kept) = StoredReceipt::of(&job.purchase)? else { return self.rest(job).await };
        if !job.purchase.is_labelled && kept.is_label_ours {
            return self.label(job, Ok(vec![Label::Ours])).await;
        }
        if !job.purchase.is_labelled {
            let _place = self.place(&job.purchase).await;
            let task = Task::Label { receipt: &kept.receipt, format: job.label_format() };
            let labels = match self.ask_about(&job, &task).await {
                Outcome::Labelled(labels) => Ok(labels),
                // A carrier that does not know the purchase will not have its label later either. If a carrier does not
                // answer, the attempts are counted, so that they end.
                Outcome::Rejected(why) | Outcome::Unsent { why, .. } | Outcome::Unknown(why) => Err(why),
                _ => Ok(Vec::new()),
            };
            return self.label(job, labels).await;
        }
        if let Some(duplicate) = kept.duplicates.first() {
            return self.void_duplicate(&job, &kept, duplicate).await;
        }
        self.track(job, &kept.receipt).await
    }

    /// Makes or fetches the papers of a purchase, stores them, and reports the shipment as purchased. While papers that Dockside
    /// draws can't be stored, the shipment stays `purchasing`; a label that the carrier delivers later is pending.
    pub(super) async fn label(
        &self,
        job: Box<Job>,
        labels: std::result::Result<Vec<Label>, ShipmentError>,
    ) -> Result<()> {
        let Some(kept) = StoredReceipt::of(&job.purchase)? else { return self.rest(job).await };
        let papers = self.papers(&job, &kept.receipt, labels).await;
        self.settle_papers(job, kept, papers).await
    }

    /// Records the papers of a purchase, or why they are missing.
    pub(super) async fn settle_papers(
        &self,
        job: Box<Job>,
        kept: StoredReceipt,
        papers: Papers,
    ) -> Result<()> {
        let mut purchase = job.purchase.clone();
        let now = self.context.now();
        let done_at = if kept.duplicates.is_empty() { self.track_at(&job, now, now) } else { Some(now) };
        let change = match labelled(&mut purchase, papers, done_at, now) {
            Labelled::Reported { files, is_label_pending, error } => {
                Change::Bought { receipt: kept.receipt, files, is_label_pending, error }
            }
            Labelled::Unreported(Some(error)) => Change::LabelFailed(error),
            Labelled::Unreported(None) => Change::Nothing,
        };
        let events = self.context.event_log(Actor::Job("purchases"), job.owner(), now);
        let Job { stored, shipment, .. } = *job;
        // A shipment that is already shown as purchased may have files, which only the transaction knows.
        let prepared = match shipment.status {
            Status::Purchased => None,
            _ => PreparedPurchase::new(&stored, shipment, Vec::new(), &change, &events)?,
        };
        let settled = Settled { purchase, change, prepared: prepared.map(Box::new), duplicate: None };
        self.record_change("a label", settled).await.map(drop)
    }

    /// Asks the carrier to void the first duplicate of a purchase that is kept.
    async fn void_duplicate(&self, job: &Job, kept: &StoredReceipt, duplicate: &Receipt) -> Result<()> {
        let task = Task::Void(duplicate);
        let outcome = self.ask_about(job, &task).await;
        self.settle_duplicate(job, kept, duplicate, &outcome).await
    }

    /// Records the carrier's answer to the void of the first duplicate.
    pub(super) async fn settle_duplicate(
        &self,
        job: &Job,
        kept: &StoredReceipt,
        duplicate: &Receipt,
        outcome: &Outcome,
    ) -> Result<()> {
        let mut purchase = job.purchase.clone();
        let now = self.context.now();
        let Some(error) = after_duplicate_void(duplicate, outcome) else {
            purchase.failures += 1;
            purchase.due_at = Some(now.plus_seconds(backoff_seconds(purchase.failures)));
            return self.record(purchase, None).await;
        };
        let rest = StoredReceipt { duplicates: kept.duplicates[1..].to_vec(), ..kept.clone() };
        purchase.receipt = Some(json(&rest)?);
        purchase.failures = 0;
        purchase.due_at = if rest.duplicates.is_empty() { self.track_at(job, now, now) } else { Some(now) };
        let change = Change::Bought {
            receipt: kept.receipt.clone(),
            files: Vec::new(),
            is_label_pending: false,
            error: Some(error),
        };
        let duplicate = Some(duplicate_charge(duplicate, outcome));
        let settled = Settled { duplicate, ..Settled::new(purchase, change) };
        self.record_change("a duplicate", settled).await.map(drop)
    }

    /// Asks where a parcel is.
    async fn track(&self, job: Box<Job>, receipt: &Receipt) -> Result<()> {
        let task = Task::Track(receipt);
        let outcome = self.ask_about(&job, &task).await;
        let now = self.context.now();
        let bought_at = job.purchase.sent_at.unwrap_or(job.purchase.created_at);
        let purchase = Purchase { due_at: self.track_at(&job, bought_at, now), ..job.purchase.clone() };
        let known = job.shipment.tracking_status;
        let owner = job.owner();
        let events = self.context.event_log(Actor::Carrier, owner, now);
        let record = self.context.db().write(owner, async move |tx| {
            // Lock the shipment before its purchase in both cases, as everywhere, so that transactions can't deadlock.
            let moved = match &outcome {
                Outcome::Tracked(tracked) => {
                    Some(Move::read(tx, owner, purchase.shipment, tracked, now).await?)
                }
                _ => found(shipments::get_for_update_alone(tx, owner, purchase.shipment).await?)
                    .map(|_| None)?,
            };
            let mut purchase = purchase.clone();
            // A report that is older than the last known step changes nothing, so it does not end tracking.
            if moved.as_ref().map_or(known, Move::status).is_final() {
                purchase.due_at = None;
            }
            let is_held = purchases::record(tx, &purchase, now).await?;
            match moved.filter(|_| is_held) {
                Some(moved) => moved.write(tx, owner, &events).await,
                None => Ok(()),
            }
        });
        Box::pin(record).await?;
        self.context.notice(owner);
        Ok(())
    }

    /// Returns when a parcel is tracked next: the older it is, the less often. `None` if it is not tracked any more.
    fn track_at(&self, job: &Job, bought_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let age = now.as_seconds() - bought_at.as_seconds();
        if !job.connector.capabilities(&job.account).can_track || age > TRACK_SECONDS_END {
            return None;
        }
        let least = match job.connector.handle() {
            sandbox::HANDLE if job.owner().world == World::Test => TRACK_SECONDS_MIN_IN_TEST,
            _ => TRACK_SECONDS_MIN,
        };
        Some(now.plus_seconds((age / 10).clamp(least, TRACK_SECONDS_MAX)))
    }
}

/// What becomes of a purchase after an attempt to get its papers.
#[derive(Debug, PartialEq)]
enum Labelled {
    /// Its shipment is shown as purchased.
    Reported { files: Vec<StoredFile>, is_label_pending: bool, error: Option<ShipmentError> },
    /// Its shipment stays `purchasing`, and shows this error.
    Unreported(Option<ShipmentError>),
}

/// Decides what follows from an attempt to get the papers, and when the purchase is due next: at `done_at` if nothing is
/// left to do for its papers.
fn labelled(purchase: &mut Purchase, papers: Papers, done_at: Option<Timestamp>, now: Timestamp) -> Labelled {
    let is_last = purchase.failures + 1 >= LABEL_FAILURES_MAX;
    let (is_over, files, why) = match papers {
        Papers::Ready(files) => {
            finish_papers(purchase, done_at);
            return Labelled::Reported { files, is_label_pending: false, error: None };
        }
        Papers::Later(files) => {
            let age = now.as_seconds() - purchase.sent_at.unwrap_or(purchase.created_at).as_seconds();
            let rest = (age / 10).clamp(LABEL_REST_SECONDS_MIN, LABEL_REST_SECONDS_MAX);
            purchase.due_at = Some(now.plus_seconds(rest));
            return Labelled::Reported { files, is_label_pending: true, error: None };
        }
        // The label is paid for, and only the file store prevents it from being stored, so it is never given up.
        Papers::Unstored(why) => (false, Vec::new(), why),
        Papers::Undrawn(why) => (is_last, Vec::new(), why),
        Papers::SetAside(why) => (true, Vec::new(), why),
        Papers::Unfetched(files, why) if !is_last || !purchase.is_follow_up => {
            // Earlier failures of the file store don't count: the carrier has not failed before.
            purchase.failures *= i64::from(purchase.is_follow_up);
            let error = retry_papers(purchase, why, BACKOFF_SECONDS_MAX, now);
            return Labelled::Reported { files, is_label_pending: true, error };
        }
        Papers::Unfetched(files, why) => (true, files, why),
    };
    if is_over {
        finish_papers(purchase, done_at);
        return Labelled::Reported { files, is_label_pending: false, error: Some(why) };
    }
    let error = retry_papers(purchase, why, OWN_REST_SECONDS_MAX, now);
    match purchase.is_follow_up {
        true => Labelled::Reported { files: Vec::new(), is_label_pending: true, error },
        false => Labelled::Unreported(error),
    }
}

fn finish_papers(purchase: &mut Purchase, done_at: Option<Timestamp>) {
    purchase.is_labelled = true;
    purchase.failures = 0;
    purchase.due_at = done_at;
}

/// Schedules another attempt after a growing pause. Returns the error to show: only that of the first of several failures.
fn retry_papers(
    purchase: &mut Purchase,
    why: ShipmentError,
    rest_seconds_max: i64,
    now: Timestamp,
) -> Option<ShipmentError> {
    purchase.failures += 1;
    purchase.due_at = Some(now.plus_seconds(backoff_seconds(purchase.failures).min(rest_seconds_max)));
    Some(why).filter(|_| purchase.failures == 1)
}

/// A stored step. Its time is the carrier's, or the moment at which the report arrived, as in all steps that earlier
/// versions stored.
#[derive(Serialize, Deserialize)]
struct KeptStep {
    #[serde(flatten)]
    event: TrackingEvent,
    #[serde(default)]
    is_carrier_time: bool,
}

/// Records a tracking report, if it replaces the known one.
pub async fn move_on(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: Id<Shipment>,
    tracked: &Tracked,
    events: &EventLog,
) -> Result<()> {
    let moved = Box::pin(Move::read(tx, owner, shipment, tracked, events.now())).await?;
    Box::pin(moved.write(tx, owner, events)).await
}

/// The change that a tracking report makes to a shipment, whose row is locked.
struct Move {
    contents: OrderContents,
    stored: StoredShipment,
    old: Shipment,
    way: Vec<KeptStep>,
    /// The step that the report adds; `None` if it does not replace the known report.
    step: Option<KeptStep>,
}

impl Move {
    async fn read(
        tx: &mut Tx<'_>,
        owner: Owner,
        shipment: Id<Shipment>,
        tracked: &Tracked,
        now: Timestamp,
    ) -> Result<Self> {
        let contents = OrderContents::lock(tx, owner, &[shipment]).await?;
        // Batches don't show tracking, so the row of the batch is not locked.
        let stored = found(shipments::get_for_update_alone(tx, owner, shipment).await?)?;
        let old = read_shipment(&stored)?;
        let way = read_steps(tx, owner, shipment).await?;
        // The carrier's own text, which may have any length.
        let message = tracked.message.chars().filter(|char| !char.is_control()).take(MESSAGE_CHARS_MAX);
        let message: String = message.collect();
        let told = Report::new(tracked.status, tracked.occurred_at, now);
        let last = way.last().map(|step| &step.event);
        let is_known = last.is_some_and(|last| last.status == told.status && last.message == message);
        let timed = way.iter().rev().find(|step| step.is_carrier_time);
        let known =
            Report { status: old.tracking_status, occurred_at: timed.map(|step| step.event.occurred_at) };
        let is_news = !is_known && old.status == Status::Purchased && told.replaces(known);
        let occurred_at = told.occurred_at.unwrap_or(now);
        let event = TrackingEvent { status: told.status, message, occurred_at };
        let step = KeptStep { event, is_carrier_time: told.occurred_at.is_some() };
        Ok(Self { contents, stored, old, way, step: is_news.then_some(step) })
    }

    /// The status that the shipment has afterwards.
    fn status(&self) -> TrackingStatus {
        self.step.as_ref().map_or(self.old.tracking_status, |step| step.event.status)
    }

    async fn write(self, tx: &mut Tx<'_>, owner: Owner, events: &EventLog) -> Result<()> {
        let tracking_status = self.status();
        let Self { mut contents, stored, old, mut way, step: Some(step) } = self else { return Ok(()) };
        let (shipment, indexed) = (old.id, IndexedShipment::from(&old));
        tracking_events::insert(tx, owner, shipment, &json(&step)?, events.now()).await?;
        way.push(step);
        let mut new = Shipment { tracking_status, updated_at: events.now(), ..old };
        let is_handed_over = new.handed_over_at.is_none() && tracking_status.is_handed_over();
        if is_handed_over {
            new.handed_over_at = Some(events.now());
            contents.hand_over(&new, events.now());
        }
        contents.deliver(shipment, tracking_status == TrackingStatus::Delivered);
        let doc = json(&new)?;
        let indexed = IndexedChange { old: indexed, new: IndexedShipment::from(&new) };
        shipments::update(tx, owner, shipment, &new.summary(), &indexed, &doc).await?;
        let tracking = tracking(&new, way.into_iter().map(|step| step.event).collect());
        events.append(tx, &Event::new("tracking.updated", shipment, &json(&tracking)?)).await?;
        if is_handed_over {
            tell_hand_over(tx, owner, &stored, &new, events).await?;
        }
        contents.write(tx, events).await
    }
}

/// Returns the tracking events of a shipment.
pub async fn read_way(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<Vec<TrackingEvent>> {
    let steps = read_steps(tx, owner, shipment).await?;
    Ok(steps.into_iter().map(|step| step.event).collect())
}

async fn read_steps(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<Vec<KeptStep>> {
    let docs = tracking_events::all(tx, owner, shipment, EVENTS_MAX).await?;
    docs.iter().map(|doc| serde_json::from_str(doc).map_err(Error::fault)).collect()
}

/// Where a shipment is, and where it was.
pub fn tracking(shipment: &Shipment, events: Vec<TrackingEvent>) -> Tracking {
    Tracking {
        shipment_id: shipment.id,
        tracking_number: shipment.tracking_number.clone(),
        tracking_status: shipment.tracking_status,
        events,
    }
}

mod claim;
mod permits;
#[cfg(test)]
mod tests;
