//! Streams: the cost of a connected client, the cost of a publication, and the delay until it arrives.

use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::task::LocalSet;

use crate::harness::compare::median;
use crate::harness::context::Bench;
use crate::harness::listeners::Listeners;
use crate::harness::load::{self, Target};
use crate::harness::outcome::Outcome;
use crate::harness::postgres::{Database, PostgresServer};
use crate::harness::process::{self, Data, Server, marked_location, request};
use crate::harness::report::{count, table};
use crate::harness::times::Times;

/// Idle clients, and clients that receive a burst.
const IDLE: usize = 10_000;
const LISTENERS: usize = 1000;
/// Events in a burst, few enough that no client that reads falls behind, and the number of bursts in a round.
const BURST: usize = 100;
const BURSTS: usize = 10;
/// Clients while the delay is measured.
const FEW: usize = 16;
const WRITES_PER_SECOND: usize = 1000;
const WRITERS: usize = 16;
/// The wait for earlier work to finish.
const QUIET: Duration = Duration::from_millis(100);
/// How long the server rests before its memory is read.
const REST: Duration = Duration::from_secs(2);

const KIB_MAX: f64 = 12.0;
const RATIO_MIN: f64 = 0.7;
const LAG_MS_MAX: f64 = 50.0;
/// Settings that raise limits which are not measured here.
const OPEN: &[&str] =
    &["--realtime-user-max", "100000", "--realtime-organisation-max", "100000", "--connections-max", "18000"];

/// A server with an event stream.
struct Setup {
    server: Server,
    token: String,
    stream_token: String,
}

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    LocalSet::new()
        .run_until(async {
            let data = Data::sqlite(bench, "realtime")?;
            let setup = Setup::start(&data).await?;
            idle(bench, &setup).await?;
            burst(bench, &setup).await?;
            lag(bench, &setup, "SQLite").await?;
            setup.server.stop().await?;
            let private = PostgresServer::start().await?;
            let database = Database::create(&private.url, "bench_realtime").await?;
            let data = Data::postgres(bench, "realtime-postgres", database.url.clone())?;
            let setup = Setup::start(&data).await?;
            lag(bench, &setup, "PostgreSQL").await?;
            setup.server.stop().await
        })
        .await
}

impl Setup {
    async fn start(data: &Data) -> Outcome<Self> {
        let token = data.token().await?;
        let server = data.serve_with(OPEN).await?;
        let ask = async |method: &str, path: &str| -> Outcome<Vec<u8>> {
            Ok(load::ask(&server.target(request(method, path, Some(&token), ""))).await?)
        };
        ask("POST", "/events/provision").await?;
        // The token is the first field.
        let stream_token = process::id(&ask("GET", "/events/connection_token").await?)?;
        Ok(Self { server, token, stream_token })
    }

    async fn listen(&self, count: usize) -> Outcome<Listeners> {
        Listeners::connect(self.server.address, count, Some(&self.stream_token)).await
    }

    async fn write(&self) -> Outcome<()> {
        Ok(load::ask(&self.server.target(marked_location(&self.token, 0))).await.map(drop)?)
    }
}

/// Measures the cost of an idle client, and checks that all of them receive an event.
async fn idle(bench: &mut Bench, setup: &Setup) -> Outcome<()> {
    bench.progress("streams: clients that only listen");
    setup.listen(FEW).await?;
    tokio::time::sleep(REST).await;
    let before = setup.server.resident_mib()?;
    let began = Instant::now();
    let listeners = setup.listen(IDLE).await?;
    let opened = began.elapsed();
    tokio::time::sleep(REST).await;
    let kib = (setup.server.resident_mib()? - before) * 1024.0 / IDLE as f64;
    listeners.reset(0);
    let began = Instant::now();
    setup.write().await?;
    listeners.wait(IDLE).await?;
    let heard = began.elapsed();
    let show = |figure: f64| format!("{figure:.1} KiB");
    let kept = bench.targets.below("streams: memory of an idle client", kib, KIB_MAX, show);
    let rows = [
        ["", "figure", ""].map(str::to_owned).to_vec(),
        vec![format!("memory of an idle client, of {}", count(IDLE as f64)), show(kib), kept],
        vec![
            "clients a second that connect, with a token for 13 channels".to_owned(),
            count(IDLE as f64 / opened.as_secs_f64()),
            String::new(),
        ],
        vec![
            format!("from a write until all {} have its event", count(IDLE as f64)),
            format!("{:.0} ms", heard.as_secs_f64() * 1000.0),
            String::new(),
        ],
    ];
    bench.print(&format!("\nStreams, SQLite\n{}", table(&rows)))
}

/// Measures publications per second of the server's processor time: of the product, and of a bare broadcaster with
/// the same bytes. A burst is one operation with many events, so that both sides get it at once. The product's time
/// includes that operation.
async fn burst(bench: &mut Bench, setup: &Setup) -> Outcome<()> {
    let order = Order::new(setup).await?;
    let listeners = setup.listen(LISTENERS).await?;
    let bare = Server::broadcaster().await?;
    let bare_listeners = Listeners::connect(bare.address, LISTENERS, None).await?;
    order.allocate(setup).await?;
    let message = sample(setup).await?;
    order.free(setup).await?;
    let path = format!("/publish/{BURST}");
    let publish = Target { address: bare.address, requests: [request("POST", &path, None, &message)].into() };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 1..=bench.plan.rounds {
        bench.progress(&format!("streams: bursts, round {round}"));
        tokio::time::sleep(QUIET).await;
        let spent = setup.server.cpu()?;
        for place in 0..BURSTS {
            listeners.reset(0);
            match place % 2 {
                0 => order.allocate(setup).await?,
                _ => order.free(setup).await?,
            }
            // In addition to the allocations, the reservation changes.
            listeners.wait((BURST + 1) * LISTENERS).await?;
        }
        ours.push((setup.server.cpu()? - spent).as_secs_f64());
        let spent = bare.cpu()?;
        for _ in 0..BURSTS {
            bare_listeners.reset(0);
            load::each(&publish).await?;
            bare_listeners.wait(BURST * LISTENERS).await?;
        }
        theirs.push((bare.cpu()? - spent).as_secs_f64());
    }
    bare.stop().await?;
    let publications = |events: usize| (BURSTS * events * LISTENERS) as f64;
    let ours = publications(BURST + 1) / median(ours.into_iter());
    let theirs = publications(BURST) / median(theirs.into_iter());
    let show = |figure: f64| format!("{figure:.2}");
    let what = "streams: publications per CPU-second to a bare axum's";
    let kept = bench.targets.at_least(what, ours / theirs, RATIO_MIN, show);
    bench.print(&format!(
        "publications per CPU-second, bursts of {BURST} to {LISTENERS} clients: {}; bare axum {}; {} of it, {kept}\n",
        count(ours),
        count(theirs),
        show(ours / theirs)
    ))
}

/// An order of which much can be allocated at once.
struct Order {
    allocate: Bytes,
    free: Bytes,
}

impl Order {
    async fn new(setup: &Setup) -> Outcome<Self> {
        let make = async |path: &str, body: &str| -> Outcome<String> {
            let request = request("POST", path, Some(&setup.token), body);
            process::id(&load::ask(&setup.server.target(request)).await?)
        };
        let location = make("/locations", process::LOCATION).await?;
        let item = make("/inventory_items", r#"{"sku":"burst","name":"Burst"}"#).await?;
        let order =
            make("/orders", &format!(r#"{{"items":[{{"id":"{item}","quantity":{BURST}}}]}}"#)).await?;
        let one = format!(r#"{{"location":{{"id":"{location}"}},"items":[{{"id":"{item}","quantity":1}}]}}"#);
        let body = format!(r#"{{"allocations":[{}]}}"#, vec![one; BURST].join(","));
        let path = format!("/allocations/orders/{order}");
        Ok(Self {
            allocate: request("POST", &path, Some(&setup.token), &body),
            free: request("DELETE", &path, Some(&setup.token), ""),
        })
    }

    async fn allocate(&self, setup: &Setup) -> Outcome<()> {
        Ok(load::ask(&setup.server.target(self.allocate.clone())).await.map(drop)?)
    }

    async fn free(&self, setup: &Setup) -> Outcome<()> {
        Ok(load::ask(&setup.server.target(self.free.clone())).await.map(drop)?)
    }
}

/// Returns a publication as the product writes it.
async fn sample(setup: &Setup) -> Outcome<String> {
    let events = load::ask(&setup.server.target(request(
        "GET",
        "/events?limit=1&type=allocation.created",
        Some(&setup.token),
        "",
    )))
    .await?;
    let page: serde_json::Value = serde_json::from_str(process::body(&events)?)?;
    let event = &page["data"][0];
    let channel = "allocations:org_00000000000000000000000000#usr_00000000000000000000000000";
    Ok(format!(
        r#"{{"push":{{"channel":"{channel}","pub":{{"data":{event},"offset":{}}}}}}}"#,
        event["sequence"]
    ))
}

/// Measures the time from sending a write until a client has its event, at a constant rate of writes.
async fn lag(bench: &mut Bench, setup: &Setup, engine: &str) -> Outcome<()> {
    bench.progress(&format!("streams, {engine}: lag"));
    let listeners = setup.listen(FEW).await?;
    let writes = WRITES_PER_SECOND * bench.plan.lag_seconds;
    listeners.reset(writes);
    let requests: Vec<_> = (0..writes).map(|mark| marked_location(&setup.token, mark)).collect();
    let sent = load::pace(setup.server.address, Rc::new(requests), WRITERS, WRITES_PER_SECOND).await?;
    listeners.wait(writes * FEW).await?;
    let arrivals = listeners.arrivals();
    // The event may arrive before the client has read the answer that confirms the commit.
    let lag = |(sent, arrived): (&load::Sent, &Option<Instant>)| {
        Some((*arrived)?.saturating_duration_since(sent.began))
    };
    let lags: Vec<Duration> = sent.iter().zip(&arrivals).filter_map(lag).collect();
    if lags.len() < writes * 99 / 100 {
        return Err(format!("only {} of {writes} events were recognised", lags.len()).into());
    }
    let times = Times::of(lags)?;
    let ms = |figure: f64| format!("{figure:.1} ms");
    let what = format!("streams, {engine}: p99 from write to client");
    let kept = bench.targets.below(&what, times.p99_ms, LAG_MS_MAX, ms);
    bench.print(&format!(
        "write to client, {engine}, {} writes/s, {FEW} clients: p50 {}, p99 {}, {kept}\n",
        count(WRITES_PER_SECOND as f64),
        ms(times.p50_ms),
        ms(times.p99_ms)
    ))
}
