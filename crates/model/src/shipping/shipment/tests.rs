//! Validation of shipments: the interface's own sample round-trips, and each error is reported.

use serde_json::{Value, json};

use super::*;
use crate::Error;
use crate::platform::shape::{parse, parse_patch};
use crate::shipping::indexed_shipment::IndexedShipment;

fn address(country: &str, post_code: &str) -> Value {
    json!({"address": {"line_1": "1 Quay Street", "city": "Town", "post_code": post_code, "country_code": country}})
}

fn least() -> Value {
    json!({
        "addresses": {"destination": address("GB", "BS1 4DJ"), "origin": address("GB", "SW1A 1AA")},
        "packages": [{"geometry": {"mass": 1.2}}],
    })
}

/// All fields that the interface document shows, with its values.
fn whole() -> Value {
    let mut destination = address("US", "94105");
    destination["contact"] = json!({"name": "Jo", "company": "Acme"});
    destination["display_name"] = json!("Jo at Acme");
    destination["metadata"] = json!({"contact_email": "jo@example.com"});
    destination["marketplaces"] = json!({"shopify": "68241883417"});
    destination["coordinates"] = json!({"latitude": 37.79, "longitude": -122.39, "confidence": 1.0});
    destination["address"]["line_2"] = json!("Floor 2");
    destination["address"]["line_3"] = json!("Left");
    destination["address"]["province"] = json!("CA");
    json!({
        "name": "Order 1042",
        "addresses": {
            "destination": destination, "origin": address("GB", "BS1 4DJ"), "return": address("GB", "BS1 4DJ"),
            "location_configuration_id": "lc_01jc4m8v2h9k3n5p7q9r1s3t5v",
        },
        "tax_identifiers": [{"taxable_entity_type": "sender", "identifier_type": "ioss", "value": "IM0123456789", "issuing_country_code": "IE"}],
        "packages": [{"name": "Box", "geometry": {"length": 30.0, "width": 20.0, "height": 10.0, "mass": 1.2}, "predefined_package_code": "parcel"}],
        "customs": {
            "contents_type": "merchandise", "contents_description": "Shirts",
            "declarant": {"name": "Jo", "certify": true, "date": "2026-11-01T09:00:00Z"},
            "incoterm": "DDP", "restriction_type": "other", "restriction_description": "None known", "declaration_message": "True",
            "items": [{"description": "Shirt", "quantity": 2, "value": 2325, "currency_code": "GBP", "mass": 0.4, "hs_code": "610510", "origin_country_code": "GB", "sku": "S-1"}],
            "identifiers": [{"entity_type": "sender", "identifier_type": "ioss", "value": "IM0123456789", "issuing_country_code": "IE"}],
        },
        "options": {
            "shipping": {
                "access_code": "1", "commercial_address": true, "currency_code": "GBP", "date": "2026-11-01T09:00:00Z",
                "delivery_confirmation": true, "dry_ice_mass": 0.5, "dropoff_type": "regular_pickup", "handling_instructions": "Up",
                "high_security": true, "hold_for_pickup": false, "invalid_address_handling": "forward_or_return", "is_return": false,
                "leave_safe": true, "machinable": true, "non_delivery": "return", "restricted_substances": ["dry_ice"],
                "safe_place": "Shed", "saturday_delivery": true, "signature_required": true, "signature_type": "standard",
                "tracked_service": true,
            },
            "label": {"format": "pdf", "size": "4x6", "custom_data": {"text_lines": ["a"], "line_codes": ["b"], "barcodes": ["c"]}},
            "insurance": {"value": 10000, "currency_code": "GBP"},
        },
        "carrier": {"carrier_code": "sandbox", "service_code": "economy", "carrier_accounts": ["ca_01jc4m8v2h9k3n5p7q9r1s3t5v"]},
    })
}

fn issues(body: Value) -> Vec<(String, String)> {
    match parse::<ShipmentInput>(body) {
        Err(Error::Refused(problem)) => {
            problem.issues.into_iter().map(|issue| (issue.code.into_owned(), issue.field)).collect()
        }
        Ok(_) => Vec::new(),
        Err(other) => panic!("{other:?}"),
    }
}

/// Returns whether the first value contains all of the second.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, value)| whole.get(key).is_some_and(|held| contains(held, value)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(held, value)| contains(held, value))
        }
        _ => whole == part,
    }
}

#[test]
fn the_interface_s_sample_comes_back_whole() {
    let input: ShipmentInput = parse(whole()).unwrap();
    let shown = serde_json::to_value(&input).unwrap();
    assert!(contains(&shown, &without_zone(whole())), "{shown:#}");
    let again: ShipmentInput = parse(shown.clone()).unwrap();
    assert_eq!(serde_json::to_value(&again).unwrap(), shown);
}

/// Responses show times with microseconds.
fn without_zone(body: Value) -> Value {
    let text = body.to_string().replace("2026-11-01T09:00:00Z", "2026-11-01T09:00:00.000000Z");
    serde_json::from_str(&text).unwrap()
}

/// A shipment with every field, as it is stored.
fn bought() -> Shipment {
    let now = Timestamp::from_micros(1_793_523_600_000_000);
    let draft = Shipment::draft(Id::from_bits(1), parse(whole()).unwrap(), now);
    let mut doc = serde_json::to_value(&draft).unwrap();
    let part = |id: &str| json!({"id": id, "name": "Sandbox", "handle": "sandbox"});
    doc["service"] = json!({
        "rate": Id::<Rate>::from_bits(2), "carrier": part(&Id::<Carrier>::from_bits(3).to_string()),
        "carrier_service": part(&Id::<CarrierService>::from_bits(4).to_string()),
        "carrier_account": part(&Id::<CarrierAccount>::from_bits(5).to_string()),
    });
    doc["cost"] = json!({"amount": 499, "currency_code": "GBP"});
    doc["status"] = json!("purchased");
    doc["tracking_status"] = json!("in_transit");
    doc["tracking_number"] = json!("SB 1");
    doc["packages"][0]["tracking_number"] = json!("SB 1");
    doc["label_pending"] = json!(true);
    doc["order_id"] = json!(Id::<Order>::from_bits(6));
    doc["complete_allocations_on"] = json!("purchase");
    doc["rule_id"] = json!(Id::<ShippingRuleKind>::from_bits(7));
    for time in ["handed_over_at", "packed_at"] {
        doc[time] = json!(now);
    }
    let mut shipment: Shipment = serde_json::from_value(doc).unwrap();
    let code = ErrorCode::ProviderUnavailable;
    shipment.add_error(ShipmentError::new(ErrorType::Label, code, Source::Provider, "?"));
    shipment
}

#[test]
fn what_is_stored_is_read_again_whole() {
    let doc = serde_json::to_string(&bought()).unwrap();
    let again: Shipment = serde_json::from_str(&doc).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), doc);
}

#[test]
fn a_shipment_is_indexed_as_its_document_is() {
    let unnamed = |mut shipment: Shipment| {
        shipment.details.name = None;
        shipment.details.addresses.destination.contact = None;
        shipment.service = None;
        shipment.errors.clear();
        shipment
    };
    for shipment in [bought(), unnamed(bought())] {
        let doc = serde_json::to_string(&shipment).unwrap();
        assert_eq!(IndexedShipment::from(&shipment), IndexedShipment::of(&doc).unwrap());
    }
}

#[test]
fn the_least_that_is_needed() {
    assert_eq!(issues(least()), []);
    let input: ShipmentInput = parse(least()).unwrap();
    assert_eq!(input.packages[0].geometry.unwrap().grams(), Some(1200));
}

#[test]
fn what_is_wrong_is_named() {
    let set = |change: fn(&mut Value)| {
        let mut body = whole();
        change(&mut body);
        issues(body)
    };
    let one = |code: &str, field: &str| vec![(code.to_owned(), field.to_owned())];
    for (found, expected) in [
        (set(|body| body["packages"] = json!([])), one("too_few", "/packages")),
        (
            set(|body| body["packages"][0] = json!({"name": "x"})),
            one("required", "/packages/0/geometry/mass"),
        ),
        (
            set(|body| body["packages"][0]["geometry"]["mass"] = json!(1500)),
            one("out_of_range", "/packages/0/geometry/mass"),
        ),
        (
            set(|body| body["packages"][0]["geometry"]["width"] = Value::Null),
            one("required", "/packages/0/geometry/width"),
        ),
        (
            set(|body| body["customs"]["items"][0]["value"] = json!(23.25)),
            one("amount_not_integer", "/customs/items/0/value"),
        ),
        (
            set(|body| body["options"]["insurance"]["value"] = json!(0.5)),
            one("amount_not_integer", "/options/insurance/value"),
        ),
        (
            set(|body| body["customs"]["restriction_description"] = Value::Null),
            one("required", "/customs/restriction_description"),
        ),
        (
            set(|body| body["customs"]["items"][0]["hs_code"] = json!("61051")),
            one("too_short", "/customs/items/0/hs_code"),
        ),
        (
            set(|body| body["tax_identifiers"][0]["value"] = json!("123")),
            one("invalid_format", "/tax_identifiers/0/value"),
        ),
        (
            set(|body| body["options"]["label"]["format"] = json!("gif")),
            one("invalid_value", "/options/label/format"),
        ),
        (
            set(|body| body["options"]["label"]["custom_data"]["barcodes"] = json!(["1", "2", "3", "4"])),
            one("too_many", "/options/label/custom_data/barcodes"),
        ),
        (
            set(|body| body["addresses"]["destination"]["address"]["post_code"] = json!("9410")),
            one("post_code_invalid", "/addresses/destination/address/post_code"),
        ),
        (
            set(|body| body["addresses"]["destination"]["marketplaces"] = json!({"shopify": 1})),
            one("invalid_type", "/addresses/destination/marketplaces/shopify"),
        ),
    ] {
        assert_eq!(found, expected);
    }
    let mut body = least();
    body["addresses"]["origin"] = Value::Null;
    assert_eq!(issues(body), one("required", "/addresses/origin"));
}

#[test]
fn a_text_that_is_printed_has_something_to_see() {
    let places = [
        "/addresses/destination/contact/name",
        "/addresses/destination/contact/company",
        "/customs/contents_description",
        "/customs/restriction_description",
        "/customs/declaration_message",
        "/customs/declarant/name",
        "/customs/items/0/manufacturer_product_id",
    ];
    for place in places {
        let (object, field) = place.rsplit_once('/').unwrap();
        let with = |text: &str| {
            let mut body = whole();
            body.pointer_mut(object).unwrap_or_else(|| panic!("{object}"))[field] = json!(text);
            issues(body)
        };
        let one = |code: &str| vec![(code.to_owned(), place.to_owned())];
        for blank in [" ", "\u{200b}", "\u{a0}\u{2060}", "\u{3164}", "\u{fff3}", "\u{1d174}"] {
            assert_eq!(with(blank), one("blank"), "{blank:?}");
        }
        assert_eq!(with("\u{7}"), one("invalid_text"));
        // Forms send their empty fields.
        assert!(with("").is_empty(), "{place}");
    }
    let mut body = whole();
    body["options"]["label"]["custom_data"] = json!({"text_lines": ["a", "\u{200b}"], "barcodes": [" "]});
    let expected = ["/options/label/custom_data/text_lines/1", "/options/label/custom_data/barcodes/0"];
    assert_eq!(issues(body), expected.map(|place| ("blank".to_owned(), place.to_owned())));
}

#[test]
fn a_word_of_the_sandbox_is_no_post_code() {
    let mut body = least();
    body["addresses"]["destination"] = address("GB", "SBX-RATES-NONE");
    let input: ShipmentInput = parse(body).unwrap();
    assert_eq!(input.addresses.destination.sandbox_word(), Some("SBX-RATES-NONE"));
    let mut body = least();
    body["addresses"]["destination"]["contact"] = json!({"company": "SBX-DUP"});
    let input: ShipmentInput = parse(body).unwrap();
    assert_eq!(input.addresses.destination.sandbox_word(), Some("SBX-DUP"));
}

#[test]
fn a_patch_changes_a_part() {
    let patched: ShipmentInput =
        parse_patch(whole(), json!({"options": {"shipping": {"leave_safe": false}}, "customs": null}))
            .unwrap();
    assert_eq!(patched.options.unwrap().shipping.unwrap().leave_safe, Some(false));
    assert!(patched.customs.is_none());
    assert_eq!(patched.name.as_deref(), Some("Order 1042"));
}

#[test]
fn what_is_bought_is_not_open() {
    for status in Status::ALL {
        assert_eq!(Status::parse(status.as_str()), Some(status));
        let is_open = matches!(status, Status::Draft | Status::Rated | Status::PurchaseFailed);
        assert_eq!(status.ensure_open().is_ok(), is_open, "{status:?}");
        assert_eq!(status.ensure_bought().is_ok(), status == Status::Purchased);
    }
}
