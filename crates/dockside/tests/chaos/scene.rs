//! Where it happens: servers, a carrier of each mode with its ledger, and what the clients share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use tempfile::TempDir;

use crate::carrier::Carrier;
use crate::cluster::Cluster;
use crate::invariants;
use crate::journal::{self, Journal};
use crate::judge::{self, Verdict};
use crate::ledger::Ledger;
use crate::random::Random;
use crate::server::Server;
use crate::shop::create_account;
use crate::sql::Store;
use crate::way::{Counts, Way};

/// Milliseconds that a carrier takes for every answer.
const LATENCY_MS: &str = "10";
/// How long a server waits for a carrier.
pub const CALL: Duration = Duration::from_secs(2);
/// What does not come to an end in this time is stuck.
pub const STUCK: Duration = Duration::from_secs(150);
/// Lines of a log that are shown.
const WORDS_MAX: usize = 20;
const LOOK_EVERY: Duration = Duration::from_millis(700);

/// How likely each fault is.
pub struct Faults {
    pub names: Vec<&'static str>,
    pub slow: f64,
}

pub struct Scene {
    pub cluster: Cluster,
    /// One of each mode.
    pub carriers: Vec<Carrier>,
    pub store: Store,
    pub shared: Arc<Shared>,
    began: Instant,
    folder: TempDir,
}

/// What the threads share.
pub struct Shared {
    pub journal: Journal,
    pub store: Store,
    pub ledgers: Mutex<Vec<Ledger>>,
    pub requests: Arc<Counts>,
    /// Shipments that were made, and how many may be.
    pub made: AtomicUsize,
    pub allowed: AtomicUsize,
    /// How often a batch was bought once more, because something of it had failed.
    pub repeats: AtomicUsize,
    /// How often the database was looked at, and what was wrong there.
    pub looks: AtomicUsize,
    pub breaches: Mutex<Vec<String>>,
    /// Somebody gave up: there is nothing to wait for.
    pub is_broken: AtomicBool,
    /// No more batches are made.
    pub is_over: AtomicBool,
    /// Everything has come to an end.
    pub is_done: AtomicBool,
}

impl Shared {
    /// Reads on in the ledgers; tells how many charges there are.
    pub fn follow_ledgers(&self) -> usize {
        let mut ledgers = self.ledgers.lock().unwrap();
        ledgers.iter_mut().for_each(Ledger::follow);
        ledgers.iter().map(|ledger| ledger.charges).sum()
    }
}

impl Scene {
    /// Starts the servers of an engine, and carriers with these faults.
    pub fn start(engine: &str, faults: impl Fn(Mode) -> Faults, random: &mut Random) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Servers that share a database share their files.
        let place = folder.path().join("files").to_str().expect("a plain path").to_owned();
        let call = CALL.as_secs().to_string();
        let settings = [
            ("--outbound-allow", "127.0.0.0/8"),
            ("--carrier-seconds", &call),
            ("--purchase-wait-seconds", "2"),
            ("--files", &place),
        ];
        let settings: Vec<_> = settings.into_iter().flat_map(|(name, value)| [name, value]).collect();
        let cluster = Cluster::start_on(engine, &["--test"], &settings);
        let mut client = cluster.client(0);
        let (mut carriers, mut ledgers) = (Vec::new(), Vec::new());
        for mode in Mode::ALL {
            let (faults, seed) = (faults(mode), random.below(1 << 32));
            let more = ["--seed", &seed.to_string(), "--latency-ms", LATENCY_MS];
            let carrier = Carrier::start_with(mode, &faults.names, &more, random);
            create_account(&mut client, mode, Some(&carrier.url()));
            ledgers.push(Ledger::new(mode, carrier.ledger(), faults.slow, seed));
            carriers.push(carrier);
        }
        let (store, began) = (Store::of(&cluster), Instant::now());
        let shared = Shared {
            store: store.clone(),
            journal: Journal::new(&folder.path().join("journal.jsonl")),
            ledgers: Mutex::new(ledgers),
            requests: Arc::default(),
            made: AtomicUsize::default(),
            allowed: AtomicUsize::default(),
            repeats: AtomicUsize::default(),
            looks: AtomicUsize::default(),
            breaches: Mutex::default(),
            is_broken: AtomicBool::default(),
            is_over: AtomicBool::default(),
            is_done: AtomicBool::default(),
        };
        Self { cluster, carriers, store, shared: Arc::new(shared), began, folder }
    }

    pub fn way(&self, turn: usize) -> Way {
        Way::new(&self.cluster.token, &self.cluster.addresses, &self.shared.requests, turn)
    }

    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// The ends of the servers' logs but for requests, for whoever looks into a failure.
    pub fn last_words(&self) -> String {
        let of = |server: &Server| {
            let log = server.log();
            let lines: Vec<_> = log.lines().filter(|line| !line.contains("\"request\"")).collect();
            lines[lines.len().saturating_sub(WORDS_MAX)..].join("\n")
        };
        self.cluster.servers.iter().map(of).collect::<Vec<_>>().join("\n\n")
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("journal.jsonl")
    }

    /// Has no more faults befall anything, and counts those that did.
    pub fn heal(&mut self) {
        for (carrier, ledger) in self.carriers.iter_mut().zip(self.shared.ledgers.lock().unwrap().iter_mut())
        {
            carrier.heal();
            ledger.follow();
            ledger.heal();
        }
    }

    /// Waits until the database is at rest as it must be. What never is so is told.
    pub fn rest(&self) {
        let began = Instant::now();
        loop {
            let unrest = invariants::unrest(&self.store);
            if unrest.is_empty() {
                return;
            }
            assert!(began.elapsed() < STUCK, "{}", unrest.join("\n"));
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Judges what the ledgers, the journal and the database have now.
    pub fn judge(&self) -> Verdict {
        self.shared.follow_ledgers();
        let ledgers = self.shared.ledgers.lock().unwrap();
        let books: Vec<_> = ledgers.iter().map(|ledger| (ledger.mode, &ledger.book)).collect();
        Verdict::of(&journal::read(&self.journal()), &judge::look(&self.store), &books)
    }

    /// Looks at the database all the time, until everything is done.
    pub fn watch(&self) -> std::thread::JoinHandle<()> {
        let (shared, store) = (Arc::clone(&self.shared), self.store.clone());
        std::thread::spawn(move || {
            while !shared.is_done.load(Ordering::Relaxed) {
                shared.breaches.lock().unwrap().extend(invariants::breaches(&store));
                shared.looks.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(LOOK_EVERY);
            }
        })
    }

    /// Nothing is double, lost or wrong, and no rule was ever broken.
    pub fn acquit(&self, verdict: &Verdict) {
        let breaches = self.shared.breaches.lock().unwrap();
        assert!(breaches.is_empty(), "while it happened: {}", breaches.join("\n"));
        assert!(verdict.is_clean(), "{verdict:#?}");
    }
}
