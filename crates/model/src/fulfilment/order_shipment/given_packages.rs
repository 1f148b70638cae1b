//! Packages whose contents a request gives.

use std::collections::BTreeMap;

use super::input::GivenPackage;
use crate::fulfilment::package_type::PackageType;
use crate::platform::id::PackageTypeKind;
use crate::platform::problem::Issue;
use crate::shipping::shipment::package::{Geometry, Package, round_up};
use crate::stock::inventory_item::InventoryItemInput;
use crate::{Allocation, Code, Id, InventoryItem, Problem};

const MASS_DECIMALS: u32 = 3;
const GRAMS_PER_KILOGRAM: f64 = 1000.0;

/// Returns the packages of a shipment, with the sizes and masses that the request leaves out.
///
/// # Errors
///
/// Refuses package types that do not exist, and items without a mass where the mass of a package is to be computed.
pub fn packages_of(
    given: &[GivenPackage],
    items: &BTreeMap<Id<InventoryItem>, InventoryItemInput>,
    package_types: &[PackageType],
) -> Result<Vec<Package>, Problem> {
    let known: BTreeMap<Id<PackageTypeKind>, &PackageType> =
        package_types.iter().map(|one| (one.id, one)).collect();
    let mut packages = Vec::with_capacity(given.len());
    for (place, given) in given.iter().enumerate() {
        let package_type = match given.package_type_id {
            None => None,
            Some(id) => Some(*known.get(&id).ok_or_else(|| {
                let field = format!("/packages/{place}/package_type_id");
                let code = Code::PackageTypeNotFound;
                Problem::field(code, Issue::new(code.as_str(), field, "There is no such package type."))
            })?),
        };
        packages.push(Package {
            name: given.name.clone().or_else(|| package_type.map(|one| one.details.name.clone())),
            geometry: geometry(place, given, package_type, items)?,
            predefined_package_code: given.predefined_package_code.clone(),
            tracking_number: None,
            items: given.items.clone(),
            package_type_id: given.package_type_id,
        });
    }
    Ok(packages)
}

fn geometry(
    place: usize,
    given: &GivenPackage,
    package_type: Option<&PackageType>,
    items: &BTreeMap<Id<InventoryItem>, InventoryItemInput>,
) -> Result<Option<Geometry>, Problem> {
    let mut geometry =
        given.geometry.unwrap_or(Geometry { length: None, width: None, height: None, mass: None });
    if let Some(outer) = package_type.map(PackageType::outer).filter(|_| geometry.length.is_none()) {
        (geometry.length, geometry.width, geometry.height) =
            (Some(outer.length), Some(outer.width), Some(outer.height));
    }
    if geometry.mass.is_none() && given.predefined_package_code.is_none() {
        let tare = package_type.map_or(0, |one| round_up(one.details.tare_mass, MASS_DECIMALS));
        let grams = tare.saturating_add(contents_grams(place, given, items)?);
        geometry.mass = Some(grams as f64 / GRAMS_PER_KILOGRAM);
    }
    let is_known = geometry.length.is_some() || geometry.mass.is_some();
    Ok(Some(geometry).filter(|_| is_known))
}

fn contents_grams(
    place: usize,
    given: &GivenPackage,
    items: &BTreeMap<Id<InventoryItem>, InventoryItemInput>,
) -> Result<i64, Problem> {
    let (mut grams, mut missing) = (0_i64, Vec::new());
    for (number, units) in given.items.iter().enumerate() {
        let item = items.get(&units.id);
        match item.and_then(|item| item.mass) {
            Some(mass) => {
                let line = round_up(mass, MASS_DECIMALS).saturating_mul(units.quantity);
                grams = grams.saturating_add(line);
            }
            None => {
                let sku = item.map_or("", |item| item.sku.as_str());
                let message =
                    format!("The item {sku} ({}) has no mass, and neither has the package.", units.id);
                let field = format!("/packages/{place}/items/{number}/id");
                let issue = Issue::new(Code::ItemMassMissing.as_str(), field, message);
                missing.push(issue.with("item_id", units.id.to_string()));
            }
        }
    }
    if missing.is_empty() { Ok(grams) } else { Err(Problem::fields(Code::ItemMassMissing, missing)) }
}

/// Refuses packages that hold more of an item than the allocations have.
pub fn ensure_allocated(given: &[GivenPackage], allocations: &[Allocation]) -> Result<(), Problem> {
    let mut available: BTreeMap<Id<InventoryItem>, i64> = BTreeMap::new();
    for allocation in allocations {
        *available.entry(allocation.item).or_default() += allocation.quantity;
    }
    let mut requested: BTreeMap<Id<InventoryItem>, (i64, String)> = BTreeMap::new();
    for (place, package) in given.iter().enumerate() {
        for (number, units) in package.items.iter().enumerate() {
            let field = format!("/packages/{place}/items/{number}");
            let entry = requested.entry(units.id).or_insert((0, field));
            entry.0 = entry.0.saturating_add(units.quantity);
        }
    }
    let mut issues = Vec::new();
    for (item, (requested, field)) in requested {
        let available = available.get(&item).copied().unwrap_or(0);
        if requested > available {
            let message =
                format!("The packages hold {requested} of {item}, {available} are allocated there.");
            let issue = Issue::new(Code::PackagesExceedAllocations.as_str(), field, message);
            issues.push(
                issue
                    .with("item", item.to_string())
                    .with("requested", requested)
                    .with("available", available),
            );
        }
    }
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(Code::PackagesExceedAllocations, issues)) }
}
