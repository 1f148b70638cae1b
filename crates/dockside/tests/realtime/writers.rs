//! Clients that create locations as fast as they can, or as fast as followers can read. If a server dies, they go on at another one or wait for its restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use testkit::client::Client;
use testkit::cluster::Addresses;
use testkit::load;
use testkit::server::wait_until;

use crate::follower::Counts;
use crate::log::STUCK;

const WRITERS: usize = 8;
/// The pause of a writer if no server listens, or the server refused.
const REST: Duration = Duration::from_millis(2);
/// How many events writers may be ahead of a follower that they wait for. A follower that has missed 1,000 must reload.
const AHEAD_MAX: u64 = 800;

pub struct Writers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    began: Instant,
}

struct Shared {
    token: String,
    addresses: Addresses,
    total: u64,
    /// The followers that the writers wait for.
    followers: Option<Arc<Counts>>,
    next: AtomicU64,
    acknowledged: AtomicU64,
    broken: AtomicU64,
}

/// What the writers did.
pub struct Written {
    pub acknowledged: usize,
    pub broken: u64,
    pub took: Duration,
}

impl Writers {
    pub fn start(addresses: &Addresses, token: &str, total: u64) -> Self {
        Self::start_beside(addresses, token, total, None)
    }

    /// Starts writers that wait for followers if they get too far ahead of one.
    pub fn start_beside(
        addresses: &Addresses,
        token: &str,
        total: u64,
        followers: Option<Arc<Counts>>,
    ) -> Self {
        let shared = Arc::new(Shared {
            token: token.to_owned(),
            addresses: Arc::clone(addresses),
            total,
            followers,
            next: AtomicU64::new(0),
            acknowledged: AtomicU64::new(0),
            broken: AtomicU64::new(0),
        });
        let threads = (0..WRITERS).map(|number| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.write(number))
        });
        Self { threads: threads.collect(), shared, began: Instant::now() }
    }

    pub fn acknowledged(&self) -> u64 {
        self.shared.acknowledged.load(Ordering::Relaxed)
    }

    /// Waits until so many writes were acknowledged.
    pub fn wait_for(&self, count: u64) {
        wait_until("writing", STUCK, || self.acknowledged() >= count);
    }

    /// Waits for the last write. All servers must be running.
    pub fn finish(self) -> Written {
        self.threads.into_iter().for_each(|thread| thread.join().expect("a writer that did not panic"));
        Written {
            acknowledged: self.shared.acknowledged.load(Ordering::Relaxed) as usize,
            broken: self.shared.broken.load(Ordering::Relaxed),
            took: self.began.elapsed(),
        }
    }
}

impl Shared {
    fn write(&self, writer: usize) {
        let mut client = None;
        let mut turn = writer;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.total {
                return;
            }
            let is_ahead =
                |followers: &Arc<Counts>| followers.last_position().saturating_add(AHEAD_MAX) < number;
            while self.followers.as_ref().is_some_and(is_ahead) {
                std::thread::sleep(REST);
            }
            while !self.write_once(&mut client, &mut turn, number) {
                std::thread::sleep(REST);
            }
            self.acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Tries one write, and returns whether it was acknowledged. A write with an unknown outcome may be in the log too.
    fn write_once(&self, kept: &mut Option<Client>, turn: &mut usize, number: u64) -> bool {
        if kept.is_none() {
            let addresses = self.addresses.lock().unwrap().clone();
            let address = addresses[*turn % addresses.len()];
            *kept = address.and_then(|address| Client::connect(address, &self.token).ok());
        }
        let Some(client) = kept else {
            *turn += 1;
            return false;
        };
        let body = load::body(&format!("Location {number}")).to_string();
        match client.request("POST", "/locations", &[], &body) {
            Ok(reply) if reply.status == 201 => true,
            Ok(reply) if reply.status == 503 => false,
            Ok(reply) => panic!("a write was answered with {reply:?}"),
            Err(_) => {
                self.broken.fetch_add(1, Ordering::Relaxed);
                *kept = None;
                *turn += 1;
                false
            }
        }
    }
}
