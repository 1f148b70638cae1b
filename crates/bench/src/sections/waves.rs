//! Waves: how long it takes to plan, pack, ship and batch orders, whether an order costs the same in a large wave as in a small
//! one, and how much memory the server uses meanwhile.

use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::context::Bench;
use crate::harness::load::{self, Target};
use crate::harness::outcome::Outcome;
use crate::harness::plan::Engine;
use crate::harness::postgres::{Database, PostgresServer};
use crate::harness::process::{Data, Server, body, id, request};
use crate::harness::report::{count, table};

/// Connections that create orders.
const MAKERS: usize = 16;
const ITEMS: usize = 50;
const ON_HAND: i64 = 1_000_000_000;
/// How often a wave is read while it runs.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The wave of this size has a limit in seconds and in memory.
const ORDERS_LIMITED: usize = 10_000;
const SECONDS_MAX: f64 = 60.0;
const MEMORY_MIB_MAX: f64 = 128.0;
/// How many times as much an order may cost in the largest wave as in the smallest.
const TIMES_MAX: f64 = 1.3;

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    let only = bench.plan.batch_engine;
    if only != Some(Engine::Postgres) {
        let data = Data::sqlite(bench, "waves")?;
        run(bench, "SQLite", &data).await?;
    }
    if only == Some(Engine::Sqlite) {
        return Ok(());
    }
    let server = match PostgresServer::start().await {
        Ok(server) => server,
        Err(why) => return bench.print(&format!("\nWaves, PostgreSQL: skipped, since {why}\n")),
    };
    let database = Database::create(&server.url, "bench_waves").await?;
    let data = Data::postgres(bench, "waves-postgres", database.url.clone())?;
    run(bench, "PostgreSQL", &data).await
}

/// The measurements of a wave.
struct Seen {
    seconds: f64,
    memory_mib: f64,
}

/// Runs waves of all sizes, one after the other, in one store.
async fn run(bench: &mut Bench, engine: &str, data: &Data) -> Outcome<()> {
    let token = data.test_token().await?;
    let product = data.serve().await?;
    let shop = Shop::open(&product, &token).await?;
    let mut rows =
        vec![["orders", "seconds", "orders/s", "ms/order", "memory MiB"].map(str::to_owned).to_vec()];
    let mut costs = Vec::new();
    for orders in bench.plan.wave_orders {
        bench.progress(&format!("making {orders} orders, {engine}"));
        shop.make(orders).await?;
        bench.progress(&format!("a wave of {orders} orders, {engine}"));
        let seen = shop.wave(orders).await?;
        let cost = seen.seconds * 1000.0 / orders as f64;
        costs.push(cost);
        rows.push(vec![
            count(orders as f64),
            format!("{:.1}", seen.seconds),
            count(orders as f64 / seen.seconds),
            format!("{cost:.2}"),
            count(seen.memory_mib),
        ]);
        if orders == ORDERS_LIMITED && engine == "SQLite" {
            let what = "Seconds of a wave of 10,000 orders, SQLite";
            bench.targets.below(what, seen.seconds, SECONDS_MAX, |seconds| format!("{seconds:.1}"));
            let what = "Memory during a wave of 10,000 orders, SQLite";
            bench.targets.below(what, seen.memory_mib, MEMORY_MIB_MAX, |mib| format!("{mib:.0} MiB"));
        }
    }
    product.stop().await?;
    bench.print(&format!(
        "\nWaves, {engine}: orders of one to three items from two locations, planned, packed, shipped and batched\n{}",
        table(&rows)
    ))?;
    let sizes = bench.plan.wave_orders.map(|orders| count(orders as f64));
    if let ([small, .., large], [first, .., last]) = (&costs[..], &sizes) {
        let what = format!("Cost of an order in a wave of {last}, times that in one of {first}, {engine}");
        bench.targets.below(&what, large / small, TIMES_MAX, |times| format!("{times:.2}"));
    }
    Ok(())
}

/// A shop with items in two warehouses.
struct Shop<'a> {
    product: &'a Server,
    token: &'a str,
    items: Vec<String>,
}

impl<'a> Shop<'a> {
    async fn open(product: &'a Server, token: &'a str) -> Outcome<Self> {
        let mut shop = Self { product, token, items: Vec::new() };
        let inner = |side: u32| json!({"length": side, "width": side, "height": side});
        for (name, side) in [("small", 20), ("large", 40)] {
            let box_type = json!({"name": name, "handle": name, "inner_dimensions": inner(side)});
            shop.create("/package_types", &box_type).await?;
        }
        let mut locations = Vec::new();
        for city in ["Bristol", "Leeds"] {
            let address = json!({"line_1": "1 Quay Street", "city": city, "post_code": "BS1 4DJ", "country_code": "GB"});
            let address = json!({"address": address, "contact": {"name": "Goods out"}});
            let location = shop.create("/locations", &json!({"name": city, "address": address})).await?;
            let both = json!({"origin": {"id": location}, "return": {"id": location}});
            shop.create("/location_configurations", &json!({"name": city, "locations": both})).await?;
            locations.push(location);
        }
        for number in 0..ITEMS {
            let size = json!({"length": 5 + number % 7, "width": 8, "height": 4});
            let item =
                json!({"sku": format!("SKU-{number}"), "name": "Mug", "mass": 0.3, "dimensions": size});
            let item = shop.create("/inventory_items", &item).await?;
            let path = format!("/inventory_items/{item}/levels/{}", locations[number % 2]);
            shop.ask("PUT", &path, &json!({"on_hand": ON_HAND})).await?;
            shop.items.push(item);
        }
        let service = json!({"carrier_account": "sandbox", "carrier_service": "standard"});
        let rule = json!({"name": "All", "action": {"service": service}});
        shop.create("/shipping_rules", &rule).await?;
        Ok(shop)
    }

    async fn ask(&self, method: &str, path: &str, body: &Value) -> Outcome<Vec<u8>> {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let target = self.product.target(request(method, path, Some(self.token), &text));
        Ok(load::ask(&target).await?)
    }

    async fn create(&self, path: &str, body: &Value) -> Outcome<String> {
        id(&self.ask("POST", path, body).await?)
    }

    /// Makes orders of one to three items of the same warehouse.
    async fn make(&self, orders: usize) -> Outcome<()> {
        let mut makers = JoinSet::new();
        for maker in 0..MAKERS {
            let requests: Vec<Bytes> =
                (maker..orders).step_by(MAKERS).map(|number| self.order(number)).collect();
            let target = Target { address: self.product.address, requests: requests.into() };
            makers.spawn(async move { load::each(&target).await });
        }
        while let Some(made) = makers.join_next().await {
            made??;
        }
        Ok(())
    }

    fn order(&self, number: usize) -> Bytes {
        let line = |place: usize| {
            let item = &self.items[(number + place * 2) % ITEMS];
            json!({"id": item, "quantity": 1 + (number + place) % 2})
        };
        let lines: Vec<_> = (0..=number % 3).map(line).collect();
        let address = json!({"line_1": "3 High Street", "city": "London", "post_code": "SW1A 1AA", "country_code": "GB"});
        let order = json!({
            "reference": format!("SO-{number}"),
            "items": lines,
            "destination": {"address": address, "contact": {"name": "Ann Miller"}},
        });
        request("POST", "/orders", Some(self.token), &order.to_string())
    }

    /// Runs a wave over all orders that are not in a shipment, and reads it until it is completed.
    async fn wave(&self, orders: usize) -> Outcome<Seen> {
        let filter = json!({"fulfilment_status": "unallocated"});
        let began = Instant::now();
        let wave = self.create("/waves", &json!({"name": "Bench", "filter": filter})).await?;
        let (path, mut memory_mib) = (format!("/waves/{wave}"), 0.0_f64);
        loop {
            let answer = self.ask("GET", &path, &Value::Null).await?;
            let shown: Value = serde_json::from_str(body(&answer)?)?;
            memory_mib = memory_mib.max(self.product.resident_mib()?);
            if shown["status"] == "completed" {
                return match shown["done_count"].as_u64() == Some(orders as u64) {
                    true => Ok(Seen { seconds: began.elapsed().as_secs_f64(), memory_mib }),
                    false => Err(format!("not all orders were processed: {shown}").into()),
                };
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
