//! A client that uses any running server. If its server dies, it connects to another or waits for a restart. It repeats the
//! request with the same idempotency key, so that the change is made once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::client::{Client, Reply};
use testkit::cluster::Addresses;

/// The pause before a repetition, if no server listens or the server refused.
const REST: Duration = Duration::from_millis(5);
/// A request that has no answer after this time is stuck.
const STUCK: Duration = Duration::from_secs(150);

pub struct FailoverClient {
    token: String,
    addresses: Addresses,
    counts: Arc<Counts>,
    client: Option<Client>,
    turn: usize,
}

#[derive(Default)]
pub struct Counts {
    pub requests: AtomicU64,
    /// Answers that were lost.
    pub broken: AtomicU64,
}

impl FailoverClient {
    pub fn new(token: &str, addresses: &Addresses, counts: &Arc<Counts>, turn: usize) -> Self {
        let (addresses, counts) = (Arc::clone(addresses), Arc::clone(counts));
        Self { token: token.to_owned(), addresses, counts, client: None, turn }
    }

    /// Returns another client that begins at the next server.
    pub fn beside(&self) -> Self {
        Self::new(&self.token, &self.addresses, &self.counts, self.turn + 1)
    }

    pub fn get(&mut self, path: &str) -> Value {
        let reply = self.insist("GET", path, &[], "");
        assert_eq!(reply.status, 200, "GET {path}: {reply:?}");
        reply.json()
    }

    /// Returns all pages of a list.
    pub fn list(&mut self, path: &str) -> Vec<Value> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let first = format!("{path}{joint}limit=100");
        let (mut all, mut page_path) = (Vec::new(), first.clone());
        loop {
            let page = self.get(&page_path);
            all.extend(page["data"].as_array().expect("a list").iter().cloned());
            let Some(cursor) = page["next_cursor"].as_str() else { return all };
            page_path = format!("{first}&cursor={cursor}");
        }
    }

    /// Repeats the request until an answer tells its outcome.
    pub fn insist(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let began = Instant::now();
        loop {
            assert!(began.elapsed() < STUCK, "{method} {path} was not answered");
            if let Some(reply) = self.ask(method, path, headers, body) {
                return reply;
            }
            self.turn += 1;
            std::thread::sleep(REST);
        }
    }

    fn ask(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Option<Reply> {
        let mut client = match self.client.take() {
            Some(client) => client,
            None => self.connect()?,
        };
        self.counts.requests.fetch_add(1, Ordering::Relaxed);
        match client.request(method, path, headers, body) {
            // The server is too busy or stops, or an earlier attempt of this request is still under way.
            Ok(reply) if reply.status == 503 || reply.code() == "idempotency_in_progress" => None,
            Ok(reply) => {
                self.client = Some(client);
                Some(reply)
            }
            Err(_) => {
                self.counts.broken.fetch_add(1, Ordering::Relaxed);
                None
            }
        }
    }

    fn connect(&self) -> Option<Client> {
        let addresses = self.addresses.lock().unwrap().clone();
        let there: Vec<_> = addresses.into_iter().flatten().collect();
        let address = there.get(self.turn % there.len().max(1))?;
        Client::connect(*address, &self.token).ok()
    }
}
