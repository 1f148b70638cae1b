//! Allocations: one piece of an order allocated to a location, committed durably before the answer; on one contended
//! order, and spread over many.

use std::time::Duration;

use model::{Allocation, Error, Event, Id, Order, Owner};
use serde_json::Value;
use service::{Clock, SystemClock};
use store::Db;
use store::events::events;
use store::orders::{allocations, orders};

use crate::compare::{Comparison, TARGET_CONNECTIONS, compare};
use crate::load::Turn;
use crate::orders::Shop;
use crate::postgres::{Database, Pgbench, Private};
use crate::process::{Data, Rows, Server};
use crate::report::count;
use crate::{Bench, Outcome, bare};

/// The number of orders, in addition to the contended one, which is number 0.
const ORDERS: usize = 10_000;
const RATIO_MIN: f64 = 0.4;
/// The most events of a new store: those of its one sample of each resource.
const SAMPLE_EVENTS_MAX: usize = 100;
const PATH: &str = "/allocations/orders/";

/// The rows that an allocation writes, as a pgbench script: the lock, the guarded update, the allocation, the touched
/// reservation, and the two events. It leaves out the rows that the product reads in between.
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
    let shop = Shop::open(bench, Data::sqlite(bench, "allocate")?, None, ORDERS + 1).await?;
    let other = Shop::open(bench, Data::sqlite(bench, "allocate-bare")?, None, ORDERS + 1).await?;
    other.server.stop().await?;
    let file = other.data.file();
    let rows = Rows { file: &file, token: &other.token, allocation_of: Some(&other.sample) };
    let bare = Server::bare(bench, "allocate", &other.answer, Some(rows)).await?;
    let turn = bench.plan.turn;
    for case in cases() {
        let requests = shop.allocate(case.orders.clone());
        compare(
            bench,
            comparison(&case, "SQLite", "bare", bench.plan.rounds),
            async |connections| shop.server.answer_each(&requests, connections, turn).await,
            async |connections| bare.answer_each(&requests, connections, turn).await,
        )
        .await?;
    }
    Ok(())
}

/// Measures against pgbench with the same statements, on the same server, in a database of its own.
pub async fn postgres(bench: &mut Bench) -> Outcome<()> {
    bench.progress("starting a private PostgreSQL");
    let (server, pgbench) = match (Private::start().await, Pgbench::find()) {
        (Ok(server), Ok(pgbench)) => (server, pgbench),
        (Err(why), _) | (_, Err(why)) => {
            return bench.print(&format!("\nAllocate, PostgreSQL: skipped, since {why}\n"));
        }
    };
    let database = Database::create(&server.url, "bench_allocate").await?;
    let data = Data::postgres(bench, "allocate-postgres", database.url.clone())?;
    let shop = Shop::open(bench, data, Some(&database), ORDERS + 1).await?;
    let rival = Database::create(&server.url, "bench_allocate_pgbench").await?;
    let data = Data::postgres(bench, "allocate-pgbench", rival.url.clone())?;
    let other = Shop::open(bench, data, Some(&rival), ORDERS + 1).await?;
    rival.until_numbered().await?;
    let script = Script::read(&rival, &other).await?;
    other.server.stop().await?;

    let seconds = bench.plan.postgres_seconds;
    let turn = Turn { time: Duration::from_secs(seconds), ..bench.plan.turn };
    for (place, case) in cases().into_iter().enumerate() {
        let requests = shop.allocate(case.orders.clone());
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
                    let figures = shop.server.answer_each(&requests, connections, turn).await?;
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
    async fn read(database: &Database, shop: &Shop) -> Outcome<Self> {
        let owner = shop.owner.to_string();
        let last = "SELECT object, coalesce(previous_attributes, '') FROM event WHERE type = $1";
        let made = database.client.query_one(last, &[&"allocation.created"]).await?;
        let changed = database.client.query_one(last, &[&"reservation.updated"]).await?;
        let variables = vec![
            ("item", shop.item.clone()),
            ("location", shop.location.clone()),
            ("allocated", made.try_get(0)?),
            ("reserved", changed.try_get(0)?),
            ("previous", changed.try_get(1)?),
            ("owner", owner.clone()),
        ];
        Ok(Self { text: SCRIPT.replace("OWNER", &owner), variables })
    }
}

/// Writes the rows of an allocation without the product: those of [`SCRIPT`].
pub struct Direct {
    db: Db,
    owner: Owner,
    sample: Allocation,
    allocated: String,
    reserved: String,
    previous: Value,
}

impl Direct {
    /// Reads an order's allocation, and the events that the product wrote for it, as the sample.
    pub async fn open(db: Db, owner: Owner, order: &str) -> Outcome<Self> {
        let order = Id::<Order>::parse(order).ok_or("this is no order's id")?;
        let read = db.read(owner, async move |tx| {
            let made = allocations::of_order(tx, owner, order).await?;
            Ok((made, events::after(tx, owner, 0, SAMPLE_EVENTS_MAX).await?))
        });
        let (made, logged) = read.await.map_err(|error| error.to_string())?;
        let sample = *made.first().ok_or("the order has no allocation")?;
        let find = |name| {
            let event = logged.iter().find(|event| event.r#type == name);
            event.ok_or_else(|| format!("the store has no event {name}"))
        };
        let changed = find("reservation.updated")?;
        let previous = changed.previous_attributes.as_deref().ok_or("the event tells nothing of before")?;
        Ok(Self {
            sample,
            allocated: find("allocation.created")?.object.clone(),
            reserved: changed.object.clone(),
            previous: serde_json::from_str(previous)?,
            db,
            owner,
        })
    }

    /// Allocates one piece for the order in the path. A path without an order changes nothing.
    pub async fn write(&self, path: &str) -> model::Result<()> {
        let Some(order) = path.strip_prefix(PATH).and_then(Id::<Order>::parse) else { return Ok(()) };
        let (owner, now) = (self.owner, SystemClock.now());
        let allocation = Allocation { id: bare::new_id(now), order, ..self.sample };
        let made = Event::new("allocation.created", allocation.id, &self.allocated);
        let changed = Event::new("reservation.updated", order, &self.reserved);
        let changed = changed.changed_from(self.previous.clone());
        let (made_id, changed_id) = (bare::new_id::<Event>(now), bare::new_id::<Event>(now));
        let write = self.db.write(owner, async move |tx| {
            let stored = orders::get_for_update(tx, owner, order).await?;
            let is_granted = orders::allocate(tx, owner, order, allocation.item, allocation.quantity).await?;
            if stored.is_none() || !is_granted {
                return Err(Error::fault("the order has nothing left to allocate"));
            }
            allocations::insert(tx, owner, &allocation).await?;
            events::append(tx, owner, made_id, &made, now).await?;
            orders::touch_reservation(tx, owner, order, now).await?;
            events::append(tx, owner, changed_id, &changed, now).await
        });
        write.await
    }
}
