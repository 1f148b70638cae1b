//! Fills one container with the published instances of Bischoff and Ratcliff, and compares the volume that is used with
//! published figures.
//!
//! The instances BR1 to BR7 are generated as in E. E. Bischoff and M. S. W. Ratcliff (1995), "Issues in the Development
//! of Approaches to Container Loading", Omega 23(4), 377–390. The OR-Library has them as `thpack1` to `thpack7`
//! (people.brunel.ac.uk/~mastjjb/jeb/orlib/thpackinfo.html): 100 instances in each of 7 classes.

use super::fill::{RULES, RoomLoad, fill_fullest};
use super::geometry::{Cuboid, Size, volume};
use super::settle::settle;
use super::units_and_rooms::{PackingProblem, Room, UnitCounts, UnitKind};
use crate::platform::step_budget::StepBudget;

/// The container in centimetres.
const CONTAINER: Size = [587, 233, 220];
/// The instances of each class.
const INSTANCES: u64 = 100;
/// A side may be vertical if it is shorter than this many times the shortest one.
const STABILITY_LIMIT: u32 = 2;

/// A class of instances.
struct InstanceClass {
    name: &'static str,
    box_types: usize,
    /// The mean volume in per cent that the tree search CLTRS uses, every box being supported in full: T. Fanslau and
    /// A. Bortfeldt (2010), "A Tree Search Algorithm for Solving the Container Loading Problem", INFORMS Journal on
    /// Computing 22(2), 222–235, as cited by others. It is a search of minutes, and shows what there is to reach.
    tree_search: f64,
}

const CLASSES: [InstanceClass; 7] = [
    InstanceClass { name: "BR1", box_types: 3, tree_search: 94.51 },
    InstanceClass { name: "BR2", box_types: 5, tree_search: 94.73 },
    InstanceClass { name: "BR3", box_types: 8, tree_search: 94.74 },
    InstanceClass { name: "BR4", box_types: 10, tree_search: 94.41 },
    InstanceClass { name: "BR5", box_types: 12, tree_search: 94.13 },
    InstanceClass { name: "BR6", box_types: 15, tree_search: 93.85 },
    InstanceClass { name: "BR7", box_types: 20, tree_search: 93.20 },
];

/// The mean per cent over all 700 instances that the best of the rules of the open-source packer Binacle.Net uses, which
/// lets every side be vertical (its `doc/packing-efficiency-results/PackingEfficiency.md`, `Packing_BFD`).
const RULES_OF_ANOTHER_PACKER: f64 = 81.26;

/// The generator of random numbers that the paper names: multiplicative congruential, with the multiplier 16807 and the
/// modulus 2³¹ − 1.
struct Generator(u64);

impl Generator {
    const MODULUS: u64 = (1 << 31) - 1;

    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0 * 16_807 % Self::MODULUS;
        self.0 * bound / Self::MODULUS
    }
}

/// A type of boxes: its sides, the longest first, whether each may be vertical, and how many there are.
type BoxType = (Size, [bool; 3], u32);

/// Returns an instance. Instances of a class are numbered from 1.
fn instance(box_types: usize, number: u64) -> Vec<BoxType> {
    let mut generator = Generator(2_502_505 + 100 * (number - 1));
    for _ in 0..10 {
        generator.below(1);
    }
    let mut types: Vec<BoxType> = (0..box_types)
        .map(|_| {
            let mut sides: Size = [(30, 120), (25, 100), (20, 80)]
                .map(|(least, most)| least + generator.below(u64::from(most - least + 1)) as u32);
            sides.sort_unstable_by(|a, b| b.cmp(a));
            (sides, sides.map(|side| side < STABILITY_LIMIT * sides[2]), 1)
        })
        .collect();
    let mut total: u64 = types.iter().map(|(sides, ..)| volume(*sides)).sum();
    loop {
        let (sides, _, count) = &mut types[generator.below(box_types as u64) as usize];
        total += volume(*sides);
        if total > volume(CONTAINER) {
            return types;
        }
        *count += 1;
    }
}

/// Returns the orientations in which a side that may be vertical is vertical.
fn orientations(sides: Size, may_be_vertical: [bool; 3]) -> Vec<Size> {
    let mut sizes = Vec::new();
    for vertical in (0..3).filter(|side| may_be_vertical[*side]) {
        let [one, other] = [(vertical + 1) % 3, (vertical + 2) % 3];
        sizes.push([sides[one], sides[other], sides[vertical]]);
        sizes.push([sides[other], sides[one], sides[vertical]]);
    }
    sizes
}

/// Fills the container by all rules, and checks and returns the load.
fn load(types: &[BoxType]) -> (PackingProblem, RoomLoad) {
    let kinds = types
        .iter()
        .map(|(sides, vertical, _)| UnitKind::oriented(orientations(*sides, *vertical), 0, false));
    let room = Room {
        inner: CONTAINER,
        volume: volume(CONTAINER),
        capacity_g: Some(0),
        is_envelope: false,
        cost: 0,
    };
    let counts: UnitCounts = types.iter().map(|(.., count)| *count).collect();
    let problem = PackingProblem::new(kinds.collect(), vec![room]);
    let mut load =
        fill_fullest(&problem, &problem.rooms[0], &counts, &RULES, &mut StepBudget::unlimited()).unwrap();
    settle(&mut load.spots);
    let cuboids: Vec<Cuboid> = load.spots.iter().map(|spot| Cuboid::new(spot.position, spot.size)).collect();
    let container = Cuboid::new([0; 3], CONTAINER);
    for (at, cuboid) in cuboids.iter().enumerate() {
        assert!(container.contains(cuboid));
        assert!(cuboids[..at].iter().all(|other| !other.overlaps(cuboid)));
        assert!(problem.kinds[load.spots[at].kind].in_box.contains(&cuboid.size()));
    }
    for (kind, count) in counts.iter().enumerate() {
        let placed = load.spots.iter().filter(|spot| spot.kind == kind).count();
        assert!(placed == load.counts[kind] as usize && placed <= *count as usize);
    }
    (problem, load)
}

/// Returns the mean per cent of the container that is filled, over every `step`th instance of the class.
fn mean(class: &InstanceClass, step: usize) -> f64 {
    let instances = (1..=INSTANCES).step_by(step);
    let count = instances.clone().count();
    let parts = instances.map(|number| {
        let (problem, load) = load(&instance(class.box_types, number));
        problem.volume(&load.counts) as f64 / volume(CONTAINER) as f64
    });
    100.0 * parts.sum::<f64>() / count as f64
}

#[test]
fn the_generator_yields_the_published_instances() {
    // The first instances of thpack1, and parts of others.
    let first = vec![
        ([108, 76, 30], [false, false, true], 40),
        ([110, 43, 25], [false, true, true], 33),
        ([92, 81, 55], [true, true, true], 39),
    ];
    assert_eq!(instance(3, 1), first);
    let second = vec![
        ([49, 25, 21], [false, true, true], 41),
        ([60, 51, 41], [true, true, true], 53),
        ([103, 76, 64], [true, true, true], 44),
    ];
    assert_eq!(instance(3, 2), second);
    let counts = |types: usize, number: u64| -> Vec<u32> {
        instance(types, number).iter().map(|(.., count)| *count).collect()
    };
    assert_eq!(counts(3, 13), [112, 76, 96]);
    assert_eq!(counts(3, 30), [154, 117, 134]);
    assert_eq!(counts(5, 2), [22, 22, 28, 25, 17]);
    assert_eq!(counts(8, 1), [24, 9, 8, 11, 11, 10, 12, 9]);
    assert_eq!(counts(20, 1)[..15], [10, 6, 5, 5, 6, 4, 7, 6, 5, 5, 4, 8, 2, 5, 8]);
}

#[test]
fn a_container_is_filled_well_in_every_class() {
    for class in &CLASSES {
        let mean = mean(class, 20);
        assert!(mean > 80.0, "{}: {mean:.2} %", class.name);
    }
}

#[test]
#[ignore = "fills 700 containers, which takes minutes without optimisation: run it with --release"]
fn all_published_instances_are_filled_well() {
    let mut sum = 0.0;
    for class in &CLASSES {
        let mean = mean(class, 1);
        println!("{}: {mean:.2} % (CLTRS {:.2} %)", class.name, class.tree_search);
        assert!(mean > 80.0, "{}", class.name);
        sum += mean;
    }
    let mean = sum / CLASSES.len() as f64;
    println!("mean: {mean:.2} % (rules of Binacle.Net {RULES_OF_ANOTHER_PACKER:.2} %)");
    assert!(mean > RULES_OF_ANOTHER_PACKER);
}
