//! The run: clients buy batches while servers and carriers are killed. When all work has ended, the judge checks the result.

use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use carriers::sandbox::Mode;
use testkit::random::Random;

use crate::batch_client::BatchClient;
use crate::call_time::CALL;
use crate::easypost::Counts;
use crate::easypost_faults::EasyPostFault;
use crate::environment::{DataLocation, Environment, Faults};
use crate::failover_client::FailoverClient;
use crate::invariants;
use crate::judge::{Tally, Verdict};
use crate::kills::{Goal, KillCounts, Killer};
use crate::ledger::{Ledger, Struck};
use crate::reviewer;
use crate::source::{EASYPOST, Source};

/// Per engine. Both engines together reach the required 200 kills and 5,000 charges.
const KILLS_USUAL: usize = 100;
const CHARGES_USUAL: usize = 2_500;
const SHIPPERS: usize = 6;
/// Charges by EasyPost, beside those of the sandbox carriers, and the number of its clients.
const EASYPOST_USUAL: usize = 240;
const EASYPOST_SHIPPERS: usize = 2;
/// One in so many of EasyPost's charges may need a review.
const EASYPOST_REVIEWS: usize = 20;
const SLOW: f64 = 0.01;

#[test]
fn nothing_is_bought_twice_or_lost_on_sqlite() {
    run("sqlite");
}

#[test]
fn nothing_is_bought_twice_or_lost_by_two_servers_on_postgres() {
    run("postgres");
}

/// Returns the random faults of a carrier. A carrier without look-up makes no double charges: the servers could not find
/// them.
fn faults(mode: Mode) -> Faults {
    let mut names =
        vec!["lost-before=0.02", "lost-after=0.03", "error-before=0.02", "error-after=0.03", "slow=0.01"];
    names.extend((mode != Mode::Neither).then_some("doubled=0.02"));
    Faults { names, slow: SLOW }
}

fn run(engine: &str) {
    let goal = Goal {
        kills: number("CHAOS_KILLS", KILLS_USUAL),
        charges: number("CHAOS_CHARGES", CHARGES_USUAL),
        easypost: number("CHAOS_EASYPOST", EASYPOST_USUAL),
    };
    let mut random = Random::seeded(&format!("chaos on {engine}"));
    let mut environment =
        Environment::start_with_easypost(&DataLocation::Engine(engine), CALL, faults, &mut random);
    let (reviewer, watcher) = (reviewer::start(&environment), environment.watch());
    let live_reviewer = reviewer::start_on(&environment, environment.live_client(0));
    let batch_clients = ship(&environment, &mut random);
    let kill_counts = Killer::new(&mut environment, goal, &mut random).run();
    environment.shared.is_over.store(true, Ordering::Relaxed);
    environment.heal();
    let (struck, counts) = (struck(&environment), environment.easypost().counts());
    for batch_client in batch_clients {
        batch_client.join().expect("a batch client that did not panic");
    }
    environment.rest();
    environment.shared.is_done.store(true, Ordering::Relaxed);
    for reviewer in [reviewer, live_reviewer] {
        reviewer.join().expect("a reviewer that did not panic");
    }
    watcher.join().expect("a watcher that did not panic");
    environment.cluster.stop();
    let verdict = environment.judge();
    report(&environment, &kill_counts, &struck, &verdict);
    report_easypost(engine, &counts, &verdict.tallies[EASYPOST]);
    environment.acquit(&verdict);
    check_worth(&environment, goal, &kill_counts, &struck, &verdict);
    check_worth_of_easypost(goal, &counts, &verdict.tallies[EASYPOST]);
}

/// Starts the clients: of the sandbox carriers, and of EasyPost.
fn ship(environment: &Environment, random: &mut Random) -> Vec<JoinHandle<()>> {
    let mut start = |number: usize, client: FailoverClient, source: Option<Source>| {
        let random = Random(random.below(u64::MAX));
        let batch_client =
            BatchClient::new(&environment.shared, client, format!("batch_client-{number}"), random);
        let batch_client = match source {
            Some(source) => batch_client.loyal_to(source),
            None => batch_client,
        };
        std::thread::spawn(move || batch_client.run(number))
    };
    let mut batch_clients: Vec<_> =
        (0..SHIPPERS).map(|number| start(number, environment.client(number), None)).collect();
    let source = Source::EasyPost(environment.easypost().service());
    batch_clients.extend(
        (SHIPPERS..SHIPPERS + EASYPOST_SHIPPERS)
            .map(|number| start(number, environment.live_client(number), Some(source.clone()))),
    );
    batch_clients
}

/// A number that the environment may set.
pub fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a whole number"))
}

/// The faults of each sandbox carrier.
fn struck(environment: &Environment) -> Vec<(Mode, Struck)> {
    let ledgers = environment.shared.ledgers.lock().unwrap();
    let of = |ledger: &Ledger| Some((Mode::parse(ledger.carrier)?, ledger.struck()));
    ledgers.iter().filter_map(of).collect()
}

/// The charges of the sandbox carriers.
fn charges(verdict: &Verdict) -> usize {
    let of = |mode: &Mode| verdict.tallies.get(mode.as_str()).map_or(0, |tally| tally.charges);
    Mode::ALL.iter().map(of).sum()
}

fn report(environment: &Environment, kill_counts: &KillCounts, struck: &[(Mode, Struck)], verdict: &Verdict) {
    let (engine, shared) = (environment.cluster.engine, &environment.shared);
    let charges = charges(verdict);
    let mut all = Struck::default();
    struck.iter().for_each(|(_, some)| all.add(some));
    // `./test` sums up the words of this line by their positions.
    println!(
        "chaos on {engine}: {} kills of servers, {} of carriers, {} freezes, {} faults; {charges} charges, {} double, {} \
         lost; {} servers, {:.1} s",
        kill_counts.kills,
        kill_counts.carrier_kills,
        kill_counts.freezes,
        all.all().iter().sum::<usize>(),
        verdict.double.len(),
        verdict.lost.len(),
        environment.cluster.nodes,
        environment.seconds(),
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

fn report_easypost(engine: &str, counts: &Counts, tally: &Tally) {
    let troubles = EasyPostFault::ALL.iter().zip(counts.buys);
    let troubles: Vec<_> = troubles.map(|(trouble, count)| format!("{} {count}", trouble.name())).collect();
    println!(
        "easypost on {engine}: {} charges, {} double, {} lost; {} shipments in {} batches, {} known although the answer was \
         lost, {} resolved by a person ({} bought), {} refused because postage exists; {}, {} looks",
        tally.charges,
        tally.double,
        tally.lost,
        tally.shipments,
        tally.batches,
        tally.found,
        tally.resolved_bought + tally.resolved_not_bought,
        tally.resolved_bought,
        counts.exists,
        troubles.join(", "),
        counts.looks,
    );
}

/// The same for EasyPost, where a look-up by the shipment's id nearly always shows the outcome.
fn check_worth_of_easypost(goal: Goal, counts: &Counts, tally: &Tally) {
    assert!(tally.charges >= goal.easypost, "less than was asked for: void");
    assert_eq!((tally.charges, tally.voided), (tally.shipments, 0), "each was charged once");
    let is_each = counts.buys.iter().all(|count| *count > 0);
    assert!(is_each && counts.looks > 0 && counts.exists > 0 && tally.found > 0, "{counts:?}: void");
    let reviews = tally.resolved_bought + tally.resolved_not_bought;
    assert!(reviews * EASYPOST_REVIEWS <= tally.charges, "{reviews} needed a person");
}

/// Asserts that enough faults happened: a run without faults proves nothing.
fn check_worth(
    environment: &Environment,
    goal: Goal,
    kill_counts: &KillCounts,
    struck: &[(Mode, Struck)],
    verdict: &Verdict,
) {
    let charges = charges(verdict);
    assert!(kill_counts.kills >= goal.kills && charges >= goal.charges, "less than was asked for: void");
    assert!(
        kill_counts.freezes > 0 && kill_counts.carrier_kills > 0,
        "nothing was frozen, or no carrier killed: void"
    );
    assert!(environment.shared.looks.load(Ordering::Relaxed) > 10, "the database was hardly looked at: void");
    for (mode, some) in struck {
        let [lost_before, lost_after, error_before, error_after, slow, doubled] = some.all();
        let is_each =
            [lost_before, lost_after, error_before, error_after, slow].iter().all(|count| *count > 0);
        assert!(is_each && (doubled > 0) == (*mode != Mode::Neither), "{mode:?}: {some:?}: void");
    }
    let tally = |mode: Mode| &verdict.tallies[mode.as_str()];
    assert!(tally(Mode::LookUp).voided > 0 && tally(Mode::Idempotent).found > 0, "nothing was mended: void");
    let neither = tally(Mode::Neither);
    assert!(
        neither.resolved_bought > 0 && neither.resolved_not_bought > 0,
        "no purchase came to review: this run is void"
    );
}
