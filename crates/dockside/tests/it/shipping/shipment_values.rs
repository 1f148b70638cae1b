//! What a shipment's fields may hold: every allowed value is kept, every other one is refused with what is allowed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::world::{Reply, World};
use crate::shipping::shipments::full_shipment;

/// A field of a shipment, its schema and property in the contract, and all values that it may have.
struct Words {
    at: &'static str,
    schema: &'static str,
    words: &'static str,
}

const IDENTIFIERS: &str =
    "ioss vat eori ein ssn tin gst pan voec pccc oss passport abn ird arn ukims cnp national_id other";
const FIELDS: &[Words] = &[
    Words {
        at: "/customs/contents_type",
        schema: "Customs",
        words: "documents gift merchandise returned_goods sample dangerous_goods humanitarian_donation other",
    },
    Words { at: "/options/shipping/non_delivery", schema: "ShippingOptions", words: "return abandon" },
    Words {
        at: "/customs/restriction_type",
        schema: "Customs",
        words: "none other quarantine sanitary_phytosanitary_inspection",
    },
    Words {
        at: "/customs/incoterm",
        schema: "Customs",
        words: "EXW FCA CPT CIP DAP DPU DDP FAS FOB CFR CIF DAT DDU DAF DEQ DES",
    },
    Words {
        at: "/options/shipping/dropoff_type",
        schema: "ShippingOptions",
        words: "regular_pickup scheduled_pickup retail_location station drop_box",
    },
    Words {
        at: "/options/shipping/signature_type",
        schema: "ShippingOptions",
        words: "standard adult direct indirect certified carrier_confirmation none",
    },
    Words {
        at: "/options/shipping/invalid_address_handling",
        schema: "ShippingOptions",
        words: "forward_or_return forward_and_notify return discard_and_notify leave_if_no_response",
    },
    Words {
        at: "/options/shipping/restricted_substances/0",
        schema: "ShippingOptions",
        words: "alcohol batteries_lithium_ion batteries_lithium_metal dry_ice biological flammable limited_quantity tobacco other",
    },
    Words {
        at: "/tax_identifiers/0/taxable_entity_type",
        schema: "TaxIdentifier",
        words: "sender recipient importer_of_record",
    },
    Words {
        at: "/customs/identifiers/0/entity_type",
        schema: "CustomsIdentifier",
        words: "sender recipient importer_of_record",
    },
    Words { at: "/tax_identifiers/0/identifier_type", schema: "TaxIdentifier", words: IDENTIFIERS },
    Words { at: "/customs/identifiers/0/identifier_type", schema: "CustomsIdentifier", words: IDENTIFIERS },
    Words { at: "/options/label/format", schema: "LabelOptions", words: "png zpl pdf" },
    Words { at: "/options/label/size", schema: "LabelOptions", words: "4x6 4x8 a6 a5 a4 letter" },
];

/// A whole shipment with one field that is another.
fn with(at: &str, value: Value) -> Value {
    let mut body = full_shipment();
    *body.pointer_mut(at).unwrap_or_else(|| panic!("the shipment has no {at}")) = value;
    body
}

async fn refusal_of(world: &World, body: Value) -> (Reply, Vec<(String, String)>) {
    let reply = world.post("/shipments", body).await;
    assert_eq!(reply.status, 422, "{reply}");
    let issues = reply.issues();
    (reply, issues)
}

#[tokio::test]
async fn every_allowed_word_is_kept_and_another_is_refused_with_the_list() {
    let world = World::rehearsal().await;
    for Words { at, words, .. } in FIELDS {
        for word in words.split(' ') {
            let reply = world.post("/shipments", with(at, json!(word))).await;
            assert_eq!(
                (reply.status.as_u16(), reply.json().pointer(at)),
                (201, Some(&json!(word))),
                "{at}: {reply}"
            );
        }
        for other in ["something_else", "", &words.to_uppercase(), &words.to_lowercase()] {
            let (reply, issues) = refusal_of(&world, with(at, json!(other))).await;
            assert_eq!(issues, [("invalid_value".to_owned(), (*at).to_owned())], "{reply}");
            let message = reply.json()["errors"][0]["message"].as_str().unwrap().to_owned();
            assert!(words.split(' ').all(|word| message.contains(word)), "{at}: {message}");
        }
    }
}

/// All words that a schema lets pass, wherever in it they stand.
fn words_in(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(parts) => {
            for (name, part) in parts {
                match (name.as_str(), part) {
                    ("enum", Value::Array(words)) => {
                        found.extend(words.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    _ => words_in(part, found),
                }
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| words_in(part, found)),
        _ => {}
    }
}

#[tokio::test]
async fn the_contract_has_every_allowed_word() {
    let world = World::new().await;
    let document = world.request("GET", "/openapi.json").anonymous().send().await.json();
    let schemas = &document["components"]["schemas"];
    let check = |schema: &str, property: &str, words: &str| {
        let mut found = BTreeSet::new();
        words_in(&schemas[schema]["properties"][property], &mut found);
        let expected: BTreeSet<String> = words.split(' ').map(str::to_owned).collect();
        assert_eq!(found, expected, "{schema}.{property}");
    };
    for Words { at, schema, words } in FIELDS {
        let property = at.trim_end_matches("/0").rsplit('/').next().unwrap();
        check(schema, property, words);
    }
    let types = "label labels return_label commercial_invoice cn22 cn23 packing_slip manifest pick_list packing_slips papers";
    check("Document", "type", types);
    check("Shipment", "status", "draft rated purchasing purchased purchase_failed voided");
    check(
        "Shipment",
        "tracking_status",
        "unknown pre_transit in_transit out_for_delivery available_for_pickup delivered return_to_sender failure cancelled",
    );
    check(
        "ShipmentError",
        "type",
        "validation_error rate_error purchase_error label_error manifest_error void_error",
    );
    check("ShipmentError", "source", "request service carrier provider");
    check(
        "ShipmentError",
        "code",
        "rates_unavailable rate_expired address_invalid post_code_invalid service_unavailable insufficient_funds \
         credentials_invalid customs_required weight_limit dimensions_limit label_format_unavailable option_unavailable \
         purchase_declined provider_timeout provider_unavailable outcome_unknown duplicate_purchase_voided insufficient_stock order_on_hold order_cancelled order_blocked",
    );
}

#[tokio::test]
async fn amounts_are_whole_numbers_of_the_smallest_unit() {
    let world = World::rehearsal().await;
    for at in ["/customs/items/0/value", "/options/insurance/value"] {
        for amount in [json!(23.25), json!(0.5), json!(1e-3)] {
            let (_, issues) = refusal_of(&world, with(at, amount.clone())).await;
            assert_eq!(issues, [("amount_not_integer".to_owned(), at.to_owned())], "{amount}");
        }
        for (amount, code) in [
            (json!(-1), "out_of_range"),
            (json!(1_000_000_000_001_i64), "out_of_range"),
            (json!("2325"), "invalid_type"),
        ] {
            let (_, issues) = refusal_of(&world, with(at, amount.clone())).await;
            assert_eq!(issues, [(code.to_owned(), at.to_owned())], "{amount}");
        }
        for amount in [json!(0), json!(2325), json!(2325.0), json!(1_000_000_000_000_i64)] {
            let made = world.post("/shipments", with(at, amount.clone())).await;
            assert_eq!(
                made.json().pointer(at).and_then(Value::as_i64),
                amount.as_f64().map(|amount| amount as i64)
            );
        }
    }
    for at in [
        "/customs/items/0/currency_code",
        "/options/insurance/currency_code",
        "/options/shipping/currency_code",
    ] {
        for code in ["gbp", "XXX", "POUND", ""] {
            assert_eq!(
                refusal_of(&world, with(at, json!(code))).await.1,
                [("invalid_value".to_owned(), at.to_owned())]
            );
        }
    }
}

#[tokio::test]
async fn measures_are_kilograms_and_centimetres_rounded_up() {
    let world = World::rehearsal().await;
    let mass = "/packages/0/geometry/mass";
    for (at, sent, kept) in [
        (mass, json!(1.2341), 1.235),
        (mass, json!(0.0001), 0.001),
        (mass, json!(1000), 1000.0),
        ("/packages/0/geometry/length", json!(30.01), 30.1),
        ("/packages/0/geometry/height", json!(600), 600.0),
        ("/customs/items/0/mass", json!(0.40001), 0.401),
    ] {
        let made = world.post("/shipments", with(at, sent.clone())).await;
        assert_eq!(
            (made.status.as_u16(), made.json().pointer(at).and_then(Value::as_f64)),
            (201, Some(kept)),
            "{at} {sent}"
        );
    }
    for (at, wrong) in [
        (mass, json!(0)),
        (mass, json!(-1)),
        (mass, json!(1000.1)),
        (mass, json!(1500)),
        ("/packages/0/geometry/width", json!(600.1)),
        ("/packages/0/geometry/width", json!(0)),
    ] {
        assert_eq!(
            refusal_of(&world, with(at, wrong.clone())).await.1,
            [("out_of_range".to_owned(), at.to_owned())],
            "{wrong}"
        );
    }
    let required = |at: &str| vec![("required".to_owned(), at.to_owned())];
    assert_eq!(
        refusal_of(&world, with("/packages/0/geometry/width", Value::Null)).await.1,
        required("/packages/0/geometry/width")
    );
    for geometry in [Value::Null, json!({}), json!({"length": 1, "width": 1, "height": 1})] {
        let mut body = parcel();
        body["packages"] = json!([{"geometry": geometry}]);
        assert_eq!(refusal_of(&world, body).await.1, required("/packages/0/geometry/mass"));
        let mut body = parcel();
        body["packages"] = json!([{"geometry": geometry, "predefined_package_code": "flat_rate_envelope"}]);
        assert_eq!(world.post("/shipments", body).await.status, 201, "{geometry}");
    }
}

#[tokio::test]
async fn post_codes_are_those_of_the_country_or_a_word_of_the_sandbox() {
    let world = World::rehearsal().await;
    let to = |country: &str, code: &str| {
        let mut body = parcel();
        body["addresses"]["destination"]["address"]["country_code"] = json!(country);
        body["addresses"]["destination"]["address"]["post_code"] = json!(code);
        body
    };
    for (country, code, kept) in [
        ("GB", "bs14dj", "BS1 4DJ"),
        ("GB", "SBX-DUP", "SBX-DUP"),
        ("FR", "75002", "75002"),
        ("HK", "whatever", "WHATEVER"),
    ] {
        let made = world.post("/shipments", to(country, code)).await;
        assert_eq!(made.json()["addresses"]["destination"]["address"]["post_code"], kept, "{made}");
    }
    for (country, code) in [("GB", "75002"), ("FR", "BS1 4DJ"), ("DE", "1234")] {
        let (_, issues) = refusal_of(&world, to(country, code)).await;
        assert_eq!(
            issues,
            [("post_code_invalid".to_owned(), "/addresses/destination/address/post_code".to_owned())]
        );
    }
}

#[tokio::test]
async fn fields_that_go_together_are_asked_for_together() {
    let world = World::rehearsal().await;
    let one = |code: &str, at: &str| vec![(code.to_owned(), at.to_owned())];
    for (at, value, expected) in [
        (
            "/customs/restriction_description",
            Value::Null,
            one("required", "/customs/restriction_description"),
        ),
        ("/tax_identifiers/0/value", json!("IM123"), one("invalid_format", "/tax_identifiers/0/value")),
        (
            "/tax_identifiers/0/value",
            json!("XX0123456789"),
            one("invalid_format", "/tax_identifiers/0/value"),
        ),
        (
            "/customs/identifiers/0/value",
            json!("0123456789"),
            one("invalid_format", "/customs/identifiers/0/value"),
        ),
        ("/customs/items/0/hs_code", json!("6109101"), one("invalid_format", "/customs/items/0/hs_code")),
        (
            "/addresses/origin/marketplaces/shopify",
            json!(68_241_883_417_i64),
            one("invalid_type", "/addresses/origin/marketplaces/shopify"),
        ),
        (
            "/options/label/custom_data/text_lines",
            json!(["1", "2", "3", "4"]),
            one("too_many", "/options/label/custom_data/text_lines"),
        ),
        (
            "/options/label/custom_data/barcodes",
            json!(["1", "2", "3", "4"]),
            one("too_many", "/options/label/custom_data/barcodes"),
        ),
    ] {
        assert_eq!(refusal_of(&world, with(at, value)).await.1, expected);
    }
    let mut body = full_shipment();
    body["tax_identifiers"] = json!(vec![body["tax_identifiers"][0].clone(); 9]);
    assert_eq!(refusal_of(&world, body).await.1, one("too_many", "/tax_identifiers"));
    let mut body = full_shipment();
    body["packages"] = json!(vec![body["packages"][0].clone(); 100]);
    assert_eq!(refusal_of(&world, body).await.1, one("too_many", "/packages"));
    let mut body = with("/customs/restriction_type", json!("none"));
    body["customs"]["restriction_description"] = Value::Null;
    assert_eq!(world.post("/shipments", body).await.status, 201);
    let mut body = full_shipment();
    body["parcels"] = json!([]);
    assert_eq!(refusal_of(&world, body).await.1, one("unknown_field", "/parcels"));
}
