//! Growth: the time of the same request in a store of many orders, relative to one of few.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::harness::compare::median;
use crate::harness::context::Bench;
use crate::harness::load::Figures;
use crate::harness::order_store::{OrderStore, scattered};
use crate::harness::outcome::Outcome;
use crate::harness::postgres::{Database, PostgresServer};
use crate::harness::process::Data;
use crate::harness::report::{self, count};

const ORDERS_FEW: usize = 1000;
/// The most different requests: enough that the rows they touch fit in no cache of the program.
const REQUESTS_MAX: usize = 20_000;
const CONNECTIONS: usize = 16;
const TIMES_MAX: f64 = 1.5;

/// A request that is sent to both stores.
type Case = (&'static str, fn(&OrderStore, usize) -> Arc<[Bytes]>);

const CASES: [Case; 3] = [
    ("GET an order", |store, orders| store.get(scattered(orders, orders.min(REQUESTS_MAX)))),
    ("List 20 orders", |store, _| store.list()),
    ("Allocate", |store, orders| store.allocate(scattered(orders, orders.min(REQUESTS_MAX)))),
];

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    let began = filling(bench, "SQLite");
    let many = bench.plan.orders;
    let small = OrderStore::open(Data::sqlite(bench, "few-orders")?, None, ORDERS_FEW).await?;
    let large = OrderStore::open(Data::sqlite(bench, "many-orders")?, None, many).await?;
    grow(bench, "SQLite", [&small, &large], began).await?;
    small.server.stop().await?;
    large.server.stop().await?;

    let began = filling(bench, "PostgreSQL");
    let server = match PostgresServer::start().await {
        Ok(server) => server,
        Err(why) => return bench.print(&format!("\nGrowth, PostgreSQL: skipped, since {why}\n")),
    };
    let few_rows = Database::create(&server.url, "bench_few_orders").await?;
    let data = Data::postgres(bench, "few-orders-postgres", few_rows.url.clone())?;
    let small = OrderStore::open(data, Some(&few_rows), ORDERS_FEW).await?;
    let many_rows = Database::create(&server.url, "bench_many_orders").await?;
    let data = Data::postgres(bench, "many-orders-postgres", many_rows.url.clone())?;
    let large = OrderStore::open(data, Some(&many_rows), many).await?;
    grow(bench, "PostgreSQL", [&small, &large], began).await
}

fn filling(bench: &Bench, engine: &str) -> Instant {
    bench.progress(&format!("filling the stores, {engine}"));
    Instant::now()
}

/// Runs the turns of both stores for each request, prints the table, and records the targets.
async fn grow(bench: &mut Bench, engine: &str, shops: [&OrderStore; 2], began: Instant) -> Outcome<()> {
    let fill = began.elapsed().as_secs();
    let sizes = [ORDERS_FEW, bench.plan.orders];
    let [few, many] = sizes.map(|orders| count(orders as f64));
    let heading =
        ["of few/s", "p50 ms", "cpu us", "of many/s", "p50 ms", "cpu us", "times", "target", "request"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for (title, requests) in CASES {
        let [of_few, of_many] = [0, 1].map(|which| requests(shops[which], sizes[which]));
        let mut turns = Vec::new();
        for round in 0..bench.plan.rounds {
            bench.progress(&format!("{title}, {engine}: round {}", round + 1));
            let small = async || shops[0].server.answer_each(&of_few, CONNECTIONS, bench.plan.turn).await;
            let large = async || shops[1].server.answer_each(&of_many, CONNECTIONS, bench.plan.turn).await;
            // The stores alternate in going first, so that drift favours neither.
            if round % 2 == 0 {
                let first = small().await?;
                turns.push([first, large().await?]);
            } else {
                let first = large().await?;
                turns.push([small().await?, first]);
            }
        }
        let times = median(turns.iter().map(|[small, large]| small.per_second / large.per_second));
        let what =
            format!("{title}, {engine}: times as long with {many} orders as with {few} (16 connections)");
        let verdict = bench.targets.below(&what, times, TIMES_MAX, |times| format!("{times:.2}"));
        let mut row = [0, 1].map(|which| cells(turns.iter().map(|turn| &turn[which]))).concat();
        row.extend([format!("{times:.2}"), verdict, title.to_owned()]);
        rows.push(row);
    }
    bench.print(&format!(
        "\nGrowth, {engine}: a store of {few} orders and one of {many}, filled in {fill} s; {CONNECTIONS} clients, \
         requests from all over the store\n{}",
        report::table(&rows)
    ))
}

/// Returns the medians of a store's turns.
fn cells<'a>(turns: impl Iterator<Item = &'a Figures> + Clone) -> Vec<String> {
    let half = |figures: &Figures| figures.latency.map(|latency| f64::from(latency.p50_micros) / 1000.0);
    vec![
        count(median(turns.clone().map(|figures| figures.per_second))),
        format!("{:.2}", median(turns.clone().filter_map(half))),
        format!("{:.1}", median(turns.filter_map(|figures| figures.cpu_micros))),
    ]
}
