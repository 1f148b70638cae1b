//! Clients that write events: they create a location, then change it, at a steady pace. If a server dies, they go on at
//! another one or wait for its restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::client::{Client, Reply};
use testkit::cluster::{Addresses, Cluster};
use testkit::load;
use testkit::resources::id;

const WRITERS: usize = 8;
/// Writes in a second, of all writers together: 20,000 take 40 s, and a debug build on two cores keeps up with them.
const WRITES_PER_SECOND: f64 = 500.0;
/// The pause of a writer if no server listens, the server refused, or its next write is not due yet.
const REST: Duration = Duration::from_millis(2);

pub struct Writers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Journal>>,
}

struct Shared {
    token: String,
    addresses: Addresses,
    began: Instant,
    total: u64,
    /// The number of the next write.
    next: AtomicU64,
    /// Writes from this number on must wait, so that the kills keep up with them.
    allowed: AtomicU64,
    acknowledged: AtomicU64,
}

/// The answers that the writers got.
#[derive(Default)]
pub struct Journal {
    /// The type of the event that each acknowledged write must have left, and the location's id.
    pub acknowledged: Vec<(&'static str, String)>,
    pub broken: u64,
    pub turned_away: u64,
}

impl Writers {
    /// Starts writing so many times.
    pub fn start(cluster: &Cluster, total: u64) -> Self {
        let shared = Arc::new(Shared {
            token: cluster.token.clone(),
            addresses: Arc::clone(&cluster.addresses),
            began: Instant::now(),
            total,
            next: AtomicU64::new(0),
            allowed: AtomicU64::new(0),
            acknowledged: AtomicU64::new(0),
        });
        let threads = (0..WRITERS).map(|number| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || Writer::new(&shared, number).run())
        });
        Self { threads: threads.collect(), shared }
    }

    /// Lets the writers go on to this number of writes.
    pub fn allow(&self, count: u64) {
        self.shared.allowed.store(count, Ordering::Relaxed);
    }

    pub fn acknowledged(&self) -> u64 {
        self.shared.acknowledged.load(Ordering::Relaxed)
    }

    /// Waits for the last write. All servers must be running.
    pub fn finish(self) -> Journal {
        let mut all = Journal::default();
        for thread in self.threads {
            let one = thread.join().expect("a writer that did not panic");
            all.acknowledged.extend(one.acknowledged);
            all.broken += one.broken;
            all.turned_away += one.turned_away;
        }
        all
    }
}

struct Writer<'a> {
    shared: &'a Shared,
    number: usize,
    /// Requests sent so far, so that each one asks for something new.
    sent: u64,
    client: Option<Client>,
    /// The location created last, until it is changed.
    location: Option<String>,
    journal: Journal,
}

impl<'a> Writer<'a> {
    fn new(shared: &'a Shared, number: usize) -> Self {
        Self { shared, number, sent: 0, client: None, location: None, journal: Journal::default() }
    }

    fn run(mut self) -> Journal {
        loop {
            let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.shared.total {
                return self.journal;
            }
            let due = Duration::from_secs_f64(number as f64 / WRITES_PER_SECOND);
            while self.shared.began.elapsed() < due || self.shared.allowed.load(Ordering::Relaxed) <= number {
                std::thread::sleep(REST);
            }
            while !self.write() {
                std::thread::sleep(REST);
            }
            self.shared.acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Tries one write, and returns whether it was acknowledged. A write with an unknown outcome may be in the log too.
    fn write(&mut self) -> bool {
        let Some(mut client) = self.client.take().or_else(|| self.connect()) else { return false };
        self.sent += 1;
        let name = format!("w{}-{}", self.number, self.sent);
        let outcome = match &self.location {
            None => client.request("POST", "/locations", &[], &load::body(&name).to_string()),
            Some(location) => {
                let headers = [("Content-Type", "application/json")];
                let path = format!("/locations/{location}");
                client.request("PATCH", &path, &headers, &json!({ "name": name }).to_string())
            }
        };
        let Ok(reply) = outcome else {
            self.journal.broken += 1;
            return false;
        };
        self.client = Some(client);
        self.note(&reply)
    }

    fn note(&mut self, reply: &Reply) -> bool {
        let r#type = match reply.status {
            201 => "location.created",
            200 => "location.updated",
            503 => {
                self.journal.turned_away += 1;
                return false;
            }
            _ => panic!("a write was answered with {reply:?}"),
        };
        let location = id(&reply.json());
        self.location = (reply.status == 201).then(|| location.clone());
        self.journal.acknowledged.push((r#type, location));
        true
    }

    /// Returns a connection to a running server, each time to the next one.
    fn connect(&self) -> Option<Client> {
        let addresses = self.shared.addresses.lock().unwrap().clone();
        let there: Vec<_> = addresses.into_iter().flatten().collect();
        let turn = self.number + self.journal.broken as usize;
        let address = there.get(turn % there.len().max(1))?;
        Client::connect(*address, &self.shared.token).ok()
    }
}
