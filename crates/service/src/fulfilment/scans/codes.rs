//! What a scanned code is: an item's barcode or SKU, or a bin.

use std::collections::BTreeSet;

use model::fulfilment::scan::{PackedUnits, ScanResult};
use model::stock::barcode::{comparable, spellings};
use model::{Id, InventoryItem, Owner, Result, Shipment};
use store::Tx;
use store::shipping::shipments;
use store::stock::{bins, inventory_barcodes, inventory_items};

/// What a code is.
pub enum ScannedCode {
    Item(Id<InventoryItem>),
    Other(ScanResult),
}

/// Looks a code up in the organisation: first among barcodes, then among SKUs, then among the bins of the location that the
/// shipment leaves from.
pub async fn look_up(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: &Shipment,
    packed: &PackedUnits,
    code: &str,
) -> Result<ScannedCode> {
    if let Some(item) = inventory_barcodes::user(tx, owner, &comparable(code)).await? {
        return Ok(ScannedCode::Item(item));
    }
    if let Some(item) = inventory_items::sku_user(tx, owner, code).await? {
        return Ok(ScannedCode::Item(item));
    }
    let mut items = BTreeSet::new();
    for spelling in spellings(code).iter().filter(|spelling| *spelling != code) {
        items.extend(inventory_items::sku_user(tx, owner, spelling).await?);
    }
    match items.pop_first() {
        Some(_) if !items.is_empty() => Ok(ScannedCode::Other(ScanResult::AmbiguousCode)),
        Some(only) => Ok(ScannedCode::Item(only)),
        None => look_up_bin(tx, owner, shipment, packed, code).await.map(ScannedCode::Other),
    }
}

async fn look_up_bin(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: &Shipment,
    packed: &PackedUnits,
    code: &str,
) -> Result<ScanResult> {
    let Some(location) = shipments::origin(tx, owner, shipment.id).await? else {
        return Ok(ScanResult::UnknownCode);
    };
    if !bins::exists(tx, owner, location, code).await? {
        return Ok(ScanResult::UnknownCode);
    }
    let progress = packed.progress(&shipment.details.packages);
    let items = progress.packages.iter().flat_map(|package| &package.items);
    let missing: Vec<_> = items.filter(|item| item.missing_quantity > 0).map(|item| item.id).collect();
    match bins::holds(tx, owner, location, code, &missing).await? {
        true => Ok(ScanResult::BinConfirmed),
        false => Ok(ScanResult::WrongBin),
    }
}
