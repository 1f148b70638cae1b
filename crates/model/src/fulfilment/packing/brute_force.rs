//! Compares packings of a few small units with the optimum that brute force finds. Brute force shares no code with the
//! packer: it tries every position on a grid of millimetres, for every division of the units.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::arrange::arrange;
use super::build::{PackedRoom, Solution};
use super::fill::RoomLoad;
use super::properties::{PackingCase, allowed_sizes, case, fits_alone};
use super::units_and_rooms::{Room, UnitKind};
use super::*;
use crate::platform::step_budget::StepBudget;

/// Maximum inner side: a package of this side has a bit for each cubic millimetre.
const INNER_MAX: u32 = 5;
const UNITS_MAX: usize = 5;

type Unit<'a> = &'a ItemToPack<u8>;

/// Returns the bits of a cuboid in a package.
fn bits(inner: [u32; 3], position: [u32; 3], size: [u32; 3]) -> u128 {
    let mut bits = 0;
    for x in position[0]..position[0] + size[0] {
        for y in position[1]..position[1] + size[1] {
            for z in position[2]..position[2] + size[2] {
                bits |= 1 << (x + inner[0] * (y + inner[1] * z));
            }
        }
    }
    bits
}

/// Returns the bits of a unit in all its positions and orientations.
fn places(unit: Unit<'_>, package_type: &UsablePackageType<u8>) -> Vec<u128> {
    let inner = package_type.inner_mm;
    let mut places = Vec::new();
    for size in allowed_sizes(unit, package_type) {
        if (0..3).any(|axis| size[axis] > inner[axis]) {
            continue;
        }
        for x in 0..=inner[0] - size[0] {
            for y in 0..=inner[1] - size[1] {
                places.extend((0..=inner[2] - size[2]).map(|z| bits(inner, [x, y, z], size)));
            }
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

fn has_places(units: &[Vec<u128>], taken: u128) -> bool {
    let Some((unit, others)) = units.split_first() else { return true };
    unit.iter().any(|place| place & taken == 0 && has_places(others, taken | place))
}

fn holds(units: &[Unit<'_>], package_type: &UsablePackageType<u8>) -> bool {
    let mass_g: u64 = package_type.tare_g + units.iter().map(|unit| unit.mass_g.unwrap()).sum::<u64>();
    let volume = |size: [u32; 3]| size.iter().product::<u32>();
    let filled: u32 = units.iter().filter_map(|unit| unit.size_mm).map(volume).sum();
    if package_type.mass_max_g.is_some_and(|mass_max_g| mass_g > mass_max_g)
        || filled > volume(package_type.inner_mm)
        || (units.len() > 1 && units.iter().any(|unit| unit.ships_alone))
    {
        return false;
    }
    let mut sized: Vec<Unit<'_>> = units.iter().copied().filter(|unit| unit.size_mm.is_some()).collect();
    sized.sort_by_key(|unit| std::cmp::Reverse(unit.size_mm.map(volume)));
    let places: Vec<Vec<u128>> = sized.iter().map(|unit| places(unit, package_type)).collect();
    has_places(&places, 0)
}

/// The objective: packages, cost, volume.
type Rank = (usize, u64, u64);

/// Returns the cost and the volume of the best package for some units, or `None` if no package type holds them.
type PriceOf<'a> = &'a dyn Fn(&[usize]) -> Option<(u64, u64)>;

/// Returns the best rank of all divisions of the units, of which those in `groups` are already divided.
fn best(units: usize, groups: &mut Vec<Vec<usize>>, price_of: PriceOf<'_>) -> Option<Rank> {
    let divided: usize = groups.iter().map(Vec::len).sum();
    if divided == units {
        let prices: Option<Vec<(u64, u64)>> = groups.iter().map(|group| price_of(group)).collect();
        let sum = prices?.iter().fold((0, 0), |sum, price| (sum.0 + price.0, sum.1 + price.1));
        return Some((groups.len(), sum.0, sum.1));
    }
    let mut found = Vec::new();
    for at in 0..=groups.len() {
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(divided);
        found.extend(best(units, groups, price_of));
        groups[at].pop();
        groups.retain(|group| !group.is_empty());
    }
    found.into_iter().min()
}

/// Returns the rank of the best packing.
fn optimum(case: &PackingCase) -> Option<Rank> {
    let copies = |item: Unit<'_>| item.quantity as usize;
    let units: Vec<Unit<'_>> =
        case.items.iter().flat_map(|item| std::iter::repeat_n(item, copies(item))).collect();
    let usable =
        |package_type: &&UsablePackageType<u8>| case.items.iter().any(|item| fits_alone(item, package_type));
    let has_costs = case.types.iter().filter(usable).all(|package_type| package_type.cost.is_some());
    let price_of = |package_type: &UsablePackageType<u8>| {
        let cost = package_type.cost.filter(|_| has_costs).unwrap_or(0);
        (cost, package_type.inner_mm.iter().map(|side| u64::from(*side)).product::<u64>())
    };
    let known = RefCell::new(BTreeMap::new());
    let price = |group: &[usize]| -> Option<(u64, u64)> {
        if let Some(price) = known.borrow().get(group) {
            return *price;
        }
        let units: Vec<Unit<'_>> = group.iter().map(|unit| units[*unit]).collect();
        let holding = case.types.iter().filter(|package_type| holds(&units, package_type));
        let price = holding.map(price_of).min();
        known.borrow_mut().insert(group.to_vec(), price);
        price
    };
    best(units.len(), &mut Vec::new(), &price)
}

fn rank(case: &PackingCase, packing: &Packing<u8, u8>) -> Rank {
    let types = packing
        .packages
        .iter()
        .map(|package| case.types.iter().find(|known| known.package_type == package.package_type).unwrap());
    let volumes = types.map(|known| known.inner_mm.iter().map(|side| u64::from(*side)).product::<u64>());
    (packing.packages.len(), packing.cost.unwrap_or(0), volumes.sum())
}

fn run<S: Strategy>(cases: u32, strategy: &S, check: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    if let Err(error) = TestRunner::new(config).run(strategy, check) {
        panic!("{error}");
    }
}

/// Returns cases with up to five units and three package types.
fn small_case() -> impl Strategy<Value = PackingCase> {
    case(UNITS_MAX, 2, INNER_MAX - 1, INNER_MAX).prop_map(|mut case| {
        for package_type in &mut case.types {
            package_type.inner_mm = package_type.inner_mm.map(|side| side.min(INNER_MAX));
        }
        case.types.truncate(3);
        let mut units = 0;
        case.items.retain(|item| {
            units += item.quantity as usize;
            units <= UNITS_MAX
        });
        case
    })
}

fn check_packings(cases: u32) {
    let (single, several) = (Cell::new(0), Cell::new(0));
    run(cases, &small_case(), |case| {
        let Ok(packing) = case.packing(PACKING_STEPS_MAX) else {
            prop_assert_eq!(optimum(&case), None);
            return Ok(());
        };
        prop_assert!(packing.search.complete, "{:?}", packing.search);
        prop_assert_eq!(Some(rank(&case, &packing)), optimum(&case));
        let counter = if packing.packages.len() == 1 { &single } else { &several };
        counter.set(counter.get() + 1);
        Ok(())
    });
    let (single, several) = (single.get(), several.get());
    println!("of {cases} cases {single} have one package and {several} have several");
    assert!(single > cases / 10 && several > cases / 10, "too few cases can be packed");
}

/// Compares the exact search with brute force. It starts from one unit in each package, so that no rule helps it.
fn check_divisions(cases: u32) {
    run(cases, &small_case(), |mut case| {
        for item in &mut case.items {
            item.ships_alone = false;
        }
        let Ok(input) = PackingInput::read(&case.items, &case.types) else { return Ok(()) };
        let (problem, counts) = (&input.problem, &input.counts);
        let single = |kind: usize| {
            let room = problem.rooms.iter().position(|room| problem.kinds[kind].fits_alone(room)).unwrap();
            let mut load = RoomLoad { counts: vec![0; counts.len()], spots: Vec::new() };
            load.counts[kind] = 1;
            std::iter::repeat_n(PackedRoom { room, load }, counts[kind] as usize)
        };
        let mut solution = Solution { packages: (0..counts.len()).flat_map(single).collect() };
        let mut budget = StepBudget::unlimited();
        let mut holding = Holding::new(problem);
        prop_assert!(exact::search(problem, counts, &mut holding, &mut solution, &mut budget));
        let (packages, price) = solution.rank(problem);
        prop_assert_eq!(Some((packages, price.cost, price.volume)), optimum(&case));
        Ok(())
    });
}

/// Compares the exact search for places, without the rules and bounds before it, with brute force.
fn check_arrangements(cases: u32) {
    let sides = proptest::collection::vec([1..=3_u32, 1..=3_u32, 2..=3_u32], 6);
    let (possible, impossible) = (Cell::new(0), Cell::new(0));
    run(cases, &([2..=4_u32, 3..=4_u32, 3..=4_u32], sides), |(inner_mm, mut sizes)| {
        let inner: u32 = inner_mm.iter().product();
        let mut left = inner;
        // As many as the volume allows, so that many cases are hard.
        sizes.retain(|size| {
            let less = left.checked_sub(size.iter().product());
            left = less.unwrap_or(left);
            less.is_some()
        });
        sizes.sort_unstable();
        let package_type = UsablePackageType {
            package_type: 0,
            inner_mm,
            tare_g: 0,
            mass_max_g: None,
            cost: None,
            form: PackageForm::Box,
        };
        let item = |size: &[u32; 3]| ItemToPack {
            item: 0,
            quantity: 1,
            size_mm: Some(*size),
            mass_g: Some(0),
            keep_upright: false,
            ships_alone: false,
        };
        let items: Vec<ItemToPack<u8>> = sizes.iter().map(item).collect();
        let is_possible = holds(&items.iter().collect::<Vec<_>>(), &package_type);
        let volume = u64::from(inner);
        let room = Room { inner: inner_mm, volume, capacity_g: Some(0), is_envelope: false, cost: 0 };
        let mut distinct = sizes.clone();
        distinct.dedup();
        let kinds: Vec<UnitKind> = distinct.iter().map(|size| UnitKind::sized(*size, 0, false)).collect();
        let units: Vec<usize> =
            sizes.iter().filter_map(|size| distinct.iter().position(|known| known == size)).collect();
        let found = arrange(&kinds, &room, &units, &mut StepBudget::unlimited()).unwrap();
        prop_assert_eq!(found.is_some(), is_possible);
        let counter = if is_possible { &possible } else { &impossible };
        counter.set(counter.get() + 1);
        Ok(())
    });
    let (possible, impossible) = (possible.get(), impossible.get());
    println!("{possible} arrangements are possible and {impossible} are not");
    assert!(possible > cases / 20 && impossible > cases / 20, "too few cases of one sort");
}

#[test]
fn an_exact_packing_is_the_optimum() {
    check_packings(150);
}

#[test]
fn the_exact_search_alone_finds_the_optimum() {
    check_divisions(500);
}

#[test]
fn units_are_arranged_if_and_only_if_brute_force_finds_places() {
    check_arrangements(300);
}

#[test]
#[ignore = "20,000 cases take minutes: run it with --release"]
fn an_exact_packing_is_the_optimum_in_many_cases() {
    check_packings(20_000);
}

#[test]
#[ignore = "20,000 cases take minutes: run it with --release"]
fn units_are_arranged_if_and_only_if_brute_force_finds_places_in_many_cases() {
    check_arrangements(20_000);
}

#[test]
#[ignore = "20,000 cases take minutes: run it with --release"]
fn the_exact_search_alone_finds_the_optimum_in_many_cases() {
    check_divisions(20_000);
}
