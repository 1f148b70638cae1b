//! Load for the crash tests: threads that create locations without a pause and record every answer.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, Reply};
use crate::server::wait_until;

pub const CREATORS: usize = 16;
/// Tags of each location: rows of another table, so a half-written location would lack some.
pub const TAGS: [&str; 2] = ["crash", "load"];
/// The pause of a creator if the server refused it, or if no server listens.
const REST: Duration = Duration::from_millis(5);
/// How long a key may be in use by another transaction. The server ends a transaction much sooner.
const IN_PROGRESS_MAX: Duration = Duration::from_secs(60);

/// The load under way.
pub struct Load {
    shared: Arc<Shared>,
    creators: Vec<JoinHandle<Journal>>,
}

struct Shared {
    token: String,
    address: Mutex<Option<SocketAddr>>,
    has_changed: Condvar,
    acknowledged: AtomicU64,
    is_over: AtomicBool,
}

/// The answers that the creators got.
#[derive(Default)]
pub struct Journal {
    /// Bodies of 201, as they arrived.
    pub acknowledged: Vec<String>,
    /// Bodies of 201 to requests with an idempotency key, by name.
    pub keyed: Vec<(String, String)>,
    /// Names of requests without a key whose outcome is unknown.
    pub in_doubt: Vec<String>,
    /// Repeated requests with an unknown outcome that had been carried out, and that had not.
    pub repeated_found: u64,
    pub repeated_lost: u64,
    pub broken: u64,
    pub turned_away: u64,
    /// Requests that were refused because their key was in use: `idempotency_in_progress`.
    pub in_progress: u64,
    /// Answers that no client should ever see.
    pub wrong: Vec<String>,
}

/// A request to make a location.
struct Order {
    name: String,
    has_key: bool,
    is_repeated: bool,
    /// When the server first said that the key is in use.
    in_progress_since: Option<Instant>,
}

/// The body of the request for a location of this name.
pub fn body(name: &str) -> Value {
    json!({
        "name": name,
        "tags": TAGS,
        "address": {
            "address": {
                "line_1": format!("1 {name} Street"),
                "city": "Bristol",
                "post_code": "BS1 4DJ",
                "country_code": "GB",
            },
            "contact": {"company": format!("{name} Ltd")},
        },
    })
}

pub fn key(name: &str) -> String {
    format!("key-{name}")
}

impl Load {
    /// Starts creators on the server at this address.
    pub fn start(address: SocketAddr, token: &str) -> Self {
        let shared = Arc::new(Shared {
            token: token.to_owned(),
            address: Mutex::new(Some(address)),
            has_changed: Condvar::new(),
            acknowledged: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        });
        let creators = (0..CREATORS).map(|number| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || create(&shared, number))
        });
        Self { creators: creators.collect(), shared }
    }

    /// Tells the creators the address of the server, or `None` while it does not run.
    pub fn moved(&self, address: Option<SocketAddr>) {
        *self.shared.address.lock().unwrap() = address;
        self.shared.has_changed.notify_all();
    }

    pub fn acknowledged(&self) -> u64 {
        self.shared.acknowledged.load(Ordering::Relaxed)
    }

    /// Waits for so many more acknowledgements. Returns how long that took.
    pub fn wait_for(&self, more: u64, limit: Duration) -> Duration {
        let goal = self.acknowledged() + more;
        wait_until("locations are created", limit, || self.acknowledged() >= goal)
    }

    /// Ends the load after the creators have finished their current requests. The server must be running.
    pub fn finish(self) -> Journal {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.shared.has_changed.notify_all();
        let mut all = Journal::default();
        for creator in self.creators {
            let one = creator.join().expect("a creator that did not panic");
            all.acknowledged.extend(one.acknowledged);
            all.keyed.extend(one.keyed);
            all.in_doubt.extend(one.in_doubt);
            all.wrong.extend(one.wrong);
            all.repeated_found += one.repeated_found;
            all.repeated_lost += one.repeated_lost;
            all.broken += one.broken;
            all.turned_away += one.turned_away;
            all.in_progress += one.in_progress;
        }
        all
    }
}

fn create(shared: &Shared, creator: usize) -> Journal {
    let mut journal = Journal::default();
    let mut pending: Option<Order> = None;
    let mut number = 0;
    loop {
        let address = {
            let known = shared.address.lock().unwrap();
            *shared.has_changed.wait_while(known, |known| known.is_none()).unwrap()
        };
        let Some(mut client) = address.and_then(|address| Client::connect(address, &shared.token).ok())
        else {
            std::thread::sleep(REST);
            continue;
        };
        // Use the same connection for as long as it stays open.
        loop {
            let order = match pending.take() {
                Some(order) => order,
                None if shared.is_over.load(Ordering::Relaxed) => return journal,
                None => {
                    number += 1;
                    let name = format!("c{creator}-{number}");
                    Order { name, has_key: number % 2 == 0, is_repeated: false, in_progress_since: None }
                }
            };
            let key = key(&order.name);
            let headers: &[(&str, &str)] = if order.has_key { &[("Idempotency-Key", &key)] } else { &[] };
            let outcome = client.request("POST", "/locations", headers, &body(&order.name).to_string());
            let is_broken = outcome.is_err();
            pending = journal.note(order, outcome.ok(), &shared.acknowledged);
            if is_broken {
                break;
            }
        }
    }
}

impl Journal {
    /// Records how a request ended. Returns the request if it must be repeated.
    fn note(&mut self, mut order: Order, reply: Option<Reply>, acknowledged: &AtomicU64) -> Option<Order> {
        match reply {
            Some(reply) if reply.status == 201 => {
                acknowledged.fetch_add(1, Ordering::Relaxed);
                let was_done = reply.header("idempotent-replayed") == Some("true");
                self.repeated_found += u64::from(order.is_repeated && was_done);
                self.repeated_lost += u64::from(order.is_repeated && !was_done);
                if was_done && !order.is_repeated {
                    self.wrong
                        .push(format!("a first request was answered as a repeated one: {}", order.name));
                }
                if order.has_key {
                    self.keyed.push((order.name, reply.body.clone()));
                }
                self.acknowledged.push(reply.body);
                return None;
            }
            Some(reply) if reply.status == 503 && !reply.code().is_empty() => {
                self.check_retry_after(&reply);
                self.turned_away += 1;
                std::thread::sleep(REST);
            }
            // If the connection was lost, the first attempt may still be under way. A first request was refused in the
            // same way while PostgreSQL crashed: presumably the process of the first attempt ended without giving up its lock, and
            // the server repeated the transaction over a connection whose process still answered.
            Some(reply) if order.has_key && reply.code() == "idempotency_in_progress" => {
                self.check_retry_after(&reply);
                if order.in_progress_since.get_or_insert_with(Instant::now).elapsed() > IN_PROGRESS_MAX {
                    self.wrong.push(format!("{}: still in progress: {reply:?}", order.name));
                    return None;
                }
                self.in_progress += 1;
                std::thread::sleep(REST);
            }
            Some(reply) => {
                self.wrong.push(format!("{}: {reply:?}", order.name));
                return None;
            }
            None => self.broken += 1,
        }
        if order.has_key {
            return Some(Order { is_repeated: true, ..order });
        }
        self.in_doubt.push(order.name);
        None
    }

    /// An answer that tells the client to try again says when.
    fn check_retry_after(&mut self, reply: &Reply) {
        if reply.header("retry-after").is_none() {
            self.wrong.push(format!("{} without Retry-After: {reply:?}", reply.status));
        }
    }

    /// Counts the requests without a key and with an unknown outcome: how many of their names exist, and how many do not.
    pub fn resolve(&self, by_name: &BTreeMap<String, Value>) -> (usize, usize) {
        let found = self.in_doubt.iter().filter(|name| by_name.contains_key(*name)).count();
        (found, self.in_doubt.len() - found)
    }
}
