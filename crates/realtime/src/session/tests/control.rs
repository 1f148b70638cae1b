//! Revoked access ends at once, also for commands in progress.

use model::Id;

use crate::channel::Resource;
use crate::code::Disconnect;
use crate::hub::Audience;
use crate::session::{ControlMessage, EffectResult};
use crate::testing::*;
use crate::token::{Grant, SubscriptionToken, Terms};

fn tell(client: &mut TestClient, order: ControlMessage) -> Vec<String> {
    assert_eq!(client.hub.send_control(Audience::Organisation(owner().organisation), order), 1);
    client.collect()
}

fn gone(resource: &str, code: u32, reason: &str) -> String {
    let name = channel(resource);
    format!(r#"{{"push":{{"channel":"{name}","unsubscribe":{{"code":{code},"reason":"{reason}"}}}}}}"#)
}

/// Subscribes with an access token other than the connection's.
fn join(resource: &str, access_token: u128) -> String {
    let grant = Grant { access_token: Id::from_bits(access_token), ..grant() };
    let channel = channel(resource).to_string();
    let token = SubscriptionToken { terms: Terms { grant, ..terms(600) }, channel: channel.clone() };
    let token = signer().mint_subscription(&token).unwrap();
    format!(r#"{{"id":2,"subscribe":{{"channel":"{channel}","token":"{token}"}}}}"#)
}

#[test]
fn disconnecting() {
    for (why, close) in [
        (Disconnect::FORCE, "close 3503 force disconnect"),
        (Disconnect::SHUTDOWN, "close 3001 shutdown"),
        (Disconnect::STATE_INVALIDATED, "close 3014 state invalidated"),
    ] {
        let mut client = TestClient::connected(&["batches"]);
        assert_eq!(tell(&mut client, ControlMessage::Disconnect(why)), [close]);
        assert_eq!(client.hub.connections(), 0);
        assert!(client.hub.streams().is_empty());
    }
}

#[test]
fn events_published_before_a_control_message_are_sent_first() {
    let mut client = TestClient::connected(&["batches"]);
    client.publish("batches", 1, "{}");
    let said = tell(&mut client, ControlMessage::Disconnect(Disconnect::SHUTDOWN));
    assert_eq!(said.len(), 2);
    assert!(said[0].contains(r#""offset":1"#) && said[1] == "close 3001 shutdown", "{said:?}");
}

#[test]
fn revoking_the_connection_s_token() {
    let mut client = TestClient::connected(&["batches"]);
    assert_eq!(tell(&mut client, ControlMessage::RevokeToken(Id::from_bits(99))), [""; 0]);
    assert_eq!(
        tell(&mut client, ControlMessage::RevokeToken(access_token())),
        ["close 3014 state invalidated"]
    );
}

#[test]
fn revoking_the_token_that_joined_a_channel() {
    let mut client = TestClient::connected(&["batches"]);
    client.send(&join("orders", 7));
    let said = tell(&mut client, ControlMessage::RevokeToken(Id::from_bits(7)));
    assert_eq!(said, [gone("orders", 2000, "server unsubscribe")]);
    assert!(!client.hub.has_listeners(channel("orders").stream()));
    assert!(client.hub.has_listeners(channel("batches").stream()));
}

#[test]
fn revoking_while_the_answer_is_on_its_way() {
    // The access check passed, and the token was revoked before the session got the result.
    let mut client = TestClient::connected(&[]);
    client.connection.receive(START, join("orders", 7).into());
    client.connection.next();
    assert_eq!(tell(&mut client, ControlMessage::RevokeToken(Id::from_bits(7))), [""; 0]);
    client.connection.answer(START, EffectResult::AccessChecked(Ok(())));
    assert_eq!(client.said(), [r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#]);
    assert!(!client.hub.has_listeners(channel("orders").stream()));

    let mut client = TestClient::new(crate::session::Transport::websocket(crate::frame::Codec::Json));
    client.connection.receive(START, connect(&connection_token(&["batches"], 600)).into());
    client.connection.next();
    assert_eq!(
        tell(&mut client, ControlMessage::RevokeToken(access_token())),
        ["close 3014 state invalidated"]
    );
    client.connection.answer(START, EffectResult::AccessChecked(Ok(())));
    assert_eq!(client.said(), [""; 0]);
    assert_eq!(client.hub.connections(), 0);
}

#[test]
fn revoking_the_new_token_of_a_refresh() {
    let mut client = TestClient::connected(&[]);
    let grant = Grant { access_token: Id::from_bits(8), ..grant() };
    let token = crate::token::ConnectionToken { terms: Terms { grant, ..terms(600) }, channels: vec![] };
    let token = signer().mint_connection(&token).unwrap();
    client.connection.receive(START, format!(r#"{{"refresh":{{"token":"{token}"}},"id":2}}"#).into());
    client.connection.next();
    let said = tell(&mut client, ControlMessage::RevokeToken(Id::from_bits(8)));
    assert_eq!(said, ["close 3014 state invalidated"]);
}

#[test]
fn losing_a_scope() {
    let mut client = TestClient::connected(&["batches", "orders"]);
    let lost = ControlMessage::RevokeResource {
        access_token: access_token(),
        resource: Resource::parse("orders").unwrap(),
    };
    assert_eq!(tell(&mut client, lost), [gone("orders", 2000, "server unsubscribe")]);
    client.publish("orders", 1, "{}");
    assert_eq!(client.collect(), [""; 0]);
    // The refreshed token has the remaining channels, so the connection stays open.
    let token = connection_token(&["batches"], 600);
    let said = client.send(&format!(r#"{{"refresh":{{"token":"{token}"}},"id":2}}"#));
    assert_eq!(said, [r#"{"id":2,"refresh":{"expires":true,"ttl":600}}"#]);

    let mut client = TestClient::new(crate::session::Transport::websocket(crate::frame::Codec::Json));
    client.connection.receive(START, connect(&connection_token(&["orders"], 600)).into());
    client.connection.next();
    assert_eq!(tell(&mut client, lost), ["close 3014 state invalidated"]);
}

#[test]
fn resyncing_a_stream() {
    let mut client = TestClient::connected(&["batches"]);
    client.send(&join("orders", 7));
    let resync = |resource: &str| ControlMessage::Resync(channel(resource).stream());
    assert_eq!(tell(&mut client, resync("manifests")), [""; 0]);
    assert_eq!(tell(&mut client, resync("orders")), [gone("orders", 2500, "insufficient state")]);
    let said = client.send(&join("orders", 7));
    assert!(said[0].starts_with(r#"{"id":2,"subscribe":"#), "{said:?}");
    assert_eq!(tell(&mut client, resync("batches")), ["close 3010 insufficient state"]);
}

#[test]
fn a_slow_client_is_closed() {
    let mut client = TestClient::connected(&["batches"]);
    let big = format!("\"{}\"", "x".repeat(100_000));
    for offset in 1..=20 {
        client.publish("batches", offset, &big);
    }
    assert_eq!(client.collect(), ["close 3008 slow"]);
    assert!(client.hub.streams().is_empty());
}
