//! Creates: a location with its event, committed durably before the answer.

use std::time::Duration;

use model::access::access_token::Secret;

use crate::harness::compare::{Comparison, compare, median};
use crate::harness::context::Bench;
use crate::harness::load::{self, Turn};
use crate::harness::outcome::Outcome;
use crate::harness::postgres::{Database, Pgbench, PostgresServer};
use crate::harness::process::{self, Data, Rows, Server, create_request};

/// Measures against the same rows written by the same writer thread, in a store of its own.
pub async fn sqlite(bench: &mut Bench) -> Outcome<()> {
    bench.progress("starting the stores");
    let data = Data::sqlite(bench, "create")?;
    let token = data.token().await?;
    let product = data.serve().await?;
    let request = create_request(&token);
    let answer = load::ask(&product.target(request.clone())).await?;
    let bare_data = Data::sqlite(bench, "create-bare")?;
    let rows = Rows { file: &bare_data.file(), token: &token, allocation_of: None };
    let bare = Server::bare(bench, "create", &answer, Some(rows)).await?;
    let turn = bench.plan.turn;
    let comparison = Comparison {
        title: "Create a location, SQLite".to_owned(),
        rival: "bare",
        connections: bench.plan.connections,
        rounds: bench.plan.rounds,
        ratio_min: 0.7,
        per_second_min: Some(6000.0),
    };
    compare(
        bench,
        comparison,
        async |connections| product.answer(&request, connections, turn).await,
        async |connections| bare.answer(&request, connections, turn).await,
    )
    .await
}

/// Measures against pgbench with the same statements, on the same server, in a database of its own.
pub async fn postgres(bench: &mut Bench) -> Outcome<()> {
    bench.progress("starting a private PostgreSQL");
    let (server, pgbench) = match (PostgresServer::start().await, Pgbench::find()) {
        (Ok(server), Ok(pgbench)) => (server, pgbench),
        (Err(why), _) | (_, Err(why)) => {
            return bench.print(&format!("\nCreate a location, PostgreSQL: skipped, since {why}\n"));
        }
    };
    let database = Database::create(&server.url, "bench_product").await?;
    let data = Data::postgres(bench, "postgres", database.url.clone())?;
    let token = data.token().await?;
    let product = data.serve().await?;
    let request = create_request(&token);
    let answer = load::ask(&product.target(request.clone())).await?;

    let rival = Database::create(&server.url, "bench_pgbench").await?;
    Data::postgres(bench, "pgbench", rival.url.clone())?.token().await?;
    let owner = Secret::owner_of(&token).ok_or("the token names no owner")?;
    let script = pgbench.script(&bench.folder, &rival.url, &owner.to_string(), process::body(&answer)?)?;

    let seconds = bench.plan.postgres_seconds;
    let turn = Turn { time: Duration::from_secs(seconds), ..bench.plan.turn };
    let comparison = Comparison {
        title: "Create a location, PostgreSQL".to_owned(),
        rival: "pgbench",
        connections: bench.plan.connections,
        rounds: bench.plan.postgres_rounds,
        ratio_min: 0.5,
        per_second_min: None,
    };
    let lags = std::cell::RefCell::new(Vec::new());
    compare(
        bench,
        comparison,
        async |connections| {
            let figures = product.answer(&request, connections, turn).await?;
            // Work that the product has left must not slow down the rival's turn.
            let lag = database.until_numbered().await?;
            lags.borrow_mut().push(lag.as_secs_f64() * 1000.0);
            Ok(figures)
        },
        async |connections| script.run(connections, seconds).await,
    )
    .await?;
    let (middle, worst) =
        (median(lags.borrow().iter().copied()), lags.borrow().iter().copied().fold(0.0, f64::max));
    bench.print(&format!(
        "Events were all numbered {middle:.0} ms after a turn in the median, {worst:.0} at worst.\n"
    ))
}
