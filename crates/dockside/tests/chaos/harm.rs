//! Kills at random moments, of servers and of carriers; and servers that are frozen for longer than they are taken to live.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::bar::Bar;
use crate::random::Random;
use crate::scene::{STUCK, Scene};

/// Longer than a node is taken to live after it last said so.
const FROZEN: Duration = Duration::from_millis(11_500);
/// The longest time between two kills.
const PAUSE_MILLIS: u64 = 700;
/// One in so many kills is followed by that of a carrier.
const CARRIER_EVERY: usize = 3;
/// One in so many kills is followed by a freeze. Where there is one server only, nothing else happens meanwhile.
const FREEZE_EVERY: usize = 24;
const FREEZE_EVERY_ALONE: usize = 70;
/// How long a kill waits until as much was bought as belongs to it.
const WORK_TIME: Duration = Duration::from_secs(3);
/// Shipments that may be made before the first kill, beside those of each.
const AHEAD: usize = 800;
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// What is to be done, at least.
#[derive(Clone, Copy)]
pub struct Goal {
    pub kills: usize,
    pub charges: usize,
}

/// What was done to them.
#[derive(Default)]
pub struct Harm {
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
    pub scene: &'a mut Scene,
    pub goal: Goal,
    pub random: &'a mut Random,
    pub bar: Bar,
    harm: Harm,
    frozen: Option<Frozen>,
}

impl<'a> Killer<'a> {
    pub fn new(scene: &'a mut Scene, goal: Goal, random: &'a mut Random) -> Self {
        let bar = Bar::new(scene.cluster.engine);
        Self { scene, goal, random, bar, harm: Harm::default(), frozen: None }
    }

    /// Kills until the goal is reached: as many as asked for, spread over what is bought.
    pub fn run(mut self) -> Harm {
        while self.harm.kills < self.goal.kills {
            self.allow();
            self.wait_for_work();
            std::thread::sleep(self.random.within_millis(PAUSE_MILLIS));
            self.thaw_if_due();
            self.kill_server();
            if self.harm.kills.is_multiple_of(CARRIER_EVERY) {
                self.kill_carrier();
            }
            let every = if self.scene.cluster.nodes > 1 { FREEZE_EVERY } else { FREEZE_EVERY_ALONE };
            if self.frozen.is_none() && self.harm.kills % every == every / 2 {
                self.freeze();
            }
        }
        self.scene.shared.allowed.store(usize::MAX, Ordering::Relaxed);
        let began = Instant::now();
        while self.charges() < self.goal.charges {
            assert!(
                began.elapsed() < STUCK,
                "nothing is bought; the servers say:\n{}",
                self.scene.last_words()
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
        self.bar.end();
        self.harm
    }

    fn charges(&self) -> usize {
        if self.scene.shared.is_broken.load(Ordering::Relaxed) {
            panic!("a shipper gave up; the servers say:\n{}", self.scene.last_words());
        }
        self.scene.shared.follow_ledgers()
    }

    fn draw(&mut self) {
        let (kills, charges) = (self.harm.kills, self.charges());
        self.bar.draw((kills, self.goal.kills), (charges, self.goal.charges));
    }

    /// The part of the charges that belongs to the kills so far.
    fn share(&self) -> usize {
        self.goal.charges * self.harm.kills / self.goal.kills
    }

    /// Lets shipments be made as the kills go on, so that neither is done before the other.
    fn allow(&self) {
        self.scene.shared.allowed.store(self.share() + AHEAD, Ordering::Relaxed);
    }

    fn wait_for_work(&mut self) {
        let began = Instant::now();
        while self.charges() < self.share() && began.elapsed() < WORK_TIME {
            self.draw();
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn kill_server(&mut self) {
        let nodes = self.scene.cluster.nodes;
        let node = match &self.frozen {
            Some(frozen) if nodes > 1 => (frozen.node + 1) % nodes,
            // It is dead enough.
            Some(_) => return,
            None => self.random.below(nodes as u64) as usize,
        };
        self.scene.cluster.kill(node);
        self.harm.kills += 1;
    }

    fn kill_carrier(&mut self) {
        let carriers = &mut self.scene.carriers;
        let place = self.random.below(carriers.len() as u64) as usize;
        carriers[place].kill();
        self.harm.carrier_kills += 1;
    }

    fn freeze(&mut self) {
        let cluster = &self.scene.cluster;
        let node = self.random.below(cluster.nodes as u64) as usize;
        cluster.servers[node].signal("STOP");
        cluster.addresses.lock().unwrap()[node] = None;
        self.frozen = Some(Frozen { node, since: Instant::now() });
        self.harm.freezes += 1;
    }

    fn thaw_if_due(&mut self) {
        let Some(frozen) = self.frozen.take_if(|frozen| frozen.since.elapsed() >= FROZEN) else { return };
        let cluster = &self.scene.cluster;
        let server = &cluster.servers[frozen.node];
        server.signal("CONT");
        cluster.addresses.lock().unwrap()[frozen.node] = Some(server.address);
    }
}
