//! The run: batches are bought while servers and carriers are killed; when everything has come to an end, it is judged.

use std::sync::atomic::Ordering;

use carriers::sandbox::Mode;

use crate::harm::{Goal, Harm, Killer};
use crate::invariants;
use crate::judge::Verdict;
use crate::ledger::Struck;
use crate::random::Random;
use crate::reviewer;
use crate::scene::{Faults, Scene};
use crate::shipper::Shipper;

/// On each engine; both together are the 200 kills and 5,000 charges that are asked for.
const KILLS_USUAL: usize = 100;
const CHARGES_USUAL: usize = 2_500;
const SHIPPERS: usize = 6;
const SLOW: f64 = 0.01;

#[test]
fn nothing_is_bought_twice_or_lost_on_sqlite() {
    run("sqlite");
}

#[test]
fn nothing_is_bought_twice_or_lost_by_two_servers_on_postgres() {
    run("postgres");
}

/// What goes wrong by chance. That something is charged twice can't be mended where nothing can be looked up.
fn faults(mode: Mode) -> Faults {
    let mut names =
        vec!["lost-before=0.02", "lost-after=0.03", "error-before=0.02", "error-after=0.03", "slow=0.01"];
    names.extend((mode != Mode::Neither).then_some("doubled=0.02"));
    Faults { names, slow: SLOW }
}

fn run(engine: &str) {
    let goal =
        Goal { kills: number("CHAOS_KILLS", KILLS_USUAL), charges: number("CHAOS_CHARGES", CHARGES_USUAL) };
    let mut random = Random::seeded(&format!("chaos on {engine}"));
    let mut scene = Scene::start(engine, faults, &mut random);
    let (reviewer, watcher) = (reviewer::start(&scene), scene.watch());
    let shippers: Vec<_> = (0..SHIPPERS)
        .map(|number| {
            let random = Random(random.below(u64::MAX));
            let shipper = Shipper::new(&scene.shared, scene.way(number), format!("shipper-{number}"), random);
            std::thread::spawn(move || shipper.run(number))
        })
        .collect();
    let harm = Killer::new(&mut scene, goal, &mut random).run();
    scene.shared.is_over.store(true, Ordering::Relaxed);
    scene.heal();
    let struck = struck(&scene);
    for shipper in shippers {
        shipper.join().expect("a shipper that did not panic");
    }
    scene.rest();
    scene.shared.is_done.store(true, Ordering::Relaxed);
    reviewer.join().expect("a reviewer that did not panic");
    watcher.join().expect("a watcher that did not panic");
    scene.cluster.stop();
    let verdict = scene.judge();
    report(&scene, &harm, &struck, &verdict);
    scene.acquit(&verdict);
    check_worth(&scene, goal, &harm, &struck, &verdict);
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a whole number"))
}

/// The faults of each carrier.
fn struck(scene: &Scene) -> Vec<(Mode, Struck)> {
    let ledgers = scene.shared.ledgers.lock().unwrap();
    ledgers.iter().map(|ledger| (ledger.mode, ledger.struck())).collect()
}

fn report(scene: &Scene, harm: &Harm, struck: &[(Mode, Struck)], verdict: &Verdict) {
    let (engine, shared) = (scene.cluster.engine, &scene.shared);
    let charges: usize = verdict.tallies.values().map(|tally| tally.charges).sum();
    let mut all = Struck::default();
    struck.iter().for_each(|(_, some)| all.add(some));
    // The stage of ./test adds up these words by their places.
    println!(
        "chaos on {engine}: {} kills of servers, {} of carriers, {} freezes, {} faults; {charges} charges, {} double, {} \
         lost; {} servers, {:.1} s",
        harm.kills,
        harm.carrier_kills,
        harm.freezes,
        all.all().iter().sum::<usize>(),
        verdict.double.len(),
        verdict.lost.len(),
        scene.cluster.nodes,
        scene.seconds(),
    );
    let (always, at_rest) = invariants::count();
    println!(
        "chaos on {engine}: {} requests, {} answers lost; {} purchases of batches repeated; {always} rules held at {} looks \
         at the database while it happened, and {at_rest} more at rest",
        shared.requests.requests.load(Ordering::Relaxed),
        shared.requests.broken.load(Ordering::Relaxed),
        shared.repeats.load(Ordering::Relaxed),
        shared.looks.load(Ordering::Relaxed),
    );
    for (mode, some) in struck {
        let [lost_before, lost_after, error_before, error_after, slow, doubled] = some.all();
        let Some(tally) = verdict.tallies.get(mode.as_str()) else { continue };
        println!(
            "chaos on {engine}, {}: {} batches, {} shipments, {} charges, {} voided, {} known although the answer was lost, {} resolved by a \
             person ({} bought); lost-before {lost_before}, lost-after {lost_after}, error-before {error_before}, \
             error-after {error_after}, slow {slow}, doubled {doubled}",
            mode.as_str(),
            tally.batches,
            tally.shipments,
            tally.charges,
            tally.voided,
            tally.found,
            tally.resolved_bought + tally.resolved_not_bought,
            tally.resolved_bought,
        );
    }
}

/// A run in which nothing went wrong has shown nothing.
fn check_worth(scene: &Scene, goal: Goal, harm: &Harm, struck: &[(Mode, Struck)], verdict: &Verdict) {
    let charges: usize = verdict.tallies.values().map(|tally| tally.charges).sum();
    assert!(harm.kills >= goal.kills && charges >= goal.charges, "less than was asked for: void");
    assert!(harm.freezes > 0 && harm.carrier_kills > 0, "nothing was frozen, or no carrier killed: void");
    assert!(scene.shared.looks.load(Ordering::Relaxed) > 10, "nobody looked: void");
    for (mode, some) in struck {
        let [lost_before, lost_after, error_before, error_after, slow, doubled] = some.all();
        let is_each =
            [lost_before, lost_after, error_before, error_after, slow].iter().all(|count| *count > 0);
        assert!(is_each && (doubled > 0) == (*mode != Mode::Neither), "{mode:?}: {some:?}: void");
    }
    let tally = |mode: Mode| &verdict.tallies[mode.as_str()];
    assert!(tally(Mode::LookUp).voided > 0 && tally(Mode::Idempotent).found > 0, "nothing was mended: void");
    let neither = tally(Mode::Neither);
    assert!(neither.resolved_bought > 0 && neither.resolved_not_bought > 0, "nobody was asked: void");
}
