//! A turn: the work on a purchase while this node holds it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::carriers::sandbox;
use ::carriers::{Capabilities, Label, Outcome, Parcel, Step, Task};
use model::shipping::purchase::State;
use model::{Result, World};
use sha2::{Digest, Sha256};
use store::shipping::purchases::{self, Earlier, Purchase};
use tracing::{Instrument, error_span, warn};

use super::entry::Entry;
use super::job::{Claimed, Job, log_decision};
use super::load::Loaded;
use super::next::{Facts, Next, outcome_word};
use super::stored_receipt::StoredReceipt;
use crate::platform::crash_point::crash_point;
use crate::platform::set_aside::{ALONE_CALL_TIME, STOPS_FIRST};
use crate::shipping::purchasing::Purchasing;

/// In the test world, developers should not wait a day to see what happens to a purchase whose outcome stays unknown.
const TEST_REVIEW_SECONDS: i64 = 20;

impl Purchasing {
    /// Goes on with a purchase by one step. On return the claim is released. If releasing fails, the node takes another
    /// name, so that other nodes can take over.
    ///
    /// `loaded` is what was read of it when it was claimed; if that failed, it is read here.
    pub(super) async fn turn(self, claimed: Claimed, loaded: Option<Box<Job>>) -> Result<()> {
        let Claimed { node, purchase, .. } = &claimed;
        let (purchase, shipment, organisation) = (purchase.id, purchase.shipment, purchase.owner);
        let span = error_span!("purchase", %purchase, %shipment, %organisation, %node);
        // Boxed: otherwise the future would be in memory twice, inside and outside of its span.
        Box::pin(self.take_turn(claimed, loaded)).instrument(span).await
    }

    async fn take_turn(self, claimed: Claimed, loaded: Option<Box<Job>>) -> Result<()> {
        let Claimed { node, purchase, slot } = claimed;
        let loaded = match loaded {
            Some(job) => Ok(Loaded::Job(job)),
            None => self.insist_on_loading(&node, &purchase).await,
        };
        let done = match loaded {
            Ok(Loaded::Job(mut job)) => {
                job.slot = slot;
                self.step(job).await
            }
            Ok(Loaded::Gone) => self.let_go(purchase.clone()).await,
            Ok(Loaded::Unreadable(why)) => self.park(purchase.clone(), why).await,
            Err(error) => Err(error),
        };
        if let Err(error) = &done {
            warn!(%error, "turn of a purchase failed, retrying");
            self.give_back(&node, &purchase).await;
        }
        self.tell_purchasing();
        done
    }

    async fn step(&self, job: Box<Job>) -> Result<()> {
        match job.purchase.state {
            State::Ready => self.buy(job).await,
            State::Calling => {
                // The node that held it may have sent the request just before its lease expired. The request may then be on its
                // way for as long as a call may take.
                let call = self.settings.call_seconds as i64;
                let next = self.facts(&job).after_crash(self.context.now().plus_seconds(call));
                self.conclude(job, "server_stopped", next).await
            }
            State::Checking => self.look_up(job).await,
            State::Bought => self.follow_up(job).await,
            State::Voiding => self.void(job).await,
            State::Voided => self.void_duplicates(job).await,
            State::Review | State::Failed => self.rest(job).await,
        }
    }

    async fn buy(&self, mut job: Box<Job>) -> Result<()> {
        if let Some(next) = self.facts(&job).before_buying() {
            return self.conclude(job, "not_idempotent", next).await;
        }
        let can = job.connector.capabilities(&job.account);
        // If an ambiguous outcome can be resolved later (by look-up or idempotency), commit `calling` before acquiring a call
        // permit, so that permits cover only in-flight calls. Otherwise acquire the permit first: a crash while the purchase
        // waits for a permit must not make its outcome ambiguous.
        let mut place = None;
        let parcel = job.parcel();
        if !can.is_idempotent && !can.can_look_up {
            place = Some(self.place(&job.purchase).await);
        }
        if let Some((outcome, next)) = self.prepare(&mut job, &parcel).await? {
            return self.conclude(job, outcome, next).await;
        }
        // Access tokens come first: while their endpoint does not answer, nothing can have been bought.
        if let Err(outcome) = self.get_tokens(&mut job, &parcel).await {
            let word = outcome_word(&outcome);
            let next = self.facts(&job).after_buying(outcome);
            return self.conclude(job, word, next).await;
        }
        // From here on it may be bought. If this node was frozen for too long and has lost the claim, the write is rejected here.
        if !self.call(&mut job).await? {
            return Ok(());
        }
        crash_point!("after_call");
        let place = match place {
            Some(place) => place,
            None => self.place(&job.purchase).await,
        };
        let task = buying(&job, &parcel);
        // Checked again once the connection is open: connecting may take a while, and the node may have been frozen meanwhile.
        let is_ours = || self.nodes.is_node(&job.node);
        let limit = self.call_time();
        let outcome =
            self.calls.ask_if(job.owner(), job.connector, &job.account, &task, limit, &is_ours).await;
        crash_point!("after_send");
        drop(place);
        let word = outcome_word(&outcome);
        let is_refused = matches!(outcome, Outcome::Rejected(_));
        let next = self.facts(&job).after_buying(outcome);
        if is_refused && matches!(next, Next::Failed(_)) {
            // The carrier rejected what was prepared: its rates may be too old. The next attempt prepares the shipment anew.
            job.purchase.prepared = None;
        }
        self.conclude(job, word, next).await
    }

    /// Gives the account of a purchase the access tokens that it needs. The error is what became of the attempt to buy.
    async fn get_tokens(&self, job: &mut Job, parcel: &Parcel) -> std::result::Result<(), Outcome> {
        if job.connector.access_tokens().is_none() {
            return Ok(());
        }
        let (owner, task, limit) = (job.owner(), buying(job, parcel), self.call_time());
        let account = self.calls.with_tokens(owner, job.connector, &job.account, &task, limit).await?;
        job.account = Arc::new(account.into_owned());
        Ok(())
    }

    /// Commits that the call to the carrier starts. Returns false if this node no longer holds the purchase and must not call.
    async fn call(&self, job: &mut Job) -> Result<bool> {
        let now = self.context.now();
        let is_held = self.write_down(job.owner(), Entry::Call(Box::new(job.purchase.clone()))).await?;
        job.purchase.state = State::Calling;
        job.purchase.sent_fence = job.purchase.fence;
        job.purchase.sent_at = Some(now);
        Ok(is_held)
    }

    /// Registers the shipment with a carrier that requires it, and stores the carrier's name of it. If that fails, returns what
    /// follows.
    async fn prepare(&self, job: &mut Job, parcel: &Parcel) -> Result<Option<(&'static str, Next)>> {
        let task = Task::Prepare(parcel);
        let Step::Send(request) = job.connector.begin(&job.account, &task) else { return Ok(None) };
        if job.purchase.prepared.is_some() {
            return Ok(None);
        }
        let digest = digest(&request.body);
        if let Some(earlier) = job.purchase.earlier.clone() {
            if earlier.digest == digest {
                self.keep_prepared(job, earlier.prepared, digest).await?;
                return Ok(None);
            }
            let next = self.check_earlier(job, &earlier).await;
            if next.is_some() {
                return Ok(next);
            }
        }
        match self.ask_about(job, &task).await {
            Outcome::Prepared(name) => {
                self.keep_prepared(job, name, digest).await?;
                Ok(None)
            }
            outcome => Ok(Some(("unprepared", self.facts(job).after_preparing(outcome)))),
        }
    }

    async fn keep_prepared(&self, job: &mut Job, name: String, digest: String) -> Result<()> {
        let (purchase, kept) = (job.purchase.clone(), name.clone());
        let keep = self.context.db().write(job.owner(), async move |tx| {
            purchases::keep_prepared(tx, &purchase, &kept, &digest).await
        });
        keep.await?;
        (job.purchase.prepared, job.purchase.earlier) = (Some(name), None);
        Ok(())
    }

    /// Looks up what an earlier attempt prepared with other contents. Returns what follows, or `None` if it was not bought.
    async fn check_earlier(&self, job: &Job, earlier: &Earlier) -> Option<(&'static str, Next)> {
        let task =
            Task::LookUp { reference: &job.purchase.reference, prepared: Some(earlier.prepared.as_str()) };
        let outcome = self.ask_about(job, &task).await;
        let word = outcome_word(&outcome);
        self.facts(job).after_earlier_look_up(outcome).map(|next| (word, next))
    }

    async fn look_up(&self, job: Box<Job>) -> Result<()> {
        let facts = self.facts(&job);
        if !facts.can.can_look_up {
            return self.conclude(job, "no_look_up", facts.unasked()).await;
        }
        let place = self.place(&job.purchase).await;
        let (reference, prepared) = (&job.purchase.reference, job.purchase.prepared.as_deref());
        let task = Task::LookUp { reference, prepared };
        let outcome = self.ask_about(&job, &task).await;
        crash_point!("after_look_up");
        drop(place);
        let word = outcome_word(&outcome);
        let next = self.facts(&job).after_look_up(outcome);
        self.conclude(job, word, next).await
    }

    /// Records the outcome. If it was bought, the receipt is committed first, and the rest after it.
    pub(super) async fn conclude(&self, mut job: Box<Job>, outcome: &str, next: Next) -> Result<()> {
        log_decision(&job.purchase, outcome, &next, self.context.now());
        match next {
            Next::Bought { mut receipt, duplicates } => {
                self.state.counts.bought.fetch_add(1, Ordering::Relaxed);
                let labels = std::mem::take(&mut receipt.labels);
                let is_label_ours = labels.contains(&Label::Ours);
                let kept = StoredReceipt { receipt, duplicates, is_label_ours };
                // The next call to the account need not wait for this label.
                job.slot = None;
                match self.keep_receipt(&mut job, &kept).await? {
                    true => self.label(job, Ok(labels)).await,
                    false => Ok(()),
                }
            }
            next => self.settle(job, next).await,
        }
    }

    /// Asks the carrier of a purchase for something that may be asked again without a charge. A purchase that is resumed alone once
    /// more has less time: other suspects wait for it, and a server that is killed for another reason is less likely to be
    /// killed meanwhile.
    pub(super) async fn ask_about(&self, job: &Job, task: &Task<'_>) -> Outcome {
        let limit = match job.purchase.crashes > STOPS_FIRST {
            true => self.call_time().min(ALONE_CALL_TIME),
            false => self.call_time(),
        };
        self.calls.ask(job.owner(), job.connector, &job.account, task, limit).await
    }

    pub(super) fn facts(&self, job: &Job) -> Facts {
        let facts = self.facts_of(&job.purchase, job.connector.capabilities(&job.account));
        match job.connector.handle() == sandbox::HANDLE && job.owner().world == World::Test {
            // The sandbox carrier completes a request at once, so nothing can still be on its way.
            true => Facts { settle_seconds: 0, ..facts },
            false => facts,
        }
    }

    pub(super) fn facts_of(&self, purchase: &Purchase, can: Capabilities) -> Facts {
        let settings = &self.settings;
        let review_seconds = match purchase.owner.world {
            World::Live => settings.review_seconds,
            World::Test => settings.review_seconds.min(TEST_REVIEW_SECONDS),
        };
        Facts {
            can,
            now: self.context.now(),
            failures: purchase.failures,
            unknown_at: purchase.unknown_at,
            review_seconds,
            settle_seconds: settings.call_seconds as i64,
        }
    }

    pub(crate) fn call_time(&self) -> Duration {
        Duration::from_secs(self.settings.call_seconds)
    }
}

/// Returns the task that buys.
fn buying<'a>(job: &'a Job, parcel: &'a Parcel) -> Task<'a> {
    Task::Buy {
        parcel,
        service: &job.purchase.service,
        reference: &job.purchase.reference,
        prepared: job.purchase.prepared.as_deref(),
        format: job.label_format(),
        ship_on: job.ship_on(),
    }
}

/// Returns a digest of the request that registers a shipment with its carrier.
fn digest(body: &[u8]) -> String {
    Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect()
}
