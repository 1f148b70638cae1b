//! Taking back: a carrier is asked to, under the same lease and fence as everything about money.

use ::carriers::{Outcome, Task};
use model::purchase::State;
use model::shipment::{ErrorCode, ErrorType, Shipment, ShipmentError, Source, Status, TrackingStatus};
use model::{Code, Error, Id, Result, ensure};
use store::purchases::{self, Purchase};
use store::{Tx, carrier_accounts, documents, manifest_shipments, shipments};

use super::follow::is_voiding;
use super::next::rest_seconds;
use super::settle::{Kept, insist};
use super::turn::Job;
use super::wish::Wait;
use crate::shipments::{change_with_documents, ensure_version, read_shipment, without_links};
use crate::{Command, Reply, Service, found};

/// The rest before a carrier that wanted to think about it is asked again.
const DECIDE_SECONDS: i64 = 3600;
/// Attempts that fail one after another before it is given up: for about a day.
const FAILURES_MAX: i64 = 34;

impl Service {
    /// Asks the carrier to take a shipment back. Asking again changes nothing.
    pub async fn void_shipment(&self, command: Command, id: Id<Shipment>, wait: Wait) -> Result<Reply> {
        let now = self.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let service = self.clone();
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
            // Whoever manifests it locks the purchase first, too.
            ensure(!manifest_shipments::holds(tx, owner, id).await?, Code::ShipmentManifested)?;
            let account = carrier_accounts::get(tx, owner, purchase.account).await?;
            let account = account.ok_or(Code::VoidUnsupported)?;
            let opened = service.open_account(owner, &account)?;
            let connector = ::carriers::connector(&account.carrier).ok_or(Code::VoidUnsupported)?;
            ensure(connector.capabilities(&opened).can_void, Code::VoidUnsupported)?;
            purchases::set_state(tx, owner, purchase.id, State::Voiding, Some(now), now).await?;
            Ok(Reply::done(String::new()))
        };
        let begun = self.write(&command, begin).await?;
        self.ring_purchasing();
        self.wait_for(owner, id, wait, begun).await
    }

    /// Asks the carrier.
    pub(super) async fn void(&self, job: Box<Job>) -> Result<()> {
        let Some(kept) = Kept::of(&job.purchase)? else { return self.rest(job).await };
        let _place = self.place(&job.purchase).await;
        let task = Task::Void(&kept.receipt);
        let outcome = self.ask(job.owner(), job.connector, &job.account, &task, self.call_time()).await;
        let mut purchase = job.purchase.clone();
        let now = self.now();
        purchase.due_at = None;
        let mut error = None;
        match outcome {
            Outcome::Voided => purchase.state = State::Voided,
            Outcome::Voiding => purchase.due_at = Some(now.plus_seconds(DECIDE_SECONDS)),
            Outcome::Rejected(why) => {
                purchase.state = State::Bought;
                purchase.due_at = Some(now);
                error = Some(why);
            }
            Outcome::Unsent { why, .. } | Outcome::Unknown(why) => {
                // To take the same back twice is to take it back once, so this may be repeated on a guess.
                purchase.failures += 1;
                purchase.due_at = Some(now.plus_seconds(rest_seconds(purchase.failures)));
                if purchase.failures >= FAILURES_MAX {
                    purchase.state = State::Bought;
                    error = Some(why);
                }
            }
            _ => {
                let message = "The carrier answered something else than was asked.";
                let code = ErrorCode::ProviderUnavailable;
                purchase.state = State::Bought;
                error = Some(ShipmentError::new(ErrorType::Void, code, Source::Provider, message));
            }
        }
        let mut attempt = 1;
        while let Err(error) = Box::pin(self.record_void(purchase.clone(), error.clone())).await {
            insist("a void", &mut attempt, error).await?;
        }
        Ok(())
    }

    async fn record_void(&self, purchase: Purchase, error: Option<ShipmentError>) -> Result<()> {
        let (owner, now) = (purchase.owner, self.now());
        let events = self.event_log(owner, now);
        let record = self.db().write(owner, async move |tx| {
            let stored = found(shipments::get_for_update(tx, owner, purchase.shipment).await?)?;
            let is_held = purchases::record(tx, &purchase, now).await?;
            if !is_held || (purchase.state != State::Voided && error.is_none()) {
                return Ok(());
            }
            let mut new = Shipment { updated_at: now, ..read_shipment(&stored)? };
            let event = match &error {
                None => {
                    new.status = Status::Voided;
                    new.tracking_status = TrackingStatus::Cancelled;
                    "shipment.voided"
                }
                Some(error) => {
                    let why = &error.message;
                    new.add_error(ShipmentError::new(ErrorType::Void, error.code, error.source, why));
                    "shipment.updated"
                }
            };
            let all = documents::of_subject(tx, owner, &purchase.shipment.to_string()).await?;
            change_with_documents(tx, owner, &stored, &new, &without_links(&all), event, &events).await?;
            Ok::<_, Error>(())
        });
        record.await?;
        self.notice(owner);
        Ok(())
    }
}
