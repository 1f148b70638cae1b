//! Examples of packings, with their reasons.

use super::arrange::arrange;
use super::geometry::{Cuboid, volume};
use super::units_and_rooms::{Room, UnitKind};
use super::*;
use crate::platform::step_budget::StepBudget;

type Refusal = PackingRefusal<&'static str, &'static str>;

fn item(item: &'static str, quantity: u32, size_mm: [u32; 3], mass_g: u64) -> ItemToPack<&'static str> {
    ItemToPack {
        item,
        quantity,
        size_mm: Some(size_mm),
        mass_g: Some(mass_g),
        keep_upright: false,
        ships_alone: false,
    }
}

fn carton(name: &'static str, inner_mm: [u32; 3], cost: Option<u64>) -> UsablePackageType<&'static str> {
    UsablePackageType {
        package_type: name,
        inner_mm,
        tare_g: 100,
        mass_max_g: Some(10_000),
        cost,
        form: PackageForm::Box,
    }
}

fn envelope(name: &'static str, inner_mm: [u32; 3]) -> UsablePackageType<&'static str> {
    UsablePackageType { form: PackageForm::Envelope, ..carton(name, inner_mm, None) }
}

fn packed(
    items: &[ItemToPack<&'static str>],
    types: &[UsablePackageType<&'static str>],
) -> Packing<&'static str, &'static str> {
    pack(items, types, PACKING_STEPS_MAX).unwrap()
}

fn refused(items: &[ItemToPack<&'static str>], types: &[UsablePackageType<&'static str>]) -> Refusal {
    pack(items, types, PACKING_STEPS_MAX).unwrap_err()
}

/// Returns the package types that are used, in the order of the packages.
fn used(packing: &Packing<&'static str, &'static str>) -> Vec<&'static str> {
    packing.packages.iter().map(|package| package.package_type).collect()
}

fn unused(packing: &Packing<&'static str, &'static str>) -> Vec<(&'static str, UnusedReason)> {
    packing.unused.iter().map(|unused| (unused.package_type, unused.reason)).collect()
}

#[test]
fn a_small_order_goes_into_the_smallest_box_that_holds_it() {
    let types = [
        carton("a_flat", [300, 300, 40], None),
        carton("b_small", [200, 100, 100], None),
        carton("c_large", [400, 300, 300], None),
    ];
    let packing = packed(&[item("mug", 2, [100, 100, 100], 400)], &types);
    assert_eq!(used(&packing), ["b_small"]);
    let package = &packing.packages[0];
    assert_eq!((package.mass_g, package.fill_permille, packing.volume_mm3), (900, 1000, 2_000_000));
    let placements: Vec<_> =
        package.units.iter().map(|unit| unit.placement.map(|placement| placement.position_mm)).collect();
    assert_eq!(placements, [Some([0, 0, 0]), Some([100, 0, 0])]);
    assert_eq!(package.reasons, ["No package type is smaller."]);
    assert_eq!(unused(&packing), [("a_flat", UnusedReason::TooSmall), ("c_large", UnusedReason::Larger)]);
    assert_eq!(packing.unused[0].item, Some("mug"));
    assert!(packing.search.complete && packing.limits.is_empty());
    assert_eq!(packing.search.note, "Every packing that could be better was compared or excluded.");
}

#[test]
fn a_lower_cost_comes_before_a_smaller_volume() {
    let types = [carton("large", [400, 300, 300], Some(40)), carton("small", [200, 100, 100], Some(50))];
    let packing = packed(&[item("mug", 1, [90, 90, 90], 400)], &types);
    assert_eq!((used(&packing), packing.cost), (vec!["large"], Some(40)));
    assert_eq!(unused(&packing), [("small", UnusedReason::Dearer)]);
}

#[test]
fn costs_are_compared_only_if_every_usable_package_type_has_one() {
    let mut types = vec![carton("large", [400, 300, 300], Some(40)), carton("small", [200, 100, 100], None)];
    let packing = packed(&[item("mug", 1, [90, 90, 90], 400)], &types);
    assert_eq!((used(&packing), packing.cost), (vec!["small"], None));
    // A type that can hold nothing does not count.
    types[1].inner_mm = [80, 80, 80];
    let packing = packed(&[item("mug", 1, [90, 90, 90], 400)], &types);
    assert_eq!((used(&packing), packing.cost), (vec!["large"], Some(40)));
}

#[test]
fn fewer_packages_come_before_a_lower_cost() {
    let types = [carton("one", [100, 100, 100], Some(1)), carton("three", [300, 100, 100], Some(90))];
    let packing = packed(&[item("mug", 3, [100, 100, 100], 400)], &types);
    assert_eq!(used(&packing), ["three"]);
    assert_eq!(unused(&packing), [("one", UnusedReason::MorePackages)]);
    let told = "No cheaper, or equally cheap and smaller, package type can hold these units together.";
    assert_eq!(packing.packages[0].reasons, [told]);
}

#[test]
fn the_costs_of_several_packages_come_before_their_volumes() {
    // Two light boxes cost 2. A strong one for the heavy units and a light one cost 6, and are smaller together.
    let light = UsablePackageType { mass_max_g: Some(800), ..carton("light", [40, 40, 40], Some(1)) };
    let strong = carton("strong", [20, 10, 10], Some(5));
    let items = [item("heavy", 2, [10, 10, 10], 600), item("tiny", 2, [10, 10, 10], 100)];
    let packing = packed(&items, &[light, strong]);
    assert_eq!((used(&packing), packing.cost), (vec!["light", "light"], Some(2)));
    assert!(packing.search.complete);
}

#[test]
fn equal_package_types_are_used_in_their_order() {
    let types = [carton("b", [100, 100, 100], None), carton("a", [100, 100, 100], None)];
    let packing = packed(&[item("mug", 1, [50, 50, 50], 400)], &types);
    assert_eq!(used(&packing), ["a"]);
    assert_eq!(unused(&packing), [("b", UnusedReason::Later)]);
}

#[test]
fn the_largest_mass_includes_the_empty_package() {
    let types = [carton("box", [500, 500, 500], None)];
    let packing = packed(&[item("dumbbell", 2, [100, 100, 100], 4950)], &types);
    assert_eq!(used(&packing), ["box"]);
    assert_eq!((packing.packages[0].mass_g, packing.limits.len()), (10_000, 0));
    let packing = packed(&[item("dumbbell", 2, [100, 100, 100], 4951)], &types);
    assert_eq!(used(&packing), ["box", "box"]);
    assert_eq!((packing.search.complete, packing.limits), (true, vec![PackingLimit::Mass]));
}

#[test]
fn an_upright_item_is_turned_around_the_vertical_axis_alone() {
    let types = [carton("flat", [300, 300, 100], None), carton("tall", [100, 110, 300], None)];
    let bottle = ItemToPack { keep_upright: true, ..item("bottle", 1, [110, 90, 300], 900) };
    let packing = packed(std::slice::from_ref(&bottle), &types);
    assert_eq!(used(&packing), ["tall"]);
    assert_eq!(packing.packages[0].units[0].placement.unwrap().size_mm, [90, 110, 300]);
    assert_eq!(unused(&packing), [("flat", UnusedReason::TooSmall)]);
    let packing = packed(&[ItemToPack { keep_upright: false, ..bottle }], &types[..1]);
    assert_eq!(used(&packing), ["flat"]);
}

#[test]
fn a_unit_that_ships_alone_shares_its_package_with_no_other() {
    let types = [carton("box", [500, 500, 500], None)];
    let drum = ItemToPack { ships_alone: true, ..item("drum", 2, [100, 100, 100], 900) };
    let packing = packed(&[item("mug", 3, [90, 90, 90], 100), drum], &types);
    let contents: Vec<Vec<&str>> =
        packing.packages.iter().map(|package| package.units.iter().map(|unit| unit.item).collect()).collect();
    assert_eq!(contents, [vec!["mug", "mug", "mug"], vec!["drum"], vec!["drum"]]);
    assert_eq!(packing.packages[1].reasons[0], "The unit ships alone.");
    assert!(packing.search.complete);
}

#[test]
fn an_envelope_takes_what_lies_flat_within_its_thickness() {
    let types = [envelope("envelope", [300, 200, 20]), carton("x_box", [300, 200, 100], None)];
    let books = |count| [item("book", count, [10, 150, 200], 300)];
    let packing = packed(&books(2), &types);
    assert_eq!(used(&packing), ["envelope"]);
    assert_eq!(packing.packages[0].units[1].placement.unwrap().size_mm[2], 10);
    assert_eq!(used(&packed(&books(4), &types)), ["envelope"]);
    assert_eq!(used(&packed(&books(5), &types)), ["x_box"]);
    let book = ItemToPack { keep_upright: true, ..item("book", 1, [200, 150, 10], 300) };
    let packing = packed(&[book], &types);
    assert_eq!(used(&packing), ["x_box"]);
    assert_eq!(unused(&packing), [("envelope", UnusedReason::NotUpright)]);
}

#[test]
fn an_item_without_a_size_counts_by_its_mass_and_is_named() {
    let types = [carton("box", [100, 100, 100], None)];
    let scarf = ItemToPack { size_mm: None, ..item("scarf", 2, [0; 3], 2000) };
    let packing = packed(&[item("mug", 1, [100, 100, 100], 400), scarf], &types);
    assert_eq!((used(&packing), &*packing.unsized_items), (vec!["box"], &["scarf"][..]));
    let package = &packing.packages[0];
    assert_eq!((package.mass_g, package.fill_permille, package.units.len()), (4500, 1000, 3));
    assert_eq!((package.units[2].item, package.units[2].placement), ("scarf", None));
    let told = "The dimensions of 2 units are not known: they count by their mass alone, and may need a larger package.";
    assert_eq!(package.reasons[1], told);
}

#[test]
fn units_that_cannot_be_packed_are_refused_with_reasons() {
    let types = [carton("box", [200, 200, 200], None), envelope("envelope", [400, 300, 10])];
    let massless = ItemToPack { mass_g: None, ..item("cup", 1, [1; 3], 0) };
    assert_eq!(refused(&[massless], &types), PackingRefusal::MassMissing { items: vec!["cup"] });
    let items = [
        item("ski", 1, [1700, 100, 20], 900),
        item("anvil", 1, [100, 100, 9], 9901),
        item("mug", 1, [100, 100, 100], 400),
        ItemToPack { keep_upright: true, ..item("mirror", 1, [300, 300, 5], 400) },
    ];
    let PackingRefusal::PackageTypeMissing { items: unpackable } = refused(&items, &types) else {
        panic!("the items are packed")
    };
    let reasons: Vec<(&str, Vec<UnusedReason>)> = unpackable
        .iter()
        .map(|item| (item.item, item.reasons.iter().map(|reason| reason.reason).collect()))
        .collect();
    let expected = [
        ("anvil", vec![UnusedReason::TooHeavy, UnusedReason::TooHeavy]),
        ("mirror", vec![UnusedReason::TooSmall, UnusedReason::NotUpright]),
        ("ski", vec![UnusedReason::TooSmall, UnusedReason::TooSmall]),
    ];
    assert_eq!(reasons, expected);
    let none = refused(&[item("mug", 1, [1; 3], 1)], &[]);
    let item = UnpackableItem { item: "mug", reasons: Vec::new() };
    assert_eq!(none, PackingRefusal::PackageTypeMissing { items: vec![item] });
}

#[test]
fn more_units_than_the_limit_are_refused() {
    let types = [carton("box", [500, 500, 500], None)];
    let most = u32::try_from(PACKED_UNITS_MAX).unwrap();
    let units = PACKED_UNITS_MAX + 1;
    assert_eq!(refused(&[item("pen", most + 1, [5; 3], 1)], &types), PackingRefusal::TooManyUnits { units });
    let packing = packed(&[item("pen", most, [5; 3], 1)], &types);
    assert_eq!(used(&packing), ["box", "box"]);
}

#[test]
fn nothing_to_pack_needs_no_package() {
    let packing = packed(&[item("mug", 0, [1; 3], 1)], &[carton("box", [5; 3], Some(3))]);
    assert_eq!((packing.packages.len(), packing.cost, packing.search.complete), (0, None, true));
}

#[test]
fn more_than_two_hundred_units_are_packed_by_rules_and_the_packing_says_so() {
    let types = [carton("box", [100, 100, 100], None)];
    let packing = packed(&[item("dice", 201, [10, 10, 10], 1)], &types);
    assert_eq!((packing.search.complete, packing.limits), (false, vec![PackingLimit::Units]));
    let told = "More than 200 units are packed by rules, without comparing all packings. \
                Fewer packages cannot hold the units, but others of as many may cost less or be smaller.";
    assert_eq!(packing.search.note, told);
    assert!(packed(&[item("dice", 200, [10, 10, 10], 1)], &types).search.complete);
}

#[test]
fn without_steps_everything_is_still_packed() {
    let types = [carton("box", [100, 100, 100], None)];
    let packing = pack(&[item("mug", 3, [60, 60, 60], 1)], &types, 0).unwrap();
    assert_eq!(used(&packing), ["box", "box", "box"]);
    assert_eq!((packing.search.complete, packing.limits), (false, vec![PackingLimit::Steps]));
}

#[test]
fn measures_at_the_end_of_their_type_overflow_nothing() {
    let most = [u32::MAX; 3];
    let mut world = carton("world", most, Some(u64::MAX));
    (world.mass_max_g, world.tare_g) = (None, u64::MAX / 2);
    let items =
        [item("rod", 7, [900_000, 900_000, 600_000], u64::MAX / 4), item("pin", 2, [1, 1, 1], u64::MAX / 4)];
    let packing = packed(&items, std::slice::from_ref(&world));
    assert_eq!(packing.packages.iter().map(|package| package.units.len()).sum::<usize>(), 9);
    assert!(matches!(
        refused(&[item("sky", 1, most, 1)], &[world]),
        PackingRefusal::PackageTypeMissing { .. }
    ));
}

/// Arranges units of these sizes in a cube, and checks the arrangement.
fn arranged(side: u32, sizes: &[([u32; 3], usize)]) -> bool {
    let kinds: Vec<UnitKind> = sizes.iter().map(|(size, _)| UnitKind::sized(*size, 0, false)).collect();
    let inner = [side; 3];
    let room = Room { inner, volume: volume(inner), capacity_g: Some(0), is_envelope: false, cost: 0 };
    let units: Vec<usize> =
        sizes.iter().enumerate().flat_map(|(kind, (_, count))| std::iter::repeat_n(kind, *count)).collect();
    let Some(spots) = arrange(&kinds, &room, &units, &mut StepBudget::unlimited()).unwrap() else {
        return false;
    };
    let cuboids: Vec<Cuboid> = spots.iter().map(|spot| Cuboid::new(spot.position, spot.size)).collect();
    let cube = Cuboid::new([0; 3], inner);
    for (at, cuboid) in cuboids.iter().enumerate() {
        assert!(cube.contains(cuboid) && cuboids[..at].iter().all(|other| !other.overlaps(cuboid)));
    }
    cuboids.len() == units.len()
}

#[test]
fn the_exact_search_solves_puzzles_that_interlock() {
    // Three sticks around two cubes: each stick is behind the next one along another axis.
    assert!(arranged(2, &[([1, 1, 2], 3), ([1, 1, 1], 2)]));
    // The puzzle of Slothouber and Graatsma: the three cubes must be on a diagonal.
    assert!(arranged(3, &[([1, 2, 2], 6), ([1, 1, 1], 3)]));
    // Two sticks and a plate need as much volume as there is, and have no places.
    assert!(!arranged(3, &[([3, 3, 2], 1), ([1, 2, 2], 2), ([1, 1, 1], 1)]));
}

#[test]
fn a_budget_refuses_all_work_once_it_has_refused_some() {
    let mut budget = StepBudget::new(10);
    assert!(budget.spend(7).is_ok());
    assert!(budget.spend(4).is_err());
    assert!(budget.spend(1).is_err());
    assert_eq!((budget.used, budget.left()), (7, 0));
}
