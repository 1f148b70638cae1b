//! Location configurations: all five endpoints, and the locations they embed.

use serde_json::{Value, json};

use crate::setup::world::{World, depot};

const PATH: &str = "/location_configurations";

fn pair(origin: &str, back: &str) -> Value {
    json!({"origin": {"id": origin}, "return": {"id": back}})
}

#[tokio::test]
async fn a_configuration_is_created_read_and_deleted() {
    let world = World::new().await;
    let (origin, back) = (world.location("Origin").await, world.location("Return").await);
    let created = world.post(PATH, json!({"name": "Main", "locations": pair(&origin, &back)})).await;
    insta::assert_snapshot!(created, @r##"201 {"id":"lc_#1","name":"Main","locations":{"origin":{"id":"loc_#1","name":"Origin","tags":null,"address":{"address":{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}},"marketplaces":{},"coordinates":null,"time_zone":null,"created_at":"#time","updated_at":"#time"},"return":{"id":"loc_#2","name":"Return","tags":null,"address":{"address":{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"}},"marketplaces":{},"coordinates":null,"time_zone":null,"created_at":"#time","updated_at":"#time"}},"closing":null,"is_default":false,"complete_allocations_on":"purchase","created_at":"#time","updated_at":"#time"}"##);
    let path = created.header("location").to_owned();
    assert_eq!(path, format!("{PATH}/{}", created.json()["id"].as_str().unwrap()));
    let read = world.get(&path).await;
    assert_eq!((read.status.as_u16(), &read.text), (200, &created.text));
    assert_eq!(world.delete(&path).await.to_string(), "204 ");
    for reply in
        [world.get(&path).await, world.delete(&path).await, world.patch(&path, json!({"name": "x"})).await]
    {
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "not_found"));
    }
    // Its locations stay.
    assert_eq!(world.get("/locations").await.ids(), [back, origin]);
}

#[tokio::test]
async fn a_configuration_embeds_whole_locations() {
    let world = World::new().await;
    let (configuration, origin, back) = world.configuration("Main").await;
    let shown = world.get(format!("{PATH}/{configuration}")).await.json();
    assert_eq!(shown["locations"]["origin"], world.get(format!("/locations/{origin}")).await.json());
    assert_eq!(shown["locations"]["return"], world.get(format!("/locations/{back}")).await.json());
}

#[tokio::test]
async fn origin_and_return_may_be_the_same_location() {
    let world = World::new().await;
    let depot = world.location("Depot").await;
    let created = world.post(PATH, json!({"name": "Round trip", "locations": pair(&depot, &depot)})).await;
    assert_eq!(created.status, 201, "{created}");
    assert_eq!(created.json()["locations"]["origin"], created.json()["locations"]["return"]);
}

#[tokio::test]
async fn lists_omit_addresses_unless_asked_for_them() {
    let world = World::new().await;
    let (configuration, ..) = world.configuration("Main").await;
    let whole = world.get(format!("{PATH}/{configuration}")).await.json();
    let mut brief = whole.clone();
    for place in ["origin", "return"] {
        brief["locations"][place].as_object_mut().unwrap().shift_remove("address");
    }
    assert_eq!(world.get(PATH).await.json()["location_configurations"], json!([brief]));
    for query in ["include_fields=address", "include_fields[]=address", "include_fields=address,address"] {
        let listed = world.get(format!("{PATH}?{query}")).await.json();
        assert_eq!(listed["location_configurations"], json!([whole]), "{query}");
    }
}

#[tokio::test]
async fn a_field_that_cannot_be_included_is_refused() {
    let world = World::new().await;
    for query in ["include_fields=adress", "include_fields=address,tags", "include_fields=Address"] {
        let refused = world.get(format!("{PATH}?{query}")).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "invalid_query"), "{query}");
        assert_eq!(refused.issues(), [("invalid_query".to_owned(), "include_fields".to_owned())]);
    }
}

#[tokio::test]
async fn a_patch_changes_the_name_or_one_location() {
    let world = World::new().await;
    let (configuration, origin, back) = world.configuration("Main").await;
    let path = format!("{PATH}/{configuration}");
    let renamed = world.patch(&path, json!({"name": "Renamed"})).await.json();
    let ids = |shown: &Value| {
        ["origin", "return"].map(|place| shown["locations"][place]["id"].as_str().unwrap().to_owned())
    };
    assert_eq!((renamed["name"].as_str(), ids(&renamed)), (Some("Renamed"), [origin.clone(), back.clone()]));
    let other = world.location("Other").await;
    let moved = world.patch(&path, json!({"locations": {"return": {"id": other}}})).await.json();
    assert_eq!((moved["name"].as_str(), ids(&moved)), (Some("Renamed"), [origin, other.clone()]));
    assert_eq!(moved["locations"]["return"], world.get(format!("/locations/{other}")).await.json());
    assert_eq!(moved["created_at"], renamed["created_at"]);
    assert_eq!(world.get(&path).await.json(), moved);
}

#[tokio::test]
async fn a_patch_cannot_take_away_what_is_required() {
    let world = World::new().await;
    let (configuration, ..) = world.configuration("Main").await;
    let path = format!("{PATH}/{configuration}");
    let before = world.get(&path).await.text;
    let cases = [
        (json!({"name": null}), "required", "/name"),
        (json!({"name": ""}), "too_short", "/name"),
        (json!({"locations": null}), "required", "/locations"),
        (json!({"locations": {"origin": null}}), "required", "/locations/origin"),
        (json!({"locations": {"return": {"id": null}}}), "required", "/locations/return/id"),
        (json!({"nmae": null}), "unknown_field", "/nmae"),
        (json!({"locations": {"retrun": null}}), "unknown_field", "/locations/retrun"),
        (json!({"locations": {"origin": {"idd": "x"}}}), "unknown_field", "/locations/origin/idd"),
    ];
    for (patch, code, field) in cases {
        let refused = world.patch(&path, patch).await;
        assert_eq!(refused.status, 422, "{refused}");
        assert_eq!(refused.issues(), [(code.to_owned(), field.to_owned())]);
    }
    assert_eq!(world.get(&path).await.text, before);
}

#[tokio::test]
async fn locations_in_a_body_must_exist() {
    let world = World::new().await;
    let (configuration, origin, _) = world.configuration("Main").await;
    let unknown = "loc_01jc0000000000000000000000";
    let refused = world.post(PATH, json!({"name": "x", "locations": pair(unknown, unknown)})).await;
    insta::assert_snapshot!(refused, @r#"422 {"type":"/docs/errors#location_not_found","title":"The body names a location that does not exist.","status":422,"detail":"Check the ids that the problem's `errors` name.","code":"location_not_found","request_id":"test","errors":[{"type":"validation_error","code":"location_not_found","source":"request","message":"There is no such location.","field":"/locations/origin/id"},{"type":"validation_error","code":"location_not_found","source":"request","message":"There is no such location.","field":"/locations/return/id"}]}"#);
    let path = format!("{PATH}/{configuration}");
    let refused = world.patch(&path, json!({"locations": {"return": {"id": unknown}}})).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "location_not_found"));
    assert_eq!(refused.issues(), [("location_not_found".to_owned(), "/locations/return/id".to_owned())]);
    // An id of another kind, or none at all.
    for id in [configuration.as_str(), "nonsense", ""] {
        let refused = world.post(PATH, json!({"name": "x", "locations": pair(id, &origin)})).await;
        assert_eq!(refused.status, 422, "{refused}");
        assert_eq!(refused.issues(), [("invalid_id".to_owned(), "/locations/origin/id".to_owned())]);
    }
}

#[tokio::test]
async fn another_organisations_location_does_not_exist() {
    let world = World::new().await;
    let theirs = world.token_for("Rival", "*", model::World::Live).await;
    let made = world.request("POST", "/locations").token(&theirs).json(depot("Theirs")).send().await;
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let refused = world.post(PATH, json!({"name": "x", "locations": pair(&id, &id)})).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "location_not_found"));
}

#[tokio::test]
async fn ids_of_other_kinds_are_not_found() {
    let world = World::new().await;
    let (_, origin, _) = world.configuration("Main").await;
    for id in [origin.as_str(), "lc_01jc0000000000000000000000", "nonsense"] {
        let path = format!("{PATH}/{id}");
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
async fn what_was_read_may_be_sent_back() {
    let world = World::new().await;
    let (configuration, ..) = world.configuration("Main").await;
    let path = format!("{PATH}/{configuration}");
    let read = world.get(&path).await.json();
    let brief = world.get(PATH).await.json()["location_configurations"][0].clone();
    for body in [&read, &brief] {
        let mut patched = world.patch(&path, body.clone()).await.json();
        assert_ne!(patched["updated_at"], read["updated_at"]);
        patched["updated_at"] = read["updated_at"].clone();
        assert_eq!(patched, read);
        let mut copy = world.post(PATH, body.clone()).await.json();
        assert_ne!(copy["id"], read["id"]);
        for field in ["id", "created_at", "updated_at"] {
            copy[field] = read[field].clone();
        }
        assert_eq!(copy, read);
    }
}

#[tokio::test]
async fn a_changed_location_shows_in_its_configurations() {
    let world = World::new().await;
    let (configuration, origin, back) = world.configuration("Main").await;
    let path = format!("{PATH}/{configuration}");
    let mut tags = vec![world.get(&path).await.header("etag").to_owned()];
    for (location, name) in [(&origin, "Moved"), (&back, "Moved too")] {
        let changed = world.patch(format!("/locations/{location}"), json!({"name": name})).await.json();
        let shown = world.get(&path).await;
        let place = if location == &origin { "origin" } else { "return" };
        assert_eq!(shown.json()["locations"][place], changed);
        assert_eq!(
            world.get(PATH).await.json()["location_configurations"][0]["locations"][place]["name"],
            name
        );
        let tag = shown.header("etag").to_owned();
        assert!(!tags.contains(&tag), "{tag} tags two states");
        tags.push(tag);
    }
}
