//! A group of orders whose turn it is: planned, shipped, rated, and put into batches.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use model::fulfilment::shipping_rule::RuleSet;
use model::fulfilment::wave::{Step, WaveException, WaveInput};
use model::{Error, Id, Result, Shipment};
use store::fulfilment::wave_orders::WaitingOrder;
use store::fulfilment::waves::{self, StoredWave, WaveClaim};
use tracing::warn;

use super::Waves;
use super::change::read_wave;
use crate::fulfilment::order_shipments::ShipTerms;
use crate::platform::resource::found;

/// The pauses before a step that failed is tried again.
const PAUSES: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2)];

/// An order of the group, and what has come of it so far.
#[derive(Clone, Debug)]
pub(super) struct GroupOrder {
    pub waiting: WaitingOrder,
    /// Why it is not processed further.
    pub exception: Option<WaveException>,
}

/// How the orders of a wave are processed.
pub(super) struct WaveTerms {
    pub claim: WaveClaim,
    pub input: WaveInput,
    pub ship: Arc<ShipTerms>,
}

/// What came of a step of an order: what the step returns, or why the order is not processed further.
pub(super) type StepOutcome<T> = std::result::Result<T, WaveException>;

impl GroupOrder {
    /// Returns whether a step is to be done now.
    pub fn needs(&self, step: Step, input: &WaveInput) -> bool {
        self.exception.is_none() && input.has(step) && self.waiting.step.is_none_or(|done| done < step)
    }

    /// Records that a step was done, or why not.
    pub fn record(&mut self, step: Step, outcome: StepOutcome<Option<Vec<Id<Shipment>>>>) {
        match outcome {
            Ok(shipments) => {
                self.waiting.step = Some(step);
                if let Some(shipments) = shipments {
                    self.waiting.shipments = shipments;
                }
            }
            Err(exception) => self.exception = Some(exception),
        }
    }
}

impl Waves {
    /// Does all steps for a group of orders, and records what came of them.
    pub(super) async fn work_on_group(
        &self,
        claim: &WaveClaim,
        stored: &StoredWave,
        group: Vec<WaitingOrder>,
    ) -> Result<()> {
        let input = read_wave(stored)?.details;
        let terms = Arc::new(self.terms(*claim, input).await?);
        let mut group: Vec<GroupOrder> =
            group.into_iter().map(|waiting| GroupOrder { waiting, exception: None }).collect();
        self.plan(&terms, &mut group).await?;
        self.ship(&terms, &mut group).await?;
        self.rate(&terms, &mut group).await?;
        self.finish(&terms, group).await
    }

    async fn terms(&self, claim: WaveClaim, input: WaveInput) -> Result<WaveTerms> {
        let owner = claim.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let rules = found(waves::rules(tx, owner, claim.wave).await?)?;
            let rules: RuleSet = serde_json::from_str(&rules).map_err(Error::fault)?;
            ShipTerms::read(tx, owner, rules).await
        });
        Ok(WaveTerms { claim, input, ship: Arc::new(read.await?) })
    }
}

impl WaveTerms {
    /// Returns the locations to plan and ship from. Empty: all.
    pub fn locations(&self) -> BTreeSet<Id<model::Location>> {
        self.input.location_ids.iter().copied().collect()
    }
}

/// Turns a refusal into the exception that it means.
pub(super) fn outcome<T>(result: Result<T>) -> Result<StepOutcome<T>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(Error::Refused(problem)) => Ok(Err(WaveException::of(&problem))),
        Err(fault) => Err(fault),
    }
}

/// Does a step of an order, and again after a fault, which may have passed. An order that always fails must not keep the others
/// from being processed, so it becomes an exception, and the log has its cause.
pub(super) async fn settle<T, F>(waiting: &WaitingOrder, step: impl Fn() -> F) -> StepOutcome<T>
where
    F: Future<Output = Result<StepOutcome<T>>>,
{
    let mut pauses = PAUSES.iter();
    loop {
        match (step().await, pauses.next()) {
            (Ok(outcome), _) => return outcome,
            (Err(_), Some(pause)) => tokio::time::sleep(*pause).await,
            (Err(error), None) => {
                warn!(%error, order = %waiting.order, "an order of a wave failed");
                let message = "The server failed to process the order; its log says why. Retry the wave.";
                return Err(WaveException::new("server_error", message));
            }
        }
    }
}
