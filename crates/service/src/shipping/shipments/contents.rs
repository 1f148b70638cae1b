//! What the packages of a shipment name: inventory items and package types, which must exist.

use std::collections::{BTreeMap, BTreeSet};

use model::platform::problem::Issue;
use model::shipping::shipment::ShipmentInput;
use model::shipping::shipment::package::{Geometry, Package};
use model::stock::inventory_item::Dimensions;
use model::{Code, Error, Id, Owner, Problem, Result, Shipment, ensure};
use serde::Deserialize;
use store::Tx;
use store::shipping::package_contents;
use store::stock::inventory_items;

/// What a package needs of its type, as the type's document has it.
#[derive(Deserialize)]
struct Outside {
    inner_dimensions: Dimensions,
    outer_dimensions: Option<Dimensions>,
}

/// Refuses packages that name items or package types that do not exist, and copies the outer dimensions of its type into
/// each package that has none. What the shipment named before may be gone by now, and stays.
pub async fn fill_packages(
    tx: &mut Tx<'_>,
    owner: Owner,
    input: &mut ShipmentInput,
    before: Option<&ShipmentInput>,
) -> Result<()> {
    ensure_items(tx, owner, input, before).await?;
    let named: BTreeSet<_> = input.packages.iter().filter_map(|package| package.package_type_id).collect();
    if named.is_empty() {
        return Ok(());
    }
    let named: Vec<_> = named.into_iter().collect();
    let mut known = BTreeMap::new();
    for (id, doc) in package_contents::package_types(tx, owner, &named).await? {
        known.insert(id, serde_json::from_str::<Outside>(&doc).map_err(Error::fault)?);
    }
    let earlier = |package: &Package| package.package_type_id;
    let earlier: BTreeSet<_> =
        before.into_iter().flat_map(|before| &before.packages).filter_map(earlier).collect();
    let mut unknown = Vec::new();
    for (place, package) in input.packages.iter_mut().enumerate() {
        let Some(id) = package.package_type_id else { continue };
        match known.get(&id) {
            Some(outside) => copy_sides(package, outside),
            None if earlier.contains(&id) => {}
            None => unknown.push(Issue::new(
                Code::PackageTypeNotFound.as_str(),
                format!("/packages/{place}/package_type_id"),
                "There is no such package type.",
            )),
        }
    }
    refuse(Code::PackageTypeNotFound, unknown)
}

/// Refuses other contents of packages once scans have counted units: they name packages by their numbers.
pub async fn ensure_unscanned(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    before: &ShipmentInput,
    after: &ShipmentInput,
) -> Result<()> {
    let contents =
        |details: &ShipmentInput| details.packages.iter().map(|one| one.items.clone()).collect::<Vec<_>>();
    let is_same = contents(before) == contents(after);
    ensure(is_same || !package_contents::is_scanned(tx, owner, id).await?, Code::ShipmentScanned)
}

async fn ensure_items(
    tx: &mut Tx<'_>,
    owner: Owner,
    input: &ShipmentInput,
    before: Option<&ShipmentInput>,
) -> Result<()> {
    let items = |details: &ShipmentInput| -> BTreeSet<_> {
        details.packages.iter().flat_map(|package| package.items.iter().map(|item| item.id)).collect()
    };
    let earlier = before.map(items).unwrap_or_default();
    let new: Vec<_> = items(input).difference(&earlier).copied().collect();
    if new.is_empty() {
        return Ok(());
    }
    let known: BTreeSet<_> = inventory_items::hold(tx, owner, &new).await?.into_iter().collect();
    let mut unknown = Vec::new();
    for (place, package) in input.packages.iter().enumerate() {
        for (number, item) in package.items.iter().enumerate() {
            if !known.contains(&item.id) && !earlier.contains(&item.id) {
                let field = format!("/packages/{place}/items/{number}/id");
                let code = Code::InventoryItemNotFound.as_str();
                unknown.push(Issue::new(code, field, "There is no such inventory item."));
            }
        }
    }
    refuse(Code::InventoryItemNotFound, unknown)
}

fn copy_sides(package: &mut Package, outside: &Outside) {
    let mass = package.geometry.and_then(|geometry| geometry.mass);
    if package.geometry.is_some_and(|geometry| geometry.length.is_some()) {
        return;
    }
    let Dimensions { length, width, height } = outside.outer_dimensions.unwrap_or(outside.inner_dimensions);
    package.geometry =
        Some(Geometry { length: Some(length), width: Some(width), height: Some(height), mass });
}

fn refuse(code: Code, unknown: Vec<Issue>) -> Result<()> {
    match unknown.is_empty() {
        true => Ok(()),
        false => Err(Problem::fields(code, unknown).into()),
    }
}
