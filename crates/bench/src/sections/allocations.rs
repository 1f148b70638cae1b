//! Allocations: one piece of an order allocated to a location, committed durably before the answer; on one contended
//! order, and spread over many.

use std::time::Duration;

use crate::harness::compare::{Comparison, TARGET_CONNECTIONS, compare};
use crate::harness::context::Bench;
use crate::harness::load::Turn;
use crate::harness::order_store::OrderStore;
use crate::harness::outcome::Outcome;
use crate::harness::postgres::{Database, Pgbench, PostgresServer};
use crate::harness::process::{Data, Rows, Server};
use crate::harness::report::count;

/// The number of orders, in addition to the contended one, which is number 0.
const ORDERS: usize = 10_000;
const RATIO_MIN: f64 = 0.4;

/// The rows that an allocation writes (see `rivals/allocation_rows.rs`), as a pgbench script: the lock, the guarded update, the allocation, the touched
/// reservation, the order, and the three events. It leaves out the rows that the product reads in between.
const SCRIPT: &str = "\
\\set n :n + 1
\\set o NUMBER
BEGIN;
SET LOCAL dockside.owner = 'OWNER';
SELECT version, status, doc FROM orders WHERE owner = :owner AND id = 'ord_' || lpad(:o, 26, '0') FOR UPDATE;
UPDATE order_line SET allocated = allocated + 1
WHERE owner = :owner AND order_id = 'ord_' || lpad(:o, 26, '0') AND item_id = :item
AND allocated + 1 BETWEEN 0 AND quantity;
INSERT INTO allocation (owner, id, order_id, item_id, location_id, quantity, completed_at, took_stock)
VALUES (:owner, 'alloc_CASE' || lpad(:n, 19, '0') || lpad(:client_id, 6, '0'), 'ord_' || lpad(:o, 26, '0'),
        :item, :location, 1, NULL, 0);
INSERT INTO event (owner, id, type, resource_id, created_at, object, previous_attributes)
VALUES (:owner, 'evt_CASE' || lpad(:n, 19, '0') || lpad(:client_id, 5, '0') || '1', 'allocation.created',
        'alloc_CASE' || lpad(:n, 19, '0') || lpad(:client_id, 6, '0'), :n, :allocated, NULL);
UPDATE reservation SET updated_at = :n WHERE owner = :owner AND order_id = 'ord_' || lpad(:o, 26, '0');
INSERT INTO event (owner, id, type, resource_id, created_at, object, previous_attributes)
VALUES (:owner, 'evt_CASE' || lpad(:n, 19, '0') || lpad(:client_id, 5, '0') || '2', 'reservation.updated',
        'ord_' || lpad(:o, 26, '0'), :n, :reserved, :previous);
UPDATE orders SET version = version + 1, fulfilment_status = 'partially_allocated', doc = :ordered
WHERE owner = :owner AND id = 'ord_' || lpad(:o, 26, '0');
INSERT INTO event (owner, id, type, resource_id, created_at, object, previous_attributes)
VALUES (:owner, 'evt_CASE' || lpad(:n, 19, '0') || lpad(:client_id, 5, '0') || '3', 'order.updated',
        'ord_' || lpad(:o, 26, '0'), :n, :ordered, :before);
COMMIT;
";

/// pgbench with as many connections as the product has clients, and with as many as the product itself opens: on few
/// cores, fewer connections are faster.
const RIVALS: [(&str, usize); 2] = [("pgbench", TARGET_CONNECTIONS), ("pgbench on 16", 16)];

/// What to measure: its name, the orders, and how a script numbers them.
struct Case {
    title: String,
    orders: std::ops::Range<usize>,
    number: String,
    rivals: &'static [(&'static str, usize)],
}

fn cases() -> [Case; 2] {
    let step = ORDERS / TARGET_CONNECTIONS;
    [
        Case {
            title: "Allocate, one contended order".to_owned(),
            orders: 0..1,
            number: "0".to_owned(),
            rivals: &RIVALS[..1],
        },
        Case {
            title: format!("Allocate over {} orders", count(ORDERS as f64)),
            orders: 1..ORDERS + 1,
            number: format!("1 + (:n + :client_id * {step}) % {ORDERS}"),
            rivals: &RIVALS,
        },
    ]
}

fn comparison(case: &Case, engine: &str, rival: &'static str, rounds: usize) -> Comparison {
    Comparison {
        title: format!("{}, {engine}", case.title),
        rival,
        connections: &[TARGET_CONNECTIONS],
        rounds,
        ratio_min: RATIO_MIN,
        per_second_min: None,
    }
}

/// Measures against the same rows written by the same writer thread, in a store of its own.
pub async fn sqlite(bench: &mut Bench) -> Outcome<()> {
    bench.progress("filling the stores");
    let store = OrderStore::open(Data::sqlite(bench, "allocate")?, None, ORDERS + 1).await?;
    let other = OrderStore::open(Data::sqlite(bench, "allocate-bare")?, None, ORDERS + 1).await?;
    other.server.stop().await?;
    let file = other.data.file();
    let rows = Rows { file: &file, token: &other.token, allocation_of: Some(&other.sample) };
    let bare = Server::bare(bench, "allocate", &other.answer, Some(rows)).await?;
    let turn = bench.plan.turn;
    for case in cases() {
        let requests = store.allocate(case.orders.clone());
        compare(
            bench,
            comparison(&case, "SQLite", "bare", bench.plan.rounds),
            async |connections| store.server.answer_each(&requests, connections, turn).await,
            async |connections| bare.answer_each(&requests, connections, turn).await,
        )
        .await?;
    }
    Ok(())
}

/// Measures against pgbench with the same statements, on the same server, in a database of its own.
pub async fn postgres(bench: &mut Bench) -> Outcome<()> {
    bench.progress("starting a private PostgreSQL");
    let (server, pgbench) = match (PostgresServer::start().await, Pgbench::find()) {
        (Ok(server), Ok(pgbench)) => (server, pgbench),
        (Err(why), _) | (_, Err(why)) => {
            return bench.print(&format!("\nAllocate, PostgreSQL: skipped, since {why}\n"));
        }
    };
    let database = Database::create(&server.url, "bench_allocate").await?;
    let data = Data::postgres(bench, "allocate-postgres", database.url.clone())?;
    let store = OrderStore::open(data, Some(&database), ORDERS + 1).await?;
    let rival = Database::create(&server.url, "bench_allocate_pgbench").await?;
    let data = Data::postgres(bench, "allocate-pgbench", rival.url.clone())?;
    let other = OrderStore::open(data, Some(&rival), ORDERS + 1).await?;
    rival.until_numbered().await?;
    let script = Script::read(&rival, &other).await?;
    other.server.stop().await?;

    let seconds = bench.plan.postgres_seconds;
    let turn = Turn { time: Duration::from_secs(seconds), ..bench.plan.turn };
    for (place, case) in cases().into_iter().enumerate() {
        let requests = store.allocate(case.orders.clone());
        let text = script.text.replace("CASE", &place.to_string()).replace("NUMBER", &case.number);
        let file = bench.folder.join(format!("allocate-{place}.sql"));
        let variables: Vec<_> =
            script.variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let run = pgbench.script_of(&file, &rival.url, &text, &variables)?;
        for &(rival, clients) in case.rivals {
            compare(
                bench,
                comparison(&case, "PostgreSQL", rival, bench.plan.postgres_rounds),
                async |connections| {
                    let figures = store.server.answer_each(&requests, connections, turn).await?;
                    // Work that the product has left must not slow down the rival's turn.
                    database.until_numbered().await?;
                    Ok(figures)
                },
                async |_| run.run(clients, seconds).await,
            )
            .await?;
        }
    }
    Ok(())
}

/// The values of a pgbench script.
struct Script {
    text: String,
    variables: Vec<(&'static str, String)>,
}

impl Script {
    /// Reads the documents from the events that the product wrote.
    async fn read(database: &Database, store: &OrderStore) -> Outcome<Self> {
        let owner = store.owner.to_string();
        let last = "SELECT object, coalesce(previous_attributes, '') FROM event WHERE type = $1";
        let made = database.client.query_one(last, &[&"allocation.created"]).await?;
        let changed = database.client.query_one(last, &[&"reservation.updated"]).await?;
        let ordered = database.client.query_one(last, &[&"order.updated"]).await?;
        let variables = vec![
            ("item", store.item.clone()),
            ("location", store.location.clone()),
            ("allocated", made.try_get(0)?),
            ("reserved", changed.try_get(0)?),
            ("previous", changed.try_get(1)?),
            ("ordered", ordered.try_get(0)?),
            ("before", ordered.try_get(1)?),
            ("owner", owner.clone()),
        ];
        Ok(Self { text: SCRIPT.replace("OWNER", &owner), variables })
    }
}
