//! Events that are larger than a frame: live clients stay connected, and get a reference to the event.

use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::setup::stream_client::{
    Framing, StreamClient, connect_command, connection_token, provision, publish, user,
};
use crate::setup::world::{World, bulky, depot};

/// Bytes of a location that is larger than a client's outbox.
const BYTES: usize = 3 << 20;

/// Writes a small location, a large one, and a small one; gives their events as the log has them.
async fn write(world: &World) -> Vec<Value> {
    world.relay().await;
    let before = world.get("/events?limit=1").await.json()["data"][0]["sequence"].as_u64().unwrap_or(0);
    for body in [depot("First"), bulky("Large", BYTES), depot("Last")] {
        let made = world.post("/locations", body).await;
        assert_eq!(made.status, 201, "{made}");
    }
    publish(world).await;
    let mut log = Vec::new();
    // The large one ends its page.
    while log.len() < 3 {
        let after = before + log.len() as u64;
        log.extend(
            world.get(format!("/events?after={after}")).await.json()["data"].as_array().unwrap().clone(),
        );
    }
    assert_eq!(log.len(), 3);
    log
}

/// What a stream tells of these events.
fn told(log: &[Value]) -> [Value; 3] {
    let mut reference = log[1].clone();
    reference["data"] = json!({"object": null});
    reference["previous_attributes"] = Value::Null;
    reference["is_truncated"] = json!(true);
    [log[0].clone(), reference, log[2].clone()]
}

#[tokio::test]
async fn a_large_event_comes_as_a_reference_on_every_transport() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let command = connect_command(&world, &world.token).await;
    let post = |path: &str, body: &Value| {
        world.request("POST", path).anonymous().raw("application/json", body.to_string())
    };
    let mut listeners = Vec::new();
    for (path, body, framing) in [
        ("/connection/http_stream", &command, Framing::Lines),
        ("/connection/uni_http_stream", &command["connect"], Framing::Lines),
        ("/connection/uni_sse", &command["connect"], Framing::Events),
    ] {
        let mut listener = StreamClient::open(post(path, body), framing).await;
        assert!(listener.next().await["connect"].is_object());
        listeners.push(listener);
    }
    for round in 0..2 {
        let log = write(&world).await;
        for listener in &mut listeners {
            for expected in told(&log) {
                let (_, publication) = listener.publication().await;
                assert_eq!(publication["data"], expected, "round {round}");
                assert_eq!(publication["offset"], expected["sequence"]);
            }
        }
        let id = log[1]["id"].as_str().unwrap();
        assert_eq!(world.get(format!("/events/{id}")).await.json(), log[1], "the whole is there to fetch");
    }
}

#[tokio::test]
async fn a_large_event_comes_as_a_reference_by_protobuf() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let token = connection_token(&world, &world.token).await;
    let length = |bytes: usize| [(bytes & 0x7f | 0x80) as u8, (bytes >> 7) as u8];
    let inner = [&[0x0a][..], &length(token.len()), token.as_bytes()].concat();
    let command = [&[0x08, 0x01, 0x22][..], &length(inner.len()), &inner].concat();
    let frame = [&length(command.len())[..], &command].concat();
    let request = world.request("POST", "/connection/http_stream").anonymous();
    let (_, mut body) = request.raw("application/octet-stream", frame).open().await;
    body.frame().await.unwrap().unwrap();
    let log = write(&world).await;
    let mut heard = Vec::new();
    let last = log[2]["id"].as_str().unwrap();
    let has = |heard: &[u8], text: &str| heard.windows(text.len()).any(|part| part == text.as_bytes());
    while !has(&heard, last) {
        heard.extend(body.frame().await.expect("the stream ended").unwrap().into_data().unwrap());
    }
    assert!(heard.len() < 10_000, "{}", heard.len());
    let id = log[1]["id"].as_str().unwrap();
    assert!(
        has(&heard, id)
            && has(&heard, r#""data":{"object":null},"previous_attributes":null,"is_truncated":true}"#)
    );
}

#[tokio::test]
async fn recovery_and_history_go_across_large_events() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let channel = format!("locations:{}#{}", world.owner(), user(&world, &world.token).await);
    let epoch = world.service.streams.epoch().await.unwrap().to_string();
    let mut log = write(&world).await;
    log.extend(write(&world).await);
    let seen = log[0]["sequence"].as_u64().unwrap();
    let expected: Vec<Value> = [told(&log[..3]), told(&log[3..])].concat();

    let connect = json!({"id": 1, "connect": {
        "token": connection_token(&world, &world.token).await,
        "subs": {&channel: {"recover": true, "offset": seen, "epoch": epoch}},
    }});
    let (mut listener, connected) = StreamClient::connect_with(&world, connect).await;
    let joined = &connected["connect"]["subs"][&channel];
    let events = |of: &Value| -> Vec<Value> {
        of["publications"].as_array().unwrap().iter().map(|publication| publication["data"].clone()).collect()
    };
    assert_eq!((&joined["recovered"], events(joined)), (&json!(true), expected[1..].to_vec()));

    for (is_reverse, since) in [(false, seen), (true, log[5]["sequence"].as_u64().unwrap() + 1)] {
        let history = json!({"id": 2, "history": {
            "channel": channel, "limit": 10, "reverse": is_reverse, "since": {"offset": since, "epoch": epoch},
        }});
        assert_eq!(listener.send(&world, &connected, &history).await, 204);
        let mut found = events(&listener.next().await["history"]);
        if is_reverse {
            found.reverse();
        }
        let first = usize::from(!is_reverse);
        assert_eq!(found, expected[first..], "reverse: {is_reverse}");
    }
}
