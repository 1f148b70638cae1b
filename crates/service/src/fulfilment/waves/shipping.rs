//! The step `ship`: what is allocated is packed, and becomes shipments.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::events::actor::Actor;
use model::fulfilment::order_shipment::OrderShipmentsInput;
use model::fulfilment::shipping_rule::Decision;
use model::fulfilment::wave::{Step, WaveException};
use model::platform::id::AllocationKind;
use model::{Code, Error, Id, Problem, Result, Shipment};
use store::Tx;
use store::fulfilment::wave_orders::{self, WaitingOrder};

use super::Waves;
use super::group::{GroupOrder, StepOutcome, WaveTerms, outcome, settle};
use super::parallel::for_each;
use crate::fulfilment::order_shipments::{PreparedShipments, ShipRequest, write};

/// How often shipments are prepared anew because the order changed meanwhile, or some of it is not on hand.
const ATTEMPTS_MAX: usize = 5;

impl Waves {
    /// Makes the shipments of the orders that need them.
    pub(super) async fn ship(&self, terms: &Arc<WaveTerms>, group: &mut [GroupOrder]) -> Result<()> {
        let places: Vec<usize> =
            (0..group.len()).filter(|place| group[*place].needs(Step::Ship, &terms.input)).collect();
        let work: Vec<_> = places.iter().map(|place| group[*place].waiting.clone()).collect();
        let (waves, shared) = (self.clone(), Arc::clone(terms));
        let shipped = for_each(work, move |waiting| {
            let (waves, terms) = (waves.clone(), Arc::clone(&shared));
            async move { Ok(settle(&waiting, || waves.ship_order(&terms, &waiting)).await) }
        });
        for (place, outcome) in places.into_iter().zip(shipped.await?) {
            group[place].record(Step::Ship, outcome.map(Some));
        }
        Ok(())
    }

    async fn ship_order(
        &self,
        terms: &WaveTerms,
        waiting: &WaitingOrder,
    ) -> Result<StepOutcome<Vec<Id<Shipment>>>> {
        let mut chosen: Option<Vec<Id<AllocationKind>>> = None;
        let mut attempt = 1;
        loop {
            let prepared = match outcome(self.prepare(terms, waiting, chosen.clone()).await)? {
                Ok(Ok(prepared)) => Arc::new(prepared),
                Ok(Err(exception)) | Err(exception) => return Ok(Err(exception)),
            };
            let written = self.write_shipments(terms, waiting, Arc::clone(&prepared)).await;
            let Err(Error::Refused(problem)) = &written else { return outcome(written) };
            match problem.code {
                Code::OrderChanged if attempt < ATTEMPTS_MAX => {}
                Code::InsufficientStock if terms.input.allow_partial && attempt < ATTEMPTS_MAX => {
                    let left = on_hand(&prepared, problem);
                    if left.is_empty() {
                        return outcome(written);
                    }
                    chosen = Some(left);
                }
                _ => return outcome(written),
            }
            attempt += 1;
        }
    }

    /// Decides and packs. An order for which no rule sets a service is an exception.
    async fn prepare(
        &self,
        terms: &WaveTerms,
        waiting: &WaitingOrder,
        chosen: Option<Vec<Id<AllocationKind>>>,
    ) -> Result<StepOutcome<PreparedShipments>> {
        let request = ShipRequest {
            input: OrderShipmentsInput { allocation_ids: chosen, ..OrderShipmentsInput::default() },
            locations: terms.locations(),
            terms: Some(Arc::clone(&terms.ship)),
        };
        let prepared =
            self.order_shipments.prepare(terms.claim.owner, waiting.order, &Arc::new(request)).await?;
        let decisions = prepared.locations.iter().map(|location| &location.evaluation.decision);
        let why = decisions.filter_map(|decision| undecided(decision, terms)).next();
        Ok(why.map_or(Ok(prepared), Err))
    }

    /// Writes the shipments of an order, and records the step, in one transaction.
    async fn write_shipments(
        &self,
        terms: &WaveTerms,
        waiting: &WaitingOrder,
        prepared: Arc<PreparedShipments>,
    ) -> Result<Vec<Id<Shipment>>> {
        let (claim, owner, waiting) = (terms.claim, terms.claim.owner, waiting.clone());
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let write = async move |tx: &mut Tx<'_>| {
            let made: Vec<_> =
                write(tx, owner, &prepared, &log).await?.into_iter().map(|(id, _)| id).collect();
            let is_recorded = wave_orders::advance(tx, &claim, &waiting, Step::Ship, &made).await?;
            if is_recorded { Ok(made) } else { Err(Error::fault("the claim of the wave is lost")) }
        };
        let made = self.context.db().write(owner, write).await?;
        self.context.notice(owner);
        Ok(made)
    }
}

/// Returns why the rules don't say how an order is shipped, unless they do.
fn undecided(decision: &Decision, terms: &WaveTerms) -> Option<WaveException> {
    if decision.service.is_some() {
        return None;
    }
    if decision.choose.is_none() {
        let message = "No shipping rule that matches sets a service.";
        return Some(WaveException::new("no_rule", message));
    }
    if terms.input.has(Step::Batch) && !terms.input.has(Step::Rate) {
        let message = "A shipping rule chooses the service by rates. Start the wave with the step `rate`.";
        return Some(WaveException::new("rate_step_missing", message));
    }
    None
}

/// Returns the allocations that are on hand, if others of the order are not, as the refusal says.
fn on_hand(prepared: &PreparedShipments, problem: &Problem) -> Vec<Id<AllocationKind>> {
    let text = |issue: &model::platform::problem::Issue, name: &str| {
        issue.facts.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned()
    };
    let short: BTreeSet<(String, String)> =
        problem.issues.iter().map(|issue| (text(issue, "item"), text(issue, "location"))).collect();
    let chosen = prepared.allocations.iter().filter(|one| prepared.chosen.contains(&one.id));
    chosen
        .filter(|one| !short.contains(&(one.item.to_string(), one.location.to_string())))
        .map(|one| one.id)
        .collect()
}
