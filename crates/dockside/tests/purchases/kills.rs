//! Kills at random moments of the buying: of servers, now and then of a carrier; and once a server that is frozen for
//! longer than it is taken to live, so that another one goes on with what it held.

use std::time::{Duration, Instant};

use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::sandbox_carrier::SandboxCarrier;
use testkit::server::wait_until;

use crate::buyers::Buyers;

/// Longer than a node is taken to live after it last said so.
const FROZEN: Duration = Duration::from_millis(11_500);
/// Buying that makes no progress for so long is stuck. What a dead node held is free after 10 s.
pub const STUCK: Duration = Duration::from_secs(60);
/// One in so many kills is followed by that of a carrier.
const CARRIER_EVERY: usize = 3;

/// What was done to them.
#[derive(Default)]
pub struct KillCounts {
    pub kills: usize,
    pub carrier_kills: usize,
    pub freezes: usize,
}

/// A server that is frozen.
struct Frozen {
    node: usize,
    since: Instant,
}

/// Kills servers while the buyers buy: one kill in each part of the buying but the first.
pub fn inflict(
    cluster: &mut Cluster,
    carriers: &mut [SandboxCarrier],
    buyers: &Buyers,
    (wanted, kills): (usize, usize),
    random: &mut Random,
) -> KillCounts {
    let mut kill_counts = KillCounts::default();
    let mut frozen: Option<Frozen> = None;
    let part = wanted / (kills + 1);
    for number in 0..kills {
        buyers.allow(part * (number + 2));
        let moment = part * number + random.below(part as u64) as usize;
        wait_until("buying", STUCK, || buyers.answered() >= moment);
        std::thread::sleep(random.within_millis(300));
        if cluster.nodes > 1 && number == kills / 3 {
            frozen = Some(freeze(cluster, random));
            kill_counts.freezes += 1;
        }
        frozen = frozen.and_then(|frozen| frozen.thawed_if_due(cluster));
        let node = match &frozen {
            Some(frozen) => (frozen.node + 1) % cluster.nodes,
            None => random.below(cluster.nodes as u64) as usize,
        };
        cluster.kill(node);
        kill_counts.kills += 1;
        if number % CARRIER_EVERY == 0 {
            carriers[number / CARRIER_EVERY % carriers.len()].kill();
            kill_counts.carrier_kills += 1;
        }
    }
    buyers.allow(wanted);
    if let Some(frozen) = frozen {
        std::thread::sleep(FROZEN.saturating_sub(frozen.since.elapsed()));
        frozen.thaw(cluster);
    }
    kill_counts
}

fn freeze(cluster: &Cluster, random: &mut Random) -> Frozen {
    let node = random.below(cluster.nodes as u64) as usize;
    cluster.servers[node].signal("STOP");
    cluster.addresses.lock().unwrap()[node] = None;
    Frozen { node, since: Instant::now() }
}

impl Frozen {
    fn thawed_if_due(self, cluster: &Cluster) -> Option<Self> {
        if self.since.elapsed() < FROZEN {
            return Some(self);
        }
        self.thaw(cluster);
        None
    }

    fn thaw(self, cluster: &Cluster) {
        let server = &cluster.servers[self.node];
        server.signal("CONT");
        cluster.addresses.lock().unwrap()[self.node] = Some(server.address);
    }
}
