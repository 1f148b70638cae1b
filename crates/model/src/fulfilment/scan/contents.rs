//! How far a shipment is packed: the units that scans counted, compared with what its packages are to hold.

use std::collections::BTreeMap;

use serde::Serialize;

use super::result::ScanResult;
use crate::shipping::shipment::package::{Package, PackageItem};
use crate::{Id, InventoryItem};

/// Units that scans counted, by the number of their package and their item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedUnits(BTreeMap<(u32, Id<InventoryItem>), i64>);

/// Units of a scan that are counted in one package.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPart {
    /// The number of the package, from 1 on.
    pub package: u32,
    pub quantity: i64,
}

/// How far a shipment is packed.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct PackingProgress {
    pub is_complete: bool,
    pub packed_quantity: i64,
    pub missing_quantity: i64,
    pub packages: Vec<PackageProgress>,
}

/// How far a package is packed.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct PackageProgress {
    /// Its number, from 1 on.
    pub package: u32,
    pub items: Vec<ItemProgress>,
}

/// How much of an item is in its package.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemProgress {
    pub id: Id<InventoryItem>,
    /// Units that the package is to hold.
    pub quantity: i64,
    pub packed_quantity: i64,
    pub missing_quantity: i64,
}

impl PackedUnits {
    pub fn add(&mut self, package: u32, item: Id<InventoryItem>, quantity: i64) {
        *self.0.entry((package, item)).or_default() += quantity;
    }

    /// Returns the units of an item that are missing in each package that is to hold the item. Empty if no package is.
    pub fn missing(&self, packages: &[Package], item: Id<InventoryItem>) -> Vec<PackedPart> {
        let part = |(package, held): (u32, &Package)| {
            let units = held.items.iter().find(|units| units.id == item)?;
            Some(PackedPart { package, quantity: units.quantity - self.packed(package, units) })
        };
        numbered(packages).filter_map(part).collect()
    }

    /// Returns the packages into which scanned units go: the first that misses all of them, else several.
    ///
    /// # Errors
    ///
    /// Returns why they go into none. Then nothing may be counted.
    pub fn place(
        &self,
        packages: &[Package],
        item: Id<InventoryItem>,
        package: Option<u32>,
        quantity: i64,
    ) -> Result<Vec<PackedPart>, ScanResult> {
        let mut missing = self.missing(packages, item);
        if missing.is_empty() {
            return Err(ScanResult::NotInShipment);
        }
        if let Some(number) = package {
            missing.retain(|part| part.package == number);
            if missing.is_empty() {
                return Err(ScanResult::WrongPackage);
            }
        }
        if missing.iter().map(|part| part.quantity).sum::<i64>() < quantity {
            return Err(ScanResult::AlreadyPacked);
        }
        if let Some(whole) = missing.iter().find(|part| part.quantity >= quantity) {
            return Ok(vec![PackedPart { package: whole.package, quantity }]);
        }
        let (mut left, mut parts) = (quantity, Vec::new());
        for part in missing {
            let taken = part.quantity.min(left);
            if taken > 0 {
                parts.push(PackedPart { package: part.package, quantity: taken });
                left -= taken;
            }
        }
        Ok(parts)
    }

    /// Returns how far the packages are packed. Packages that say nothing of their contents are left out.
    pub fn progress(&self, packages: &[Package]) -> PackingProgress {
        let mut progress = PackingProgress {
            is_complete: false,
            packed_quantity: 0,
            missing_quantity: 0,
            packages: Vec::with_capacity(packages.len()),
        };
        for (package, held) in numbered(packages).filter(|(_, held)| !held.items.is_empty()) {
            let items: Vec<_> = held.items.iter().map(|units| self.item(package, units)).collect();
            progress.packed_quantity += items.iter().map(|item| item.packed_quantity).sum::<i64>();
            progress.missing_quantity += items.iter().map(|item| item.missing_quantity).sum::<i64>();
            progress.packages.push(PackageProgress { package, items });
        }
        progress.is_complete = progress.missing_quantity == 0 && progress.packed_quantity > 0;
        progress
    }

    fn item(&self, package: u32, units: &PackageItem) -> ItemProgress {
        let (quantity, packed_quantity) = (units.quantity, self.packed(package, units));
        ItemProgress { id: units.id, quantity, packed_quantity, missing_quantity: quantity - packed_quantity }
    }

    /// Returns the counted units of an item, and never more than the package is to hold.
    fn packed(&self, package: u32, units: &PackageItem) -> i64 {
        self.0.get(&(package, units.id)).copied().unwrap_or(0).clamp(0, units.quantity)
    }
}

/// Iterates over packages with their numbers, from 1 on.
pub(super) fn numbered(packages: &[Package]) -> impl Iterator<Item = (u32, &Package)> {
    (1..).zip(packages)
}
