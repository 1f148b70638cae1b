//! The step `plan`: what of the orders is not allocated is allocated, where it is best sent from.

use std::sync::Arc;

use model::events::actor::Actor;
use model::fulfilment::wave::{Step, WaveException};
use model::orders::order::ReservedItem;
use model::{Code, Error, Result};
use store::Tx;
use store::fulfilment::wave_orders::{self, WaitingOrder};
use store::orders::orders;

use super::Waves;
use super::group::{GroupOrder, StepOutcome, WaveTerms, outcome, settle};
use super::parallel::for_each;
use crate::orders::group_plans::{GroupPlan, GroupTerms};
use crate::orders::plans::{Demand, OrderPlan, apply, open_demand};

/// How often a group is planned anew for orders whose stock moved meanwhile.
const ATTEMPTS_MAX: usize = 5;

/// What became of a plan.
enum Applied {
    Done,
    /// The order or the stock changed: it must be planned anew.
    Moved,
}

impl Waves {
    /// Plans the orders that need it, in their order, and makes the allocations.
    pub(super) async fn plan(&self, terms: &Arc<WaveTerms>, group: &mut [GroupOrder]) -> Result<()> {
        if !terms.input.has(Step::Plan) {
            return self.refuse_unallocated(terms, group).await;
        }
        for attempt in 1..=ATTEMPTS_MAX {
            let places: Vec<usize> =
                (0..group.len()).filter(|place| group[*place].needs(Step::Plan, &terms.input)).collect();
            if places.is_empty() {
                return Ok(());
            }
            let ids = places.iter().map(|place| group[*place].waiting.order).collect();
            let group_terms =
                GroupTerms { locations: terms.locations(), allow_partial: terms.input.allow_partial };
            let plans = self.plans.plan_group(terms.claim.owner, ids, group_terms).await?;
            let work: Vec<_> = places.iter().map(|place| group[*place].waiting.clone()).zip(plans).collect();
            let (waves, shared) = (self.clone(), Arc::clone(terms));
            let applied = for_each(work, move |(waiting, plan)| {
                let (waves, terms) = (waves.clone(), Arc::clone(&shared));
                async move { Ok(settle(&waiting, || waves.apply_plan(&terms, &waiting, &plan)).await) }
            });
            for (place, applied) in places.into_iter().zip(applied.await?) {
                match applied {
                    Ok(Applied::Done) => group[place].record(Step::Plan, Ok(None)),
                    Ok(Applied::Moved) if attempt == ATTEMPTS_MAX => {
                        group[place].exception = Some(WaveException::of(&Code::StockMoved.into()));
                    }
                    Ok(Applied::Moved) => {}
                    Err(exception) => group[place].exception = Some(exception),
                }
            }
        }
        Ok(())
    }

    /// Makes the allocations of a plan, and records the step, in one transaction.
    async fn apply_plan(
        &self,
        terms: &WaveTerms,
        waiting: &WaitingOrder,
        plan: &GroupPlan,
    ) -> Result<StepOutcome<Applied>> {
        let planned = match plan {
            GroupPlan::Refused(problem) => return Ok(Err(WaveException::of(problem))),
            GroupPlan::Allocated => None,
            GroupPlan::Planned(plan, demand) => Some((plan.clone(), demand.clone())),
        };
        let written = self.write_plan(terms, waiting, planned).await;
        self.context.notice(terms.claim.owner);
        match written {
            Err(Error::Refused(problem)) if problem.code == Code::StockMoved => Ok(Ok(Applied::Moved)),
            written => outcome(written.map(|()| Applied::Done)),
        }
    }

    async fn write_plan(
        &self,
        terms: &WaveTerms,
        waiting: &WaitingOrder,
        planned: Option<(OrderPlan, Demand)>,
    ) -> Result<()> {
        let (claim, owner, waiting) = (terms.claim, terms.claim.owner, waiting.clone());
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let write = async move |tx: &mut Tx<'_>| {
            if let Some((plan, demand)) = &planned {
                apply(tx, owner, waiting.order, plan, demand, &log).await?;
            }
            let is_recorded = wave_orders::advance(tx, &claim, &waiting, Step::Plan, &[]).await?;
            if is_recorded { Ok(()) } else { Err(Error::fault("the claim of the wave is lost")) }
        };
        self.context.db().write(owner, write).await
    }

    /// Without the step `plan`, refuses orders of which a part is not allocated, unless parts are allowed.
    async fn refuse_unallocated(&self, terms: &WaveTerms, group: &mut [GroupOrder]) -> Result<()> {
        if terms.input.allow_partial {
            return Ok(());
        }
        let owner = terms.claim.owner;
        let ids: Vec<_> = group.iter().map(|order| order.waiting.order).collect();
        let read = self.context.db().read(owner, async move |tx| orders::lines_of(tx, owner, &ids).await);
        let lines = read.await?;
        for order in group.iter_mut().filter(|order| order.needs(Step::Ship, &terms.input)) {
            let open = lines.get(&order.waiting.order).map_or(0, |lines: &Vec<ReservedItem>| {
                open_demand(lines).iter().map(|(_, quantity)| *quantity).sum::<i64>()
            });
            if open > 0 {
                let message = format!("{open} pieces of the order are not allocated.");
                order.exception = Some(WaveException::new("not_allocated", message));
            }
        }
        Ok(())
    }
}
