//! Reads: one location, and a page of twenty, against a bare server that returns the same bytes from memory.

use bytes::Bytes;

use crate::harness::compare::{Comparison, compare};
use crate::harness::context::Bench;
use crate::harness::load;
use crate::harness::outcome::Outcome;
use crate::harness::process::{self, Data, Server, create_request};

/// Locations in the store: more than a page, so that a page has a next one.
const LOCATIONS: usize = 1000;

pub async fn measure(bench: &mut Bench, with_get: bool, with_list: bool) -> Outcome<()> {
    bench.progress("filling a store");
    let data = Data::sqlite(bench, "reads")?;
    let token = data.token().await?;
    let product = data.serve().await?;
    let create = product.target(create_request(&token));
    let mut location = String::new();
    for _ in 0..LOCATIONS {
        location = process::id(&load::ask(&create).await?)?;
    }
    let cases = [
        (with_get, "get", "GET a location", format!("/locations/{location}"), 0.5),
        (with_list, "list", "List 20 locations", "/locations".to_owned(), 0.3),
    ];
    for (is_wanted, name, title, path, ratio_min) in cases {
        if is_wanted {
            let request = process::request("GET", &path, Some(&token), "");
            one(bench, name, title, &product, &request, ratio_min).await?;
        }
    }
    Ok(())
}

async fn one(
    bench: &mut Bench,
    name: &str,
    title: &str,
    product: &Server,
    request: &Bytes,
    ratio_min: f64,
) -> Outcome<()> {
    let answer = load::ask(&product.target(request.clone())).await?;
    let bare = Server::bare(bench, name, &answer, None).await?;
    let turn = bench.plan.turn;
    let comparison = Comparison {
        title: format!("{title} ({} bytes), SQLite", process::body(&answer)?.len()),
        rival: "bare",
        connections: bench.plan.connections,
        rounds: bench.plan.rounds,
        ratio_min,
        per_second_min: None,
    };
    compare(
        bench,
        comparison,
        async |connections| product.answer(request, connections, turn).await,
        async |connections| bare.answer(request, connections, turn).await,
    )
    .await
}
