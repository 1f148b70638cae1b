use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::shipping::shipment::package::{Geometry, Package, PackageItem};
use crate::shipping::shipment::{ShipmentInput, customs::CustomsItem};
use crate::{Code, Timestamp};

fn item(number: u128) -> Id<InventoryItem> {
    Id::from_bits(number)
}

fn package(mass: f64, items: &[(u128, i64)]) -> Package {
    let items = items.iter().map(|(number, quantity)| PackageItem { id: item(*number), quantity: *quantity });
    Package {
        name: None,
        geometry: Some(Geometry { length: None, width: None, height: None, mass: Some(mass) }),
        predefined_package_code: None,
        tracking_number: None,
        items: items.collect(),
        package_type_id: None,
    }
}

fn packed(counted: &[(u32, u128, i64)]) -> PackedUnits {
    let mut units = PackedUnits::default();
    for (package, number, quantity) in counted {
        units.add(*package, item(*number), *quantity);
    }
    units
}

fn part(package: u32, quantity: i64) -> PackedPart {
    PackedPart { package, quantity }
}

#[test]
fn units_go_into_the_first_package_that_misses_all_of_them() {
    let packages = [package(1.0, &[(1, 2)]), package(1.0, &[(1, 3), (2, 1)])];
    let none = PackedUnits::default();
    assert_eq!(none.place(&packages, item(1), None, 1), Ok(vec![part(1, 1)]));
    assert_eq!(none.place(&packages, item(1), None, 3), Ok(vec![part(2, 3)]));
    assert_eq!(none.place(&packages, item(1), None, 5), Ok(vec![part(1, 2), part(2, 3)]));
    assert_eq!(none.place(&packages, item(1), None, 6), Err(ScanResult::AlreadyPacked));
    assert_eq!(none.place(&packages, item(1), Some(2), 1), Ok(vec![part(2, 1)]));
    assert_eq!(none.place(&packages, item(2), Some(1), 1), Err(ScanResult::WrongPackage));
    assert_eq!(none.place(&packages, item(3), None, 1), Err(ScanResult::NotInShipment));
    let some = packed(&[(1, 1, 2), (2, 1, 1)]);
    assert_eq!(some.place(&packages, item(1), None, 1), Ok(vec![part(2, 1)]));
    assert_eq!(some.place(&packages, item(1), Some(1), 1), Err(ScanResult::AlreadyPacked));
}

#[test]
fn progress_counts_what_is_packed_and_what_is_missing() {
    let packages = [package(1.0, &[(1, 2)]), package(1.0, &[]), package(1.0, &[(2, 1)])];
    let progress = packed(&[(1, 1, 2)]).progress(&packages);
    assert_eq!((progress.is_complete, progress.packed_quantity, progress.missing_quantity), (false, 2, 1));
    let numbers: Vec<_> = progress.packages.iter().map(|package| package.package).collect();
    assert_eq!(numbers, [1, 3]);
    assert!(packed(&[(1, 1, 2), (3, 2, 1)]).progress(&packages).is_complete);
    assert!(!PackedUnits::default().progress(&[package(1.0, &[])]).is_complete, "nothing is nothing");
}

fn details(packages: Vec<Package>, lines: Vec<CustomsItem>) -> ShipmentInput {
    let address = json!({"address": {"line_1": "1 High St", "city": "London", "country_code": "GB"}});
    let body = json!({
        "addresses": {"origin": address, "destination": address},
        "packages": packages,
        "customs": {"items": lines},
    });
    serde_json::from_value(body).expect("a shipment")
}

fn line(sku: &str, quantity: i64, value: i64, mass: f64) -> CustomsItem {
    let body = json!({"description": sku, "quantity": quantity, "value": value, "mass": mass, "sku": sku});
    serde_json::from_value(body).expect("a line")
}

fn tee() -> ShortItem<'static> {
    ShortItem { id: item(1), sku: "TEE", mass: Some(0.2) }
}

#[test]
fn missing_units_leave_the_last_packages_their_mass_and_their_customs_lines() {
    let packages =
        vec![package(1.0, &[(1, 3), (2, 1)]), package(0.5, &[(1, 2)]), package(0.7, &[(2, 2), (1, 1)])];
    let lines = vec![line("TEE", 6, 6000, 1.2), line("MUG", 3, 900, 0.9)];
    let before = details(packages, lines);
    let repacked = take_out(&before, &packed(&[(3, 1, 1)]), tee(), 3).unwrap();
    assert_eq!(repacked.removed, [2]);
    let after = repacked.details;
    let held: Vec<_> = after.packages.iter().map(|package| package.items.clone()).collect();
    let units = |id: u128, quantity| PackageItem { id: item(id), quantity };
    assert_eq!(held, [vec![units(1, 2), units(2, 1)], vec![units(2, 2), units(1, 1)]]);
    let masses: Vec<_> = after.packages.iter().map(|package| package.geometry.unwrap().mass).collect();
    assert_eq!(masses, [Some(0.8), Some(0.7)]);
    assert_eq!(after.customs.unwrap().items, [line("TEE", 3, 3000, 0.6), line("MUG", 3, 900, 0.9)]);
}

#[test]
fn a_declaration_that_does_not_have_the_units_is_refused() {
    let before = details(vec![package(1.0, &[(1, 3)])], vec![line("TEE", 1, 100, 0.2)]);
    let problem = take_out(&before, &PackedUnits::default(), tee(), 2).unwrap_err();
    assert_eq!(problem.code, Code::CustomsLinesUnmatched);
    let free = details(vec![package(1.0, &[(1, 3)])], Vec::new());
    assert!(take_out(&free, &PackedUnits::default(), tee(), 2).is_ok());
}

fn scan(then: &[NextStep]) -> Scan {
    Scan {
        id: Id::from_bits(1),
        scan_id: "a".to_owned(),
        shipment_id: Id::from_bits(1),
        code: "TEE".to_owned(),
        package: None,
        quantity: 1,
        then: then.to_vec(),
        result: ScanResult::Packed,
        item_id: Some(item(1)),
        purchase: None,
        print: None,
        user_id: Id::from_bits(1),
        created_at: Timestamp::from_micros(0),
    }
}

#[test]
fn a_label_is_printed_once_it_is_there_and_not_waited_for_if_it_will_not_come() {
    let mut scan = scan(&[NextStep::Purchase, NextStep::Print]);
    scan.begin_steps();
    let mut shipment = Shipment::draft(Id::from_bits(1), details(Vec::new(), Vec::new()), scan.created_at);
    let now = |seconds: i64| Timestamp::from_micros(0).plus_seconds(seconds);
    let wait = |seconds: i64| Printing::Wait(now(seconds));
    assert_eq!(next_printing(&scan, &shipment, false, now(0)), wait(1));
    assert_eq!(next_printing(&scan, &shipment, false, now(100)), wait(110));
    assert_eq!(
        next_printing(&scan, &shipment, false, now(3600)),
        Printing::Never(Code::ShipmentNotPurchased)
    );
    shipment.status = Status::Purchasing;
    assert_eq!(next_printing(&scan, &shipment, false, now(10_000)), wait(10_060));
    shipment.status = Status::Purchased;
    assert_eq!(next_printing(&scan, &shipment, false, now(1)), Printing::Never(Code::LabelMissing));
    shipment.label_pending = true;
    assert_eq!(next_printing(&scan, &shipment, false, now(1)), wait(2));
    assert_eq!(next_printing(&scan, &shipment, true, now(1)), Printing::Now);
    scan.purchase = None;
    shipment.status = Status::Draft;
    assert_eq!(next_printing(&scan, &shipment, false, now(1)), Printing::Never(Code::ShipmentNotPurchased));
}

proptest! {
    #[test]
    fn never_more_is_counted_than_there_is(
        wanted in proptest::collection::vec(proptest::collection::vec(1i64..5, 1..4), 1..4),
        scans in proptest::collection::vec((0u128..5, proptest::option::of(1u32..5), 1i64..4), 0..40),
    ) {
        let packages: Vec<Package> = wanted
            .iter()
            .map(|units| package(1.0, &(0u128..).zip(units.iter().copied()).collect::<Vec<_>>()))
            .collect();
        let total: i64 = wanted.iter().flatten().sum();
        let (mut units, mut counted) = (PackedUnits::default(), 0);
        for (number, into, quantity) in scans {
            let Ok(parts) = units.place(&packages, item(number), into, quantity) else { continue };
            prop_assert_eq!(parts.iter().map(|part| part.quantity).sum::<i64>(), quantity);
            for part in parts {
                units.add(part.package, item(number), part.quantity);
            }
            counted += quantity;
        }
        let progress = units.progress(&packages);
        prop_assert_eq!((progress.packed_quantity, progress.missing_quantity), (counted, total - counted));
        prop_assert_eq!(progress.is_complete, counted == total);
    }

    #[test]
    fn what_is_missing_can_be_taken_out_and_what_is_packed_stays(
        wanted in proptest::collection::vec(0i64..4, 1..5),
        scanned in proptest::collection::vec(0i64..4, 5),
        share in 0.0f64..1.0,
    ) {
        let packages: Vec<Package> =
            wanted.iter().map(|quantity| package(1.0, &[(1, *quantity + 1), (2, 1)])).collect();
        let counts: Vec<_> = (1u32..).zip(wanted.iter().zip(&scanned)).map(|(number, (wanted, scanned))| (number, 1, *scanned.min(&(wanted + 1)))).collect();
        let units = packed(&counts);
        let missing: i64 = units.missing(&packages, item(1)).iter().map(|part| part.quantity).sum();
        let quantity = (missing as f64 * share) as i64;
        let before = details(packages, Vec::new());
        let after = take_out(&before, &units, tee(), quantity).unwrap();
        prop_assert!(after.removed.is_empty(), "each package has another item");
        let left: i64 = units.missing(&after.details.packages, item(1)).iter().map(|part| part.quantity).sum();
        prop_assert_eq!(left, missing - quantity);
        let (of_after, of_before) = (after.details.units(), before.units());
        prop_assert_eq!(of_after.get(&item(2)), of_before.get(&item(2)));
    }
}
