//! Another organisation that goes on working during an attack: its requests are timed, and the server's memory is watched.
//!
//! On a virtual machine, the host may give the processors to other machines for a hundred milliseconds at a time. A request
//! during which that happened says nothing about the server, so its time does not count.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use testkit::client::Client;
use testkit::stopwatch::stolen;

use crate::process_metrics::resident_kib;

/// Between two requests.
const PAUSE: Duration = Duration::from_millis(2);
/// Most memory that an attack may take, in KiB.
const ATTACK_KIB_MAX: u64 = 64 * 1024;
/// How often an attack is repeated at most, until its times are within the limit.
const ATTEMPTS: usize = 3;
/// How often it is repeated at most if too few requests could be timed.
const ATTEMPTS_MAX: usize = 10;
/// Requests of which the slowest hundredth says something.
const REQUESTS_MIN: usize = 100;
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
    /// The times of requests during which other machines took no processor time from this one.
    times: Vec<Duration>,
    /// The times of all requests.
    all_times: Vec<Duration>,
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
            let mut figures =
                Figures { times: Vec::new(), all_times: Vec::new(), kib_before, kib_peak: kib_before };
            let mut client = Client::connect(address, &token).expect("a server that listens");
            while !over.load(Ordering::Relaxed) {
                let (began, before) = (Instant::now(), stolen());
                let reply = client.get("/locations");
                let time = began.elapsed();
                if stolen() == before {
                    figures.times.push(time);
                    count.fetch_add(1, Ordering::Relaxed);
                }
                figures.all_times.push(time);
                assert_eq!(reply.status, 200, "another organisation suffers: {reply:?}");
                figures.kib_peak = figures.kib_peak.max(resident_kib(process));
                std::thread::sleep(PAUSE);
            }
            figures
        });
        Self { is_over, requests, thread }
    }

    /// Returns how many requests were timed.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    pub fn finish(self) -> Figures {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().expect("every request was answered with 200")
    }
}

/// What an attack has not shown.
#[derive(Debug)]
pub enum Unproven {
    /// The other organisation's requests took longer during the attack than they may.
    TooSlow(String),
    /// Too few of them could be timed. These are their times, and those before the attack.
    FewRequests { attack: Vec<Duration>, quiet: Vec<Duration> },
}

/// Runs an attack, and runs it again if the other organisation's requests took too long, because a machine that others use
/// can be slow for a while. A server that the attack itself slows down fails every attempt. Times of attempts with too few of
/// them are judged together.
pub fn attempts(attack: impl Fn() -> Result<(), Unproven>) {
    let (mut slow, mut attempts) = (Vec::new(), 0);
    let (mut during, mut before) = (Vec::new(), Vec::new());
    while slow.len() < ATTEMPTS && attempts < ATTEMPTS_MAX {
        attempts += 1;
        let mut outcome = attack();
        if let Err(Unproven::FewRequests { attack, quiet }) = outcome {
            during.extend(attack);
            before.extend(quiet);
            outcome = judge_times(&during, &before);
        }
        match outcome {
            Ok(()) => return,
            Err(Unproven::TooSlow(times)) => {
                slow.push(times);
                (during, before) = (Vec::new(), Vec::new());
            }
            Err(Unproven::FewRequests { .. }) => {}
        }
    }
    panic!("{attempts} attempts, too slow: {slow:?}; {} more requests timed", during.len());
}

/// Fails if the slowest hundredth of requests took much longer during an attack than before it.
fn judge_times(attack: &[Duration], quiet: &[Duration]) -> Result<(), Unproven> {
    if attack.len().min(quiet.len()) < REQUESTS_MIN {
        return Err(Unproven::FewRequests { attack: attack.to_vec(), quiet: quiet.to_vec() });
    }
    if p99(attack) < (p99(quiet) * SLOWER_MAX).max(QUICK) {
        return Ok(());
    }
    let times = format!("99 of 100 requests within {:?}, quiet {:?}", p99(attack), p99(quiet));
    Err(Unproven::TooSlow(times))
}

/// Returns the time within which 99 of 100 requests were answered.
pub fn p99(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() * 99 / 100).copied().unwrap_or_default()
}

impl Figures {
    fn p99(&self) -> Duration {
        p99(&self.times)
    }

    fn median(&self) -> Duration {
        let mut times = self.all_times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }

    fn taken_kib(&self) -> u64 {
        self.kib_peak - self.kib_before
    }

    /// Panics if the attack took too much memory, and fails if it slowed down the other organisation.
    pub fn judge(&self, quiet: &Self) -> Result<(), Unproven> {
        let taken = self.taken_kib();
        assert!(taken < ATTACK_KIB_MAX, "the attack took {taken} KiB");
        judge_times(&self.times, &quiet.times)
    }

    /// Fails if these requests waited as long as those that the flooding organisation sent at the same time. A machine that is
    /// short of processor time slows down both, so their ratio holds there too. All times count for it: the longer a request
    /// waits, the likelier it is that the host interrupts it.
    pub fn judge_beside(&self, flooding: &Self) -> Result<(), Unproven> {
        if self.all_times.len().min(flooding.all_times.len()) < MEDIAN_REQUESTS_MIN {
            return Err(Unproven::FewRequests { attack: Vec::new(), quiet: Vec::new() });
        }
        if self.median() * BEHIND_MIN < flooding.median() {
            return Ok(());
        }
        let (own, other) = (flooding.median(), self.median());
        let times = format!("the median is {other:?}, and {own:?} for the flooding organisation");
        Err(Unproven::TooSlow(times))
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
            "{:.1} MiB taken, another organisation's GET p99 {:.1} ms ({} requests, {} more not timed), quiet {:.1} ms",
            attack.taken_kib() as f64 / 1024.0,
            millis(attack.p99()),
            attack.times.len(),
            attack.all_times.len() - attack.times.len(),
            millis(quiet.p99()),
        )
    }
}
