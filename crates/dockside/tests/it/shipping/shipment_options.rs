//! Options: each has an effect, or is refused by the carrier that can't. None is ignored in silence.

use carriers::options::Treatment;
use http_body_util::BodyExt as _;
use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::purchase_requests::errors;
use crate::setup::world::World;

#[tokio::test]
async fn what_would_be_printed_blank_is_refused() {
    let world = World::new().await;
    let mut body = parcel_with("");
    body["addresses"]["destination"]["contact"]["name"] = json!("\u{200b} ");
    body["customs"]["declarant"]["name"] = json!("\u{a0}");
    body["options"]["label"]["custom_data"] = json!({"text_lines": ["PO 7", "\u{2060}"]});
    let refused = world.post("/shipments", body).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "validation_failed"), "{refused}");
    let places = [
        "/addresses/destination/contact/name",
        "/customs/declarant/name",
        "/options/label/custom_data/text_lines/1",
    ];
    let mut issues = refused.issues();
    issues.sort();
    assert_eq!(issues, places.map(|place| ("blank".to_owned(), place.to_owned())));
}

/// A value that asks for an option.
fn asking(path: &str) -> Value {
    match path {
        "shipping.access_code" => json!("4711"),
        "shipping.currency_code" | "insurance.currency_code" => json!("JPY"),
        "shipping.date" => json!("2026-12-24T00:00:00Z"),
        "shipping.dry_ice_mass" => json!(0.5),
        "shipping.dropoff_type" => json!("retail_location"),
        "shipping.handling_instructions" => json!("This side up"),
        "shipping.invalid_address_handling" => json!("return"),
        "shipping.machinable" => json!(false),
        "shipping.non_delivery" => json!("abandon"),
        "shipping.restricted_substances" => json!(["batteries_lithium_ion"]),
        "shipping.safe_place" => json!("Behind the shed"),
        "shipping.signature_type" => json!("adult"),
        "label.format" => json!("pdf"),
        "label.size" => json!("4x8"),
        "label.custom_data.text_lines" | "label.custom_data.line_codes" => json!(["PO 7"]),
        "label.custom_data.barcodes" => json!(["BOX-7"]),
        "insurance.value" => json!(10_000),
        _ => json!(true),
    }
}

/// A parcel that goes abroad, with one option more than the rest.
fn parcel_with(option: &str) -> Value {
    let address = |line: &str, code: &str, country: &str| {
        json!({"address": {"line_1": line, "city": "Town", "post_code": code, "country_code": country},
               "contact": {"name": "Jo"}})
    };
    let mut options = json!({"label": {"format": "zpl"}});
    if option.starts_with("insurance") {
        options["insurance"] = json!({"value": 1_000_000});
    }
    if !option.is_empty() {
        let mut place = &mut options;
        for step in option.split('.') {
            place = &mut place[step];
        }
        *place = asking(option);
    }
    json!({
        "addresses": {"origin": address("1 Quay Street", "BS1 4DJ", "GB"), "destination": address("2 Main Street", "8001", "CH")},
        "packages": [{"geometry": {"mass": 1}}], "options": options,
        "customs": {"contents_type": "gift", "declarant": {"name": "Jo", "date": "2026-11-01T00:00:00Z"},
                    "items": [{"description": "Shirt", "quantity": 1, "value": 1000}]},
    })
}

/// What comes of a parcel: what it costs, and its label without its tracking number.
async fn outcome(world: &World, body: Value) -> (Value, String) {
    let path = world.shipment(body).await;
    let bought = world.buy(&path).await;
    assert_eq!(bought["status"], "purchased", "{bought}");
    let url = bought["documents"][0]["file_url"].as_str().unwrap();
    let (_, body) =
        world.request("GET", url.trim_start_matches("https://dockside.example.com")).anonymous().open().await;
    let bytes = body.collect().await.unwrap().to_bytes();
    let number = bought["tracking_number"].as_str().unwrap();
    let spaced = [&number[..2], &number[2..5], &number[5..8], &number[8..11], &number[11..]].join(" ");
    let label = String::from_utf8_lossy(&bytes).replace(number, "#").replace(&spaced, "#");
    (json!(world.carrier_charges(&path).await.net), label)
}

#[tokio::test]
async fn every_option_has_an_effect_with_the_sandbox() {
    let world = World::rehearsal().await;
    let plain = outcome(&world, parcel_with("")).await;
    assert_eq!(plain, outcome(&world, parcel_with("")).await, "two parcels without options are alike");
    let insured = {
        let mut body = parcel_with("");
        body["options"]["insurance"] = json!({"value": 1_000_000});
        outcome(&world, body).await
    };
    for (option, treatment) in carriers::connector("sandbox").unwrap().options() {
        let before = if option.starts_with("insurance") { &insured } else { &plain };
        let after = outcome(&world, parcel_with(option)).await;
        match treatment {
            Treatment::Effect(_) => assert_ne!(*before, after, "{option} has no effect"),
            Treatment::Informational(_) => assert_eq!(*before, after, "{option}"),
            Treatment::Passed(_) | Treatment::Refused(_) => {
                panic!("the sandbox knows every option: {option}")
            }
        }
    }
}

#[tokio::test]
async fn a_carrier_that_can_t_do_an_option_refuses_it_by_name() {
    let mut world = World::new().await;
    world.token = world.token_for("Acme", "*", Mode::Live).await;
    let table = json!({"currency_code": "GBP", "services": [{"handle": "van", "name": "Van", "rates": [{"rate": 450}]}]});
    let account =
        json!({"carrier": {"handle": "own"}, "name": "Vans", "handle": "vans", "configuration": table});
    assert_eq!(world.post("/carrier_accounts", account).await.status, 201);
    let mut refused = Vec::new();
    for (option, treatment) in carriers::connector("own").unwrap().options() {
        let path = world.shipment(parcel_with(option)).await;
        let rated = world.rate(&path).await;
        let Treatment::Refused(reason) = treatment else {
            // An insured currency can't be without its value.
            assert_eq!(rated["rates"].as_array().map(Vec::len), Some(1), "{option}: {rated}");
            continue;
        };
        refused.push(*option);
        assert_eq!(errors(&rated), [["rate_error", "option_unavailable", "carrier"]], "{option}");
        let message = rated["errors"][0]["message"].as_str().unwrap().to_owned();
        let named = option.replace("currency_code", "value");
        assert!(message.contains(&named) && message.contains(reason), "{message}");
        let service = json!({"carrier_account": "vans", "carrier_service": "van"});
        world.begin(&format!("{path}/purchase"), Some(service)).await;
        world.work().await;
        let failed = world.get(&path).await.json();
        assert_eq!(failed["status"], "purchase_failed", "{failed}");
        let last = errors(&failed).pop().unwrap();
        assert_eq!(last, ["validation_error", "option_unavailable", "carrier"], "{option}");
    }
    let expected =
        ["shipping.dropoff_type", "shipping.tracked_service", "insurance.value", "insurance.currency_code"];
    assert_eq!(refused, expected);
}

#[tokio::test]
async fn what_a_printer_of_labels_can_t_print_is_refused() {
    let world = World::rehearsal().await;
    let with = |size: &str| {
        let mut body = parcel_with("");
        body["options"]["label"]["size"] = json!(size);
        body
    };
    assert_eq!(world.post("/shipments", with("4x8")).await.status, 201);
    for size in ["a5", "a4", "letter"] {
        let refused = world.post("/shipments", with(size)).await;
        assert_eq!(refused.issues(), [("invalid_value".to_owned(), "/options/label/size".to_owned())]);
    }
}
