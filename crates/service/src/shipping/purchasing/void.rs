//! Voiding a purchase at the carrier, under the same lease and fence as everything about money.

use ::carriers::{Outcome, Receipt, Task};
use model::events::actor::Actor;
use model::shipping::purchase::State;
use model::shipping::shipment::{
    ErrorCode, ErrorType, Shipment, ShipmentError, Source, Status, TrackingStatus,
};
use model::{Code, Error, Id, Result, Timestamp, ensure};
use store::Tx;
use store::shipping::duplicate_charges::{self, DuplicateCharge};
use store::shipping::purchases::{self, Purchase};
use store::shipping::{carrier_accounts, documents, manifest_shipments, shipments};

use super::job::Job;
use super::settle::insist;
use super::stored_receipt::StoredReceipt;
use super::voiding::{after_duplicate_void, duplicate_charge, is_voiding};
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::platform::backoff::backoff_seconds;
use crate::platform::resource::{found, json};
use crate::platform::wait_deadline::Wait;
use crate::shipping::order_contents::OrderContents;
use crate::shipping::purchasing::Purchasing;
use crate::shipping::shipments::{change_with_documents, ensure_version, read_shipment, without_links};

/// The pause before a carrier that has not decided about a void is asked again.
const DECIDE_SECONDS: i64 = 3600;
/// Consecutive failed attempts after which a void is given up: after about a day.
const FAILURES_MAX: i64 = 34;

impl Purchasing {
    /// Asks the carrier to void a shipment. Repeating the request changes nothing.
    pub async fn void_shipment(&self, command: Command, id: Id<Shipment>, wait: Wait) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let purchasing = self.clone();
        let begin = async move |tx: &mut Tx<'_>| {
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            if stored.status == Status::Voided {
                return Ok(Reply::done(String::new()));
            }
            stored.status.ensure_bought()?;
            let purchase = found(purchases::get_for_update(tx, owner, id).await?)?;
            if is_voiding(Some(&purchase)) {
                return Ok(Reply::done(String::new()));
            }
            ensure_version(&precondition, stored.version)?;
            // A manifest locks the purchase first, too.
            ensure(!manifest_shipments::holds(tx, owner, id).await?, Code::ShipmentManifested)?;
            let account = carrier_accounts::get(tx, owner, purchase.account).await?;
            let account = account.ok_or(Code::VoidUnsupported)?;
            let opened = purchasing.carrier_accounts.open_account(owner, &account)?;
            let connector = ::carriers::connector(&account.carrier).ok_or(Code::VoidUnsupported)?;
            ensure(connector.capabilities(&opened).can_void, Code::VoidUnsupported)?;
            purchases::set_state(tx, owner, purchase.id, State::Voiding, Some(now), now).await?;
            Ok(Reply::done(String::new()))
        };
        let begun = self.context.write(&command, begin).await?;
        self.notify();
        self.wait_for(owner, id, wait, begun).await
    }

    /// Asks the carrier to void a purchase, and the first of its duplicates.
    pub(super) async fn void(&self, job: Box<Job>) -> Result<()> {
        let Some(kept) = StoredReceipt::of(&job.purchase)? else {
            let message =
                "It is not known what the carrier calls the purchase, so it can't be asked to take it back.";
            let code = ErrorCode::ServiceUnavailable;
            let error = ShipmentError::new(ErrorType::Void, code, Source::Service, message);
            return self.end_void(job.purchase, error).await;
        };
        let _place = self.place(&job.purchase).await;
        let task = Task::Void(&kept.receipt);
        let outcome = self.ask_about(&job, &task).await;
        self.settle_void(&job, &kept, outcome).await
    }

    /// Records the carrier's answer to a void. If the carrier accepted it, also asks for the void of the first duplicate.
    pub(super) async fn settle_void(&self, job: &Job, kept: &StoredReceipt, outcome: Outcome) -> Result<()> {
        let is_accepted = matches!(outcome, Outcome::Voided | Outcome::Voiding);
        let mut voided = Voided { purchase: job.purchase.clone(), error: None, note: None, duplicate: None };
        voided.error = after_void(&mut voided.purchase, outcome, self.context.now());
        if is_accepted {
            self.take_back_first(job, kept, &mut voided).await?;
        }
        self.insist_on_void(voided).await
    }

    /// Voids a duplicate of a shipment that is voided already.
    pub(super) async fn void_duplicates(&self, job: Box<Job>) -> Result<()> {
        let kept = StoredReceipt::of(&job.purchase)?.filter(|kept| !kept.duplicates.is_empty());
        let Some(kept) = kept else { return self.rest(job).await };
        let _place = self.place(&job.purchase).await;
        let mut voided = Voided { purchase: job.purchase.clone(), error: None, note: None, duplicate: None };
        self.take_back_first(&job, &kept, &mut voided).await?;
        self.insist_on_void(voided).await
    }

    /// Gives up the void of the first duplicate of a shipment that is voided already.
    pub(super) async fn leave_duplicate(
        &self,
        job: &Job,
        kept: &StoredReceipt,
        why: ShipmentError,
    ) -> Result<()> {
        let Some(duplicate) = kept.duplicates.first() else { return Ok(()) };
        let mut voided = Voided { purchase: job.purchase.clone(), error: None, note: None, duplicate: None };
        taken_back(kept, duplicate, &Outcome::Rejected(why), &mut voided, self.context.now())?;
        self.insist_on_void(voided).await
    }

    /// Asks the carrier to void the first duplicate. While there are more, the purchase stays due.
    async fn take_back_first(&self, job: &Job, kept: &StoredReceipt, voided: &mut Voided) -> Result<()> {
        let Some(duplicate) = kept.duplicates.first() else { return Ok(()) };
        let task = Task::Void(duplicate);
        let outcome = self.ask_about(job, &task).await;
        taken_back(kept, duplicate, &outcome, voided, self.context.now())
    }

    /// Ends a void that can't be asked for any more: the shipment stays bought, and says why.
    pub(super) async fn end_void(&self, mut purchase: Purchase, error: ShipmentError) -> Result<()> {
        purchase.state = State::Bought;
        purchase.due_at = None;
        self.insist_on_void(Voided { purchase, error: Some(error), note: None, duplicate: None }).await
    }

    async fn insist_on_void(&self, mut voided: Voided) -> Result<()> {
        voided.purchase.is_follow_up = matches!(voided.purchase.state, State::Bought | State::Voided);
        let mut attempt = 1;
        while let Err(error) = Box::pin(self.record_void(voided.clone())).await {
            insist("a void", &mut attempt, error).await?;
        }
        Ok(())
    }

    async fn record_void(&self, voided: Voided) -> Result<()> {
        let Voided { purchase, error, note, duplicate } = voided;
        let (owner, now) = (purchase.owner, self.context.now());
        let events = self.context.event_log(Actor::Job("purchases"), owner, now);
        let record = self.context.db().write(owner, async move |tx| {
            let mut contents = OrderContents::lock(tx, owner, &[purchase.shipment]).await?;
            let stored = found(shipments::get_for_update(tx, owner, purchase.shipment).await?)?;
            let is_held = purchases::record(tx, &purchase, now).await?;
            let is_voided = purchase.state == State::Voided && stored.status != Status::Voided;
            if !is_held || (!is_voided && error.is_none() && note.is_none()) {
                return Ok(());
            }
            let mut new = Shipment { updated_at: now, ..read_shipment(&stored)? };
            if is_voided {
                contents.void(new.id, new.handed_over_at.is_some() || new.tracking_status.is_handed_over());
                new.status = Status::Voided;
                new.label_pending = false;
                new.tracking_status = TrackingStatus::Cancelled;
                new.forget_errors(ErrorType::Void);
            }
            if let Some(error) = &error {
                let why = &error.message;
                new.add_error(ShipmentError::new(ErrorType::Void, error.code, error.source, why));
            }
            if let Some(note) = &note {
                new.add_error(note.clone());
            }
            let event = if is_voided { "shipment.voided" } else { "shipment.updated" };
            let all = documents::of_subject(tx, owner, &purchase.shipment.to_string()).await?;
            change_with_documents(tx, owner, &stored, &new, &without_links(&all), event, &events).await?;
            if let Some(duplicate) = &duplicate {
                duplicate_charges::insert(tx, owner, purchase.shipment, duplicate).await?;
            }
            contents.write(tx, &events).await?;
            Ok::<_, Error>(())
        });
        record.await?;
        self.context.notice(owner);
        Ok(())
    }
}

/// The result of a void: the changed purchase, and the errors that its shipment is to show.
#[derive(Clone)]
struct Voided {
    purchase: Purchase,
    /// Why the carrier did not void the purchase.
    error: Option<ShipmentError>,
    /// Whether the carrier voided a duplicate.
    note: Option<ShipmentError>,
    /// What the carrier charged for that duplicate.
    duplicate: Option<DuplicateCharge>,
}

/// Applies the carrier's answer to the void of the first duplicate.
fn taken_back(
    kept: &StoredReceipt,
    duplicate: &Receipt,
    outcome: &Outcome,
    voided: &mut Voided,
    now: Timestamp,
) -> Result<()> {
    let mut delay_seconds = 0;
    let purchase = &mut voided.purchase;
    let mut left = kept.duplicates.len();
    if let Some(note) = after_duplicate_void(duplicate, outcome) {
        let rest = StoredReceipt { duplicates: kept.duplicates[1..].to_vec(), ..kept.clone() };
        left = rest.duplicates.len();
        purchase.receipt = Some(json(&rest)?);
        purchase.failures = 0;
        voided.note = Some(note);
        voided.duplicate = Some(duplicate_charge(duplicate, outcome));
    } else {
        purchase.failures += 1;
        delay_seconds = backoff_seconds(purchase.failures);
    }
    if left > 0 {
        let due_at = now.plus_seconds(delay_seconds);
        purchase.due_at = Some(purchase.due_at.map_or(due_at, |at| at.min(due_at)));
    } else if purchase.state == State::Voided {
        purchase.due_at = None;
    }
    Ok(())
}

/// Brings a purchase into the state that follows from the carrier's answer to a void. Returns the error that its shipment
/// is to show.
pub(super) fn after_void(purchase: &mut Purchase, outcome: Outcome, now: Timestamp) -> Option<ShipmentError> {
    let why = match outcome {
        Outcome::Voided => {
            purchase.state = State::Voided;
            purchase.due_at = None;
            return None;
        }
        Outcome::Voiding => {
            purchase.failures = 0;
            purchase.due_at = Some(now.plus_seconds(DECIDE_SECONDS));
            return None;
        }
        Outcome::Rejected(why) => {
            keep_bought(purchase, now);
            return Some(why);
        }
        Outcome::Unsent { why, .. } | Outcome::Unknown(why) => why,
        _ => {
            let message = "The carrier answered something else than was asked.";
            ShipmentError::new(ErrorType::Void, ErrorCode::ProviderUnavailable, Source::Provider, message)
        }
    };
    // Voiding twice has the same effect as voiding once, so a void whose result is unknown is sent again.
    purchase.failures += 1;
    purchase.due_at = Some(now.plus_seconds(backoff_seconds(purchase.failures)));
    if purchase.failures < FAILURES_MAX {
        return None;
    }
    keep_bought(purchase, now);
    Some(why)
}

/// Ends a void that did not succeed: the purchase stays bought, and is followed up again.
fn keep_bought(purchase: &mut Purchase, now: Timestamp) {
    purchase.state = State::Bought;
    // The failures of its label or its tracking are counted from here on.
    purchase.failures = 0;
    purchase.due_at = Some(now);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicate_is_told_of_once_the_carrier_has_decided() {
        let number = "94001".to_owned();
        let receipt = |tracking_numbers| Receipt {
            purchase: "b".to_owned(),
            tracking_numbers,
            charged: 1,
            currency: "GBP".to_owned(),
            labels: Vec::new(),
        };
        let told = |outcome: Outcome| {
            after_duplicate_void(&receipt(vec![number.clone()]), &outcome)
                .map(|note| (note.code, note.message))
        };
        let code = ErrorCode::DuplicatePurchaseVoided;
        let taken_back = "It was bought twice; the second purchase (94001) is taken back.";
        assert_eq!(told(Outcome::Voided), Some((code, taken_back.to_owned())));
        assert_eq!(told(Outcome::Voiding), Some((code, taken_back.to_owned())));
        let error =
            || ShipmentError::new(ErrorType::Void, ErrorCode::PurchaseDeclined, Source::Carrier, "Used.");
        let refused =
            "It was bought twice, and the carrier does not take the second purchase (94001) back: Used.";
        assert_eq!(told(Outcome::Rejected(error())), Some((code, refused.to_owned())));
        assert_eq!(told(Outcome::Unknown(error())), None);
        assert_eq!(told(Outcome::Unsent { why: error(), retry_after: None }), None);
        assert!(after_duplicate_void(&receipt(Vec::new()), &Outcome::Voided).is_some());
    }
}
