//! The hub under concurrent threads, and its connection counts.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake};
use std::thread;

use model::{Owner, World};
use proptest::prelude::*;

use super::*;
use crate::channel::ChannelTopic;
use crate::code::Disconnect;
use crate::limits::{CONNECTIONS_PER_USER_MAX, OUTBOX_BYTES_MAX};
use crate::session::ControlMessage;
use crate::testing::{channel, grant, owner, user};
use crate::token::Grant;

fn client(number: u128) -> ClientId {
    ClientId::new(number)
}

/// Wakes a thread, as a runtime wakes a task.
struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits until the outbox has items.
fn wait(outbox: &Outbox) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    while outbox.poll_ready(&mut Context::from_waker(&waker)) == Poll::Pending {
        thread::park();
    }
}

fn offsets(taken: OutboxContent) -> Vec<u64> {
    let OutboxContent::Items(items) = taken else { panic!("slow") };
    items
        .iter()
        .flat_map(|item| match item {
            OutboxItem::Events { events, .. } => events.iter().map(|event| event.offset()),
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn events_that_are_published_together_arrive_in_order_and_a_frame_at_a_time() {
    let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 1000);
    let outbox = Arc::default();
    hub.attach(Channel::Announcements, ClientId::new(1), &outbox);
    let events = (1..=40).map(|offset| (offset, Bytes::from_static(b"{}")));
    assert_eq!(hub.publish_all(EventStream::Announcements, events), 1);
    assert_eq!(offsets(outbox.take()), (1..=16).collect::<Vec<_>>());
    hub.publish(EventStream::Announcements, 41, Bytes::from_static(b"{}"));
    assert_eq!(offsets(outbox.take()), (17..=32).collect::<Vec<_>>());
    assert_eq!(offsets(outbox.take()), (33..=41).collect::<Vec<_>>());
}

#[test]
fn an_attached_client_receives_every_event_once_and_in_order() {
    const EVENTS: u64 = 2_000;
    const STREAMS: [&str; 3] = ["orders", "batches", "shipments"];
    let hub = Arc::new(Hub::new(CONNECTIONS_PER_USER_MAX, 1000));
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let stayers: Vec<_> = (0..9)
            .map(|number| {
                let (outbox, hub) = (Arc::new(Outbox::default()), &hub);
                let channel = channel(STREAMS[number % 3]);
                hub.attach(channel, client(number as u128), &outbox);
                scope.spawn(move || {
                    let mut expected = 1;
                    while expected <= EVENTS {
                        wait(&outbox);
                        for offset in offsets(outbox.take()) {
                            assert_eq!(offset, expected);
                            expected += 1;
                        }
                    }
                })
            })
            .collect();
        // Other listeners attach and detach all the time. The events that each receives must have no gaps.
        for number in 0..2 {
            let (hub, is_over) = (&hub, &is_over);
            scope.spawn(move || {
                let outbox = Arc::new(Outbox::default());
                let mut turn = 0;
                while !is_over.load(Ordering::Relaxed) {
                    turn += 1;
                    let channel = channel(STREAMS[turn % 3]);
                    hub.attach(channel, client(100 + number), &outbox);
                    thread::yield_now();
                    hub.detach(channel, client(100 + number));
                    let mut heard = Vec::new();
                    loop {
                        match offsets(outbox.take()) {
                            more if more.is_empty() => break,
                            more => heard.extend(more),
                        }
                    }
                    assert!(heard.windows(2).all(|pair| pair[1] == pair[0] + 1), "{heard:?}");
                }
            });
        }
        let publishers = STREAMS.map(|name| {
            let hub = &hub;
            scope.spawn(move || {
                for offset in 1..=EVENTS {
                    assert!(hub.publish(channel(name).stream(), offset, Bytes::from_static(b"{}")) >= 3);
                }
            })
        });
        let joined: Vec<_> =
            publishers.into_iter().chain(stayers).map(thread::ScopedJoinHandle::join).collect();
        // Stop the other listeners before a panic is propagated: otherwise their threads never end.
        is_over.store(true, Ordering::Relaxed);
        joined.into_iter().for_each(|result| result.unwrap());
    });
    assert_eq!(hub.streams().len(), 3);
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Attach(u8, u8),
    Detach(u8, u8),
    Publish(u8),
}

proptest! {
    /// Compares the hub with the simplest model: a set of pairs.
    #[test]
    fn each_event_reaches_the_attached_clients(acts in prop::collection::vec(
        prop_oneof![
            (0..5u8, 0..3u8).prop_map(|(who, what)| Act::Attach(who, what)),
            (0..5u8, 0..3u8).prop_map(|(who, what)| Act::Detach(who, what)),
            (0..3u8).prop_map(Act::Publish),
        ],
        0..80,
    )) {
        const NAMES: [&str; 3] = ["orders", "batches", "shipments"];
        let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 1000);
        let outboxes: Vec<Arc<Outbox>> = (0..5).map(|_| Arc::default()).collect();
        let mut attached = BTreeSet::new();
        // Clients with odd numbers belong to another user, so a stream has several channels.
        let view = |who: u8, what: u8| {
            let resource = channel(NAMES[usize::from(what)]).topic();
            resource.channel(owner(), Id::from_bits(u128::from(who % 2)))
        };
        for (offset, act) in acts.into_iter().enumerate() {
            match act {
                Act::Attach(who, what) => {
                    hub.attach(view(who, what), client(who.into()), &outboxes[usize::from(who)]);
                    attached.insert((who, what));
                }
                Act::Detach(who, what) => {
                    hub.detach(view(who, what), client(who.into()));
                    attached.remove(&(who, what));
                }
                Act::Publish(what) => {
                    let stream = channel(NAMES[usize::from(what)]).stream();
                    let count = hub.publish(stream, offset as u64, Bytes::from_static(b"{}"));
                    prop_assert_eq!(count, attached.iter().filter(|(_, topic)| *topic == what).count());
                    for who in 0..5u8 {
                        let heard = offsets(outboxes[usize::from(who)].take());
                        let expected = attached.contains(&(who, what)).then_some(offset as u64);
                        prop_assert_eq!(heard, Vec::from_iter(expected));
                    }
                }
            }
            for what in 0..3 {
                let has_listeners = attached.iter().any(|(_, topic)| *topic == what);
                prop_assert_eq!(hub.has_listeners(view(0, what).stream()), has_listeners);
            }
        }
    }
}

#[test]
fn a_slow_client_does_not_delay_the_others() {
    let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 1000);
    let (slow, quick) = (Arc::new(Outbox::default()), Arc::new(Outbox::default()));
    hub.attach(channel("orders"), client(1), &slow);
    hub.attach(channel("orders"), client(2), &quick);
    let data = Bytes::from(vec![b'1'; 10_000]);
    let mut heard = 0;
    for offset in 1..=2 * (OUTBOX_BYTES_MAX / data.len()) as u64 {
        hub.publish(channel("orders").stream(), offset, data.clone());
        heard += offsets(quick.take()).len();
    }
    assert_eq!(heard, 2 * (OUTBOX_BYTES_MAX / data.len()));
    assert!(matches!(slow.take(), OutboxContent::Slow));
    assert!(matches!(slow.take(), OutboxContent::Slow), "once slow, always slow");
}

#[test]
fn the_outbox_returns_one_frame_at_a_time() {
    let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 1000);
    let outbox = Arc::new(Outbox::default());
    hub.attach(channel("orders"), client(1), &outbox);
    for offset in 1..=20 {
        hub.publish(channel("orders").stream(), offset, Bytes::from_static(b"{}"));
    }
    assert_eq!([16, 4, 0].map(|_| offsets(outbox.take()).len()), [16, 4, 0]);
}

#[test]
fn a_waiting_driver_is_woken_once() {
    struct Count(AtomicU64);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 1000);
    let outbox = Arc::new(Outbox::default());
    hub.attach(channel("orders"), client(1), &outbox);
    let count = Arc::new(Count(AtomicU64::new(0)));
    let waker = Waker::from(Arc::clone(&count));
    assert_eq!(outbox.poll_ready(&mut Context::from_waker(&waker)), Poll::Pending);
    for offset in 1..=3 {
        hub.publish(channel("orders").stream(), offset, Bytes::from_static(b"{}"));
    }
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
    assert_eq!(outbox.poll_ready(&mut Context::from_waker(&waker)), Poll::Ready(()));
}

fn enter(hub: &Hub, number: u128, grant: Grant) -> Result<Arc<Outbox>, Disconnect> {
    let outbox = Arc::default();
    hub.register(grant, client(number), &outbox).map(|()| outbox)
}

#[test]
fn connections_are_counted_by_user() {
    let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 1000);
    let max = u128::from(CONNECTIONS_PER_USER_MAX);
    for number in 0..max {
        enter(&hub, number, grant()).unwrap();
    }
    assert_eq!(enter(&hub, max, grant()).err(), Some(Disconnect::CONNECTION_LIMIT));
    enter(&hub, max + 1, Grant { user: Id::from_bits(9), ..grant() }).unwrap();
    hub.unregister(owner().organisation, client(0));
    hub.unregister(owner().organisation, client(0));
    enter(&hub, max, grant()).unwrap();
    assert_eq!(enter(&hub, max + 2, grant()).err(), Some(Disconnect::CONNECTION_LIMIT));
    assert_eq!(hub.connections() as u128, max + 1);
}

#[test]
fn connections_are_counted_by_organisation() {
    let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 2);
    let of = |number| Grant { user: Id::from_bits(number), ..grant() };
    enter(&hub, 1, of(1)).unwrap();
    let test = Owner { world: World::Test, ..owner() };
    enter(&hub, 2, Grant { owner: test, ..of(2) }).unwrap();
    assert_eq!(enter(&hub, 3, of(3)).err(), Some(Disconnect::CONNECTION_LIMIT));
    let other = Owner::live(Id::from_bits(77));
    enter(&hub, 3, Grant { owner: other, ..of(3) }).unwrap();
    let none = Hub::new(CONNECTIONS_PER_USER_MAX, 0);
    assert_eq!(enter(&none, 1, grant()).err(), Some(Disconnect::CONNECTION_LIMIT));
}

#[test]
fn control_messages_reach_their_audience() {
    let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 1000);
    let test = Owner { world: World::Test, ..owner() };
    let other = Owner::live(Id::from_bits(1 + 16));
    let grants = [
        grant(),
        Grant { user: Id::from_bits(9), ..grant() },
        Grant { owner: test, ..grant() },
        Grant { owner: other, ..grant() },
    ];
    let outboxes: Vec<_> =
        grants.iter().zip(1..).map(|(grant, number)| enter(&hub, number, *grant).unwrap()).collect();
    let organisation = owner().organisation;
    for (audience, expected) in [
        (Audience::Everyone, [1, 1, 1, 1]),
        (Audience::Organisation(organisation), [1, 1, 1, 0]),
        (Audience::Owner(owner()), [1, 1, 0, 0]),
        (Audience::Owner(test), [0, 0, 1, 0]),
        (Audience::User { organisation, user: user() }, [1, 0, 1, 0]),
        (Audience::Part { part: 0, of: 0 }, [0, 0, 0, 0]),
    ] {
        let count = hub.send_control(audience, ControlMessage::Disconnect(Disconnect::FORCE));
        let heard: Vec<usize> = outboxes
            .iter()
            .map(|outbox| match outbox.take() {
                OutboxContent::Items(items) => items.len(),
                OutboxContent::Slow => panic!("slow"),
            })
            .collect();
        assert_eq!((heard.iter().sum(), &heard[..]), (count, &expected[..]), "{audience:?}");
    }
    let parts = (0..3).map(|part| {
        hub.send_control(Audience::Part { part, of: 3 }, ControlMessage::Disconnect(Disconnect::SHUTDOWN))
    });
    assert_eq!(parts.sum::<usize>(), 4);
}

#[test]
fn presence_is_by_channel() {
    let hub = Hub::new(CONNECTIONS_PER_USER_MAX, 1000);
    let outbox = Arc::default();
    hub.attach(channel("orders"), client(1), &outbox);
    hub.attach(channel("orders"), client(1), &outbox);
    hub.attach(channel("orders"), client(2), &outbox);
    hub.attach(channel("batches"), client(3), &outbox);
    let other: ChannelTopic = channel("orders").topic();
    hub.attach(other.channel(owner(), Id::from_bits(9)), client(4), &outbox);
    assert_eq!(hub.presence(channel("orders")), [client(1), client(2)]);
    hub.detach(channel("orders"), client(1));
    assert_eq!(hub.presence(channel("orders")), [client(2)]);
    assert_eq!(hub.presence(channel("manifests")), []);
}
