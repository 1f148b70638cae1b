//! The named crash points: the server aborts at each of them once in each mode, is started again, and goes on. The judge
//! checks the result as after any other crash.

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use service::platform::crash_point::{POINTS, VARIABLE};
use testkit::client::Client;
use testkit::random::Random;
use testkit::server::{LOOK_EVERY, Server, program};

use crate::batch_client::{BatchClient, Pending};
use crate::call_time::CALL;
use crate::environment::{Environment, Faults, STUCK};
use crate::reviewer;

/// Shipments of a batch.
const SIZE: usize = 8;
/// After so many batches without an abort, the point counts as unreachable.
const TRIES: usize = 6;
/// How long a server may take to reach a point. A dead server's claims are free after 10 s.
const REACHED: Duration = Duration::from_secs(13);
pub const ABORTED: i32 = 6;
/// Points that are passed once per shipment. The others are passed once for many.
const OFTEN: [&str; 4] = ["after_call", "after_send", "after_receipt", "after_papers"];

#[test]
fn each_crash_point_in_each_mode_loses_nothing_on_sqlite() {
    walk("sqlite");
}

#[test]
fn each_crash_point_in_each_mode_loses_nothing_on_postgres() {
    walk("postgres");
}

/// Loses some answers, so that there are look-ups.
fn faults(_: Mode) -> Faults {
    Faults { names: vec!["lost-after=0.3"], slow: 0.0 }
}

/// Returns whether a purchase of this mode can reach the point.
fn is_on_the_way(point: &str, mode: Mode) -> bool {
    point != "after_look_up" || mode != Mode::Neither
}

/// A destination without a fault.
const POST_CODE: &str = "BS1 4DJ";

fn walk(engine: &str) {
    let mut random = Random::seeded(&format!("crash points on {engine}"));
    let mut environment = Environment::start(engine, CALL, faults, &mut random);
    // One server, so that no other server reaches the point instead.
    environment.cluster.servers.drain(1..).for_each(Server::stop);
    environment.cluster.addresses.lock().unwrap().truncate(1);
    let (reviewer, watcher) = (reviewer::start(&environment), environment.watch());
    let mut batch_client = BatchClient::new(
        &environment.shared,
        environment.client(0),
        "walker".to_owned(),
        Random(random.below(u64::MAX)),
    );
    let mut aborts = 0;
    for mode in Mode::ALL {
        // One mode after another, so that a purchase of this mode reaches the point.
        let mut pending = Vec::new();
        for point in POINTS.into_iter().filter(|point| is_on_the_way(point, mode)) {
            let nth = if OFTEN.contains(&point) { 1 + random.below(3) } else { 1 };
            pending.extend(reach(&mut environment, &mut batch_client, mode, point, nth));
            aborts += 1;
        }
        let began = Instant::now();
        while !pending.is_empty() {
            assert!(began.elapsed() < STUCK, "{} is stuck", mode.as_str());
            pending.retain_mut(|batch| !batch_client.follow(batch));
            std::thread::sleep(LOOK_EVERY);
        }
        environment.rest();
    }
    environment.shared.is_done.store(true, Ordering::Relaxed);
    reviewer.join().expect("a reviewer that did not panic");
    watcher.join().expect("a watcher that did not panic");
    environment.cluster.stop();
    let verdict = environment.judge();
    let charges: usize = verdict.tallies.values().map(|tally| tally.charges).sum();
    println!(
        "crash points on {engine}: {} points, {aborts} aborts in 3 modes; {charges} charges, {} double, {} lost; {:.1} s",
        POINTS.len(),
        verdict.double.len(),
        verdict.lost.len(),
        environment.seconds(),
    );
    environment.acquit(&verdict);
}

/// Has the server abort at a point, and starts it again. Returns the batches that were begun for that.
fn reach(
    environment: &mut Environment,
    batch_client: &mut BatchClient,
    mode: Mode,
    point: &str,
    nth: u64,
) -> Vec<Pending> {
    let mut begun = Vec::new();
    for turn in 0..TRIES {
        let batch = batch_client.make_to(POST_CODE, mode, SIZE);
        // If the first batch did not pass the point often enough, abort at the first pass.
        let nth = if turn == 0 { nth } else { 1 };
        let aborted = crash(environment, &batch, &format!("{point}:{nth}"));
        begin_again(environment);
        batch_client.buy(&batch);
        begun.push(Pending::new(batch));
        if aborted {
            return begun;
        }
    }
    panic!("{point} is never reached in mode {}", mode.as_str());
}

/// Buys a batch at a server that is set to abort. Returns whether it did.
fn crash(environment: &mut Environment, batch: &str, trap: &str) -> bool {
    let cluster = &mut environment.cluster;
    cluster.addresses.lock().unwrap()[0] = None;
    cluster.servers.remove(0).kill();
    let mut armed = Armed::start(cluster.folders[0].path(), &cluster.arguments, trap);
    if let Some(address) = armed.address() {
        let headers = [("Prefer", "respond-async")];
        let path = format!("/batches/{batch}/purchase");
        // The server may abort before it answers.
        let _lost = Client::connect(address, &cluster.token)
            .and_then(|mut client| client.request("POST", &path, &headers, ""));
    }
    match armed.ended(REACHED) {
        Some(status) => {
            assert_eq!(status.signal(), Some(ABORTED), "{trap}: {}", armed.log());
            true
        }
        None => false,
    }
}

/// Starts the server again, on the same data.
pub fn begin_again(environment: &mut Environment) {
    let cluster = &mut environment.cluster;
    let given: Vec<_> = cluster.arguments.iter().map(String::as_str).collect();
    let server = Server::start(cluster.folders[0].path(), &given);
    cluster.addresses.lock().unwrap()[0] = Some(server.address);
    cluster.servers.push(server);
}

/// A server that is set to abort, perhaps before it listens.
pub struct Armed {
    child: Child,
    log: std::path::PathBuf,
}

impl Armed {
    pub fn start(folder: &Path, arguments: &[String], trap: &str) -> Self {
        let given: Vec<_> = arguments.iter().map(String::as_str).collect();
        let mut command = program(folder, &[&["serve", "--listen", "127.0.0.1:0"], &given[..]].concat());
        let log = folder.join("armed.log");
        command
            .env(VARIABLE, trap)
            .stdout(std::process::Stdio::null())
            .stderr(File::create(&log).expect("a file"));
        Self { child: command.spawn().expect("the program starts"), log }
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Returns the address of the server, or `None` if it aborted before it listened.
    pub fn address(&mut self) -> Option<std::net::SocketAddr> {
        let began = Instant::now();
        while self.child.try_wait().expect("a child of ours").is_none() {
            assert!(began.elapsed() < STUCK, "the server did not start: {}", self.log());
            let log = self.log();
            let rest = log.split_once("listening on http://").map(|(_, rest)| rest);
            if let Some((text, _)) = rest.and_then(|rest| rest.split_once(' ')) {
                return Some(text.parse().expect("an address"));
            }
            std::thread::sleep(LOOK_EVERY);
        }
        None
    }

    pub fn ended(&mut self, limit: Duration) -> Option<ExitStatus> {
        let began = Instant::now();
        while began.elapsed() < limit {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                return Some(status);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        None
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        // It has usually ended already.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}
