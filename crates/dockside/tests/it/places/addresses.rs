//! Addresses: the fields that a country requires, text without a visible character, and the sandbox words of the test
//! world.

use serde_json::{Value, json};

use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::{errors, parcel_to};
use crate::setup::world::{Reply, World, depot};

/// Changes the postal part of an address.
fn with(mut address: Value, change: &Value) -> Value {
    for (name, value) in change.as_object().unwrap() {
        address[name] = value.clone();
    }
    address
}

fn postal() -> Value {
    depot("x")["address"]["address"].clone()
}

/// The same address as a location, as the destination of a shipment and of an order; each with where it stands.
async fn everywhere(world: &World, address: &Value) -> [(Reply, &'static str); 3] {
    let mut location = depot("Depot");
    location["address"]["address"] = address.clone();
    let mut shipment = parcel();
    shipment["addresses"]["destination"]["address"] = address.clone();
    let known = world.get("/inventory_items").await.ids();
    let item = match known.first() {
        Some(id) => id.clone(),
        None => world.item("HAT").await,
    };
    let order = json!({"items": [{"id": item, "quantity": 1}], "destination": {"address": address}, "status": "draft"});
    [
        (world.post("/locations", location).await, "/address/address"),
        (world.post("/shipments", shipment).await, "/addresses/destination/address"),
        (world.post("/orders", order).await, "/destination/address"),
    ]
}

/// Expects the same refusal of an address everywhere; gives a message of it.
async fn refused(world: &World, change: &Value, code: &str, field: &str) -> String {
    let mut message = String::new();
    for (reply, at) in everywhere(world, &with(postal(), change)).await {
        assert_eq!(reply.status, 422, "{change}: {reply}");
        assert_eq!(reply.issues(), [(code.to_owned(), format!("{at}/{field}"))], "{change}");
        message = reply.json()["errors"][0]["message"].as_str().unwrap().to_owned();
    }
    message
}

async fn accepted(world: &World, change: &Value) -> Value {
    let mut kept = Value::Null;
    for (reply, at) in everywhere(world, &with(postal(), change)).await {
        assert_eq!(reply.status, 201, "{change}: {reply}");
        kept = reply.json().pointer(at).unwrap().clone();
    }
    kept
}

#[tokio::test]
async fn post_codes_are_required_where_the_country_uses_them() {
    let world = World::rehearsal().await;
    for missing in [Value::Null, json!(""), json!("   ")] {
        let message = refused(&world, &json!({"post_code": missing}), "required", "post_code").await;
        assert_eq!(message, "Is required in GB. One looks like EC1Y 8SY.");
    }
    for country in ["IE", "HK", "AE"] {
        accepted(&world, &json!({"post_code": null, "country_code": country, "city": country})).await;
    }
}

#[tokio::test]
async fn provinces_are_checked_where_the_country_has_a_list() {
    let world = World::rehearsal().await;
    let us = |province: Value| json!({"country_code": "US", "post_code": "90277", "province": province});
    assert_eq!(accepted(&world, &us(json!("california"))).await["province"], "CA");
    let message = refused(&world, &us(json!("Californa")), "province_invalid", "province").await;
    assert!(message.contains("Did you mean CA (California)?") && message.contains("WV, WY"), "{message}");
    refused(&world, &us(Value::Null), "required", "province").await;
    let au = json!({"country_code": "AU", "post_code": "2060", "province": "California"});
    let message = refused(&world, &au, "province_invalid", "province").await;
    assert!(message.contains("ACT, JBT, NSW, NT, QLD, SA, TAS, VIC, WA"), "{message}");
    assert_eq!(accepted(&world, &json!({"province": "Avon"})).await["province"], "Avon");
}

#[tokio::test]
async fn blank_names_and_lines_are_refused() {
    let world = World::rehearsal().await;
    for blank in [" ", "\u{200b}", "\u{a0}\u{2060}\u{feff}", "\u{3164}"] {
        for field in ["line_1", "city"] {
            refused(&world, &json!({field: blank}), "blank", field).await;
        }
        let mut body = depot(blank);
        body["address"]["contact"] = json!({"name": blank, "company": blank});
        let expected = ["/name", "/address/contact/name", "/address/contact/company"];
        let found = world.post("/locations", body).await.issues();
        assert_eq!(found, expected.map(|field| ("blank".to_owned(), field.to_owned())), "{blank:?}");
    }
}

#[tokio::test]
async fn words_of_the_sandbox_work_in_the_test_world_only() {
    let rehearsal = World::rehearsal().await;
    let bought = rehearsal.buy(&rehearsal.shipment(parcel_to("SBX-DECLINED")).await).await;
    assert_eq!(errors(&bought), [["purchase_error", "purchase_declined", "carrier"]]);
    let live = World::new().await;
    let expected = [("post_code_invalid".to_owned(), "/addresses/destination/address/post_code".to_owned())];
    let refused = live.post("/shipments", parcel_to("SBX-DECLINED")).await;
    assert_eq!((refused.status.as_u16(), refused.issues()), (422, expected.to_vec()));
    let path = live.shipment(parcel()).await;
    let patch = json!({"addresses": {"destination": {"address": {"post_code": "SBX-DUP"}}}});
    assert_eq!(live.patch(&path, patch).await.issues(), expected);
    // A company may be called so: in the live world that means nothing.
    let table = json!({"currency_code": "GBP", "services": [{"handle": "van", "name": "Van", "rates": [{"rate": 450}]}]});
    let account =
        json!({"carrier": {"handle": "own"}, "name": "Vans", "handle": "vans", "configuration": table});
    assert_eq!(live.post("/carrier_accounts", account).await.status, 201);
    let mut body = parcel();
    body["addresses"]["destination"]["contact"] = json!({"company": "SBX-DECLINED"});
    let path = live.shipment(body).await;
    let service = json!({"carrier_account": "vans", "carrier_service": "van"});
    live.begin(&format!("{path}/purchase"), Some(service)).await;
    live.work().await;
    assert_eq!(live.get(&path).await.json()["status"], "purchased");
    // A location is no destination, so the words are none of its post codes in either world.
    for world in [&rehearsal, &live] {
        let mut body = depot("Depot");
        body["address"]["address"]["post_code"] = json!("SBX-DUP");
        let issues = world.post("/locations", body).await.issues();
        assert_eq!(issues, [("post_code_invalid".to_owned(), "/address/address/post_code".to_owned())]);
    }
}

#[tokio::test]
async fn the_sandbox_demands_customs_data_across_borders() {
    let world = World::rehearsal().await;
    let to = |country: &str, code: &str| {
        let mut body = parcel();
        let change = json!({"country_code": country, "post_code": code});
        body["addresses"]["destination"]["address"] = with(postal(), &change);
        body
    };
    let path = world.shipment(to("FR", "75002")).await;
    assert_eq!(errors(&world.rate(&path).await), [["rate_error", "customs_required", "carrier"]]);
    let failed = world.buy(&path).await;
    assert_eq!(failed["status"], "purchase_failed");
    let error = failed["errors"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&error["type"], &error["code"]), (&json!("purchase_error"), &json!("customs_required")));
    assert!(error["message"].as_str().unwrap().contains("`customs.items`"), "{error}");
    let customs = json!({"customs": {"contents_type": "merchandise", "items": [{"description": "Hat", "quantity": 1, "value": 100}]}});
    assert_eq!(world.patch(&path, customs).await.status, 200);
    assert_eq!(world.buy(&path).await["status"], "purchased");
    // Within a customs union there is nothing to declare.
    let mut within = to("FR", "75002");
    let change = json!({"country_code": "DE", "post_code": "10115"});
    within["addresses"]["origin"]["address"] = with(postal(), &change);
    assert_eq!(world.buy(&world.shipment(within).await).await["status"], "purchased");
}

#[tokio::test]
async fn what_was_stored_under_older_rules_stays_readable_and_usable() {
    let world = World::rehearsal().await;
    let (configuration, origin, _) = world.configuration("Old").await;
    world.tamper("UPDATE location SET doc = replace(doc, '\"post_code\":\"BS1 4DJ\",', '')").await;
    let path = format!("/locations/{origin}");
    let read = world.get(&path).await;
    assert_eq!((read.status.as_u16(), &read.json()["address"]["address"]["post_code"]), (200, &Value::Null));
    assert_eq!(world.patch(&path, json!({"name": "Renamed"})).await.status, 200);
    let back = world.get(&path).await.json();
    assert_eq!(world.patch(&path, back).await.status, 200, "what was read may be sent back");
    let moved = json!({"address": {"address": {"line_1": "2 Quay Street"}}});
    let refused = world.patch(&path, moved).await;
    assert_eq!(refused.issues(), [("required".to_owned(), "/address/address/post_code".to_owned())]);
    let mut body = parcel();
    body["addresses"] =
        json!({"destination": body["addresses"]["destination"], "location_configuration_id": configuration});
    let shipment = world.shipment(body).await;
    assert_eq!(world.buy(&shipment).await["status"], "purchased");
}
