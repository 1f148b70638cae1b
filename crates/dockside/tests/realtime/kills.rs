//! Servers that are killed while clients are connected. The clients reconnect, to another server or the same, and miss nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::server::wait_until;
use tokio::sync::watch;

use crate::follower::{Counts, Follower};
use crate::log::{Log, STUCK};
use crate::stream_account::StreamAccount;
use crate::subscription_races::{ask, first_address};
use crate::writers::Writers;

const WRITES: u64 = 4_000;
const KILLS: u64 = 2;
/// Clients of each server.
const CLIENTS: usize = 6;

#[test]
fn clients_of_a_killed_server_come_back_and_have_missed_nothing() {
    let mut random = Random::seeded("kills");
    let mut cluster = Cluster::start_with(&["--realtime-user-max", "100"]);
    let account = StreamAccount::open(first_address(&cluster), &cluster.token);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (tell, goal) = watch::channel(None);
    let counts = Arc::new(Counts::default());
    let mut followers = Vec::new();
    for number in 0..CLIENTS * cluster.nodes {
        let follower = Follower {
            addresses: Arc::clone(&cluster.addresses),
            node: number % cluster.nodes,
            ask: ask(&account, number / cluster.nodes % 2 == 1),
            from: None,
            counts: Arc::clone(&counts),
            position: counts.wait_for_follower(None),
        };
        followers.push(runtime.spawn(follower.run(goal.clone())));
    }
    let writers =
        Writers::start_beside(&cluster.addresses, &cluster.token, WRITES, Some(Arc::clone(&counts)));
    let part = WRITES / (KILLS + 1);
    for kill in 0..KILLS {
        writers.wait_for(part * kill + part / 2 + random.below(part / 2));
        // Kill while the server publishes events to clients.
        let before = counts.told.load(Ordering::Relaxed);
        wait_until("clients are told", STUCK, || counts.told.load(Ordering::Relaxed) > before + 20);
        cluster.kill(kill as usize % cluster.nodes);
    }
    let written = writers.finish();
    let mut client = cluster.client(0);
    let log = Log::read(&mut client, written.acknowledged);
    tell.send_replace(Some(log.head()));
    let stories: Vec<_> = followers.into_iter().map(|follower| runtime.block_on(follower).unwrap()).collect();
    for (number, story) in stories.iter().enumerate() {
        log.judge(&format!("client {number}"), story);
    }
    let cut: usize = stories.iter().map(|story| story.closes.len()).sum();
    let recovered: usize = stories.iter().map(|story| story.recovered).sum();
    assert!(cut >= CLIENTS * KILLS as usize, "the kills cut off only {cut}");
    assert!(recovered > 0, "no client had missed anything: this run is void");
    println!(
        "realtime on {}, servers: {}, {KILLS} kills in a burst of {} writes ({:.1} s, {} broken connections of writers); {} \
         clients were cut off {cut} times, {recovered} events recovered, {} heard in all: the log, once and in order",
        cluster.engine,
        cluster.nodes,
        log.0.len(),
        written.took.as_secs_f64(),
        written.broken,
        stories.len(),
        stories.iter().map(|story| story.heard.len()).sum::<usize>(),
    );
    drop(client);
    cluster.stop();
}
