//! Kills servers and carriers at random moments, and freezes servers for longer than their lease.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use testkit::progress::{Progress, per_cent};
use testkit::random::Random;

use crate::environment::{Environment, STUCK};

/// Longer than the lease that a heartbeat extends.
const FROZEN: Duration = Duration::from_millis(11_500);
/// The longest time between two kills.
const PAUSE_MILLIS: u64 = 700;
/// After every so many kills of servers, a carrier is killed.
const CARRIER_EVERY: usize = 3;
/// After every so many kills, a server is frozen. A single server is frozen less often, because nothing else happens
/// meanwhile.
const FREEZE_EVERY: usize = 24;
const FREEZE_EVERY_ALONE: usize = 70;
/// How long a kill waits for its share of the charges.
const WORK_TIME: Duration = Duration::from_secs(3);
/// Shipments that may be made ahead of the kills' shares.
const AHEAD: usize = 800;
const EASYPOST_AHEAD: usize = 40;
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// The minimum number of kills and charges of a run.
#[derive(Clone, Copy)]
pub struct Goal {
    pub kills: usize,
    /// Charges by the sandbox carriers, and by EasyPost.
    pub charges: usize,
    pub easypost: usize,
}

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

pub struct Killer<'a> {
    pub environment: &'a mut Environment,
    pub goal: Goal,
    pub random: &'a mut Random,
    pub progress: Progress,
    kill_counts: KillCounts,
    frozen: Option<Frozen>,
}

impl<'a> Killer<'a> {
    pub fn new(environment: &'a mut Environment, goal: Goal, random: &'a mut Random) -> Self {
        let progress = Progress::new(environment.cluster.engine);
        Self { environment, goal, random, progress, kill_counts: KillCounts::default(), frozen: None }
    }

    /// Kills servers and carriers until the goal is reached, spread over the purchases.
    pub fn run(mut self) -> KillCounts {
        while self.kill_counts.kills < self.goal.kills {
            self.allow();
            self.wait_for_work();
            std::thread::sleep(self.random.within_millis(PAUSE_MILLIS));
            self.thaw_if_due();
            self.kill_server();
            if self.kill_counts.kills.is_multiple_of(CARRIER_EVERY) {
                self.kill_carrier();
            }
            let every = if self.environment.cluster.nodes > 1 { FREEZE_EVERY } else { FREEZE_EVERY_ALONE };
            if self.frozen.is_none() && self.kill_counts.kills % every == every / 2 {
                self.freeze();
            }
        }
        self.environment.shared.quota.allow(usize::MAX);
        self.environment.shared.easypost_quota.allow(usize::MAX);
        let (mut seen, mut moved) = (0, Instant::now());
        while self.charges() < self.goal.charges
            || self.environment.shared.easypost_charges() < self.goal.easypost
        {
            let charged = self.charges() + self.environment.shared.easypost_charges();
            if charged > seen {
                (seen, moved) = (charged, Instant::now());
            }
            assert!(
                moved.elapsed() < STUCK,
                "nothing is bought; the servers say:\n{}",
                self.environment.last_log_lines()
            );
            self.thaw_if_due();
            self.draw();
            std::thread::sleep(LOOK_EVERY);
        }
        while self.frozen.is_some() {
            std::thread::sleep(LOOK_EVERY);
            self.thaw_if_due();
        }
        self.draw();
        self.progress.end();
        self.kill_counts
    }

    fn charges(&self) -> usize {
        if self.environment.shared.is_broken.load(Ordering::Relaxed) {
            panic!("a batch client gave up; the servers say:\n{}", self.environment.last_log_lines());
        }
        self.environment.shared.follow_ledgers() - self.environment.shared.easypost_charges()
    }

    fn draw(&mut self) {
        let (kills, charges) = (self.kill_counts.kills, self.charges());
        let Goal { kills: kills_all, charges: charges_all, .. } = self.goal;
        let share = |done: usize, total: usize| per_cent(done as u64, total as u64);
        let counts = format!("{kills} of {kills_all} kills, {charges} of {charges_all} charges");
        self.progress.show(share(kills, kills_all).min(share(charges, charges_all)), &counts);
    }

    /// Returns the part of these charges that belongs to the kills so far.
    fn share(&self, charges: usize) -> usize {
        charges * self.kill_counts.kills / self.goal.kills
    }

    /// Raises the quotas with the kills, so that purchases last until the last kill.
    fn allow(&self) {
        let shared = &self.environment.shared;
        shared.quota.allow(self.share(self.goal.charges) + AHEAD);
        shared.easypost_quota.allow(self.share(self.goal.easypost) + EASYPOST_AHEAD);
    }

    fn wait_for_work(&mut self) {
        let began = Instant::now();
        while self.charges() < self.share(self.goal.charges) && began.elapsed() < WORK_TIME {
            self.draw();
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn kill_server(&mut self) {
        let nodes = self.environment.cluster.nodes;
        let node = match &self.frozen {
            Some(frozen) if nodes > 1 => (frozen.node + 1) % nodes,
            // The only server is frozen already.
            Some(_) => return,
            None => self.random.below(nodes as u64) as usize,
        };
        self.environment.cluster.kill(node);
        self.kill_counts.kills += 1;
    }

    fn kill_carrier(&mut self) {
        let carriers = &mut self.environment.carriers;
        let place = self.random.below(carriers.len() as u64) as usize;
        carriers[place].kill();
        self.kill_counts.carrier_kills += 1;
    }

    fn freeze(&mut self) {
        let cluster = &self.environment.cluster;
        let node = self.random.below(cluster.nodes as u64) as usize;
        cluster.servers[node].signal("STOP");
        cluster.addresses.lock().unwrap()[node] = None;
        self.frozen = Some(Frozen { node, since: Instant::now() });
        self.kill_counts.freezes += 1;
    }

    fn thaw_if_due(&mut self) {
        let Some(frozen) = self.frozen.take_if(|frozen| frozen.since.elapsed() >= FROZEN) else { return };
        let cluster = &self.environment.cluster;
        let server = &cluster.servers[frozen.node];
        server.signal("CONT");
        cluster.addresses.lock().unwrap()[frozen.node] = Some(server.address);
    }
}
