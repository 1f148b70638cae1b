//! Restored backups: the database has lost the purchases since the backup, and the carriers have not. The servers find each
//! purchase by its reference, or a person does if the carrier has no look-up. Nothing is paid a second time.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use testkit::random::Random;
use testkit::server::{Server, run};

use crate::backup::{Backup, How};
use crate::batch_client::{BatchClient, Pending};
use crate::crash_points::begin_again;
use crate::environment::{CALL_PATIENT, Environment, Faults, STUCK};
use crate::reviewer;

/// Shipments of each batch that is being bought when the backup is made, and of each that is bought later.
const BEFORE: usize = 100;
const AFTER: usize = 12;
/// Charges of all carriers after which the backup is made.
const BACKED_UP_AT: usize = 60;
pub const COUNT: &str = "SELECT CAST(count(*) AS TEXT) FROM shipment WHERE status = 'purchased'";
const RESTORATIONS: &str = "SELECT reason FROM restoration";

#[test]
fn a_backup_in_a_new_file_buys_nothing_twice() {
    restore("sqlite", How::Elsewhere);
}

#[test]
fn a_backup_copied_over_the_old_file_buys_nothing_twice() {
    restore("sqlite", How::InPlace);
}

#[test]
fn a_backup_of_which_only_the_operator_knows_buys_nothing_twice() {
    restore("sqlite", How::Unmarked);
}

#[test]
fn a_dump_in_a_new_database_buys_nothing_twice_on_postgres() {
    restore("postgres", How::Elsewhere);
}

#[test]
fn a_dump_loaded_into_the_old_database_buys_nothing_twice_on_postgres() {
    restore("postgres", How::InPlace);
}

pub fn faults(_: Mode) -> Faults {
    Faults { names: Vec::new(), slow: 0.0 }
}

fn restore(engine: &str, how: How) {
    let mut random = Random::seeded(&format!("backups on {engine}"));
    let mut environment = Environment::start(engine, CALL_PATIENT, faults, &mut random);
    environment.cluster.servers.drain(1..).for_each(Server::stop);
    environment.cluster.addresses.lock().unwrap().truncate(1);
    let mut batch_client =
        BatchClient::new(&environment.shared, environment.client(0), "batch_client".to_owned(), random);
    let first: Vec<_> = Mode::ALL.iter().map(|mode| batch_client.make(*mode, BEFORE)).collect();
    let later: Vec<_> = Mode::ALL.iter().map(|mode| batch_client.make(*mode, AFTER)).collect();

    first.iter().for_each(|batch| batch_client.begin(batch));
    environment.wait("some are bought", || environment.shared.follow_ledgers() >= BACKED_UP_AT);
    let backup = Backup::make(&environment.store);
    let marked = mark(&environment);
    later.iter().for_each(|batch| batch_client.begin(batch));
    let all = Mode::ALL.len() * (BEFORE + AFTER);
    environment.wait("all are bought", || purchased(&environment) == all);
    first.iter().chain(&later).for_each(|batch| batch_client.note_purchased(batch));
    // The backup may have one heartbeat more than the file had: a server writes the file after the commit.
    environment.wait("the mark counts on", || mark(&environment) > marked + 1);

    environment.cluster.addresses.lock().unwrap()[0] = None;
    environment.cluster.servers.remove(0).kill();
    backup.restore(how);
    let known = purchased(&environment);
    assert!((1..all).contains(&known), "{known} of {all} were bought when the backup was made: void");
    if how != How::InPlace {
        std::fs::remove_file(mark_file(&environment)).expect("a mark");
    }
    if how == How::Unmarked {
        say_so(&environment);
    }
    begin_again(&mut environment);
    let reasons = environment.store.rows(&[RESTORATIONS]).remove(0);
    assert_eq!(reasons.len(), 1, "{reasons:?}");

    // The servers resume the batches that were being bought. The restored database does not know that the later batches
    // were bought, so the client requests them again.
    later.iter().for_each(|batch| batch_client.begin(batch));
    follow(&environment, &mut batch_client, first.into_iter().chain(later).map(Pending::new).collect());
    judge(environment, all, known);
}

/// Follows the batches until they end, with a reviewer.
fn follow(environment: &Environment, batch_client: &mut BatchClient, mut pending: Vec<Pending>) {
    let (reviewer, watcher) = (reviewer::start(environment), environment.watch());
    let began = Instant::now();
    while !pending.is_empty() {
        assert!(began.elapsed() < STUCK, "it comes to no end");
        pending.retain_mut(|batch| !batch_client.follow(batch));
        std::thread::sleep(Duration::from_millis(20));
    }
    environment.rest();
    environment.shared.is_done.store(true, Ordering::Relaxed);
    reviewer.join().expect("a reviewer that did not panic");
    watcher.join().expect("a watcher that did not panic");
}

fn judge(mut environment: Environment, all: usize, known: usize) {
    let charges = environment.shared.follow_ledgers();
    let reason = environment.store.rows(&[RESTORATIONS]).remove(0).remove(0).remove(0).unwrap_or_default();
    environment.cluster.stop();
    let verdict = environment.judge();
    let resolved = &verdict.tallies[Mode::Neither.as_str()];
    println!(
        "backups on {}: {all} shipments, {known} known to the backup, {} found again ({} by a person), {charges} charges, {} \
         double, {} lost; restored because {reason}; {:.1} s",
        environment.cluster.engine,
        all - known,
        resolved.resolved_bought,
        verdict.double.len(),
        verdict.lost.len(),
        environment.seconds(),
    );
    environment.acquit(&verdict);
    assert_eq!((charges, resolved.resolved_not_bought), (all, 0), "something was charged again");
    assert!(resolved.resolved_bought > 0, "no purchase came to review: this run is void");
    let ledgers = environment.shared.ledgers.lock().unwrap();
    let asked =
        ledgers.iter().flat_map(|ledger| ledger.accounts.values()).filter(|account| account.buys != 1);
    assert_eq!(asked.count(), 0, "something was asked for again");
}

fn purchased(environment: &Environment) -> usize {
    let count = environment.store.rows(&[COUNT]).remove(0).remove(0).remove(0);
    count.and_then(|text| text.parse().ok()).expect("a number")
}

fn mark_file(environment: &Environment) -> PathBuf {
    environment.cluster.folders[0].path().join("data/mark")
}

/// Returns the counter in the server's mark file.
fn mark(environment: &Environment) -> i64 {
    let text = std::fs::read_to_string(mark_file(environment)).expect("a mark");
    text.trim().parse().expect("a number")
}

/// Runs the operator's command `dockside restored`.
fn say_so(environment: &Environment) {
    let cluster = &environment.cluster;
    let given: Vec<_> = cluster.arguments.iter().map(String::as_str).collect();
    let said = run(cluster.folders[0].path(), &[&["restored"], &given[..]].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stdout.contains("looked up first"), "{}", said.stdout);
}
