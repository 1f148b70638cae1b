//! Kills servers at random moments of the purchases, and a carrier after some of the kills. One server is frozen for longer
//! than its lease, so that another one takes over its purchases.

use std::time::{Duration, Instant};

use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::sandbox_carrier::SandboxCarrier;
use testkit::server::wait_until;

use crate::buyers::Buyers;

/// Longer than the lease that a heartbeat extends.
const FROZEN: Duration = Duration::from_millis(11_500);
/// Purchases without progress for this time are stuck. A dead node's claims are free after 10 s.
pub const STUCK: Duration = Duration::from_secs(150);
/// One in so many kills is followed by the kill of a carrier.
const CARRIER_EVERY: usize = 3;

/// Counts of kills and freezes.
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

/// Kills servers while the buyers buy. It divides the purchases into parts of equal size, with one kill in each but the last.
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
