//! Two clients join a log that no client of the node follows yet. The first reads the log, and the second overtakes it. The
//! first still gets everything after its own read, although the tail starts at the second's.
//!
//! The tests try every order: they stop the first client's read after one step, after two, and so on until it is complete.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use realtime::frame::Codec;
use realtime::session::{EffectResult, ReadLog, Slice, Transport};
use realtime::{ClientConnection, DriverStep};
use serde_json::{Value, json};
use service::{Service, SystemRandom};

use crate::setup::stream_client::{connect_command, provision, user};
use crate::setup::world::World;

const ANNOUNCEMENTS: &str = "system:announcements";
/// More steps than a read has on either engine.
const STEPS_MAX: usize = 50;
/// Attempts to find a read that waits. On a busy machine the reader thread may be done before the first poll.
const ATTEMPTS_MAX: usize = 50;

/// The channel that the clients join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Locations,
    Announcements,
}

/// A client without a socket. The test itself does the client's reads of the log.
struct Client<'a> {
    node: &'a Service,
    connection: ClientConnection,
    told: Vec<Value>,
}

impl<'a> Client<'a> {
    fn new(node: &'a Service) -> Self {
        let connection = node.streams.open_stream(Transport::websocket(Codec::Json));
        Self { node, connection, told: Vec::new() }
    }

    fn now(&self) -> u64 {
        self.node.context.now().as_millis()
    }

    /// Connects, and stops before the read of the log that determines the start position.
    async fn begin(&mut self, kind: Kind, connect: &Value) -> Vec<ReadLog> {
        self.connection.receive(self.now(), connect.to_string().into());
        let reads = self.next_read().await.expect("a read");
        if kind == Kind::Locations {
            return reads;
        }
        let slices = self.node.streams.read_streams(reads).await.expect("the log");
        assert!(self.end(slices).await["connect"].is_object());
        let join = json!({"id": 2, "subscribe": {"channel": ANNOUNCEMENTS}});
        self.connection.receive(self.now(), join.to_string().into());
        self.next_read().await.expect("a read")
    }

    /// Continues with the result of the read, and returns the answer to the client.
    async fn end(&mut self, slices: Vec<Slice>) -> Value {
        self.connection.answer(self.now(), EffectResult::Log(slices));
        assert_eq!(self.next_read().await, None);
        assert_eq!(self.told.len(), 1, "more than an answer: {:?}", self.told);
        self.told.remove(0)
    }

    /// Runs all steps before the next read of the log. Returns `None` if no read is needed.
    async fn next_read(&mut self) -> Option<Vec<ReadLog>> {
        while let Some(step) = self.connection.next() {
            match step {
                DriverStep::Send(frame) => {
                    let text = String::from_utf8(frame.into_bytes().to_vec()).expect("text");
                    self.told
                        .extend(text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")));
                }
                DriverStep::CheckAccess(grant) => {
                    let verdict = self.node.streams.vouch(grant).await.expect("the store answers");
                    self.connection.answer(self.now(), EffectResult::AccessChecked(verdict));
                }
                DriverStep::Read(reads) => return Some(reads),
                DriverStep::Close(why) => panic!("closed: {why:?}"),
            }
        }
        None
    }

    /// Returns the offsets of everything that was published to the client on the channel.
    async fn listen(&mut self, channel: &str) -> Vec<u64> {
        loop {
            let before = self.told.len();
            self.connection.collect(self.now());
            assert_eq!(self.next_read().await, None);
            if self.told.len() == before {
                break;
            }
        }
        let told = self.told.iter().map(|told| &told["push"]).filter(|push| push["channel"] == channel);
        told.map(|push| push["pub"]["offset"].as_u64().expect("an offset")).collect()
    }
}

#[tokio::test]
async fn an_overtaken_client_of_a_log_gets_everything_after_its_own_read() {
    every_order(Kind::Locations).await;
}

#[tokio::test]
async fn an_overtaken_client_of_the_announcements_gets_everything_after_its_own_read() {
    every_order(Kind::Announcements).await;
}

async fn every_order(kind: Kind) {
    let world = World::new().await;
    provision(&world, &world.token).await;
    let channel = match kind {
        Kind::Locations => format!("locations:{}#{}", world.owner(), user(&world, &world.token).await),
        Kind::Announcements => ANNOUNCEMENTS.to_owned(),
    };
    for _ in 0..ATTEMPTS_MAX {
        let mut steps = 0;
        while steps < STEPS_MAX && overtaken(&world, kind, &channel, steps).await {
            steps += 1;
        }
        assert!(steps < STEPS_MAX, "a read has more steps than were tried");
        // A read that was done before it was polled a second time could not be overtaken: that attempt shows nothing.
        if steps > 1 {
            return;
        }
    }
    panic!("the read never waited in {ATTEMPTS_MAX} attempts");
}

/// Has another client overtake a client after so many steps of its read. Returns whether it was still reading.
async fn overtaken(world: &World, kind: Kind, channel: &str, steps: usize) -> bool {
    let node = fresh_node(world).await;
    let connect = connect_command(world, &world.token).await;
    write(world, kind, 3).await;
    let mut client = Client::new(&node);
    let reads = client.begin(kind, &connect).await;
    let mut reading = pin!(node.streams.read_streams(reads));
    if advance(reading.as_mut(), steps).await.is_some() {
        return false;
    }

    write(world, kind, 5).await;
    let mut other = Client::new(&node);
    let reads = other.begin(kind, &connect).await;
    let slices = node.streams.read_streams(reads).await.expect("the log");
    let theirs = start(kind, channel, &other.end(slices).await);

    let slices = reading.await.expect("the log");
    let own = start(kind, channel, &client.end(slices).await);
    let top = write(world, kind, 1).await;
    node.streams.publish_streams().await.expect("the log can be read");
    for (name, client, start) in [("overtaken", client, own), ("overtaking", other, theirs)] {
        let (mut client, expected) = (client, Vec::from_iter(start + 1..=top));
        assert_eq!(client.listen(channel).await, expected, "{kind:?}, {name} after {steps} steps");
    }
    true
}

/// Returns a server on the world's database that follows no log yet.
async fn fresh_node(world: &World) -> Service {
    let settings = world.service.settings().clone();
    let node = Service::new(world.db.clone(), world.clock.clone(), Arc::new(SystemRandom), settings);
    let node = node.expect("a service");
    // The first call makes the epoch. Call it here, so that its steps are not part of the read.
    node.streams.epoch().await.expect("an epoch");
    node
}

/// Returns the start offset in the server's answer to a client.
fn start(kind: Kind, channel: &str, reply: &Value) -> u64 {
    let joined = match kind {
        Kind::Locations => &reply["connect"]["subs"][channel],
        Kind::Announcements => &reply["subscribe"],
    };
    joined["offset"].as_u64().unwrap_or_else(|| panic!("no offset: {reply}"))
}

/// Writes so many events, and returns the offset of the last.
async fn write(world: &World, kind: Kind, count: usize) -> u64 {
    let mut last = 0;
    for _ in 0..count {
        last = match kind {
            Kind::Locations => {
                world.location("Depot").await;
                world.events().await.len() as u64
            }
            Kind::Announcements => {
                world.service.streams.announce("We move.").await.expect("a number").unsigned_abs()
            }
        };
    }
    last
}

/// Polls a future `steps` times, and then waits until it is woken without polling it again. Returns its result if it
/// was ready before.
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
