//! Subscribing while events are written: whatever the order of things, nothing is lost, nothing comes twice.
//!
//! A model of the whole path. Events become visible in the log; a tail publishes what is visible, some time later;
//! the client subscribes, and its read of the log happens at some moment, its answer is heard at a later one; mail is
//! fetched now and then; the client leaves and comes back with its position. All in random order.

use std::collections::VecDeque;

use proptest::prelude::*;

use crate::Step;
use crate::frame::{Codec, Publication, Reply};
use crate::session::{Answer, Transport};
use crate::testing::*;

#[derive(Clone, Copy, Debug)]
enum Move {
    /// An event is committed. Offsets have gaps: other resources share the numbers.
    Write { gap: u64 },
    /// The tail publishes the next visible event.
    Tail,
    /// The client asks to subscribe, going on where it was.
    Subscribe,
    /// The driver runs the read that was asked for.
    Read,
    /// The driver hands its result over; perhaps it has looked up the top of the log after the events.
    Answer { has_late_top: bool },
    /// The driver fetches mail.
    Collect,
    /// The client leaves, by a command.
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
    client: Client,
    token: String,
    /// Offsets that are committed.
    written: Vec<u64>,
    /// How many of them the tail has published.
    published: usize,
    asked: VecDeque<Step>,
    read: Option<Answer>,
    /// The command by which the client is on the channel or on its way; what belongs to an earlier one it ignores.
    current: Option<u32>,
    is_confirmed: bool,
    commands: u32,
    /// What the client holds: where it started, and all that came since.
    start: Option<u64>,
    last: u64,
    held: Vec<u64>,
}

impl Model {
    fn new() -> Self {
        Self {
            client: Client::connected(&[]),
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
                    if let (Answer::Log(slices), true) = (&mut answer, has_late_top) {
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
        // One command a second is slow enough for anyone.
        self.client.now += 1000;
        self.client.connection.receive(self.client.now, frame.into());
    }

    fn read(&mut self) {
        if self.read.is_some() {
            return;
        }
        self.read = self.asked.pop_front().map(|asked| match asked {
            Step::Read(reads) => Answer::Log(reads.iter().map(|read| self.client.log.read(read)).collect()),
            _ => Answer::Vouched(Ok(())),
        });
    }

    fn hear(&mut self) {
        while let Some(step) = self.client.connection.next() {
            match step {
                Step::Send(frame) => {
                    let mut frame = frame.into_bytes();
                    while let Some(reply) = Codec::Json.next_reply(&mut frame) {
                        self.reply(reply.unwrap());
                    }
                }
                Step::Close(why) => panic!("closed: {why:?}"),
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

    /// Lets everything come to rest, and compares what the client holds with the log.
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
    fn nothing_is_lost_or_doubled(moves in moves()) {
        let mut model = Model::new();
        moves.into_iter().for_each(|step| model.play(step));
        model.finish();
    }
}

/// The same for channels that come with the token: the read is late, and events are published meanwhile.
#[test]
fn the_channels_of_a_token_lose_nothing_either() {
    for published_before_read in 0..4 {
        let mut client = Client::new(Transport::websocket(Codec::Json));
        let stream = channel("orders").stream();
        client.connection.receive(START, connect(&connection_token(&["orders"], 600)).into());
        assert!(matches!(client.connection.next(), Some(Step::Vouch(_))));
        client.connection.answer(START, Answer::Vouched(Ok(())));
        let Some(Step::Read(reads)) = client.connection.next() else { panic!("no read") };
        for offset in 1..=published_before_read {
            client.publish("orders", offset, &offset.to_string());
        }
        let slices = reads.iter().map(|read| client.log.read(read)).collect();
        for offset in published_before_read + 1..=4 {
            client.publish("orders", offset, &offset.to_string());
        }
        client.connection.collect(START);
        assert_eq!(client.connection.next(), None, "events wait for the reply");
        client.connection.answer(START, Answer::Log(slices));
        let said = client.said().join("\n");
        assert!(said.starts_with(r#"{"id":1,"connect""#));
        for offset in 1..=4 {
            let times = said.matches(&format!(r#""pub":{{"data":{offset},"#)).count();
            assert_eq!(times, usize::from(offset > published_before_read), "{said}");
        }
        assert!(client.hub.is_heard(stream));
    }
}
