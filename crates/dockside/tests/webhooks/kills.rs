//! Kills at random moments of the writing, and what each one met.

use crate::cluster::Cluster;
use crate::message::now;
use crate::progress::Progress;
use crate::random::Random;
use crate::server::wait_until;
use crate::sink::Sink;
use crate::waiting::{STUCK, wait_for};
use crate::writers::Writers;

/// A connection belongs to a kill where it was in use so shortly before, and ended so shortly after.
const CUT_US: i64 = 1_000_000;

/// A server was killed, and was back.
pub struct Kill {
    pub node: usize,
    pub at: i64,
    pub back_at: i64,
    /// Connections to sound endpoints that were in use and ended with it.
    pub cut: usize,
}

/// What goes on while servers are killed.
pub struct Scene<'a> {
    pub writers: &'a Writers,
    pub sink: &'a Sink,
    /// The first so many endpoints are sound.
    pub sound: usize,
    /// How many writes there will be, and how many kills.
    pub events: u64,
    pub kills: u64,
}

/// Kills servers while the writers write: one kill in each part of the writing but the first and the last.
pub fn inflict(
    cluster: &mut Cluster,
    scene: &Scene,
    random: &mut Random,
    progress: &mut Progress,
) -> Vec<Kill> {
    let &Scene { writers, sink, sound, events, kills } = scene;
    let mut done: Vec<Kill> = Vec::new();
    let part = events / (kills + 2);
    for number in 0..kills {
        writers.allow(part * (number + 2));
        let moment = part * (number + 1) + random.below(part * 9 / 10);
        wait_for("writing", moment, progress, || writers.acknowledged());
        // The one in the middle may come while the last one is still being recovered from; before the others,
        // deliveries go on, so that there is something to interrupt.
        if number != kills / 2 {
            let last = done.last().map_or(0, |kill| kill.back_at);
            wait_until("every sound endpoint is delivered to", STUCK, || has_flow(sink, sound, last));
        }
        std::thread::sleep(random.within_millis(200));
        let node = choose(&done, cluster.nodes, random);
        let at = now();
        cluster.kill(node);
        done.push(Kill { node, at, back_at: now(), cut: sink.cut_at(at, CUT_US, sound) });
    }
    writers.allow(events);
    done
}

/// Any of the nodes; but where the last kill met a node that delivered nothing, the other one.
fn choose(done: &[Kill], nodes: usize, random: &mut Random) -> usize {
    match done.last() {
        Some(last) if last.cut == 0 => (last.node + 1) % nodes,
        _ => random.below(nodes as u64) as usize,
    }
}

fn has_flow(sink: &Sink, sound: usize, since: i64) -> bool {
    (0..sound).all(|endpoint| {
        sink.with(endpoint, |record| record.arrivals.last().is_some_and(|arrival| arrival.at > since))
    })
}
