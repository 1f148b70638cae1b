//! Clients that buy: they wait for the outcome or don't, repeat requests, and send two at once. If a server dies, they go
//! to another one or wait for its restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use carriers::sandbox::Mode;
use testkit::client::{Client, Reply};
use testkit::cluster::{Addresses, Cluster};
use testkit::random::Random;
use testkit::shipments::buy;

const BUYERS: usize = 8;
/// The pause of a buyer if no server listens, or the server refused.
const REST: Duration = Duration::from_millis(5);

/// How a shipment is bought.
#[derive(Clone, Copy, Debug)]
pub enum Style {
    /// By one request, which waits.
    Once,
    /// By one request that does not wait.
    Async,
    /// By three requests, one after the other.
    Again,
    /// By two requests at once, through two servers if there are two.
    Rivals,
}

pub struct PurchaseRequest {
    pub shipment: String,
    pub mode: Mode,
    pub style: Style,
}

impl PurchaseRequest {
    pub fn new(shipment: String, mode: Mode, random: &mut Random) -> Self {
        let styles = [Style::Once, Style::Once, Style::Async, Style::Again, Style::Rivals];
        Self { shipment, mode, style: styles[random.below(styles.len() as u64) as usize] }
    }
}

pub struct Buyers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    token: String,
    addresses: Addresses,
    wanted: Vec<PurchaseRequest>,
    next: AtomicUsize,
    /// Purchase requests from this number on must wait, so that the kills keep up with them.
    allowed: AtomicUsize,
    answered: AtomicUsize,
    requests: AtomicU64,
    broken: AtomicU64,
}

impl Buyers {
    pub fn start(cluster: &Cluster, wanted: Vec<PurchaseRequest>) -> Self {
        let shared = Arc::new(Shared {
            token: cluster.token.clone(),
            addresses: Arc::clone(&cluster.addresses),
            wanted,
            next: AtomicUsize::new(0),
            allowed: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            requests: AtomicU64::new(0),
            broken: AtomicU64::new(0),
        });
        let threads = (0..BUYERS).map(|number| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.run(number))
        });
        Self { threads: threads.collect(), shared }
    }

    /// Lets the buyers go on to this number of requests.
    pub fn allow(&self, count: usize) {
        self.shared.allowed.store(count, Ordering::Relaxed);
    }

    /// Returns how many purchase requests got all of their answers.
    pub fn answered(&self) -> usize {
        self.shared.answered.load(Ordering::Relaxed)
    }

    /// Waits for the last answer. Returns how many HTTP requests there were, and how many answers were lost. All servers must
    /// be running.
    pub fn finish(self) -> (u64, u64) {
        for thread in self.threads {
            thread.join().expect("a buyer that did not panic");
        }
        (self.shared.requests.load(Ordering::Relaxed), self.shared.broken.load(Ordering::Relaxed))
    }
}

impl Shared {
    fn run(&self, buyer: usize) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(wanted) = self.wanted.get(number) else { return };
            while self.allowed.load(Ordering::Relaxed) <= number {
                std::thread::sleep(REST);
            }
            match wanted.style {
                Style::Once => self.insist(wanted, "", buyer),
                Style::Async => self.insist(wanted, "respond-async", buyer),
                Style::Again => {
                    for (place, prefer) in ["respond-async", "wait=1", ""].into_iter().enumerate() {
                        self.insist(wanted, prefer, buyer + place);
                    }
                }
                Style::Rivals => std::thread::scope(|scope| {
                    scope.spawn(|| self.insist(wanted, "", buyer));
                    scope.spawn(|| self.insist(wanted, "wait=1", buyer + 1));
                }),
            }
            self.answered.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends the request until there is an answer, each time to the next server.
    fn insist(&self, wanted: &PurchaseRequest, prefer: &str, first: usize) {
        for turn in first.. {
            if let Some(mut client) = self.connect(turn) {
                self.requests.fetch_add(1, Ordering::Relaxed);
                match buy(&mut client, &wanted.shipment, wanted.mode, prefer) {
                    Ok(reply) if is_answer(&reply) => return,
                    Ok(_) => {}
                    Err(_) => {
                        self.broken.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
            std::thread::sleep(REST);
        }
    }

    fn connect(&self, turn: usize) -> Option<Client> {
        let addresses = self.addresses.lock().unwrap().clone();
        let there: Vec<_> = addresses.into_iter().flatten().collect();
        let address = there.get(turn % there.len().max(1))?;
        Client::connect(*address, &self.token).ok()
    }
}

/// Returns whether the reply tells the outcome. A server that is busy or stopping answers 503.
fn is_answer(reply: &Reply) -> bool {
    match reply.status {
        200 | 202 => true,
        503 => false,
        _ => panic!("a purchase was answered with {reply:?}"),
    }
}
