//! The rules of the reference model for what a wave does with its orders: plan, ship, rate, batch and purchase.
//!
//! The orders of a wave are shipped at once. If units are short, the first to come has them, so the product says which order that
//! was, and the model checks that it could be so.

use std::collections::BTreeMap;

use super::planning::EVERYWHERE;
use super::requests::PlannedRow;
use super::shipment::{Batch, BatchStatus, Rule, ShipmentStatus};
use super::wave::{RowResult, WaveBatch, WaveStatus, WaveStep, WaveTerms};
use crate::reference_model::{Answer, ReferenceModel, Status};

/// The code of an exception.
type Refused = &'static str;

impl ReferenceModel {
    /// Takes the orders out of a wave that was cancelled.
    pub fn end_cancelled(&mut self, wave: usize) {
        let wave = &mut self.waves[wave];
        for row in wave.rows.iter_mut().filter(|row| row.result == RowResult::Pending) {
            row.result = RowResult::Cancelled;
        }
        wave.status = WaveStatus::Cancelled;
    }

    /// The orders that wait in a wave, by their places.
    pub fn pending(&self, wave: usize) -> Vec<usize> {
        let rows = &self.waves[wave].rows;
        (0..rows.len()).filter(|place| rows[*place].result == RowResult::Pending).collect()
    }

    pub fn refuse_row(&mut self, wave: usize, place: usize, code: Refused) {
        let row = &mut self.waves[wave].rows[place];
        (row.result, row.code) = (RowResult::Exception, Some(code));
    }

    /// Does the step `plan` for an order, with the allocations that the product made; or refuses the order.
    pub fn plan_row(&mut self, wave: usize, place: usize, rows: &[PlannedRow]) -> Result<(), String> {
        let (terms, order) = (self.waves[wave].terms.clone(), self.waves[wave].rows[place].order);
        let planned = if terms.has(WaveStep::Plan) {
            self.ensure_planned(order, &terms)
        } else if terms.has(WaveStep::Ship) && !terms.is_partial && !self.wanted(order).is_empty() {
            Err("not_allocated")
        } else {
            Ok(false)
        };
        let is_lacking = match planned {
            Ok(is_lacking) => is_lacking,
            Err(code) => {
                self.refuse_row(wave, place, code);
                false
            }
        };
        if is_lacking {
            self.apply_plan(order, rows, places(&terms))?;
        } else if !rows.is_empty() {
            return Err(format!("order {order} has new allocations {rows:?}, but nothing is to be planned"));
        }
        if terms.has(WaveStep::Plan) && planned.is_ok() {
            self.waves[wave].rows[place].step = Some(WaveStep::Plan);
        }
        Ok(())
    }

    /// Returns whether an order lacks something that stock allows to allocate, or why it can't be planned.
    fn ensure_planned(&self, order: usize, terms: &WaveTerms) -> Result<bool, Refused> {
        let wanting = self.order(order).map_err(exception)?;
        match wanting.status {
            Status::Draft => return Err("order_not_committed"),
            Status::Cancelled => return Err("order_cancelled"),
            Status::Committed | Status::Fulfilled => {}
        }
        Self::refusal(wanting).map_err(exception)?;
        let wanted = self.wanted(order);
        let supply = self.supply(order, places(terms));
        match () {
            () if wanted.is_empty() => Ok(false),
            () if supply.is_empty() || (supply != wanted && !terms.is_partial) => Err("no_stock"),
            () => Ok(true),
        }
    }

    /// Does the step `ship` for an order, or returns why it can't be shipped.
    pub fn ship_row(&mut self, wave: usize, place: usize) -> Result<(), Refused> {
        let (terms, order) = (self.waves[wave].terms.clone(), self.waves[wave].rows[place].order);
        let wanting = self.order(order).map_err(exception)?;
        Self::ensure_shippable(wanting).map_err(exception)?;
        let rule = wanting.parcels.destination.map(|destination| destination.rule());
        let mut chosen = self.free(order);
        chosen.retain(|number| places(&terms).contains(&self.allocations[*number].location));
        if chosen.is_empty() {
            return Err("nothing_to_ship");
        }
        self.ensure_sendable(order, &chosen).map_err(exception)?;
        match rule {
            Some(Rule::ByRates) if terms.has(WaveStep::Batch) && !terms.has(WaveStep::Rate) => {
                return Err("rate_step_missing");
            }
            Some(Rule::Service | Rule::ByRates) => {}
            Some(Rule::None) | None => return Err("no_rule"),
        }
        let short = self.short_levels(&self.whole_shipments(&chosen));
        if terms.is_partial {
            chosen.retain(|number| {
                let held = &self.allocations[*number];
                !short.contains(&(held.item, held.location))
            });
        }
        if chosen.is_empty() || (!short.is_empty() && !terms.is_partial) {
            return Err("no_stock");
        }
        let first = self.shipments.len();
        self.make_shipments(order, &chosen, self.whole_shipments(&chosen), true);
        let row = &mut self.waves[wave].rows[place];
        (row.step, row.shipments) = (Some(WaveStep::Ship), (first..self.shipments.len()).collect());
        Ok(())
    }

    /// Gives the shipments from `first` on other numbers, in this order.
    pub fn renumber_shipments(&mut self, first: usize, order: &[usize]) {
        let old = self.shipments.split_off(first);
        self.shipments.extend(order.iter().map(|place| old[*place].clone()));
        let renumber = |number: &mut usize| {
            if let Some(place) = number.checked_sub(first) {
                *number = first + order.iter().position(|known| *known == place).unwrap_or(place);
            }
        };
        self.allocations.iter_mut().filter_map(|held| held.shipment.as_mut()).for_each(renumber);
        let rows = self.waves.iter_mut().flat_map(|wave| &mut wave.rows);
        rows.flat_map(|row| &mut row.shipments).for_each(renumber);
    }

    /// Does the steps `rate` and `batch` for the orders that wait, which are done then, and ends the wave.
    pub fn end_wave(&mut self, wave: usize) {
        let terms = self.waves[wave].terms.clone();
        let mut groups: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for place in self.pending(wave) {
            let row = &mut self.waves[wave].rows[place];
            row.result = RowResult::Done;
            if terms.has(WaveStep::Rate) {
                row.step = Some(WaveStep::Rate);
            }
            for number in row.shipments.clone() {
                let shipment = &mut self.shipments[number];
                if terms.has(WaveStep::Rate) && shipment.destination.rule() == Rule::ByRates {
                    (shipment.status, shipment.is_service_asked) = (ShipmentStatus::Rated, true);
                }
                groups.entry(terms.is_by_place.then_some(shipment.location)).or_default().push(number);
            }
        }
        if terms.has(WaveStep::Batch) {
            for (place, shipments) in groups {
                let batch = self.open_batch(wave, place);
                shipments.into_iter().for_each(|number| self.shipments[number].batch = Some(batch));
            }
        }
        if terms.has(WaveStep::Purchase) {
            for place in 0..self.waves[wave].batches.len() {
                let known = &mut self.waves[wave].batches[place];
                if !std::mem::replace(&mut known.is_begun, true) {
                    let batch = known.batch;
                    self.begin_batch(batch);
                }
            }
        }
        self.waves[wave].status = WaveStatus::Completed;
    }

    /// Returns the last batch of a group, if it is still open, else a new one.
    fn open_batch(&mut self, wave: usize, place: Option<usize>) -> usize {
        let last = self.waves[wave].batches.iter().rfind(|known| known.place == place);
        let is_open =
            |known: &&WaveBatch| !known.is_begun && self.batches[known.batch].status == BatchStatus::Open;
        if let Some(known) = last.filter(is_open) {
            return known.batch;
        }
        let batch = self.batches.len();
        self.batches.push(Batch { status: BatchStatus::Open, has_service: false, is_begun: false });
        self.waves[wave].batches.push(WaveBatch { batch, place, is_begun: false });
        batch
    }
}

/// The places to plan and ship from.
fn places(terms: &WaveTerms) -> &[usize] {
    if terms.places.is_empty() { &EVERYWHERE } else { &terms.places }
}

/// Returns the exception that a refusal means.
fn exception((_, code): Answer) -> Refused {
    match code {
        "not_found" => "order_not_found",
        "order_on_hold" => "on_hold",
        "destination_missing" => "address_invalid",
        code => code,
    }
}
