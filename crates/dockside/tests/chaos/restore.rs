//! Backups that are restored: the database forgets what was bought since, and the carriers do not. Everything is found again
//! by its reference, or by a person where nobody can look it up; nothing is paid a second time.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use carriers::sandbox::Mode;

use crate::backup::{Backup, How};
use crate::crash_points::begin_again;
use crate::random::Random;
use crate::reviewer;
use crate::scene::{Faults, STUCK, Scene};
use crate::server::{Server, run, wait_until};
use crate::shipper::{Pending, Shipper};

/// Shipments of a batch that is being bought when the backup is made, and of one that is bought later.
const BEFORE: usize = 100;
const AFTER: usize = 12;
/// Charges of all carriers after which the backup is made.
const BACKED_UP_AT: usize = 60;
const COUNT: &str = "SELECT CAST(count(*) AS TEXT) FROM shipment WHERE status = 'purchased'";
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

fn faults(_: Mode) -> Faults {
    Faults { names: Vec::new(), slow: 0.0 }
}

fn restore(engine: &str, how: How) {
    let mut random = Random::seeded(&format!("backups on {engine}"));
    let mut scene = Scene::start(engine, faults, &mut random);
    scene.cluster.servers.drain(1..).for_each(Server::stop);
    scene.cluster.addresses.lock().unwrap().truncate(1);
    let mut shipper = Shipper::new(&scene.shared, scene.way(0), "shipper".to_owned(), random);
    let first: Vec<_> = Mode::ALL.iter().map(|mode| shipper.make(*mode, BEFORE)).collect();
    let later: Vec<_> = Mode::ALL.iter().map(|mode| shipper.make(*mode, AFTER)).collect();

    first.iter().for_each(|batch| shipper.begin(batch));
    wait_until("some are bought", STUCK, || scene.shared.follow_ledgers() >= BACKED_UP_AT);
    let marked = mark(&scene);
    let backup = Backup::make(&scene.store);
    later.iter().for_each(|batch| shipper.begin(batch));
    let all = Mode::ALL.len() * (BEFORE + AFTER);
    wait_until("all are bought", STUCK, || purchased(&scene) == all);
    first.iter().chain(&later).for_each(|batch| shipper.note_purchased(batch));
    wait_until("the mark counts on", STUCK, || mark(&scene) > marked);

    scene.cluster.addresses.lock().unwrap()[0] = None;
    scene.cluster.servers.remove(0).kill();
    backup.restore(how);
    let known = purchased(&scene);
    assert!((1..all).contains(&known), "{known} of {all} were bought when the backup was made: void");
    if how != How::InPlace {
        std::fs::remove_file(mark_file(&scene)).expect("a mark");
    }
    if how == How::Unmarked {
        say_so(&scene);
    }
    begin_again(&mut scene);
    let reasons = scene.store.rows(&[RESTORATIONS]).remove(0);
    assert_eq!(reasons.len(), 1, "{reasons:?}");

    // What was being bought goes on by itself; what was bought later, nobody here knows of, and is bought once more.
    later.iter().for_each(|batch| shipper.begin(batch));
    follow(&scene, &mut shipper, first.into_iter().chain(later).map(Pending::new).collect());
    judge(scene, all, known);
}

/// Follows the batches to their end, with a person's help.
fn follow(scene: &Scene, shipper: &mut Shipper, mut pending: Vec<Pending>) {
    let (reviewer, watcher) = (reviewer::start(scene), scene.watch());
    let began = Instant::now();
    while !pending.is_empty() {
        assert!(began.elapsed() < STUCK, "it comes to no end");
        pending.retain_mut(|batch| !shipper.follow(batch));
        std::thread::sleep(Duration::from_millis(20));
    }
    scene.rest();
    scene.shared.is_done.store(true, Ordering::Relaxed);
    reviewer.join().expect("a reviewer that did not panic");
    watcher.join().expect("a watcher that did not panic");
}

fn judge(mut scene: Scene, all: usize, known: usize) {
    let charges = scene.shared.follow_ledgers();
    let reason = scene.store.rows(&[RESTORATIONS]).remove(0).remove(0).remove(0).unwrap_or_default();
    scene.cluster.stop();
    let verdict = scene.judge();
    let resolved = &verdict.tallies[Mode::Neither.as_str()];
    println!(
        "backups on {}: {all} shipments, {known} known to the backup, {} found again ({} by a person), {charges} charges, {} \
         double, {} lost; restored because {reason}; {:.1} s",
        scene.cluster.engine,
        all - known,
        resolved.resolved_bought,
        verdict.double.len(),
        verdict.lost.len(),
        scene.seconds(),
    );
    scene.acquit(&verdict);
    assert_eq!((charges, resolved.resolved_not_bought), (all, 0), "something was charged again");
    assert!(resolved.resolved_bought > 0, "nobody was asked: void");
    let ledgers = scene.shared.ledgers.lock().unwrap();
    let asked = ledgers.iter().flat_map(|ledger| ledger.book.values()).filter(|account| account.buys != 1);
    assert_eq!(asked.count(), 0, "something was asked for again");
}

fn purchased(scene: &Scene) -> usize {
    let count = scene.store.rows(&[COUNT]).remove(0).remove(0).remove(0);
    count.and_then(|text| text.parse().ok()).expect("a number")
}

fn mark_file(scene: &Scene) -> PathBuf {
    scene.cluster.folders[0].path().join("data/mark")
}

/// How far the server has counted.
fn mark(scene: &Scene) -> i64 {
    let text = std::fs::read_to_string(mark_file(scene)).expect("a mark");
    text.trim().parse().expect("a number")
}

/// The operator's command.
fn say_so(scene: &Scene) {
    let cluster = &scene.cluster;
    let given: Vec<_> = cluster.arguments.iter().map(String::as_str).collect();
    let said = run(cluster.folders[0].path(), &[&["restored"], &given[..]].concat());
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(said.stdout.contains("looked up first"), "{}", said.stdout);
}
