//! Replaces steps that could do nothing by steps that prepare them: without a shipment, nothing is bought or voided.

use super::packing_steps::{PackingAction, ScanWish};
use super::shipment::{Destination, LOCATION_BARE, Shipment, ShipmentStatus};
use super::steps::{ParcelAction, What};
use crate::reference_model::{Allocation, ReferenceModel};
use crate::steps::{Action, ITEMS, Pick};

/// What is set on hand for an order that lacks stock.
const ON_HAND: i64 = 6;
/// One in so many steps stays as it is, so that what does not exist is asked for, too.
const UNPREPARED_EVERY: usize = 8;

/// Returns the step itself, or the one that has to come before it.
pub fn prepared(action: &ParcelAction, reference: &ReferenceModel) -> ParcelAction {
    let has = |is_wanted: fn(&Shipment) -> bool| {
        reference.shipments.iter().any(|shipment| shipment.is_there && is_wanted(shipment))
    };
    let number = match action {
        ParcelAction::Plan { order } | ParcelAction::Ship { order, .. } => *order,
        ParcelAction::Buy { shipment, .. }
        | ParcelAction::DeleteShipment { shipment }
        | ParcelAction::Void { shipment }
        | ParcelAction::HandOver { shipment } => *shipment,
        ParcelAction::BuyBatch { shipments } => shipments[0],
        ParcelAction::Packing(
            PackingAction::Scan(ScanWish { shipment, .. })
            | PackingAction::ScanAll { shipment, .. }
            | PackingAction::Short { shipment, .. },
        ) => *shipment,
        ParcelAction::Packing(PackingAction::StartWave { orders, .. }) => orders[0],
        _ => return action.clone(),
    };
    if number.is_multiple_of(UNPREPARED_EVERY) {
        return action.clone();
    }
    let is_free = |held: &Allocation| held.is_there && !held.is_completed && held.shipment.is_none();
    let before = match action {
        ParcelAction::Plan { .. } if supplied(reference).is_some() => return action.clone(),
        ParcelAction::Plan { .. } => return wanted_or_stocked(reference, number),
        ParcelAction::Ship { .. } if reference.allocations.iter().any(is_free) => return action.clone(),
        ParcelAction::Ship { .. } => ParcelAction::Plan { order: number },
        ParcelAction::Packing(PackingAction::StartWave { .. }) => {
            let is_anything_to_do =
                supplied(reference).is_some() || reference.allocations.iter().any(is_free);
            return if is_anything_to_do { action.clone() } else { wanted_or_stocked(reference, number) };
        }
        ParcelAction::Packing(_) if has(|shipment| shipment.status != ShipmentStatus::Voided) => {
            return action.clone();
        }
        ParcelAction::Void { .. } | ParcelAction::HandOver { .. } => match () {
            () if has(|shipment| shipment.status == ShipmentStatus::Purchased) => return action.clone(),
            () if has(|shipment| shipment.status == ShipmentStatus::Purchasing) => {
                return ParcelAction::Work { hours: 0 };
            }
            () => ParcelAction::Buy { shipment: number, is_other_service: false },
        },
        _ if has(|shipment| shipment.status.is_open()) => return action.clone(),
        _ => ParcelAction::Ship { order: number, what: What::All },
    };
    prepared(&before, reference)
}

/// Returns an order that a plan could allocate something of.
fn supplied(reference: &ReferenceModel) -> Option<usize> {
    (0..reference.orders.len()).find(|order| reference.check_plan(*order).is_ok())
}

/// Returns a step that puts an item on hand that an order wants, or one that makes an order.
fn wanted_or_stocked(reference: &ReferenceModel, number: usize) -> ParcelAction {
    let orders =
        reference.orders.iter().enumerate().filter_map(|(number, order)| Some((number, order.as_ref()?)));
    let lines = orders.flat_map(|(number, order)| order.lines.iter().map(move |line| (number, line)));
    let mut wanted = lines.filter(|(order, (item, quantity))| reference.allocated(*order, *item) < *quantity);
    match wanted.next() {
        Some((_, (item, _))) => {
            let location = number % LOCATION_BARE;
            ParcelAction::Stock(Action::SetLevel { item: *item, location, on_hand: ON_HAND })
        }
        None => ParcelAction::CreateOrder {
            status: "committed",
            items: vec![(Pick::Any(number % ITEMS), 1 + (number % 4) as i64)],
            destination: Some(Destination::Usual),
        },
    }
}
