//! The step `rate`: where a shipping rule chooses by rates, carriers are asked, outside any transaction, and the service that the
//! rule chooses is stored with the shipment.

use std::sync::Arc;

use model::events::actor::Actor;
use model::fulfilment::shipping_rule::{Choose, Evaluation};
use model::fulfilment::wave::{Step, WaveException, choose_rate};
use model::shipping::rate::Rate;
use model::shipping::shipment::{CarrierChoice, ErrorCode, ShipmentError};
use model::{Code, Error, Id, Result, Shipment};
use store::Tx;
use store::fulfilment::wave_orders::{self, WaitingOrder};
use store::shipping::order_shipments;

use super::Waves;
use super::group::{GroupOrder, StepOutcome, WaveTerms, outcome, settle};
use super::parallel::for_each;
use crate::access::write::Precondition;
use crate::platform::resource::found;
use crate::shipping::rates::{Quoted, keep_rates};

/// How often carriers are asked again because a shipment changed meanwhile.
const ATTEMPTS_MAX: usize = 3;
/// Errors of carriers that an exception repeats.
const ERRORS_SHOWN: usize = 5;

/// A shipment with its rates, and the service that was chosen by them.
type Chosen = (Quoted, CarrierChoice);

impl Waves {
    /// Chooses services for the shipments of the orders that need it.
    pub(super) async fn rate(&self, terms: &Arc<WaveTerms>, group: &mut [GroupOrder]) -> Result<()> {
        let places: Vec<usize> =
            (0..group.len()).filter(|place| group[*place].needs(Step::Rate, &terms.input)).collect();
        let work: Vec<_> = places.iter().map(|place| group[*place].waiting.clone()).collect();
        let (waves, shared) = (self.clone(), Arc::clone(terms));
        let rated = for_each(work, move |waiting| {
            let (waves, terms) = (waves.clone(), Arc::clone(&shared));
            async move { Ok(settle(&waiting, || waves.rate_order(&terms, &waiting)).await) }
        });
        for (place, outcome) in places.into_iter().zip(rated.await?) {
            group[place].record(Step::Rate, outcome.map(|()| None));
        }
        Ok(())
    }

    async fn rate_order(&self, terms: &WaveTerms, waiting: &WaitingOrder) -> Result<StepOutcome<()>> {
        let mut attempt = 1;
        loop {
            let chosen = match rated(self.choose(terms, waiting).await)? {
                Ok(Ok(chosen)) => chosen,
                Ok(Err(exception)) | Err(exception) => return Ok(Err(exception)),
            };
            match self.write_rates(terms, waiting, chosen).await {
                Err(Error::Refused(problem))
                    if problem.code == Code::ShipmentChanged && attempt < ATTEMPTS_MAX =>
                {
                    attempt += 1;
                }
                written => return rated(written),
            }
        }
    }

    /// Asks carriers about each shipment of an order for which a rule chooses by rates.
    async fn choose(&self, terms: &WaveTerms, waiting: &WaitingOrder) -> Result<StepOutcome<Vec<Chosen>>> {
        let mut chosen = Vec::new();
        for (shipment, choose) in self.choices(terms, waiting).await? {
            let quoted = self.rates.quote(terms.claim.owner, shipment, &Precondition::Any).await?;
            let Some(rate) = choose_rate(&choose, &quoted.rates) else {
                return Ok(Err(no_rate(&quoted.errors)));
            };
            let choice = choice(rate);
            chosen.push((quoted, choice));
        }
        Ok(Ok(chosen))
    }

    /// Returns the shipments of an order for which a rule chooses by rates, and how it chooses.
    async fn choices(
        &self,
        terms: &WaveTerms,
        waiting: &WaitingOrder,
    ) -> Result<Vec<(Id<Shipment>, Choose)>> {
        let (owner, mut shipments) = (terms.claim.owner, waiting.shipments.clone());
        shipments.sort_unstable();
        let read = self.context.db().read(owner, async move |tx| {
            let mut choices = Vec::new();
            for shipment in &shipments {
                // Each shipment of a wave has an evaluation, which goes with the shipment.
                let doc = found(order_shipments::evaluation(tx, owner, *shipment).await?)?;
                let evaluation: Evaluation = serde_json::from_str(&doc).map_err(Error::fault)?;
                choices.extend(evaluation.decision.choose.map(|choose| (*shipment, choose)));
            }
            Ok(choices)
        });
        read.await
    }

    /// Stores the rates of an order's shipments and what was chosen, and records the step, in one transaction.
    async fn write_rates(
        &self,
        terms: &WaveTerms,
        waiting: &WaitingOrder,
        chosen: Vec<Chosen>,
    ) -> Result<()> {
        let (claim, owner, waiting) = (terms.claim, terms.claim.owner, waiting.clone());
        let log = self.context.event_log(Actor::Job("waves"), owner, self.context.now());
        let write = async move |tx: &mut Tx<'_>| {
            for (quoted, choice) in &chosen {
                keep_rates(tx, owner, quoted, Some(choice), &log).await?;
            }
            let shipments = &waiting.shipments;
            let is_recorded = wave_orders::advance(tx, &claim, &waiting, Step::Rate, shipments).await?;
            if is_recorded { Ok(()) } else { Err(Error::fault("the claim of the wave is lost")) }
        };
        self.context.db().write(owner, write).await?;
        self.context.notice(owner);
        Ok(())
    }
}

/// Turns a refusal into the exception that it means. A shipment that is gone, bought or voided is no longer what the wave made.
fn rated<T>(result: Result<T>) -> Result<StepOutcome<T>> {
    match result {
        Err(Error::Refused(problem)) if is_of_changed_shipment(problem.code) => {
            let message =
                "A shipment of the order was deleted, bought, voided or changed since the wave made it.";
            Ok(Err(WaveException::new("shipment_changed", message)))
        }
        result => outcome(result),
    }
}

fn is_of_changed_shipment(code: Code) -> bool {
    use Code::{NotFound, ShipmentChanged, ShipmentPurchased, ShipmentPurchasing, ShipmentVoided};
    matches!(code, NotFound | ShipmentChanged | ShipmentPurchased | ShipmentPurchasing | ShipmentVoided)
}

/// Returns the choice of a shipment that is to be bought for a rate.
fn choice(rate: &Rate) -> CarrierChoice {
    let account = rate.carrier_account.as_ref().map(|account| account.id.to_string());
    CarrierChoice {
        carrier_code: rate.carrier.handle.clone(),
        service_code: rate.carrier_service.handle.clone(),
        carrier_accounts: account.into_iter().collect(),
    }
}

/// Returns the exception of an order for which no carrier offers what the rule wants.
fn no_rate(errors: &[ShipmentError]) -> WaveException {
    let messages: Vec<_> = errors.iter().take(ERRORS_SHOWN).map(|error| error.message.as_str()).collect();
    let is_address = errors
        .iter()
        .any(|error| matches!(error.code, ErrorCode::AddressInvalid | ErrorCode::PostCodeInvalid));
    match messages.is_empty() {
        true => WaveException::new("no_rate", "No carrier offers a rate that the shipping rule allows."),
        false if is_address => WaveException::new("address_invalid", messages.join(" ")),
        false => WaveException::new("no_rate", messages.join(" ")),
    }
}
