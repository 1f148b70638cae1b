//! Hints between the servers of one database, by PostgreSQL's notifications or by NATS. On SQLite there is one server,
//! which sends hints to itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::{Code, Error};
use service::events::bus::Hint;
use service::events::revocations::Children;
use service::{Random, Service, SystemRandom};
use testkit::nats::Nats;
use tokio::sync::broadcast::Receiver;
use tokio::task::JoinHandle;

use crate::setup::world::{REST, World};

/// Far longer than a hint takes.
const PATIENCE: Duration = Duration::from_secs(120);
const CHANNEL: &str = "dockside_hints";

/// A server on the bus, and the hints that it gets.
struct Node {
    service: Service,
    hints: Receiver<Hint>,
    task: JoinHandle<()>,
}

impl Node {
    /// Starts a server, and returns once it is connected to the bus.
    async fn start(service: Service) -> Self {
        let hints = service.bus.hints();
        let task = tokio::spawn(service.bus.clone().work_forever());
        let mut node = Self { service, hints, task };
        assert_eq!(node.next().await, Hint::Anything, "what was told before it listened it did not hear");
        node
    }

    async fn next(&mut self) -> Hint {
        let hint = tokio::time::timeout(PATIENCE, self.hints.recv()).await;
        hint.expect("no hint came").expect("it does not lag")
    }

    async fn wait_for(&mut self, wanted: &Hint) {
        while self.next().await != *wanted {}
    }

    fn assert_silent(&mut self) {
        assert!(self.hints.is_empty(), "{:?}", self.hints.try_recv());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns another server on the world's database. It uses NATS if its address is given, and loses a share of the hints.
fn another(world: &World, nats: Option<&str>, random: Arc<dyn Random>, hint_loss_percent: u8) -> Service {
    let mut settings = world.service.settings().clone();
    settings.nats = nats.map(|url| url.parse().expect("an address"));
    settings.hint_loss_percent = hint_loss_percent;
    Service::new(world.db.clone(), world.clock.clone(), random, settings).expect("a service")
}

/// Starts two servers that get each other's hints.
async fn two(world: &World, nats: Option<&str>) -> [Node; 2] {
    let node = || Node::start(another(world, nats, Arc::new(SystemRandom), 0));
    [node().await, node().await]
}

fn events_of(world: &World) -> Hint {
    Hint::Events([world.owner()].into())
}

/// Whichever node numbers an event, both nodes get its hint once.
async fn assert_events_are_told(world: &World, nats: Option<&str>) {
    let mut nodes = two(world, nats).await;
    for first in [0, 1] {
        world.location("Depot").await;
        assert_eq!(nodes[first].service.relay.work().await.unwrap(), 1);
        for node in &mut nodes {
            assert_eq!(node.next().await, events_of(world));
        }
    }
    // If a node had got its own hint from the bus, or the other node's twice, that hint would come before this one.
    let command = another(world, nats, Arc::new(SystemRandom), 0);
    revoke_one(world, &command).await;
    command.bus.send().await.unwrap();
    for node in &mut nodes {
        assert_eq!(node.next().await, Hint::Access);
    }
}

#[tokio::test]
async fn a_write_sends_a_hint_on_its_own_server() {
    let world = World::new().await;
    let mut hints = world.service.bus.hints();
    world.location("Depot").await;
    world.relay().await;
    assert_eq!(hints.try_recv().unwrap(), events_of(&world));
    assert!(hints.is_empty());
    world.get("/locations").await;
    assert!(hints.is_empty(), "a look is no news");
}

#[tokio::test]
async fn a_write_on_one_server_sends_a_hint_to_the_other() {
    let world = World::new().await;
    if world.db.is_shared() {
        assert_events_are_told(&world, None).await;
    } else {
        // SQLite has a single server, so the bus task has nothing to do and ends.
        let carrying = tokio::time::timeout(PATIENCE, world.service.bus.clone().work_forever());
        carrying.await.expect("it ends");
    }
}

#[tokio::test]
async fn nats_carries_hints_instead_of_the_database() {
    let world = World::new().await;
    if world.db.is_shared() {
        let mut listener = world.db.listen(CHANNEL).await.unwrap();
        let nats = Nats::start(&[]);
        assert_events_are_told(&world, Some(&nats.url())).await;
        world.db.notify(CHANNEL, "the first").await.unwrap();
        assert_eq!(listener.heard().await.unwrap(), "the first");
    }
}

#[tokio::test]
async fn nats_accepts_a_server_with_credentials() {
    let world = World::new().await;
    if !world.db.is_shared() {
        return;
    }
    let cases: [(&[&str], &str, &str); 2] = [
        (&["--user", "ada", "--pass", "lo ve/%"], "ada:lo%20ve%2F%25@", "ada:love@"),
        (&["--auth", "s3cret"], "s3cret@", ""),
    ];
    for (arguments, right, wrong) in cases {
        let nats = Nats::start(arguments);
        let url = |credentials: &str| format!("nats://{credentials}{}", nats.address);
        let stranger = another(&world, Some(&url(wrong)), Arc::new(SystemRandom), 0);
        revoke_one(&world, &stranger).await;
        let refused = stranger.bus.send().await.unwrap_err().to_string();
        assert!(refused.contains("Authorization Violation"), "{refused}");
        assert_events_are_told(&world, Some(&url(right))).await;
    }
}

/// Revokes a new token as the command line does.
async fn revoke_one(world: &World, service: &Service) {
    let token = world.token_for("Acme", "*", model::World::Live).await;
    let id = world.service.access_tokens.authenticate(&token).await.unwrap().token;
    service.revocations.revoke_any(id, Children::Revoke).await.unwrap();
}

/// Asserts that a server rejects a token that the command line revoked as soon as it gets the hint.
async fn assert_revocations_are_told(world: &World, nats: Option<&str>) {
    let [_one, mut two] = two(world, nats).await;
    let command = another(world, nats, Arc::new(SystemRandom), 0);
    let token = world.token_for("Acme", "*", model::World::Live).await;
    let id = two.service.access_tokens.authenticate(&token).await.unwrap().token;
    command.revocations.revoke_any(id, Children::Revoke).await.unwrap();
    two.service.access_tokens.authenticate(&token).await.expect("it is still remembered");
    command.bus.send().await.unwrap();
    assert_eq!(two.next().await, Hint::Access);
    let refused = two.service.access_tokens.authenticate(&token).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(problem) if problem.code == Code::Unauthenticated));
}

#[tokio::test]
async fn a_revoked_token_stops_on_the_other_server_at_once() {
    let world = World::new().await;
    if world.db.is_shared() {
        assert_revocations_are_told(&world, None).await;
        assert_revocations_are_told(&world, Some(&Nats::start(&[]).url())).await;
    }
}

#[tokio::test]
async fn revoked_access_sends_a_hint_and_a_refusal_does_not() {
    let world = World::new().await;
    let token = world.token_for("Acme", "*", model::World::Live).await;
    let token =
        format!("/access_tokens/{}", world.service.access_tokens.authenticate(&token).await.unwrap().token);
    let mut hints = world.service.bus.hints();
    for (method, path, status) in
        [("DELETE", token.as_str(), 204), ("DELETE", &token, 404), ("POST", "/events/deprovision", 204)]
    {
        let reply = world.request(method, path).send().await;
        assert_eq!(reply.status, status, "{path}: {reply}");
        assert_eq!(told(&mut hints).contains(&Hint::Access), status == 204, "{path}");
    }
}

fn told(hints: &mut Receiver<Hint>) -> Vec<Hint> {
    std::iter::from_fn(|| hints.try_recv().ok()).collect()
}

/// Draws these numbers in turn, one for each hint. A hint is lost if its number is below the percentage.
struct Fate {
    numbers: [u32; 4],
    drawn: AtomicUsize,
}

impl Random for Fate {
    fn fill(&self, bytes: &mut [u8]) {
        match <&mut [u8; 4]>::try_from(&mut *bytes) {
            Ok(number) => *number = self.numbers[self.drawn.fetch_add(1, Ordering::SeqCst)].to_be_bytes(),
            Err(_) => SystemRandom.fill(bytes),
        }
    }
}

#[tokio::test]
async fn a_share_of_other_nodes_hints_is_lost_if_a_test_asks_for_it() {
    let world = World::new().await;
    if !world.db.is_shared() {
        return;
    }
    for (percent, heard) in [(100, vec![]), (60, vec![Hint::Announcement, Hint::Anything])] {
        let fate = Arc::new(Fate { numbers: [159, 60, 0, 99], drawn: AtomicUsize::new(0) });
        let mut node = Node::start(another(&world, None, fate.clone(), percent)).await;
        // One message per hint. When the node has drawn for the last one, all others were delivered or lost.
        for word in ["access", "announcement", "access", "anything"] {
            world.db.notify(CHANNEL, &format!("1 tester {word}")).await.unwrap();
        }
        for hint in heard {
            assert_eq!(node.next().await, hint);
        }
        let judged = async {
            while fate.drawn.load(Ordering::SeqCst) < 4 {
                tokio::time::sleep(REST).await;
            }
        };
        tokio::time::timeout(PATIENCE, judged).await.expect("every hint is judged");
        node.assert_silent();
        // A node's own hints are never lost.
        world.location("Depot").await;
        node.service.relay.work().await.unwrap();
        assert_eq!(node.next().await, events_of(&world));
    }
}

/// Asserts that hints go both ways.
async fn assert_flows(world: &World, nodes: &mut [Node; 2]) {
    for (from, to) in [(0, 1), (1, 0)] {
        world.location("Depot").await;
        nodes[from].service.relay.work().await.unwrap();
        nodes[from].wait_for(&events_of(world)).await;
        nodes[to].wait_for(&events_of(world)).await;
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_is_made_anew_and_anything_may_have_happened() {
    let world = World::new().await;
    if !world.db.is_shared() {
        return;
    }
    let mut nodes = two(&world, None).await;
    // Cut the first node's connection: it may have missed hints, and so may the other node, because the first one's could
    // not be sent.
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND query LIKE 'LISTEN%' AND backend_start =
                   (SELECT min(backend_start) FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE 'LISTEN%')";
    world.tamper(cut).await;
    for node in &mut nodes {
        assert_eq!(node.next().await, Hint::Anything);
    }
    assert_flows(&world, &mut nodes).await;
}

#[tokio::test]
async fn a_nats_server_that_is_restarted_is_found_again_and_anything_may_have_happened() {
    let world = World::new().await;
    if !world.db.is_shared() {
        return;
    }
    let mut nats = Nats::start(&[]);
    let mut nodes = two(&world, Some(&nats.url())).await;
    nats.stop();
    // A node still gets its own hints.
    world.location("Depot").await;
    nodes[0].service.relay.work().await.unwrap();
    assert_eq!(nodes[0].next().await, events_of(&world));
    nats.start_again();
    for node in &mut nodes {
        assert_eq!(node.next().await, Hint::Anything);
    }
    assert_flows(&world, &mut nodes).await;
}
