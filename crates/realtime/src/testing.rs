//! Shared test helpers: an in-memory log, tokens, and a client that records what a connection sends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use model::{AccessToken, Id, Owner, User};

use crate::channel::{Channel, EventStream, Resource};
use crate::code::Disconnect;
use crate::frame::Codec;
use crate::hub::Hub;
use crate::session::{EffectResult, LogEvent, Range, ReadLog, SEED_BYTES, SessionSettings, Slice, Transport};
use crate::token::{ConnectionToken, Grant, Key, Signer, SubscriptionToken, Terms};
use crate::{ClientConnection, DriverStep};

/// The time at which tests start.
pub const START_S: u64 = 1_800_000_000;
pub const START: u64 = START_S * 1000;
/// The client id in these tests.
pub const CLIENT: &str = "01010101-0101-4101-8101-010101010101";
pub const SESSION: &str = "02020202-0202-4202-8202-020202020202";

pub fn owner() -> Owner {
    Owner::live(Id::from_bits(1))
}

pub fn user() -> Id<User> {
    Id::from_bits(2)
}

pub fn access_token() -> Id<AccessToken> {
    Id::from_bits(3)
}

pub fn grant() -> Grant {
    Grant { owner: owner(), user: user(), access_token: access_token() }
}

pub fn channel(resource: &str) -> Channel {
    Channel::Events {
        owner: owner(),
        resource: Resource::parse(resource).unwrap(),
        user: user(),
        is_plain: false,
    }
}

pub fn signer() -> Signer {
    Signer::new(Key::hs256(&[7; 32]).unwrap(), "dockside", "test")
}

pub fn terms(expires_in_s: u64) -> Terms {
    Terms { grant: grant(), issued_at: START_S, expires_at: START_S + expires_in_s, id: "j".into() }
}

/// Signs a connection token that expires this many seconds after the start.
pub fn connection_token(channels: &[&str], expires_in_s: u64) -> String {
    let channels = channels.iter().map(|name| channel(name).to_string()).collect();
    signer().mint_connection(&ConnectionToken { terms: terms(expires_in_s), channels }).unwrap()
}

pub fn subscription_token(resource: &str, expires_in_s: u64) -> String {
    let channel = channel(resource).to_string();
    signer().mint_subscription(&SubscriptionToken { terms: terms(expires_in_s), channel }).unwrap()
}

/// Returns a connect command with this token.
pub fn connect(token: &str) -> String {
    format!(r#"{{"connect":{{"token":"{token}","name":"js"}},"id":1}}"#)
}

/// An in-memory log.
#[derive(Clone, Default)]
pub struct MemoryLog(Arc<Mutex<HashMap<EventStream, StreamEvents>>>);

#[derive(Default)]
struct StreamEvents {
    epoch: Option<String>,
    floor: u64,
    events: Vec<(u64, String)>,
}

impl MemoryLog {
    pub fn append(&self, stream: EventStream, offset: u64, data: impl Into<String>) {
        self.0.lock().unwrap().entry(stream).or_default().events.push((offset, data.into()));
    }

    /// Deletes the events up to `floor`.
    pub fn retain_after(&self, stream: EventStream, floor: u64) {
        let mut streams = self.0.lock().unwrap();
        let lines = streams.entry(stream).or_default();
        lines.floor = floor;
        lines.events.retain(|(offset, _)| *offset > floor);
    }

    pub fn restart(&self, stream: EventStream, epoch: &str) {
        let lines = StreamEvents { epoch: Some(epoch.to_owned()), ..StreamEvents::default() };
        self.0.lock().unwrap().insert(stream, lines);
    }

    pub fn read(&self, read: &ReadLog) -> Slice {
        let mut streams = self.0.lock().unwrap();
        let lines = streams.entry(read.stream).or_default();
        let event = |(offset, data): &(u64, String)| LogEvent { offset: *offset, data: data.clone().into() };
        let mut events: Vec<LogEvent> = match read.range {
            Range::After(after) => lines.events.iter().filter(|(at, _)| *at > after).map(event).collect(),
            Range::Before(end) => lines.events.iter().rev().filter(|(at, _)| *at < end).map(event).collect(),
        };
        let is_complete = events.len() <= read.limit;
        events.truncate(read.limit);
        Slice {
            epoch: lines.epoch.as_deref().unwrap_or("epoch1").into(),
            top: lines.events.last().map_or(lines.floor, |(offset, _)| *offset),
            floor: lines.floor,
            events,
            is_complete,
        }
    }
}

/// A client and its connection, with a log and a hub.
pub struct TestClient {
    pub hub: Arc<Hub>,
    pub log: MemoryLog,
    pub connection: ClientConnection,
    pub now: u64,
    /// The result of access checks.
    pub verdict: Result<(), Disconnect>,
    codec: Codec,
}

impl TestClient {
    pub fn new(transport: Transport) -> Self {
        Self::with(SessionSettings::new(signer(), "ref", "node1"), transport)
    }

    pub fn with(settings: SessionSettings, transport: Transport) -> Self {
        let (hub, codec) = (Arc::new(Hub::new(20, 1000)), transport.codec);
        let mut seed = [0; SEED_BYTES];
        seed[..16].fill(1);
        seed[16..32].fill(2);
        let connection = ClientConnection::new(&hub, &Arc::new(settings), transport, seed.into(), START);
        Self { hub, log: MemoryLog::default(), connection, now: START, verdict: Ok(()), codec }
    }

    /// Connects by a websocket, in JSON, with these channels, and discards the reply.
    pub fn connected(channels: &[&str]) -> Self {
        let mut client = Self::new(Transport::websocket(Codec::Json));
        let said = client.send(&connect(&connection_token(channels, 600)));
        assert!(said[0].starts_with(r#"{"id":1,"connect":{"client""#), "{said:?}");
        client
    }

    /// Sends a frame and returns the messages from the server.
    pub fn send(&mut self, frame: &str) -> Vec<String> {
        self.connection.receive(self.now, Bytes::copy_from_slice(frame.as_bytes()));
        self.said()
    }

    /// Appends an event to the log and publishes it.
    pub fn publish(&mut self, resource: &str, offset: u64, data: &str) {
        let stream = channel(resource).stream();
        self.log.append(stream, offset, data);
        self.hub.publish(stream, offset, Bytes::copy_from_slice(data.as_bytes()));
    }

    /// Advances the clock and returns the messages from the server.
    pub fn wait(&mut self, ms: u64) -> Vec<String> {
        self.now += ms;
        self.connection.tick(self.now);
        self.said()
    }

    /// Collects outbox items and returns the messages from the server.
    pub fn collect(&mut self) -> Vec<String> {
        self.connection.collect(self.now);
        self.said()
    }

    /// Performs all steps and returns the messages that the client receives. In Protobuf they are hex.
    pub fn said(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while let Some(step) = self.connection.next() {
            match step {
                DriverStep::Send(frame) => {
                    let bytes = frame.into_bytes();
                    said.push(match self.codec {
                        Codec::Json => String::from_utf8(bytes.to_vec()).unwrap(),
                        Codec::Protobuf => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                    });
                }
                DriverStep::Close(why) => said.push(format!("close {} {}", why.code, why.reason)),
                DriverStep::CheckAccess(_) => {
                    self.connection.answer(self.now, EffectResult::AccessChecked(self.verdict))
                }
                DriverStep::Read(reads) => {
                    let slices = reads.iter().map(|read| self.log.read(read)).collect();
                    self.connection.answer(self.now, EffectResult::Log(slices));
                }
            }
        }
        said
    }
}
