//! Batches: filled by one request, listed at their end, bought from a carrier that answers at once and from one that takes
//! its time, labelled into one file. The server is watched meanwhile: its memory, and how long it lets others wait.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::batch_rows::direct;
use crate::load::{self, Target};
use crate::process::{Data, Server, body, id, request};
use crate::report::{count, table};
use crate::shipments::SHIPMENT;
use crate::{Bench, Outcome};

/// Connections that make shipments.
const MAKERS: usize = 32;
/// Calls that the carrier is asked at once, and what each takes where it takes its time.
const CALLS: usize = 32;
const CALL_MS: u64 = 50;
/// A small batch that is bought beside a large one.
const SMALL: usize = 320;
/// How often a batch is looked at while it is bought: for its end, and for how long that takes.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long a purchase may take beyond what the carrier alone would.
const PATIENCE: Duration = Duration::from_secs(120);
const MEMORY_MIB_MAX: f64 = 256.0;
const GET_MS_MAX: f64 = 50.0;
const TIME_RATIO_MAX: f64 = 1.25;

/// The product with a carrier of its own.
struct Shop<'a> {
    bench: &'a Bench,
    product: Server,
    /// Ends with the shop, because this holds it.
    carrier: Server,
    token: String,
}

/// What was seen while a batch was bought.
struct Seen {
    time: Duration,
    memory_mib: f64,
    /// How long a GET of the batch took at most, but for one in a hundred, in milliseconds.
    get_ms: f64,
}

pub async fn measure(bench: &mut Bench) -> Outcome<()> {
    at_once(bench).await?;
    with_time(bench).await
}

/// A carrier that answers at once: what the product itself costs.
async fn at_once(bench: &mut Bench) -> Outcome<()> {
    let (added, listed) = (bench.plan.batch_added, bench.plan.batch_listed);
    let data = Data::sqlite(bench, "batches")?;
    let shop = Shop::open(bench, &data, 0).await?;
    bench.progress("making shipments");
    let shipments = shop.make(listed).await?;
    let batch = shop.batch(&[]).await?;
    bench.progress("adding them to a batch");
    let began = Instant::now();
    shop.add(&batch, &shipments[..added]).await?;
    let add = began.elapsed();
    let adding = format!(
        "\nAdd {} shipments to a batch by one PATCH, SQLite: {} ms, {} a second\n",
        count(added as f64),
        count(add.as_secs_f64() * 1000.0),
        count(added as f64 / add.as_secs_f64())
    );
    bench.print(&adding)?;
    bench.progress("buying it");
    let bought = shop.buy(&batch, added).await?;
    let per_second = added as f64 / bought.time.as_secs_f64();
    let whole = shop.batch(&[]).await?;
    shop.add(&whole, &shipments[added..]).await?;
    bench.progress("listing it to its end");
    let last = shop.last_page(&whole).await?;
    let (first, deep) = shop.compare_pages(&whole, &last).await?;
    shop.product.stop().await?;
    bench.progress("the same rows, written directly");
    let least = direct(&data.file(), &shop.token, added).await?;
    let ratio = per_second / least;
    let rows = [
        ["purchases", "product/s", "direct/s", "ratio"].map(str::to_owned).to_vec(),
        vec![count(added as f64), count(per_second), count(least), format!("{ratio:.2}")],
    ];
    bench.print(&format!("\nBuy a batch from a carrier that answers at once, SQLite\n{}", table(&rows)))?;
    let title = "Batch purchases, of the same rows written directly, SQLite";
    bench.targets.at_least(title, ratio, 0.15, |ratio| format!("{ratio:.2}"));
    let times = deep / first;
    let text = format!(
        "\nList 20 shipments of a batch of {}, SQLite: the first page {first:.2} ms, the last {deep:.2} ms\n",
        count((listed - added) as f64)
    );
    bench.print(&text)?;
    bench.targets.below("The last page of a large batch, times the first", times, 1.5, |x| format!("{x:.2}"));
    Ok(())
}

/// A carrier that takes its time: whether anything but the carrier is waited for.
async fn with_time(bench: &mut Bench) -> Outcome<()> {
    let amount = bench.plan.batch_bought;
    let data = Data::sqlite(bench, "slow-batches")?;
    let shop = Shop::open(bench, &data, CALL_MS).await?;
    bench.progress("making shipments");
    let small = shop.batch(&shop.make(SMALL).await?).await?;
    bench.progress("buying a small batch alone");
    let alone = shop.buy(&small, SMALL).await?;
    let (small, large) = (shop.make(SMALL).await?, shop.make(amount).await?);
    let (small, large) = (shop.batch(&small).await?, shop.batch(&large).await?);
    bench.progress("buying a large batch, and a small one beside it");
    let beside = async {
        // By then the large one fills every place.
        tokio::time::sleep(Duration::from_millis(1500)).await;
        shop.buy(&small, SMALL).await
    };
    let (seen, beside) = tokio::try_join!(shop.buy(&large, amount), beside)?;
    bench.progress("its labels, in one file");
    let (label_time, label_mib, bytes) = shop.label(&large).await?;
    shop.product.stop().await?;
    let ideal = amount as f64 * CALL_MS as f64 / 1000.0 / CALLS as f64;
    // The small one had its share of the same calls.
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
        ],
    ];
    bench.print(&format!(
        "\nBuy a batch from a carrier that takes {CALL_MS} ms, {CALLS} calls at once, SQLite; labels as ZPL\n{}",
        table(&rows)
    ))?;
    let show = |x: f64| format!("{x:.2}");
    bench.targets.below("A large batch, times what its carrier takes", ratio, TIME_RATIO_MAX, show);
    bench.targets.below("A small batch beside a large one, times alone", delay, 2.0, show);
    bench.targets.below("GET of a batch while it is bought, p99 ms", seen.get_ms, GET_MS_MAX, show);
    let mib = |x: f64| format!("{x:.0} MiB");
    bench.targets.below("Memory while a batch is bought", seen.memory_mib, MEMORY_MIB_MAX, mib);
    bench.targets.below("Memory while its labels are merged and fetched", label_mib, MEMORY_MIB_MAX, mib);
    Ok(())
}

impl<'a> Shop<'a> {
    async fn open(bench: &'a Bench, data: &Data, latency_ms: u64) -> Outcome<Self> {
        bench.progress("starting a server and a carrier");
        let token = data.test_token(bench).await?;
        let carrier = data.carrier(bench, latency_ms).await?;
        let product = data.serve_with(bench, &["--carrier-calls-max", &CALLS.to_string()]).await?;
        let shop = Self { bench, product, carrier, token };
        let url = format!("http://{}", shop.carrier.address);
        let account = format!(
            r#"{{"carrier":{{"handle":"sandbox"}},"name":"Bench","handle":"bench","configuration":{{"mode":"idempotent","url":"{url}"}}}}"#
        );
        shop.ask("POST", "/carrier_accounts", &account).await?;
        Ok(shop)
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> Outcome<Vec<u8>> {
        let target = self.product.target(request(method, path, Some(&self.token), body));
        Ok(load::ask(&target).await?)
    }

    /// Makes so many shipments, and gives their ids.
    async fn make(&self, amount: usize) -> Outcome<Vec<String>> {
        let create = request("POST", "/shipments", Some(&self.token), SHIPMENT);
        let mut makers = JoinSet::new();
        for maker in 0..MAKERS {
            let share = amount / MAKERS + usize::from(maker < amount % MAKERS);
            let requests: Vec<Bytes> = vec![create.clone(); share];
            let target = Target { address: self.product.address, requests: requests.into() };
            makers.spawn(async move {
                let mut ids = Vec::new();
                load::answers(&target, |answer| {
                    ids.push(id(answer)?);
                    Ok(())
                })
                .await?;
                Outcome::Ok(ids)
            });
        }
        let mut ids = Vec::with_capacity(amount);
        while let Some(made) = makers.join_next().await {
            ids.extend(made??);
        }
        Ok(ids)
    }

    /// Makes a batch.
    async fn batch(&self, shipments: &[String]) -> Outcome<String> {
        let body = r#"{"service":{"carrier_account":{"handle":"bench"},"carrier_service":{"handle":"standard"}},"options":{"label_format":"zpl"}}"#;
        let batch = id(&self.ask("POST", "/batches", body).await?)?;
        if !shipments.is_empty() {
            self.add(&batch, shipments).await?;
        }
        Ok(batch)
    }

    async fn add(&self, batch: &str, shipments: &[String]) -> Outcome<()> {
        let body = format!("{{\"shipments\":[\"{}\"]}}", shipments.join("\",\""));
        self.ask("PATCH", &format!("/batches/{batch}/shipments"), &body).await.map(drop)
    }

    /// Buys a batch of so many shipments, and looks at it until it is bought.
    async fn buy(&self, batch: &str, amount: usize) -> Outcome<Seen> {
        let path = format!("/batches/{batch}");
        let began = Instant::now();
        let begin = request("POST", &format!("{path}/purchase"), Some(&self.token), "");
        let begin = with_header(&begin, "Prefer: respond-async");
        load::ask(&self.product.target(begin)).await?;
        let limit = PATIENCE + Duration::from_millis(amount as u64 * CALL_MS / CALLS as u64 * 4);
        let (mut micros, mut memory_mib) = (Vec::new(), 0.0_f64);
        loop {
            let asked = Instant::now();
            let answer = self.ask("GET", &path, "").await?;
            micros.push(asked.elapsed().as_micros() as f64);
            memory_mib = memory_mib.max(self.product.resident_mib()?);
            let text = body(&answer)?;
            let batch: serde_json::Value = serde_json::from_str(text)?;
            match batch["status"].as_str() {
                Some("purchased") => break,
                Some("purchasing") => {}
                _ => return Err(format!("the batch was not bought: {text}").into()),
            }
            if began.elapsed() > limit {
                return Err(format!("the batch is not bought after {} s: {text}", limit.as_secs()).into());
            }
            self.bench.progress(&format!("buying: {} of {amount}", batch["purchased_count"]));
            tokio::time::sleep(LOOK_EVERY).await;
        }
        micros.sort_by(f64::total_cmp);
        let get_ms = micros[(micros.len() - 1) * 99 / 100] / 1000.0;
        Ok(Seen { time: began.elapsed(), memory_mib, get_ms })
    }

    /// The cursor of the last page of a batch's shipments.
    async fn last_page(&self, batch: &str) -> Outcome<String> {
        let mut cursor = String::new();
        loop {
            let path = format!("/batches/{batch}/shipments?limit=20{cursor}");
            let answer = self.ask("GET", &path, "").await?;
            let page: serde_json::Value = serde_json::from_str(body(&answer)?)?;
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Ok(path),
            }
        }
    }

    /// How long the first page takes and how long that one, in milliseconds.
    async fn compare_pages(&self, batch: &str, last: &str) -> Outcome<(f64, f64)> {
        let first = format!("/batches/{batch}/shipments?limit=20");
        let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
        let turn = self.bench.plan.turn;
        for _ in 0..self.bench.plan.rounds {
            for (path, times) in [(first.as_str(), &mut firsts), (last, &mut lasts)] {
                let page = request("GET", path, Some(&self.token), "");
                let figures = self.product.answer(&page, 1, turn).await?;
                times.push(1000.0 / figures.per_second);
            }
        }
        let middle = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        Ok((middle(firsts), middle(lasts)))
    }

    /// Makes the labels of a batch, and fetches them in one file; tells how long it took, the most memory that the server
    /// had, and how large the file is.
    async fn label(&self, batch: &str) -> Outcome<(Duration, f64, u64)> {
        let path = format!("/batches/{batch}/labels");
        let began = Instant::now();
        let mut memory_mib = 0.0_f64;
        let make = request("POST", &path, Some(&self.token), "");
        let make = with_header(&with_header(&make, "Prefer: wait=1"), "Connection: close");
        let text = loop {
            let answer = fetch(&self.product, &make, |_| Ok(())).await?;
            memory_mib = memory_mib.max(self.product.resident_mib()?);
            if answer.starts_with(b"HTTP/1.1 201") {
                break String::from_utf8(answer)?;
            }
            if !answer.starts_with(b"HTTP/1.1 202") {
                return Err(String::from_utf8_lossy(&answer).into());
            }
            self.bench.progress(&format!("labelling since {} s", began.elapsed().as_secs()));
        };
        let at = text.find("/files/").ok_or("no label has a link")?;
        let link = text[at..].split('"').next().unwrap_or_default();
        let get = with_header(&request("GET", link, None, ""), "Connection: close");
        let mut bytes = 0;
        let seen = &mut memory_mib;
        fetch(&self.product, &get, |piece| {
            bytes += piece as u64;
            *seen = seen.max(self.product.resident_mib()?);
            Ok(())
        })
        .await?;
        Ok((began.elapsed(), memory_mib, bytes))
    }
}

/// A request with one more header.
fn with_header(request: &Bytes, header: &str) -> Bytes {
    let text = String::from_utf8_lossy(request);
    text.replacen("\r\n", &format!("\r\n{header}\r\n"), 1).into()
}

/// Sends a request that ends the connection, and reads what comes: the first mebibytes are kept, of the rest only the
/// length is told.
async fn fetch(
    product: &Server,
    request: &Bytes,
    mut tell: impl FnMut(usize) -> Outcome<()>,
) -> Outcome<Vec<u8>> {
    const KEPT_BYTES: usize = 4 << 20;
    let mut stream = TcpStream::connect(product.address).await?;
    stream.write_all(request).await?;
    let (mut kept, mut buffer) = (Vec::new(), vec![0; 256 << 10]);
    loop {
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(kept);
        }
        tell(read)?;
        if kept.len() < KEPT_BYTES {
            kept.extend_from_slice(&buffer[..read]);
        }
    }
}
