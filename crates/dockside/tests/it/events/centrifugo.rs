//! `realtime = "centrifugo"`: the same tokens, and the log handed to an external server through its API. The receiver
//! here answers as that API is documented to.

use api::Limits;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::World as Mode;
use serde_json::{Value, json};
use service::events::stream::centrifugo;

use crate::setup::receiver::{Answer, Receiver};
use crate::setup::world::World;

const KEY: &str = "a key of the external server";
const DONE: &str = r#"{"replies":[]}"#;

/// Returns a world that uses an external Centrifugo, and the receiver that simulates it.
async fn apart() -> (World, Receiver) {
    let receiver = Receiver::new().await;
    receiver.answer(Answer::status(200).body(DONE));
    let settings = centrifugo::Settings { url: receiver.url("/"), key: KEY.to_owned() };
    let world = World::with(Limits::default(), |all| all.stream.centrifugo = Some(settings)).await;
    world.service.nodes.heartbeat().await.unwrap();
    assert_eq!(world.request("POST", "/events/provision").send().await.status, 204);
    (world, receiver)
}

/// Returns the channels in a connection token of the caller.
async fn channels(world: &World, token: &str) -> Vec<String> {
    let reply = world.request("GET", "/events/connection_token").token(token).send().await;
    assert_eq!(reply.status, 200, "{reply}");
    let token = reply.json()["token"].as_str().unwrap().to_owned();
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    claims["channels"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Returns the commands since the last call, in order.
fn commands(receiver: &Receiver) -> Vec<Value> {
    let requests = receiver.take();
    let commands = requests.iter().flat_map(|request| {
        assert_eq!(request.path, "/api/batch");
        assert_eq!(request.headers["x-api-key"], KEY);
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(body["parallel"], false);
        body["commands"].as_array().unwrap().clone()
    });
    commands.collect()
}

fn keys(commands: &[Value]) -> Vec<&str> {
    commands.iter().map(|command| command["broadcast"]["idempotency_key"].as_str().unwrap()).collect()
}

async fn hand_on(world: &World) -> model::Result<()> {
    world.relay().await;
    world.service.streams.hand_on_streams().await
}

#[tokio::test]
async fn events_go_to_the_channels_of_users_who_had_a_token() {
    let (world, receiver) = apart().await;
    world.location("Before anybody listened").await;
    world.relay().await;
    let mine = channels(&world, &world.token).await;
    let narrow = world.token_for("Acme", "orders:read events:read", Mode::Live).await;
    assert_eq!(channels(&world, &narrow).await.len(), 2);
    let elsewhere = world.token_for("Other", "*", Mode::Live).await;
    let _same = world.request("POST", "/events/provision").token(&elsewhere).send().await;
    channels(&world, &elsewhere).await;

    world.location("Depot").await;
    hand_on(&world).await.unwrap();
    let commands = commands(&receiver);
    assert_eq!(commands.len(), 1, "{commands:?}");
    let channel = mine.iter().find(|name| name.starts_with("locations:")).unwrap();
    let event = world.get("/events?limit=1").await.json()["data"][0].clone();
    let expected =
        json!({"broadcast": {"channels": [channel], "data": event, "idempotency_key": event["id"]}});
    assert_eq!(commands[0], expected);
    hand_on(&world).await.unwrap();
    assert!(receiver.take().is_empty(), "nothing is sent twice where nothing failed");
}

#[tokio::test]
async fn refused_commands_are_sent_again_in_order_and_under_the_same_keys() {
    let (world, receiver) = apart().await;
    channels(&world, &world.token).await;
    for number in 0..3 {
        world.location(&format!("Depot {number}")).await;
    }
    let internal = r#"{"replies":[{"error":{"code":100,"message":"internal server error"}}]}"#;
    for refusal in [Answer::status(503), Answer::cut(), Answer::status(200).body(internal)] {
        receiver.answer_next([refusal]);
        assert!(hand_on(&world).await.is_err());
    }
    let tried = commands(&receiver);
    let unknown =
        r#"{"replies":[{"broadcast":{"responses":[{"error":{"code":102,"message":"unknown channel"}}]}}]}"#;
    receiver.answer_next([Answer::status(200).body(unknown)]);
    hand_on(&world).await.unwrap();
    let taken = commands(&receiver);
    assert_eq!(taken.len(), 3);
    assert_eq!(keys(&tried), [keys(&taken), keys(&taken), keys(&taken)].concat());
    let names: Vec<&Value> =
        taken.iter().map(|command| &command["broadcast"]["data"]["data"]["object"]["name"]).collect();
    assert_eq!(names, ["Depot 0", "Depot 1", "Depot 2"]);
    hand_on(&world).await.unwrap();
    assert!(receiver.take().is_empty(), "what will never be taken is not tried for ever");
}

#[tokio::test]
async fn a_user_who_loses_access_is_disconnected() {
    let (world, receiver) = apart().await;
    let user = world.get("/access_tokens?limit=1").await.json()["data"][0]["user"]["id"].clone();
    let made = world.post("/access_tokens", json!({"scopes": ["events:read", "orders:read"]})).await.json();
    channels(&world, made["token"].as_str().unwrap()).await;
    assert_eq!(world.delete(format!("/access_tokens/{}", made["id"].as_str().unwrap())).await.status, 204);
    hand_on(&world).await.unwrap();
    let sent_away = |code: u16, reason: &str| json!({"disconnect": {"user": user, "disconnect": {"code": code, "reason": reason}}});
    assert_eq!(commands(&receiver), [sent_away(3014, "state invalidated")]);

    channels(&world, &world.token).await;
    assert_eq!(world.post("/events/deprovision", Value::Null).await.status, 204);
    world.location("Sent to no user").await;
    // The external server fails once. It gets the command with the next attempt.
    receiver.answer_next([Answer::status(503)]);
    assert!(hand_on(&world).await.is_err());
    receiver.take();
    hand_on(&world).await.unwrap();
    assert_eq!(commands(&receiver), [sent_away(3503, "force disconnect")]);
    hand_on(&world).await.unwrap();
    assert!(receiver.take().is_empty());
}

#[tokio::test]
async fn announcements_go_there_and_connections_do_not_come_here() {
    let (world, receiver) = apart().await;
    assert_eq!(world.service.streams.announce("Maintenance at noon").await.unwrap(), 1);
    let commands = commands(&receiver);
    assert_eq!(commands[0]["broadcast"]["channels"], json!(["system:announcements"]));
    assert_eq!(commands[0]["broadcast"]["data"]["message"], "Maintenance at noon");
    for path in ["/connection/websocket", "/connection/uni_sse", "/emulation"] {
        assert_eq!(world.request("GET", path).anonymous().send().await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn an_event_at_which_servers_stop_is_left_out() {
    let (world, receiver) = apart().await;
    channels(&world, &world.token).await;
    for number in 0..3 {
        world.location(&format!("Depot {number}")).await;
    }
    world.relay().await;
    world.tamper("UPDATE stream_relay SET crashes = 2, holder = 'gone'").await;
    world.service.suspects.work().await.unwrap();
    hand_on(&world).await.unwrap();
    let commands = commands(&receiver);
    let names: Vec<&Value> =
        commands.iter().map(|command| &command["broadcast"]["data"]["data"]["object"]["name"]).collect();
    assert_eq!(names, ["Depot 1", "Depot 2"]);
}
