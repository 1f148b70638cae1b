//! The environment of a chaos run: servers, a carrier of each mode with its ledger, and the state that threads share.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use serde_json::json;
use tempfile::TempDir;
use testkit::cluster::Cluster;
use testkit::easypost_recordings::KEY;
use testkit::random::Random;
use testkit::resources::create;
use testkit::sandbox_carrier::SandboxCarrier;
use testkit::server::{self, Server, token};
use testkit::shipments::create_account;

use crate::easypost::EasyPost;
use crate::failover_client::{Counts, FailoverClient};
use crate::invariants;
use crate::journal::{self, Journal};
use crate::judge::{self, Verdict};
use crate::ledger::Ledger;
use crate::quota::Quota;
use crate::source::EASYPOST;
use crate::sql::Store;

/// Milliseconds that a carrier takes for every answer.
const LATENCY_MS: &str = "10";
/// The same in runs that lose no answer: a server must not take an answer that a busy machine delays for a lost one.
pub const CALL_PATIENT: Duration = Duration::from_secs(60);
/// Work that has not ended after this time is stuck.
pub const STUCK: Duration = Duration::from_secs(150);
/// The first of the servers' settings that the program's commands do not accept.
const OUTBOUND: &str = "--outbound-allow";
/// How many lines of a server's log a failure shows.
const WORDS_MAX: usize = 20;
const LOOK_EVERY: Duration = Duration::from_millis(700);

/// The state of the purchases under way, for the log of a failure.
const UNDER_WAY: &str = "SELECT count(*) || ' ' || p.state || ' of ' || count(DISTINCT p.batch_id) || ' batches, held by '
        || CASE WHEN p.holder = '' THEN 'no node' ELSE CASE WHEN n.id IS NULL THEN 'a dead node' ELSE n.id END END
        || ', due ' || coalesce(CAST(min(p.due_at) AS TEXT), 'never') || ' to ' || coalesce(CAST(max(p.due_at) AS TEXT), 'never')
        || ', unknown since ' || coalesce(CAST(min(p.unknown_at) AS TEXT), 'never') || ', changed ' || min(p.updated_at)
        || ', fence ' || min(p.fence) || ' to ' || max(p.fence)
        || ', at most ' || max(p.failures) || ' failures, error ' || coalesce(min(p.error), 'none')
    FROM purchase p LEFT JOIN node n ON n.id = p.holder WHERE p.state <> 'bought' GROUP BY p.state, p.holder, n.id";

/// Where the servers have their data.
pub enum DataLocation<'a> {
    /// In a new database on an engine.
    Engine(&'a str),
    /// In the database at this address, of PostgreSQL servers that the test has started.
    Database(&'a str),
}

/// How likely each fault is.
pub struct Faults {
    pub names: Vec<&'static str>,
    pub slow: f64,
}

pub struct Environment {
    pub cluster: Cluster,
    /// One of each mode.
    pub carriers: Vec<SandboxCarrier>,
    pub live: Option<Live>,
    pub store: Store,
    pub shared: Arc<Shared>,
    began: Instant,
    folder: TempDir,
}

/// The live world, in which there is EasyPost. The sandbox carriers are in the test world.
pub struct Live {
    pub easypost: EasyPost,
    token: String,
}

/// What the threads share.
pub struct Shared {
    pub journal: Journal,
    pub store: Store,
    pub ledgers: Mutex<Vec<Ledger>>,
    /// Where the sandbox carriers are, by their modes.
    pub carriers: HashMap<&'static str, SocketAddr>,
    pub requests: Arc<Counts>,
    /// Shipments for the sandbox carriers, and for EasyPost.
    pub quota: Quota,
    pub easypost_quota: Quota,
    /// How often a batch was bought once more, because something of it had failed.
    pub repeats: AtomicUsize,
    /// How often the watcher checked the database, and the breaches that it found.
    pub looks: AtomicUsize,
    pub breaches: Mutex<Vec<String>>,
    /// A client thread has panicked, so the kills stop waiting for progress.
    pub is_broken: AtomicBool,
    /// No more batches are made.
    pub is_over: AtomicBool,
    /// All work has ended.
    pub is_done: AtomicBool,
}

impl Shared {
    /// The state of the purchases under way, for the log of a failure.
    pub fn under_way(&self) -> String {
        let rows = self.store.rows(&[UNDER_WAY]).remove(0);
        rows.into_iter().flatten().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Reads the new lines of the ledgers, and returns how many charges there are.
    pub fn follow_ledgers(&self) -> usize {
        let mut ledgers = self.ledgers.lock().unwrap();
        ledgers.iter_mut().for_each(Ledger::follow);
        ledgers.iter().map(|ledger| ledger.charges).sum()
    }

    /// How many charges EasyPost's ledger had when it was last read.
    pub fn easypost_charges(&self) -> usize {
        self.charges_of(EASYPOST)
    }

    /// Returns how many charges a carrier's ledger had when it was last read.
    pub fn charges_of(&self, carrier: &str) -> usize {
        let ledgers = self.ledgers.lock().unwrap();
        ledgers.iter().filter(|ledger| ledger.carrier == carrier).map(|ledger| ledger.charges).sum()
    }
}

impl Environment {
    /// Starts servers on an engine, which wait for a carrier for `call`, and carriers with these faults.
    pub fn start(engine: &str, call: Duration, faults: impl Fn(Mode) -> Faults, random: &mut Random) -> Self {
        Self::set(&DataLocation::Engine(engine), call, None, faults, random)
    }

    /// The same on any data location, with EasyPost beside the sandbox carriers.
    pub fn start_with_easypost(
        data_location: &DataLocation<'_>,
        call: Duration,
        faults: impl Fn(Mode) -> Faults,
        random: &mut Random,
    ) -> Self {
        let easypost = EasyPost::open(random);
        Self::set(data_location, call, Some(easypost), faults, random)
    }

    fn set(
        data_location: &DataLocation<'_>,
        call: Duration,
        easypost: Option<EasyPost>,
        faults: impl Fn(Mode) -> Faults,
        random: &mut Random,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Servers that share a database share their files.
        let place = folder.path().join("files").to_str().expect("a plain path").to_owned();
        let cluster = start_cluster(data_location, call, easypost.as_ref(), &place);
        let mut client = cluster.client(0);
        let (mut carriers, mut ledgers) = (Vec::new(), Vec::new());
        for mode in Mode::ALL {
            let (faults, seed) = (faults(mode), random.below(1 << 32));
            let more = ["--seed", &seed.to_string(), "--latency-ms", LATENCY_MS];
            let carrier = SandboxCarrier::start_with(mode, &faults.names, &more, random);
            create_account(&mut client, mode, Some(&carrier.url()));
            ledgers.push(Ledger::new(mode.as_str(), carrier.ledger(), faults.slow, seed));
            carriers.push(carrier);
        }
        let live = easypost.map(|easypost| Live::open(easypost, &cluster));
        ledgers.extend(live.iter().map(Live::ledger));
        let store = match data_location {
            DataLocation::Engine(_) => Store::of(&cluster),
            DataLocation::Database(url) => Store::Postgres((*url).to_owned()),
        };
        let began = Instant::now();
        let shared = Shared {
            store: store.clone(),
            journal: Journal::new(&folder.path().join("journal.jsonl")),
            ledgers: Mutex::new(ledgers),
            carriers: carriers.iter().map(address_of).collect(),
            requests: Arc::default(),
            quota: Quota::default(),
            easypost_quota: Quota::default(),
            repeats: AtomicUsize::default(),
            looks: AtomicUsize::default(),
            breaches: Mutex::default(),
            is_broken: AtomicBool::default(),
            is_over: AtomicBool::default(),
            is_done: AtomicBool::default(),
        };
        Self { cluster, carriers, live, store, shared: Arc::new(shared), began, folder }
    }

    pub fn client(&self, turn: usize) -> FailoverClient {
        FailoverClient::new(&self.cluster.token, &self.cluster.addresses, &self.shared.requests, turn)
    }

    /// The same in the live world.
    pub fn live_client(&self, turn: usize) -> FailoverClient {
        let token = &self.live.as_ref().expect("an environment with EasyPost").token;
        FailoverClient::new(token, &self.cluster.addresses, &self.shared.requests, turn)
    }

    pub fn easypost(&self) -> &EasyPost {
        &self.live.as_ref().expect("an environment with EasyPost").easypost
    }

    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Waits until a condition holds. On a timeout, panics with the purchases under way and the end of the servers' logs.
    pub fn wait(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let began = Instant::now();
        while !holds() {
            assert!(
                began.elapsed() < STUCK,
                "{what}: not within {STUCK:?}; under way: {}\n{}",
                self.shared.under_way(),
                self.last_log_lines()
            );
            std::thread::sleep(server::LOOK_EVERY);
        }
    }

    /// Returns the last lines of the servers' logs without those of requests, for the log of a failure.
    pub fn last_log_lines(&self) -> String {
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

    /// Ends the carriers' faults, and counts those that happened.
    pub fn heal(&mut self) {
        for (carrier, ledger) in self.carriers.iter_mut().zip(self.shared.ledgers.lock().unwrap().iter_mut())
        {
            carrier.heal();
            ledger.follow();
            ledger.heal();
        }
        if let Some(live) = &self.live {
            live.easypost.heal();
        }
    }

    /// Waits until the invariants of a database at rest hold. Panics with the breaches if they never do.
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

    /// Compares ledgers, journal and database as they are now.
    pub fn judge(&self) -> Verdict {
        self.shared.follow_ledgers();
        let ledgers = self.shared.ledgers.lock().unwrap();
        let books: Vec<_> = ledgers.iter().map(|ledger| (ledger.carrier, &ledger.accounts)).collect();
        Verdict::of(&journal::read(&self.journal()), &judge::look(&self.store), &books)
    }

    /// Starts a thread that checks the database's invariants until the run is done.
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

    /// Asserts that nothing is double, lost or wrong, and that no invariant was ever broken.
    pub fn acquit(&self, verdict: &Verdict) {
        let breaches = self.shared.breaches.lock().unwrap();
        assert!(breaches.is_empty(), "while it happened: {}", breaches.join("\n"));
        assert!(verdict.is_clean(), "{verdict:#?}");
    }
}

impl Live {
    /// Makes an account of EasyPost in the live world of the same organisation.
    fn open(easypost: EasyPost, cluster: &Cluster) -> Self {
        // The arguments that name the store: the command accepts no other settings of a server.
        let of_store = cluster.arguments.iter().map(String::as_str).take_while(|word| *word != OUTBOUND);
        let token = token(cluster.folders[0].path(), &of_store.collect::<Vec<_>>());
        let body = json!({
            "carrier": { "handle": EASYPOST },
            "name": EASYPOST,
            "handle": EASYPOST,
            "credentials": { "api_key": KEY },
        });
        create(&mut cluster.servers[0].client(&token), "/carrier_accounts", &body);
        Self { easypost, token }
    }

    fn ledger(&self) -> Ledger {
        Ledger::new(EASYPOST, self.easypost.ledger(), 0.0, 0)
    }
}

fn start_cluster(
    data_location: &DataLocation<'_>,
    call: Duration,
    easypost: Option<&EasyPost>,
    files: &str,
) -> Cluster {
    let call = call.as_secs().to_string();
    let url = easypost.map(|easypost| format!("{EASYPOST}={}", easypost.url()));
    let mut settings = vec![OUTBOUND, "127.0.0.0/8", "--carrier-seconds", &call];
    settings.extend(["--purchase-wait-seconds", "2", "--files", files]);
    settings.extend(url.iter().flat_map(|url| ["--carrier-urls", url]));
    match data_location {
        DataLocation::Engine(engine) => Cluster::start_on(engine, &["--test"], &settings),
        DataLocation::Database(url) => Cluster::start_at(Some(url), &["--test"], &settings),
    }
}

/// Returns the name of a carrier in the ledgers, and its address.
fn address_of(carrier: &SandboxCarrier) -> (&'static str, SocketAddr) {
    (carrier.mode.as_str(), carrier.address.parse().expect("an address"))
}
