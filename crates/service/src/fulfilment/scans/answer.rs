//! Scans as they are shown.

use std::collections::BTreeMap;

use model::fulfilment::scan::{PackedPart, PackedUnits, ScanAnswer, ScanView};
use model::{Owner, Result, Scan, Shipment};
use store::Tx;
use store::fulfilment::scans::{self, StoredScan};

use super::stored::read_scan;
use crate::platform::resource::json;

/// Returns a scan with how far its shipment is packed.
pub async fn answer(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: &Shipment,
    packed: &PackedUnits,
    scan: &Scan,
) -> Result<String> {
    let parts = scans::parts_of(tx, owner, shipment.id, &[&scan.scan_id]).await?;
    let parts: Vec<PackedPart> = parts.into_iter().map(|(_, part)| part).collect();
    let mut scan = scan.clone();
    scan.follow(shipment);
    json(&ScanAnswer {
        scan: ScanView { scan: &scan, parts: &parts },
        shipment_status: shipment.status,
        packed_at: shipment.packed_at,
        progress: packed.progress(&shipment.details.packages),
    })
}

/// Returns several scans of a shipment.
pub async fn shown(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: &Shipment,
    stored: &[StoredScan],
) -> Result<Vec<String>> {
    let names: Vec<&str> = stored.iter().map(|scan| scan.scan_id.as_str()).collect();
    let mut parts: BTreeMap<String, Vec<PackedPart>> = BTreeMap::new();
    for (name, part) in scans::parts_of(tx, owner, shipment.id, &names).await? {
        parts.entry(name).or_default().push(part);
    }
    let mut shown = Vec::with_capacity(stored.len());
    for stored in stored {
        let mut scan = read_scan(stored)?;
        scan.follow(shipment);
        let parts = parts.get(&stored.scan_id).map_or(&[][..], Vec::as_slice);
        shown.push(json(&ScanView { scan: &scan, parts })?);
    }
    Ok(shown)
}
