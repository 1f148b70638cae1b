//! Purchases that are resumed alone, and those that are set aside because servers stopped while they worked on them.
//!
//! A purchase that is set aside waits for a person: in review if it may have been bought, or as failed if nothing was sent. If it
//! is bought, it goes on without the step at which servers stopped.

use std::sync::Arc;

use ::carriers::Outcome;
use model::Result;
use model::shipping::purchase::State;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use store::shipping::purchases::Purchase;

use super::Purchasing;
use super::job::Claimed;
use super::job::Job;
use super::load::Loaded;
use super::next::{Next, given_up, unknown_outcome};
use super::papers::Papers;
use super::stored_receipt::StoredReceipt;
use crate::platform::resource::json;
use crate::platform::set_aside::SET_ASIDE_ALONE;

impl Purchasing {
    /// Goes on with a purchase that is a suspect, by one step.
    pub(crate) async fn resume_purchase(self, node: Arc<str>, purchase: Purchase) {
        // The turn has logged an error already, and has released the purchase.
        let _logged = self.turn(Claimed { node, purchase, slot: None }, None).await;
    }

    /// Sets aside the step of a purchase that is due next.
    pub(crate) async fn set_purchase_aside(&self, node: &Arc<str>, purchase: Purchase) -> Result<()> {
        let done = match self.insist_on_loading(node, &purchase).await? {
            Loaded::Job(job) => self.set_aside_step(job).await,
            Loaded::Gone => self.let_go(purchase).await,
            Loaded::Unreadable(why) => self.park(purchase, why).await,
        };
        self.tell_purchasing();
        done
    }

    async fn set_aside_step(&self, job: Box<Job>) -> Result<()> {
        let (state, unknown_at) = (job.purchase.state, job.purchase.unknown_at);
        if let Some(next) = given_up(state, unknown_at, unknown_outcome(SET_ASIDE_ALONE)) {
            let next = match next {
                Next::Failed(_) => {
                    Next::Failed(set_aside(ErrorType::Purchase, "Purchase the shipment again."))
                }
                next => next,
            };
            return self.conclude(job, "set_aside", next).await;
        }
        let Some(kept) = StoredReceipt::of(&job.purchase)? else { return self.rest(job).await };
        match (state, kept.duplicates.first()) {
            (State::Bought, _) if !job.purchase.is_labelled => {
                let error =
                    set_aside(ErrorType::Label, "Request the labels of the shipment to try it again.");
                self.settle_papers(job, kept, Papers::SetAside(error)).await
            }
            (State::Bought, Some(duplicate)) => {
                let outcome = Outcome::Rejected(set_aside(ErrorType::Void, VOID_IT));
                self.settle_duplicate(&job, &kept, duplicate, &outcome).await
            }
            (State::Voided, Some(_)) => {
                self.leave_duplicate(&job, &kept, set_aside(ErrorType::Void, VOID_IT)).await
            }
            (State::Voiding, _) => {
                let error = set_aside(ErrorType::Void, "Void the shipment again.");
                self.settle_void(&job, &kept, Outcome::Rejected(error)).await
            }
            _ => self.stop_tracking(job).await,
        }
    }

    /// Ends the requests for the position of a parcel. The purchase attempt says why.
    async fn stop_tracking(&self, mut job: Box<Job>) -> Result<()> {
        let error = set_aside(ErrorType::Purchase, "The parcel is tracked only by messages of its carrier.");
        job.purchase.error = Some(json(&error)?);
        self.rest(job).await
    }
}

const VOID_IT: &str = "Void it at the carrier.";

/// Returns the error of a step that is set aside, with what a person can do.
fn set_aside(r#type: ErrorType, advice: &str) -> ShipmentError {
    let message = format!("{SET_ASIDE_ALONE} {advice}");
    ShipmentError::new(r#type, ErrorCode::ProviderUnavailable, Source::Service, message)
}
