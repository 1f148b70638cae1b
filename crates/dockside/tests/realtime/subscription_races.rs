//! Subscribers that join while writers write: each must get every event after its start, once and in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use testkit::client::Client;
use testkit::cluster::Cluster;
use testkit::random::Random;
use tokio::sync::watch;

use crate::follower::{Counts, Follower, lags};
use crate::log::Log;
use crate::stream_account::StreamAccount;
use crate::websocket_client::{Ask, Place};
use crate::writers::Writers;

const WRITES_USUAL: u64 = 10_000;
const SUBSCRIBERS: u64 = 20;
/// The last so many parts of the writes come after the last subscriber was started.
const LAST_PARTS: u64 = 4;
/// A subscriber that starts from an older position has missed fewer events than this. With more it would have to reload.
const MISSED_MAX: u64 = 600;

#[test]
fn subscribers_that_race_with_writes_hear_everything_once_and_in_order() {
    let writes = std::env::var("STREAM_WRITES").map_or(WRITES_USUAL, |text| text.parse().expect("a number"));
    let mut random = Random::seeded("race");
    let mut cluster = Cluster::start_with(&["--realtime-user-max", "100"]);
    let account = StreamAccount::open(first_address(&cluster), &cluster.token);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (tell, goal) = watch::channel(None);
    let counts = Arc::new(Counts::default());
    let writers =
        Writers::start_beside(&cluster.addresses, &cluster.token, writes, Some(Arc::clone(&counts)));
    let mut followers = Vec::new();
    for number in 0..SUBSCRIBERS {
        // Start each subscriber at another moment, all before the last write.
        let part = writes / (SUBSCRIBERS + LAST_PARTS);
        writers.wait_for(part * number + random.below(part));
        let (from, position) = if number % 2 == 1 {
            // Stop the writers before the position is read. Else they could get too far ahead of it before the follower counts.
            let position = counts.wait_for_follower(Some(0));
            let written = writers.acknowledged();
            let place = older_place(&mut cluster.client(0), written, &mut random);
            position.store(place.offset, Ordering::Relaxed);
            (Some(place), position)
        } else {
            (None, counts.wait_for_follower(None))
        };
        let follower = Follower {
            addresses: Arc::clone(&cluster.addresses),
            node: number as usize,
            ask: ask(&account, number % 4 >= 2),
            from,
            counts: Arc::clone(&counts),
            position,
        };
        assert!(writers.acknowledged() < writes, "the writes were over before all had joined");
        followers.push(runtime.spawn(follower.run(goal.clone())));
    }
    let written = writers.finish();
    let log = Log::read(&mut cluster.client(0), written.acknowledged);
    tell.send_replace(Some(log.head()));
    let stories: Vec<_> = followers.into_iter().map(|follower| runtime.block_on(follower).unwrap()).collect();
    for (number, story) in stories.iter().enumerate() {
        log.judge(&format!("subscriber {number}"), story);
    }
    let recovered: usize = stories.iter().map(|story| story.recovered).sum();
    let raced = stories.iter().filter(|story| story.start < log.head() && !story.heard.is_empty()).count();
    assert_eq!(raced as u64, SUBSCRIBERS, "a subscriber joined when all was over");
    let rejoins: u32 = stories.iter().map(|story| story.joins - 1).sum();
    println!(
        "realtime on {}: {} writes in {:.1} s, {SUBSCRIBERS} subscribers joined meanwhile, half from an older place; {} \
         events heard, {recovered} of them recovered, none missing, none twice, in order; {rejoins} cut off and back; \
         commit to arrival {}",
        cluster.engine,
        written.acknowledged,
        written.took.as_secs_f64(),
        stories.iter().map(|story| story.heard.len()).sum::<usize>(),
        lags(&stories),
    );
    cluster.stop();
}

/// Joins by a connection token that includes the channel, or by a subscription token if `is_alone`.
pub fn ask(account: &StreamAccount, is_alone: bool) -> Ask {
    let token = if is_alone { &account.narrow } else { &account.connection };
    let subscription = is_alone.then(|| account.subscription.clone());
    Ask { token: token.clone(), channel: account.channel.clone(), subscription }
}

/// Returns an older position of the log. The log's last number may be behind what was written, which counts as missed too.
fn older_place(client: &mut Client, written: u64, random: &mut Random) -> Place {
    let reply = client.get("/locations?limit=1");
    let header = |name: &str| reply.header(name).unwrap_or_else(|| panic!("no {name}")).to_owned();
    let numbered: u64 = header("stream-offset").parse().expect("a number");
    let last = numbered.max(written);
    let older = last - random.below(MISSED_MAX.min(last + 1));
    Place { offset: older.min(numbered), epoch: header("stream-epoch") }
}

/// Returns the address of the first server.
pub fn first_address(cluster: &Cluster) -> SocketAddr {
    cluster.addresses.lock().unwrap()[0].expect("a server that is there")
}
