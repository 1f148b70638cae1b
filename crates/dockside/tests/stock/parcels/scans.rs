//! The rules of the reference model for scans: which units count as packed, and when a shipment is complete.

use super::scan::{Scan, ScanPurchase, ScanRequest};
use super::shipment::{Shipment, ShipmentStatus};
use crate::reference_model::{Answer, Checked, NOT_FOUND, ReferenceModel, ensure};

impl ScanPurchase {
    /// Returns the status that is shown, and why the purchase failed.
    pub fn shown(self, shipment: &Shipment) -> (&'static str, Option<&'static str>) {
        match self {
            ScanPurchase::Over(status, why) => (status, why),
            ScanPurchase::Begun => match shipment.status {
                ShipmentStatus::Purchasing => ("purchasing", None),
                ShipmentStatus::Purchased | ShipmentStatus::Voided => ("purchased", None),
                _ => ("failed", shipment.error),
            },
        }
    }
}

impl Shipment {
    /// The units of an item that are missing in each package that is to hold it, by the places of the packages.
    pub fn missing(&self, item: usize) -> Vec<(usize, i64)> {
        let holding = self.packages.iter().enumerate();
        let holding = holding.filter_map(|(place, units)| Some((place, *units.get(&item)?)));
        holding.map(|(place, quantity)| (place, quantity - self.counted(place, item))).collect()
    }

    fn counted(&self, place: usize, item: usize) -> i64 {
        let scans = self.scans.iter().filter(|scan| scan.request.item == Some(item));
        let parts = scans.flat_map(|scan| &scan.parts).filter(|part| part.0 == place);
        parts.map(|(_, quantity)| quantity).sum()
    }

    /// The units that are counted as packed, and those that are missing.
    pub fn progress(&self) -> (i64, i64) {
        let units: i64 = self.units().values().sum();
        let packed: i64 = self.scans.iter().flat_map(|scan| &scan.parts).map(|(_, quantity)| quantity).sum();
        (packed, units - packed)
    }

    pub fn is_complete(&self) -> bool {
        let (packed, missing) = self.progress();
        packed > 0 && missing == 0
    }

    /// Returns what a scan means, and where its units count: in the first package that misses all of them, else in several.
    fn judged(&self, request: &ScanRequest) -> (&'static str, Vec<(usize, i64)>) {
        let Some(item) = request.item else { return ("unknown_code", Vec::new()) };
        let mut missing = self.missing(item);
        if missing.is_empty() {
            return ("not_in_shipment", Vec::new());
        }
        missing.retain(|(place, _)| request.package.is_none_or(|number| number == place + 1));
        if missing.is_empty() {
            return ("wrong_package", Vec::new());
        }
        let mut left = request.quantity;
        if missing.iter().map(|(_, quantity)| quantity).sum::<i64>() < left {
            return ("already_packed", Vec::new());
        }
        if let Some((place, _)) = missing.iter().find(|(_, quantity)| *quantity >= left) {
            return ("packed", vec![(*place, left)]);
        }
        let mut parts = Vec::new();
        for (place, quantity) in missing {
            let taken = quantity.min(left);
            left -= taken;
            if taken > 0 {
                parts.push((place, taken));
            }
        }
        ("packed", parts)
    }
}

impl ReferenceModel {
    /// Counts a scan, once, and buys the shipment that it completes if it asks for that.
    pub fn scan(&mut self, request: &ScanRequest) -> Checked {
        let number = self.scannable(request.shipment)?;
        let known = &mut self.shipments[number];
        if let Some(scan) = known.scans.iter().find(|scan| scan.request.name == request.name) {
            return ensure(scan.request == *request, (409, "scan_id_reused"));
        }
        let is_there = request.package.is_none_or(|package| package <= known.packages.len());
        ensure(is_there, (422, "package_not_found"))?;
        let (result, parts) = known.judged(request);
        known.scans.push(Scan { request: request.clone(), result, parts, purchase: None });
        known.scans_made = known.scans_made.max(request.name + 1);
        if result == "packed" && known.is_complete() {
            known.is_packed = true;
            if request.is_buying {
                let purchase = self.buy_scanned(number);
                let scan = self.shipments[number].scans.last_mut();
                scan.into_iter().for_each(|scan| scan.purchase = Some(purchase));
            }
        }
        Ok(())
    }

    /// Undoes a scan. A shipment that is no longer complete is no longer packed.
    pub fn undo_scan(&mut self, shipment: usize, name: usize) -> Checked {
        let number = self.scannable(shipment)?;
        let known = &mut self.shipments[number];
        let place = known.scans.iter().position(|scan| scan.request.name == name).ok_or(NOT_FOUND)?;
        known.scans.remove(place);
        known.is_packed &= known.is_complete();
        Ok(())
    }

    fn scannable(&self, shipment: usize) -> Result<usize, Answer> {
        let number = self.known(shipment)?;
        let is_voided = self.shipments[number].status == ShipmentStatus::Voided;
        if is_voided { Err((409, "shipment_voided")) } else { Ok(number) }
    }

    /// Buys a shipment with the service that it, or its batch, has.
    fn buy_scanned(&mut self, number: usize) -> ScanPurchase {
        let known = &self.shipments[number];
        let of_batch = known.batch.is_some_and(|batch| self.batches[batch].has_service);
        let has_service = of_batch || known.is_service_asked || known.is_service_chosen;
        if !known.status.is_bought() {
            if !has_service {
                return ScanPurchase::Over("failed", Some("service_missing"));
            }
            if let Err((_, code)) = self.buy(number, false) {
                return ScanPurchase::Over("failed", Some(code));
            }
        }
        let known = &self.shipments[number];
        match ScanPurchase::Begun.shown(known) {
            ("purchasing", _) => ScanPurchase::Begun,
            (status, why) => ScanPurchase::Over(status, why),
        }
    }
}
