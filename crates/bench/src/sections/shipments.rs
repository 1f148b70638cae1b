//! Shipments: created, rated by the sandbox carrier, and bought with a label drawn. They are compared with creating a
//! location in the same run: the same pipeline and the same durable commit, with a document a twentieth of the size.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use crate::harness::compare::{Comparison, compare};
use crate::harness::context::Bench;
use crate::harness::load::{self, Target};
use crate::harness::outcome::Outcome;
use crate::harness::process::{Data, Server, create_request, id, request};
use crate::harness::report::{count, table};

/// A typical shipment.
pub const SHIPMENT: &str = r#"{"name":"Order 1042","addresses":{"origin":{"address":{"line_1":"1 Quay Street","city":"Bristol","post_code":"BS1 4DJ","country_code":"GB"},"contact":{"name":"Depot","company":"Acme"}},"destination":{"address":{"line_1":"2 High Street","city":"Leeds","post_code":"LS1 4DY","country_code":"GB"},"contact":{"name":"Ada"}}},"packages":[{"geometry":{"mass":1.2,"length":30,"width":20,"height":10}}]}"#;
pub const PURCHASE: &str = r#"{"carrier_account":"sandbox","carrier_service":"standard"}"#;
/// Shipments that are rated repeatedly, but never twice at once.
const RATED: usize = 2000;
/// Shipments that are bought once each, and the number of connections for them.
const BOUGHT: usize = 1000;
const BUYERS: usize = 32;

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    bench.progress("starting the store");
    let data = Data::sqlite(bench, "shipments")?;
    let token = data.test_token().await?;
    let product = data.serve().await?;
    let create = request("POST", "/shipments", Some(&token), SHIPMENT);
    let location = create_request(&token);
    let turn = bench.plan.turn;
    let plan = |title: &str, ratio_min: f64| Comparison {
        title: title.to_owned(),
        rival: "location",
        connections: bench.plan.connections,
        rounds: bench.plan.rounds,
        ratio_min,
        per_second_min: None,
    };
    let (created, rated) = (plan("Create a shipment, SQLite", 0.5), plan("Rate a shipment, SQLite", 0.15));
    compare(
        bench,
        created,
        async |connections| product.answer(&create, connections, turn).await,
        async |connections| product.answer(&location, connections, turn).await,
    )
    .await?;
    bench.progress("making shipments to rate");
    let rates = wishes(&product, &token, &create, RATED, "rates", "").await?;
    compare(
        bench,
        rated,
        async |connections| product.answer_each(&rates, connections, turn).await,
        async |connections| product.answer(&location, connections, turn).await,
    )
    .await?;
    buy(bench, &product, &token, &create).await?;
    product.stop().await
}

/// Buys shipments. The request, the carrier's ledger, the receipt, a label of one PDF page, and the shipment with its
/// document are a durable commit each.
async fn buy(bench: &mut Bench, product: &Server, token: &str, create: &Bytes) -> Outcome<()> {
    bench.progress("making shipments to buy");
    let wishes = wishes(product, token, create, BOUGHT, "purchase", PURCHASE).await?;
    bench.progress("buying them");
    let (began, spent) = (Instant::now(), product.cpu()?);
    let mut buyers = tokio::task::JoinSet::new();
    for buyer in 0..BUYERS {
        let mine: Vec<Bytes> = wishes.iter().skip(buyer).step_by(BUYERS).cloned().collect();
        let target = Target { address: product.target(create.clone()).address, requests: mine.into() };
        buyers.spawn(async move { load::each(&target).await });
    }
    while let Some(done) = buyers.join_next().await {
        done??;
    }
    let seconds = began.elapsed().as_secs_f64();
    let cpu = (product.cpu()? - spent).as_secs_f64() / BOUGHT as f64;
    let rows = [
        ["shipments", "connections", "bought/s", "cpu ms each"].map(str::to_owned).to_vec(),
        vec![
            count(BOUGHT as f64),
            BUYERS.to_string(),
            count(BOUGHT as f64 / seconds),
            format!("{:.1}", cpu * 1000.0),
        ],
    ];
    bench.print(&format!("\nBuy a shipment from the sandbox, with a label (PDF), SQLite\n{}", table(&rows)))
}

/// Creates shipments, and returns a purchase request for each.
pub async fn wishes(
    product: &Server,
    token: &str,
    create: &Bytes,
    amount: usize,
    what: &str,
    body: &str,
) -> Outcome<Arc<[Bytes]>> {
    let target = product.target(create.clone());
    let mut requests = Vec::with_capacity(amount);
    for _ in 0..amount {
        let shipment = id(&load::ask(&target).await?)?;
        requests.push(request("POST", &format!("/shipments/{shipment}/{what}"), Some(token), body));
    }
    Ok(requests.into())
}
