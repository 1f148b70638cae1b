//! Two clients join a log that nobody follows yet, and the one that read it first is the last to go on: it hears all that
//! came after its own read, although the log is followed from the other's.
//!
//! The order is made by hand, and all of them are tried: the read of the first is stopped after one step, after two, and
//! so on until it needs no more.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use realtime::frame::Codec;
use realtime::session::{Answer, ReadLog, Transport};
use realtime::{Connection, Step};
use serde_json::{Value, json};

use crate::listener::{Listener, connect_command, provision, publish, user};
use crate::world::World;

/// More steps than a read has, on either engine.
const STEPS_MAX: usize = 50;

/// What is joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Locations,
    Announcements,
}

/// A client without a socket, whose reads of the log the test does itself.
struct Client<'a> {
    world: &'a World,
    connection: Connection,
    told: Vec<Value>,
}

impl<'a> Client<'a> {
    fn new(world: &'a World) -> Self {
        let connection = world.service.open_stream(Transport::websocket(Codec::Json));
        Self { world, connection, told: Vec::new() }
    }

    fn now(&self) -> u64 {
        self.world.service.now().as_millis()
    }

    fn send(&mut self, frame: &Value) {
        self.connection.receive(self.now(), frame.to_string().into());
    }

    /// Does all that is to be done before the log is next read; none where it need not be.
    async fn next_read(&mut self) -> Option<Vec<ReadLog>> {
        while let Some(step) = self.connection.next() {
            match step {
                Step::Send(frame) => {
                    let text = String::from_utf8(frame.into_bytes().to_vec()).expect("text");
                    self.told
                        .extend(text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")));
                }
                Step::Vouch(grant) => {
                    let verdict = self.world.service.vouch(grant).await.expect("the store answers");
                    self.connection.answer(self.now(), Answer::Vouched(verdict));
                }
                Step::Read(reads) => return Some(reads),
                Step::Close(why) => panic!("closed: {why:?}"),
            }
        }
        None
    }

    /// Takes all that was published to it.
    async fn listen(&mut self) {
        loop {
            let before = self.told.len();
            self.connection.collect(self.now());
            assert_eq!(self.next_read().await, None);
            if self.told.len() == before {
                return;
            }
        }
    }
}

#[tokio::test]
async fn who_read_a_log_before_another_had_it_followed_hears_all_after_its_read() {
    every_order(Kind::Locations).await;
}

#[tokio::test]
async fn so_does_who_read_announcements() {
    every_order(Kind::Announcements).await;
}

async fn every_order(kind: Kind) {
    for steps in 0..STEPS_MAX {
        if !overtaken(kind, steps).await {
            assert!(steps > 1, "the read never waited: this run is void");
            return;
        }
    }
    panic!("a read has more steps than were tried");
}

/// Lets a client be overtaken by another after so many steps of its read. Tells whether it was still reading.
async fn overtaken(kind: Kind, steps: usize) -> bool {
    let world = World::new().await;
    provision(&world, &world.token).await;
    // Known before: who is stopped while making it stops everybody.
    world.service.epoch().await.expect("an epoch");
    let channel = match kind {
        Kind::Locations => format!("locations:{}#{}", world.owner(), user(&world, &world.token).await),
        Kind::Announcements => "system:announcements".to_owned(),
    };
    let join = json!({"id": 2, "subscribe": {"channel": "system:announcements"}});
    write(&world, kind, 3).await;

    let mut client = Client::new(&world);
    client.send(&connect_command(&world, &world.token).await);
    let mut reads = client.next_read().await.expect("a read");
    if kind == Kind::Announcements {
        let slices = world.service.read_streams(reads).await.expect("the log");
        client.connection.answer(client.now(), Answer::Log(slices));
        assert_eq!(client.next_read().await, None);
        client.send(&join);
        reads = client.next_read().await.expect("a read");
    }
    let mut reading = pin!(world.service.read_streams(reads));
    if advance(reading.as_mut(), steps).await.is_some() {
        return false;
    }

    write(&world, kind, 5).await;
    let (mut other, connected) = Listener::connect(&world, &world.token).await;
    if kind == Kind::Announcements {
        other.send(&world, &connected, &join).await;
        other.next().await;
    }

    let slices = reading.await.expect("the log");
    client.connection.answer(client.now(), Answer::Log(slices));
    assert_eq!(client.next_read().await, None);
    let joined = client.told.pop().expect("an answer");
    let joined = match kind {
        Kind::Locations => &joined["connect"]["subs"][&channel],
        Kind::Announcements => &joined["subscribe"],
    };
    let start = joined["offset"].as_u64().unwrap_or_else(|| panic!("no offset: {joined}"));
    assert!(
        client.told.iter().all(|told| told["push"]["pub"].is_null()),
        "before its answer: {:?}",
        client.told
    );

    let top = write(&world, kind, 1).await;
    publish(&world).await;
    client.listen().await;
    let told = client.told.iter().filter(|told| told["push"]["channel"] == channel);
    let told: Vec<_> = told.map(|told| told["push"]["pub"]["offset"].as_u64().expect("an offset")).collect();
    assert_eq!(told, (start + 1..=top).collect::<Vec<_>>(), "{kind:?}, overtaken after {steps} steps");
    true
}

/// Lets something happen so many times; gives the offset of the last.
async fn write(world: &World, kind: Kind, count: usize) -> u64 {
    let mut last = 0;
    for _ in 0..count {
        last = match kind {
            Kind::Locations => {
                world.location("Depot").await;
                world.events().await.len() as u64
            }
            Kind::Announcements => world.service.announce("We move.").await.expect("a number").unsigned_abs(),
        };
    }
    last
}

/// Polls a future so many times and then waits until it could go on, but does not let it. Its result, where that came
/// before.
async fn advance<F: Future>(mut future: Pin<&mut F>, steps: usize) -> Option<F::Output> {
    let mut done = 0;
    poll_fn(|context| {
        if done == steps {
            return Poll::Ready(None);
        }
        done += 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}
