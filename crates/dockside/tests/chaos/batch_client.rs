//! Clients that ship: they make shipments and batches, buy them in several ways, poll them until they are bought, and buy
//! again what failed. They write the servers' answers into the journal.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use serde_json::Value;
use testkit::client::Reply;
use testkit::random::Random;
use testkit::resources::id;

use crate::environment::{STUCK, Shared};
use crate::failover_client::FailoverClient;
use crate::journal::Word;
use crate::quota::Quota;
use crate::source::Source;

/// Batches that one client follows at once.
const PENDING_MAX: usize = 4;
/// Shipments of a batch: from the first to below the second.
const SIZE: (u64, u64) = (5, 45);
const LOOK_EVERY: Duration = Duration::from_millis(150);
/// The pause before a client buys again what failed.
const REPEAT_REST: Duration = Duration::from_millis(300);
const POST_CODE: &str = "BS1 4DJ";

/// A batch that is not bought yet.
pub struct Pending {
    batch: String,
    purchased: i64,
    status: String,
    moved_at: Instant,
    looked_at: Instant,
}

pub struct BatchClient {
    pub shared: Arc<Shared>,
    pub client: FailoverClient,
    pub random: Random,
    /// The prefix of its idempotency keys, so that it can repeat a request.
    pub name: String,
    /// The carriers that it buys from, in turn.
    sources: Vec<Source>,
    made: usize,
}

impl BatchClient {
    pub fn new(shared: &Arc<Shared>, client: FailoverClient, name: String, random: Random) -> Self {
        let sources = Mode::ALL.map(Source::Sandbox).to_vec();
        Self { shared: Arc::clone(shared), client, random, name, sources, made: 0 }
    }

    /// Makes it buy from this carrier only.
    pub fn loyal_to(mut self, source: Source) -> Self {
        self.sources = vec![source];
        self
    }

    fn quota(&self, source: &Source) -> &Quota {
        match source {
            Source::Sandbox(_) => &self.shared.quota,
            Source::EasyPost(_) => &self.shared.easypost_quota,
        }
    }

    /// Makes and buys batches until `is_over`, and then waits until all of its batches are bought.
    pub fn run(mut self, first: usize) {
        let mut pending: Vec<Pending> = Vec::new();
        for turn in first.. {
            let is_over = self.shared.is_over.load(Ordering::Relaxed);
            if is_over && pending.is_empty() {
                return;
            }
            let source = self.sources[turn % self.sources.len()].clone();
            if !is_over && self.quota(&source).is_open() && pending.len() < PENDING_MAX {
                let size = SIZE.0 + self.random.below(SIZE.1 - SIZE.0);
                let batch = self.make(source, size as usize);
                self.buy(&batch);
                pending.push(Pending::new(batch));
            } else {
                std::thread::sleep(LOOK_EVERY);
            }
            pending.retain_mut(|batch| !self.follow(batch));
        }
    }

    /// Makes a batch of new shipments.
    pub fn make(&mut self, source: impl Into<Source>, size: usize) -> String {
        self.make_to(POST_CODE, source, size)
    }

    /// Makes a batch of new shipments to a post code, or to a word of the sandbox carrier.
    pub fn make_to(&mut self, post_code: &str, source: impl Into<Source>, size: usize) -> String {
        let source = source.into();
        let shipments: Vec<String> = (0..size)
            .map(|_| {
                let shipment = self.create("/shipments", &source.shipment_body(post_code));
                self.shared.journal.note(&Word::Made { shipment: shipment.clone() });
                shipment
            })
            .collect();
        let batch = self.create("/batches", &source.batch_body(&shipments));
        self.quota(&source).note(size);
        self.shared.journal.note(&Word::Batch {
            batch: batch.clone(),
            mode: source.handle().to_owned(),
            shipments,
        });
        batch
    }

    fn create(&mut self, path: &str, body: &Value) -> String {
        self.made += 1;
        let key = format!("{}-{}", self.name, self.made);
        let reply = self.client.insist("POST", path, &[("Idempotency-Key", &key)], &body.to_string());
        assert_eq!(reply.status, 201, "{path}: {reply:?}");
        id(&reply.json())
    }

    /// Requests the purchase of a batch without waiting for it.
    pub fn begin(&mut self, batch: &str) {
        let reply = purchase(&mut self.client, batch, "respond-async");
        self.accepted(batch, &reply);
    }

    /// Requests the purchase of a batch: by a request that waits, by one that does not, or by two at once.
    pub fn buy(&mut self, batch: &str) {
        match self.random.below(4) {
            0 => {
                let reply = purchase(&mut self.client, batch, "wait=1");
                self.accepted(batch, &reply);
            }
            1 => {
                let mut beside = self.client.beside();
                let replies = std::thread::scope(|scope| {
                    let rival = scope.spawn(|| purchase(&mut beside, batch, "respond-async"));
                    let reply = purchase(&mut self.client, batch, "respond-async");
                    [reply, rival.join().expect("a client that did not panic")]
                });
                replies.iter().for_each(|reply| self.accepted(batch, reply));
            }
            _ => self.begin(batch),
        }
    }

    fn accepted(&self, batch: &str, reply: &Reply) {
        assert!(matches!(reply.status, 200 | 202), "{batch}: {reply:?}");
        self.shared.journal.note(&Word::Accepted { batch: batch.to_owned(), status: reply.status });
    }

    /// Reads a batch, and buys it again if something of it failed. Returns whether all of it is bought.
    pub fn follow(&mut self, pending: &mut Pending) -> bool {
        if pending.looked_at.elapsed() < LOOK_EVERY {
            return false;
        }
        pending.looked_at = Instant::now();
        let batch = self.client.get(&format!("/batches/{}", pending.batch));
        let status = batch["status"].as_str().expect("a status").to_owned();
        let purchased = batch["purchased_count"].as_i64().expect("a count");
        if (pending.purchased, &pending.status) != (purchased, &status) {
            pending.moved_at = Instant::now();
            (pending.purchased, pending.status) = (purchased, status.clone());
            let word = Word::Progress { batch: pending.batch.clone(), status: status.clone(), purchased };
            self.shared.journal.note(&word);
        }
        if pending.moved_at.elapsed() >= STUCK {
            let under_way = self.shared.under_way();
            panic!("{} is stuck, {purchased} bought; in all: {under_way}", pending.batch);
        }
        match status.as_str() {
            "purchasing" => false,
            "purchased" => {
                self.note_purchased(&pending.batch);
                true
            }
            "partially_purchased" | "purchase_failed" => {
                pending.looked_at += REPEAT_REST;
                self.repeat(&pending.batch);
                false
            }
            _ => panic!("it was bought, and is {batch}"),
        }
    }

    fn members(&mut self, batch: &str) -> Vec<Value> {
        self.client.list(&format!("/batches/{batch}/shipments"))
    }

    /// Writes the shipments of a bought batch into the journal.
    pub fn note_purchased(&mut self, batch: &str) {
        for shipment in self.members(batch) {
            let number = shipment["tracking_number"].as_str().unwrap_or_default().to_owned();
            self.shared.journal.note(&Word::Purchased { shipment: id(&shipment), number });
        }
    }

    /// Buys the rest, unless all of it waits for a review.
    fn repeat(&mut self, batch: &str) {
        let is_open = |shipment: &Value| {
            matches!(shipment["status"].as_str(), Some("draft" | "rated" | "purchase_failed"))
        };
        if self.members(batch).iter().any(is_open) {
            self.shared.repeats.fetch_add(1, Ordering::Relaxed);
            self.buy(batch);
        }
    }
}

impl Drop for BatchClient {
    fn drop(&mut self) {
        self.shared.is_broken.fetch_or(std::thread::panicking(), Ordering::Relaxed);
    }
}

impl Pending {
    pub fn new(batch: String) -> Self {
        let now = Instant::now();
        Self { batch, purchased: 0, status: String::new(), moved_at: now, looked_at: now }
    }
}

fn purchase(client: &mut FailoverClient, batch: &str, prefer: &str) -> Reply {
    client.insist("POST", &format!("/batches/{batch}/purchase"), &[("Prefer", prefer)], "")
}
