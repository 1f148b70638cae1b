//! Another organisation that goes on working during an attack: its requests are timed, and the server's memory is watched.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use testkit::client::Client;

use crate::process_metrics::resident_kib;

/// Between two requests.
const PAUSE: Duration = Duration::from_millis(2);
/// Most memory that an attack may take, in KiB.
const ATTACK_KIB_MAX: u64 = 64 * 1024;
/// How often an attack is repeated at most, until its times are within the limit.
const ATTEMPTS: usize = 3;
/// How many times longer the slowest hundredth of requests may take during an attack.
const SLOWER_MAX: u32 = 3;
/// How many times longer the median request of an organisation must take behind its own flood than that of another organisation.
const BEHIND_MIN: u32 = 2;
/// Requests of which a median says something.
const MEDIAN_REQUESTS_MIN: usize = 20;
/// A time that counts as quick on a machine that does other things too: less is not held to the factor.
const QUICK: Duration = Duration::from_millis(25);

pub struct Neighbour {
    is_over: Arc<AtomicBool>,
    requests: Arc<AtomicUsize>,
    thread: JoinHandle<Figures>,
}

/// What the requests and the memory were like.
pub struct Figures {
    times: Vec<Duration>,
    kib_before: u64,
    kib_peak: u64,
}

impl Neighbour {
    pub fn start(address: SocketAddr, token: &str, process: u32) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let requests = Arc::new(AtomicUsize::new(0));
        let (over, count, token) = (Arc::clone(&is_over), Arc::clone(&requests), token.to_owned());
        let kib_before = resident_kib(process);
        let thread = std::thread::spawn(move || {
            let mut figures = Figures { times: Vec::new(), kib_before, kib_peak: kib_before };
            let mut client = Client::connect(address, &token).expect("a server that listens");
            while !over.load(Ordering::Relaxed) {
                let began = Instant::now();
                let reply = client.get("/locations");
                figures.times.push(began.elapsed());
                count.fetch_add(1, Ordering::Relaxed);
                assert_eq!(reply.status, 200, "another organisation suffers: {reply:?}");
                figures.kib_peak = figures.kib_peak.max(resident_kib(process));
                std::thread::sleep(PAUSE);
            }
            figures
        });
        Self { is_over, requests, thread }
    }

    /// Returns how many requests were answered.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    pub fn finish(self) -> Figures {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("every request was answered with 200")
    }
}

/// The other organisation's requests took longer during the attack than they may.
pub struct TooSlow(String);

impl TooSlow {
    pub fn new(times: String) -> Self {
        Self(times)
    }
}

/// Runs an attack, and runs it again if the other organisation's requests took too long, because a machine that others use
/// can be slow for a while. A server that the attack itself slows down fails every attempt.
pub fn attempts(attack: impl Fn() -> Result<(), TooSlow>) {
    let failures: Vec<_> = (0..ATTEMPTS).map_while(|_| attack().err()).map(|TooSlow(times)| times).collect();
    assert!(failures.len() < ATTEMPTS, "too slow in every attempt: {failures:?}");
}

/// Returns the time within which 99 of 100 requests were answered.
pub fn p99(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() * 99 / 100]
}

impl Figures {
    fn p99(&self) -> Duration {
        p99(&self.times)
    }

    fn median(&self) -> Duration {
        assert!(self.times.len() >= MEDIAN_REQUESTS_MIN, "only {} requests", self.times.len());
        let mut times = self.times.clone();
        times.sort_unstable();
        times[times.len() / 2]
    }

    fn taken_kib(&self) -> u64 {
        self.kib_peak - self.kib_before
    }

    /// Panics if the attack took too much memory, and fails if it slowed down the other organisation.
    pub fn judge(&self, quiet: &Self) -> Result<(), TooSlow> {
        assert!(self.times.len() >= 100, "only {} requests: the attack is not watched", self.times.len());
        let taken = self.taken_kib();
        assert!(taken < ATTACK_KIB_MAX, "the attack took {taken} KiB");
        let limit = (quiet.p99() * SLOWER_MAX).max(QUICK);
        if self.p99() < limit {
            return Ok(());
        }
        Err(TooSlow(format!("99 of 100 requests within {:?}, quiet {:?}", self.p99(), quiet.p99())))
    }

    /// Fails if these requests waited as long as those that the flooding organisation sent at the same time. A machine that is
    /// short of processor time slows down both, so their ratio holds there too.
    pub fn judge_beside(&self, flooding: &Self) -> Result<(), TooSlow> {
        if self.median() * BEHIND_MIN < flooding.median() {
            return Ok(());
        }
        let (own, other) = (flooding.median(), self.median());
        Err(TooSlow(format!("the median is {other:?}, and {own:?} for the flooding organisation")))
    }

    /// Returns the medians of these requests and of those of the flooding organisation.
    pub fn medians(&self, flooding: &Self) -> String {
        let millis = |figures: &Self| figures.median().as_secs_f64() * 1000.0;
        format!("median {:.1} ms, its own GET median {:.1} ms", millis(self), millis(flooding))
    }

    /// Returns the figures beside those of a quiet server.
    pub fn beside<'a>(&'a self, quiet: &'a Self) -> Beside<'a> {
        Beside(self, quiet)
    }
}

pub struct Beside<'a>(&'a Figures, &'a Figures);

impl fmt::Display for Beside<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(attack, quiet) = self;
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        write!(
            formatter,
            "{:.1} MiB taken, another organisation's GET p99 {:.1} ms ({} requests), quiet {:.1} ms",
            attack.taken_kib() as f64 / 1024.0,
            millis(attack.p99()),
            attack.times.len(),
            millis(quiet.p99()),
        )
    }
}
