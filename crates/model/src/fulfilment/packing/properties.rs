//! Properties of every packing, tested on random units and package types.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

/// Steps for one packing here: enough for the exact search to end in many cases and to be cut short in many others.
const STEPS_MAX: u64 = 60_000;

type Item = ItemToPack<u8>;
type Type = UsablePackageType<u8>;

#[derive(Clone, Debug)]
pub(super) struct PackingCase {
    pub items: Vec<Item>,
    pub types: Vec<Type>,
}

impl PackingCase {
    pub fn packing(&self, steps_max: u64) -> Result<Packing<u8, u8>, PackingRefusal<u8, u8>> {
        pack(&self.items, &self.types, steps_max)
    }

    fn package_type(&self, package_type: u8) -> &Type {
        self.types.iter().find(|known| known.package_type == package_type).unwrap()
    }

    /// Returns the lines of an item. Lines of the same item are alike, but for their quantities.
    fn item(&self, item: u8) -> &Item {
        self.items.iter().find(|known| known.item == item).unwrap()
    }
}

/// Returns the sizes that a unit may have in a package of the type, found independently of the packer.
pub(super) fn allowed_sizes(item: &Item, package_type: &Type) -> Vec<[u32; 3]> {
    let Some([a, b, c]) = item.size_mm else { return Vec::new() };
    let is_envelope = package_type.form == PackageForm::Envelope;
    let turned = [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [b, c, a], [c, b, a]];
    let is_allowed = |at: usize, [x, y, z]: [u32; 3]| match (item.keep_upright, is_envelope) {
        (true, true) => false,
        (true, false) => at < 2,
        (false, true) => z <= x && z <= y,
        (false, false) => true,
    };
    (0..6).filter(|at| is_allowed(*at, turned[*at])).map(|at| turned[at]).collect()
}

/// Returns whether the package type can hold one unit, found independently of the packer.
pub(super) fn fits_alone(item: &Item, package_type: &Type) -> bool {
    let is_inside = |size: &[u32; 3]| (0..3).all(|axis| size[axis] <= package_type.inner_mm[axis]);
    let has_place = item.size_mm.is_none() || allowed_sizes(item, package_type).iter().any(is_inside);
    let mass_g = item.mass_g.unwrap() + package_type.tare_g;
    has_place && package_type.mass_max_g.is_none_or(|mass_max_g| mass_g <= mass_max_g)
}

/// Returns cases with up to `lines` lines of up to `quantity` units, whose sides are at most `side`.
pub(super) fn case(lines: usize, quantity: u32, side: u32, inner: u32) -> impl Strategy<Value = PackingCase> {
    let size = proptest::option::weighted(0.9, [1..=side, 1..=side, 1..=side]);
    let flags = (proptest::bool::weighted(0.2), proptest::bool::weighted(0.1));
    let item = (1..=quantity, size, 0..900_u64, flags).prop_map(|(quantity, size_mm, mass_g, flags)| {
        let (keep_upright, ships_alone) = flags;
        Item { item: 0, quantity, size_mm, mass_g: Some(mass_g), keep_upright, ships_alone }
    });
    let masses = (0..300_u64, proptest::option::weighted(0.7, 900..4000_u64));
    let cost = proptest::option::weighted(0.9, 0..5_u64);
    let form = prop_oneof![4 => Just(PackageForm::Box), 1 => Just(PackageForm::Envelope)];
    let package_type = ([1..=inner, 1..=inner, 1..=inner], masses, cost, form).prop_map(
        |(inner_mm, (tare_g, mass_max_g), cost, form)| Type {
            package_type: 0,
            inner_mm,
            tare_g,
            mass_max_g,
            cost,
            form,
        },
    );
    let items = proptest::collection::vec(item, 1..=lines);
    let types = proptest::collection::vec(package_type, 1..=4);
    (items, types, any::<bool>()).prop_map(|(mut items, mut types, has_large_type)| {
        for (id, item) in items.iter_mut().enumerate() {
            item.item = id as u8;
        }
        for (id, package_type) in types.iter_mut().enumerate() {
            package_type.package_type = id as u8;
        }
        if has_large_type {
            types[0].inner_mm = types[0].inner_mm.map(|side| side.max(70));
            types[0].mass_max_g = None;
            types[0].form = PackageForm::Box;
        }
        PackingCase { items, types }
    })
}

fn check(case: &PackingCase, steps_max: u64) -> Result<(), TestCaseError> {
    let packing = match case.packing(steps_max) {
        Ok(packing) => packing,
        Err(refusal) => return check_refusal(case, &refusal),
    };
    let mut wanted: BTreeMap<u8, u32> = BTreeMap::new();
    for item in &case.items {
        *wanted.entry(item.item).or_default() += item.quantity;
    }
    let mut packed: BTreeMap<u8, u32> = BTreeMap::new();
    for package in &packing.packages {
        check_package(case, package)?;
        for unit in &package.units {
            *packed.entry(unit.item).or_default() += 1;
        }
    }
    prop_assert_eq!(&packed, &wanted);
    let units = wanted.values().sum::<u32>() as usize;
    prop_assert!(packing.packages.len() <= units, "more packages than units");
    for item in &case.items {
        prop_assert_eq!(packing.unsized_items.contains(&item.item), item.size_mm.is_none());
    }
    check_types(case, &packing)
}

fn check_refusal(case: &PackingCase, refusal: &PackingRefusal<u8, u8>) -> Result<(), TestCaseError> {
    let PackingRefusal::PackageTypeMissing { items } = refusal else {
        return Err(TestCaseError::fail(format!("{refusal:?}")));
    };
    let fits = |item: &Item| case.types.iter().any(|package_type| fits_alone(item, package_type));
    let unpackable: Vec<u8> = case.items.iter().filter(|item| !fits(item)).map(|item| item.item).collect();
    prop_assert_eq!(items.iter().map(|item| item.item).collect::<Vec<u8>>(), unpackable);
    for item in items {
        prop_assert_eq!(item.reasons.len(), case.types.len());
    }
    Ok(())
}

fn check_package(case: &PackingCase, package: &PackedPackage<u8, u8>) -> Result<(), TestCaseError> {
    let package_type = case.package_type(package.package_type);
    let mass_g: u64 = package.units.iter().map(|unit| case.item(unit.item).mass_g.unwrap()).sum();
    prop_assert_eq!(package.mass_g, mass_g + package_type.tare_g);
    prop_assert!(package_type.mass_max_g.is_none_or(|mass_max_g| package.mass_g <= mass_max_g));
    let mut volume = 0;
    for (at, unit) in package.units.iter().enumerate() {
        let item = case.item(unit.item);
        prop_assert!(!item.ships_alone || package.units.len() == 1, "{item:?} is not alone");
        prop_assert_eq!(unit.placement.is_some(), item.size_mm.is_some());
        let Some(Placement { position_mm, size_mm }) = unit.placement else { continue };
        prop_assert!(allowed_sizes(item, package_type).contains(&size_mm), "{item:?} as {size_mm:?}");
        let is_inside = (0..3).all(|axis| position_mm[axis] + size_mm[axis] <= package_type.inner_mm[axis]);
        prop_assert!(is_inside, "{unit:?} in {package_type:?}");
        for other in package.units[..at].iter().filter_map(|other| other.placement) {
            let is_apart = |axis: usize| {
                position_mm[axis] + size_mm[axis] <= other.position_mm[axis]
                    || other.position_mm[axis] + other.size_mm[axis] <= position_mm[axis]
            };
            prop_assert!((0..3).any(is_apart), "{unit:?} overlaps {other:?}");
        }
        prop_assert!(rests(package, position_mm, size_mm), "{unit:?} hangs in the air");
        volume += size_mm.iter().product::<u32>();
    }
    let inner = package_type.inner_mm.iter().product::<u32>();
    prop_assert_eq!(package.fill_permille, volume * 1000 / inner);
    prop_assert!(!package.reasons.is_empty());
    Ok(())
}

/// Returns whether something is directly below a unit.
fn rests(package: &PackedPackage<u8, u8>, position: [u32; 3], size: [u32; 3]) -> bool {
    let meets = |other: Placement, axis: usize| {
        other.position_mm[axis] < position[axis] + size[axis]
            && position[axis] < other.position_mm[axis] + other.size_mm[axis]
    };
    position[2] == 0
        || package.units.iter().filter_map(|unit| unit.placement).any(|other| {
            other.position_mm[2] + other.size_mm[2] == position[2] && meets(other, 0) && meets(other, 1)
        })
}

/// Checks that each type is either used or said not to be, with a reason that is true.
fn check_types(case: &PackingCase, packing: &Packing<u8, u8>) -> Result<(), TestCaseError> {
    let mut types: Vec<u8> = packing.packages.iter().map(|package| package.package_type).collect();
    types.sort_unstable();
    types.dedup();
    types.extend(packing.unused.iter().map(|unused| unused.package_type));
    types.sort_unstable();
    prop_assert_eq!(types, (0..case.types.len() as u8).collect::<Vec<u8>>());
    for unused in &packing.unused {
        let package_type = case.package_type(unused.package_type);
        let is_about_an_item = matches!(
            unused.reason,
            UnusedReason::TooSmall | UnusedReason::TooHeavy | UnusedReason::NotUpright
        );
        prop_assert_eq!(unused.item.is_some(), is_about_an_item);
        if let Some(item) = unused.item {
            prop_assert!(!fits_alone(case.item(item), package_type), "{unused:?}");
        }
    }
    let usable = |package_type: &&Type| case.items.iter().any(|item| fits_alone(item, package_type));
    let has_costs = case.types.iter().filter(usable).all(|package_type| package_type.cost.is_some());
    let sum =
        packing.packages.iter().filter_map(|package| case.package_type(package.package_type).cost).sum();
    prop_assert_eq!(packing.cost, has_costs.then_some(sum));
    prop_assert_eq!(
        packing.search.complete,
        !packing.limits.iter().any(|limit| *limit != PackingLimit::Mass)
    );
    Ok(())
}

/// Returns a case whose lines are split and shuffled, with its original.
fn with_shuffled(
    case: impl Strategy<Value = PackingCase>,
) -> impl Strategy<Value = (PackingCase, PackingCase)> {
    case.prop_flat_map(|case| {
        let single =
            |item: &Item| std::iter::repeat_n(Item { quantity: 1, ..item.clone() }, item.quantity as usize);
        let items: Vec<Item> = case.items.iter().flat_map(single).collect();
        let shuffled = (Just(items).prop_shuffle(), Just(case.types.clone()).prop_shuffle());
        (Just(case), shuffled.prop_map(|(items, types)| PackingCase { items, types }))
    })
}

fn check_many(cases: u32) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let strategy = with_shuffled(case(7, 3, 60, 90));
    let checked = TestRunner::new(config).run(&strategy, |(case, shuffled)| {
        check(&case, STEPS_MAX)?;
        prop_assert_eq!(case.packing(STEPS_MAX), shuffled.packing(STEPS_MAX));
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

#[test]
fn every_packing_keeps_the_rules_in_any_order_of_the_input() {
    check_many(300);
}

#[test]
#[ignore = "100,000 cases take minutes: run it with --release"]
fn every_packing_keeps_the_rules_in_many_cases() {
    check_many(100_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_packing_of_many_units_keeps_the_rules(case in case(12, 60, 40, 150)) {
        check(&case, STEPS_MAX)?;
    }
}
