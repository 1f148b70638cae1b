//! Shipments: every field of theirs comes back as it was sent, and what they copied never changes again.

use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

/// Every field that the interface shows, with the values that it shows.
pub fn full_shipment() -> Value {
    let record = |name: &str, line: &str, post_code: &str, country: &str| {
        json!({
            "display_name": name,
            "address": {
                "line_1": line, "line_2": "Unit 2", "line_3": "Floor 3", "city": "Bristol", "province": "Avon",
                "post_code": post_code, "country_code": country,
            },
            "contact": {
                "name": "Ada Lovelace", "company": "Acme", "email_address": "ada@example.com",
                "phone_number": "+44 117 496 0000",
            },
            "metadata": {"contact_email": "ada@example.com", "floor": 3},
            "marketplaces": {"shopify": "68241883417"},
            "coordinates": {"latitude": 51.4494, "longitude": -2.5979, "confidence": 1.0},
        })
    };
    json!({
        "name": "Order 1042",
        "addresses": {
            "destination": record("Customer", "12 rue de la Paix", "75002", "FR"),
            "origin": record("Depot", "1 Quay Street", "BS1 4DJ", "GB"),
            "return": record("Returns", "2 Quay Street", "BS1 4DJ", "GB"),
            "location_configuration_id": null,
        },
        "tax_identifiers": [
            {"taxable_entity_type": "sender", "identifier_type": "ioss", "value": "IM0123456789", "issuing_country_code": "FR"},
        ],
        "packages": [
            {"name": "Box", "geometry": {"length": 30.0, "width": 20.5, "height": 10.0, "mass": 1.234}, "predefined_package_code": null},
            {"name": null, "geometry": null, "predefined_package_code": "flat_rate_envelope"},
        ],
        "customs": {
            "contents_type": "merchandise", "contents_description": "Clothes",
            "declarant": {"name": "Ada Lovelace", "certify": true, "date": "2026-11-01T09:00:00.000000Z"},
            "incoterm": "DDP", "restriction_type": "other", "restriction_description": "None of the usual",
            "declaration_message": "As agreed",
            "items": [{
                "description": "Cotton shirt", "quantity": 2, "value": 2325, "currency_code": "GBP", "mass": 0.4,
                "hs_code": "610910", "origin_country_code": "PT", "sku": "SHIRT-M",
                "manufacturer_product_id": "M-1", "standardized_product_id": "5012345678900",
            }],
            "identifiers": [
                {"entity_type": "sender", "identifier_type": "ioss", "value": "IM0123456789", "issuing_country_code": "FR"},
            ],
        },
        "options": {
            "shipping": {
                "access_code": "1234", "commercial_address": true, "currency_code": "GBP",
                "date": "2026-11-02T08:00:00.000000Z", "delivery_confirmation": true, "dry_ice_mass": 0.5,
                "dropoff_type": "regular_pickup", "handling_instructions": "This side up", "high_security": false,
                "hold_for_pickup": false, "invalid_address_handling": "forward_or_return", "is_return": false,
                "leave_safe": true, "machinable": true, "non_delivery": "return",
                "restricted_substances": ["batteries_lithium_ion"], "safe_place": "Porch",
                "saturday_delivery": false, "signature_required": true, "signature_type": "standard",
                "tracked_service": true,
            },
            "label": {
                "format": "pdf", "size": "4x6",
                "custom_data": {"text_lines": ["Fragile"], "line_codes": ["A1"], "barcodes": ["1042"]},
            },
            "insurance": {"value": 10_000, "currency_code": "GBP"},
        },
        "carrier": {"carrier_code": "sandbox", "service_code": "standard", "carrier_accounts": ["sandbox"]},
    })
}

/// What of the first is not in the second, by its place.
fn missing(sent: &Value, shown: &Value, at: &str) -> Vec<String> {
    match (sent, shown) {
        (Value::Object(sent), Value::Object(shown)) => {
            let nothing = json!("is not there");
            let below = |(name, value): (&String, &Value)| {
                missing(value, shown.get(name).unwrap_or(&nothing), &format!("{at}/{name}"))
            };
            sent.iter().flat_map(below).collect()
        }
        (Value::Array(sent), Value::Array(shown)) if sent.len() == shown.len() => {
            let pairs = sent.iter().zip(shown).enumerate();
            pairs.flat_map(|(place, (sent, shown))| missing(sent, shown, &format!("{at}/{place}"))).collect()
        }
        (sent, shown) if sent == shown => Vec::new(),
        (sent, shown) => vec![format!("{at}: {sent} became {shown}")],
    }
}

#[tokio::test]
async fn every_field_of_the_interface_comes_back_as_it_was_sent() {
    let world = World::rehearsal().await;
    let sent = full_shipment();
    let made = world.post("/shipments", sent.clone()).await;
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(missing(&sent, &made.json(), ""), Vec::<String>::new());
    let path = made.header("location");
    assert_eq!(world.get(path).await.text, made.text);
    assert_eq!(world.get("/shipments").await.json()["data"], json!([made.json()]));
    let given = made.json();
    for (name, value) in [
        ("documents", json!([])),
        ("rates", json!([])),
        ("errors", json!([])),
        ("service", Value::Null),
        ("tracking_number", Value::Null),
        ("status", json!("draft")),
        ("tracking_status", json!("unknown")),
    ] {
        assert_eq!(given[name], value, "{name}");
    }
    // A client may post what it read, which makes another shipment with the same fields.
    let copy = world.post("/shipments", given.clone()).await;
    assert_eq!(copy.status, 201, "{copy}");
    assert_ne!(copy.json()["id"], given["id"]);
    assert_eq!(missing(&sent, &copy.json(), ""), Vec::<String>::new());
    let same = world.patch(path, given).await;
    assert_eq!((same.status.as_u16(), missing(&sent, &same.json(), "")), (200, Vec::new()));
    // After the purchase, all fields are still as they were sent.
    world.buy(path).await;
    assert_eq!(missing(&sent, &world.get(path).await.json(), ""), Vec::<String>::new());
}

#[tokio::test]
async fn a_copy_of_what_was_bought_is_not_bought() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let mut bought = world.buy(&path).await;
    assert!(bought["packages"][0]["tracking_number"].is_string());
    // The server accepts and ignores any value in a field that only it sets.
    for number in [bought["packages"][0]["tracking_number"].clone(), json!({}), json!(7)] {
        bought["packages"][0]["tracking_number"] = number;
        let copy = world.post("/shipments", bought.clone()).await;
        assert_eq!((copy.status.as_u16(), copy.json()["status"].as_str()), (201, Some("draft")), "{copy}");
        assert_eq!(
            (&copy.json()["packages"][0]["tracking_number"], &copy.json()["documents"]),
            (&Value::Null, &json!([]))
        );
    }
}

#[tokio::test]
async fn the_least_that_a_shipment_needs() {
    let world = World::rehearsal().await;
    let made = world.post("/shipments", parcel()).await.json();
    for name in ["name", "customs", "options", "carrier"] {
        assert_eq!(made[name], Value::Null, "{name}");
    }
    assert_eq!(
        (made["tax_identifiers"].clone(), made["addresses"]["return"].clone()),
        (json!([]), Value::Null)
    );
    let mut nowhere = parcel();
    nowhere["addresses"].as_object_mut().unwrap().remove("origin");
    let refused = world.post("/shipments", nowhere).await;
    assert_eq!(refused.issues(), [("required".to_owned(), "/addresses/origin".to_owned())]);
    for (field, place) in [("addresses", "/addresses"), ("packages", "/packages")] {
        let mut body = parcel();
        body.as_object_mut().unwrap().remove(field);
        assert_eq!(
            world.post("/shipments", body).await.issues(),
            [("required".to_owned(), place.to_owned())]
        );
    }
    let mut empty = parcel();
    empty["packages"] = json!([]);
    assert_eq!(world.post("/shipments", empty).await.issues()[0].1, "/packages");
}

/// A shipment from a configuration, with the parts of its path and the ids of what it copied.
async fn from_configuration(world: &World) -> (String, [String; 3]) {
    let (configuration, origin, back) = world.configuration("Main").await;
    let details = json!({
        "address": {"contact": {"name": "Goods in"}},
        "marketplaces": {"shopify": ["1", "2"]},
        "coordinates": {"latitude": 51.4, "longitude": -2.5},
    });
    assert_eq!(world.patch(format!("/locations/{origin}"), details).await.status, 200);
    let mut body = parcel();
    body["addresses"].as_object_mut().unwrap().remove("origin");
    body["addresses"]["location_configuration_id"] = json!(configuration);
    (world.shipment(body).await, [configuration, origin, back])
}

#[tokio::test]
async fn addresses_are_copied_from_a_configuration() {
    let world = World::rehearsal().await;
    let (path, [configuration, ..]) = from_configuration(&world).await;
    let addresses = world.get(&path).await.json()["addresses"].clone();
    assert_eq!(addresses["location_configuration_id"], configuration);
    let origin = &addresses["origin"];
    assert_eq!(
        (origin["display_name"].as_str(), origin["address"]["line_1"].as_str()),
        (Some("Origin"), Some("1 Quay Street"))
    );
    assert_eq!(
        (origin["contact"]["name"].as_str(), &origin["marketplaces"]),
        (Some("Goods in"), &json!({"shopify": "1"}))
    );
    assert_eq!(origin["coordinates"], json!({"latitude": 51.4, "longitude": -2.5, "confidence": 1.0}));
    assert_eq!(addresses["return"]["display_name"], "Return");
    // Addresses in the request are not overwritten.
    let mut body = parcel();
    body["addresses"]["location_configuration_id"] = json!(configuration);
    body["addresses"]["origin"]["display_name"] = json!("Given");
    let given = world.get(world.shipment(body).await).await.json()["addresses"].clone();
    assert_eq!(
        (given["origin"]["display_name"].as_str(), given["return"]["display_name"].as_str()),
        (Some("Given"), Some("Return"))
    );
    let mut unknown = parcel();
    unknown["addresses"]["location_configuration_id"] = json!("lc_77777777777777777777777777");
    let refused = world.post("/shipments", unknown).await;
    assert_eq!(refusal(&refused), (422, "location_configuration_not_found".to_owned()));
    assert_eq!(refused.issues()[0].1, "/addresses/location_configuration_id");
}

#[tokio::test]
async fn copies_are_never_links() {
    let world = World::rehearsal().await;
    let (path, [configuration, origin, back]) = from_configuration(&world).await;
    let (bought, _) = from_configuration(&world).await;
    world.buy(&bought).await;
    let before = world.get(&path).await.text;
    let listed = world.get("/shipments").await.text;
    let moved =
        json!({"name": "Moved", "address": {"address": {"line_1": "9 New Road", "post_code": "EC1A 1BB"}}});
    for location in [&origin, &back] {
        assert_eq!(world.patch(format!("/locations/{location}"), moved.clone()).await.status, 200);
    }
    assert_eq!(world.get(&path).await.text, before);
    let other = world.location("Other").await;
    let pair = json!({"name": "Other", "locations": {"origin": {"id": other}, "return": {"id": other}}});
    assert_eq!(world.patch(format!("/location_configurations/{configuration}"), pair).await.status, 200);
    assert_eq!(world.get(&path).await.text, before);
    assert_eq!(world.delete(format!("/location_configurations/{configuration}")).await.status, 204);
    for location in [origin, back, other] {
        assert_eq!(world.delete(format!("/locations/{location}")).await.status, 204);
    }
    assert_eq!(world.get(&path).await.text, before);
    assert_eq!(world.get("/shipments").await.text, listed);
    // It can still be changed and bought.
    assert_eq!(world.patch(&path, json!({"name": "Late"})).await.status, 200);
    assert_eq!(world.buy(&path).await["status"], "purchased");
}

#[tokio::test]
async fn naming_another_configuration_copies_anew() {
    let world = World::rehearsal().await;
    let (path, _) = from_configuration(&world).await;
    let location = world.location("Elsewhere").await;
    let pair = json!({"name": "x", "locations": {"origin": {"id": location}, "return": {"id": location}}});
    let other = world.post("/location_configurations", pair).await.json()["id"].clone();
    let patched = world.patch(&path, json!({"addresses": {"location_configuration_id": other}})).await.json();
    for name in ["origin", "return"] {
        assert_eq!(patched["addresses"][name]["display_name"], "Elsewhere", "{name}");
    }
    assert_eq!(patched["addresses"]["location_configuration_id"], other);
}

#[tokio::test]
async fn what_carriers_said_is_forgotten_with_what_they_said_it_of() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let rated = world.rate(&path).await;
    let renamed = world.patch(&path, json!({"name": "Order 7"})).await.json();
    assert_eq!((renamed["status"].as_str(), &renamed["rates"]), (Some("rated"), &rated["rates"]));
    let same = world.patch(&path, json!({"packages": rated["packages"]})).await.json();
    assert_eq!(
        (same["status"].as_str(), &same["rates"]),
        (Some("rated"), &rated["rates"]),
        "nothing changed"
    );
    let changed = world.patch(&path, json!({"packages": [{"geometry": {"mass": 2}}]})).await.json();
    assert_eq!((changed["status"].as_str(), changed["rates"].clone()), (Some("draft"), json!([])));
    let event = world.newest_event("shipment.updated").await;
    assert_eq!(event["previous_attributes"]["status"], "rated");
    assert_eq!(event["previous_attributes"]["packages"][0]["geometry"]["mass"], 1.2);
    assert_eq!(event["previous_attributes"].get("addresses"), None);
    assert_eq!(world.story(&path).await.len(), 5);
}

#[tokio::test]
async fn a_shipment_is_deleted_until_it_is_bought() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    world.rate(&path).await;
    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(refusal(&world.get(&path).await), (404, "not_found".to_owned()));
    assert_eq!(world.newest_event("shipment.deleted").await["data"]["object"]["status"], "rated");
    let failed = world.shipment(crate::setup::purchase_requests::parcel_to("SBX-DECLINED")).await;
    assert_eq!(world.buy(&failed).await["status"], "purchase_failed");
    assert_eq!(world.delete(&failed).await.status, 204);
    assert_eq!(world.get("/purchase_attempts").await.ids(), Vec::<String>::new());
}

#[tokio::test]
async fn shipments_are_listed_by_status() {
    let world = World::rehearsal().await;
    let draft = world.shipment(parcel()).await;
    let rated = world.shipment(parcel()).await;
    world.rate(&rated).await;
    let [bought, voided] = [world.shipment(parcel()).await, world.shipment(parcel()).await];
    for path in [&bought, &voided] {
        world.buy(path).await;
    }
    world.begin(&format!("{voided}/void"), None).await;
    world.work().await;
    let failed = world.shipment(crate::setup::purchase_requests::parcel_to("SBX-FUNDS")).await;
    world.buy(&failed).await;
    let purchasing = world.shipment(parcel()).await;
    world
        .begin(&format!("{purchasing}/purchase"), Some(crate::setup::purchase_requests::service("economy")))
        .await;
    for (status, path) in [
        ("draft", &draft),
        ("rated", &rated),
        ("purchased", &bought),
        ("voided", &voided),
        ("purchase_failed", &failed),
        ("purchasing", &purchasing),
    ] {
        let list = world.get(format!("/shipments?status={status}")).await;
        assert_eq!(list.ids(), [path.rsplit('/').next().unwrap()], "{status}");
    }
    assert_eq!(world.get("/shipments").await.ids().len(), 6);
    assert_eq!(refusal(&world.get("/shipments?status=lost").await), (400, "invalid_query".to_owned()));
    let page = world.get("/shipments?limit=1").await.json();
    let cursor = page["next_cursor"].as_str().unwrap();
    let filtered = world.get(format!("/shipments?status=draft&cursor={cursor}")).await;
    assert_eq!(refusal(&filtered), (400, "invalid_cursor".to_owned()));
}
