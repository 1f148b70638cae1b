//! Actors: who made the change that an event tells of, in the log, its filter, and what a person, a token and a job did.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::person::Person;
use crate::setup::purchase_requests::parcel_to;
use crate::setup::world::{World, depot};

/// Returns the newest event of a type.
async fn newest(world: &World, r#type: &str) -> Value {
    world.relay().await;
    let page = world.get(format!("/events?type={type}&limit=1")).await;
    page.json()["data"][0].clone()
}

#[tokio::test]
async fn an_event_says_which_token_or_job_did_it() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("BS1 4DJ")).await;
    let created = newest(&world, "shipment.created").await;
    let token = created["actor"]["id"].as_str().expect("an id").to_owned();
    assert!(token.starts_with("tok_"), "{created}");
    assert_eq!(created["actor"], json!({"type": "token", "id": token, "name": null}));
    world.buy(&path).await;
    let bought = newest(&world, "shipment.purchased").await;
    assert_eq!(bought["actor"], json!({"type": "job", "id": null, "name": "purchases"}));
    let one = world.get(format!("/events/{}", bought["id"].as_str().unwrap())).await.json();
    assert_eq!(one["actor"], bought["actor"]);
}

#[tokio::test]
async fn a_person_is_named_by_the_user() {
    let world = World::new().await;
    let person = Person::invite(&world, "Ada", &["admin"]).await;
    let made = person.send(&world, "POST", "/locations", Some(depot("Theirs"))).await;
    assert_eq!(made.status, 201, "{made}");
    let created = newest(&world, "location.created").await;
    assert_eq!(created["actor"], json!({"type": "user", "id": person.id, "name": null}));
    let by_person = world.get(format!("/events?actor={}", person.id)).await;
    assert!(by_person.ids().contains(&created["id"].as_str().unwrap().to_owned()), "{by_person}");
}

#[tokio::test]
async fn events_are_filtered_by_actor() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("BS1 4DJ")).await;
    world.buy(&path).await;
    world.relay().await;
    let all = world.get("/events?limit=100").await.json()["data"].as_array().unwrap().clone();
    let token = all.iter().find_map(|event| event["actor"]["id"].as_str()).expect("a token").to_owned();
    let of = |wanted: &dyn Fn(&Value) -> bool| {
        let found = all.iter().filter(|event| wanted(event));
        found.map(|event| event["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let by_job = of(&|event| event["actor"]["type"] == "job");
    let by_token = of(&|event| event["actor"]["id"] == *token);
    assert!(!by_job.is_empty() && by_token.len() > 1 && by_job.len() + by_token.len() == all.len());
    assert_eq!(world.get("/events?actor=job&limit=100").await.ids(), by_job);
    assert_eq!(world.get(format!("/events?actor={token}&limit=100")).await.ids(), by_token);
    assert_eq!(world.get("/events?actor=carrier").await.ids(), Vec::<String>::new());
    let created = of(&|event| event["type"] == "shipment.created");
    assert_eq!(world.get(format!("/events?actor={token}&type=shipment.created")).await.ids(), created);
    let shipment = path.rsplit('/').next().unwrap();
    let about = world.get(format!("/events?actor=job&resource_id={shipment}")).await.json();
    assert!(about["data"].as_array().unwrap().iter().all(|event| event["data"]["object"]["id"] == shipment));
    // Oldest first, in pages.
    let first = world.get(format!("/events?actor={token}&after=0&limit=1")).await;
    assert_eq!(first.ids(), by_token[by_token.len() - 1..]);
    let cursor = first.json()["next_cursor"].as_str().expect("a cursor").to_owned();
    let second = world.get(format!("/events?actor={token}&after=0&limit=1&cursor={cursor}")).await;
    assert_eq!(second.ids(), by_token[by_token.len() - 2..by_token.len() - 1]);
    for bad in ["usr_1", "nobody", "ord_01jc0000000000000000000000", ""] {
        assert_eq!(world.get(format!("/events?actor={bad}")).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn a_token_sees_of_an_actor_only_what_it_may_read_and_only_its_own_organisation() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("BS1 4DJ")).await;
    world.location("Depot").await;
    world.relay().await;
    let actor = newest(&world, "location.created").await["actor"]["id"].as_str().unwrap().to_owned();
    let reader = world.token_for("Acme", "events:read locations:read", Mode::Test).await;
    let seen = world.request("GET", &format!("/events?actor={actor}")).token(&reader).send().await;
    let types: Vec<_> =
        seen.json()["data"].as_array().unwrap().iter().map(|event| event["type"].clone()).collect();
    assert_eq!(types, ["location.created"], "{path}");
    for (organisation, mode) in [("Globex", Mode::Test), ("Acme", Mode::Live)] {
        let other = world.token_for(organisation, "*", mode).await;
        let seen = world.request("GET", &format!("/events?actor={actor}")).token(&other).send().await;
        assert_eq!(seen.ids(), Vec::<String>::new(), "{organisation}");
    }
}

#[tokio::test]
async fn events_from_before_have_no_actor() {
    let world = World::new().await;
    world.location("Depot").await;
    world.relay().await;
    world.tamper("UPDATE event SET actor = NULL, actor_name = NULL").await;
    assert_eq!(newest(&world, "location.created").await["actor"], Value::Null);
    assert_eq!(world.get("/events?actor=system").await.ids(), Vec::<String>::new());
}
