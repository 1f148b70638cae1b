//! What a client needs before it can connect: a provision, tokens, and the name of its channel.

use std::net::SocketAddr;

use model::access::access_token::Secret;
use serde_json::{Value, json};
use testkit::client::Client;

/// A user of the API, with the user's channel of locations.
pub struct StreamAccount {
    /// The user's own channel of locations.
    pub channel: String,
    /// A connection token that includes the channel.
    pub connection: String,
    /// A connection token without the channel, and the subscription token to join it with.
    pub narrow: String,
    pub subscription: String,
}

impl StreamAccount {
    /// Provisions the organisation, and fetches tokens as an application does.
    pub fn open(address: SocketAddr, token: &str) -> Self {
        let mut client = Client::connect(address, token).expect("a server that listens");
        assert_eq!(client.post("/events/provision", "").status, 204);
        let (_, narrow, user) = access_token(&mut client, &["events:read"]);
        let channel = format!("locations:{}#{user}", Secret::owner_of(token).expect("a sound token"));
        Self {
            connection: connection_token(address, token).expect("a token"),
            narrow: connection_token(address, &narrow).expect("a token"),
            subscription: subscription_token(address, token, &channel).expect("a token"),
            channel,
        }
    }
}

/// Makes an access token of the same user: its id, its secret, the user's id.
pub fn access_token(client: &mut Client, scopes: &[&str]) -> (String, String, String) {
    let reply = client.post("/access_tokens", &json!({ "scopes": scopes }).to_string());
    assert_eq!(reply.status, 201, "{reply:?}");
    let made = reply.json();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (text(&made["id"]), text(&made["token"]), text(&made["user"]["id"]))
}

/// Returns a connection token, or `None` if the server refuses it.
pub fn connection_token(address: SocketAddr, access_token: &str) -> Option<String> {
    token_from(address, access_token, "/events/connection_token", "")
}

/// Returns a subscription token for a channel.
pub fn subscription_token(address: SocketAddr, access_token: &str, channel: &str) -> Option<String> {
    let body = json!({ "channel": channel }).to_string();
    token_from(address, access_token, "/events/subscription_token", &body)
}

fn token_from(address: SocketAddr, access_token: &str, path: &str, body: &str) -> Option<String> {
    let mut client = Client::connect(address, access_token).ok()?;
    let reply = client.request("POST", path, &[], body).ok()?;
    reply.json()["token"].as_str().map(str::to_owned)
}
