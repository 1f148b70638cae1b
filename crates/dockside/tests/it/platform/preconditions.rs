//! `ETag`, `If-Match` and `If-None-Match`: a client can't overwrite a version that it has not seen.

use std::sync::Arc;

use model::World as Mode;
use serde_json::json;

use crate::setup::populated_organisation::{account, parcel};
use crate::setup::world::{Reply, World};

async fn patch(world: &World, path: &str, tag: &str, name: &str) -> Reply {
    world.request("PATCH", path).header("if-match", tag).json(json!({"name": name})).send().await
}

async fn delete(world: &World, path: &str, tag: &str) -> Reply {
    world.request("DELETE", path).header("if-match", tag).send().await
}

async fn get_unless(world: &World, path: &str, tag: &str) -> Reply {
    world.request("GET", path).header("if-none-match", tag).send().await
}

/// One path of every kind: a location, a configuration, a shipment, an account, and a token, which can't be changed.
async fn paths(world: &World) -> [String; 5] {
    let (configuration, origin, _) = world.configuration("Main").await;
    let token = world.post("/access_tokens", json!({"scopes": ["locations:read"]})).await;
    let account = world.post("/carrier_accounts", account("Acme", Mode::Live)).await;
    [
        format!("/locations/{origin}"),
        format!("/location_configurations/{configuration}"),
        world.shipment(parcel()).await,
        account.header("location").to_owned(),
        token.header("location").to_owned(),
    ]
}

#[tokio::test]
async fn every_single_resource_carries_a_strong_tag() {
    let world = World::new().await;
    for path in paths(&world).await {
        let reply = world.get(&path).await;
        let tag = reply.header("etag");
        assert!(tag.len() > 2 && tag.starts_with('"') && tag.ends_with('"'), "{path}: {tag}");
    }
    let made = world.post("/locations", crate::setup::world::depot("Depot")).await;
    let read = world.get(made.header("location")).await;
    assert_eq!(made.header("etag"), read.header("etag"));
    let changed = patch(&world, made.header("location"), read.header("etag"), "Renamed").await;
    assert_ne!(changed.header("etag"), read.header("etag"));
    assert_eq!(changed.header("etag"), world.get(made.header("location")).await.header("etag"));
    assert_eq!(world.get("/locations").await.header("etag"), "");
}

#[tokio::test]
async fn a_stale_tag_stops_a_change() {
    let world = World::new().await;
    for path in paths(&world).await.into_iter().take(4) {
        let read = world.get(&path).await;
        let stale = read.header("etag").to_owned();
        let changed = patch(&world, &path, &stale, "First").await;
        assert_eq!(changed.status, 200, "{changed}");
        for refused in [patch(&world, &path, &stale, "Second").await, delete(&world, &path, &stale).await] {
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (412, "precondition_failed"));
        }
        assert_eq!(world.get(&path).await.text, changed.text);
        assert_eq!(patch(&world, &path, changed.header("etag"), "Second").await.status, 200);
    }
}

#[tokio::test]
async fn a_current_tag_lets_a_deletion_through() {
    let world = World::new().await;
    let [location, configuration, shipment, account, token] = paths(&world).await;
    for path in [configuration, location, shipment, account, token] {
        assert_eq!(delete(&world, &path, "\"0\"").await.status, 412, "{path}");
        let tag = world.get(&path).await.header("etag").to_owned();
        assert_eq!(delete(&world, &path, &tag).await.status, 204, "{path}");
    }
}

#[tokio::test]
async fn a_star_or_a_list_of_tags_lets_a_change_through() {
    let world = World::new().await;
    let path = format!("/locations/{}", world.location("Depot").await);
    assert_eq!(patch(&world, &path, "*", "One").await.status, 200);
    let tag = world.get(&path).await.header("etag").to_owned();
    assert_eq!(patch(&world, &path, &format!("\"x\", {tag} ,\"y\""), "Two").await.status, 200);
    assert_eq!(patch(&world, &path, &format!("\"x\", {tag}"), "Three").await.status, 412);
}

#[tokio::test]
async fn a_weak_tag_is_no_ground_for_a_change() {
    let world = World::new().await;
    for path in paths(&world).await.into_iter().take(4) {
        let tag = world.get(&path).await.header("etag").to_owned();
        for tag in [format!("W/{tag}"), tag.trim_matches('"').to_owned(), String::new()] {
            assert_eq!(patch(&world, &path, &tag, "x").await.code(), "precondition_failed", "{path} {tag:?}");
        }
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found_whatever_the_tag() {
    let world = World::new().await;
    for tag in ["*", "\"1\""] {
        assert_eq!(patch(&world, "/locations/loc_01jc0000000000000000000000", tag, "x").await.status, 404);
    }
}

#[tokio::test]
async fn a_changed_location_makes_its_configurations_tag_stale() {
    let world = World::new().await;
    let [location, configuration, ..] = paths(&world).await;
    let tag = world.get(&configuration).await.header("etag").to_owned();
    assert_eq!(patch(&world, &location, "*", "Moved").await.status, 200);
    assert_eq!(patch(&world, &configuration, &tag, "x").await.status, 412);
    assert_eq!(get_unless(&world, &configuration, &tag).await.status, 200);
}

#[tokio::test]
async fn a_known_state_is_not_sent_again() {
    let world = World::new().await;
    for path in paths(&world).await {
        let read = world.get(&path).await;
        let tag = read.header("etag").to_owned();
        for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
            let reply = get_unless(&world, &path, &known).await;
            assert_eq!((reply.status.as_u16(), reply.text.as_str()), (304, ""), "{path}: {known}");
            assert_eq!(reply.header("etag"), tag);
            assert_eq!((reply.header("content-type"), reply.header("content-length")), ("", ""));
        }
        let head = world.request("HEAD", &path).header("if-none-match", &tag).send().await;
        assert_eq!((head.status.as_u16(), head.header("etag")), (304, tag.as_str()));
        let other = get_unless(&world, &path, "\"0\"").await;
        assert_eq!((other.status.as_u16(), &other.text), (200, &read.text));
    }
}

#[tokio::test]
async fn a_changed_state_is_sent_whole() {
    let world = World::new().await;
    let path = format!("/locations/{}", world.location("Depot").await);
    let tag = world.get(&path).await.header("etag").to_owned();
    assert_eq!(patch(&world, &path, &tag, "Renamed").await.status, 200);
    let reply = get_unless(&world, &path, &tag).await;
    assert_eq!((reply.status.as_u16(), reply.json()["name"].as_str()), (200, Some("Renamed")));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_changes_to_one_state_one_wins() {
    const WRITERS: usize = 16;
    let world = Arc::new(World::new().await);
    let path = format!("/locations/{}", world.location("Depot").await);
    let tag = world.get(&path).await.header("etag").to_owned();
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..WRITERS {
        let (world, path, tag) = (world.clone(), path.clone(), tag.clone());
        writers.spawn(async move { patch(&world, &path, &tag, &format!("Writer {number}")).await });
    }
    let replies = writers.join_all().await;
    let (won, lost): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 200);
    assert_eq!((won.len(), lost.len()), (1, WRITERS - 1));
    assert!(lost.iter().all(|reply| reply.code() == "precondition_failed"));
    assert_eq!(world.get(&path).await.text, won[0].text);
}

#[tokio::test]
async fn the_tags_of_a_bought_shipment_and_of_a_manifest_are_stable_and_give_304() {
    let world = World::rehearsal().await;
    let (configuration, location, _) = world.configuration("Main").await;
    let mut body = parcel();
    body["addresses"]["origin"] = serde_json::Value::Null;
    body["addresses"]["location_configuration_id"] = json!(configuration);
    let shipment = world.shipment(body).await;
    let draft = world.get(&shipment).await.header("etag").to_owned();
    assert_eq!(world.buy(&shipment).await["documents"].as_array().map(Vec::len), Some(1));
    let manifest = world.begin("/manifests", Some(json!({"location": {"id": location}}))).await;
    world.service.manifests.work().await.unwrap();
    let manifest = format!("/manifests/{}", manifest.ids()[0]);
    for path in [&shipment, &manifest] {
        let first = world.get(path).await;
        world.advance_seconds(60);
        let second = world.get(path).await;
        assert_ne!(
            first.json().pointer("/documents/0/file_url"),
            second.json().pointer("/documents/0/file_url"),
            "links are made with each read"
        );
        assert_eq!(first.header("etag"), second.header("etag"), "{path}");
        assert_ne!(first.header("etag"), draft);
        let known = get_unless(&world, path, first.header("etag")).await;
        assert_eq!((known.status.as_u16(), known.text.as_str()), (304, ""), "{path}");
        assert_eq!(get_unless(&world, path, &draft).await.status, 200);
    }
}

#[tokio::test]
async fn if_match_holds_for_all_allocations_of_an_order() {
    let world = World::new().await;
    let (item, location) = world.stocked("TEE", 9).await;
    let path = format!("/allocations/orders/{}", world.order(&[(&item, 5)]).await);
    let allocate =
        async || world.post(&path, crate::setup::stock_requests::wanted(&[(&location, &item, 1)])).await;
    let none = world.get(&path).await.header("etag").to_owned();
    assert_eq!(get_unless(&world, &path, &none).await.status, 304);
    let made = allocate().await;
    let one = world.get(&path).await.header("etag").to_owned();
    assert_ne!(none, one);
    let complete = |tag: &str| {
        let body = json!({"allocations": [{"id": made.ids()[0], "completed": true}]});
        world.request("PATCH", &path).header("if-match", tag).json(body).send()
    };
    for refused in [delete(&world, &path, &none).await, complete(&none).await] {
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (412, "precondition_failed"));
    }
    assert_eq!(world.get(&path).await.header("etag"), one, "what was refused changed nothing");
    assert_eq!(complete(&one).await.status, 200);
    assert_eq!(delete(&world, &path, &one).await.status, 412, "it was completed since");
    let completed = world.get(&path).await.header("etag").to_owned();
    allocate().await;
    assert_eq!(delete(&world, &path, &completed).await.status, 412, "another was made since");
    let current = world.get(&path).await.header("etag").to_owned();
    assert_eq!(delete(&world, &path, &current).await.status, 204);
    assert_eq!(world.get(&path).await.header("etag"), none);
}
