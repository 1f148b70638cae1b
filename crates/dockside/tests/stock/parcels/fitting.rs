//! Fits steps about parcels to what exists.

use std::collections::BTreeMap;

use super::preparing::prepared;
use super::requests::{GivenPackages, ParcelRequest, ShipRequest};
use super::shipment::{BatchStatus, Shipment, ShipmentStatus};
use super::steps::{ParcelAction, What};
use crate::fitting::{NONE, fitted_order, lines};
use crate::reference_model::ReferenceModel;
use crate::requests::Request;
use crate::steps::Pick;

impl ParcelRequest {
    /// Returns the requests of a step: mostly one, but two if a batch is made and bought.
    pub fn fitted(action: &ParcelAction, reference: &ReferenceModel) -> Vec<Self> {
        let action = &prepared(action, reference);
        let any = |order: &usize| fitted_order(reference, *order, |_| true);
        let fit =
            |number: &usize, is_wanted: fn(&Shipment) -> bool| fitted_shipment(reference, *number, is_wanted);
        let request = match action {
            ParcelAction::Stock(action) => ParcelRequest::Stock(Request::fitted(action, reference)),
            ParcelAction::CreateOrder { status, items, destination } => {
                let items = lines(reference, NONE, items);
                ParcelRequest::CreateOrder { status, items, destination: *destination }
            }
            ParcelAction::Plan { order } => {
                let is_wanted = |order: usize| reference.check_plan(order).is_ok();
                ParcelRequest::Plan { order: fitted_order(reference, *order, is_wanted) }
            }
            ParcelAction::Hold { order } => ParcelRequest::Hold { order: any(order) },
            ParcelAction::EndHold { order } => {
                let is_held =
                    |number: usize| of(reference, number).is_some_and(|order| order.parcels.is_held);
                ParcelRequest::EndHold { order: fitted_order(reference, *order, is_held) }
            }
            ParcelAction::Resolve { order, exception } => fitted_resolution(reference, *order, *exception),
            ParcelAction::Redirect { order, destination } => {
                ParcelRequest::Redirect { order: any(order), destination: *destination }
            }
            ParcelAction::Ship { order, what } => {
                ParcelRequest::Ship(ShipRequest::fitted(reference, *order, what))
            }
            ParcelAction::DeleteShipment { shipment } => {
                ParcelRequest::DeleteShipment { shipment: fit(shipment, |known| known.status.is_open()) }
            }
            ParcelAction::Buy { shipment, is_other_service } => {
                fitted_purchase(reference, *shipment, *is_other_service)
            }
            ParcelAction::BuyBatch { shipments } => {
                return vec![fitted_batch(reference, shipments), ParcelRequest::BuyLastBatch];
            }
            ParcelAction::BuyKnownBatch { batch } => {
                ParcelRequest::BuyBatch { batch: fitted_known_batch(reference, *batch) }
            }
            ParcelAction::Void { shipment } => ParcelRequest::Void { shipment: fit(shipment, is_purchased) },
            ParcelAction::HandOver { shipment } => {
                let is_wanted = |known: &Shipment| is_purchased(known) && !known.is_handed_over;
                ParcelRequest::HandOver { shipment: fit(shipment, is_wanted) }
            }
            &ParcelAction::Count { allocation, on_hand } => {
                let (item, location) = fitted_level(reference, allocation);
                ParcelRequest::Stock(Request::SetLevel { item, location, on_hand })
            }
            &ParcelAction::Manifest { location } => ParcelRequest::Manifest { location },
            &ParcelAction::Work { hours } => ParcelRequest::Work { hours },
            ParcelAction::Packing(action) => return action.fitted(reference),
        };
        vec![request]
    }
}

impl ShipRequest {
    fn fitted(reference: &ReferenceModel, order: usize, what: &What) -> Self {
        let has_free = |order: usize| !reference.free(order).is_empty();
        let order = fitted_order(reference, order, has_free);
        let free = reference.free(order);
        match what {
            What::All => Self { order, allocations: None, packages: None },
            What::Some(picks) => {
                let number = |pick: &Pick| match pick {
                    Pick::OfOrder(place) => place.checked_rem(free.len()).map_or(NONE, |place| free[place]),
                    Pick::Any(place) => place.checked_rem(reference.allocations.len()).unwrap_or(NONE),
                };
                Self { order, allocations: Some(picks.iter().map(number).collect()), packages: None }
            }
            What::Given { at, packages, is_single, is_clamped } => {
                let place =
                    at.checked_rem(free.len()).map(|place| reference.allocations[free[place]].location);
                let there: Vec<_> = free
                    .iter()
                    .copied()
                    .filter(|number| Some(reference.allocations[*number].location) == place)
                    .collect();
                let packages = fitted_packages(reference, &there, packages, *is_clamped);
                let is_all = !is_clamped || there.is_empty() || there.len() == free.len();
                let allocations = (!is_all).then_some(there);
                Self { order, allocations, packages: Some(GivenPackages { packages, is_single: *is_single }) }
            }
        }
    }
}

/// Fills packages with what is free at a place, each item once in a package. If clamped, they hold no more than that.
fn fitted_packages(
    reference: &ReferenceModel,
    there: &[usize],
    packages: &[Vec<(usize, i64)>],
    is_clamped: bool,
) -> Vec<Vec<(usize, i64)>> {
    let mut left: BTreeMap<usize, i64> = BTreeMap::new();
    for held in there.iter().map(|number| &reference.allocations[*number]) {
        *left.entry(held.item).or_default() += held.quantity;
    }
    let items: Vec<usize> = left.keys().copied().collect();
    let mut filled = Vec::new();
    for package in packages {
        let mut inside: BTreeMap<usize, i64> = BTreeMap::new();
        for (place, quantity) in package {
            let item = place.checked_rem(items.len()).map_or(0, |place| items[place]);
            let left = left.entry(item).or_default();
            let quantity = if is_clamped { (*quantity).min(*left) } else { *quantity };
            if quantity > 0 {
                *left -= quantity;
                *inside.entry(item).or_default() += quantity;
            }
        }
        if !inside.is_empty() {
            filled.push(inside.into_iter().collect());
        }
    }
    if filled.is_empty() { vec![vec![(0, 1)]] } else { filled }
}

fn is_purchased(shipment: &Shipment) -> bool {
    shipment.status == ShipmentStatus::Purchased
}

fn fitted_resolution(reference: &ReferenceModel, order: usize, exception: usize) -> ParcelRequest {
    let count = |number: usize| of(reference, number).map_or(0, |order| order.parcels.exceptions.len());
    let order = fitted_order(reference, order, |number| count(number) > 0);
    ParcelRequest::Resolve { order, exception: exception.checked_rem(count(order)).unwrap_or(NONE) }
}

fn fitted_batch(reference: &ReferenceModel, shipments: &[usize]) -> ParcelRequest {
    let is_wanted = |known: &Shipment| known.status.is_open() && known.batch.is_none();
    let members = shipments.iter().map(|shipment| fitted_shipment(reference, *shipment, is_wanted));
    let mut members: Vec<_> = members.collect();
    members.sort_unstable();
    members.dedup();
    ParcelRequest::MakeBatch { shipments: members }
}

/// Returns mostly a batch that can be bought, and sometimes any.
fn fitted_known_batch(reference: &ReferenceModel, number: usize) -> usize {
    let is_open = |batch: &usize| {
        !matches!(reference.batches[*batch].status, BatchStatus::Purchasing | BatchStatus::Purchased)
    };
    let open: Vec<_> = (0..reference.batches.len()).filter(is_open).collect();
    match number.checked_rem(open.len()) {
        Some(place) if !number.is_multiple_of(16) => open[place],
        _ => (number / 8).checked_rem(reference.batches.len()).unwrap_or(NONE),
    }
}

/// Another service is only asked for if the shipment is bought already: what was asked for last stays chosen.
fn fitted_purchase(reference: &ReferenceModel, number: usize, is_other_service: bool) -> ParcelRequest {
    let is_wanted: fn(&Shipment) -> bool = match is_other_service {
        true => |known| known.status.is_bought(),
        false => |known| known.status.is_open(),
    };
    let shipment = fitted_shipment(reference, number, is_wanted);
    let is_open = reference.shipments.get(shipment).is_some_and(|known| known.status.is_open());
    ParcelRequest::Buy { shipment, is_other_service: is_other_service && !is_open }
}

fn of(reference: &ReferenceModel, order: usize) -> Option<&crate::reference_model::Order> {
    reference.orders.get(order).and_then(Option::as_ref)
}

/// Returns the level of units that are in a shipment, or else of any that are allocated.
fn fitted_level(reference: &ReferenceModel, number: usize) -> (usize, usize) {
    let open = || reference.allocations.iter().filter(|held| held.is_there && !held.is_completed);
    let packed: Vec<_> = open().filter(|held| held.shipment.is_some()).collect();
    let chosen = if packed.is_empty() { open().collect() } else { packed };
    let held = number.checked_rem(chosen.len()).map(|place| chosen[place]);
    held.map_or((0, 0), |held| (held.item, held.location))
}

/// Returns mostly an existing shipment that fits, and sometimes any shipment that ever existed.
pub fn fitted_shipment(reference: &ReferenceModel, number: usize, is_wanted: fn(&Shipment) -> bool) -> usize {
    let all = 0..reference.shipments.len();
    let fits =
        |number: &usize| reference.shipments[*number].is_there && is_wanted(&reference.shipments[*number]);
    let wanted: Vec<_> = all.filter(fits).collect();
    match number.checked_rem(wanted.len()) {
        Some(place) if !number.is_multiple_of(16) => wanted[place],
        _ => (number / 8).checked_rem(reference.shipments.len()).unwrap_or(NONE),
    }
}
