//! Packing slips: what the packages of a shipment hold, in words.

use labels::{Brand, Fonts, PackingSlip, PageSize, SlipItem, SlipPackage};
use model::shipping::shipment::package::Package;
use model::{Error, Result};

use super::gather::{Gathered, GatheredShipment};

/// Draws the packing slip of a shipment. Returns `None` if the shipment names nothing that it contains.
pub(super) fn draw_slip(
    gathered: &Gathered,
    shipment: &GatheredShipment,
    brand: &Brand,
    size: PageSize,
    fonts: &Fonts,
) -> Result<Option<Vec<u8>>> {
    if !gathered.has_contents(shipment) {
        return Ok(None);
    }
    let slip = PackingSlip {
        shipment: &shipment.shipment.details,
        number: shipment.id.to_string(),
        order: shipment.order.clone(),
        date: shipment.shipment.created_at.to_string().split('T').next().unwrap_or_default().to_owned(),
        packages: packages(gathered, shipment),
    };
    labels::packing_slip(&slip, brand, size, fonts).map(Some).map_err(Error::fault)
}

/// Returns the items of each package. If no package names any, returns the lines of the customs declaration, which do
/// not say in which package they are.
fn packages(gathered: &Gathered, shipment: &GatheredShipment) -> Vec<SlipPackage> {
    let details = &shipment.shipment.details;
    let items = |package: &Package| {
        let item = |item: &model::shipping::shipment::package::PackageItem| {
            let text = gathered.item(item.id);
            SlipItem { quantity: item.quantity, name: text.name, sku: text.sku }
        };
        SlipPackage { name: package.name.clone(), items: package.items.iter().map(item).collect() }
    };
    if details.packages.iter().any(|package| !package.items.is_empty()) {
        return details.packages.iter().map(items).collect();
    }
    let lines = details.customs.iter().flat_map(|customs| &customs.items);
    let items = lines.map(|line| SlipItem {
        quantity: line.quantity,
        name: line.description.clone(),
        sku: line.sku.clone().unwrap_or_default(),
    });
    vec![SlipPackage { name: None, items: items.collect() }]
}
