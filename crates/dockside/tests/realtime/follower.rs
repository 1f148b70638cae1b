//! A client that follows the log live. If it is disconnected, it reconnects and recovers from its last event.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::Timestamp;
use testkit::cluster::Addresses;
use tokio::sync::watch;

use crate::websocket_client::{Ask, Heard, Joined, Place, Publication, Socket};

/// The pause before it connects again.
const REST: Duration = Duration::from_millis(20);

/// The last offset of the run, once it is known.
pub type Goal = watch::Receiver<Option<u64>>;

pub struct Follower {
    pub addresses: Addresses,
    /// The server that it connects to first.
    pub node: usize,
    pub ask: Ask,
    pub from: Option<Place>,
    pub counts: Arc<Counts>,
    /// The offset of its last event.
    pub position: Arc<AtomicU64>,
}

/// Counts of all followers together.
#[derive(Default)]
pub struct Counts {
    pub joined: AtomicU64,
    /// Events that arrived live.
    pub told: AtomicU64,
    /// The positions of the followers that writers wait for.
    positions: Mutex<Vec<Arc<AtomicU64>>>,
}

impl Counts {
    /// Makes writers wait for a follower from its start on: from this position or, without one, as soon as it has joined.
    pub fn wait_for_follower(&self, from: Option<u64>) -> Arc<AtomicU64> {
        let position = Arc::new(AtomicU64::new(from.unwrap_or(u64::MAX)));
        self.positions.lock().unwrap().push(Arc::clone(&position));
        position
    }

    /// Returns the position of the follower that is furthest behind.
    pub fn last_position(&self) -> u64 {
        let positions = self.positions.lock().unwrap();
        positions.iter().map(|position| position.load(Ordering::Relaxed)).min().unwrap_or(u64::MAX)
    }
}

/// What a follower received.
#[derive(Default)]
pub struct Story {
    /// It must have received every event after this offset.
    pub start: u64,
    pub heard: Vec<Told>,
    /// How often it joined, how often it recovered missed events with that and how many, and how often it had to reload.
    pub joins: u32,
    pub recoveries: u32,
    pub recovered: usize,
    pub reloads: u32,
    /// The close codes of its connections, or 0 where it got none.
    pub closes: Vec<u16>,
    /// Errors after which it tried again.
    pub troubles: Vec<String>,
}

pub struct Told {
    pub offset: u64,
    pub id: String,
    /// Microseconds from the event's time until it arrived. `None` if it was recovered.
    pub lag: Option<i64>,
}

impl fmt::Display for Story {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} heard from {} on, {} joins, {} recoveries, {} reloads, closed with {:?}, {:?}",
            self.heard.len(),
            self.start,
            self.joins,
            self.recoveries,
            self.reloads,
            self.closes,
            self.troubles
        )
    }
}

impl Follower {
    /// Follows until it has received the last event.
    pub async fn run(mut self, mut goal: Goal) -> Story {
        let mut story = Story::default();
        let mut place = self.from.clone();
        loop {
            let Some(mut socket) = self.connect(&mut story, &mut place).await else {
                tokio::time::sleep(REST).await;
                continue;
            };
            loop {
                let last = place.as_ref().map_or(0, |place| place.offset);
                if goal.borrow_and_update().is_some_and(|goal| last >= goal) {
                    return story;
                }
                let heard = tokio::select! {
                    heard = socket.next() => heard,
                    _ = goal.changed() => continue,
                };
                match heard {
                    Heard::Message(message) => {
                        let publication = message.push.filter(|push| push.channel == self.ask.channel);
                        if let Some(publication) = publication.and_then(|push| push.publication) {
                            self.position.store(publication.offset, Ordering::Relaxed);
                            story.hear(publication, place.as_mut().expect("a place"), true);
                            self.counts.told.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    Heard::Closed(code, _) => {
                        story.closes.push(code);
                        break;
                    }
                    Heard::Gone => {
                        story.closes.push(0);
                        break;
                    }
                }
            }
            self.node += 1;
        }
    }

    /// Joins at the next server, from its last position.
    async fn connect(&mut self, story: &mut Story, place: &mut Option<Place>) -> Option<Socket> {
        let addresses = self.addresses.lock().unwrap().clone();
        let address = addresses[self.node % addresses.len()];
        let joined = match address {
            None => Err("no server is there".to_owned()),
            Some(address) => match Socket::open(address).await {
                Err(error) => Err(error.to_string()),
                Ok(mut socket) => socket.join(&self.ask, place.as_ref()).await.map(|joined| (socket, joined)),
            },
        };
        match joined {
            Ok((socket, joined)) => {
                story.join(joined, place);
                let offset = place.as_ref().map_or(0, |place| place.offset);
                self.position.store(offset, Ordering::Relaxed);
                self.counts.joined.fetch_add(1, Ordering::Relaxed);
                Some(socket)
            }
            Err(trouble) => {
                if !story.troubles.contains(&trouble) {
                    story.troubles.push(trouble);
                }
                self.node += 1;
                None
            }
        }
    }
}

impl Story {
    fn join(&mut self, joined: Joined, place: &mut Option<Place>) {
        self.joins += 1;
        let is_first = self.joins == 1;
        match place {
            Some(place) => {
                assert!(joined.was_recovering);
                assert!(!joined.recovered || joined.offset == place.offset, "it goes on from elsewhere");
                if is_first {
                    self.start = place.offset;
                }
                self.recoveries += u32::from(joined.recovered);
                self.reloads += u32::from(!joined.recovered);
                place.offset = joined.offset;
            }
            None => {
                assert!(is_first && !joined.was_recovering && joined.publications.is_empty());
                self.start = joined.offset;
                *place = Some(Place { offset: joined.offset, epoch: joined.epoch.clone() });
            }
        }
        let place = place.as_mut().expect("set above");
        assert_eq!(place.epoch, joined.epoch, "the log has become another");
        self.recovered += joined.publications.len();
        for publication in joined.publications {
            self.hear(publication, place, false);
        }
    }

    fn hear(&mut self, publication: Publication, place: &mut Place, is_live: bool) {
        let Publication { offset, data } = publication;
        assert_eq!(offset, data.sequence);
        place.offset = offset;
        let lag = || now() - Timestamp::parse(&data.created_at).expect("a moment").as_micros();
        self.heard.push(Told { offset, lag: is_live.then(lag), id: data.id });
    }
}

/// Microseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the server's clock is this one")]
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_micros() as i64
}

/// The lags of what came live, as `p50 and p99` in milliseconds.
pub fn lags(stories: &[Story]) -> String {
    let heard = stories.iter().flat_map(|story| &story.heard);
    let mut lags: Vec<_> = heard.filter_map(|told| told.lag).collect();
    lags.sort_unstable();
    let part = |percent: usize| lags.get(lags.len() * percent / 100).map_or(0, |lag| lag / 1000);
    format!("p50 {} ms, p99 {} ms", part(50), part(99))
}
