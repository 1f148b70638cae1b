//! Pings and token expiry.

use crate::frame::Codec;
use crate::session::{SEED_BYTES, SessionSettings, Transport};
use crate::testing::*;

#[test]
fn pings_are_sent_and_must_be_answered() {
    let mut client = TestClient::connected(&[]);
    assert_eq!(client.connection.wake_at(), Some(START + 12_500));
    assert_eq!(client.wait(12_499), [""; 0]);
    assert_eq!(client.wait(1), ["{}"]);
    assert_eq!(client.connection.wake_at(), Some(client.now + 8_000));
    assert_eq!(client.wait(7_999), [""; 0]);
    assert_eq!(client.send("{}"), [""; 0]);
    assert_eq!(client.wait(17_001), ["{}"]);
    assert_eq!(client.wait(8_000), ["close 3012 no pong"]);
}

#[test]
fn the_first_ping_comes_in_the_second_half() {
    for jitter in [0, 1, 12_499, 12_500, u64::MAX] {
        let mut seed = [0; SEED_BYTES];
        seed[32..].copy_from_slice(&jitter.to_be_bytes());
        let mut client = TestClient::new(Transport::websocket(Codec::Json));
        let settings = std::sync::Arc::new(SessionSettings::new(signer(), "ref", "node1"));
        let transport = Transport::websocket(Codec::Json);
        client.connection =
            crate::ClientConnection::new(&client.hub, &settings, transport, seed.into(), START);
        client.send(&connect(&connection_token(&[], 600)));
        let first = client.connection.wake_at().unwrap() - START;
        assert!((12_500..25_000).contains(&first), "{first}");
    }
}

#[test]
fn a_pong_without_a_ping_closes_the_connection() {
    let mut client = TestClient::connected(&[]);
    assert_eq!(client.wait(12_500), ["{}"]);
    assert_eq!(client.send("{}"), [""; 0]);
    assert_eq!(client.send("{}"), ["close 3501 bad request"]);
}

#[test]
fn a_queued_pong_is_not_late() {
    let mut client = TestClient::connected(&["batches"]);
    assert_eq!(client.wait(12_500), ["{}"]);
    let history = format!(r#"{{"history":{{"channel":"{}"}},"id":2}}"#, channel("batches"));
    client.connection.receive(client.now, history.into());
    client.connection.receive(client.now, "{}".into());
    client.now += 8_000;
    client.connection.tick(client.now);
    assert!(!client.connection.is_closed());
    assert_eq!(client.said(), [r#"{"id":2,"history":{"publications":[],"epoch":"epoch1","offset":0}}"#]);
    assert_eq!(client.wait(8_000), [""; 0]);
}

#[test]
fn a_transport_without_protocol_pings() {
    let mut client = TestClient::new(Transport::websocket(Codec::Json).without_pings());
    let said = client.send(&connect(&connection_token(&[], 600)));
    assert!(said[0].ends_with(r#""ttl":600}}"#), "{said:?}");
    assert_eq!(client.connection.wake_at(), Some(START + 625_000));
}

#[test]
fn a_connection_outlives_its_token_by_25_seconds() {
    let mut client = TestClient::new(Transport::websocket(Codec::Json).without_pings());
    client.send(&connect(&connection_token(&[], 10)));
    assert_eq!(client.wait(34_999), [""; 0]);
    assert_eq!(client.wait(1), ["close 3005 connection expired"]);

    let mut client = TestClient::new(Transport::websocket(Codec::Json).without_pings());
    client.send(&connect(&connection_token(&[], 10)));
    client.now += 30_000;
    let token = connection_token(&[], 100);
    let said = client.send(&format!(r#"{{"refresh":{{"token":"{token}"}},"id":2}}"#));
    assert_eq!(said, [r#"{"id":2,"refresh":{"expires":true,"ttl":70}}"#]);
    assert_eq!(client.connection.wake_at(), Some(START + 125_000));
}

#[test]
fn a_subscription_outlives_its_token_by_25_seconds() {
    let mut client = TestClient::new(Transport::websocket(Codec::Json).without_pings());
    client.send(&connect(&connection_token(&[], 600)));
    let name = channel("orders");
    let token = subscription_token("orders", 100);
    client.send(&format!(r#"{{"id":2,"subscribe":{{"channel":"{name}","token":"{token}"}}}}"#));
    assert_eq!(client.wait(124_999), [""; 0]);
    let gone = format!(
        r#"{{"push":{{"channel":"{name}","unsubscribe":{{"code":2501,"reason":"subscription expired"}}}}}}"#
    );
    assert_eq!(client.wait(1), [gone]);
    assert!(!client.hub.has_listeners(name.stream()));
    // The subscription is removed: the next subscribe is not "already subscribed".
    let token = subscription_token("orders", 500);
    let said = client.send(&format!(r#"{{"id":3,"subscribe":{{"channel":"{name}","token":"{token}"}}}}"#));
    assert!(said[0].starts_with(r#"{"id":3,"subscribe":{"expires":true,"ttl":375"#), "{said:?}");
}

#[test]
fn a_token_that_expires_during_its_check_has_a_ttl_of_one_second() {
    let mut client = TestClient::new(Transport::websocket(Codec::Json));
    let frame = connect(&connection_token(&[], 1));
    client.connection.receive(client.now, frame.into());
    client.now += 1_000;
    let said = client.said();
    assert!(said[0].contains(r#""expires":true,"ttl":1,"#), "{said:?}");
    let (name, token) = (channel("orders"), subscription_token("orders", 2));
    let frame = format!(r#"{{"id":2,"subscribe":{{"channel":"{name}","token":"{token}"}}}}"#);
    client.connection.receive(client.now, frame.into());
    client.now += 1_000;
    let said = client.said();
    assert!(said[0].contains(r#""expires":true,"ttl":1,"#), "{said:?}");
}
