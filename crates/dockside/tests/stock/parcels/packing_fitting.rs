//! Fits waves, scans and short picks to what exists.

use super::fitting::fitted_shipment;
use super::packing_steps::{PackingAction, ScanName, ScanWish, Share};
use super::requests::ParcelRequest;
use super::scan::ScanRequest;
use super::shipment::{Shipment, ShipmentStatus};
use super::short::ShortRequest;
use super::wave::{RowResult, WaveOrders, WaveRequest, WaveStatus, WaveTerms};
use crate::fitting::{NONE, fitted_order};
use crate::reference_model::{ReferenceModel, Status};
use crate::steps::ITEMS;

impl PackingAction {
    /// Returns the requests of a step: several if all of a shipment is scanned, or if a wave is started and worked on.
    pub fn fitted(&self, reference: &ReferenceModel) -> Vec<ParcelRequest> {
        match self {
            PackingAction::Scan(wish) => vec![wish.fitted(reference)],
            PackingAction::ScanAll { shipment, is_buying } => {
                let shipment = fitted_shipment(reference, *shipment, is_unpacked);
                scans_of_all(reference, shipment, *is_buying)
            }
            PackingAction::UndoScan { shipment, scan } => {
                let shipment = fitted_shipment(reference, *shipment, |known| !known.scans.is_empty());
                let name = reference.shipments.get(shipment).map_or(*scan, |known| {
                    let place = scan.checked_rem(known.scans.len());
                    place.map_or(*scan, |place| known.scans[place].request.name)
                });
                vec![ParcelRequest::UndoScan { shipment, name }]
            }
            PackingAction::Short { shipment, item, is_other, share, is_adjusting } => {
                let shipment = fitted_shipment(reference, *shipment, is_missing_units);
                let known = reference.shipments.get(shipment);
                let item = known.filter(|_| !is_other).map_or(*item, |known| fitted_item(known, *item));
                let quantity = share.of(missing(known, item, None));
                let is_adjusting = *is_adjusting;
                vec![ParcelRequest::Short(ShortRequest { shipment, item, quantity, is_adjusting })]
            }
            PackingAction::StartWave { orders, item, terms, is_waiting } => {
                let request = fitted_wave(reference, orders, *item, terms);
                with_work(vec![ParcelRequest::StartWave(request)], *is_waiting)
            }
            PackingAction::WorkWaves => vec![ParcelRequest::WorkWaves],
            PackingAction::CancelWave { wave } => {
                let is_waiting = wave.is_multiple_of(4);
                let wave = fitted_number(reference, *wave, |status| status != WaveStatus::Completed);
                with_work(vec![ParcelRequest::CancelWave { wave }], is_waiting)
            }
            PackingAction::RetryWave { wave, is_waiting } => fitted_retry(reference, *wave, *is_waiting),
        }
    }
}

impl ScanWish {
    fn fitted(&self, reference: &ReferenceModel) -> ParcelRequest {
        let shipment = fitted_shipment(reference, self.shipment, is_unpacked);
        let known = reference.shipments.get(shipment);
        let earlier = |place: &usize| {
            let scans = &known?.scans;
            Some(&scans[place.checked_rem(scans.len())?].request)
        };
        let name = match &self.name {
            ScanName::Again(place) => match earlier(place) {
                Some(request) => return ParcelRequest::Scan(request.clone()),
                None => *place,
            },
            ScanName::Taken(number) => *number,
            ScanName::New => known.map_or(0, |known| known.scans_made),
        };
        let own = known.map_or(0, |known| fitted_item(known, self.item));
        let item = if self.is_other { Some(self.item).filter(|item| *item < ITEMS) } else { Some(own) };
        let package = self.package.map(|place| {
            let count = known.map_or(1, |known| known.packages.len());
            if place.is_multiple_of(8) { count + 1 } else { 1 + place % count }
        });
        let quantity = self.share.of(missing(known, own, package));
        let is_buying = self.is_buying;
        ParcelRequest::Scan(ScanRequest { shipment, name, item, package, quantity, is_buying })
    }
}

impl Share {
    fn of(self, missing: i64) -> i64 {
        match self {
            Share::One => 1,
            Share::All => missing.max(1),
            Share::TooMany => missing + 1,
        }
    }
}

fn is_unpacked(shipment: &Shipment) -> bool {
    shipment.status != ShipmentStatus::Voided && !shipment.is_packed
}

fn is_missing_units(shipment: &Shipment) -> bool {
    let is_settled = matches!(shipment.status, ShipmentStatus::Voided | ShipmentStatus::Purchasing);
    !is_settled && !shipment.is_packed && shipment.order.is_some()
}

/// Returns an item of a shipment.
fn fitted_item(shipment: &Shipment, number: usize) -> usize {
    let items: Vec<usize> = shipment.units().into_keys().collect();
    number.checked_rem(items.len()).map_or(number, |place| items[place])
}

fn missing(shipment: Option<&Shipment>, item: usize, package: Option<usize>) -> i64 {
    let parts = shipment.map(|known| known.missing(item)).unwrap_or_default();
    let parts = parts.iter().filter(|(place, _)| package.is_none_or(|number| number == place + 1));
    parts.map(|(_, quantity)| quantity).sum()
}

/// Returns a scan of each item that is missing in a package.
fn scans_of_all(reference: &ReferenceModel, shipment: usize, is_buying: bool) -> Vec<ParcelRequest> {
    let Some(known) = reference.shipments.get(shipment) else {
        return vec![scan(shipment, 0, 0, None, 1, is_buying)];
    };
    let items = known.units().into_keys();
    let missing = items.flat_map(|item| known.missing(item).into_iter().map(move |part| (item, part)));
    let missing = missing.filter(|(_, (_, quantity))| *quantity > 0);
    let scans = missing.enumerate().map(|(count, (item, (place, quantity)))| {
        scan(shipment, known.scans_made + count, item, Some(place + 1), quantity, is_buying)
    });
    scans.collect()
}

fn scan(
    shipment: usize,
    name: usize,
    item: usize,
    package: Option<usize>,
    quantity: i64,
    is_buying: bool,
) -> ParcelRequest {
    ParcelRequest::Scan(ScanRequest { shipment, name, item: Some(item), package, quantity, is_buying })
}

fn fitted_wave(
    reference: &ReferenceModel,
    orders: &[usize],
    item: Option<usize>,
    terms: &WaveTerms,
) -> WaveRequest {
    let terms = terms.clone();
    // Two waves at once would compete for stock, so while one waits, another only has orders of that one.
    let is_waiting = (0..reference.orders.len()).any(|order| reference.is_waiting(order));
    if let Some(item) = item.filter(|_| !is_waiting) {
        return WaveRequest { orders: WaveOrders::Filtered { item }, terms };
    }
    let is_wanted = |number: usize| {
        let is_open = reference.order(number).is_ok_and(|order| order.status == Status::Committed);
        let is_of_wave = reference.is_waiting(number);
        is_of_wave || (!is_waiting && is_open)
    };
    let mut orders: Vec<_> = orders.iter().map(|order| fitted_order(reference, *order, is_wanted)).collect();
    if is_waiting {
        orders.retain(|order| *order == NONE || reference.is_waiting(*order));
    }
    if orders.is_empty() {
        orders.push(NONE);
    }
    WaveRequest { orders: WaveOrders::Named(orders), terms }
}

/// Retries a wave, after the work on one that waits: the two would compete for stock.
fn fitted_retry(reference: &ReferenceModel, number: usize, is_waiting: bool) -> Vec<ParcelRequest> {
    let is_wanted = |status| matches!(status, WaveStatus::Completed | WaveStatus::Cancelled);
    let wave = fitted_number(reference, number, is_wanted);
    let rows = reference.waves.get(wave).into_iter().flat_map(|wave| &wave.rows);
    let mut exceptions = rows.filter(|row| row.result == RowResult::Exception);
    let is_other_waiting = (0..reference.waves.len())
        .any(|other| other != wave && reference.waves[other].count(RowResult::Pending) > 0);
    let has_own = exceptions.any(|row| !reference.is_waiting(row.order));
    let mut requests = Vec::new();
    if is_other_waiting && has_own {
        requests.push(ParcelRequest::WorkWaves);
    }
    requests.push(ParcelRequest::RetryWave { wave });
    with_work(requests, is_waiting)
}

fn with_work(mut requests: Vec<ParcelRequest>, is_waiting: bool) -> Vec<ParcelRequest> {
    if !is_waiting {
        requests.push(ParcelRequest::WorkWaves);
    }
    requests
}

/// Returns mostly a wave of a wanted status, and sometimes any.
fn fitted_number(reference: &ReferenceModel, number: usize, is_wanted: fn(WaveStatus) -> bool) -> usize {
    let all = 0..reference.waves.len();
    let wanted: Vec<_> = all.filter(|wave| is_wanted(reference.waves[*wave].status)).collect();
    match number.checked_rem(wanted.len()) {
        Some(place) if !number.is_multiple_of(16) => wanted[place],
        _ => (number / 8).checked_rem(reference.waves.len()).unwrap_or(NONE),
    }
}
