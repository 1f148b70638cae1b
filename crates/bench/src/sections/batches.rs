//! Batches: filled by one request, listed at their end, bought from a carrier that answers at once and from a slow
//! one, labelled into one file, and manifested. Meanwhile, the server's memory and the latency of other requests are
//! measured.

use std::time::{Duration, Instant};

use crate::harness::context::Bench;
use crate::harness::outcome::Outcome;
use crate::harness::plan::Engine;
use crate::harness::postgres::{Database, PostgresServer};
use crate::harness::process::Data;
use crate::harness::report::{count, table};
use crate::rivals::batch_rows::{Stores, direct};
use crate::rivals::bought_batch::copy_store;
use crate::sections::batch_client::{BatchClient, CALL_MS, CALLS};

/// A small batch that is bought while a large one is.
const SMALL: usize = 320;
const MEMORY_MIB_MAX: f64 = 256.0;
const GET_MS_MAX: f64 = 50.0;
const TIME_RATIO_MAX: f64 = 1.25;
const DIRECT_RATIO_MIN: f64 = 0.5;

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    let only = bench.plan.batch_engine;
    if only != Some(Engine::Postgres) {
        at_once(bench).await?;
        let data = Data::sqlite(bench, "slow-batches")?;
        with_time(bench, "SQLite", &data).await?;
    }
    if only == Some(Engine::Sqlite) {
        return Ok(());
    }
    let server = match PostgresServer::start().await {
        Ok(server) => server,
        Err(why) => return bench.print(&format!("\nBuy a batch, PostgreSQL: skipped, since {why}\n")),
    };
    let database = Database::create(&server.url, "bench_batches").await?;
    let data = Data::postgres(bench, "slow-batches-postgres", database.url.clone())?;
    with_time(bench, "PostgreSQL", &data).await
}

/// Buys from a carrier that answers at once, which measures the product's own cost.
async fn at_once(bench: &mut Bench) -> Outcome<()> {
    let (added, listed) = (bench.plan.batch_added, bench.plan.batch_listed);
    let data = Data::sqlite(bench, "batches")?;
    let client = BatchClient::open(bench, &data, 0).await?;
    bench.progress("making shipments");
    let shipments = client.make(listed).await?;
    let batch = client.batch("zpl", &[]).await?;
    bench.progress("adding them to a batch");
    let began = Instant::now();
    client.add(&batch, &shipments[..added]).await?;
    let add = began.elapsed();
    let adding = format!(
        "\nAdd {} shipments to a batch by one PATCH, SQLite: {} ms, {} a second\n",
        count(added as f64),
        count(add.as_secs_f64() * 1000.0),
        count(added as f64 / add.as_secs_f64())
    );
    bench.print(&adding)?;
    let whole = client.batch("zpl", &[]).await?;
    client.add(&whole, &shipments[added..]).await?;
    bench.progress("listing it to its end");
    let last = client.last_page(&whole).await?;
    let (first, deep) = client.compare_pages(&whole, &last).await?;
    let (before, since) = (data.file().with_extension("before"), data.file().with_extension("since"));
    let client = client.restart(&data, || copy_store(&data.file(), &before)).await?;
    bench.progress("buying it");
    let bought = client.buy(&batch, added).await?;
    client.ensure_labels(&batch, added).await?;
    let per_second = added as f64 / bought.time.as_secs_f64();
    client.product.stop().await?;
    bench.progress("the same rows, written directly");
    let stores = Stores { before: &before, file: &data.file(), since: &since };
    let least = direct(&stores, &client.token, &batch).await?;
    let ratio = per_second / least;
    let rows = [
        ["purchases", "product/s", "direct/s", "ratio"].map(str::to_owned).to_vec(),
        vec![count(added as f64), count(per_second), count(least), format!("{ratio:.2}")],
    ];
    bench.print(&format!("\nBuy a batch from a carrier that answers at once, SQLite; labels as ZPL, stored before it is confirmed\n{}", table(&rows)))?;
    let title = "Batch purchases, of the same rows written directly, SQLite";
    bench.targets.at_least(title, ratio, DIRECT_RATIO_MIN, |ratio| format!("{ratio:.2}"));
    let times = deep / first;
    let text = format!(
        "\nList 20 shipments of a batch of {}, SQLite: the first page {first:.2} ms, the last {deep:.2} ms\n",
        count((listed - added) as f64)
    );
    bench.print(&text)?;
    bench.targets.below("The last page of a large batch, times the first", times, 1.5, |x| format!("{x:.2}"));
    Ok(())
}

/// Buys from a slow carrier, which measures whether the product adds to the carrier's time.
async fn with_time(bench: &mut Bench, engine: &str, data: &Data) -> Outcome<()> {
    let amount = bench.plan.batch_bought;
    let client = BatchClient::open(bench, data, CALL_MS).await?;
    bench.progress("making shipments");
    let small = client.batch("pdf", &client.make(SMALL).await?).await?;
    bench.progress("buying a small batch alone");
    let alone = client.buy(&small, SMALL).await?;
    let (small, large) = (client.make(SMALL).await?, client.make(amount).await?);
    let (small, large) = (client.batch("pdf", &small).await?, client.batch("pdf", &large).await?);
    bench.progress("buying a large batch, and a small one beside it");
    let beside = async {
        // By then the large batch uses every call permit.
        tokio::time::sleep(Duration::from_millis(1500)).await;
        client.buy(&small, SMALL).await
    };
    let (seen, beside) = tokio::try_join!(client.buy(&large, amount), beside)?;
    client.ensure_labels(&large, amount).await?;
    bench.progress("its labels, in one file");
    let (label_time, label_mib, bytes) = client.label(&large).await?;
    bench.progress("its manifest");
    let (manifest_time, manifest_mib) = client.hand_over(&large).await?;
    client.product.stop().await?;
    let ideal = amount as f64 * CALL_MS as f64 / 1000.0 / CALLS as f64;
    // The small batch had its share of the same calls.
    let ideal = ideal + SMALL as f64 * CALL_MS as f64 / 1000.0 / CALLS as f64;
    let ratio = seen.time.as_secs_f64() / ideal;
    let delay = beside.time.as_secs_f64() / alone.time.as_secs_f64();
    let rows = [
        [
            "shipments",
            "seconds",
            "of the least",
            "memory MiB",
            "GET p99 ms",
            "beside it",
            "labels s",
            "labels MiB",
            "manifest s",
        ]
        .map(str::to_owned)
        .to_vec(),
        vec![
            count(amount as f64),
            format!("{:.1}", seen.time.as_secs_f64()),
            format!("{ratio:.2}"),
            count(seen.memory_mib),
            format!("{:.1}", seen.get_ms),
            format!("{delay:.2}"),
            format!("{:.1}", label_time.as_secs_f64()),
            format!("{:.1}", bytes as f64 / f64::from(1 << 20)),
            format!("{:.1}", manifest_time.as_secs_f64()),
        ],
    ];
    bench.print(&format!(
        "\nBuy a batch from a carrier that takes {CALL_MS} ms, {CALLS} calls at once, {engine}; labels as PDF, stored before it is confirmed\n{}",
        table(&rows)
    ))?;
    let mut below = |what: &str, measured: f64, limit: f64, show: fn(f64) -> String| {
        bench.targets.below(&format!("{what}, {engine}"), measured, limit, show);
    };
    let show = |x: f64| format!("{x:.2}");
    below("A large batch, times what its carrier takes", ratio, TIME_RATIO_MAX, show);
    below("A small batch beside a large one, times alone", delay, 2.0, show);
    below("GET of a batch while it is bought, p99 ms", seen.get_ms, GET_MS_MAX, show);
    let mib = |x: f64| format!("{x:.0} MiB");
    below("Memory while a batch is bought", seen.memory_mib, MEMORY_MIB_MAX, mib);
    below("Memory while its labels are merged and fetched", label_mib, MEMORY_MIB_MAX, mib);
    below("Memory while it is handed over", manifest_mib, MEMORY_MIB_MAX, mib);
    Ok(())
}
