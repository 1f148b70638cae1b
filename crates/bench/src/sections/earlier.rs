//! This build against an earlier one: the same requests, in alternating turns, each side with a store and a server of its own.

use std::path::Path;
use std::time::Instant;

use bytes::Bytes;

use crate::harness::compare::{Comparison, TARGET_CONNECTIONS, compare};
use crate::harness::context::Bench;
use crate::harness::load::{self, Figures, Target};
use crate::harness::outcome::Outcome;
use crate::harness::postgres::{Database, PostgresServer};
use crate::harness::process::{self, Data, Server, create_request, request};
use crate::sections::shipments::{PURCHASE, SHIPMENT, wishes};

/// A build that is slower by more than this is too slow.
const RATIO_MIN: f64 = 0.97;
/// Rounds of each comparison: more than elsewhere, because the sides differ by little.
const ROUNDS: usize = 15;
const CONNECTIONS: &[usize] = &[TARGET_CONNECTIONS];
/// Locations in each store.
const LOCATIONS: usize = 1000;
/// Shipments that each side buys in a turn.
const BOUGHT: usize = 400;

/// One build with its store.
struct Side {
    server: Server,
    token: String,
    get: Bytes,
}

impl Side {
    async fn start(data: Data) -> Outcome<Self> {
        let token = data.test_token().await?;
        let server = data.serve().await?;
        let create = server.target(create_request(&token));
        let mut location = String::new();
        for _ in 0..LOCATIONS {
            location = process::id(&load::ask(&create).await?)?;
        }
        let get = request("GET", &format!("/locations/{location}"), Some(&token), "");
        Ok(Self { server, token, get })
    }

    /// Returns the request of this name.
    fn request(&self, name: Case) -> Bytes {
        let token = Some(self.token.as_str());
        match name {
            Case::Get => self.get.clone(),
            Case::List => request("GET", "/locations", token, ""),
            Case::CreateLocation => create_request(&self.token),
            Case::CreateShipment => request("POST", "/shipments", token, SHIPMENT),
        }
    }

    /// Makes shipments, and measures how fast they are bought, each with its label.
    async fn buy(&self, connections: usize) -> Outcome<Figures> {
        let create = self.request(Case::CreateShipment);
        let wishes = wishes(&self.server, &self.token, &create, BOUGHT, "purchase", PURCHASE).await?;
        let (began, spent) = (Instant::now(), self.server.cpu()?);
        let mut buyers = tokio::task::JoinSet::new();
        for buyer in 0..connections {
            let mine: Vec<Bytes> = wishes.iter().skip(buyer).step_by(connections).cloned().collect();
            let target = Target { address: self.server.address, requests: mine.into() };
            buyers.spawn(async move { load::each(&target).await });
        }
        while let Some(done) = buyers.join_next().await {
            done??;
        }
        let per_second = BOUGHT as f64 / began.elapsed().as_secs_f64();
        let cpu = (self.server.cpu()? - spent).as_micros() as f64 / BOUGHT as f64;
        Ok(Figures { per_second, latency: None, cpu_micros: Some(cpu) })
    }
}

/// A request that is compared.
#[derive(Clone, Copy)]
enum Case {
    Get,
    List,
    CreateLocation,
    CreateShipment,
}

const CASES: [(Case, &str); 4] = [
    (Case::Get, "GET a location"),
    (Case::List, "List 20 locations"),
    (Case::CreateLocation, "Create a location"),
    (Case::CreateShipment, "Create a shipment"),
];

pub async fn measure(bench: &mut Bench, earlier: &Path) -> Outcome<()> {
    let product = Data::sqlite(bench, "product")?;
    let rival = Data::sqlite(bench, "earlier")?.served_by(earlier);
    both(bench, "SQLite", product, rival).await?;
    bench.progress("starting a private PostgreSQL");
    let postgres = match PostgresServer::start().await {
        Ok(postgres) => postgres,
        Err(why) => return bench.print(&format!("\nPostgreSQL: skipped, since {why}\n")),
    };
    let database = Database::create(&postgres.url, "bench_product").await?;
    let product = Data::postgres(bench, "postgres-product", database.url.clone())?;
    let database = Database::create(&postgres.url, "bench_earlier").await?;
    let rival = Data::postgres(bench, "postgres-earlier", database.url.clone())?.served_by(earlier);
    both(bench, "PostgreSQL", product, rival).await
}

async fn both(bench: &mut Bench, engine: &str, product: Data, earlier: Data) -> Outcome<()> {
    bench.progress("filling the stores");
    let (product, earlier) = (Side::start(product).await?, Side::start(earlier).await?);
    let turn = bench.plan.turn;
    for (case, title) in CASES {
        let requests = [product.request(case), earlier.request(case)];
        compare(
            bench,
            comparison(&format!("{title}, {engine}")),
            async |connections| product.server.answer(&requests[0], connections, turn).await,
            async |connections| earlier.server.answer(&requests[1], connections, turn).await,
        )
        .await?;
    }
    compare(
        bench,
        comparison(&format!("Buy a shipment with its label, {engine}")),
        async |connections| product.buy(connections).await,
        async |connections| earlier.buy(connections).await,
    )
    .await?;
    product.server.stop().await?;
    earlier.server.stop().await
}

fn comparison(title: &str) -> Comparison {
    Comparison {
        title: title.to_owned(),
        rival: "earlier",
        connections: CONNECTIONS,
        rounds: ROUNDS,
        ratio_min: RATIO_MIN,
        per_second_min: None,
    }
}
