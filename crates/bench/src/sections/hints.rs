//! Hints between two servers of one PostgreSQL: the delay from a write at one server until a client of the other has its event.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::Stdio;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};
use tokio::task::LocalSet;

use crate::harness::context::Bench;
use crate::harness::listeners::Listeners;
use crate::harness::load;
use crate::harness::outcome::Outcome;
use crate::harness::postgres::{Database, PostgresServer};
use crate::harness::process::{self, Data, marked_location, request};
use crate::harness::report::table;
use crate::harness::times::Times;

/// Writes a second: few enough that each has a hint of its own.
const WRITES_PER_SECOND: usize = 50;
/// How long nats-server may take to start.
const START_TIME_MAX: Duration = Duration::from_secs(10);
const ATTEMPT_EVERY: Duration = Duration::from_millis(10);
/// Without a hint an event is found by polling, a second later at the latest.
const LAG_MS_MAX: f64 = 50.0;

/// Measures both transports in turn, several times, so that drift favours neither.
pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    let Ok(program) = std::env::var("DOCKSIDE_TEST_NATS") else {
        return bench.print("\nHints: not measured, because DOCKSIDE_TEST_NATS names no nats-server\n");
    };
    let (nats, url) = start_nats(&program).await?;
    let (mut by_postgres, mut by_nats) = (Vec::new(), Vec::new());
    LocalSet::new()
        .run_until(async {
            let private = PostgresServer::start().await?;
            for round in 1..=bench.plan.postgres_rounds {
                bench.progress(&format!("hints: round {round}"));
                let name = format!("bench_hints_{round}");
                let database = Database::create(&private.url, &name).await?;
                let data = Data::postgres(bench, &name, database.url.clone())?;
                by_postgres.extend(lags(bench, &data, &[]).await?);
                by_nats.extend(lags(bench, &data, &["--nats-url", &url]).await?);
            }
            Outcome::Ok(())
        })
        .await?;
    drop(nats);
    report(bench, by_postgres, by_nats)
}

/// Writes at one server while a client follows the other. Returns how long each event took.
async fn lags(bench: &Bench, data: &Data, flags: &[&str]) -> Outcome<Vec<Duration>> {
    let token = data.token().await?;
    let (writes, reads) = (data.serve_with(flags).await?, data.serve_with(flags).await?);
    let ask = async |method: &str, path: &str| -> Outcome<Vec<u8>> {
        Ok(load::ask(&reads.target(request(method, path, Some(&token), ""))).await?)
    };
    ask("POST", "/events/provision").await?;
    let stream_token = process::id(&ask("GET", "/events/connection_token").await?)?;
    let listeners = Listeners::connect(reads.address, 1, Some(&stream_token)).await?;
    let count = WRITES_PER_SECOND * bench.plan.lag_seconds;
    listeners.reset(count);
    let requests: Vec<_> = (0..count).map(|mark| marked_location(&token, mark)).collect();
    let sent = load::pace(writes.address, Rc::new(requests), 1, WRITES_PER_SECOND).await?;
    listeners.wait(count).await?;
    let arrivals = listeners.arrivals();
    let lag = |(sent, arrived): (&load::Sent, &Option<Instant>)| {
        Some((*arrived)?.saturating_duration_since(sent.began))
    };
    let lags: Vec<Duration> = sent.iter().zip(&arrivals).filter_map(lag).collect();
    writes.stop().await?;
    reads.stop().await?;
    if lags.len() < count { Err("not every event was recognised".into()) } else { Ok(lags) }
}

fn report(bench: &mut Bench, by_postgres: Vec<Duration>, by_nats: Vec<Duration>) -> Outcome<()> {
    let mut rows =
        vec![["hints by", "events", "p10 ms", "p50 ms", "p99 ms", "target"].map(str::to_owned).to_vec()];
    for (name, lags) in [("PostgreSQL", by_postgres), ("NATS", by_nats)] {
        let events = lags.len().to_string();
        let times = Times::of(lags)?;
        let what = format!("hints by {name}: p50 from a write to a client of the other server");
        let kept = bench.targets.below(&what, times.p50_ms, LAG_MS_MAX, |figure| format!("{figure:.2} ms"));
        let [p10, p50, p99] = [times.p10_ms, times.p50_ms, times.p99_ms].map(|figure| format!("{figure:.2}"));
        rows.push(vec![name.to_owned(), events, p10, p50, p99, kept]);
    }
    bench.print(&format!(
        "\nHints: from a write until a client of the other server has its event\n{}",
        table(&rows)
    ))
}

/// Starts a NATS server, which ends when it is dropped, and returns its address.
async fn start_nats(program: &str) -> Outcome<(Child, String)> {
    let address = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?.local_addr()?;
    let mut command = Command::new(program);
    command.args(["--addr", &address.ip().to_string(), "--port", &address.port().to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let child = command.spawn()?;
    let began = Instant::now();
    while tokio::net::TcpStream::connect(address).await.is_err() {
        if began.elapsed() > START_TIME_MAX {
            return Err(format!("{program} did not start").into());
        }
        tokio::time::sleep(ATTEMPT_EVERY).await;
    }
    Ok((child, format!("nats://{address}")))
}
