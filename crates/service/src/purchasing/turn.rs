//! A turn: what is done with a purchase while this server holds it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::carriers::{Account, Connector, Label, Outcome, Parcel, Step, Task};
use model::purchase::State;
use model::shipment::{ErrorCode, ErrorType, LabelFormat, Shipment, ShipmentError, Source};
use model::{Owner, Result, World};
use store::carrier_accounts;
use store::purchases::{self, Purchase};
use store::shipments;

use super::group::Entry;
use super::next::{Facts, Next};
use super::settle::{INSIST, INSIST_REST, Kept};
use crate::shipments::read_shipment;
use crate::{Service, fault, log};

/// In the test world nobody wants to wait a day to see what happens to what stays unknown.
const TEST_REVIEW_SECONDS: i64 = 20;

/// A purchase that this server holds, and all that is needed to go on with it.
pub struct Job {
    /// The name under which it is held.
    pub node: Arc<str>,
    pub purchase: Purchase,
    pub shipment: Shipment,
    pub connector: &'static dyn Connector,
    pub account: Account,
}

impl Job {
    pub fn owner(&self) -> Owner {
        self.purchase.owner
    }

    /// The format that the label is wanted in: as the shipment says, or else the batch that it is bought with.
    pub fn label_format(&self) -> LabelFormat {
        self.shipment.wanted_label_format().or(self.purchase.label_format).unwrap_or(LabelFormat::Pdf)
    }

    pub fn parcel(&self) -> Parcel {
        Parcel { id: self.shipment.id, details: self.shipment.details.clone() }
    }
}

impl Service {
    /// Goes on with a purchase by one step. Whatever happens, it ends with the purchase given back, or with this node
    /// under another name.
    pub(super) async fn turn(self, node: Arc<str>, purchase: Purchase) {
        let name = purchase.id;
        for attempt in 1..=INSIST {
            match self.load(&node, &purchase).await {
                Ok(Some(job)) => {
                    if let Err(error) = self.step(job).await {
                        log::error("purchase", &error);
                        log::info(
                            "purchase",
                            &format!("{name} could not be written down, and is left to others"),
                        );
                        self.give_up(&node);
                    }
                    return self.tell_purchasing();
                }
                Ok(None) => return self.let_go(&node, purchase).await,
                Err(error) => log::error("purchase", &error),
            }
            if attempt == INSIST || !self.is_node(&node) {
                break;
            }
            tokio::time::sleep(INSIST_REST).await;
        }
        self.give_up(&node);
    }

    /// Leaves to others what is held under this name. Where that is not ours any more, they have it already.
    fn give_up(&self, node: &str) {
        if self.is_node(node) {
            self.disown();
        }
    }

    async fn step(&self, job: Box<Job>) -> Result<()> {
        match job.purchase.state {
            State::Ready => self.buy(job).await,
            State::Calling => {
                // Whoever held it may have sent it just before it was taken to be dead: what it sent then is on its way for
                // as long as a call may take.
                let call = self.settings().carriers.call_seconds as i64;
                let next = self.facts(&job).after_crash(self.now().plus_seconds(call));
                self.conclude(job, next).await
            }
            State::Checking => self.look_up(job).await,
            State::Bought => self.follow_up(job).await,
            State::Voiding => self.void(job).await,
            State::Review | State::Failed | State::Voided => self.rest(job).await,
        }
    }

    async fn buy(&self, mut job: Box<Job>) -> Result<()> {
        let can = job.connector.capabilities(&job.account);
        // Where a doubt can be cleared, it is written down before there is a place that the call starts, so that places are
        // for calls alone. Where it can't, whoever waits for a place when a server dies should not be in doubt.
        let mut place = None;
        if !can.is_idempotent && !can.can_look_up {
            place = Some(self.place(&job.purchase).await);
        }
        if let Some(next) = self.prepare(&mut job).await? {
            return self.conclude(job, next).await;
        }
        // From here on it may be bought. A server that was frozen for too long has lost what it held, and finds it so here.
        if !self.call(&mut job).await? {
            return Ok(());
        }
        fault!("after_call");
        let place = match place {
            Some(place) => place,
            None => self.place(&job.purchase).await,
        };
        let parcel = job.parcel();
        let task = Task::Buy {
            parcel: &parcel,
            service: &job.purchase.service,
            reference: &job.purchase.reference,
            prepared: job.purchase.prepared.as_deref(),
            format: job.label_format(),
        };
        // Once more when the connection stands: that may take a while, and be when it was frozen.
        let is_ours = || self.is_node(&job.node);
        let limit = self.call_time();
        let outcome = self.ask_if(job.owner(), job.connector, &job.account, &task, limit, &is_ours).await;
        fault!("after_send");
        drop(place);
        let next = self.facts(&job).after_buying(outcome);
        self.conclude(job, next).await
    }

    /// Writes down that the carrier is being asked; false where it must not be.
    async fn call(&self, job: &mut Job) -> Result<bool> {
        let now = self.now();
        let is_held = self.write_down(job.owner(), Entry::Call(Box::new(job.purchase.clone()))).await?;
        job.purchase.state = State::Calling;
        job.purchase.sent_fence = job.purchase.fence;
        job.purchase.sent_at = Some(now);
        Ok(is_held)
    }

    /// Makes the shipment known to a carrier that wants that, and keeps its name. Gives what follows where it could not.
    async fn prepare(&self, job: &mut Job) -> Result<Option<Next>> {
        let parcel = job.parcel();
        let task = Task::Prepare(&parcel);
        let is_needed = matches!(job.connector.begin(&job.account, &task), Step::Send(_));
        if !is_needed || job.purchase.prepared.is_some() {
            return Ok(None);
        }
        match self.ask(job.owner(), job.connector, &job.account, &task, self.call_time()).await {
            Outcome::Prepared(name) => {
                let (purchase, kept) = (job.purchase.clone(), name.clone());
                let owner = job.owner();
                let keep = self
                    .db()
                    .write(owner, async move |tx| purchases::keep_prepared(tx, &purchase, &kept).await);
                keep.await?;
                job.purchase.prepared = Some(name);
                Ok(None)
            }
            // Nothing was bought yet, so nothing can be in doubt.
            Outcome::Unknown(why) => {
                let outcome = Outcome::Unsent { why, retry_after: None };
                Ok(Some(self.facts(job).after_buying(outcome)))
            }
            outcome => Ok(Some(self.facts(job).after_buying(outcome))),
        }
    }

    async fn look_up(&self, job: Box<Job>) -> Result<()> {
        let facts = self.facts(&job);
        if !facts.can.can_look_up {
            return self.conclude(job, facts.unasked()).await;
        }
        let place = self.place(&job.purchase).await;
        let (reference, prepared) = (&job.purchase.reference, job.purchase.prepared.as_deref());
        let task = Task::LookUp { reference, prepared };
        let outcome = self.ask(job.owner(), job.connector, &job.account, &task, self.call_time()).await;
        fault!("after_look_up");
        drop(place);
        let next = self.facts(&job).after_look_up(outcome);
        self.conclude(job, next).await
    }

    /// Writes down what came of it. Of what was bought, the receipt first, and then the rest.
    async fn conclude(&self, mut job: Box<Job>, next: Next) -> Result<()> {
        match next {
            Next::Bought { mut receipt, duplicates } => {
                self.0.purchasing.counts.bought.fetch_add(1, Ordering::Relaxed);
                let label = receipt.label.take().unwrap_or(Label::Later);
                let is_label_ours = matches!(label, Label::Ours);
                let kept = Kept { receipt, duplicates, is_label_ours };
                if is_label_ours && job.purchase.batch.is_some() {
                    self.record_bought_at_once(job, kept).await
                } else if self.keep_receipt(&mut job, &kept).await? {
                    self.label(job, Ok(label)).await
                } else {
                    Ok(())
                }
            }
            next => self.settle(job, next).await,
        }
    }

    pub(super) fn facts(&self, job: &Job) -> Facts {
        let settings = &self.settings().carriers;
        let (review_seconds, settle_seconds) = match job.owner().world {
            World::Live => (settings.review_seconds, settings.call_seconds as i64),
            // The sandbox decides at once what it does.
            World::Test => (settings.review_seconds.min(TEST_REVIEW_SECONDS), 0),
        };
        Facts {
            can: job.connector.capabilities(&job.account),
            now: self.now(),
            failures: job.purchase.failures,
            unknown_at: job.purchase.unknown_at,
            review_seconds,
            settle_seconds,
        }
    }

    pub(crate) fn call_time(&self) -> Duration {
        Duration::from_secs(self.settings().carriers.call_seconds)
    }

    /// All that is needed to go on; nothing where the shipment or the account is gone.
    async fn load(&self, node: &Arc<str>, purchase: &Purchase) -> Result<Option<Box<Job>>> {
        let (owner, shipment, account) = (purchase.owner, purchase.shipment, purchase.account);
        let read = self.db().read(owner, async move |tx| {
            let shipment = shipments::get(tx, owner, shipment).await?;
            Ok((shipment, carrier_accounts::get(tx, owner, account).await?))
        });
        let (Some(shipment), Some(stored_account)) = read.await? else { return Ok(None) };
        let Some(connector) = ::carriers::connector(&stored_account.carrier) else { return Ok(None) };
        Ok(Some(Box::new(Job {
            node: Arc::clone(node),
            purchase: purchase.clone(),
            shipment: read_shipment(&shipment)?,
            connector,
            account: self.open_account(owner, &stored_account)?,
        })))
    }

    /// Whose account is gone can't be asked for anything any more.
    async fn let_go(&self, node: &str, purchase: Purchase) {
        let message = "The carrier account was deleted.";
        let code = ErrorCode::CredentialsInvalid;
        let error = ShipmentError::new(ErrorType::Purchase, code, Source::Service, message);
        if let Err(error) = self.settle_without_account(purchase, error).await {
            log::error("purchase", &error);
            self.give_up(node);
        }
        self.tell_purchasing();
    }
}
