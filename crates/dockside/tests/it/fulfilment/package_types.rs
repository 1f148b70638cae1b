//! Package types: their life, their handles, and the locations that they name.

use std::sync::Arc;

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

/// The most package types that an organisation may have.
const PACKAGE_TYPES_MAX: usize = 200;

/// The body of a box of 30 × 20 × 10 cm.
pub fn small_box(handle: &str) -> Value {
    json!({"name": "Small box", "handle": handle, "inner_dimensions": {"length": 30, "width": 20, "height": 10}})
}

/// Returns a body with some fields replaced.
pub fn with(mut body: Value, change: Value) -> Value {
    body.as_object_mut().expect("an object").extend(change.as_object().expect("an object").clone());
    body
}

impl World {
    /// Makes a package type and gives its id.
    pub async fn package_type(&self, body: Value) -> String {
        let reply = self.post("/package_types", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    }
}

fn issue(code: &str, field: &str) -> Vec<(String, String)> {
    vec![(code.to_owned(), field.to_owned())]
}

#[tokio::test]
async fn a_package_type_is_created_read_changed_and_deleted() {
    let world = World::new().await;
    let depot = world.location("Depot").await;
    let start = world.events().await.len();
    let full = with(
        small_box("small"),
        json!({
            "kind": "envelope", "outer_dimensions": {"length": 30.61, "width": 20.6, "height": 10.2},
            "tare_mass": 0.15, "mass_max": 20, "cost": {"amount": 45, "currency_code": "GBP"},
            "location_ids": [depot], "is_active": false,
        }),
    );
    let created = world.post("/package_types", full).await;
    insta::assert_snapshot!(created, @r##"201 {"id":"pt_#1","name":"Small box","handle":"small","kind":"envelope","inner_dimensions":{"length":30.0,"width":20.0,"height":10.0},"outer_dimensions":{"length":30.7,"width":20.6,"height":10.2},"tare_mass":0.15,"mass_max":20.0,"cost":{"amount":45,"currency_code":"GBP"},"location_ids":["loc_#1"],"is_active":false,"created_at":"#time","updated_at":"#time"}"##);
    let path = created.header("location").to_owned();
    assert_eq!(path, format!("/package_types/{}", created.json()["id"].as_str().unwrap()));
    assert_eq!(world.get(&path).await.json(), created.json());

    let patch = json!({"kind": null, "outer_dimensions": null, "tare_mass": null, "mass_max": null, "cost": null,
        "location_ids": null, "is_active": null, "inner_dimensions": {"height": 12.34}});
    let changed = world.patch(&path, patch).await;
    insta::assert_snapshot!(changed, @r##"200 {"id":"pt_#1","name":"Small box","handle":"small","kind":"box","inner_dimensions":{"length":30.0,"width":20.0,"height":12.3},"outer_dimensions":null,"tare_mass":0.0,"mass_max":null,"cost":null,"location_ids":[],"is_active":true,"created_at":"#time","updated_at":"#time"}"##);
    let stale = world.request("PATCH", &path).header("if-match", created.header("etag"));
    assert_eq!(stale.json(json!({"name": "x"})).send().await.status, 412);
    assert_eq!(world.get("/package_types").await.ids().len(), 1);
    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(refusal(&world.get(&path).await), (404, "not_found".to_owned()));
    assert_eq!(world.get("/package_types").await.ids(), [""; 0]);
    let events = world.events().await;
    let told: Vec<_> = events[start..].iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(told, ["package_type.created", "package_type.updated", "package_type.deleted"]);
    let previous: Value =
        serde_json::from_str(events[start + 1].previous_attributes.as_deref().unwrap()).unwrap();
    assert_eq!((&previous["kind"], &previous["is_active"]), (&json!("envelope"), &json!(false)));
}

#[tokio::test]
async fn what_is_wrong_with_a_package_type_is_named() {
    let world = World::new().await;
    let unknown = format!("loc_{}", "7".repeat(26));
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let theirs = world.request("POST", "/locations").token(&stranger);
    let theirs = theirs.json(crate::setup::world::depot("Theirs")).send().await.json()["id"].clone();
    let size =
        |length: f64, width: f64, height: f64| json!({"length": length, "width": width, "height": height});
    let cases = [
        (json!({"name": null}), "required", "/name"),
        (json!({"handle": null}), "required", "/handle"),
        (json!({"handle": "Small box"}), "invalid_format", "/handle"),
        (json!({"inner_dimensions": null}), "required", "/inner_dimensions"),
        (json!({"inner_dimensions": size(0.0, 1.0, 1.0)}), "out_of_range", "/inner_dimensions/length"),
        (json!({"inner_dimensions": size(1.0, -1.0, 1.0)}), "out_of_range", "/inner_dimensions/width"),
        (json!({"inner_dimensions": {"length": 1, "width": 1}}), "required", "/inner_dimensions/height"),
        (json!({"outer_dimensions": size(31.0, 19.9, 11.0)}), "out_of_range", "/inner_dimensions/width"),
        (json!({"tare_mass": 1, "mass_max": 0.9}), "out_of_range", "/mass_max"),
        (json!({"tare_mass": 1, "mass_max": 1}), "out_of_range", "/mass_max"),
        (json!({"mass_max": 0}), "out_of_range", "/mass_max"),
        (json!({"kind": "tube"}), "invalid_value", "/kind"),
        (json!({"cost": {"amount": 1.5, "currency_code": "GBP"}}), "amount_not_integer", "/cost/amount"),
        (json!({"location_ids": ["loc_1"]}), "invalid_id", "/location_ids/0"),
        (json!({"location_ids": [unknown]}), "location_not_found", "/location_ids/0"),
        (json!({"location_ids": [theirs]}), "location_not_found", "/location_ids/0"),
        (json!({"colour": "brown"}), "unknown_field", "/colour"),
    ];
    let events = world.events().await.len();
    for (change, code, field) in &cases {
        let reply = world.post("/package_types", with(small_box("small"), change.clone())).await;
        assert_eq!((reply.status.as_u16(), reply.issues()), (422, issue(code, field)), "{change}: {reply}");
    }
    assert_eq!(world.get("/package_types").await.ids(), [""; 0]);
    let path = format!("/package_types/{}", world.package_type(small_box("small")).await);
    let before = world.get(&path).await.text;
    for (change, code, field) in &cases {
        // A merge keeps the sides that the patch does not name.
        if *field != "/inner_dimensions/height" {
            let reply = world.patch(&path, change.clone()).await;
            assert_eq!(
                (reply.status.as_u16(), reply.issues()),
                (422, issue(code, field)),
                "{change}: {reply}"
            );
        }
    }
    assert_eq!(world.get(&path).await.text, before);
    assert_eq!(world.events().await.len(), events + 1);
}

#[tokio::test]
async fn a_handle_is_unique_in_the_organisation() {
    let world = World::new().await;
    let small = world.package_type(small_box("small")).await;
    let large = world.package_type(small_box("large")).await;
    let again = world.post("/package_types", small_box("small")).await;
    assert_eq!(refusal(&again), (409, "handle_taken".to_owned()));
    assert_eq!(again.issues(), issue("handle_taken", "/handle"));
    let renamed = world.patch(format!("/package_types/{large}"), json!({"handle": "small"})).await;
    assert_eq!(refusal(&renamed), (409, "handle_taken".to_owned()));
    assert_eq!(world.patch(format!("/package_types/{small}"), json!({"handle": "small"})).await.status, 200);
    assert_eq!(world.delete(format!("/package_types/{small}")).await.status, 204);
    assert_eq!(world.patch(format!("/package_types/{large}"), json!({"handle": "small"})).await.status, 200);
    for (organisation, mode) in [("Acme", Mode::Test), ("Globex", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        let theirs =
            world.request("POST", "/package_types").token(&token).json(small_box("small")).send().await;
        assert_eq!(theirs.status, 201, "{theirs}");
        for path in [format!("/package_types/{large}"), format!("/package_types/pt_{}", "7".repeat(26))] {
            let hidden = world.request("GET", &path).token(&token).send().await;
            assert_eq!(refusal(&hidden), (404, "not_found".to_owned()), "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_requests_for_one_handle_at_the_same_moment_one_succeeds() {
    const WRITERS: usize = 12;
    let world = Arc::new(World::new().await);
    let mut spare = Vec::new();
    for number in 0..WRITERS / 2 {
        spare.push(world.package_type(small_box(&format!("spare-{number}"))).await);
    }
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..WRITERS {
        let (world, renamed) = (world.clone(), spare.get(number).cloned());
        writers.spawn(async move {
            match renamed {
                Some(id) => world.patch(format!("/package_types/{id}"), json!({"handle": "wanted"})).await,
                None => world.post("/package_types", small_box("wanted")).await,
            }
        });
    }
    let replies: Vec<Reply> = writers.join_all().await;
    let (won, lost): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status.is_success());
    assert_eq!((won.len(), lost.len()), (1, WRITERS - 1));
    assert!(lost.iter().all(|reply| refusal(reply) == (409, "handle_taken".to_owned())));
}

#[tokio::test]
async fn a_location_that_a_package_type_names_cannot_be_deleted() {
    let world = World::new().await;
    let (north, south) = (world.location("North").await, world.location("South").await);
    let local = world.package_type(with(small_box("local"), json!({"location_ids": [north, south]}))).await;
    world.package_type(small_box("everywhere")).await;
    let refused = world.delete(format!("/locations/{north}")).await;
    assert_eq!(refusal(&refused), (409, "location_in_use".to_owned()));
    assert_eq!(refused.issues(), issue("used_by_package_type", "location_id"));
    assert!(refused.json()["detail"].as_str().unwrap().contains(&local), "{refused}");
    // Removing the location from the package type frees it; so does deleting the package type.
    assert_eq!(
        world.patch(format!("/package_types/{local}"), json!({"location_ids": [south]})).await.status,
        200
    );
    assert_eq!(world.delete(format!("/locations/{north}")).await.status, 204);
    assert_eq!(world.delete(format!("/package_types/{local}")).await.status, 204);
    assert_eq!(world.delete(format!("/locations/{south}")).await.status, 204);
}

#[tokio::test]
async fn an_organisation_has_a_limited_number_of_package_types() {
    let world = World::new().await;
    let mut last = String::new();
    for number in 0..PACKAGE_TYPES_MAX {
        last = world.package_type(small_box(&format!("box-{number}"))).await;
    }
    let full = world.post("/package_types", small_box("another")).await;
    assert_eq!(refusal(&full), (409, "too_many_package_types".to_owned()));
    assert_eq!(world.delete(format!("/package_types/{last}")).await.status, 204);
    assert_eq!(world.post("/package_types", small_box("another")).await.status, 201);
}
