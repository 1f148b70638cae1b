//! Search: the time of the same search over many orders, relative to few; and what its index costs when orders are created.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::harness::compare::{Comparison, TARGET_CONNECTIONS, compare, median};
use crate::harness::context::Bench;
use crate::harness::order_store::{OrderStore, scattered};
use crate::harness::outcome::Outcome;
use crate::harness::postgres::{Database, PostgresServer};
use crate::harness::process::{Data, request};
use crate::harness::report::{self, count};

const ORDERS_FEW: usize = 1000;
/// The most different searches: enough that the rows they touch fit in no cache of the program.
const SEARCHES_MAX: usize = 20_000;
const CONNECTIONS: usize = 16;
const TIMES_MAX: f64 = 1.5;
/// The least share of the rate of orders without searched texts, and the least rate.
const CREATE_RATIO_MIN: f64 = 0.7;
const CREATES_PER_SECOND_MIN: f64 = 2000.0;
/// What every order says of its customer: words that all orders have, and one that only it has.
const FIELDS: &str = r#""customer":{"name":"Anna SO-sample Muller","company":"Acme Trading GmbH"},"#;

/// A search that is sent to both stores: its name, and its words for an order.
type Case = (&'static str, fn(usize) -> String);

const CASES: [Case; 6] = [
    ("Number of an order", |order| format!("SO-{order}")),
    ("Beginning of numbers", |order| format!("so-{}", order / 10)),
    ("Rare word", |order| format!("{order}")),
    ("Word that all orders have", |_| "gmbh".to_owned()),
    ("Post code that all orders have", |_| "LS1%204AP".to_owned()),
    ("Rare word and two common ones", |order| format!("muller%20{order}%20gmbh")),
];

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    bench.progress("filling the stores, SQLite");
    let (began, many) = (Instant::now(), bench.plan.orders);
    let open = async |name: &str, orders: usize| {
        OrderStore::open_with(Data::sqlite(bench, name)?, None, orders, FIELDS).await
    };
    let small = open("search-few", ORDERS_FEW).await?;
    let large = open("search-many", many).await?;
    grow(bench, "SQLite", [&small, &large], began).await?;
    create(bench, "SQLite", &large).await?;
    small.server.stop().await?;
    large.server.stop().await?;

    bench.progress("filling the stores, PostgreSQL");
    let began = Instant::now();
    let server = match PostgresServer::start().await {
        Ok(server) => server,
        Err(why) => return bench.print(&format!("\nSearch, PostgreSQL: skipped, since {why}\n")),
    };
    let few_rows = Database::create(&server.url, "bench_search_few").await?;
    let data = Data::postgres(bench, "search-few-postgres", few_rows.url.clone())?;
    let small = OrderStore::open_with(data, Some(&few_rows), ORDERS_FEW, FIELDS).await?;
    let many_rows = Database::create(&server.url, "bench_search_many").await?;
    let data = Data::postgres(bench, "search-many-postgres", many_rows.url.clone())?;
    let large = OrderStore::open_with(data, Some(&many_rows), many, FIELDS).await?;
    grow(bench, "PostgreSQL", [&small, &large], began).await?;
    create(bench, "PostgreSQL", &large).await
}

/// Runs the turns of both stores for each search, prints the table, and records the targets.
async fn grow(bench: &mut Bench, engine: &str, stores: [&OrderStore; 2], began: Instant) -> Outcome<()> {
    let fill = began.elapsed().as_secs();
    let sizes = [ORDERS_FEW, bench.plan.orders];
    let [few, many] = sizes.map(|orders| count(orders as f64));
    let mut rows = vec![["of few/s", "of many/s", "times", "target", "search"].map(str::to_owned).to_vec()];
    for (title, words) in CASES {
        let requests: [Arc<[Bytes]>; 2] = [0, 1].map(|which| {
            stores[which].search(scattered(sizes[which], sizes[which].min(SEARCHES_MAX)), words)
        });
        let mut turns = Vec::new();
        for round in 0..bench.plan.rounds {
            bench.progress(&format!("{title}, {engine}: round {}", round + 1));
            let mut of = [0.0; 2];
            // The stores alternate in going first, so that drift favours neither.
            for which in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
                let turn = stores[which].server.answer_each(&requests[which], CONNECTIONS, bench.plan.turn);
                of[which] = turn.await?.per_second;
            }
            turns.push(of);
        }
        let times = median(turns.iter().map(|[small, large]| small / large));
        let what =
            format!("{title}, {engine}: times as long with {many} orders as with {few} (16 connections)");
        let verdict = bench.targets.below(&what, times, TIMES_MAX, |times| format!("{times:.2}"));
        let rate = |which: usize| count(median(turns.iter().map(|of| of[which])));
        rows.push(vec![rate(0), rate(1), format!("{times:.2}"), verdict, title.to_owned()]);
    }
    bench.print(&format!(
        "\nSearch, {engine}: a store of {few} orders and one of {many}, filled in {fill} s; {CONNECTIONS} clients, \
         searches from all over the store\n{}",
        report::table(&rows)
    ))
}

/// Measures orders with searched texts against orders with the same texts in fields that are not searched.
async fn create(bench: &mut Bench, engine: &str, store: &OrderStore) -> Outcome<()> {
    let (item, turn) = (&store.item, bench.plan.turn);
    let order = |searched: &str, contact: &str, metadata: &str| {
        let body = format!(
            r#"{{{searched}"items":[{{"id":"{item}","quantity":1}}],"destination":{{"address":{{"line_1":"3 High Street","city":"Leeds","post_code":"LS1 4AP","country_code":"GB"}}{contact}}}{metadata}}}"#
        );
        let requests: Arc<[Bytes]> = [request("POST", "/orders", Some(&store.token), &body)].into();
        requests
    };
    let contact = r#""contact":{"name":"Anna Muller","company":"Acme Trading GmbH","email_address":"anna@example.com"}"#;
    let searched = order(r#""reference":"SO-1001","#, &format!(",{contact}"), "");
    let silent = order("", "", &format!(r#","metadata":{{"reference":"SO-1001",{contact}}}"#));
    let comparison = Comparison {
        title: format!("Create an order with texts that are searched, {engine}"),
        rival: "silent",
        connections: &[TARGET_CONNECTIONS],
        rounds: bench.plan.rounds,
        ratio_min: CREATE_RATIO_MIN,
        per_second_min: Some(CREATES_PER_SECOND_MIN),
    };
    compare(
        bench,
        comparison,
        async |connections| store.server.answer_each(&searched, connections, turn).await,
        async |connections| store.server.answer_each(&silent, connections, turn).await,
    )
    .await
}
