//! Tests of the facts that are read from orders, items and shipments.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::tests::{FRIDAY, local};
use super::*;
use crate::platform::shape::parse;
use crate::shipping::shipment::ShipmentInput;
use crate::{CountryCode, Id, InventoryItem};

/// Returns the facts of an order with two mugs and a plate, of which one mug and the plate are shipped.
fn order_facts(order: Value, mug: Value, plate: Value) -> Facts {
    let (mug_id, plate_id) = (Id::<InventoryItem>::from_bits(1), Id::<InventoryItem>::from_bits(2));
    let mut document = json!({"items": [{"id": mug_id, "quantity": 2}, {"id": plate_id, "quantity": 1}]});
    document.as_object_mut().unwrap().extend(order.as_object().unwrap().clone());
    let order: OrderDocument = serde_json::from_value(document).unwrap();
    let read = |item: Value| serde_json::from_value::<ItemDocument>(item).unwrap();
    let items = BTreeMap::from([(mug_id, read(mug)), (plate_id, read(plate))]);
    let units = vec![(mug_id, 1), (plate_id, 1)];
    let shipped = Shipped { origin: None, units, local_time: local(FRIDAY, "UTC") };
    facts_of_order(&order, &items, shipped)
}

#[test]
fn facts_of_an_order_come_from_its_lines_and_its_items() {
    let (mug_id, plate_id) = (Id::<InventoryItem>::from_bits(1), Id::<InventoryItem>::from_bits(2));
    let mug = json!({"sku": "MUG", "mass": 0.3, "dimensions": {"length": 8, "width": 9, "height": 10}, "tags": ["fragile"],
        "unit_value": 500, "currency_code": "EUR"});
    let plate = json!({"sku": "PLATE", "mass": 0.5, "dimensions": {"length": 2, "width": 25, "height": 25}, "tags": null,
        "unit_value": 700, "currency_code": "EUR"});
    let priced = json!({"currency_code": "GBP", "channel": "web", "tags": ["gift"], "lines": [
        {"item_id": mug_id, "quantity": 1, "unit_price": 1000}, {"item_id": mug_id, "quantity": 1, "unit_price": 801},
        {"item_id": plate_id, "quantity": 1, "unit_price": 300}, {"item_id": null, "quantity": 1, "unit_price": 99},
    ]});
    let facts = order_facts(priced, mug.clone(), plate.clone());
    assert_eq!(
        (facts.mass, facts.dimensions),
        (Some(0.8), Some(Sides { length: 25.0, width: 25.0, height: 8.0 }))
    );
    let money = |amount: i64, code: &str| Some(Money { amount, currency_code: code.to_owned() });
    assert_eq!((facts.order_value, facts.contents_value), (money(2200, "GBP"), money(901 + 300, "GBP")));
    assert_eq!(
        (facts.skus, facts.item_tags),
        (vec!["MUG".to_owned(), "PLATE".to_owned()], vec!["fragile".to_owned()])
    );
    assert_eq!((facts.channel.as_deref(), facts.order_tags), (Some("web"), vec!["gift".to_owned()]));

    let unpriced =
        json!({"currency_code": "GBP", "lines": [{"item_id": mug_id, "quantity": 2, "unit_price": null}]});
    let facts = order_facts(unpriced, mug.clone(), plate);
    assert_eq!((facts.order_value, facts.contents_value), (money(1700, "EUR"), money(1200, "EUR")));

    let facts = order_facts(json!({"lines": null}), mug.clone(), json!({"sku": "PLATE"}));
    let why = |fact: &str| facts.unknown[fact].as_str();
    assert_eq!(why("mass"), "The item PLATE has no mass.");
    assert_eq!(why("dimensions"), "The item PLATE has no dimensions.");
    assert_eq!(why("order_value"), "Not all lines have a price, and the item PLATE has no value.");
    let other = json!({"sku": "PLATE", "unit_value": 1, "currency_code": "USD"});
    let facts = order_facts(json!({}), mug, other);
    assert_eq!(facts.unknown["order_value"], "The values of the items are in several currencies.");
}

#[test]
fn facts_of_a_shipment_come_from_its_packages_and_its_customs_items() {
    let address =
        json!({"address": {"line_1": "1 Rue", "city": "Paris", "post_code": "75001", "country_code": "FR"}});
    let vase = Id::<InventoryItem>::from_bits(7);
    let shipment = |more: Value| {
        let mut items = Items::new();
        if more["packages"][0]["items"].is_array() {
            let document = json!({"sku": "VASE", "tags": ["fragile", "fragile"]});
            items.insert(vase, serde_json::from_value(document).unwrap());
        }
        let mut body = json!({
            "addresses": {"origin": address, "destination": address},
            "packages": [{"geometry": {"length": 10, "width": 40, "height": 20, "mass": 1.2}}, {"geometry": {"length": 30, "width": 30, "height": 30, "mass": 0.3}}],
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let input: ShipmentInput = parse(body).unwrap();
        facts_of_shipment(&input, &items, None, local(FRIDAY, "UTC"))
    };
    let facts = shipment(json!({"customs": {"items": [
        {"description": "Mug", "quantity": 2, "value": 1000, "currency_code": "EUR", "sku": "MUG"},
        {"description": "Plate", "quantity": 1, "value": 500},
    ]}}));
    assert_eq!(
        (facts.mass, facts.dimensions),
        (Some(1.5), Some(Sides { length: 40.0, width: 30.0, height: 30.0 }))
    );
    assert_eq!(facts.order_value, Some(Money { amount: 1500, currency_code: "EUR".to_owned() }));
    assert_eq!((facts.destination_country, facts.skus), (CountryCode::parse("FR"), vec!["MUG".to_owned()]));
    let packed = shipment(
        json!({"packages": [{"predefined_package_code": "flat", "items": [{"id": vase, "quantity": 1}]}]}),
    );
    assert_eq!((packed.skus, packed.item_tags), (vec!["VASE".to_owned()], vec!["fragile".to_owned()]));
    let bare = shipment(json!({"packages": [{"predefined_package_code": "flat"}]}));
    assert_eq!((bare.mass, bare.dimensions, bare.order_value), (None, None, None));
    assert_eq!(bare.unknown["mass"], "A package has no mass.");
    assert!(bare.unknown.contains_key("item_tags") && !packed.unknown.contains_key("item_tags"));
    assert_eq!(bare.unknown["order_value"], "The shipment declares no customs items.");
}
