//! Contention under `kill -9`: no acknowledged change is lost, nothing is counted twice, and nothing is oversold.

use std::time::{Duration, Instant};

use testkit::cluster::Cluster;
use testkit::random::Random;

use crate::contended_stock::ContendedStock;
use crate::contention_run::{CLIENTS, ContentionRun};

const KILLS: u64 = 12;
/// More orders than the clients can exhaust in the time.
const ORDERS: usize = 120;
/// A run that makes progress within this time is not stuck.
const PROGRESS: Duration = Duration::from_secs(120);

#[test]
fn no_acknowledged_allocation_is_lost_when_a_server_is_killed() {
    let mut random = Random::seeded("crashes");
    let mut cluster = Cluster::start();
    let contended = ContendedStock::new(&cluster, ORDERS);
    let began = Instant::now();
    let run = ContentionRun::start(&cluster, contended, &mut random);
    for kill in 0..KILLS {
        run.wait_for(20 + random.below(80), PROGRESS);
        // Half of the kills come right after an acknowledgement, because the server must not send it before the change is
        // durable. The others come a few milliseconds later.
        if kill % 4 < 2 {
            std::thread::sleep(random.within_millis(8));
        }
        // The servers are killed in turn. The clients of a killed server go to the other one, if there are two.
        cluster.kill(kill as usize % cluster.nodes);
    }
    run.wait_for(50, PROGRESS);
    let (contended, journal) = run.finish();
    let took = began.elapsed().as_secs_f64();
    let checked = journal.check(&contended, &mut cluster.client(0));
    cluster.stop();
    let (engine, nodes) = (cluster.engine, cluster.nodes);
    println!(
        "crashes on {engine}, {nodes} servers, {CLIENTS} clients, {KILLS} kills, {took:.1} s: {journal}; {checked}"
    );
    assert!(journal.broken >= KILLS, "the kills met requests under way");
    assert!(checked.orders_exhausted > 0, "some order was contended for to its end");
}
