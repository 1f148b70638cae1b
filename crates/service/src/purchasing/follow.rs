//! What becomes of a shipment after it was bought: its label, what was bought beside it by mistake, and its way.

use ::carriers::{Label, Outcome, Receipt, Task};
use model::purchase::State;
use model::shipment::{ErrorCode, ErrorType, Shipment, ShipmentError, Source, Status, TrackingStatus};
use model::tracking::{EVENTS_MAX, Tracking, TrackingEvent};
use model::{Error, Event, Id, Owner, Result, Timestamp, World};
use store::purchases::{self, Purchase};
use store::{Tx, shipments, tracking_events};

use super::group::{Change, Settled};
use super::next::rest_seconds;
use super::papers::Papers;
use super::settle::Kept;
use super::turn::Job;
use crate::events::EventLog;
use crate::reply::json;
use crate::shipments::read_shipment;
use crate::{Caller, Reply, Service, found};

/// Attempts to get a label that fail one after another before the shipment stays without.
const LABEL_FAILURES_MAX: i64 = 12;
/// The rest before a carrier is asked again for a label that is not there yet: a tenth of the time since the purchase,
/// within these.
const LABEL_REST_SECONDS_MIN: i64 = 1;
const LABEL_REST_SECONDS_MAX: i64 = 3600;
/// How often a parcel is looked for: a tenth of its age, but not more often and not less often than this. In the test
/// world parcels travel in half a minute.
const TRACK_SECONDS_MIN: i64 = 300;
const TRACK_SECONDS_MIN_IN_TEST: i64 = 2;
const TRACK_SECONDS_MAX: i64 = 2 * 3600;
/// After so long a parcel is not looked for any more.
const TRACK_SECONDS_END: i64 = 60 * 24 * 3600;

impl Service {
    /// Where a shipment is, and where it was.
    pub async fn get_shipment_tracking(&self, caller: &Caller, id: Id<Shipment>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.db().read(owner, async move |tx| {
            let stored = found(shipments::get(tx, owner, id).await?)?;
            let way = read_way(tx, owner, id).await?;
            Ok(Reply::done(json(&tracking(&read_shipment(&stored)?, way))?))
        });
        read.await
    }

    /// The next thing to do for what was bought.
    pub(super) async fn follow_up(&self, job: Box<Job>) -> Result<()> {
        let Some(kept) = Kept::of(&job.purchase)? else { return self.rest(job).await };
        if !job.purchase.is_labelled && kept.is_label_ours {
            return self.label(job, Ok(Label::Ours)).await;
        }
        if !job.purchase.is_labelled {
            let _place = self.place(&job.purchase).await;
            let task = Task::Label { receipt: &kept.receipt, format: job.label_format() };
            let label =
                match self.ask(job.owner(), job.connector, &job.account, &task, self.call_time()).await {
                    Outcome::Labelled(label) => Ok(label),
                    // Whoever knows of no such purchase will not have its label later either, and whoever does not answer
                    // is not asked for ever.
                    Outcome::Rejected(why) | Outcome::Unsent { why, .. } | Outcome::Unknown(why) => Err(why),
                    _ => Ok(Label::Later),
                };
            return self.label(job, label).await;
        }
        if let Some(duplicate) = kept.duplicates.first() {
            return self.void_duplicate(&job, &kept, duplicate).await;
        }
        self.track(job, &kept.receipt).await
    }

    /// Makes or fetches the label and the other papers of what was bought, and says that it was.
    pub(super) async fn label(
        &self,
        job: Box<Job>,
        label: std::result::Result<Label, ShipmentError>,
    ) -> Result<()> {
        let Some(kept) = Kept::of(&job.purchase)? else { return self.rest(job).await };
        let papers = match label {
            Ok(label) => self.papers(&job, &kept.receipt, label).await,
            Err(why) => Papers::Failed(why),
        };
        let mut purchase = job.purchase.clone();
        let (mut files, mut error) = (Vec::new(), None);
        let now = self.now();
        match papers {
            Papers::Ready(ready) => {
                files = ready;
                purchase.is_labelled = true;
                purchase.failures = 0;
                let is_double = !kept.duplicates.is_empty();
                purchase.due_at = if is_double { Some(now) } else { self.track_at(&job, now, now) };
            }
            Papers::Later => {
                let age = now.as_seconds() - purchase.sent_at.unwrap_or(purchase.created_at).as_seconds();
                let rest = (age / 10).clamp(LABEL_REST_SECONDS_MIN, LABEL_REST_SECONDS_MAX);
                purchase.due_at = Some(now.plus_seconds(rest));
            }
            Papers::Failed(why) if purchase.failures + 1 < LABEL_FAILURES_MAX => {
                purchase.failures += 1;
                purchase.due_at = Some(now.plus_seconds(rest_seconds(purchase.failures)));
                error = Some(why).filter(|_| purchase.failures == 1);
            }
            Papers::Failed(why) => {
                purchase.is_labelled = true;
                purchase.failures = 0;
                purchase.due_at = self.track_at(&job, now, now);
                error = Some(why);
            }
        }
        let change = Change::Bought { receipt: kept.receipt, files, error };
        self.record_change("a label", Settled { purchase, change }).await.map(drop)
    }

    /// Takes back what was bought by mistake beside the one that is kept.
    async fn void_duplicate(&self, job: &Job, kept: &Kept, duplicate: &Receipt) -> Result<()> {
        let task = Task::Void(duplicate);
        let outcome = self.ask(job.owner(), job.connector, &job.account, &task, self.call_time()).await;
        let mut purchase = job.purchase.clone();
        let now = self.now();
        let number = duplicate.tracking_numbers.first().cloned().unwrap_or_default();
        let message = match outcome {
            Outcome::Voided | Outcome::Voiding => {
                format!("It was bought twice; the second purchase ({number}) is taken back.")
            }
            Outcome::Rejected(error) => format!(
                "It was bought twice, and the carrier does not take the second purchase ({number}) back: {}",
                error.message
            ),
            _ => {
                purchase.failures += 1;
                purchase.due_at = Some(now.plus_seconds(rest_seconds(purchase.failures)));
                return self.record(purchase, None).await;
            }
        };
        let rest = Kept { duplicates: kept.duplicates[1..].to_vec(), ..kept.clone() };
        purchase.receipt = Some(json(&rest)?);
        purchase.failures = 0;
        purchase.due_at = if rest.duplicates.is_empty() { self.track_at(job, now, now) } else { Some(now) };
        let code = ErrorCode::DuplicatePurchaseVoided;
        let error = ShipmentError::new(ErrorType::Purchase, code, Source::Service, message);
        let change = Change::Bought { receipt: kept.receipt.clone(), files: Vec::new(), error: Some(error) };
        self.record_change("a duplicate", Settled { purchase, change }).await.map(drop)
    }

    /// Asks where a parcel is.
    async fn track(&self, job: Box<Job>, receipt: &Receipt) -> Result<()> {
        let task = Task::Track(receipt);
        let outcome = self.ask(job.owner(), job.connector, &job.account, &task, self.call_time()).await;
        let now = self.now();
        let mut purchase = job.purchase.clone();
        let status = match &outcome {
            Outcome::Tracked(tracked) => tracked.status,
            _ => job.shipment.tracking_status,
        };
        let bought_at = purchase.sent_at.unwrap_or(purchase.created_at);
        purchase.due_at = if status.is_final() { None } else { self.track_at(&job, bought_at, now) };
        let owner = job.owner();
        let events = self.event_log(owner, now);
        let record = self.db().write(owner, async move |tx| {
            found(shipments::get_for_update_alone(tx, owner, purchase.shipment).await?)?;
            if !purchases::record(tx, &purchase, now).await? {
                return Ok(());
            }
            match &outcome {
                Outcome::Tracked(tracked) => {
                    move_on(tx, owner, purchase.shipment, tracked.status, &tracked.message, &events).await
                }
                _ => Ok(()),
            }
        });
        record.await?;
        self.notice(owner);
        Ok(())
    }

    /// When a parcel is looked for next: the older it is, the less often.
    fn track_at(&self, job: &Job, bought_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let age = now.as_seconds() - bought_at.as_seconds();
        if !job.connector.capabilities(&job.account).can_track || age > TRACK_SECONDS_END {
            return None;
        }
        let least = match job.owner().world {
            World::Live => TRACK_SECONDS_MIN,
            World::Test => TRACK_SECONDS_MIN_IN_TEST,
        };
        Some(now.plus_seconds((age / 10).clamp(least, TRACK_SECONDS_MAX)))
    }
}

/// Writes down where a parcel is, where that is news.
pub async fn move_on(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: Id<Shipment>,
    status: TrackingStatus,
    message: &str,
    events: &EventLog,
) -> Result<()> {
    // No batch shows where its parcels are, so none is held up.
    let stored = found(shipments::get_for_update_alone(tx, owner, shipment).await?)?;
    let old = read_shipment(&stored)?;
    let mut way = read_way(tx, owner, shipment).await?;
    let is_known = way.last().is_some_and(|last| last.status == status && last.message == message);
    // News that come late don't take a parcel back from where it arrived.
    if is_known || old.status != Status::Purchased || old.tracking_status.is_final() {
        return Ok(());
    }
    let step = TrackingEvent { status, message: message.to_owned(), occurred_at: events.now() };
    tracking_events::insert(tx, owner, shipment, &json(&step)?).await?;
    way.push(step);
    let new = Shipment { tracking_status: status, updated_at: events.now(), ..old };
    shipments::update(tx, owner, shipment, &new.summary(), &json(&new)?).await?;
    let tracking = tracking(&new, way);
    events.append(tx, &Event::new("tracking.updated", shipment, &json(&tracking)?)).await
}

/// Where a shipment was.
pub async fn read_way(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<Vec<TrackingEvent>> {
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

/// Whether something is being taken back.
pub fn is_voiding(purchase: Option<&Purchase>) -> bool {
    purchase.is_some_and(|purchase| purchase.state == State::Voiding)
}
