//! Recovery: a client that reconnects gets the events that it missed, or is told to reload. Announcements reach all clients;
//! events of another organisation or world never do.

use std::sync::Arc;

use model::World as Mode;
use model::access::access_token::Secret;
use serde_json::{Value, json};

use crate::setup::stream_client::{
    StreamClient, connection_token, provision, publish, subscription_token, user,
};
use crate::setup::world::{World, depot};

/// Longer than events are kept.
const KEPT_SECONDS: i64 = 30 * 24 * 3600;
/// A client that has missed more events must reload.
const MISSED_MAX: u64 = 1000;

struct Scene {
    world: World,
    channel: String,
    epoch: String,
}

impl Scene {
    async fn new() -> Self {
        let world = World::new().await;
        provision(&world, &world.token).await;
        let channel = format!("locations:{}#{}", world.owner(), user(&world, &world.token).await);
        let epoch = world.service.streams.epoch().await.unwrap().to_string();
        Self { world, channel, epoch }
    }

    /// Connects as a client that has seen the channel up to this offset. Returns the server's answer about the channel.
    async fn recover(&self, offset: u64, epoch: &str) -> (StreamClient, Value) {
        let command = json!({"id": 1, "connect": {
            "token": connection_token(&self.world, &self.world.token).await,
            "subs": {&self.channel: {"recover": true, "offset": offset, "epoch": epoch}},
        }});
        let (listener, connected) = StreamClient::connect_with(&self.world, command).await;
        assert!(connected["connect"].is_object(), "{connected}");
        (listener, connected["connect"]["subs"][&self.channel].clone())
    }

    /// Joins the channel by a subscription, from this offset, with the flag to answer an error if recovery is impossible.
    async fn join_strictly(&self, offset: u64, epoch: &str) -> Value {
        let world = &self.world;
        let narrow = world.token_for("Acme", "events:read", Mode::Live).await;
        let token = subscription_token(world, &world.token, &self.channel).await;
        let (mut listener, connected) = StreamClient::connect(world, &narrow).await;
        let join = json!({"id": 2, "subscribe": {
            "channel": self.channel, "token": token, "recover": true, "offset": offset, "epoch": epoch, "flag": 3,
        }});
        assert_eq!(listener.send(world, &connected, &join).await, 204);
        listener.next().await
    }

    async fn write(&self, count: usize) {
        for _ in 0..count {
            self.world.location("Depot").await;
        }
        self.world.relay().await;
    }
}

fn offsets(channel: &Value) -> Vec<u64> {
    let publications = channel["publications"].as_array().cloned().unwrap_or_default();
    publications.iter().map(|publication| publication["offset"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn what_was_missed_comes_first_then_what_is_new() {
    let scene = Scene::new().await;
    scene.write(5).await;
    // The user's token for itself is an event too, of another channel.
    let sequences: Vec<u64> = scene.world.get("/events?after=0&limit=100").await.json()["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["type"] == "location.created")
        .map(|event| event["sequence"].as_u64().unwrap())
        .collect();
    assert_eq!(sequences.len(), 5);
    for seen in 0..5 {
        let (mut listener, channel) = scene.recover(sequences[seen], &scene.epoch).await;
        assert_eq!(offsets(&channel), sequences[seen + 1..]);
        assert_eq!((&channel["recovered"], &channel["offset"]), (&json!(true), &json!(sequences[seen])));
        if seen == 4 {
            scene.write(1).await;
            publish(&scene.world).await;
            let (on, publication) = listener.publication().await;
            assert_eq!((on, publication["offset"].as_u64()), (scene.channel.clone(), Some(sequences[4] + 1)));
        }
    }
}

#[tokio::test]
async fn positions_that_are_none_make_the_client_reload() {
    let scene = Scene::new().await;
    scene.write(3).await;
    let top = scene.world.events().await.len() as u64;
    for (offset, epoch) in [(top + 1, scene.epoch.as_str()), (1, "other"), (0, "_"), (u64::MAX, &scene.epoch)]
    {
        let (_listener, channel) = scene.recover(offset, epoch).await;
        assert_eq!(channel["was_recovering"], true, "{offset} {epoch}: {channel}");
        assert_eq!((channel.get("recovered"), channel.get("publications")), (None, None), "{channel}");
        assert_eq!(channel["offset"], top);
        let refused = scene.join_strictly(offset, epoch).await;
        assert_eq!(refused, json!({"id": 2, "error": {"code": 112, "message": "unrecoverable position"}}));
    }
    let joined = scene.join_strictly(top - 1, &scene.epoch).await;
    let last = offsets(&joined["subscribe"]);
    assert_eq!((last, &joined["subscribe"]["recovered"]), (vec![top], &json!(true)), "{joined}");
}

#[tokio::test]
async fn a_client_that_the_log_has_left_behind_is_told_so() {
    let scene = Scene::new().await;
    scene.write(3).await;
    let old = scene.world.events().await.len() as u64;
    scene.world.advance_seconds(KEPT_SECONDS + 60);
    scene.write(2).await;
    scene.world.service.cleaning.work().await.unwrap();
    assert_eq!(scene.world.events().await.len(), 2, "the old ones are not gone");
    for (offset, is_there) in [(0, false), (old - 1, false), (old, true), (old + 1, true), (old + 2, true)] {
        let (_listener, channel) = scene.recover(offset, &scene.epoch).await;
        let is_recovered = channel["recovered"] == true;
        assert_eq!(is_recovered, is_there, "{offset} of {old}: {channel}");
        let expected: Vec<_> = if is_there { (offset + 1..=old + 2).collect() } else { vec![] };
        assert_eq!(offsets(&channel), expected);
        assert_eq!(channel["offset"], if is_there { offset } else { old + 2 });
        let joined = scene.join_strictly(offset, &scene.epoch).await;
        assert_eq!(joined["error"]["code"] == 112, !is_there, "{joined}");
    }
    // If all events are deleted, a client can recover only from the end of the log.
    scene.world.advance_seconds(KEPT_SECONDS + 60);
    scene.world.service.cleaning.work().await.unwrap();
    for (offset, is_there) in [(old + 1, false), (old + 2, true)] {
        let (_listener, channel) = scene.recover(offset, &scene.epoch).await;
        assert_eq!(channel["recovered"] == true, is_there, "{offset}: {channel}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_thousand_missed_events_are_a_reload() {
    let scene = Arc::new(Scene::new().await);
    let head = scene.world.events().await.len() as u64;
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..MISSED_MAX + 1 {
        let scene = Arc::clone(&scene);
        writers.spawn(async move { drop(scene.world.location("Depot").await) });
    }
    while let Some(ended) = writers.join_next().await {
        ended.unwrap();
    }
    let top = scene.world.events().await.len() as u64;
    assert_eq!(top, head + MISSED_MAX + 1);
    let (_listener, channel) = scene.recover(head, &scene.epoch).await;
    assert_eq!((channel.get("recovered"), &channel["offset"]), (None, &json!(top)), "1001 were missed");
    let (_listener, channel) = scene.recover(head + 1, &scene.epoch).await;
    assert_eq!(channel["recovered"], true, "1000 were missed");
    assert_eq!(offsets(&channel), (head + 2..=top).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_new_epoch_makes_every_client_reload() {
    let scene = Scene::new().await;
    scene.write(2).await;
    let top = scene.world.events().await.len() as u64;
    let (mut listener, _) = scene.recover(top, &scene.epoch).await;
    let fresh = scene.world.service.streams.renew_epoch().await.unwrap().to_string();
    assert_ne!(fresh, scene.epoch);
    assert_eq!(listener.closed_with().await, (3010, "insufficient state".to_owned()));
    let (_listener, channel) = scene.recover(top, &scene.epoch).await;
    assert_eq!((channel.get("recovered"), &channel["epoch"]), (None, &json!(fresh)), "{channel}");
    assert_eq!(scene.world.get("/locations").await.header("stream-epoch"), fresh);
    let (_listener, channel) = scene.recover(top, &fresh).await;
    assert_eq!(channel["recovered"], true, "{channel}");
}

#[tokio::test]
async fn announcements_reach_all_clients_that_joined_and_can_be_recovered() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let rival = world.token_for("Rival", "events:read events:write", Mode::Live).await;
    provision(world, &rival).await;
    let join = |recover: Value| {
        let mut join = json!({"id": 2, "subscribe": {"channel": "system:announcements"}});
        join["subscribe"].as_object_mut().unwrap().extend(recover.as_object().unwrap().clone());
        join
    };
    let mut listeners = Vec::new();
    for token in [&world.token, &rival] {
        let (mut listener, connected) = StreamClient::connect(world, token).await;
        listener.send(world, &connected, &join(json!({}))).await;
        let joined = listener.next().await;
        assert!(joined["subscribe"]["positioned"] == true && joined["subscribe"].get("expires").is_none());
        listeners.push(listener);
    }
    let first = world.service.streams.announce("We move at noon.").await.unwrap();
    let second = world.service.streams.announce("We have moved.").await.unwrap();
    publish(world).await;
    for listener in &mut listeners {
        for (number, message) in [(first, "We move at noon."), (second, "We have moved.")] {
            let (on, publication) = listener.publication().await;
            assert_eq!((on.as_str(), &publication["offset"]), ("system:announcements", &json!(number)));
            assert_eq!(publication["data"]["message"], message);
            assert!(publication["data"]["created_at"].is_string());
        }
    }
    let (mut late, connected) = StreamClient::connect(world, &rival).await;
    late.send(world, &connected, &join(json!({"recover": true, "offset": first, "epoch": scene.epoch})))
        .await;
    let joined = late.next().await;
    assert_eq!(joined["subscribe"]["publications"][0]["data"]["message"], "We have moved.", "{joined}");
    assert_eq!(offsets(&joined["subscribe"]), [second as u64]);
}

#[tokio::test]
async fn a_client_hears_neither_another_organisation_nor_the_other_world() {
    let world = World::new().await;
    let tokens = [
        world.token.clone(),
        world.token_for("Rival", "*", Mode::Live).await,
        world.token_for("Acme", "*", Mode::Test).await,
    ];
    let mut listeners = Vec::new();
    for token in &tokens {
        provision(&world, token).await;
        listeners.push(StreamClient::connect(&world, token).await.0);
    }
    let mut written = vec![Vec::new(); tokens.len()];
    for round in 0..10 {
        for (token, ids) in tokens.iter().zip(&mut written) {
            let made = world.request("POST", "/locations").token(token).json(depot(&format!("{round}")));
            ids.push(made.send().await.json()["id"].clone());
        }
    }
    publish(&world).await;
    for ((token, listener), ids) in tokens.iter().zip(&mut listeners).zip(&written) {
        let own = format!("locations:{}#", Secret::owner_of(token).unwrap());
        for id in ids {
            let (on, publication) = listener.publication().await;
            assert!(on.starts_with(&own), "{on} reached {own}");
            assert_eq!(&publication["data"]["data"]["object"]["id"], id);
        }
    }
    // No other publication is queued: the next one of each client is its own next event.
    for (token, listener) in tokens.iter().zip(&mut listeners) {
        let made = world.request("POST", "/locations").token(token).json(depot("Last")).send().await.json();
        publish(&world).await;
        assert_eq!(listener.publication().await.1["data"]["data"]["object"]["id"], made["id"]);
    }
}
