//! Invalid input, with the replies recorded from the reference server, and Dockside's own limits.

use crate::channel::Channel;
use crate::code::Disconnect;
use crate::frame::Codec;
use crate::limits::{COMMANDS_BURST, COMMANDS_PER_SECOND};
use crate::session::{SessionSettings, Transport};
use crate::testing::*;
use crate::token::{ConnectionToken, Grant, SubscriptionToken, Terms};

const BAD_REQUEST: &[&str] = &["close 3501 bad request"];

fn fresh() -> TestClient {
    TestClient::new(Transport::websocket(Codec::Json))
}

fn subscribe(resource: &str, token: &str) -> String {
    format!(r#"{{"subscribe":{{"channel":"{}","token":"{token}"}},"id":2}}"#, channel(resource))
}

#[test]
fn before_connecting() {
    let token = connection_token(&[], 600);
    let without_id = format!(r#"{{"connect":{{"token":"{token}"}}}}"#);
    let too_long = "x".repeat(70_000);
    for (frame, answer) in [
        (r#"{"id":1,"subscribe":{"channel":"batches:org_1#u1"}}"#, BAD_REQUEST),
        ("{\"id\":1,", BAD_REQUEST),
        ("hello", BAD_REQUEST),
        (&without_id, BAD_REQUEST),
        (r#"{"id":1,"teleport":{}}"#, BAD_REQUEST),
        (r#"{"id":1,"ping":{}}"#, BAD_REQUEST),
        ("{}", BAD_REQUEST),
        ("", BAD_REQUEST),
        ("\n", BAD_REQUEST),
        (r#"{"id":1,"connect":{}}"#, &["close 3500 invalid token"]),
        (r#"{"id":1,"connect":{"token":"a.b.c"}}"#, &["close 3500 invalid token"]),
        (&too_long, &["close 1009 message too big"]),
    ] {
        assert_eq!(fresh().send(frame), answer, "{frame:.60}");
    }
}

#[test]
fn once_connected() {
    let expired = subscription_token("orders", 0);
    let other_channel = subscription_token("batches", 600);
    let unknown_channel = format!(r#"{{"id":2,"subscribe":{{"channel":"parcels:{}#{}"}}}}"#, owner(), user());
    let long_channel = format!(r#"{{"id":2,"subscribe":{{"channel":"batches:{}"}}}}"#, "x".repeat(250));
    let of_another_user =
        format!(r#"{{"id":2,"subscribe":{{"channel":"batches:{}#usr_{:026}"}}}}"#, owner(), 9);
    let map = format!(r#"{{"id":2,"subscribe":{{"channel":"{}","type":1}}}}"#, channel("orders"));
    let named = |command: &str, name: &str| format!(r#"{{"id":2,"{command}":{{"channel":"{name}"}}}}"#);
    let orders = channel("orders").to_string();
    for (frame, answer) in [
        (connect(&connection_token(&[], 600)), "close 3501 bad request"),
        (r#"{"id":2}"#.into(), "close 3501 bad request"),
        (r#"{"id":2,"teleport":{}}"#.into(), "close 3501 bad request"),
        (r#"{"id":2,"ping":{}}"#.into(), "close 3501 bad request"),
        (String::new(), "close 3501 bad request"),
        ("{}".into(), "close 3501 bad request"),
        (r#"{"subscribe":{"channel":"x:y"}}"#.into(), "close 3501 bad request"),
        (r#"{"id":2,"subscribe":{}}"#.into(), "close 3501 bad request"),
        (r#"{"id":2,"unsubscribe":{}}"#.into(), "close 3501 bad request"),
        (r#"{"id":2,"history":{}}"#.into(), "close 3501 bad request"),
        (r#"{"send":{"data":{}}}"#.into(), "close 3508 not available"),
        (r#"{"id":2,"send":{"data":{}}}"#.into(), "close 3508 not available"),
        (subscribe("batches", ""), r#"{"id":2,"error":{"code":105,"message":"already subscribed"}}"#),
        (subscribe("orders", ""), r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#),
        (subscribe("orders", "nonsense"), r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#),
        (subscribe("orders", &expired), r#"{"id":2,"error":{"code":109,"message":"token expired"}}"#),
        (subscribe("orders", &other_channel), "close 3500 invalid token"),
        (unknown_channel, r#"{"id":2,"error":{"code":102,"message":"unknown channel"}}"#),
        (long_channel, r#"{"id":2,"error":{"code":107,"message":"bad request"}}"#),
        (of_another_user, r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#),
        (map, r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#),
        (named("unsubscribe", &orders), r#"{"id":2,"unsubscribe":{}}"#),
        (named("unsubscribe", "nowhere"), r#"{"id":2,"unsubscribe":{}}"#),
        (named("history", &orders), r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#),
        (named("presence", &orders), r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#),
        (named("presence", "nowhere"), r#"{"id":2,"error":{"code":102,"message":"unknown channel"}}"#),
        (named("sub_refresh", &orders), r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#),
        (named("publish", "x"), r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#),
        (
            r#"{"id":2,"rpc":{"method":"m"}}"#.into(),
            r#"{"id":2,"error":{"code":104,"message":"method not found"}}"#,
        ),
        ("x".repeat(65_537), "close 1009 message too big"),
    ] {
        assert_eq!(TestClient::connected(&["batches"]).send(&frame), [answer], "{frame:.80}");
    }
}

#[test]
fn an_expired_token_is_answered_and_the_rest_of_the_frame_ignored() {
    let mut client = fresh();
    let frame = connect(&connection_token(&["batches"], 0)) + "\n" + &subscribe("orders", "x");
    assert_eq!(client.send(&frame), [r#"{"id":1,"error":{"code":109,"message":"token expired"}}"#]);
    assert_eq!(client.send(&subscribe("orders", "x")), [""; 0]);
    assert_eq!(client.wait(9_999), [""; 0]);
    assert_eq!(client.wait(1), ["close 3502 stale"]);
}

#[test]
fn nothing_for_ten_seconds_is_stale() {
    let mut client = fresh();
    assert_eq!(client.connection.wake_at(), Some(START + 10_000));
    assert_eq!(client.wait(9_999), [""; 0]);
    assert_eq!(client.wait(1), ["close 3502 stale"]);
    assert_eq!(client.connection.wake_at(), None);
    assert_eq!(client.send(&connect(&connection_token(&[], 600))), [""; 0]);
}

/// Connects with a token for these channels and this grant.
fn connect_with(channels: &[String], grant: Grant) -> Vec<String> {
    let terms = Terms { grant, ..terms(600) };
    let token = ConnectionToken { terms, channels: channels.to_vec() };
    fresh().send(&connect(&signer().mint_connection(&token).unwrap()))
}

#[test]
fn channels_of_a_connection_token_must_be_its_own() {
    let unknown = format!("parcels:{}#{}", owner(), user());
    let answer = connect_with(&[unknown], grant());
    assert_eq!(answer, [r#"{"id":1,"error":{"code":102,"message":"unknown channel"}}"#]);
    for other in [
        Grant { user: model::Id::from_bits(9), ..grant() },
        Grant { owner: model::Owner { world: model::World::Test, ..owner() }, ..grant() },
    ] {
        assert_eq!(connect_with(&[channel("batches").to_string()], other), ["close 3500 invalid token"]);
    }
}

#[test]
fn a_subscription_token_of_another_user_or_world_closes() {
    for other in [
        Grant { user: model::Id::from_bits(9), ..grant() },
        Grant { owner: model::Owner { world: model::World::Test, ..owner() }, ..grant() },
    ] {
        let terms = Terms { grant: other, ..terms(600) };
        let token = SubscriptionToken { terms, channel: channel("orders").to_string() };
        let frame = subscribe("orders", &signer().mint_subscription(&token).unwrap());
        assert_eq!(TestClient::connected(&[]).send(&frame), ["close 3500 invalid token"]);
        // The channel belongs to the other user, who may join it.
        let resource = crate::channel::Resource::parse("orders").unwrap();
        let theirs = Channel::Events { owner: other.owner, resource, user: other.user, is_plain: false };
        let token = SubscriptionToken { terms: token.terms, channel: theirs.to_string() };
        let token = signer().mint_subscription(&token).unwrap();
        let frame =
            |token: &str| format!(r#"{{"id":2,"subscribe":{{"channel":"{theirs}","token":"{token}"}}}}"#);
        assert_eq!(TestClient::connected(&[]).send(&frame(&token)), ["close 3500 invalid token"]);
        let denied = [r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#];
        assert_eq!(TestClient::connected(&[]).send(&frame("x")), denied);
    }
}

#[test]
fn channels_are_limited() {
    let settings = || SessionSettings { channels_max: 1, ..SessionSettings::new(signer(), "ref", "node1") };
    let mut client = TestClient::with(settings(), Transport::websocket(Codec::Json));
    client.send(&connect(&connection_token(&["batches"], 600)));
    let frame = subscribe("orders", &subscription_token("orders", 600));
    assert_eq!(client.send(&frame), [r#"{"id":2,"error":{"code":106,"message":"limit exceeded"}}"#]);
    let mut client = TestClient::with(settings(), Transport::websocket(Codec::Json));
    let answer = client.send(&connect(&connection_token(&["batches", "orders"], 600)));
    assert_eq!(answer, ["close 3505 channel limit"]);
}

#[test]
fn commands_are_rate_limited() {
    let command = r#"{"id":2,"rpc":{}}"#;
    let mut client = TestClient::connected(&[]);
    // The connect was the first command. The rest of the burst may arrive in one frame, as after a reconnect.
    let burst = vec![command; COMMANDS_BURST as usize - 1].join("\n");
    assert_eq!(client.send(&burst).len() as u64, COMMANDS_BURST - 1);
    client.now += 1000;
    for _ in 0..COMMANDS_PER_SECOND {
        assert_eq!(client.send(command).len(), 1);
        assert!(!client.connection.is_closed());
    }
    assert_eq!(client.send(command), ["close 3013 too many requests"]);
}

#[test]
fn queued_bytes_are_limited() {
    let mut client = fresh();
    let frame = bytes::Bytes::from(connect(&connection_token(&[], 600)));
    client.connection.receive(START, frame);
    // The driver does not pass in the result of the access check, and continues to read although `wants_input` is
    // false.
    let frame = bytes::Bytes::from(r#"{"id":2,"rpc":{}}"#.to_owned() + &" ".repeat(60_000));
    for _ in 0..3 {
        assert!(!client.connection.is_closed());
        client.connection.receive(START, frame.clone());
        assert!(!client.connection.wants_input());
    }
    assert!(client.connection.is_closed());
}

#[test]
fn every_close_has_a_reason_that_sdks_understand() {
    for why in [
        Disconnect::TOO_BIG,
        Disconnect::SHUTDOWN,
        Disconnect::SLOW,
        Disconnect::STATE_INVALIDATED,
        Disconnect::INVALID_TOKEN,
        Disconnect::CONNECTION_LIMIT,
    ] {
        assert!(!why.reason.is_empty() && why.reason.len() <= 123 && !why.reason.starts_with('{'));
        assert_eq!(why.invites_reconnect(), (3000..3500).contains(&why.code));
    }
}

#[test]
fn the_public_channel_has_no_presence() {
    let mut client = TestClient::connected(&[]);
    let name = Channel::Announcements;
    client.send(&format!(r#"{{"id":2,"subscribe":{{"channel":"{name}"}}}}"#));
    for command in ["presence", "presence_stats"] {
        let answer = client.send(&format!(r#"{{"id":3,"{command}":{{"channel":"{name}"}}}}"#));
        assert_eq!(answer, [r#"{"id":3,"error":{"code":108,"message":"not available"}}"#]);
    }
}
