//! A long run: sixty-four clients compete for the same order's items and the same stock until nothing is left, then for the
//! next order's. They record the answers that they got, and go on when a server dies.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::client::{Client, Reply};
use testkit::cluster::{Addresses, Cluster};
use testkit::random::Random;

use crate::contended_stock::ContendedStock;
use crate::inventory::{allocated, allocations_path};
use crate::journal::{Doubt, Granted, Journal};

pub const CLIENTS: usize = 64;
/// Most of an item in one request.
const MOST: u64 = 3;
/// Longer than a server may take for a request: on a busy machine it answers 503 before a client gives up.
const ANSWER_TIME: Duration = Duration::from_secs(90);
/// The pause of a client if no server listens.
const REST: Duration = Duration::from_millis(5);

struct Shared {
    contended: ContendedStock,
    token: String,
    addresses: Addresses,
    acknowledged: Mutex<u64>,
    /// Notified of each acknowledgement.
    is_acknowledged: Condvar,
    /// The order that the most advanced client works on.
    front: AtomicU64,
    is_over: AtomicBool,
}

impl Shared {
    fn note_acknowledged(&self) {
        *self.acknowledged.lock().unwrap() += 1;
        self.is_acknowledged.notify_all();
    }
}

pub struct ContentionRun {
    shared: Arc<Shared>,
    clients: Vec<JoinHandle<Journal>>,
    watcher: JoinHandle<Journal>,
}

impl ContentionRun {
    pub fn start(cluster: &Cluster, contended: ContendedStock, random: &mut Random) -> Self {
        let shared = Arc::new(Shared {
            contended,
            token: cluster.token.clone(),
            addresses: Arc::clone(&cluster.addresses),
            acknowledged: Mutex::new(0),
            is_acknowledged: Condvar::new(),
            front: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        });
        let watched = Arc::clone(&shared);
        let clients = (0..CLIENTS).map(|number| {
            let (shared, random) = (Arc::clone(&shared), Random(random.below(u64::MAX)));
            std::thread::spawn(move || AllocationClient::new(&shared, number, random).allocate_all())
        });
        let clients = clients.collect();
        let watcher = std::thread::spawn(move || AllocationClient::new(&watched, CLIENTS, Random(0)).watch());
        Self { shared, clients, watcher }
    }

    /// Waits for so many more acknowledgements, and returns at the moment of the last one.
    pub fn wait_for(&self, more: u64, limit: Duration) {
        let known = self.shared.acknowledged.lock().unwrap();
        let goal = *known + more;
        let waited = self.shared.is_acknowledged.wait_timeout_while(known, limit, |known| *known < goal);
        assert!(!waited.unwrap().1.timed_out(), "the run goes on: not within {limit:?}");
    }

    /// Ends the run after the clients have finished their current requests.
    pub fn finish(self) -> (ContendedStock, Journal) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.finish_all()
    }

    /// Waits until nothing is left of any order.
    pub fn finish_all(self) -> (ContendedStock, Journal) {
        let mut all = Journal::default();
        for client in self.clients {
            all.add(client.join().expect("a client that did not panic"));
        }
        self.shared.is_over.store(true, Ordering::Relaxed);
        all.add(self.watcher.join().expect("a watcher that did not panic"));
        let shared = Arc::into_inner(self.shared).expect("all threads have ended");
        (shared.contended, all)
    }
}

struct AllocationClient<'a> {
    shared: &'a Shared,
    number: usize,
    random: Random,
    client: Option<Client>,
    /// The server that it connects to next.
    node: usize,
    journal: Journal,
}

impl<'a> AllocationClient<'a> {
    fn new(shared: &'a Shared, number: usize, random: Random) -> Self {
        Self { shared, number, random, client: None, node: number, journal: Journal::default() }
    }

    fn is_over(&self) -> bool {
        self.shared.is_over.load(Ordering::Relaxed)
    }

    fn allocate_all(mut self) -> Journal {
        for order in 0..self.shared.contended.orders.len() {
            self.shared.front.fetch_max(order as u64, Ordering::Relaxed);
            let mut is_spent = [false; 2];
            while is_spent != [true; 2] {
                if self.is_over() {
                    return self.journal;
                }
                self.turn(order, &mut is_spent);
            }
            self.journal.exhausted.insert(order);
        }
        self.journal
    }

    /// Allocates a little of the order and, half the time, completes it at once.
    fn turn(&mut self, order: usize, is_spent: &mut [bool; 2]) {
        let amounts = self.amounts(is_spent);
        let Some(reply) = self.allocate(order, amounts) else { return };
        match (reply.status, reply.code().as_str()) {
            (201, _) => {
                self.shared.note_acknowledged();
                let ids = self.note_granted(order, &reply);
                if self.random.below(2) == 0 {
                    self.complete(order, ids);
                }
            }
            (409, "exceeds_reservation") => {
                self.journal.refused += 1;
                // A request for a single unit was refused, so nothing is left of that item.
                for (is_spent, amount) in is_spent.iter_mut().zip(amounts) {
                    *is_spent |= amount == 1 && amounts.iter().sum::<i64>() == 1;
                }
            }
            _ => self.journal.wrong.push(format!("{amounts:?}: {reply:?}")),
        }
    }

    /// Returns the quantity to request of each item: often a single unit of one, to reach the last units.
    fn amounts(&mut self, is_spent: &[bool; 2]) -> [i64; 2] {
        let first = self.random.below(2) as usize;
        let single = if is_spent[first] { 1 - first } else { first };
        let mut amounts = [0; 2];
        if self.random.below(2) == 0 && !is_spent.contains(&true) {
            amounts = [0; 2].map(|_: i64| self.random.below(MOST + 1) as i64);
        }
        amounts[single] = amounts[single].max(1);
        amounts
    }

    /// Allocates items, in either order. Half of the requests have an idempotency key, so that they can be repeated.
    fn allocate(&mut self, order: usize, amounts: [i64; 2]) -> Option<Reply> {
        let contended = &self.shared.contended;
        let mut entries: Vec<Value> = (0..2)
            .filter(|place| amounts[*place] > 0)
            .map(|place| {
                let item = json!({ "id": contended.items[order + place], "quantity": amounts[place] });
                json!({ "location": { "id": contended.location }, "items": [item] })
            })
            .collect();
        self.shuffle(&mut entries);
        self.journal.requests += 1;
        let key = (self.random.below(2) == 0).then(|| format!("{}-{}", self.number, self.journal.requests));
        let body = json!({ "allocations": entries });
        let path = allocations_path(&contended.orders[order]);
        let reply = self.send("POST", &path, &body, key.as_deref(), key.is_some());
        if reply.is_none() {
            self.journal.in_doubt.push(Doubt { order, amounts });
        }
        reply
    }

    fn note_granted(&mut self, order: usize, reply: &Reply) -> Vec<String> {
        for allocation in reply.json()["data"].as_array().expect("a list") {
            self.journal.granted.push(Granted::read(order, allocation));
        }
        allocated(reply)
    }

    /// Completes allocations. Completing is idempotent, so the request is repeated until there is an answer.
    fn complete(&mut self, order: usize, ids: Vec<String>) {
        let mut entries: Vec<_> = ids.iter().map(|id| json!({ "id": id, "completed": true })).collect();
        self.shuffle(&mut entries);
        self.journal.requests += 1;
        let path = allocations_path(&self.shared.contended.orders[order]);
        let reply = self.send("PATCH", &path, &json!({ "allocations": entries }), None, true);
        let Some(reply) = reply else { return };
        match (reply.status, reply.code().as_str()) {
            (200, _) => {
                self.shared.note_acknowledged();
                self.journal.completed.extend(ids);
            }
            (409, "insufficient_stock") => self.journal.short += 1,
            _ => self.journal.wrong.push(format!("completing {ids:?}: {reply:?}")),
        }
    }

    /// Checks during the run that no reservation is exceeded and that the audit is clean.
    fn watch(mut self) -> Journal {
        while !self.is_over() {
            let front = self.shared.front.load(Ordering::Relaxed) as usize;
            let path = format!("/reservations?order_id={}", self.shared.contended.orders[front]);
            if let Some(reply) = self.send("GET", &path, &Value::Null, None, true) {
                self.journal.note_reservation(&reply);
            }
            if let Some(reply) = self.send("GET", "/inventory/audit", &Value::Null, None, true) {
                self.journal.note_audit(&reply);
            }
        }
        self.journal
    }

    /// Sends a request to a running server, and sends it again while the server answers that it has no room for it. Returns
    /// `None` if the answer is lost and the request may not be repeated.
    fn send(
        &mut self,
        method: &str,
        path: &str,
        body: &Value,
        key: Option<&str>,
        may_repeat: bool,
    ) -> Option<Reply> {
        let mut headers = Vec::new();
        if method == "PATCH" {
            headers.push(("Content-Type", "application/json"));
        }
        headers.extend(key.map(|key| ("Idempotency-Key", key)));
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let mut is_repeated = false;
        loop {
            let Some(client) = self.connected() else {
                std::thread::sleep(REST);
                continue;
            };
            match client.request(method, path, &headers, &text) {
                // If only the connection was lost, the first attempt may still be under way.
                Ok(reply) if is_repeated && reply.code() == "idempotency_in_progress" => {
                    std::thread::sleep(REST)
                }
                // The server had no room for the request (`overloaded`), or the database did not answer in time. In the
                // second case the change may have been committed.
                Ok(reply) if reply.status == 503 => {
                    self.journal.turned_away += 1;
                    if reply.code() != "overloaded" && !may_repeat {
                        return None;
                    }
                    is_repeated = true;
                    std::thread::sleep(REST);
                }
                Ok(reply) => return Some(reply),
                Err(_) => {
                    self.client = None;
                    self.journal.broken += 1;
                    if !may_repeat {
                        return None;
                    }
                    is_repeated = true;
                }
            }
        }
    }

    fn connected(&mut self) -> Option<&mut Client> {
        if self.client.is_none() {
            let addresses = self.shared.addresses.lock().unwrap().clone();
            let address = addresses[self.node % addresses.len()];
            self.node += 1;
            let connect = |address| Client::connect(address, &self.shared.token)?.waiting_for(ANSWER_TIME);
            self.client = address.and_then(|address| connect(address).ok());
        }
        self.client.as_mut()
    }

    fn shuffle(&mut self, entries: &mut [Value]) {
        if self.random.below(2) == 0 {
            entries.reverse();
        }
    }
}
