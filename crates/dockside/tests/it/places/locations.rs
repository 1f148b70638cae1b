//! Locations: all five endpoints, and what a body may say.

use serde_json::{Value, json};

use crate::setup::world::{World, depot};

/// A location that says everything a client can say of one.
fn full_depot() -> Value {
    json!({
        "name": "Full depot",
        "tags": ["accepts_returns", "cold_store"],
        "address": {
            "address": {
                "line_1": "1 Quay Street", "line_2": "Gate 4", "line_3": "Bay 2", "city": "Bristol",
                "province": "Avon", "post_code": "BS1 4DJ", "country_code": "GB",
            },
            "contact": {
                "name": "Goods in", "company": "Acme", "email_address": "depot@example.com",
                "phone_number": "+44 117 496 0000",
            },
        },
        "marketplaces": {"shopify": ["68241883417"], "ebay": ["a", "b"]},
        "coordinates": {"latitude": 51.4494, "longitude": -2.5979},
        "time_zone": "Europe/London",
    })
}

/// Makes a location of this body; gives its path and what was answered.
async fn create(world: &World, body: Value) -> (String, Value) {
    let reply = world.post("/locations", body).await;
    assert_eq!(reply.status, 201, "{reply}");
    (reply.header("location").to_owned(), reply.json())
}

#[tokio::test]
async fn a_location_is_created_read_and_deleted() {
    let world = World::new().await;
    let created = world.post("/locations", depot("Depot")).await;
    insta::assert_snapshot!(created, @r##"201 {"id":"loc_#1","name":"Depot","tags":null,"address":{"address":{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}},"marketplaces":{},"coordinates":null,"time_zone":null,"created_at":"#time","updated_at":"#time"}"##);
    let path = created.header("location").to_owned();
    assert_eq!(path, format!("/locations/{}", created.json()["id"].as_str().unwrap()));
    let read = world.get(&path).await;
    assert_eq!((read.status.as_u16(), &read.text), (200, &created.text));
    assert_eq!(world.delete(&path).await.to_string(), "204 ");
    for reply in
        [world.get(&path).await, world.delete(&path).await, world.patch(&path, json!({"name": "x"})).await]
    {
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "not_found"));
    }
    assert_eq!(world.get("/locations").await.ids(), Vec::<String>::new());
}

#[tokio::test]
async fn all_that_a_client_says_of_a_location_is_kept() {
    let world = World::new().await;
    let (path, created) = create(&world, full_depot()).await;
    let mut expected = full_depot();
    expected["coordinates"]["confidence"] = json!(1.0);
    for field in ["id", "created_at", "updated_at"] {
        expected[field] = created[field].clone();
    }
    assert_eq!(created, expected);
    assert_eq!(world.get(&path).await.json(), expected);
    assert_eq!(world.get("/locations").await.json()["locations"], json!([expected]));
}

#[tokio::test]
async fn null_on_create_says_no_more_than_absence() {
    let world = World::new().await;
    let mut body = depot("Nulls");
    for field in ["tags", "marketplaces", "coordinates", "time_zone"] {
        body[field] = Value::Null;
    }
    body["address"]["contact"] = Value::Null;
    body["address"]["address"]["line_2"] = Value::Null;
    let (_, with_nulls) = create(&world, body).await;
    let (_, without) = create(&world, depot("Nulls")).await;
    for field in ["tags", "marketplaces", "coordinates", "time_zone", "address"] {
        assert_eq!(with_nulls[field], without[field], "{field}");
    }
}

#[tokio::test]
async fn a_nested_field_changes_alone() {
    let world = World::new().await;
    let (path, created) = create(&world, full_depot()).await;
    let changed = world.patch(&path, json!({"address": {"address": {"line_1": "2 Quay Street"}}})).await;
    assert_eq!(changed.status, 200, "{changed}");
    let mut expected = created.clone();
    expected["address"]["address"]["line_1"] = json!("2 Quay Street");
    expected["updated_at"] = changed.json()["updated_at"].clone();
    assert_eq!(changed.json(), expected);
    assert_eq!(world.get(&path).await.json(), expected);
    let moment = |value: &Value| value.as_str().unwrap().to_owned();
    assert!(moment(&expected["updated_at"]) > moment(&created["updated_at"]));
}

#[tokio::test]
async fn null_clears_what_may_be_missing() {
    let world = World::new().await;
    let (path, _) = create(&world, full_depot()).await;
    let patch = json!({
        "tags": null, "marketplaces": null, "coordinates": null, "time_zone": null,
        "address": {"contact": null, "address": {"line_2": null, "line_3": null, "province": null, "post_code": null, "country_code": "IE"}},
    });
    let cleared = world.patch(&path, patch).await;
    insta::assert_snapshot!(cleared, @r##"200 {"id":"loc_#1","name":"Full depot","tags":null,"address":{"address":{"line_1":"1 Quay Street","city":"Bristol","country_code":"IE"}},"marketplaces":{},"coordinates":null,"time_zone":null,"created_at":"#time","updated_at":"#time"}"##);
    assert_eq!(world.get(&path).await.text, cleared.text);
}

#[tokio::test]
async fn null_on_what_is_required_is_refused() {
    let world = World::new().await;
    let (path, created) = create(&world, full_depot()).await;
    let cases = [
        (json!({"name": null}), "/name"),
        (json!({"address": null}), "/address"),
        (json!({"address": {"address": null}}), "/address/address"),
        (json!({"address": {"address": {"line_1": null}}}), "/address/address/line_1"),
        (json!({"address": {"address": {"city": null}}}), "/address/address/city"),
        (json!({"address": {"address": {"country_code": null}}}), "/address/address/country_code"),
        (json!({"coordinates": {"latitude": null}}), "/coordinates/latitude"),
    ];
    for (patch, field) in cases {
        let refused = world.patch(&path, patch).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "validation_failed"));
        assert_eq!(refused.issues(), [("required".to_owned(), field.to_owned())]);
    }
    assert_eq!(world.get(&path).await.json(), created);
}

#[tokio::test]
async fn arrays_are_replaced_whole() {
    let world = World::new().await;
    let (path, _) = create(&world, full_depot()).await;
    let changed =
        world.patch(&path, json!({"tags": ["cold_store"], "marketplaces": {"ebay": ["c"]}})).await.json();
    assert_eq!(changed["tags"], json!(["cold_store"]));
    assert_eq!(changed["marketplaces"]["ebay"], json!(["c"]));
    assert_eq!(world.patch(&path, json!({"tags": []})).await.json()["tags"], json!([]));
}

#[tokio::test]
async fn marketplaces_merge_by_key_and_null_removes_one() {
    let world = World::new().await;
    let (path, _) = create(&world, full_depot()).await;
    let patch = json!({"marketplaces": {"amazon": ["A1"], "ebay": null, "never_there": null}});
    let changed = world.patch(&path, patch).await;
    assert_eq!(changed.status, 200, "{changed}");
    assert_eq!(changed.json()["marketplaces"], json!({"shopify": ["68241883417"], "amazon": ["A1"]}));
}

#[tokio::test]
async fn a_misspelt_field_is_refused_even_where_it_is_null() {
    let world = World::new().await;
    let (path, created) = create(&world, full_depot()).await;
    let cases = [
        (json!({"nmae": "x"}), "/nmae"),
        (json!({"nmae": null}), "/nmae"),
        (json!({"address": {"contact": {"fax": null}}}), "/address/contact/fax"),
        (json!({"address": {"address": {"line_4": "x"}}}), "/address/address/line_4"),
        (json!({"coordinates": {"height": null}}), "/coordinates/height"),
    ];
    for (patch, field) in cases {
        let refused = world.patch(&path, patch).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "unknown_field"));
        assert_eq!(refused.issues(), [("unknown_field".to_owned(), field.to_owned())]);
    }
    assert_eq!(world.get(&path).await.json(), created);
    let refused = world.post("/locations", json!({"nmae": null, "name": "x", "address": {}})).await;
    assert_eq!(refused.code(), "unknown_field");
}

#[tokio::test]
async fn what_was_read_may_be_sent_back() {
    let world = World::new().await;
    for body in [depot("Least"), full_depot()] {
        let (path, read) = create(&world, body).await;
        let patched = world.patch(&path, read.clone()).await;
        assert_eq!(patched.status, 200, "{patched}");
        let (_, copy) = create(&world, read.clone()).await;
        assert_ne!(copy["id"], read["id"]);
        for (mut other, fields) in
            [(patched.json(), ["updated_at"].as_slice()), (copy, &["id", "created_at", "updated_at"])]
        {
            for field in fields {
                assert_ne!(other[*field], read[*field], "{field} is the server's own");
                other[*field] = read[*field].clone();
            }
            assert_eq!(other, read);
        }
    }
}

#[tokio::test]
async fn coordinates_from_a_client_are_certain() {
    let world = World::new().await;
    let mut body = depot("Depot");
    body["coordinates"] = json!({"latitude": 51, "longitude": -2.5, "confidence": 0.2});
    let (path, created) = create(&world, body).await;
    let expected = json!({"latitude": 51.0, "longitude": -2.5, "confidence": 1.0});
    assert_eq!(created["coordinates"], expected);
    let moved = world.patch(&path, json!({"coordinates": {"longitude": 3.25, "confidence": 0}})).await.json();
    assert_eq!(moved["coordinates"], json!({"latitude": 51.0, "longitude": 3.25, "confidence": 1.0}));
}

#[tokio::test]
async fn post_codes_are_normalised_and_checked_against_their_country() {
    let world = World::new().await;
    let (path, _) = create(&world, depot("Depot")).await;
    let post_code = |code: &str| json!({"address": {"address": {"post_code": code}}});
    let changed = world.patch(&path, post_code("sw1a1aa")).await.json();
    assert_eq!(changed["address"]["address"]["post_code"], "SW1A 1AA");
    let refused = world.patch(&path, post_code("12345")).await;
    assert_eq!(refused.issues(), [("post_code_invalid".to_owned(), "/address/address/post_code".to_owned())]);
    // The old post code is checked again when only the country changes.
    let refused = world.patch(&path, json!({"address": {"address": {"country_code": "DE"}}})).await;
    assert_eq!(refused.issues(), [("post_code_invalid".to_owned(), "/address/address/post_code".to_owned())]);
}

#[tokio::test]
async fn a_time_zone_is_a_name_of_the_iana_database() {
    let world = World::new().await;
    let (path, _) = create(&world, depot("Depot")).await;
    let changed = world.patch(&path, json!({"time_zone": "america/new_york"})).await.json();
    assert_eq!(changed["time_zone"], "America/New_York");
    for name in ["Mars/Olympus", "+01:00", "London"] {
        let refused = world.patch(&path, json!({"time_zone": name})).await;
        assert_eq!(refused.issues(), [("invalid_value".to_owned(), "/time_zone".to_owned())], "{name}");
    }
    assert_eq!(world.get(&path).await.json(), changed);
    assert_eq!(world.patch(&path, json!({"time_zone": null})).await.json()["time_zone"], Value::Null);
}

#[tokio::test]
async fn ids_of_other_kinds_and_unknown_ids_are_not_found() {
    let world = World::new().await;
    let (configuration, ..) = world.configuration("Main").await;
    let unknown = "loc_01jc0000000000000000000000";
    let cases =
        [configuration.as_str(), unknown, "nonsense", "loc_", "LOC_01JC0000000000000000000000", "%00"];
    for id in cases {
        let path = format!("/locations/{id}");
        for reply in [
            world.get(&path).await,
            world.patch(&path, json!({"name": "x"})).await,
            world.delete(&path).await,
        ] {
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "not_found"), "{id}");
        }
    }
}

#[tokio::test]
async fn a_used_location_cannot_be_deleted_and_names_its_users() {
    let world = World::new().await;
    let (first, origin, back) = world.configuration("Main").await;
    let refused = world.delete(format!("/locations/{origin}")).await;
    insta::assert_snapshot!(refused, @r#"409 {"type":"/docs/errors#location_in_use","title":"The location is still in use.","status":409,"detail":"The location configuration lc_#1 (Main) uses it.","code":"location_in_use","request_id":"test","errors":[{"type":"state_error","code":"used_by_location_configuration","source":"request","message":"The location configuration lc_#1 (Main) uses it.","field":"location_id"}]}"#);
    let pair = json!({"origin": {"id": back}, "return": {"id": origin}});
    for number in 2..=12 {
        let body = json!({"name": format!("Number {number}"), "locations": pair});
        assert_eq!(world.post("/location_configurations", body).await.status, 201);
    }
    let refused = world.delete(format!("/locations/{origin}")).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "location_in_use"));
    let errors = refused.json()["errors"].as_array().unwrap().clone();
    assert_eq!(errors.len(), 10);
    assert!(errors[0]["message"].as_str().unwrap().contains(&first));
    assert_eq!(world.get(format!("/locations/{origin}")).await.status, 200);
}

#[tokio::test]
async fn a_location_can_be_deleted_once_its_configurations_use_another() {
    let world = World::new().await;
    let (configuration, origin, back) = world.configuration("Main").await;
    let patch = json!({"locations": {"origin": {"id": back}}});
    let moved = world.patch(format!("/location_configurations/{configuration}"), patch).await;
    assert_eq!(moved.status, 200, "{moved}");
    assert_eq!(world.delete(format!("/locations/{origin}")).await.status, 204);
    assert_eq!(world.delete(format!("/locations/{back}")).await.code(), "location_in_use");
    assert_eq!(world.delete(format!("/location_configurations/{configuration}")).await.status, 204);
    assert_eq!(world.delete(format!("/locations/{back}")).await.status, 204);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_location_is_either_deleted_or_used_never_both() {
    let world = std::sync::Arc::new(World::new().await);
    let back = world.location("Return").await;
    for round in 0..16 {
        let origin = world.location("Origin").await;
        let pair = json!({"origin": {"id": origin}, "return": {"id": back}});
        let body = json!({"name": format!("Round {round}"), "locations": pair});
        let (left, right, path) = (world.clone(), world.clone(), format!("/locations/{origin}"));
        let using = tokio::spawn(async move { left.post("/location_configurations", body).await });
        let deleting = tokio::spawn(async move { right.delete(path).await });
        let (used, deleted) = (using.await.unwrap(), deleting.await.unwrap());
        match (used.status.as_u16(), deleted.status.as_u16()) {
            (201, 409) => assert_eq!(deleted.code(), "location_in_use"),
            (422, 204) => assert_eq!(used.code(), "location_not_found"),
            _ => panic!("used: {used}\ndeleted: {deleted}"),
        }
    }
}

#[tokio::test]
async fn moments_have_microseconds_and_end_in_z() {
    let world = World::new().await;
    let (_, created) = create(&world, depot("Depot")).await;
    for field in ["created_at", "updated_at"] {
        let text = created[field].as_str().unwrap();
        assert!(
            text.starts_with("2026-11-01T09:00:00.") && text.len() == 27 && text.ends_with('Z'),
            "{text}"
        );
    }
    assert_eq!(created["created_at"], created["updated_at"]);
}

#[tokio::test]
async fn an_empty_email_address_is_taken_as_the_other_empty_fields_are() {
    let world = World::new().await;
    let mut body = depot("Depot");
    body["address"]["contact"] = json!({"name": "", "company": "", "email_address": "", "phone_number": ""});
    let made = world.post("/locations", body.clone()).await;
    assert_eq!(
        (made.status.as_u16(), &made.json()["address"]["contact"]),
        (201, &body["address"]["contact"]),
        "{made}"
    );
    let path = made.header("location").to_owned();
    let given = json!({"address": {"contact": {"email_address": "depot@example.com"}}});
    assert_eq!(world.patch(&path, given).await.status, 200);
    let emptied = world.patch(&path, json!({"address": {"contact": {"email_address": ""}}})).await;
    assert_eq!(emptied.json()["address"]["contact"]["email_address"], "", "{emptied}");
    for wrong in [" ", "@", "a", "a@", "@b"] {
        let reply = world.patch(&path, json!({"address": {"contact": {"email_address": wrong}}})).await;
        assert_eq!(
            reply.issues(),
            [("invalid_format".to_owned(), "/address/contact/email_address".to_owned())]
        );
    }
}
