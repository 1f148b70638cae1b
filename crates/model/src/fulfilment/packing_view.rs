//! The packing of an order as the API shows it, in centimetres and kilograms.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fulfilment::order_packing::LocationPacking;
use crate::fulfilment::package_type::PackageType;
use crate::fulfilment::packing::{PackedPackage, PackedUnit, PackingLimit, Placement, UnusedReason};
use crate::fulfilment::packing_shapes::PACKING_INPUT;
use crate::platform::id::{AllocationKind, PackageTypeKind};
use crate::platform::shape::{Input, Shape};
use crate::shipping::shipment::Cost;
use crate::shipping::shipment::package::{Geometry, Package, PackageItem};
use crate::stock::inventory_item::{AllocationReference, Dimensions, ItemReference, LocationReference};
use crate::{Id, InventoryItem};

/// The body of a request that packs an order.
#[derive(Deserialize, Default)]
pub struct PackingInput {
    /// The allocations to pack. `None` for all that are open.
    pub allocation_ids: Option<Vec<Id<AllocationKind>>>,
}

impl Input for PackingInput {
    const SHAPE: &'static Shape = &PACKING_INPUT;
}

/// The packages for what one location sends.
#[derive(Serialize)]
pub struct LocationPackingView {
    location: LocationReference,
    allocations: Vec<AllocationReference>,
    packages: Vec<ProposedPackage>,
    unused_package_types: Vec<UnusedView>,
    items_without_dimensions: Vec<ItemReference>,
    cost: Option<Cost>,
    limits: Vec<PackingLimit>,
    search: SearchView,
}

#[derive(Serialize)]
struct ProposedPackage {
    package: SendablePackage,
    units: Vec<UnitView>,
    fill_ratio: f64,
    reasons: Vec<String>,
}

/// A package as a shipment takes it.
#[derive(Serialize)]
struct SendablePackage {
    name: Option<String>,
    geometry: Geometry,
    items: Vec<PackageItem>,
    package_type_id: Id<PackageTypeKind>,
}

#[derive(Serialize)]
struct UnitView {
    item: ItemReference,
    position: Option<Position>,
    dimensions: Option<Dimensions>,
}

/// Centimetres from the corner of the package.
#[derive(Serialize)]
struct Position {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Serialize)]
struct UnusedView {
    package_type_id: Id<PackageTypeKind>,
    reason: UnusedReason,
    item_id: Option<Id<InventoryItem>>,
    message: String,
}

#[derive(Serialize)]
struct SearchView {
    is_exact: bool,
    steps: u64,
    note: String,
}

impl LocationPackingView {
    pub fn new(packed: &LocationPacking, package_types: &[PackageType]) -> Self {
        let packing = &packed.packing;
        let known: BTreeMap<_, _> = package_types.iter().map(|one| (one.id, one)).collect();
        let cost = packing.cost.zip(packed.currency_code.clone());
        let unused = packing.unused.iter().map(|unused| UnusedView {
            package_type_id: unused.package_type,
            reason: unused.reason,
            item_id: unused.item,
            message: unused.message.clone(),
        });
        Self {
            location: LocationReference { id: packed.location },
            allocations: packed.allocations.iter().map(|id| AllocationReference { id: *id }).collect(),
            packages: packing.packages.iter().map(|package| proposed(package, &known)).collect(),
            unused_package_types: unused.collect(),
            items_without_dimensions: packing
                .unsized_items
                .iter()
                .map(|id| ItemReference { id: *id })
                .collect(),
            cost: cost.map(|(amount, currency_code)| Cost {
                amount: i64::try_from(amount).unwrap_or(i64::MAX),
                currency_code,
            }),
            limits: packing.limits.clone(),
            search: SearchView {
                is_exact: packing.search.complete,
                steps: packing.search.steps,
                note: packing.search.note.clone(),
            },
        }
    }
}

fn proposed(
    package: &PackedPackage<Id<InventoryItem>, Id<PackageTypeKind>>,
    known: &BTreeMap<Id<PackageTypeKind>, &PackageType>,
) -> ProposedPackage {
    let Package { name, geometry, items, .. } = sendable(package, known.get(&package.package_type).copied());
    let none = Geometry { length: None, width: None, height: None, mass: None };
    ProposedPackage {
        package: SendablePackage {
            name,
            geometry: geometry.unwrap_or(none),
            items,
            package_type_id: package.package_type,
        },
        units: package.units.iter().map(unit).collect(),
        fill_ratio: f64::from(package.fill_permille) / 1000.0,
        reasons: package.reasons.clone(),
    }
}

/// Returns a package as a shipment has it.
pub fn sendable(
    package: &PackedPackage<Id<InventoryItem>, Id<PackageTypeKind>>,
    package_type: Option<&PackageType>,
) -> Package {
    let outer = package_type.map(PackageType::outer);
    let mut quantities: BTreeMap<Id<InventoryItem>, i64> = BTreeMap::new();
    for unit in &package.units {
        *quantities.entry(unit.item).or_default() += 1;
    }
    Package {
        name: package_type.map(|one| one.details.name.clone()),
        geometry: Some(Geometry {
            length: outer.map(|outer| outer.length),
            width: outer.map(|outer| outer.width),
            height: outer.map(|outer| outer.height),
            mass: Some(package.mass_g as f64 / 1000.0),
        }),
        predefined_package_code: None,
        tracking_number: None,
        items: quantities.into_iter().map(|(id, quantity)| PackageItem { id, quantity }).collect(),
        package_type_id: Some(package.package_type),
    }
}

fn unit(unit: &PackedUnit<Id<InventoryItem>>) -> UnitView {
    let centimetres = |millimetres: u32| f64::from(millimetres) / 10.0;
    let position = |Placement { position_mm, .. }: Placement| {
        let [x, y, z] = position_mm.map(centimetres);
        Position { x, y, z }
    };
    let dimensions = |Placement { size_mm, .. }: Placement| {
        let [length, width, height] = size_mm.map(centimetres);
        Dimensions { length, width, height }
    };
    UnitView {
        item: ItemReference { id: unit.item },
        position: unit.placement.map(position),
        dimensions: unit.placement.map(dimensions),
    }
}
