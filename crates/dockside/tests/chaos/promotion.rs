//! A standby that is promoted during purchases. The primary dies with purchases that were never replicated, and the servers
//! go on with the standby. They find the missing purchases at the carriers by their reference, or a person does if the
//! carrier has no look-up. Nothing is paid a second time.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use testkit::random::Random;
use testkit::server::Server;

use crate::batch_client::{BatchClient, Pending};
use crate::environment::{CALL_PATIENT, DataLocation, Environment, STUCK};
use crate::restore::{COUNT, faults};
use crate::reviewer;
use crate::run::number;
use crate::source::{EASYPOST, Source};
use crate::sql::Store;
use crate::standby::Pair;

/// Shipments of each batch that is being bought when the standby is cut off, and of each that is bought after that.
const BEFORE: usize = 60;
const AFTER: usize = 10;
/// Charges before the standby is cut off. The primary is killed after so many more charges, and once it shows so many
/// purchases that the standby lacks.
const CUT_OFF_AT: usize = 40;
const KILLED_AFTER: usize = 60;
const FORGOTTEN: usize = 20;
/// How many purchases from the carrier without a look-up the primary has and the standby lacks: a person has to find them.
/// Charges are not enough: a server may still hold the carrier's answers, and write them to the promoted standby.
const UNASKED: usize = 10;
const COUNT_UNASKED: &str =
    "SELECT CAST(count(*) AS TEXT) FROM purchase p JOIN carrier_account a ON a.owner = p.owner AND a.id = p.account_id
    WHERE p.state = 'bought' AND a.details LIKE '%\"neither\"%'";
const RESTORATIONS: &str = "SELECT reason FROM restoration";

/// The counts when the primary died.
struct Loss {
    /// Purchased shipments on the primary, and on the standby.
    shown: usize,
    known: usize,
    charges: usize,
    bytes: i64,
}

/// A client of each world, and the batches that it begins before and after the standby is cut off.
struct Order {
    batch_client: BatchClient,
    first: Vec<String>,
    later: Vec<String>,
}

impl Order {
    fn make(mut batch_client: BatchClient, sources: &[Source]) -> Self {
        let first = sources.iter().map(|source| batch_client.make(source.clone(), BEFORE)).collect();
        let later = sources.iter().map(|source| batch_client.make(source.clone(), AFTER)).collect();
        Self { batch_client, first, later }
    }

    fn begin_first(&mut self) {
        self.first.iter().for_each(|batch| self.batch_client.begin(batch));
    }

    fn begin_later(&mut self) {
        self.later.iter().for_each(|batch| self.batch_client.begin(batch));
    }
}

#[test]
fn a_standby_that_lacks_the_last_purchases_takes_over_and_nothing_is_bought_twice() {
    let mut random = Random::seeded("promotion on postgres");
    for _ in 0..number("CHAOS_PROMOTIONS", 1) {
        fail_over(&mut random);
    }
}

fn fail_over(random: &mut Random) {
    let pair = Pair::start();
    let url = pair.url();
    let mut environment =
        Environment::start_with_easypost(&DataLocation::Database(&url), CALL_PATIENT, faults, random);
    environment.easypost().heal();
    let mut orders = make_orders(&environment, random);
    let all = (Mode::ALL.len() + 1) * (BEFORE + AFTER);

    environment.wait("the standby has everything", || pair.lag_bytes() <= 0);
    orders.iter_mut().for_each(Order::begin_first);
    let loss = lose(&environment, &pair, &mut orders);
    pair.promote();
    environment
        .wait("the promotion is noticed", || environment.store.rows(&[RESTORATIONS]).remove(0).len() == 1);

    // The servers resume the batches that were being bought. The standby does not know that the later batches were begun.
    orders.iter_mut().for_each(Order::begin_later);
    follow(&environment, orders);
    environment.cluster.servers.drain(..).for_each(Server::stop);
    judge(&environment, all, &loss);
}

fn make_orders(environment: &Environment, random: &mut Random) -> [Order; 2] {
    let mut batch_client = |client, name: &str| {
        BatchClient::new(&environment.shared, client, name.to_owned(), Random(random.below(u64::MAX)))
    };
    let sandbox = batch_client(environment.client(0), "batch_client");
    let live = batch_client(environment.live_client(0), "live-batch_client");
    let source = Source::EasyPost(environment.easypost().service());
    [Order::make(sandbox, &Mode::ALL.map(Source::Sandbox)), Order::make(live, &[source])]
}

/// Cuts the standby off, and kills the primary once it has bought much that the standby lacks.
fn lose(environment: &Environment, pair: &Pair, orders: &mut [Order]) -> Loss {
    let charges = || environment.shared.follow_ledgers();
    environment.wait("some are bought", || charges() >= CUT_OFF_AT);
    pair.cut_off();
    environment.wait("the standby is cut off", || pair.is_cut_off());
    let charged = charges();
    orders.iter_mut().for_each(Order::begin_later);
    let standby = Store::Postgres(pair.standby_url());
    environment.wait("much is bought that the standby lacks", || {
        charges() >= charged + KILLED_AFTER
            && count(&environment.store, COUNT_UNASKED) >= count(&standby, COUNT_UNASKED) + UNASKED
            && count(&environment.store, COUNT) >= count(&standby, COUNT) + FORGOTTEN
    });
    let (shown, bytes) = (count(&environment.store, COUNT), pair.lag_bytes());
    pair.kill_primary();
    Loss { shown, known: count(&standby, COUNT), charges: charges(), bytes }
}

fn count(store: &Store, sql: &str) -> usize {
    let count = store.rows(&[sql]).remove(0).remove(0).remove(0);
    count.and_then(|text| text.parse().ok()).expect("a number")
}

/// Follows the batches until they end, with a reviewer in each world.
fn follow(environment: &Environment, orders: [Order; 2]) {
    let helpers = [
        reviewer::start(environment),
        reviewer::start_on(environment, environment.live_client(1)),
        environment.watch(),
    ];
    let mut pending: Vec<_> = orders
        .into_iter()
        .map(|Order { batch_client, first, later }| {
            let batches: Vec<_> = first.into_iter().chain(later).map(Pending::new).collect();
            (batch_client, batches)
        })
        .collect();
    let began = Instant::now();
    while pending.iter().any(|(_, batches)| !batches.is_empty()) {
        assert!(
            began.elapsed() < STUCK,
            "it comes to no end; under way: {}\n{}",
            environment.shared.under_way(),
            environment.last_log_lines()
        );
        for (batch_client, batches) in &mut pending {
            batches.retain_mut(|batch| !batch_client.follow(batch));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    environment.rest();
    environment.shared.is_done.store(true, Ordering::Relaxed);
    for helper in helpers {
        helper.join().expect("a helper that did not panic");
    }
}

fn judge(environment: &Environment, all: usize, loss: &Loss) {
    let charges = environment.shared.follow_ledgers();
    let reason = environment.store.rows(&[RESTORATIONS]).remove(0).remove(0).remove(0).unwrap_or_default();
    let verdict = environment.judge();
    let reviewed = |carrier: &str| {
        let tally = &verdict.tallies[carrier];
        (tally.resolved_bought, tally.resolved_not_bought)
    };
    let (neither, easypost) = (reviewed(Mode::Neither.as_str()), reviewed(EASYPOST));
    println!(
        "promotion on postgres: {all} shipments, {} charged and {} shown when the primary died, {} known to the standby, which \
         lacked {} bytes; {charges} charges, {} double, {} lost; a person found {} bought and {} not of the carrier that can't be \
         asked, {} and {} of EasyPost; restored because {reason}; {:.1} s",
        loss.charges,
        loss.shown,
        loss.known,
        loss.bytes,
        verdict.double.len(),
        verdict.lost.len(),
        neither.0,
        neither.1,
        easypost.0,
        easypost.1,
        environment.seconds(),
    );
    environment.acquit(&verdict);
    assert_eq!(charges, all, "something was charged again");
    assert!(loss.known + FORGOTTEN <= loss.shown && loss.bytes > 0, "the standby lacked nothing: void");
    assert!(neither.0 > 0, "no purchase came to review: this run is void");
    // The servers find EasyPost's purchases by their reference. A purchase goes to review only if EasyPost has none.
    assert_eq!(easypost.0, 0, "a purchase at EasyPost was not found by its reference");
}
