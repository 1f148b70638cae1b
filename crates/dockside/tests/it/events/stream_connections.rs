//! Connections by responses that do not end, and commands that clients send to them through `/emulation`. And which
//! callers and origins may connect.

use api::Limits;
use api::routes;
use http_body_util::BodyExt;
use model::access::scope::RESOURCES;
use serde_json::{Value, json};

use crate::setup::stream_client::{
    Framing, StreamClient, connect_command, connection_token, provision, publish, user,
};
use crate::setup::world::{Call, REST, World};

const ORIGIN: &str = "https://console.example";

/// Returns the requests that open a stream, how each separates its messages, and whether it gets pushes without a wrapper.
async fn openings(world: &World) -> Vec<(Call<'_>, Framing, bool)> {
    let command = connect_command(world, &world.token).await;
    let quoted =
        |value: &Value| value.to_string().replace('"', "%22").replace(' ', "%20").replace('{', "%7B");
    let bare = command["connect"].clone();
    let get = |path: &str, value: &Value| {
        world.request("GET", &format!("{path}?cf_connect={}", quoted(value).replace('}', "%7D"))).anonymous()
    };
    let post = |path: &str, value: &Value| {
        world.request("POST", path).anonymous().raw("application/json", value.to_string())
    };
    vec![
        (post("/connection/http_stream", &command), Framing::Lines, false),
        (get("/connection/sse", &command), Framing::Events, false),
        (post("/connection/uni_http_stream", &bare), Framing::Lines, true),
        (get("/connection/uni_sse", &bare), Framing::Events, true),
        (post("/connection/uni_sse", &bare), Framing::Events, true),
    ]
}

#[tokio::test]
async fn every_stream_begins_with_the_connect_reply_and_goes_on_with_what_is_written() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let user = user(&world, &world.token).await;
    let channel = format!("locations:{}#{user}", world.owner());
    let epoch = world.service.streams.epoch().await.unwrap();
    let mut listeners = Vec::new();
    for (request, framing, is_uni) in openings(&world).await {
        let mut listener = StreamClient::open(request, framing).await;
        let first = listener.next().await;
        let connect = &first["connect"];
        assert_eq!(listener.status, 200, "{first}");
        assert_eq!(first.get("id"), (!is_uni).then_some(&json!(1)), "{first}");
        assert!(connect["client"].is_string() && connect["session"].is_string(), "{first}");
        assert_eq!((connect["ping"].as_u64(), connect["expires"].as_bool()), (Some(25), Some(true)));
        assert_eq!(connect["subs"].as_object().unwrap().len(), RESOURCES.len(), "{first}");
        let joined = &connect["subs"][&channel];
        assert_eq!((&joined["recoverable"], &joined["positioned"]), (&json!(true), &json!(true)));
        assert_eq!(joined["epoch"], *epoch);
        let media_type = if framing == Framing::Lines { "application/json" } else { "text/event-stream" };
        let header = |name: &str| listener.headers[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), media_type);
        assert_eq!(header("x-accel-buffering"), "no");
        assert!(header("cache-control").contains("no-store"));
        listeners.push(listener);
    }
    // More events than fit into one frame, so that the server batches them if the transport allows it.
    let mut written = Vec::new();
    for _ in 0..40 {
        written.push(world.location("Depot").await);
    }
    publish(&world).await;
    let log = world.get("/events?after=0&limit=100&type=location.created").await.json();
    let log = log["data"].as_array().unwrap();
    assert_eq!(log.len(), written.len());
    for listener in &mut listeners {
        for (event, id) in log.iter().zip(&written) {
            let (on, publication) = listener.publication().await;
            assert_eq!((on.as_str(), &publication["offset"]), (channel.as_str(), &event["sequence"]));
            assert_eq!(publication["data"]["data"]["object"]["id"], id.as_str());
            assert_eq!(&publication["data"], event, "the stream tells another event than the log");
        }
    }
    assert_eq!(world.service.streams.hub().connections(), listeners.len());
}

#[tokio::test]
async fn by_protobuf_each_message_has_its_length_before_it() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let token = connection_token(&world, &world.token).await;
    // Command { id = 1: 1, connect = 4: ConnectRequest { token = 1 } }, by hand.
    let length = |bytes: usize| [(bytes & 0x7f | 0x80) as u8, (bytes >> 7) as u8];
    let inner = [&[0x0a][..], &length(token.len()), token.as_bytes()].concat();
    let command = [&[0x08, 0x01, 0x22][..], &length(inner.len()), &inner].concat();
    let frame = [&length(command.len())[..], &command].concat();
    let request = world.request("POST", "/connection/http_stream").anonymous();
    let (head, mut body) = request.raw("application/octet-stream", frame).open().await;
    assert_eq!(head.headers["content-type"], "application/octet-stream");
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    // A length in two bytes, then Reply { id = 1: 1, connect = 5: … }.
    let told = usize::from(first[0] & 0x7f) | usize::from(first[1]) << 7;
    assert_eq!((told + 2, &first[2..5]), (first.len(), &[0x08, 0x01, 0x2a][..]));
}

#[tokio::test]
async fn what_a_client_says_later_comes_through_emulation() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let (mut listener, connected) = StreamClient::connect(&world, &world.token).await;
    let command = json!({"id": 2, "subscribe": {"channel": "system:announcements"}});
    assert_eq!(listener.send(&world, &connected, &command).await, 204);
    let reply = listener.next().await;
    assert_eq!((&reply["id"], &reply["subscribe"]["positioned"]), (&json!(2), &json!(true)), "{reply}");
    // A command that can't be parsed ends the connection that it was for, and no other.
    let (mut other, other_connected) = StreamClient::connect(&world, &world.token).await;
    assert_eq!(other.send(&world, &other_connected, &json!("nonsense")).await, 204);
    assert_eq!(other.closed_with().await, (3501, "bad request".to_owned()));
    assert_eq!(other.send(&world, &other_connected, &command).await, 404, "it is over");
    assert_eq!(listener.send(&world, &connected, &json!({"id": 3, "history": {"channel": "x"}})).await, 204);
    assert_eq!(listener.next().await["id"], 3);
}

#[tokio::test]
async fn an_emulated_frame_must_be_sound_and_for_a_session_of_this_node() {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let (_listener, connected) = StreamClient::connect(&world, &world.token).await;
    let (session, node) = (&connected["connect"]["session"], &connected["connect"]["node"]);
    assert_eq!(node, world.service.streams.stream_node());
    let send = async |body: String| {
        world.request("POST", "/emulation").anonymous().raw("application/json", body).send().await
    };
    for (session, node) in [
        (&json!("00000000-0000-0000-0000-000000000000"), node),
        (&json!(""), node),
        (session, &json!("elsewhere")),
        (session, &json!("")),
    ] {
        let reply = send(json!({"session": session, "node": node, "data": "{}"}).to_string()).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "not_found"), "{session} {node}");
    }
    for body in ["", "{", "[]", "7", "nonsense", "{\"session\":7}", "{\"data\":{}}"] {
        let reply = send(body.to_owned()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (400, "invalid_json"),
            "{body:?}: {reply}"
        );
    }
    for method in ["GET", "PUT", "DELETE"] {
        assert_eq!(world.request(method, "/emulation").send().await.status, 405);
    }
}

#[tokio::test]
async fn pages_of_other_origins_may_not_connect() {
    let limits = Limits { cors_origins: vec![ORIGIN.to_owned()], ..Limits::default() };
    let world = World::with_limits(limits).await;
    for route in routes::connections() {
        let knock = async |origin: Option<&str>, host: &str| {
            let is_stream = route.path != "/emulation";
            let path = if is_stream { format!("{}?cf_connect=x", route.path) } else { route.path.to_owned() };
            let mut request = world.request(route.method.as_str(), &path).anonymous().header("host", host);
            if let Some(origin) = origin {
                request = request.header("origin", origin);
            }
            let (head, body) = request.open().await;
            // An accepted stream has no end, so read the body of a refusal only: it has the code.
            let is_refused = head.status == 403;
            let text =
                if is_refused { body.collect().await.unwrap().to_bytes() } else { bytes::Bytes::new() };
            is_refused.then(|| serde_json::from_slice::<Value>(&text).unwrap()["code"].clone())
        };
        let refused = Some(json!("forbidden_origin"));
        for origin in [
            "https://evil.example",
            "null",
            "https://",
            "console.example",
            "http://console.example",
            "https://console.example.evil.example",
            "https://api.example:8080",
            "https://evil.example/api.example",
        ] {
            assert_eq!(knock(Some(origin), "api.example").await, refused, "{} from {origin}", route.path);
        }
        for (origin, host) in [
            (Some(ORIGIN), "api.example"),
            (Some("https://api.example"), "api.example"),
            (Some("http://localhost:8080"), "localhost:8080"),
            (None, "api.example"),
        ] {
            assert_eq!(knock(origin, host).await, None, "{} from {origin:?}", route.path);
        }
    }
}

#[tokio::test]
async fn beyond_its_places_a_server_turns_clients_away_until_one_goes() {
    let limits = Limits { stream_connections_max: 2, ..Limits::default() };
    let world = World::with_limits(limits).await;
    provision(&world, &world.token).await;
    let open = async || {
        let command = connect_command(&world, &world.token).await.to_string();
        let request = world.request("POST", "/connection/http_stream").anonymous();
        StreamClient::open(request.raw("application/json", command), Framing::Lines).await
    };
    let (mut first, mut second) = (open().await, open().await);
    assert_eq!((first.status, second.status), (200, 200));
    assert!(first.next().await["connect"].is_object() && second.next().await["connect"].is_object());
    let third = open().await;
    assert_eq!(third.status, 503);
    assert!(third.headers.contains_key("retry-after"), "SDKs are not told when to come back");
    drop(first);
    let began = std::time::Instant::now();
    while open().await.status != 200 {
        assert!(began.elapsed().as_secs() < 20, "a place is never given back");
        tokio::time::sleep(REST).await;
    }
}

#[tokio::test]
async fn a_request_without_a_handshake_gets_400() {
    let world = World::new().await;
    for path in ["/connection/websocket", "/connection/uni_websocket"] {
        let reply = world.request("GET", path).anonymous().send().await;
        assert_eq!((reply.status.as_u16(), reply.header("sec-websocket-version")), (400, "13"), "{reply}");
    }
    for path in ["/connection/sse", "/connection/uni_sse"] {
        let reply = world.request("GET", path).anonymous().send().await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (400, "invalid_query"), "{reply}");
    }
}
