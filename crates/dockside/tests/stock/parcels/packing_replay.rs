//! Compares the answers to scans and short picks, and what shipments show of them.

use serde_json::{Value, json};

use super::replay::ParcelReplay;
use super::requests::scan_name;
use super::scan::{Scan, ScanRequest};
use super::shipment::{Shipment, Units};
use crate::replay::ReplayState;

impl ParcelReplay<'_> {
    /// Compares what a short pick changed, and learns the id of an allocation that it split off.
    pub fn note_short(&mut self, shown: &Value) -> Result<(), String> {
        let ReplayState { reference, names, .. } = &mut self.state;
        let short = &reference.last_short;
        if names.allocations.len() < reference.allocations.len() {
            let split = shown["allocation_ids"].as_array().and_then(|ids| ids.last());
            names.allocations.push(split.and_then(Value::as_str).unwrap_or_default().to_owned());
            self.splits += 1;
        }
        let ids: Vec<_> = short.allocations.iter().map(|number| names.allocation(*number)).collect();
        let expected = json!({
            "written_off_quantity": short.written_off, "allocation_ids": ids,
            "is_shipment_deleted": short.is_shipment_deleted, "is_reported": short.is_reported,
        });
        let simple = json!({
            "written_off_quantity": shown["written_off_quantity"], "allocation_ids": shown["allocation_ids"],
            "is_shipment_deleted": shown["is_shipment_deleted"], "is_reported": shown["exception_id"].is_string(),
        });
        ensure_same("the short pick", &simple, &expected, shown)
    }
}

impl ReplayState<'_> {
    /// Compares a scan as its answer shows it, with how far the shipment is packed.
    pub fn compare_scan(&self, request: &ScanRequest, shown: &Value) -> Result<(), String> {
        let shipment = &self.reference.shipments[request.shipment];
        let scan = shipment.scans.iter().find(|scan| scan.request.name == request.name);
        let mut expected = scan.map(|scan| self.scan_shown(shipment, scan)).ok_or("no such scan")?;
        let (packed, missing) = shipment.progress();
        expected["packed_quantity"] = packed.into();
        expected["missing_quantity"] = missing.into();
        expected["is_complete"] = shipment.is_complete().into();
        expected["is_packed"] = shipment.is_packed.into();
        expected["shipment_status"] = shipment.status.name().into();
        let mut simple = simple_scan(shown);
        for field in ["packed_quantity", "missing_quantity", "is_complete", "shipment_status"] {
            simple[field] = shown[field].clone();
        }
        simple["is_packed"] = (!shown["packed_at"].is_null()).into();
        ensure_same("the scan", &simple, &expected, shown)
    }

    /// Compares all scans of a shipment.
    pub async fn compare_scans(&self, id: &str, shipment: &Shipment) -> Result<(), String> {
        if shipment.scans_made == 0 || !shipment.is_there {
            return Ok(());
        }
        let shown = self.tenant.get(&format!("/shipments/{id}/scans?limit=100")).await;
        let simple: Vec<_> = shown["data"].as_array().into_iter().flatten().rev().map(simple_scan).collect();
        let expected: Vec<_> = shipment.scans.iter().map(|scan| self.scan_shown(shipment, scan)).collect();
        ensure_same(&format!("scans of {id}"), &json!(simple), &json!(expected), &shown)
    }

    fn scan_shown(&self, shipment: &Shipment, scan: &Scan) -> Value {
        let part = |(place, quantity): &(usize, i64)| json!({ "package": place + 1, "quantity": quantity });
        let purchase = scan.purchase.map(|purchase| purchase.shown(shipment));
        json!({
            "scan_id": scan_name(scan.request.name),
            "result": scan.result,
            "item_id": scan.request.item.map(|item| self.names.item(item)),
            "parts": scan.parts.iter().map(part).collect::<Vec<_>>(),
            "purchase": purchase.map(|(status, why)| json!({ "status": status, "code": why })),
        })
    }

    /// Learns how the product has packed a shipment, if that is what is in it.
    pub fn learn_packages(&mut self, number: usize, shown: &Value) -> Result<(), String> {
        let item = |id: &Value| self.names.items.iter().position(|known| *id == json!(known));
        let units = |package: &Value| -> Option<Units> {
            let lines = package["items"].as_array()?.iter();
            lines.map(|line| Some((item(&line["id"])?, line["quantity"].as_i64()?))).collect()
        };
        let packages: Option<Vec<Units>> =
            shown["packages"].as_array().and_then(|packages| packages.iter().map(units).collect());
        let packages = packages.ok_or_else(|| format!("packages hold other items: {shown}"))?;
        let expected = self.reference.shipments[number].units();
        if super::shipment::sum(&packages) != expected {
            return Err(format!(
                "{packages:?} is packed, but the reference model says {expected:?}: {shown}"
            ));
        }
        self.reference.shipments[number].packages = packages;
        Ok(())
    }
}

/// Leaves of a scan what the reference model knows.
fn simple_scan(shown: &Value) -> Value {
    let purchase = &shown["purchase"];
    let step = json!({ "status": purchase["status"], "code": purchase["problem"]["code"] });
    json!({
        "scan_id": shown["scan_id"],
        "result": shown["result"],
        "item_id": shown["item_id"],
        "parts": shown["parts"],
        "purchase": if purchase.is_null() { Value::Null } else { step },
    })
}

pub fn ensure_same(what: &str, simple: &Value, expected: &Value, shown: &Value) -> Result<(), String> {
    if simple == expected {
        return Ok(());
    }
    Err(format!("{what}: {simple}, but the reference model says {expected}: {shown}"))
}
