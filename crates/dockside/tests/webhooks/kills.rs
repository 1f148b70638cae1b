//! Kills servers at random moments of the writing, and records what each kill interrupted.

use testkit::cluster::Cluster;
use testkit::progress::Progress;
use testkit::random::Random;
use testkit::server::wait_until;

use crate::message::now;
use crate::receivers::Receivers;
use crate::stall_meter::StallMeter;
use crate::waiting::{STUCK, wait_for};
use crate::writers::Writers;

/// A connection belongs to a kill if it was in use at most so long before it, and ended at most so long after it.
const CUT_US: i64 = 1_000_000;

/// The kill of a server, and its restart.
pub struct Kill {
    pub node: usize,
    pub at: i64,
    pub back_at: i64,
    /// Connections to healthy endpoints that were in use and ended with it.
    pub cut: usize,
    /// How long the machine was stalled shortly before the kill, in microseconds.
    pub still: i64,
}

/// What goes on while servers are killed.
pub struct KillPlan<'a> {
    pub writers: &'a Writers,
    pub receivers: &'a Receivers,
    /// The first so many endpoints are healthy.
    pub healthy: usize,
    /// How many writes there will be, and how many kills.
    pub events: u64,
    pub kills: u64,
}

/// Kills servers while the writers write: one kill in each part of the writing but the first and the last.
pub fn inflict(
    cluster: &mut Cluster,
    plan: &KillPlan,
    random: &mut Random,
    progress: &mut Progress,
) -> Vec<Kill> {
    let &KillPlan { writers, receivers, healthy, events, kills } = plan;
    let mut done: Vec<Kill> = Vec::new();
    let stall_meter = StallMeter::start();
    let part = events / (kills + 2);
    for number in 0..kills {
        writers.allow(part * (number + 2));
        let moment = part * (number + 1) + random.below(part * 9 / 10);
        wait_for("writing", moment, progress, || writers.acknowledged());
        // The middle kill may come while the servers still recover from the last one. Before every other kill, wait until
        // deliveries continue, so that there is something to interrupt.
        if number != kills / 2 {
            let last = done.last().map_or(0, |kill| kill.back_at);
            wait_until("every healthy endpoint is delivered to", STUCK, || {
                has_flow(receivers, healthy, last)
            });
        }
        std::thread::sleep(random.within_millis(200));
        let node = choose(&done, cluster.nodes, random);
        let at = now();
        cluster.kill(node);
        let back_at = now();
        let still = stall_meter.still_before(at);
        done.push(Kill { node, at, back_at, cut: receivers.cut_at(at, CUT_US, healthy), still });
    }
    writers.allow(events);
    done
}

/// Returns a random node. If the last killed node delivered nothing, returns the other one.
fn choose(done: &[Kill], nodes: usize, random: &mut Random) -> usize {
    match done.last() {
        Some(last) if last.cut == 0 => (last.node + 1) % nodes,
        _ => random.below(nodes as u64) as usize,
    }
}

fn has_flow(receivers: &Receivers, healthy: usize, since: i64) -> bool {
    (0..healthy).all(|endpoint| {
        receivers.with(endpoint, |record| record.arrivals.last().is_some_and(|arrival| arrival.at > since))
    })
}
