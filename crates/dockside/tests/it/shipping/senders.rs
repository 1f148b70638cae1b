//! The sender of a parcel: papers name contacts and never locations, and the sender of a return is the customer.

use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use crate::setup::purchase_requests::errors;
use crate::setup::receiver::{Answer, Receiver};
use crate::setup::shipping_origin::ShippingOrigin;
use crate::setup::world::World;

const SECRET: &str = "SECRET-QX7";

/// A location whose internal name must appear on no paper and in no request to a carrier.
async fn secret_location(world: &World, line: &str, contact: Value) -> String {
    let body = json!({"name": format!("{SECRET} {line}"), "address": {
        "address": {"line_1": line, "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"},
        "contact": contact}});
    let reply = world.post("/locations", body).await;
    assert_eq!(reply.status, 201, "{reply}");
    reply.json()["id"].as_str().unwrap().to_owned()
}

/// A shipping origin whose origin has a contact, and whose return address is elsewhere and has none.
async fn secret_origin(world: &World) -> ShippingOrigin {
    let contact = json!({"name": "Dispatch", "company": "Acme Ltd"});
    let location = secret_location(world, "1 Quay Street", contact).await;
    let back = secret_location(world, "9 Returns Road", Value::Null).await;
    let body = json!({"name": "Pair", "locations": {"origin": {"id": location}, "return": {"id": back}}});
    let reply = world.post("/location_configurations", body).await;
    ShippingOrigin { location, configuration: reply.json()["id"].as_str().unwrap().to_owned() }
}

fn shipment(shipping_origin: &ShippingOrigin, options: &Value) -> Value {
    let mut shipping = options.clone();
    shipping["date"] = json!("2026-11-01T12:00:00Z");
    json!({
        "addresses": {
            "location_configuration_id": shipping_origin.configuration,
            "destination": {"display_name": "Ada at home", "address": {"line_1": "77 Beach Avenue", "city": "Redondo Beach",
                "province": "California", "post_code": "90277", "country_code": "US"}, "contact": {"name": "Ada Byron"}},
        },
        "packages": [{"geometry": {"mass": 1}}],
        "customs": {"contents_type": "merchandise", "items": [{"description": "Shirt", "quantity": 1, "value": 500000, "currency_code": "GBP"}]},
        "options": {"shipping": shipping, "label": {"format": "zpl"}},
    })
}

/// The documents of a shipment, as text.
async fn files(world: &World, shipment: &Value) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for document in shipment["documents"].as_array().unwrap() {
        let url = document["file_url"].as_str().unwrap();
        let path = url.strip_prefix("https://dockside.example.com").unwrap();
        let (_, body) = world.request("GET", path).anonymous().open().await;
        let bytes = body.collect().await.unwrap().to_bytes();
        files.push((
            document["type"].as_str().unwrap().to_owned(),
            String::from_utf8_lossy(&bytes).into_owned(),
        ));
    }
    files
}

/// An account with a carrier that only listens; gives the carrier.
async fn listening_carrier(world: &World) -> Receiver {
    let carrier = Receiver::new().await;
    carrier.answer(Answer::status(200).body(r#"{"rates":[],"errors":[]}"#));
    let account = json!({"carrier": {"handle": "sandbox"}, "name": "Listener", "configuration": {"url": carrier.url("")}});
    assert_eq!(world.post("/carrier_accounts", account).await.status, 201);
    carrier
}

#[tokio::test]
async fn a_location_s_name_is_never_printed_or_sent_to_a_carrier() {
    let world = World::rehearsal().await;
    let shipping_origin = secret_origin(&world).await;
    let carrier = listening_carrier(&world).await;
    for is_return in [false, true] {
        let path = world.shipment(shipment(&shipping_origin, &json!({"is_return": is_return}))).await;
        let shown = world.rate(&path).await;
        let origin = shown["addresses"]["origin"]["display_name"].as_str().unwrap();
        assert!(origin.starts_with(SECRET), "the merchant still sees the name: {shown}");
        let told = carrier.take();
        let told = String::from_utf8_lossy(&told[0].body).into_owned();
        assert!(told.contains("Ada Byron") && told.contains("9 Returns Road"), "{told}");
        assert!(!told.contains(SECRET) && !told.contains("lc_"), "{told}");
        let bought = world.buy(&path).await;
        assert_eq!(bought["status"], "purchased", "{bought}");
        let files = files(&world, &bought).await;
        let types: Vec<_> = files.iter().map(|(r#type, _)| r#type.as_str()).collect();
        assert!(types.contains(&"label") && types.contains(&"commercial_invoice"), "{types:?}");
        let (_, zpl) = &files[0];
        assert!(zpl.contains("^FD9 Returns Road") || zpl.contains("9 Returns Road"), "{zpl}");
        assert!(is_return || zpl.contains("^FDDispatch^FS") && zpl.contains("^FDAcme Ltd^FS"), "{zpl}");
        for (r#type, text) in &files {
            assert!(!text.contains(SECRET), "{type}");
        }
    }
    let manifest = shipping_origin.close(&world).await.remove(0);
    assert_eq!(manifest["status"], "created", "{manifest}");
}

#[tokio::test]
async fn a_return_travels_from_the_destination_to_the_return_address() {
    let world = World::rehearsal().await;
    let shipping_origin = secret_origin(&world).await;
    let carrier = listening_carrier(&world).await;
    let path = world.shipment(shipment(&shipping_origin, &json!({"is_return": true}))).await;
    let rated = world.rate(&path).await;
    assert_eq!(rated["rates"].as_array().map(Vec::len), Some(3), "{rated}");
    assert_eq!(
        rated["addresses"]["destination"]["address"]["line_1"], "77 Beach Avenue",
        "it is shown as it was sent"
    );
    let told: Value = serde_json::from_slice(&carrier.take()[0].body).unwrap();
    let line = |place: &str| told["shipment"]["addresses"][place]["address"]["line_1"].clone();
    assert_eq!((line("origin"), line("destination")), (json!("77 Beach Avenue"), json!("9 Returns Road")));

    let bought = world.buy(&path).await;
    let number = bought["tracking_number"].as_str().unwrap();
    assert!(number.ends_with("US"), "it begins its way where the customer is: {number}");
    let (_, zpl) = files(&world, &bought).await.remove(0);
    let place = |text: &str| zpl.find(text).unwrap_or_else(|| panic!("{text} is not on the label: {zpl}"));
    let (from, customer) = (place("^FDFROM^FS"), place("77 Beach Avenue"));
    let (to, merchant) = (place("^FDTO^FS"), place("9 Returns Road"));
    assert!(from < customer && customer < to && to < merchant, "{zpl}");
    assert!(zpl.contains("^FDRETURN^FS"), "{zpl}");
    assert!(!zpl.contains("1 Quay Street") && !zpl.contains("If undelivered"), "{zpl}");
}

#[tokio::test]
async fn a_return_is_priced_by_its_own_way_and_needs_customs_data_too() {
    let world = World::rehearsal().await;
    let shipping_origin = secret_origin(&world).await;
    let mut body = shipment(&shipping_origin, &json!({"is_return": true}));
    body["customs"] = Value::Null;
    let rated = world.rate(&world.shipment(body).await).await;
    assert_eq!(errors(&rated), [["rate_error", "customs_required", "carrier"]]);
    assert!(rated["errors"][0]["message"].as_str().unwrap().contains("from US to GB"), "{rated}");
}

#[tokio::test]
async fn a_return_is_handed_over_by_the_customer_and_so_in_no_manifest() {
    let world = World::rehearsal().await;
    let shipping_origin = secret_origin(&world).await;
    let there = world.bought(shipment(&shipping_origin, &json!({}))).await;
    let back = world.bought(shipment(&shipping_origin, &json!({"is_return": true}))).await;
    let manifests = shipping_origin.close(&world).await;
    assert_eq!(manifests.len(), 1, "{manifests:?}");
    assert_eq!(manifests[0]["shipments"], json!([there]), "not {back}");
}

#[tokio::test]
async fn the_sandbox_s_word_is_the_customer_s_also_on_a_return() {
    let world = World::rehearsal().await;
    let shipping_origin = secret_origin(&world).await;
    let mut body = shipment(&shipping_origin, &json!({"is_return": true}));
    body["addresses"]["destination"]["contact"]["company"] = json!("SBX-DECLINED");
    let bought = world.buy(&world.shipment(body).await).await;
    assert_eq!(errors(&bought), [["purchase_error", "purchase_declined", "carrier"]]);
}
