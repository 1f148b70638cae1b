//! `Stream-Offset` and `Stream-Epoch`: every read of state says where the log was, so that a page can load and then
//! follow without a hole.

use api::routes;
use model::World as Mode;
use serde_json::json;

use crate::setup::populated_organisation::PopulatedOrganisation;
use crate::setup::stream_client::{StreamClient, connection_token, provision, publish};
use crate::setup::world::{Reply, World};

/// Longer than a position is remembered.
const FORGOTTEN: std::time::Duration = std::time::Duration::from_millis(120);

fn position(reply: &Reply) -> Option<(u64, String)> {
    let offset = reply.headers.get("stream-offset")?.to_str().unwrap().parse().expect("a number");
    Some((offset, reply.header("stream-epoch").to_owned()))
}

/// The sequence of the newest event that readers can see.
async fn newest(world: &World, token: &str) -> u64 {
    let reply = world.request("GET", "/events?limit=1").token(token).send().await;
    reply.json()["data"][0]["sequence"].as_u64().unwrap_or(0)
}

#[tokio::test]
async fn every_read_of_state_tells_the_position_and_nothing_else_does() {
    let world = World::new().await;
    let tenant = PopulatedOrganisation::populate(&world, "Acme", Mode::Live).await;
    let epoch = world.service.streams.epoch().await.unwrap().to_string();
    let rows = routes::all();
    let (mut told, mut silent) = (0, 0);
    let gets = rows.iter().filter(|route| route.scope().is_some() && route.method == http::Method::GET);
    // What acts is not read, although it is a GET.
    for route in gets.filter(|route| !route.path.ends_with("provision")) {
        let path = tenant.path(route);
        let reply = world.request("GET", &path).token(&tenant.token).send().await;
        if !route.shows_state() {
            assert_eq!(position(&reply), None, "{path}");
            silent += 1;
            continue;
        }
        assert_eq!(reply.status, 200, "{path}: {reply}");
        let (offset, of) = position(&reply).unwrap_or_else(|| panic!("{path} tells no position"));
        let newest = newest(&world, &tenant.token).await;
        assert!(of == epoch && offset <= newest && offset > 0, "{path}: {offset} of {newest}, {of}");
        let head = world.request("HEAD", &path).token(&tenant.token).send().await;
        assert!(position(&head).is_some(), "HEAD {path}");
        told += 1;
        let Some(tag) = reply.headers.get("etag") else { continue };
        let known = world.request("GET", &path).token(&tenant.token);
        let known = known.header("if-none-match", tag.to_str().unwrap()).send().await;
        assert_eq!(known.status, 304, "{path}");
        assert!(position(&known).is_some_and(|(_, of)| of == epoch), "{path}: a 304 tells no position");
    }
    assert!(told > 15 && silent > 0, "{told} {silent}: the table has become another");
}

#[tokio::test]
async fn writes_and_refusals_tell_none() {
    let world = World::new().await;
    let id = world.location("Depot").await;
    for reply in [
        world.patch(format!("/locations/{id}"), json!({"name": "New"})).await,
        world.delete(format!("/locations/{id}")).await,
        world.get(format!("/locations/{id}")).await,
        world.get("/healthz").await,
    ] {
        assert_eq!(position(&reply), None, "{reply}");
    }
}

#[tokio::test]
async fn after_a_write_the_position_is_the_newest_or_an_older_one_never_a_later() {
    let world = World::new().await;
    assert_eq!(position(&world.get("/locations").await).unwrap().0, 0);
    for number in 1..=10 {
        world.location("Depot").await;
        let (offset, _) = position(&world.get("/locations").await).unwrap();
        let is_shared = world.db.is_shared();
        assert!(offset == number || is_shared && offset < number, "{offset} after {number} writes");
        world.relay().await;
        let (offset, _) = position(&world.get("/orders").await).unwrap();
        assert!(offset == number || is_shared && offset < number, "{offset} after {number} events");
    }
    tokio::time::sleep(FORGOTTEN).await;
    assert_eq!(position(&world.get("/locations").await).unwrap().0, 10, "a position is remembered too long");
    let rival = world.token_for("Rival", "*", Mode::Live).await;
    let reply = world.request("GET", "/locations").token(&rival).send().await;
    assert_eq!(position(&reply).unwrap().0, 0, "the position of another organisation");
}

#[tokio::test]
async fn a_client_that_loads_and_then_subscribes_misses_nothing() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    for _ in 0..3 {
        world.location("Before").await;
    }
    world.relay().await;
    let loaded = world.get("/locations").await;
    let (offset, epoch) = position(&loaded).unwrap();
    let later = [world.location("Later").await, world.location("Later").await];
    publish(&world).await;
    let channel = format!(
        "locations:{}#{}",
        world.owner(),
        crate::setup::stream_client::user(&world, &world.token).await
    );
    let command = json!({"id": 1, "connect": {
        "token": connection_token(&world, &world.token).await,
        "subs": {&channel: {"recover": true, "offset": offset, "epoch": epoch}},
    }});
    let (_listener, connected) = StreamClient::connect_with(&world, command).await;
    let channel = &connected["connect"]["subs"][&channel];
    assert_eq!(
        (&channel["recovered"], &channel["was_recovering"]),
        (&json!(true), &json!(true)),
        "{connected}"
    );
    let publications = channel["publications"].as_array().unwrap();
    let told = publications.iter().map(|publication| &publication["data"]["data"]["object"]["id"]);
    let told: Vec<_> = told.filter_map(|id| id.as_str()).collect();
    let shown = loaded.ids();
    let missed: Vec<_> = told.iter().filter(|id| !shown.contains(&(**id).to_owned())).collect();
    assert_eq!(missed, later.iter().collect::<Vec<_>>(), "{told:?} after {offset}");
}
