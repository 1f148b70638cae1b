//! Webhooks: the rate and the delay of deliveries, and how much they slow down the API.

use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::process::Command;
use tokio::task::LocalSet;

use crate::harness::compare::median;
use crate::harness::context::Bench;
use crate::harness::load::{self, Target};
use crate::harness::outcome::Outcome;
use crate::harness::postgres::{Database, PostgresServer};
use crate::harness::process::{self, Data, Server, marked_location, request};
use crate::harness::report::{count, table};
use crate::harness::sink::Sink;
use crate::harness::times::Times;

/// Endpoints to which events are delivered at once.
const ENDPOINTS: usize = 16;
/// Writes per second while the delay is measured, and the number of connections for them.
const WRITES_PER_SECOND: usize = 1000;
const WRITERS: usize = 16;
/// Requests per second while deliveries are pending, and the number of connections for them.
const READS_PER_SECOND: usize = 800;
const READERS: usize = 8;
const PENDING: usize = 100_000;
/// How long a receiver with work to do takes to answer.
const RECEIVER_PAUSE: Duration = Duration::from_millis(5);
/// The longest wait for expected deliveries.
const WAIT_MAX: Duration = Duration::from_secs(120);
/// If no delivery comes for this long, none is pending.
const QUIET: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(2);

const RATIO_MIN: f64 = 0.5;
const LAG_MS_MAX: f64 = 250.0;
const SLOWDOWN_MAX: f64 = 1.5;

/// A server with endpoints at a sink.
struct Setup {
    server: Server,
    token: String,
    sink: Sink,
    endpoints: Vec<String>,
}

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    LocalSet::new()
        .run_until(async {
            let data = Data::sqlite(bench, "webhooks")?;
            run(bench, "SQLite", &data).await?;
            let private = PostgresServer::start().await?;
            let database = Database::create(&private.url, "bench_webhooks").await?;
            let data = Data::postgres(bench, "webhooks-postgres", database.url.clone())?;
            run(bench, "PostgreSQL", &data).await
        })
        .await
}

async fn run(bench: &mut Bench, engine: &str, data: &Data) -> Outcome<()> {
    let setup = Setup::start(data).await?;
    let rates = setup.rates(bench, engine).await?;
    let lags = setup.lags(bench, engine).await?;
    let reads = setup.reads(bench, engine).await?;
    setup.server.stop().await?;
    let ratio = rates[0].per_second / rates[1].per_second;
    let slowdown = reads[1].p99_ms / reads[0].p99_ms;
    let two = |figure: f64| format!("{figure:.2}");
    let ms = |figure: f64| format!("{figure:.1} ms");
    let micros = |figure: f64| format!("{figure:.1} us");
    let targets = &mut bench.targets;
    let named = |what: &str| format!("webhooks, {engine}: {what}");
    let kept = [
        targets.at_least(&named("deliveries to a bare client's"), ratio, RATIO_MIN, two),
        targets.below(&named("p99 from write to delivery"), lags.p99_ms, LAG_MS_MAX, ms),
        targets.below(&named("p99 of reads while 100 000 are pending"), slowdown, SLOWDOWN_MAX, two),
    ];
    let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
    let rows = [
        row(["", "figure", "beside", ""]),
        row([
            &format!("deliveries/s to {ENDPOINTS} endpoints"),
            &count(rates[0].per_second),
            &format!("bare client {}", count(rates[1].per_second)),
            &format!("{} of it, {}", two(ratio), kept[0]),
        ]),
        row([
            "processor time of each",
            &micros(rates[0].cpu_micros),
            &format!("bare client {}", micros(rates[1].cpu_micros)),
            "",
        ]),
        row([
            &format!("write to delivery, {} writes/s", count(WRITES_PER_SECOND as f64)),
            &format!("p50 {}", ms(lags.p50_ms)),
            &format!("p99 {}", ms(lags.p99_ms)),
            &kept[1],
        ]),
        row([
            &format!("GET, {} a second, nothing pending", count(READS_PER_SECOND as f64)),
            &format!("p50 {}", ms(reads[0].p50_ms)),
            &format!("p99 {}", ms(reads[0].p99_ms)),
            "",
        ]),
        row([
            "the same while 100 000 deliveries are pending",
            &format!("p50 {}", ms(reads[1].p50_ms)),
            &format!("p99 {}", ms(reads[1].p99_ms)),
            &format!("{} times, {}", two(slowdown), kept[2]),
        ]),
        row([
            "the same while they drain at full speed",
            &format!("p50 {}", ms(reads[2].p50_ms)),
            &format!("p99 {}", ms(reads[2].p99_ms)),
            &format!("{} times", two(reads[2].p99_ms / reads[0].p99_ms)),
        ]),
    ];
    bench.print(&format!("\nWebhooks, {engine}\n{}", table(&rows)))
}

impl Setup {
    async fn start(data: &Data) -> Outcome<Self> {
        let token = data.token().await?;
        let server = data.serve().await?;
        let sink = Sink::listen()?;
        let mut setup = Self { server, token, sink, endpoints: Vec::new() };
        setup.ask("POST", "/events/provision", "").await?;
        for place in 0..ENDPOINTS {
            let body = format!(r#"{{"url":"http://{}/{place}"}}"#, setup.sink.address);
            let made = setup.ask("POST", "/webhook_endpoints", &body).await?;
            setup.endpoints.push(process::id(&made)?);
        }
        Ok(setup)
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> Outcome<Vec<u8>> {
        let request = request(method, path, Some(&self.token), body);
        Ok(load::ask(&self.server.target(request)).await?)
    }

    /// Writes events as fast as possible, and waits until all endpoints have them.
    async fn fill(&self, events: usize) -> Outcome<()> {
        let (server, token) = (&self.server, &self.token);
        self.sink.reset(Duration::ZERO);
        let requests: Vec<_> = (0..events).map(|mark| marked_location(token, mark)).collect();
        let mut sent = 0;
        for chunk in requests.chunks(events.div_ceil(WRITERS)) {
            let target = Target { address: server.address, requests: chunk.into() };
            sent += load::each(&target).await?;
        }
        self.wait(sent * self.endpoints.len()).await.map(drop)
    }

    /// Waits until this number of deliveries came, and returns how long that took from the first one on.
    async fn wait(&self, deliveries: usize) -> Outcome<Duration> {
        let began = Instant::now();
        let mut first = None;
        while self.sink.count() < deliveries {
            if self.sink.count() > 0 {
                first.get_or_insert_with(Instant::now);
            }
            if began.elapsed() > WAIT_MAX {
                return Err(format!("{} of {deliveries} deliveries came", self.sink.count()).into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(first.unwrap_or(began).elapsed())
    }

    /// Delivers everything after a sequence again, to this number of endpoints.
    async fn replay(&self, endpoints: usize, after: usize) -> Outcome<()> {
        for endpoint in &self.endpoints[..endpoints] {
            let path = format!("/webhook_endpoints/{endpoint}/replay");
            self.ask("POST", &path, &format!(r#"{{"after_sequence":{after}}}"#)).await?;
        }
        Ok(())
    }

    /// Measures deliveries per second: of the product, and of a bare client that posts the same bytes to the same
    /// sink.
    async fn rates(&self, bench: &Bench, engine: &str) -> Outcome<[Rate; 2]> {
        let events = bench.plan.webhook_events;
        bench.progress(&format!("webhooks, {engine}: writing"));
        self.fill(events).await?;
        let total = events * ENDPOINTS;
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        for round in 1..=bench.plan.rounds {
            bench.progress(&format!("webhooks, {engine}: deliveries, round {round}"));
            self.sink.reset(Duration::ZERO);
            let spent = self.server.cpu()?;
            self.replay(ENDPOINTS, 0).await?;
            let taken = self.wait(total).await?;
            ours.push(Rate::of(total, taken, self.server.cpu()? - spent));
            self.sink.reset(Duration::ZERO);
            bare.push(self.post(bench, total).await?);
        }
        Ok([Rate::median(&ours), Rate::median(&bare)])
    }

    /// Runs the bare client, and returns how many requests it posted per second.
    async fn post(&self, bench: &Bench, total: usize) -> Outcome<Rate> {
        let file = bench.folder.join("delivery.http");
        std::fs::write(&file, self.sink.sample())?;
        let mut client = Command::new(std::env::current_exe()?);
        client.arg("--post").arg(file).args(["--listen", &self.sink.address.to_string()]);
        client.args(["--connections", &ENDPOINTS.to_string(), "--requests", &total.to_string()]);
        let client = client.stdout(std::process::Stdio::piped()).kill_on_drop(true).spawn()?;
        let taken = self.wait(total).await?;
        let output = client.wait_with_output().await?;
        let spent = Duration::from_micros(std::str::from_utf8(&output.stdout)?.parse()?);
        Ok(Rate::of(total, taken, spent))
    }

    /// Measures the time from sending a write until its event is delivered, at a constant rate of writes. Only one
    /// endpoint is measured.
    async fn lags(&self, bench: &Bench, engine: &str) -> Outcome<Times> {
        bench.progress(&format!("webhooks, {engine}: lag"));
        self.sink.reset(Duration::ZERO);
        let writes = WRITES_PER_SECOND * bench.plan.lag_seconds;
        let requests: Vec<_> = (0..writes).map(|mark| marked_location(&self.token, mark)).collect();
        // One endpoint only: sixteen times as many deliveries as writes would measure the limits of the machine.
        for endpoint in &self.endpoints[1..] {
            self.ask("PATCH", &format!("/webhook_endpoints/{endpoint}"), r#"{"disabled":true}"#).await?;
        }
        let sent = load::pace(self.server.address, Rc::new(requests), WRITERS, WRITES_PER_SECOND).await?;
        self.wait(writes).await?;
        let lag = |(mark, sent): (usize, &load::Sent)| Some(self.sink.arrival(mark)? - sent.began);
        let lags = sent.iter().enumerate().filter_map(lag).collect();
        for endpoint in &self.endpoints[1..] {
            self.ask("PATCH", &format!("/webhook_endpoints/{endpoint}"), r#"{"disabled":false}"#).await?;
        }
        self.wait(writes * ENDPOINTS).await?;
        Times::of(lags)
    }

    /// Measures reads at a constant rate: without deliveries, while many deliveries are pending at slow receivers,
    /// and while as many are delivered as fast as possible.
    async fn reads(&self, bench: &Bench, engine: &str) -> Outcome<[Times; 3]> {
        let events = PENDING / ENDPOINTS;
        let there = WRITES_PER_SECOND * bench.plan.lag_seconds + bench.plan.webhook_events;
        if there < events {
            bench.progress(&format!("webhooks, {engine}: writing"));
            self.fill(events - there).await?;
        }
        let id = process::id(&self.ask("POST", "/locations", process::LOCATION).await?)?;
        let read = request("GET", &format!("/locations/{id}"), Some(&self.token), "");
        let requests = Rc::new(vec![read; READS_PER_SECOND]);
        let (mut idle, mut pending, mut draining) = (Vec::new(), Vec::new(), Vec::new());
        for round in 1..=bench.plan.rounds {
            bench.progress(&format!("webhooks, {engine}: reads, round {round}"));
            idle.extend(self.read(&requests).await?);
            for (pause, times) in [(RECEIVER_PAUSE, &mut pending), (Duration::ZERO, &mut draining)] {
                self.sink.reset(pause);
                self.replay(ENDPOINTS, 0).await?;
                times.extend(self.read(&requests).await?);
                if self.sink.count() >= PENDING {
                    return Err("the deliveries were over before the reads were".into());
                }
                if self.sink.count() == 0 {
                    return Err("nothing was delivered while it was read".into());
                }
                self.sink.reset(Duration::ZERO);
            }
            self.settle().await;
        }
        Ok([Times::of(idle)?, Times::of(pending)?, Times::of(draining)?])
    }

    /// Waits until no more deliveries come.
    async fn settle(&self) {
        let mut before = None;
        while before != Some(self.sink.count()) {
            before = Some(self.sink.count());
            tokio::time::sleep(QUIET).await;
        }
    }

    async fn read(&self, requests: &Rc<Vec<bytes::Bytes>>) -> Outcome<Vec<Duration>> {
        let sent = load::pace(self.server.address, Rc::clone(requests), READERS, READS_PER_SECOND).await?;
        Ok(sent.iter().map(|sent| sent.ended - sent.began).collect())
    }
}

/// The rate of deliveries, and the sender's processor time for each.
struct Rate {
    per_second: f64,
    cpu_micros: f64,
}

impl Rate {
    fn of(deliveries: usize, taken: Duration, spent: Duration) -> Self {
        let deliveries = deliveries as f64;
        Self {
            per_second: deliveries / taken.as_secs_f64(),
            cpu_micros: spent.as_secs_f64() * 1e6 / deliveries,
        }
    }

    fn median(rates: &[Self]) -> Self {
        Self {
            per_second: median(rates.iter().map(|rate| rate.per_second)),
            cpu_micros: median(rates.iter().map(|rate| rate.cpu_micros)),
        }
    }
}
