//! Counts what became of orders and shipments, so that a run shows what it met.

use super::shipment::ShipmentStatus;
use crate::reference_model::ReferenceModel;
use crate::replay::Tally;

/// Counts what became of orders and shipments.
pub fn count_states(reference: &ReferenceModel, tally: &mut Tally) {
    let mut count = |what: String| *tally.entry(what).or_default() += 1;
    for shipment in &reference.shipments {
        match (shipment.is_there, shipment.status, shipment.error) {
            (false, ..) => count("shipment deleted".to_owned()),
            (_, ShipmentStatus::PurchaseFailed, Some(why)) => count(format!("shipment failed {why}")),
            (_, status, _) => count(format!("shipment {}", status.name())),
        }
        if shipment.is_delivered {
            count("shipment delivered".to_owned());
        }
        if shipment.is_there && shipment.order.is_none() {
            count("shipment unlinked".to_owned());
        }
        if shipment.is_returned {
            count("shipment returned to draft".to_owned());
        }
        if shipment.is_packed {
            count("shipment packed".to_owned());
        }
        for scan in &shipment.scans {
            count(format!("scan {}", scan.result));
            if let Some((status, why)) = scan.purchase.map(|purchase| purchase.shown(shipment)) {
                count(format!("scan purchase {status} {}", why.unwrap_or_default()));
            }
        }
    }
    for exception in reference.orders.iter().flatten().flat_map(|order| &order.parcels.exceptions) {
        count(format!("exception {}", exception.code));
    }
    for wave in &reference.waves {
        count(format!("wave {}", wave.status.name()));
        for row in &wave.rows {
            count(format!("wave order {} {}", row.result.name(), row.code.unwrap_or_default()));
        }
    }
}
