//! The conversations recorded from the reference server, with Dockside's ids.

use crate::channel::EventStream;
use crate::code::Disconnect;
use crate::frame::Codec;
use crate::session::{EffectResult, SessionSettings, Transport};
use crate::testing::*;

const BATCHES: &str = "batches:org_00000000000000000000000001#usr_00000000000000000000000002";
const SHIPMENTS: &str = "shipments:org_00000000000000000000000001#usr_00000000000000000000000002";

fn subscribe(id: u32, token: &str, rest: &str) -> String {
    format!(r#"{{"subscribe":{{"channel":"{SHIPMENTS}","token":"{token}","flag":1{rest}}},"id":{id}}}"#)
}

#[test]
fn a_first_connection() {
    let settings = SessionSettings { ping_ms: 1000, ..SessionSettings::new(signer(), "ref", "node1") };
    let mut client = TestClient::with(settings, Transport::websocket(Codec::Json));
    assert_eq!(
        client.send(&connect(&connection_token(&["batches"], 3))),
        [format!(
            r#"{{"id":1,"connect":{{"client":"{CLIENT}","version":"ref","expires":true,"ttl":3,"subs":{{"{BATCHES}":{{"recoverable":true,"epoch":"epoch1","positioned":true}}}},"ping":1,"pong":true}}}}"#
        )]
    );
    assert_eq!(
        client.send(&subscribe(2, &subscription_token("shipments", 2), "")),
        [
            r#"{"id":2,"subscribe":{"expires":true,"ttl":2,"recoverable":true,"epoch":"epoch1","positioned":true}}"#
        ]
    );
    client.publish("batches", 1, r#"{"type":"batch.updated","id":"batch_1"}"#);
    client.publish("shipments", 1, r#"{"n":1}"#);
    assert_eq!(
        client.collect(),
        [format!(
            "{}\n{}",
            format_args!(
                r#"{{"push":{{"channel":"{BATCHES}","pub":{{"data":{{"type":"batch.updated","id":"batch_1"}},"offset":1}}}}}}"#
            ),
            format_args!(r#"{{"push":{{"channel":"{SHIPMENTS}","pub":{{"data":{{"n":1}},"offset":1}}}}}}"#),
        )]
    );
    assert_eq!(client.wait(500), ["{}"]);
    assert_eq!(client.send("{}"), [""; 0]);
    let token = subscription_token("shipments", 4);
    assert_eq!(
        client.send(&format!(r#"{{"sub_refresh":{{"channel":"{SHIPMENTS}","token":"{token}"}},"id":3}}"#)),
        [r#"{"id":3,"sub_refresh":{"expires":true,"ttl":4}}"#]
    );
    let token = connection_token(&["batches"], 600);
    assert_eq!(
        client.send(&format!(r#"{{"refresh":{{"token":"{token}"}},"id":4}}"#)),
        [r#"{"id":4,"refresh":{"expires":true,"ttl":600}}"#]
    );
}

#[test]
fn a_reconnect_recovers_what_was_missed() {
    let mut client = TestClient::new(Transport::websocket(Codec::Json));
    let (batches, shipments) = (channel("batches").stream(), channel("shipments").stream());
    for (offset, data) in [(1, r#"{"id":"batch_1"}"#), (2, r#"{"id":"batch_2"}"#)] {
        client.log.append(batches, offset, data);
    }
    for (offset, data) in [(1, r#"{"n":1}"#), (2, r#"{"n":2}"#)] {
        client.log.append(shipments, offset, data);
    }
    let token = connection_token(&["batches"], 599);
    let position = r#","recover":true,"offset":1,"epoch":"epoch1""#;
    let frame = format!(
        r#"{{"connect":{{"token":"{token}","name":"js","subs":{{"{BATCHES}":{{"recover":true,"offset":1,"epoch":"epoch1"}}}}}},"id":6}}"#
    ) + "\n"
        + &subscribe(7, &subscription_token("shipments", 0), position);
    assert_eq!(
        client.send(&frame),
        [
            format!(
                r#"{{"id":6,"connect":{{"client":"{CLIENT}","version":"ref","expires":true,"ttl":599,"subs":{{"{BATCHES}":{{"recoverable":true,"epoch":"epoch1","publications":[{{"data":{{"id":"batch_2"}},"offset":2}}],"recovered":true,"offset":1,"positioned":true,"was_recovering":true}}}},"ping":25,"pong":true}}}}"#
            ),
            r#"{"id":7,"error":{"code":109,"message":"token expired"}}"#.to_owned(),
        ]
    );
    assert_eq!(
        client.send(&subscribe(8, &subscription_token("shipments", 2), position)),
        [
            r#"{"id":8,"subscribe":{"expires":true,"ttl":2,"recoverable":true,"epoch":"epoch1","publications":[{"data":{"n":2},"offset":2}],"recovered":true,"offset":1,"positioned":true,"was_recovering":true}}"#
        ]
    );
}

#[test]
fn a_new_epoch_starts_anew_or_is_an_error_with_flag_2() {
    let mut client = TestClient::connected(&[]);
    let stream = channel("shipments").stream();
    client.log.append(stream, 1, "{}");
    client.log.restart(stream, "NEWEP");
    let token = subscription_token("shipments", 600);
    let position = r#","recover":true,"offset":1,"epoch":"epoch1""#;
    let strict = subscribe(3, &token, position).replace(r#""flag":1"#, r#""flag":3"#);
    let refused = [r#"{"id":3,"error":{"code":112,"message":"unrecoverable position"}}"#];
    assert_eq!(client.send(&strict), refused);
    assert!(!client.hub.has_listeners(stream));
    assert_eq!(
        client.send(&subscribe(12, &token, position)),
        [
            r#"{"id":12,"subscribe":{"expires":true,"ttl":600,"recoverable":true,"epoch":"NEWEP","positioned":true,"was_recovering":true}}"#
        ]
    );
}

#[test]
fn a_position_before_the_oldest_event_is_not_recovered() {
    let mut client = TestClient::connected(&[]);
    let stream = channel("shipments").stream();
    for offset in 1..=9 {
        client.log.append(stream, offset, "{}");
    }
    client.log.retain_after(stream, 5);
    let token = subscription_token("shipments", 600);
    let said = client.send(&subscribe(2, &token, r#","recover":true,"offset":4,"epoch":"epoch1""#));
    let expected = r#""epoch":"epoch1","offset":9,"positioned":true,"was_recovering":true}}"#;
    assert!(said[0].ends_with(expected), "{said:?}");
}

#[test]
fn other_commands() {
    let mut client = TestClient::connected(&["shipments"]);
    for (offset, data) in [(3, r#"{"n":1}"#), (8, r#"{"n":2}"#), (9, r#"{"n":3}"#)] {
        client.publish("shipments", offset, data);
    }
    client.collect();
    for (command, answer) in [
        ("", r#""publications":[],"epoch":"epoch1","offset":9"#),
        (r#","limit":1"#, r#""publications":[{"data":{"n":1},"offset":3}],"epoch":"epoch1","offset":9"#),
        (
            r#","limit":-1,"since":{"offset":3,"epoch":"epoch1"}"#,
            r#""publications":[{"data":{"n":2},"offset":8},{"data":{"n":3},"offset":9}],"epoch":"epoch1","offset":9"#,
        ),
        (
            r#","limit":1,"reverse":true"#,
            r#""publications":[{"data":{"n":3},"offset":9}],"epoch":"epoch1","offset":9"#,
        ),
        (
            r#","limit":9,"reverse":true,"since":{"offset":9}"#,
            r#""publications":[{"data":{"n":2},"offset":8},{"data":{"n":1},"offset":3}],"epoch":"epoch1","offset":9"#,
        ),
    ] {
        let said = client.send(&format!(r#"{{"history":{{"channel":"{SHIPMENTS}"{command}}},"id":13}}"#));
        assert_eq!(said, [format!(r#"{{"id":13,"history":{{{answer}}}}}"#)], "{command}");
    }
    let since = r#""since":{"offset":3,"epoch":"other"}"#;
    assert_eq!(
        client.send(&format!(r#"{{"history":{{"channel":"{SHIPMENTS}",{since}}},"id":13}}"#)),
        [r#"{"id":13,"error":{"code":112,"message":"unrecoverable position"}}"#]
    );
    assert_eq!(
        client.send(&format!(r#"{{"presence":{{"channel":"{SHIPMENTS}"}},"id":14}}"#)),
        [format!(
            r#"{{"id":14,"presence":{{"presence":{{"{CLIENT}":{{"user":"usr_00000000000000000000000002","client":"{CLIENT}"}}}}}}}}"#
        )]
    );
    assert_eq!(
        client.send(&format!(r#"{{"presence_stats":{{"channel":"{SHIPMENTS}"}},"id":15}}"#)),
        [r#"{"id":15,"presence_stats":{"num_clients":1,"num_users":1}}"#]
    );
    assert_eq!(
        client.send(&format!(r#"{{"unsubscribe":{{"channel":"{SHIPMENTS}"}},"id":20}}"#)),
        [r#"{"id":20,"unsubscribe":{}}"#]
    );
    client.publish("shipments", 10, "{}");
    assert_eq!(client.collect(), [""; 0]);
    assert!(!client.hub.has_listeners(channel("shipments").stream()));
}

#[test]
fn announcements_need_no_token() {
    let mut client = TestClient::connected(&[]);
    client.log.append(EventStream::Announcements, 4, "{}");
    assert_eq!(
        client.send(r#"{"subscribe":{"channel":"system:announcements"},"id":2}"#),
        [r#"{"id":2,"subscribe":{"recoverable":true,"epoch":"epoch1","offset":4,"positioned":true}}"#]
    );
    client.hub.publish(EventStream::Announcements, 5, r#"{"text":"hi"}"#.into());
    assert_eq!(
        client.collect(),
        [r#"{"push":{"channel":"system:announcements","pub":{"data":{"text":"hi"},"offset":5}}}"#]
    );
}

#[test]
fn refreshing_with_the_wrong_token() {
    let refresh = |token: &str| format!(r#"{{"refresh":{{"token":"{token}"}},"id":2}}"#);
    for (token, close) in [
        (connection_token(&["batches"], 0), "close 3005 connection expired"),
        ("nonsense".to_owned(), "close 3500 invalid token"),
        (connection_token(&["batches", "orders"], 600), "close 3010 insufficient state"),
        (connection_token(&[], 600), "close 3010 insufficient state"),
    ] {
        assert_eq!(TestClient::connected(&["batches"]).send(&refresh(&token)), [close]);
    }
    let mut client = TestClient::connected(&["batches"]);
    client.verdict = Err(Disconnect::STATE_INVALIDATED);
    let said = client.send(&refresh(&connection_token(&["batches"], 600)));
    assert_eq!(said, ["close 3014 state invalidated"]);
}

#[test]
fn a_failed_access_check() {
    let mut client = TestClient::new(Transport::websocket(Codec::Json));
    client.verdict = Err(Disconnect::STATE_INVALIDATED);
    let said = client.send(&connect(&connection_token(&["batches"], 600)));
    assert_eq!(said, ["close 3014 state invalidated"]);
    assert_eq!(client.hub.connections(), 0);

    let mut client = TestClient::connected(&[]);
    client.verdict = Err(Disconnect::STATE_INVALIDATED);
    let said = client.send(&subscribe(2, &subscription_token("shipments", 600), ""));
    assert_eq!(said, [r#"{"id":2,"error":{"code":103,"message":"permission denied"}}"#]);
    assert!(!client.hub.has_listeners(channel("shipments").stream()));
}

#[test]
fn internal_errors_may_be_retried() {
    let mut client = TestClient::connected(&[]);
    let frame = subscribe(2, &subscription_token("shipments", 600), "");
    for _ in 0..2 {
        client.connection.receive(START, frame.clone().into());
        client.connection.next();
        client.connection.answer(START, EffectResult::Failed);
        let expected = r#"{"id":2,"error":{"code":100,"message":"internal server error","temporary":true}}"#;
        assert_eq!(client.said(), [expected]);
    }
    let mut client = TestClient::new(Transport::websocket(Codec::Json));
    client.connection.receive(START, connect(&connection_token(&[], 600)).into());
    client.connection.next();
    client.connection.answer(START, EffectResult::Failed);
    assert_eq!(client.said(), ["close 3004 internal server error"]);
}

#[test]
fn an_idle_session_is_small() {
    assert!(size_of::<crate::session::Session>() <= 576, "{}", size_of::<crate::session::Session>());
    assert!(size_of::<super::super::Subscription>() <= 64);
    assert!(size_of::<crate::ClientConnection>() <= 768, "{}", size_of::<crate::ClientConnection>());
}
