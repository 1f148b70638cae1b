//! The other transports: Protobuf, a stream with `/emulation` requests, and unidirectional streams.

use crate::code::Disconnect;
use crate::frame::{Codec, Command, ConnectRequest, Reply};
use crate::hub::Audience;
use crate::session::{ControlMessage, Transport};
use crate::testing::*;

const BATCHES: &str = "batches:org_00000000000000000000000001#usr_00000000000000000000000002";

#[test]
fn protobuf() {
    let mut client = TestClient::new(Transport::websocket(Codec::Protobuf));
    let connect = ConnectRequest { token: connection_token(&["batches"], 600), ..Default::default() };
    let mut frame = Vec::new();
    let command = Command { id: 1, connect: Some(connect), ..Default::default() };
    Codec::Protobuf.write_command(&command, &mut frame);
    client.connection.receive(START, frame.into());
    let reply = |said: &str| {
        let bytes: Vec<u8> = (0..said.len() / 2)
            .map(|place| u8::from_str_radix(&said[2 * place..2 * place + 2], 16).unwrap())
            .collect();
        Codec::Protobuf.next_reply(&mut bytes.into()).unwrap().unwrap()
    };
    let connected = reply(&client.said()[0]).connect.unwrap();
    assert_eq!((connected.client.as_str(), connected.ttl, connected.pong), (CLIENT, 600, true));
    assert!(connected.subs[BATCHES].recoverable);

    client.publish("batches", 7, r#"{"n":1}"#);
    let push = reply(&client.collect()[0]).push.unwrap();
    let publication = push.publication.unwrap();
    assert_eq!((push.channel.as_str(), publication.offset), (BATCHES, 7));
    assert_eq!(publication.data.0, r#"{"n":1}"#);

    assert_eq!(client.wait(12_500), ["00"]);
    client.connection.receive(client.now, vec![0].into());
    assert_eq!(client.said(), [""; 0]);
    client.connection.receive(client.now, bytes::Bytes::new());
    assert_eq!(client.said(), ["close 3501 bad request"]);
    assert_eq!(reply("00"), Reply::default());
}

#[test]
fn an_http_stream_with_emulation() {
    let mut client = TestClient::new(Transport::http_stream(Codec::Json));
    let said = client.send(&connect(&connection_token(&[], 600)));
    let names = format!(r#""ping":25,"pong":true,"session":"{SESSION}","node":"node1"}}}}"#);
    assert!(said[0].ends_with(&names), "{said:?}");
    assert!(client.hub.emulate(SESSION, r#"{"id":2,"rpc":{}}"#.into()));
    assert_eq!(client.collect(), [r#"{"id":2,"error":{"code":104,"message":"method not found"}}"#]);
    assert!(!client.hub.emulate(CLIENT, "{}".into()), "the public name is not the secret one");
    client.hub.send_control(Audience::Everyone, ControlMessage::Disconnect(Disconnect::SHUTDOWN));
    let goodbye = r#"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#;
    assert_eq!(client.collect(), [goodbye, "close 3001 shutdown"]);
    assert!(!client.hub.emulate(SESSION, "{}".into()));
}

#[test]
fn an_event_stream_has_one_message_in_each_event() {
    let mut client = TestClient::new(Transport::sse());
    client.send(&connect(&connection_token(&["batches"], 600)));
    client.publish("batches", 1, "{}");
    client.publish("batches", 2, "{}");
    assert_eq!(client.collect().len(), 2);
}

#[test]
fn in_one_direction() {
    let mut client = TestClient::new(Transport::uni_sse());
    client.log.append(channel("batches").stream(), 3, r#"{"n":3}"#);
    let token = connection_token(&["batches"], 600);
    let said = client.send(&format!(
        r#"{{"token":"{token}","subs":{{"{BATCHES}":{{"recover":true,"offset":2,"epoch":"epoch1"}}}}}}"#
    ));
    assert_eq!(
        said,
        [format!(
            r#"{{"connect":{{"client":"{CLIENT}","version":"ref","expires":true,"ttl":600,"subs":{{"{BATCHES}":{{"recoverable":true,"epoch":"epoch1","publications":[{{"data":{{"n":3}},"offset":3}}],"recovered":true,"offset":2,"positioned":true,"was_recovering":true}}}},"ping":25,"session":"{SESSION}"}}}}"#
        )]
    );
    client.publish("batches", 4, r#"{"n":4}"#);
    assert_eq!(
        client.collect(),
        [format!(r#"{{"channel":"{BATCHES}","pub":{{"data":{{"n":4}},"offset":4}}}}"#)]
    );
    // A unidirectional client does not answer pings.
    assert_eq!(client.wait(12_500), ["{}"]);
    assert_eq!(client.wait(25_000), ["{}"]);
    // Frames after the first are ignored.
    assert_eq!(client.send("hello"), [""; 0]);
    client.hub.send_control(Audience::Everyone, ControlMessage::Disconnect(Disconnect::SHUTDOWN));
    let goodbye = r#"{"disconnect":{"code":3001,"reason":"shutdown"}}"#;
    assert_eq!(client.collect(), [goodbye, "close 3001 shutdown"]);
}

#[test]
fn in_one_direction_errors_are_closes() {
    for (request, code) in [
        (format!(r#"{{"token":"{}"}}"#, connection_token(&[], 0)), 3005),
        (r#"{"token":"x"}"#.to_owned(), 3500),
        ("hello".to_owned(), 3501),
    ] {
        let said = TestClient::new(Transport::uni_websocket(Codec::Json)).send(&request);
        assert!(said[0].starts_with(&format!(r#"{{"disconnect":{{"code":{code},"#)), "{said:?}");
        assert!(said[1].starts_with(&format!("close {code} ")), "{said:?}");
    }
}
