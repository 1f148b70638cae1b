//! A client that listens, by a response that does not end. It sees every message as it came.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use serde_json::{Value, json};

use crate::setup::world::World;

/// Longer than anything here may take: what never comes fails the test.
const PATIENCE: Duration = Duration::from_secs(120);

/// How messages are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    Lines,
    Events,
}

/// A stream under way.
pub struct StreamClient {
    pub status: u16,
    pub headers: HeaderMap,
    framing: Framing,
    body: UnsyncBoxBody<Bytes, api::CutOff>,
    text: String,
    messages: VecDeque<Value>,
}

impl StreamClient {
    /// Connects by `http_stream` with the access token, as SDKs do; gives what it was answered.
    pub async fn connect(world: &World, token: &str) -> (Self, Value) {
        Self::connect_with(world, connect_command(world, token).await).await
    }

    /// The same, with this command.
    pub async fn connect_with(world: &World, command: Value) -> (Self, Value) {
        let request = world.request("POST", "/connection/http_stream").anonymous();
        let mut listener =
            Self::open(request.raw("application/json", command.to_string()), Framing::Lines).await;
        let reply = listener.next().await;
        (listener, reply)
    }

    pub async fn open(request: crate::setup::world::Call<'_>, framing: Framing) -> Self {
        let (head, body) = request.open().await;
        Self {
            status: head.status.as_u16(),
            headers: head.headers,
            framing,
            body,
            text: String::new(),
            messages: VecDeque::new(),
        }
    }

    /// The next message; panics where the stream ends instead.
    pub async fn next(&mut self) -> Value {
        self.next_or_end().await.expect("the stream ended")
    }

    /// The next message; `None` at the end of the stream.
    pub async fn next_or_end(&mut self) -> Option<Value> {
        while self.messages.is_empty() {
            let frame = tokio::time::timeout(PATIENCE, self.body.frame()).await.expect("nothing came");
            let Ok(piece) = frame?.expect("a stream can't fail").into_data() else { continue };
            self.text.push_str(std::str::from_utf8(&piece).expect("text"));
            self.cut();
        }
        self.messages.pop_front()
    }

    /// The next publication: its channel, and what it says.
    pub async fn publication(&mut self) -> (String, Value) {
        let message = self.next().await;
        let push = message.get("push").unwrap_or(&message);
        assert!(push["pub"].is_object(), "not a publication: {message}");
        (push["channel"].as_str().expect("a channel").to_owned(), push["pub"].clone())
    }

    /// Waits for the end, before which nothing but its reason may come.
    pub async fn closed_with(&mut self) -> (u64, String) {
        let message = self.next().await;
        let push = message.get("push").unwrap_or(&message);
        let reason = push["disconnect"].clone();
        assert!(reason.is_object(), "not the end: {message}");
        assert_eq!(self.next_or_end().await, None, "something comes after the end");
        (reason["code"].as_u64().expect("a code"), reason["reason"].as_str().expect("a reason").to_owned())
    }

    /// Sends a frame by `/emulation`; gives the status.
    pub async fn send(&mut self, world: &World, connected: &Value, frame: &Value) -> u16 {
        let body = json!({
            "session": connected["connect"]["session"],
            "node": connected["connect"]["node"],
            "data": frame.to_string(),
        });
        let request = world.request("POST", "/emulation").anonymous();
        request.raw("application/json", body.to_string()).send().await.status.as_u16()
    }

    fn cut(&mut self) {
        let end = match self.framing {
            Framing::Lines => "\n",
            Framing::Events => "\n\n",
        };
        while let Some((message, rest)) = self.text.split_once(end) {
            let message = match self.framing {
                Framing::Lines => message,
                // The first bytes of a stream are an empty line.
                Framing::Events => {
                    let event = message.trim_start_matches("\r\n");
                    event.strip_prefix("data: ").unwrap_or_else(|| panic!("not an event: {event:?}"))
                }
            };
            assert!(!message.contains('\n'), "an event of several lines: {message:?}");
            self.messages.push_back(serde_json::from_str(message).expect("JSON"));
            self.text = rest.to_owned();
        }
    }
}

/// Provisions the organisation of this token for events.
pub async fn provision(world: &World, token: &str) {
    assert_eq!(world.request("POST", "/events/provision").token(token).send().await.status, 204);
}

/// The id of the user whose token this is.
pub async fn user(world: &World, token: &str) -> String {
    let body = json!({"scopes": ["access_tokens:read"]});
    let made = world.request("POST", "/access_tokens").token(token).json(body).send().await.json();
    made["user"]["id"].as_str().expect("a user").to_owned()
}

/// Returns a connection token for the user of this access token.
pub async fn connection_token(world: &World, token: &str) -> String {
    let reply = world.request("GET", "/events/connection_token").token(token).send().await;
    reply.json()["token"].as_str().unwrap_or_else(|| panic!("no token: {reply}")).to_owned()
}

pub async fn subscription_token(world: &World, token: &str, channel: &str) -> String {
    let request = world.request("POST", "/events/subscription_token").token(token);
    let reply = request.json(json!({"channel": channel})).send().await;
    reply.json()["token"].as_str().unwrap_or_else(|| panic!("no token: {reply}")).to_owned()
}

pub async fn connect_command(world: &World, token: &str) -> Value {
    json!({"id": 1, "connect": {"token": connection_token(world, token).await}})
}

/// Numbers all written events, and publishes them to all connected clients.
pub async fn publish(world: &World) {
    world.relay().await;
    world.service.streams.publish_streams().await.expect("the log can be read");
}
