//! What the tests share: a log in memory, tokens, and a client that reads what a connection says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use model::{AccessToken, Id, Owner, User};

use crate::channel::{Channel, Resource, Stream};
use crate::code::Disconnect;
use crate::frame::Codec;
use crate::hub::Hub;
use crate::session::{Answer, LogEvent, Range, ReadLog, SEED_BYTES, Settings, Slice, Transport};
use crate::token::{ConnectionToken, Grant, Key, Signer, SubscriptionToken, Terms};
use crate::{Connection, Step};

/// The moment at which tests begin.
pub const START_S: u64 = 1_800_000_000;
pub const START: u64 = START_S * 1000;
/// What a client is called in these tests.
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
    Channel::Events { owner: owner(), resource: Resource::parse(resource).unwrap(), user: user() }
}

pub fn signer() -> Signer {
    Signer::new(Key::hs256(&[7; 32]).unwrap(), "dockside", "test")
}

pub fn terms(expires_in_s: u64) -> Terms {
    Terms { grant: grant(), issued_at: START_S, expires_at: START_S + expires_in_s, id: "j".into() }
}

/// A token to connect with, and so many seconds from the start until it expires.
pub fn connection_token(channels: &[&str], expires_in_s: u64) -> String {
    let channels = channels.iter().map(|name| channel(name).to_string()).collect();
    signer().mint_connection(&ConnectionToken { terms: terms(expires_in_s), channels }).unwrap()
}

pub fn subscription_token(resource: &str, expires_in_s: u64) -> String {
    let channel = channel(resource).to_string();
    signer().mint_subscription(&SubscriptionToken { terms: terms(expires_in_s), channel }).unwrap()
}

/// A connect command with this token.
pub fn connect(token: &str) -> String {
    format!(r#"{{"connect":{{"token":"{token}","name":"js"}},"id":1}}"#)
}

/// A log in memory.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<HashMap<Stream, Lines>>>);

#[derive(Default)]
struct Lines {
    epoch: Option<String>,
    floor: u64,
    events: Vec<(u64, String)>,
}

impl Log {
    pub fn append(&self, stream: Stream, offset: u64, data: impl Into<String>) {
        self.0.lock().unwrap().entry(stream).or_default().events.push((offset, data.into()));
    }

    /// Forgets what is old.
    pub fn retain_after(&self, stream: Stream, floor: u64) {
        let mut streams = self.0.lock().unwrap();
        let lines = streams.entry(stream).or_default();
        lines.floor = floor;
        lines.events.retain(|(offset, _)| *offset > floor);
    }

    pub fn restart(&self, stream: Stream, epoch: &str) {
        let lines = Lines { epoch: Some(epoch.to_owned()), ..Lines::default() };
        self.0.lock().unwrap().insert(stream, lines);
    }

    pub fn read(&self, ask: &ReadLog) -> Slice {
        let mut streams = self.0.lock().unwrap();
        let lines = streams.entry(ask.stream).or_default();
        let event = |(offset, data): &(u64, String)| LogEvent { offset: *offset, data: data.clone().into() };
        let mut events: Vec<LogEvent> = match ask.range {
            Range::After(after) => lines.events.iter().filter(|(at, _)| *at > after).map(event).collect(),
            Range::Before(end) => lines.events.iter().rev().filter(|(at, _)| *at < end).map(event).collect(),
        };
        let is_complete = events.len() <= ask.limit;
        events.truncate(ask.limit);
        Slice {
            epoch: lines.epoch.as_deref().unwrap_or("epoch1").into(),
            top: lines.events.last().map_or(lines.floor, |(offset, _)| *offset),
            floor: lines.floor,
            events,
            is_complete,
        }
    }
}

/// A client and its connection, with a log and a hub behind it.
pub struct Client {
    pub hub: Arc<Hub>,
    pub log: Log,
    pub connection: Connection,
    pub now: u64,
    /// Answers to questions about access tokens.
    pub verdict: Result<(), Disconnect>,
    codec: Codec,
}

impl Client {
    pub fn new(transport: Transport) -> Self {
        Self::with(Settings::new(signer(), "ref", "node1"), transport)
    }

    pub fn with(settings: Settings, transport: Transport) -> Self {
        let (hub, codec) = (Arc::new(Hub::new(20, 1000)), transport.codec);
        let mut seed = [0; SEED_BYTES];
        seed[..16].fill(1);
        seed[16..32].fill(2);
        let connection = Connection::new(&hub, &Arc::new(settings), transport, seed.into(), START);
        Self { hub, log: Log::default(), connection, now: START, verdict: Ok(()), codec }
    }

    /// On a websocket, in JSON, connected with these channels; the reply is thrown away.
    pub fn connected(channels: &[&str]) -> Self {
        let mut client = Self::new(Transport::websocket(Codec::Json));
        let said = client.send(&connect(&connection_token(channels, 600)));
        assert!(said[0].starts_with(r#"{"id":1,"connect":{"client""#), "{said:?}");
        client
    }

    /// Sends a frame; what the server says to it.
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

    /// Lets time pass.
    pub fn wait(&mut self, ms: u64) -> Vec<String> {
        self.now += ms;
        self.connection.tick(self.now);
        self.said()
    }

    /// Reads the mail.
    pub fn collect(&mut self) -> Vec<String> {
        self.connection.collect(self.now);
        self.said()
    }

    /// Does every step at once; what the client gets to see. In Protobuf, as hex.
    pub fn said(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while let Some(step) = self.connection.next() {
            match step {
                Step::Send(frame) => {
                    let bytes = frame.into_bytes();
                    said.push(match self.codec {
                        Codec::Json => String::from_utf8(bytes.to_vec()).unwrap(),
                        Codec::Protobuf => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                    });
                }
                Step::Close(why) => said.push(format!("close {} {}", why.code, why.reason)),
                Step::Vouch(_) => self.connection.answer(self.now, Answer::Vouched(self.verdict)),
                Step::Read(reads) => {
                    let slices = reads.iter().map(|read| self.log.read(read)).collect();
                    self.connection.answer(self.now, Answer::Log(slices));
                }
            }
        }
        said
    }
}
