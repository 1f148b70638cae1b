//! File descriptors: the server raises its limit, keeps some for its own work, and survives having none.

use std::net::TcpStream;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use testkit::client::Client;
use testkit::load::body;
use testkit::server::wait_until;

use crate::process_metrics;
use crate::target::Target;

/// Connections beyond the soft limit, which is raised, and beyond the hard one, which is not.
const MANY: usize = 300;
const HARD_LIMIT: usize = 256;
const AT_ONCE: Duration = Duration::from_secs(5);
/// How long the server is watched without descriptors.
const STARVED_TIME: Duration = Duration::from_secs(2);
/// Processor time that it may use meanwhile, in hundredths of a second.
const TICKS_MAX: u64 = 50;

#[test]
fn the_soft_limit_is_raised() {
    let target = Target::start_within("ulimit -Sn 64;", &[]);
    let clients: Vec<_> = (0..MANY).map(|_| TcpStream::connect(target.address()).expect("a place")).collect();
    assert_eq!(target.server.client(&target.other).get("/locations").status, 200);
    let held = process_metrics::sockets(target.address());
    assert!(held >= MANY, "only {held} sockets");
    println!("attacks on {}: {held} sockets although the soft limit was 64", target.engine);
    drop(clients);
    target.server.stop();
}

#[test]
fn clients_can_not_take_the_descriptors_of_the_servers_own_work() {
    let target = Target::start_within(&format!("ulimit -n {HARD_LIMIT};"), &[]);
    let mut worker = target.server.client(&target.other);
    assert_eq!(worker.get("/locations").status, 200);
    let clients: Vec<_> = (0..MANY).map(|_| TcpStream::connect(target.address()).expect("a place")).collect();
    let half = HARD_LIMIT / 2;
    wait_until("all descriptors for clients are taken", AT_ONCE, || {
        process_metrics::sockets(target.address()) >= half
    });
    // The database opens files and connections as it needs them.
    for number in 0..50 {
        let reply = worker.post("/locations", &body(&format!("depot {number}")).to_string());
        assert_eq!(reply.status, 201, "{reply:?}");
    }
    let (held, open) = (
        process_metrics::sockets(target.address()),
        process_metrics::descriptors(target.server.process_id()),
    );
    assert!(held <= half, "{held} sockets");
    println!(
        "attacks on {}: {MANY} clients, {HARD_LIMIT} descriptors: {held} for clients, {open} open in all",
        target.engine
    );
    drop(clients);
    assert_eq!(target.server.client(&target.other).get("/locations").status, 200);
    let mut server = target.server;
    let log = server.stopped();
    assert!(log.contains("leaves room for 128 clients"), "{log}");
    assert!(!log.contains("accepting connections failed"), "{log}");
}

#[test]
fn without_descriptors_the_server_waits_without_spinning_and_says_so_once() {
    let target = Target::start(&[]);
    let process = target.server.process_id();
    let pid = Pid::from_raw(process.cast_signed());
    let limit = |open: u64| Rlimit { current: Some(open), maximum: Some(1024) };
    let mut worker = target.server.client(&target.other);
    assert_eq!(worker.get("/locations").status, 200);
    prlimit(pid, Resource::Nofile, limit(process_metrics::descriptors(process))).expect("a process of ours");

    // More than there are gaps among the descriptors. The last one waits until there are descriptors again.
    let _more: Vec<_> = (0..20).map(|_| TcpStream::connect(target.address()).expect("a place")).collect();
    let mut waiting = Client::connect(target.address(), &target.other).expect("a place in the queue");
    let before = process_metrics::processor_ticks(process);
    std::thread::sleep(STARVED_TIME);
    let ticks = process_metrics::processor_ticks(process) - before;
    assert!(ticks < TICKS_MAX, "{ticks} hundredths of a second in {STARVED_TIME:?}");
    assert_eq!(worker.get("/locations").status, 200, "who is connected is served");

    prlimit(pid, Resource::Nofile, limit(1024)).expect("a process of ours");
    assert_eq!(waiting.get("/locations").status, 200, "who waited is served");
    let engine = target.engine;
    let mut server = target.server;
    let log = server.stopped();
    let lines = |text: &str| log.matches(text).count();
    assert_eq!(
        (lines("accepting connections failed"), lines("accepting connections resumed")),
        (1, 1),
        "{log}"
    );
    println!(
        "attacks on {engine}: {ticks} hundredths of a second without descriptors for {STARVED_TIME:?}, logged once"
    );
}
