//! The table of post codes: what an import changes in a plan.

use model::places::geo::{PostalAreas, PostalRow};
use serde_json::{Value, json};

use crate::setup::world::World;

/// One code on one spot, one whose rows lie far apart, and one that is only the outward part of addresses' codes.
const TABLE: &str = "\
DE\t26133\tOldenburg\t\t\t\t\t\t\t53.1235\t8.2146\t6
DE\t10115\tBerlin\t\t\t\t\t\t\t52.4\t13.3\t6
DE\t10115\tBerlin\t\t\t\t\t\t\t52.6\t13.5\t6
GB\tBS1\tBristol\t\t\t\t\t\t\t51.4494\t-2.5879\t4
";

async fn import(world: &World, table: &str) -> Vec<usize> {
    let mut areas = PostalAreas::default();
    for line in table.lines() {
        areas.add(PostalRow::parse(line).unwrap());
    }
    let mut heard = Vec::new();
    let count = world.service.postal_places.import(areas.into_areas(), |written| heard.push(written)).await;
    assert_eq!(Some(&count.unwrap()), heard.last());
    heard
}

fn address(country: &str, post_code: &str) -> Value {
    json!({"address": {"line_1": "1 High Street", "city": "Somewhere", "country_code": country, "post_code": post_code}})
}

/// An item that lies at one location, in London.
async fn stocked_item(world: &World, coordinates: Value) -> String {
    let body = json!({"name": "London", "address": address("GB", "SW1A 1AA"), "coordinates": coordinates});
    let location = id(&world.post("/locations", body).await.json());
    let item = id(&world.post("/inventory_items", json!({"sku": "TEE", "name": "T-shirt"})).await.json());
    let level = format!("/inventory_items/{item}/levels/{location}");
    let set = world.request("PUT", &level).json(json!({"on_hand": 100})).send().await;
    assert_eq!(set.status, 200, "{set}");
    item
}

/// What the best proposal says of its distance, and its reason for it.
async fn distance(world: &World, item: &str, country: &str, post_code: &str) -> (Value, String) {
    let order = json!({"items": [{"id": item, "quantity": 1}], "destination": address(country, post_code)});
    let order = id(&world.post("/orders", order).await.json());
    let plan = world.request("POST", &format!("/allocations/orders/{order}/plan")).send().await;
    assert_eq!(plan.status, 200, "{plan}");
    let best = plan.json()["proposals"][0].clone();
    let is_distance =
        |text: &&str| text.contains("km from the destination") || text.contains("post code prefix");
    let reasons = best["reasons"].as_array().expect("reasons");
    let reason = reasons.iter().filter_map(Value::as_str).find(is_distance).expect("a word on the distance");
    (best["distance"].clone(), reason.to_owned())
}

fn id(resource: &Value) -> String {
    resource["id"].as_str().unwrap_or_else(|| panic!("no id in {resource}")).to_owned()
}

#[tokio::test]
async fn a_plan_measures_kilometres_once_post_codes_are_imported() {
    let world = World::new().await;
    let item = stocked_item(&world, json!({"latitude": 51.5074, "longitude": -0.1278})).await;
    let (before, reason) = distance(&world, &item, "GB", "SW9 9ZZ").await;
    assert_eq!(before, json!({"basis": "same_country", "shared_prefix": 2}));
    assert_eq!(
        reason,
        "The location shares the country and the first 2 characters of the post code: by country and post code \
         prefix, because no coordinates are known of the destination."
    );

    assert_eq!(import(&world, TABLE).await, [3]);
    for (country, post_code, km, confidence) in [
        ("DE", "26133", "594", 0.8),
        ("DE", "10115", "931", 0.6),
        ("GB", "BS1 4DJ", "170", 0.5),
        ("GB", "bs1 5tr", "170", 0.5),
    ] {
        let (found, reason) = distance(&world, &item, country, post_code).await;
        assert_eq!((&found["basis"], &found["confidence"]), (&json!("kilometres"), &json!(confidence)));
        assert_eq!(reason, format!("{km} km from the destination (confidence {confidence})."));
    }
    let (unknown, _) = distance(&world, &item, "DE", "99999").await;
    assert_eq!(unknown, json!({"basis": "other_country"}));
}

#[tokio::test]
async fn a_location_without_coordinates_is_found_by_its_post_code_too() {
    let world = World::new().await;
    let item = stocked_item(&world, Value::Null).await;
    import(&world, TABLE).await;
    let (found, reason) = distance(&world, &item, "GB", "BS1 4DJ").await;
    assert_eq!(found, json!({"basis": "same_country", "shared_prefix": 0}));
    assert!(reason.ends_with("because no coordinates are known of that location."), "{reason}");
    import(&world, "GB\tSW1A 1AA\tLondon\t\t\t\t\t\t\t51.501\t-0.1416\t6").await;
    let (found, _) = distance(&world, &item, "GB", "BS1 4DJ").await;
    assert_eq!((&found["basis"], &found["confidence"]), (&json!("kilometres"), &json!(0.5)));
}

#[tokio::test]
async fn importing_again_replaces_what_it_names_and_keeps_the_rest() {
    let world = World::new().await;
    let item = stocked_item(&world, json!({"latitude": 51.5074, "longitude": -0.1278})).await;
    import(&world, TABLE).await;
    let first = distance(&world, &item, "DE", "10115").await;
    import(&world, TABLE).await;
    assert_eq!(distance(&world, &item, "DE", "10115").await, first);
    import(&world, "DE\t10115\tBerlin\t\t\t\t\t\t\t51.5074\t-0.1278\t6").await;
    let (moved, _) = distance(&world, &item, "DE", "10115").await;
    assert_eq!(moved, json!({"basis": "kilometres", "km": 0.0, "confidence": 0.8}));
    let (kept, _) = distance(&world, &item, "DE", "26133").await;
    assert_eq!(kept["basis"], "kilometres");
}

#[tokio::test]
async fn a_large_table_is_written_in_several_transactions() {
    let world = World::new().await;
    let item = stocked_item(&world, json!({"latitude": 51.5074, "longitude": -0.1278})).await;
    let lines = (0..4001).map(|code| format!("FR\t{code:05}\tParis\t\t\t\t\t\t\t48.85\t2.35\t6\n"));
    assert_eq!(import(&world, &lines.collect::<String>()).await, [2000, 4000, 4001]);
    for code in ["00000", "01999", "02000", "04000"] {
        let (found, _) = distance(&world, &item, "FR", code).await;
        assert_eq!(found["confidence"], 0.8, "{code}");
    }
}
