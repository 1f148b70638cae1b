//! Any bytes as the story of a connection: what the client sends, what the server answers, when, in which order.
//!
//! The first byte chooses transport and codec. Then each byte is a move; those that send a frame are followed by a
//! byte for its length and the frame. Tokens can't be guessed, so `T` and `S` in a frame stand for good ones.
#![no_main]

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use model::{Id, Owner};
use realtime::channel::{Channel, Resource};
use realtime::code::Disconnect;
use realtime::frame::Codec;
use realtime::hub::{Audience, Hub};
use realtime::session::{
    ControlMessage, EffectResult, LogEvent, ReadLog, SEED_BYTES, SessionSettings, Slice, Transport,
};
use realtime::token::{ConnectionToken, Grant, Key, Signer, SubscriptionToken, Terms};
use realtime::{ClientConnection, DriverStep};

const START_S: u64 = 1_800_000_000;

struct Fixture {
    settings: Arc<SessionSettings>,
    channel: Channel,
    connection_token: String,
    subscription_token: String,
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(|| {
    let signer = || Signer::new(Key::hs256(&[7; 32]).unwrap(), "dockside", "fuzz");
    let grant = Grant {
        owner: Owner::live(Id::from_bits(1)),
        user: Id::from_bits(2),
        access_token: Id::from_bits(3),
    };
    let channel = |name: &str| Channel::Events {
        owner: grant.owner,
        resource: Resource::parse(name).unwrap(),
        user: grant.user,
        is_plain: false,
    };
    let terms = || Terms { grant, issued_at: START_S, expires_at: START_S + 100, id: "j".to_owned() };
    let connection = ConnectionToken { terms: terms(), channels: vec![channel("batches").to_string()] };
    let subscription = SubscriptionToken { terms: terms(), channel: channel("orders").to_string() };
    Fixture {
        connection_token: signer().mint_connection(&connection).unwrap(),
        subscription_token: signer().mint_subscription(&subscription).unwrap(),
        channel: channel("orders"),
        settings: Arc::new(SessionSettings::new(signer(), "fuzz", "node")),
    }
});

fn transport(choice: u8) -> Transport {
    let codec = if choice & 8 == 0 { Codec::Json } else { Codec::Protobuf };
    match choice & 7 {
        0 => Transport::http_stream(codec),
        1 => Transport::sse(),
        2 => Transport::uni_sse(),
        3 => Transport::uni_websocket(codec),
        4 => Transport::websocket(codec).without_pings(),
        _ => Transport::websocket(codec),
    }
}

/// A frame in which the tokens and the channel are real.
fn frame(bytes: &[u8]) -> Bytes {
    let fixture = &*FIXTURE;
    let mut out = Vec::new();
    for byte in bytes {
        match byte {
            b'T' => out.extend_from_slice(fixture.connection_token.as_bytes()),
            b'S' => out.extend_from_slice(fixture.subscription_token.as_bytes()),
            b'C' => out.extend_from_slice(fixture.channel.to_string().as_bytes()),
            byte => out.push(*byte),
        }
    }
    out.into()
}

fn slice(read: &ReadLog, choice: u8) -> Slice {
    let events = (1..=u64::from(choice % 5)).take(read.limit);
    let events = events.map(|offset| LogEvent { offset, data: Bytes::from_static(b"{}") }).collect();
    Slice { epoch: "e".into(), top: u64::from(choice), floor: 0, events, is_complete: choice < 128 }
}

/// Answers what is asked, rightly or wrongly.
fn answer(asked: Option<DriverStep>, choice: u8) -> EffectResult {
    match (choice % 8, asked) {
        (0, _) => EffectResult::Failed,
        (1, _) => EffectResult::AccessChecked(Err(Disconnect::STATE_INVALIDATED)),
        (2, _) => EffectResult::Log(Vec::new()),
        (_, Some(DriverStep::Read(reads))) => {
            EffectResult::Log(reads.iter().map(|read| slice(read, choice)).collect())
        }
        (_, _) => EffectResult::AccessChecked(Ok(())),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let fixture = &*FIXTURE;
    let mut input = bytes.iter().copied();
    let mut now = START_S * 1000;
    let hub = Arc::new(Hub::new(20, 10));
    let transport = transport(input.next().unwrap_or(0));
    let mut connection =
        ClientConnection::new(&hub, &fixture.settings, transport, [3; SEED_BYTES].into(), now);
    let mut asked = None;
    let mut offset = 0;
    let mut is_over = false;
    while let Some(step) = input.next() {
        match step % 8 {
            0..=2 => {
                let length = usize::from(input.next().unwrap_or(0));
                let text: Vec<u8> = input.by_ref().take(length).collect();
                connection.receive(now, frame(&text));
            }
            3 => connection.answer(now, answer(asked.take(), input.next().unwrap_or(0))),
            4 => {
                now += u64::from(input.next().unwrap_or(0)) * 500;
                connection.tick(now);
            }
            5 => {
                offset += 1;
                hub.publish(fixture.channel.stream(), offset, Bytes::from_static(b"{}"));
            }
            6 => connection.collect(now),
            _ => {
                let order = match input.next().unwrap_or(0) % 4 {
                    0 => ControlMessage::Disconnect(Disconnect::SHUTDOWN),
                    1 => ControlMessage::RevokeToken(Id::from_bits(3)),
                    2 => ControlMessage::Resync(fixture.channel.stream()),
                    _ => ControlMessage::RevokeToken(Id::from_bits(4)),
                };
                hub.send_control(Audience::Everyone, order);
            }
        }
        while let Some(step) = connection.next() {
            assert!(!is_over, "nothing comes after the close");
            match step {
                DriverStep::Send(frame) => assert!(frame.bytes() > 0),
                DriverStep::Close(why) => {
                    assert!(!why.reason.is_empty());
                    is_over = true;
                }
                question => asked = Some(question),
            }
        }
        assert_eq!(is_over, connection.is_closed());
    }
    drop(connection);
    assert_eq!(hub.connections(), 0, "a connection leaves no trace");
    assert!(hub.streams().is_empty(), "a connection leaves no trace");
});
