//! The run: it writes events and kills servers. When every healthy endpoint has everything, it judges the result.

use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::client::Client;
use testkit::cluster::Cluster;
use testkit::progress::Progress;
use testkit::random::Random;
use testkit::resources::create_location;
use testkit::server::wait_until;

use crate::endpoint_behaviour::{EndpointBehaviour, FAULTY};
use crate::endpoints::{self, Closed, Endpoint, deliveries};
use crate::judge::{FaultyOutcome, Judge, Tally};
use crate::kills::{self, Kill, KillPlan};
use crate::log::Log;
use crate::receivers::{Receivers, Record};
use crate::waiting::{STUCK, wait_for};
use crate::writers::{Journal, Writers};

const HEALTHY: usize = 13;
const EVENTS_USUAL: u64 = 20_000;
const KILLS_USUAL: u64 = 5;
/// Events before there is any endpoint: no endpoint gets them, except by a replay.
const EARLY: u32 = 10;
/// The healthy endpoint whose receiver loses everything.
const LOST: usize = 0;
/// Bodies that are compared with the log, field by field.
const COMPARED: usize = 100;
/// The lag is measured on events that were made at least this long before the first kill.
const BEFORE_KILL_US: i64 = 1_000_000;

struct Run {
    cluster: Cluster,
    receivers: Receivers,
    endpoints: Vec<Endpoint>,
    start: u32,
    _closed: Closed,
}

/// What happened until all was delivered.
struct WritePhase {
    log: Log,
    kills: Vec<Kill>,
    journal: Journal,
    wrote: Duration,
    delivered: Duration,
}

#[test]
fn every_healthy_endpoint_gets_everything_in_order_although_servers_are_killed() {
    let events = number("WEBHOOK_EVENTS", EVENTS_USUAL);
    let kills = number("WEBHOOK_KILLS", KILLS_USUAL);
    assert!(
        kills > 0 && events >= 100 * (kills + 2),
        "a run without kills, or with few events, shows nothing"
    );
    let mut random = Random::seeded("deliveries");
    let mut run = Run::start(&mut random);
    let phase = run.write_and_kill(events, kills, &mut random);
    phase.log.check_promises(&phase.journal);
    run.judge(&phase);
    run.replay(&phase.log);
    run.receivers.end_silence();
    run.cluster.stop();
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a whole number"))
}

impl Run {
    fn start(random: &mut Random) -> Self {
        let cluster = Cluster::start_with(&["--outbound-allow", "127.0.0.0/8"]);
        let behaviours = [&[EndpointBehaviour::Healthy; HEALTHY][..], &FAULTY].concat();
        let (receivers, closed) = (Receivers::start(&behaviours, random), Closed::new());
        let mut client = cluster.client(0);
        for _ in 0..EARLY {
            create_location(&mut client);
        }
        wait_until("the early events have their numbers", STUCK, || Log::read(&mut client).head() == EARLY);
        let endpoints = endpoints::create(&mut client, &behaviours, receivers.address, closed.address);
        Self { cluster, receivers, endpoints, start: EARLY, _closed: closed }
    }

    fn write_and_kill(&mut self, events: u64, kills: u64, random: &mut Random) -> WritePhase {
        let began = Instant::now();
        let writers = Writers::start(&self.cluster, events);
        let mut progress = Progress::new("writing");
        let plan =
            KillPlan { writers: &writers, receivers: &self.receivers, healthy: HEALTHY, events, kills };
        let kills = kills::inflict(&mut self.cluster, &plan, random, &mut progress);
        wait_for("writing", events, &mut progress, || writers.acknowledged());
        progress.end();
        let journal = writers.finish();
        let wrote = began.elapsed();
        let log = self.read_log(&journal);
        self.wait_for_taken("delivering", 0..HEALTHY, (log.head() - self.start) as usize);
        WritePhase { log, kills, journal, wrote, delivered: began.elapsed() }
    }

    /// The log, once the last event has its number.
    fn read_log(&self, journal: &Journal) -> Log {
        let mut client = self.cluster.client(0);
        let least = journal.acknowledged.len() + EARLY as usize;
        let mut log = Log::read(&mut client);
        wait_until("every event has its number", STUCK, || {
            let before = log.head();
            log.read_on(&mut client);
            log.head() as usize >= least && log.head() == before
        });
        log
    }

    /// Waits until these endpoints have accepted so many events each.
    fn wait_for_taken(&self, what: &'static str, endpoints: Range<usize>, each: usize) {
        let goal = (each * endpoints.len()) as u64;
        let taken = |endpoint| self.receivers.with(endpoint, |record| record.taken as u64);
        let mut progress = Progress::new(what);
        wait_for(what, goal, &mut progress, || endpoints.clone().map(taken).sum());
        progress.end();
    }

    fn judge(&self, phase: &WritePhase) {
        let judge = Judge { log: &phase.log, kills: &phase.kills, start: self.start };
        let (mut tally, mut lags) = (Tally::default(), Vec::new());
        for endpoint in &self.endpoints[..HEALTHY] {
            self.receivers.with(endpoint.number, |record| {
                judge.check_healthy(endpoint, record, &mut tally).unwrap_or_else(|what| panic!("{what}"));
                lags.extend(lags_of(record, phase));
            });
        }
        let mut client = self.cluster.client(0);
        self.compare_bodies(&mut client);
        self.report(phase, &tally, lags);
        for endpoint in &self.endpoints[HEALTHY..] {
            let told = deliveries(&mut client, endpoint);
            let look = |record: &Record| judge.check_faulty(endpoint, &told, record);
            let outcome = self.receivers.with(endpoint.number, look).unwrap_or_else(|what| panic!("{what}"));
            self.report_faulty(endpoint.behaviour, &outcome);
        }
        let interrupted = phase.kills.iter().filter(|kill| kill.cut > 0).count();
        assert!(
            interrupted * 3 >= phase.kills.len(),
            "only {interrupted} kills met deliveries under way: void"
        );
        let duplicates: usize = tally.duplicates.iter().sum();
        assert!(duplicates > 0, "nothing came twice: the kills met nothing unrecorded, so this run is void");
    }

    /// Asserts that a posted body is the event as the API shows it, with the event's time as `timestamp`.
    fn compare_bodies(&self, client: &mut Client) {
        let samples = self.receivers.with(LOST, |record| record.samples.clone());
        for message in samples.iter().step_by(samples.len() / COMPARED + 1) {
            let mut posted: Value = serde_json::from_str(&message.body).expect("JSON");
            let moment = posted.as_object_mut().expect("an object").remove("timestamp");
            let shown = client.get(&format!("/events/{}", message.id)).json();
            assert_eq!((&posted, moment.as_ref()), (&shown, shown.get("created_at")));
        }
    }

    fn report(&self, phase: &WritePhase, tally: &Tally, mut lags: Vec<i64>) {
        let (engine, nodes) = (self.cluster.engine, self.cluster.nodes);
        let WritePhase { log, kills, journal, .. } = phase;
        let (wrote, delivered) = (phase.wrote.as_secs_f64(), phase.delivered.as_secs_f64());
        println!(
            "webhooks on {engine}, {nodes} servers: {} kills, {} events written in {wrote:.1} s, {} deliveries \
             to {HEALTHY} healthy endpoints complete and in order after {delivered:.1} s; {} signatures verified; {} \
             broken connections of writers",
            kills.len(),
            log.head() - self.start,
            tally.deliveries,
            tally.samples,
            journal.broken,
        );
        for (number, (kill, again)) in kills.iter().zip(&tally.duplicates).enumerate() {
            let (away, still) = ((kill.back_at - kill.at) / 1000, kill.still / 1000);
            println!(
                "webhooks on {engine}: kill {} of server {}: {} connections to receivers cut, {again} events came \
                 twice, away for {away} ms; the machine had stood still for {still} ms",
                number + 1,
                kill.node,
                kill.cut
            );
        }
        let total: usize = tally.duplicates.iter().sum();
        let oldest = tally.oldest_duplicate_us / 1000;
        println!(
            "webhooks on {engine}: {total} came twice, the oldest {oldest} ms old at its kill, none without one"
        );
        lags.sort_unstable();
        let part = |percent: usize| lags.get(lags.len() * percent / 100).map_or(0, |lag| lag / 1000);
        println!(
            "webhooks on {engine}: from commit to arrival p50 {} ms, p99 {} ms ({} arrivals of what was written before the first kill)",
            part(50),
            part(99),
            lags.len()
        );
    }

    fn report_faulty(&self, behaviour: EndpointBehaviour, outcome: &FaultyOutcome) {
        let FaultyOutcome { taken, failures, waiting, ahead } = outcome;
        println!(
            "webhooks on {}: {behaviour:?}: {taken} taken, {failures} answered with a failure, {waiting} set aside, \
             {ahead} ahead, none forgotten",
            self.cluster.engine
        );
    }

    /// Asserts that a receiver that lost everything gets it again by a replay, from the first event of the log on.
    fn replay(&self, log: &Log) {
        let began = Instant::now();
        self.receivers.forget(LOST);
        let mut client = self.cluster.client(0);
        let path = format!("/webhook_endpoints/{}/replay", self.endpoints[LOST].id);
        let reply = client.post(&path, &json!({ "after_sequence": 0 }).to_string());
        assert_eq!(reply.status, 200, "{reply:?}");
        self.wait_for_taken("replaying", LOST..LOST + 1, log.head() as usize);
        let judge = Judge { log, kills: &[], start: 0 };
        let mut tally = Tally::default();
        let look = |record: &Record| judge.check_healthy(&self.endpoints[LOST], record, &mut tally);
        self.receivers.with(LOST, look).unwrap_or_else(|what| panic!("{what}"));
        println!(
            "webhooks on {}: a replay filled a lost endpoint with {} events, in order, none twice, in {:.1} s",
            self.cluster.engine,
            tally.deliveries,
            began.elapsed().as_secs_f64()
        );
    }
}

/// How long each event took to arrive, while no server had been killed yet.
fn lags_of(record: &Record, phase: &WritePhase) -> Vec<i64> {
    let until = phase.kills[0].at - BEFORE_KILL_US;
    let early = record.arrivals.iter().filter_map(|arrival| {
        let event = phase.log.get(arrival.sequence).filter(|event| event.created_at < until)?;
        Some(arrival.at - event.created_at)
    });
    early.collect()
}
