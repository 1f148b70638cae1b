//! Subscribing while events are written: in any order of steps, no event is lost or sent twice.
//!
//! The test models the whole path. Events become visible in the log. The tail publishes visible events some time
//! later. The client subscribes; its read of the log happens at some time, and the session gets the result later. The
//! driver collects outbox items now and then. The client unsubscribes and subscribes again with its position. The
//! steps run in random order.

use std::collections::VecDeque;

use proptest::prelude::*;

use crate::DriverStep;
use crate::frame::{Codec, Publication, Reply};
use crate::session::{EffectResult, Transport};
use crate::testing::*;

#[derive(Clone, Copy, Debug)]
enum Move {
    /// An event is committed. Offsets have gaps, because other resources use the same numbers.
    Write { gap: u64 },
    /// The tail publishes the next visible event.
    Tail,
    /// The client subscribes from its last position.
    Subscribe,
    /// The driver performs the requested read.
    Read,
    /// The driver passes in the result of the read. With `has_late_top`, it read the top of the log after the events.
    Answer { has_late_top: bool },
    /// The driver collects outbox items.
    Collect,
    /// The client sends an unsubscribe command.
    Unsubscribe,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => (1u64..4).prop_map(|gap| Move::Write { gap }),
        4 => Just(Move::Tail),
        2 => Just(Move::Subscribe),
        2 => Just(Move::Read),
        2 => any::<bool>().prop_map(|has_late_top| Move::Answer { has_late_top }),
        3 => Just(Move::Collect),
        1 => Just(Move::Unsubscribe),
    ];
    prop::collection::vec(one, 1..120)
}

struct Model {
    client: TestClient,
    token: String,
    /// The committed offsets.
    written: Vec<u64>,
    /// How many of the committed events the tail has published.
    published: usize,
    asked: VecDeque<DriverStep>,
    read: Option<EffectResult>,
    /// The subscribe command that is active or in progress. The client ignores messages of earlier ones.
    current: Option<u32>,
    is_confirmed: bool,
    commands: u32,
    /// The client's start position and the events that it received since.
    start: Option<u64>,
    last: u64,
    held: Vec<u64>,
}

impl Model {
    fn new() -> Self {
        Self {
            client: TestClient::connected(&[]),
            token: subscription_token("orders", 600),
            written: Vec::new(),
            published: 0,
            asked: VecDeque::new(),
            read: None,
            current: None,
            is_confirmed: false,
            commands: 1,
            start: None,
            last: 0,
            held: Vec::new(),
        }
    }

    fn play(&mut self, step: Move) {
        let stream = channel("orders").stream();
        match step {
            Move::Write { gap } => {
                let offset = self.written.last().copied().unwrap_or(0) + gap;
                self.written.push(offset);
                self.client.log.append(stream, offset, offset.to_string());
            }
            Move::Tail => {
                if let Some(offset) = self.written.get(self.published) {
                    self.client.hub.publish(stream, *offset, offset.to_string().into());
                    self.published += 1;
                }
            }
            Move::Subscribe if self.current.is_none() => {
                let id = self.command();
                self.current = Some(id);
                let position = match self.start {
                    Some(_) => format!(r#","recover":true,"epoch":"epoch1","offset":{}"#, self.last),
                    None => String::new(),
                };
                let (name, token) = (channel("orders"), &self.token);
                self.send(format!(
                    r#"{{"id":{id},"subscribe":{{"channel":"{name}","token":"{token}"{position}}}}}"#
                ));
            }
            Move::Subscribe => {}
            Move::Read => self.read(),
            Move::Answer { has_late_top } => {
                if let Some(mut answer) = self.read.take() {
                    if let (EffectResult::Log(slices), true) = (&mut answer, has_late_top) {
                        slices[0].top = self.written.last().copied().unwrap_or(0);
                    }
                    self.client.connection.answer(self.client.now, answer);
                }
            }
            Move::Collect => self.client.connection.collect(self.client.now),
            Move::Unsubscribe if self.current.take().is_some() => {
                self.is_confirmed = false;
                let (id, name) = (self.command(), channel("orders"));
                self.send(format!(r#"{{"id":{id},"unsubscribe":{{"channel":"{name}"}}}}"#));
            }
            Move::Unsubscribe => {}
        }
        self.hear();
    }

    fn command(&mut self) -> u32 {
        self.commands += 1;
        self.commands
    }

    fn send(&mut self, frame: String) {
        // One command per second stays below the rate limit.
        self.client.now += 1000;
        self.client.connection.receive(self.client.now, frame.into());
    }

    fn read(&mut self) {
        if self.read.is_some() {
            return;
        }
        self.read = self.asked.pop_front().map(|asked| match asked {
            DriverStep::Read(reads) => {
                EffectResult::Log(reads.iter().map(|read| self.client.log.read(read)).collect())
            }
            _ => EffectResult::AccessChecked(Ok(())),
        });
    }

    fn hear(&mut self) {
        while let Some(step) = self.client.connection.next() {
            match step {
                DriverStep::Send(frame) => {
                    let mut frame = frame.into_bytes();
                    while let Some(reply) = Codec::Json.next_reply(&mut frame) {
                        self.reply(reply.unwrap());
                    }
                }
                DriverStep::Close(why) => panic!("closed: {why:?}"),
                question => self.asked.push_back(question),
            }
        }
    }

    fn reply(&mut self, reply: Reply) {
        assert_eq!(reply.error, None);
        if let Some(subscribed) = reply.subscribe
            && self.current == Some(reply.id)
        {
            self.is_confirmed = true;
            assert_eq!(
                subscribed.recovered, subscribed.was_recovering,
                "all that was written is still there"
            );
            if self.start.is_none() {
                self.start = Some(subscribed.offset);
                self.last = subscribed.offset;
            }
            subscribed.publications.into_iter().for_each(|publication| self.hold(publication));
        }
        if let Some(publication) = reply.push.and_then(|push| push.publication)
            && self.is_confirmed
        {
            self.hold(publication);
        }
    }

    fn hold(&mut self, publication: Publication) {
        assert!(publication.offset > self.last, "{} after {}", publication.offset, self.last);
        assert_eq!(publication.data.0, publication.offset.to_string());
        self.last = publication.offset;
        self.held.push(publication.offset);
    }

    /// Runs all remaining steps, and compares the client's events with the log.
    fn finish(mut self) {
        self.play(Move::Subscribe);
        while self.read.is_some() || !self.asked.is_empty() {
            self.play(Move::Read);
            self.play(Move::Answer { has_late_top: false });
        }
        while self.published < self.written.len() {
            self.play(Move::Tail);
        }
        for _ in 0..40 {
            self.play(Move::Collect);
        }
        let start = self.start.expect("the client has subscribed");
        let expected: Vec<u64> = self.written.iter().copied().filter(|offset| *offset > start).collect();
        assert_eq!(self.held, expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_event_is_lost_or_sent_twice(moves in moves()) {
        let mut model = Model::new();
        moves.into_iter().for_each(|step| model.play(step));
        model.finish();
    }
}

/// The same for the channels of a connection token: the read is late, and events are published meanwhile.
#[test]
fn the_channels_of_a_connection_token_lose_no_event() {
    for published_before_read in 0..4 {
        let mut client = TestClient::new(Transport::websocket(Codec::Json));
        let stream = channel("orders").stream();
        client.connection.receive(START, connect(&connection_token(&["orders"], 600)).into());
        assert!(matches!(client.connection.next(), Some(DriverStep::CheckAccess(_))));
        client.connection.answer(START, EffectResult::AccessChecked(Ok(())));
        let Some(DriverStep::Read(reads)) = client.connection.next() else { panic!("no read") };
        for offset in 1..=published_before_read {
            client.publish("orders", offset, &offset.to_string());
        }
        let slices = reads.iter().map(|read| client.log.read(read)).collect();
        for offset in published_before_read + 1..=4 {
            client.publish("orders", offset, &offset.to_string());
        }
        client.connection.collect(START);
        assert_eq!(client.connection.next(), None, "events wait for the reply");
        client.connection.answer(START, EffectResult::Log(slices));
        let said = client.said().join("\n");
        assert!(said.starts_with(r#"{"id":1,"connect""#));
        for offset in 1..=4 {
            let times = said.matches(&format!(r#""pub":{{"data":{offset},"#)).count();
            assert_eq!(times, usize::from(offset > published_before_read), "{said}");
        }
        assert!(client.hub.has_listeners(stream));
    }
}
