//! Unit tests of building shipments from orders.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::customs_items::customs_items;
use super::*;
use crate::fulfilment::shipping_rule::Decision;
use crate::platform::json::merge;
use crate::platform::shape::parse;
use crate::shipping::shipment::package::{Package, PackageItem};
use crate::shipping::shipment::{AddressRecord, CarrierChoice};
use crate::stock::inventory_item::InventoryItemInput;
use crate::{Allocation, Code, Id, InventoryItem, Problem};

type Items = BTreeMap<Id<InventoryItem>, InventoryItemInput>;

fn item(change: Value) -> InventoryItemInput {
    let mut body = json!({"sku": "TEE", "name": "Tee", "mass": 0.2, "hs_code": "610910", "origin_country_code": "PT",
        "unit_value": 900, "currency_code": "GBP", "customs_description": "Cotton shirt"});
    merge(&mut body, change);
    parse(body).unwrap()
}

fn items(all: &[(u128, Value)]) -> Items {
    all.iter().map(|(bits, change)| (Id::from_bits(*bits), item(change.clone()))).collect()
}

fn order(change: Value) -> OrderToShip {
    let mut body = json!({"reference": "1042", "currency_code": "GBP", "lines": [],
        "destination": {"address": {"line_1": "1 High St", "city": "York", "post_code": "YO1 7HH", "country_code": "GB"}}});
    merge(&mut body, change);
    serde_json::from_value(body).unwrap()
}

fn line(item: u128, quantity: i64, price: Option<i64>) -> Value {
    json!({"item_id": Id::<InventoryItem>::from_bits(item), "sku": null, "name": null, "quantity": quantity,
        "unit_price": price, "external_line_id": null})
}

fn address(country: &str) -> AddressRecord {
    serde_json::from_value(json!({"display_name": "Shed", "contact": null, "coordinates": null,
        "address": {"line_1": "2 Quay", "city": "Hull", "post_code": "HU1 1AA", "country_code": country}}))
    .unwrap()
}

fn package(units: &[(u128, i64)]) -> Package {
    let items =
        units.iter().map(|(bits, quantity)| PackageItem { id: Id::from_bits(*bits), quantity: *quantity });
    Package {
        name: None,
        geometry: None,
        predefined_package_code: None,
        tracking_number: None,
        items: items.collect(),
        package_type_id: None,
    }
}

fn location(packages: Vec<Package>, packages_max: usize, decision: Value) -> LocationToShip {
    let mut whole = serde_json::to_value(Decision::default()).unwrap();
    merge(&mut whole, decision);
    LocationToShip {
        configuration: Id::from_bits(7),
        origin: address("GB"),
        r#return: address("GB"),
        packages,
        decision: serde_json::from_value(whole).unwrap(),
        carrier: None,
        decided_carrier: Some("sandbox".to_owned()),
        packages_max,
    }
}

fn values(
    order: &OrderToShip,
    items: &Items,
    units: &[(u128, i64)],
) -> Result<Vec<i64>, (Code, Vec<String>)> {
    let units = units.iter().map(|(bits, quantity)| (Id::from_bits(*bits), *quantity)).collect();
    let missing = |problem: Problem| {
        let field = |issue: &crate::platform::problem::Issue| {
            issue.facts.get("missing").and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        (problem.code, problem.issues.iter().map(field).collect())
    };
    let lines = customs_items(order, items, &units).map_err(missing)?;
    Ok(lines.iter().map(|line| line.value).collect())
}

#[test]
fn a_carrier_that_takes_single_packages_gets_a_shipment_for_each() {
    let known = items(&[(1, json!({}))]);
    let packages = || vec![package(&[(1, 2)]), package(&[(1, 1)])];
    let together = build(&order(json!({})), &known, location(packages(), 99, json!({}))).unwrap();
    assert_eq!(together.len(), 1);
    assert_eq!(together[0].units, BTreeMap::from([(Id::from_bits(1), 3)]));
    assert_eq!(together[0].details.name.as_deref(), Some("1042"));
    assert!(together[0].details.customs.is_none() && together[0].details.options.is_none());
    let single = build(&order(json!({})), &known, location(packages(), 1, json!({}))).unwrap();
    let units: Vec<_> = single.iter().map(|one| one.units[&Id::from_bits(1)]).collect();
    assert_eq!(units, [2, 1]);
}

#[test]
fn the_rules_choose_service_and_options_unless_the_request_does() {
    let known = items(&[(1, json!({}))]);
    let decided = json!({"service": {"carrier_account": "ca_1", "carrier_service": "express"},
        "options": {"shipping": {"signature_type": "adult"}, "label": {"format": "zpl"}}});
    let with = |carrier: Option<CarrierChoice>| {
        let location = LocationToShip { carrier, ..location(vec![package(&[(1, 1)])], 99, decided.clone()) };
        build(&order(json!({})), &known, location).unwrap().remove(0).details
    };
    let by_rule = with(None);
    let expected = CarrierChoice {
        carrier_code: Some("sandbox".to_owned()),
        service_code: Some("express".to_owned()),
        carrier_accounts: vec!["ca_1".to_owned()],
    };
    assert_eq!(by_rule.carrier, Some(expected));
    let options = by_rule.options.unwrap();
    assert_eq!(options.shipping.unwrap().signature_type.as_deref(), Some("adult"));
    assert!(options.insurance.is_none());
    let own = CarrierChoice { service_code: Some("slow".to_owned()), ..CarrierChoice::default() };
    assert_eq!(with(Some(own.clone())).carrier, Some(own));
}

#[test]
fn an_order_without_a_destination_is_refused() {
    let refused =
        build(&order(json!({"destination": null})), &items(&[]), location(Vec::new(), 1, json!({})));
    assert_eq!(refused.err().map(|problem| problem.code), Some(Code::DestinationMissing));
}

#[test]
fn customs_are_declared_across_a_border_with_what_was_paid() {
    let known = items(&[(1, json!({})), (2, json!({"sku": "CAP", "unit_value": 500}))]);
    let abroad =
        order(json!({"lines": [line(1, 2, Some(1000)), line(1, 1, Some(1001)), line(2, 1, Some(700))],
        "destination": {"address": {"country_code": "US", "province": "NY", "post_code": "10001"}}}));
    let built = build(&abroad, &known, location(vec![package(&[(1, 2), (2, 1)])], 99, json!({}))).unwrap();
    let customs = built[0].details.customs.clone().unwrap();
    assert_eq!(customs.contents_type.as_deref(), Some("merchandise"));
    let lines: Vec<_> = customs.items.iter().map(|line| (line.quantity, line.value, line.mass)).collect();
    assert_eq!(lines, [(2, 2001, Some(0.4)), (1, 700, Some(0.2))], "the mean of several prices, rounded up");
}

#[test]
fn values_come_all_from_prices_or_all_from_items() {
    let known = items(&[(1, json!({})), (2, json!({"sku": "CAP", "unit_value": 500}))]);
    let half = order(json!({"lines": [line(1, 1, Some(1000)), line(2, 1, None)]}));
    assert_eq!(values(&half, &known, &[(1, 2), (2, 1)]), Ok(vec![1800, 500]), "one has no price");
    let gift = order(json!({"lines": [line(1, 1, Some(1000)), line(2, 2, Some(0))]}));
    assert_eq!(values(&gift, &known, &[(1, 1), (2, 2)]), Ok(vec![1000, 1000]), "a gift has its value");
    let without =
        items(&[(1, json!({})), (2, json!({"sku": "CAP", "unit_value": null, "currency_code": null}))]);
    let refused = Err((Code::CustomsDataMissing, vec!["unit_value".to_owned()]));
    assert_eq!(values(&gift, &without, &[(1, 1), (2, 2)]), refused);
    let euros = items(&[(1, json!({})), (2, json!({"sku": "CAP", "currency_code": "EUR"}))]);
    let mixed = Err((Code::CustomsCurrencyMixed, vec![String::new()]));
    assert_eq!(values(&order(json!({})), &euros, &[(1, 1), (2, 1)]), mixed);
    assert_eq!(values(&gift, &euros, &[(1, 1), (2, 1)]), mixed);
}

#[test]
fn what_customs_lack_is_named_by_item_and_field() {
    let bare = items(&[(1, json!({"hs_code": null, "origin_country_code": null, "mass": null}))]);
    let fields = ["mass", "hs_code", "origin_country_code"].map(str::to_owned).to_vec();
    assert_eq!(values(&order(json!({})), &bare, &[(1, 1)]), Err((Code::CustomsDataMissing, fields)));
}

#[test]
fn given_packages_get_the_mass_of_their_contents_and_hold_no_more_than_is_allocated() {
    let known = items(&[(1, json!({})), (2, json!({"sku": "CAP", "mass": null}))]);
    let given = |units: &[(u128, i64)]| -> Vec<GivenPackage> {
        let items: Vec<_> = units
            .iter()
            .map(
                |(bits, quantity)| json!({"id": Id::<InventoryItem>::from_bits(*bits), "quantity": quantity}),
            )
            .collect();
        serde_json::from_value(json!([{"items": items}])).unwrap()
    };
    let packages = packages_of(&given(&[(1, 3)]), &known, &[]).unwrap();
    assert_eq!(packages[0].geometry.and_then(|geometry| geometry.mass), Some(0.6));
    let refused = packages_of(&given(&[(2, 1)]), &known, &[]).err();
    assert_eq!(refused.map(|problem| problem.code), Some(Code::ItemMassMissing));
    let held = [Allocation::open(Id::from_bits(1), Id::from_bits(1), Id::from_bits(1), Id::from_bits(1), 2)];
    assert!(ensure_allocated(&given(&[(1, 2)]), &held).is_ok());
    for too_much in [given(&[(1, 3)]), given(&[(2, 1)])] {
        let refused = ensure_allocated(&too_much, &held).err();
        assert_eq!(refused.map(|problem| problem.code), Some(Code::PackagesExceedAllocations));
    }
}
