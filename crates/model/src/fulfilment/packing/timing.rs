//! Measures how long a packing takes.

use std::time::{Duration, Instant};

use super::*;

const CASES: usize = 1000;

/// A small generator, so that every run measures the same cases.
struct CaseNumbers(u64);

impl CaseNumbers {
    fn within(&mut self, least: u32, most: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + ((self.0 >> 33) % u64::from(most - least + 1)) as u32
    }
}

/// Returns different items of a shop.
fn items(numbers: &mut CaseNumbers, count: u32, quantity_max: u32) -> Vec<ItemToPack<u32>> {
    let item = |item| ItemToPack {
        item,
        quantity: numbers.within(1, quantity_max),
        size_mm: Some([numbers.within(20, 250), numbers.within(15, 180), numbers.within(5, 120)]),
        mass_g: Some(u64::from(numbers.within(20, 2500))),
        keep_upright: numbers.within(1, 10) == 1,
        ships_alone: false,
    };
    (0..count).map(item).collect()
}

/// Returns 10 package types, from a padded envelope to a large box.
fn package_types(numbers: &mut CaseNumbers) -> Vec<UsablePackageType<u32>> {
    let package_type = |at: u32| UsablePackageType {
        package_type: at,
        inner_mm: [200 + 50 * at, 150 + 35 * at, 40 + 36 * at].map(|side| numbers.within(side, side + 40)),
        tare_g: u64::from(50 + 40 * at),
        mass_max_g: Some(u64::from(2000 + 3000 * at)),
        cost: Some(u64::from(20 + 15 * at)),
        form: if at == 0 { PackageForm::Envelope } else { PackageForm::Box },
    };
    (0..10).map(package_type).collect()
}

/// Returns the time that this thread has had a processor, which other programs on the machine do not lengthen.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0))
}

fn print_percentiles(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |permille: usize| times[(times.len() - 1) * permille / 1000];
    println!("{name}: p50 {:?}, p99 {:?}, max {:?}", at(500), at(990), at(1000));
}

fn measure(name: &str, quantity_max: u32) {
    let mut numbers = CaseNumbers(1);
    let (mut elapsed, mut used) = (Vec::new(), Vec::new());
    let (mut complete, mut packages, mut steps) = (0, 0, 0);
    for _ in 0..CASES {
        let (items, types) = (items(&mut numbers, 30, quantity_max), package_types(&mut numbers));
        let (start, start_used) = (Instant::now(), processor_time());
        let packing = pack(&items, &types, PACKING_STEPS_MAX).unwrap();
        elapsed.push(start.elapsed());
        used.push(processor_time().saturating_sub(start_used));
        complete += usize::from(packing.search.complete);
        packages += packing.packages.len();
        steps += packing.search.steps;
    }
    println!("{name}: {complete} of {CASES} exact, {packages} packages, {steps} steps in all");
    print_percentiles("  elapsed", &mut elapsed);
    print_percentiles("  processor", &mut used);
}

#[test]
#[ignore = "a measurement, which means something only with --release --nocapture on a quiet machine"]
fn thirty_items_and_ten_package_types() {
    measure("30 units", 1);
    measure("30 items, 1 to 5 units each", 5);
}

#[test]
#[ignore = "a measurement, which means something only with --release --nocapture on a quiet machine"]
fn as_many_units_as_are_allowed() {
    let mut numbers = CaseNumbers(2);
    let (mut items, types) = (items(&mut numbers, 1000, 1), package_types(&mut numbers));
    for item in &mut items {
        item.quantity = 10;
    }
    let start = processor_time();
    let packing = pack(&items, &types, PACKING_STEPS_MAX).unwrap();
    let used = processor_time().saturating_sub(start);
    println!("10,000 units of 1000 items: {used:?} of the processor, {} packages", packing.packages.len());
}
