//! Recording the outcome of a purchase, with its shipment and its event, in one transaction.
//!
//! Every record names the fence under which the purchase is held. If the claim was lost meanwhile, the record changes nothing;
//! but the carrier's answer is kept all the same, because it may be about money.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use model::shipping::purchase::State;
use model::shipping::shipment::ShipmentError;
use model::{Error, Owner, Result};
use store::shipping::purchases::Purchase;
use tracing::warn;

use super::change::Change;
use super::entry::{Entry, Settled};
use super::job::{Job, log_decision};
use super::next::{Next, given_up};
use super::stored_receipt::StoredReceipt;
use crate::platform::crash_point::crash_point;
use crate::platform::resource::json;
use crate::shipping::purchasing::Purchasing;

/// How often a failed write is repeated, and the pause between two attempts.
pub(super) const INSIST: usize = 60;
pub(super) const INSIST_REST: Duration = Duration::from_millis(500);

impl Purchasing {
    /// Commits the receipt before anything else is done with it. Returns false if the purchase is no longer held.
    pub(super) async fn keep_receipt(&self, job: &mut Job, kept: &StoredReceipt) -> Result<bool> {
        mark_bought(&mut job.purchase, json(kept)?);
        let entry = Arc::new(Entry::Receipt(Box::new(job.purchase.clone())));
        let is_held = self.insist_on(job.owner(), "a receipt", entry).await?;
        crash_point!("after_receipt");
        Ok(is_held)
    }

    /// Records that a purchase failed, is tried again, is looked up, or needs review by a person.
    pub(super) async fn settle(&self, job: Box<Job>, next: Next) -> Result<()> {
        let mut purchase = job.purchase;
        let error = change(&mut purchase, next)?;
        match purchase.state {
            State::Failed => self.state.counts.failed.fetch_add(1, Ordering::Relaxed),
            State::Checking | State::Review => self.state.counts.unknown.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        };
        self.record(purchase, error).await
    }

    /// Ends a purchase whose account was deleted. A shipment that is bought stays bought, and shows an error if its label is
    /// missing.
    pub(super) async fn settle_without_account(
        &self,
        mut purchase: Purchase,
        error: ShipmentError,
    ) -> Result<()> {
        purchase.due_at = None;
        match purchase.state {
            State::Bought if !purchase.is_labelled => self.report_without_label(purchase, error).await,
            State::Bought => self.record(purchase, None).await,
            State::Voiding => self.end_void(purchase, error).await,
            _ => {
                let next = given_up(purchase.state, purchase.unknown_at, error);
                let Some(next) = next else { return self.record(purchase, None).await };
                log_decision(&purchase, "account_deleted", &next, self.context.now());
                let error = change(&mut purchase, next)?;
                self.record(purchase, error).await
            }
        }
    }

    /// Shows a shipment as purchased although its label can't be made any more.
    async fn report_without_label(&self, mut purchase: Purchase, error: ShipmentError) -> Result<()> {
        let Some(kept) = StoredReceipt::of(&purchase)? else { return self.record(purchase, None).await };
        purchase.is_labelled = true;
        let change = Change::Bought {
            receipt: kept.receipt,
            files: Vec::new(),
            is_label_pending: false,
            error: Some(error),
        };
        self.record_change("a purchase", Settled::new(purchase, change)).await.map(drop)
    }

    /// Releases a purchase for which there is nothing to do.
    pub(super) async fn rest(&self, job: Box<Job>) -> Result<()> {
        self.record(Purchase { due_at: None, ..job.purchase }, None).await
    }

    /// Records a purchase and what it means for its shipment.
    pub(super) async fn record(&self, purchase: Purchase, error: Option<ShipmentError>) -> Result<()> {
        let change = match (purchase.state, error) {
            (State::Failed, Some(error)) => Change::Failed(error),
            (State::Review, Some(error)) => Change::Review(error),
            _ => Change::Nothing,
        };
        self.record_change("what came of a purchase", Settled::new(purchase, change)).await.map(drop)
    }

    /// Records the state of a purchase, and repeats that while the database fails. Returns false if the purchase is no longer
    /// held. If its outcome is known now, its batch no longer waits for it.
    pub(super) async fn record_change(&self, what: &str, mut settled: Settled) -> Result<bool> {
        if !matches!(settled.change, Change::Nothing | Change::LabelFailed(_)) {
            settled.purchase.batch = None;
        }
        settled.purchase.is_follow_up |= matches!(settled.change, Change::Bought { .. });
        let owner = settled.purchase.owner;
        self.insist_on(owner, what, Arc::new(Entry::Settle(Box::new(settled)))).await
    }

    /// Writes an entry, and repeats that while the database fails.
    async fn insist_on(&self, owner: Owner, what: &str, entry: Arc<Entry>) -> Result<bool> {
        let mut attempt = 1;
        loop {
            match self.write_down(owner, Arc::clone(&entry)).await {
                Ok(is_held) => return Ok(is_held),
                Err(error) => insist(what, &mut attempt, error).await?,
            }
        }
    }
}

pub(super) fn mark_bought(purchase: &mut Purchase, receipt: String) {
    purchase.state = State::Bought;
    purchase.receipt = Some(receipt);
    purchase.failures = 0;
    purchase.unknown_at = None;
    purchase.error = None;
}

/// Pauses before a write about money is repeated. Returns the error if it was repeated often enough.
pub(crate) async fn insist(what: &str, attempt: &mut usize, error: Error) -> Result<()> {
    if *attempt >= INSIST {
        return Err(error);
    }
    *attempt += 1;
    warn!(%error, attempt = *attempt, "{what} not recorded, retrying");
    tokio::time::sleep(INSIST_REST).await;
    Ok(())
}

/// Brings a purchase into the state that follows. Returns the error that its shipment is to show.
pub(super) fn change(purchase: &mut Purchase, next: Next) -> Result<Option<ShipmentError>> {
    let shown = match &next {
        Next::Failed(error) | Next::Review(error) => Some(error.clone()),
        _ => None,
    };
    // Waiting until it is certain that nothing was bought is no failure.
    let is_failure = !matches!(next, Next::Check { error: None, .. });
    let (state, due_at, error) = match next {
        Next::Failed(error) => (State::Failed, None, Some(error)),
        Next::Review(error) => (State::Review, None, Some(error)),
        Next::Again { due_at, unknown_at, error } => {
            purchase.unknown_at = unknown_at;
            (State::Ready, Some(due_at), error)
        }
        Next::Check { due_at, unknown_at, error } => {
            purchase.unknown_at = Some(unknown_at);
            (State::Checking, Some(due_at), error)
        }
        Next::Bought { .. } => return Err(Error::fault("what was bought is kept first")),
    };
    purchase.failures += i64::from(is_failure);
    purchase.state = state;
    purchase.due_at = due_at;
    purchase.error = error.as_ref().map(json).transpose()?;
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use model::shipping::shipment::{ErrorCode, ErrorType, Source};
    use model::{Id, Timestamp, World};

    use super::*;

    fn purchase() -> Purchase {
        let now = Timestamp::from_micros(0);
        Purchase {
            owner: Owner { organisation: Id::from_bits(1), world: World::Test },
            id: Id::from_bits(2),
            shipment: Id::from_bits(3),
            account: Id::from_bits(4),
            service: "standard".to_owned(),
            reference: "shp_3".to_owned(),
            state: State::Checking,
            fence: 2,
            sent_fence: 1,
            sent_at: None,
            due_at: None,
            failures: 3,
            unknown_at: None,
            prepared: None,
            receipt: None,
            is_labelled: false,
            is_follow_up: false,
            earlier: None,
            crashes: 0,
            note: None,
            error: None,
            batch: None,
            label_format: None,
            ship_on: None,
            created_at: now,
            updated_at: now,
        }
    }

    #[test]
    fn to_wait_until_it_is_certain_is_no_failure() {
        let now = Timestamp::from_micros(0);
        let failures = |next: Next| {
            let mut purchase = purchase();
            change(&mut purchase, next).unwrap();
            purchase.failures
        };
        let check = |error| Next::Check { due_at: now, unknown_at: now, error };
        let error = ShipmentError::new(ErrorType::Purchase, ErrorCode::OutcomeUnknown, Source::Provider, "?");
        assert_eq!(failures(check(None)), 3);
        assert_eq!(failures(check(Some(error))), 4);
        assert_eq!(failures(Next::Again { due_at: now, unknown_at: None, error: None }), 4);
    }
}
