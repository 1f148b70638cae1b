//! Packing an order: its open allocations at each location become packages of the types that are usable there.
//!
//! Gathering what it needs and showing the result are separate, so that everything that makes parcels of an order packs
//! in the same way.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::fulfilment::package_type::PackageType;
use crate::fulfilment::packing::{
    ItemToPack, PACKED_UNITS_MAX, PACKING_STEPS_MAX, Packing, PackingRefusal, UnpackableItem,
    UsablePackageType, pack,
};
use crate::platform::id::{AllocationKind, PackageTypeKind};
use crate::platform::problem::Issue;
use crate::shipping::shipment::package::round_up;
use crate::stock::inventory_item::Dimensions;
use crate::{Allocation, Code, Id, InventoryItem, Location, Problem};

/// The number of locations that are each packed with all steps of the packer. If an order has more, they share the same
/// sum of steps.
const LOCATIONS_IN_FULL: u64 = 10;
/// Package types whose reasons a refusal lists for an item.
const REASONS_MAX: usize = 5;

/// What is known of an order when it is packed.
pub struct OrderToPack {
    /// The allocations to pack, which are open.
    pub allocations: Vec<Allocation>,
    pub items: BTreeMap<Id<InventoryItem>, PackableItem>,
    /// All package types of the organisation.
    pub package_types: Vec<PackageType>,
    /// The package type that shipping rules name for a location: no other is used there.
    pub only: BTreeMap<Id<Location>, Id<PackageTypeKind>>,
}

/// What packing needs to know of an item, as its document has it.
#[derive(Deserialize, Clone, Debug)]
pub struct PackableItem {
    pub sku: String,
    /// Kilograms.
    pub mass: Option<f64>,
    pub dimensions: Option<Dimensions>,
    #[serde(default)]
    pub ships_alone: bool,
    #[serde(default)]
    pub keep_upright: bool,
}

/// The packages for what one location sends.
pub struct LocationPacking {
    pub location: Id<Location>,
    pub allocations: Vec<Id<AllocationKind>>,
    pub packing: Packing<Id<InventoryItem>, Id<PackageTypeKind>>,
    /// The currency of the packing's cost.
    pub currency_code: Option<String>,
}

/// Proposes packages for each location that sends something of the order, in the order of their ids.
///
/// # Errors
///
/// Refuses items without a mass, items that no usable package type can hold, and too many units.
pub fn pack_order(order: &OrderToPack) -> Result<Vec<LocationPacking>, Problem> {
    let units: u64 = order.allocations.iter().map(|allocation| allocation.quantity.unsigned_abs()).sum();
    if units > PACKED_UNITS_MAX {
        return Err(too_many(units));
    }
    let mut places: BTreeMap<Id<Location>, Vec<&Allocation>> = BTreeMap::new();
    for allocation in &order.allocations {
        places.entry(allocation.location).or_default().push(allocation);
    }
    let steps_max = PACKING_STEPS_MAX * LOCATIONS_IN_FULL / LOCATIONS_IN_FULL.max(places.len() as u64);
    let (mut packed, mut refused): (Vec<_>, Vec<Problem>) = (Vec::new(), Vec::new());
    for (location, allocations) in places {
        match order.pack_location(location, &allocations, steps_max) {
            Ok(packing) => packed.push(packing),
            Err(problem) => refused.push(problem),
        }
    }
    match refused.first() {
        None => Ok(packed),
        Some(Problem { code, .. }) => {
            let code = *code;
            let same = refused.into_iter().filter(|problem| problem.code == code);
            Err(Problem::fields(code, same.flat_map(|problem| problem.issues).collect::<Vec<_>>()))
        }
    }
}

impl OrderToPack {
    fn pack_location(
        &self,
        location: Id<Location>,
        allocations: &[&Allocation],
        steps_max: u64,
    ) -> Result<LocationPacking, Problem> {
        let items: Vec<_> = allocations.iter().filter_map(|allocation| self.to_pack(allocation)).collect();
        let (package_types, currency_code) = self.usable_at(location);
        let packing = pack(&items, &package_types, steps_max).map_err(|why| self.refuse(location, why))?;
        let currency_code = currency_code.filter(|_| packing.cost.is_some());
        let allocations = allocations.iter().map(|allocation| allocation.id).collect();
        Ok(LocationPacking { location, allocations, packing, currency_code })
    }

    fn to_pack(&self, allocation: &Allocation) -> Option<ItemToPack<Id<InventoryItem>>> {
        let item = self.items.get(&allocation.item)?;
        let millimetres = |side: f64| u32::try_from(round_up(side, 1)).unwrap_or(u32::MAX);
        let size = |sides: Dimensions| [sides.length, sides.width, sides.height].map(millimetres);
        Some(ItemToPack {
            item: allocation.item,
            quantity: u32::try_from(allocation.quantity).unwrap_or(u32::MAX),
            size_mm: item.dimensions.map(size),
            mass_g: item.mass.map(|mass| round_up(mass, 3).unsigned_abs()),
            keep_upright: item.keep_upright,
            ships_alone: item.ships_alone,
        })
    }

    /// Returns the package types that are usable at a location, and the currency of their costs. Costs in several
    /// currencies can't be compared, so none of them counts.
    fn usable_at(
        &self,
        location: Id<Location>,
    ) -> (Vec<UsablePackageType<Id<PackageTypeKind>>>, Option<String>) {
        let only = self.only.get(&location);
        let is_there = |one: &&PackageType| one.is_usable_at(location) && only.is_none_or(|id| *id == one.id);
        let there: Vec<_> = self.package_types.iter().filter(is_there).collect();
        let mut currencies: Vec<_> =
            there.iter().filter_map(|one| Some(one.details.cost.as_ref()?.currency_code.as_str())).collect();
        currencies.sort_unstable();
        currencies.dedup();
        let mut usable: Vec<_> = there.iter().map(|one| one.usable()).collect();
        match currencies.as_slice() {
            [only] => (usable, Some((*only).to_owned())),
            _ => {
                usable.iter_mut().for_each(|one| one.cost = None);
                (usable, None)
            }
        }
    }

    fn refuse(
        &self,
        location: Id<Location>,
        why: PackingRefusal<Id<InventoryItem>, Id<PackageTypeKind>>,
    ) -> Problem {
        match why {
            PackingRefusal::TooManyUnits { units } => too_many(units),
            PackingRefusal::MassMissing { items } => {
                let issue = |item: &Id<InventoryItem>| {
                    let message = format!("The item {} ({item}) has no mass.", self.sku(*item));
                    self.issue(Code::ItemMassMissing, *item, location, message)
                };
                Problem::fields(Code::ItemMassMissing, items.iter().map(issue).collect::<Vec<_>>())
            }
            PackingRefusal::PackageTypeMissing { items } => {
                let issue = |unpackable: &UnpackableItem<_, _>| {
                    let message = self.unpackable(location, unpackable);
                    self.issue(Code::PackageTypeMissing, unpackable.item, location, message)
                };
                Problem::fields(Code::PackageTypeMissing, items.iter().map(issue).collect::<Vec<_>>())
            }
        }
    }

    /// Returns the error of an item of the order, which the path names.
    fn issue(&self, code: Code, item: Id<InventoryItem>, location: Id<Location>, message: String) -> Issue {
        Issue::new(code.as_str(), "order_id", message)
            .with("item_id", item.to_string())
            .with("location_id", location.to_string())
    }

    fn unpackable(
        &self,
        location: Id<Location>,
        unpackable: &UnpackableItem<Id<InventoryItem>, Id<PackageTypeKind>>,
    ) -> String {
        let item = unpackable.item;
        let begin = format!("No package type at {location} holds the item {} ({item}).", self.sku(item));
        if unpackable.reasons.is_empty() {
            return format!("{begin} No package type is active and available there.");
        }
        let reasons = unpackable.reasons.iter().take(REASONS_MAX).map(|unused| {
            let known = self.package_types.iter().find(|one| one.id == unused.package_type);
            format!(" {}: {}", known.map_or("", |one| one.details.name.as_str()), unused.message)
        });
        let more = unpackable.reasons.len().saturating_sub(REASONS_MAX);
        let rest = if more > 0 { format!(" {more} more can't hold it either.") } else { String::new() };
        format!("{begin}{}{rest}", reasons.collect::<String>())
    }

    fn sku(&self, item: Id<InventoryItem>) -> &str {
        self.items.get(&item).map_or("", |known| known.sku.as_str())
    }
}

fn too_many(units: u64) -> Problem {
    let message = format!("{units} units are to be packed, and at most {PACKED_UNITS_MAX} can be.");
    let issue = Issue::new(Code::TooManyUnits.as_str(), "order_id", message);
    Problem::field(Code::TooManyUnits, issue.with("requested", units).with("available", PACKED_UNITS_MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Timestamp;
    use crate::platform::shape::parse;

    fn package_type(bits: u128, change: Value) -> PackageType {
        let mut body = json!({"name": format!("Box {bits}"), "handle": format!("box-{bits}"), "tare_mass": 0.1,
            "inner_dimensions": {"length": 30, "width": 20, "height": 10}});
        crate::platform::json::merge(&mut body, change);
        let now = Timestamp::from_micros(1);
        PackageType {
            id: Id::from_bits(bits),
            details: parse(body).unwrap(),
            created_at: now,
            updated_at: now,
        }
    }

    fn allocation(location: u128, item: u128, quantity: i64) -> Allocation {
        let id = Id::from_bits(location * 100 + item);
        Allocation::open(id, Id::from_bits(1), Id::from_bits(item), Id::from_bits(location), quantity)
    }

    fn order(allocations: Vec<Allocation>, package_types: Vec<PackageType>) -> OrderToPack {
        let item = |sku: &str, mass: Option<f64>| {
            let dimensions = Some(Dimensions { length: 10.0, width: 10.0, height: 10.0 });
            PackableItem { sku: sku.to_owned(), mass, dimensions, ships_alone: false, keep_upright: false }
        };
        let items = BTreeMap::from([
            (Id::from_bits(1), item("CUBE", Some(0.5))),
            (Id::from_bits(2), item("LIGHT", None)),
        ]);
        OrderToPack { allocations, items, package_types, only: BTreeMap::new() }
    }

    fn refusal(order: &OrderToPack) -> (Code, Vec<Issue>) {
        let problem = pack_order(order).err().expect("a refusal");
        (problem.code, problem.issues)
    }

    #[test]
    fn each_location_is_packed_with_its_own_package_types() {
        let local = json!({"location_ids": [Id::<Location>::from_bits(2)], "cost": {"amount": 5, "currency_code": "GBP"}});
        let types = vec![package_type(1, json!({})), package_type(2, local)];
        let packed = pack_order(&order(vec![allocation(2, 1, 3), allocation(1, 1, 8)], types)).unwrap();
        let packages = |place: usize| packed[place].packing.packages.len();
        assert_eq!((packed.len(), packages(0), packages(1)), (2, 2, 1));
        assert_eq!(packed[0].packing.packages[0].package_type, Id::from_bits(1));
        assert_eq!(packed[0].packing.unused.len(), 0, "the other is not at this location");
        assert_eq!(packed[1].currency_code, None, "one of the package types has no cost");
    }

    #[test]
    fn costs_in_one_currency_are_compared_and_others_are_not() {
        let priced =
            |amount: i64, currency: &str| json!({"cost": {"amount": amount, "currency_code": currency}});
        let with = |second: &str| {
            let types = vec![package_type(1, priced(50, "GBP")), package_type(2, priced(20, second))];
            pack_order(&order(vec![allocation(1, 1, 1)], types)).unwrap().remove(0)
        };
        let same = with("GBP");
        assert_eq!((same.packing.cost, same.currency_code.as_deref()), (Some(20), Some("GBP")));
        assert_eq!(same.packing.packages[0].package_type, Id::from_bits(2));
        let mixed = with("EUR");
        assert_eq!((mixed.packing.cost, mixed.currency_code), (None, None));
        assert_eq!(mixed.packing.packages[0].package_type, Id::from_bits(1));
    }

    #[test]
    fn refusals_name_item_and_location() {
        let box_ = || vec![package_type(1, json!({}))];
        let (code, issues) = refusal(&order(vec![allocation(1, 2, 1), allocation(2, 2, 1)], box_()));
        assert_eq!((code, issues.len()), (Code::ItemMassMissing, 2));
        assert_eq!(issues[0].facts["location_id"], Id::<Location>::from_bits(1).to_string());
        let small = json!({"inner_dimensions": {"height": 5}});
        let (code, issues) = refusal(&order(vec![allocation(1, 1, 1)], vec![package_type(1, small)]));
        assert_eq!(code, Code::PackageTypeMissing);
        assert!(issues[0].message.contains("Box 1: The item does not fit"), "{}", issues[0].message);
        let (code, issues) = refusal(&order(vec![allocation(1, 1, 1)], Vec::new()));
        assert_eq!(code, Code::PackageTypeMissing);
        assert!(issues[0].message.ends_with("No package type is active and available there."));
        let (code, _) = refusal(&order(vec![allocation(1, 1, 9_999), allocation(2, 1, 2)], box_()));
        assert_eq!(code, Code::TooManyUnits);
    }
}
