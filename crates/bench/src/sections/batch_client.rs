//! A client that fills batches, has them bought, labelled and manifested, and measures the server meanwhile.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::harness::context::Bench;
use crate::harness::load::{self, Target};
use crate::harness::outcome::Outcome;
use crate::harness::process::{Data, Server, body, id, request};
use crate::sections::shipments::SHIPMENT;

/// Connections that create shipments.
const MAKERS: usize = 32;
/// Calls to the carrier at once, and the duration of each at a slow carrier.
pub const CALLS: usize = 32;
pub const CALL_MS: u64 = 50;
/// How often a batch is read while it is bought, to notice its end and to measure the latency of reads.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long a purchase may take in addition to the carrier's own time.
const PURCHASE_TIME_MAX: Duration = Duration::from_secs(120);

/// The product with a carrier of its own.
pub struct BatchClient<'a> {
    bench: &'a Bench,
    pub product: Server,
    /// The carrier's process, which ends when this is dropped.
    carrier: Server,
    pub token: String,
}

/// Measurements during the purchase of a batch.
pub struct Seen {
    pub time: Duration,
    pub memory_mib: f64,
    /// The 99th percentile of the durations of reading the batch, in milliseconds.
    pub get_ms: f64,
}

impl<'a> BatchClient<'a> {
    pub async fn open(bench: &'a Bench, data: &Data, latency_ms: u64) -> Outcome<Self> {
        bench.progress("starting a server and a carrier");
        let token = data.test_token().await?;
        let carrier = data.carrier(latency_ms).await?;
        let product = serve(data).await?;
        let client = Self { bench, product, carrier, token };
        let url = format!("http://{}", client.carrier.address);
        let account = format!(
            r#"{{"carrier":{{"handle":"sandbox"}},"name":"Bench","handle":"bench","configuration":{{"mode":"idempotent","url":"{url}"}}}}"#
        );
        client.ask("POST", "/carrier_accounts", &account).await?;
        Ok(client)
    }

    /// Stops the server, does something with its data, and starts it again.
    pub async fn restart(self, data: &Data, meanwhile: impl FnOnce() -> Outcome<()>) -> Outcome<Self> {
        let Self { bench, product, carrier, token } = self;
        product.stop().await?;
        meanwhile()?;
        Ok(Self { bench, product: serve(data).await?, carrier, token })
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> Outcome<Vec<u8>> {
        let target = self.product.target(request(method, path, Some(&self.token), body));
        Ok(load::ask(&target).await?)
    }

    /// Creates this number of shipments, and returns their ids.
    pub async fn make(&self, amount: usize) -> Outcome<Vec<String>> {
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

    /// Creates a batch with this label format.
    pub async fn batch(&self, format: &str, shipments: &[String]) -> Outcome<String> {
        let body = format!(
            r#"{{"service":{{"carrier_account":{{"handle":"bench"}},"carrier_service":{{"handle":"standard"}}}},"options":{{"label_format":"{format}"}}}}"#
        );
        let batch = id(&self.ask("POST", "/batches", &body).await?)?;
        if !shipments.is_empty() {
            self.add(&batch, shipments).await?;
        }
        Ok(batch)
    }

    pub async fn add(&self, batch: &str, shipments: &[String]) -> Outcome<()> {
        let body = format!("{{\"shipments\":[\"{}\"]}}", shipments.join("\",\""));
        self.ask("PATCH", &format!("/batches/{batch}/shipments"), &body).await.map(drop)
    }

    /// Buys a batch of this number of shipments, and reads it until it is bought.
    pub async fn buy(&self, batch: &str, amount: usize) -> Outcome<Seen> {
        let path = format!("/batches/{batch}");
        let began = Instant::now();
        let begin = request("POST", &format!("{path}/purchase"), Some(&self.token), "");
        let begin = with_header(&begin, "Prefer: respond-async");
        load::ask(&self.product.target(begin)).await?;
        let limit = PURCHASE_TIME_MAX + Duration::from_millis(amount as u64 * CALL_MS / CALLS as u64 * 4);
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

    /// Checks that a batch that has just been completed has a label for each shipment.
    pub async fn ensure_labels(&self, batch: &str, amount: usize) -> Outcome<()> {
        let get = request("GET", &format!("/batches/{batch}/labels"), Some(&self.token), "");
        let answer = fetch(&self.product, &with_header(&get, "Connection: close"), |_| Ok(())).await?;
        let labels = memchr::memmem::find_iter(&answer, br#""type":"label""#).count();
        match labels == amount {
            true => Ok(()),
            false => Err(format!("{labels} labels of {amount} shipments that are purchased").into()),
        }
    }

    /// Returns the cursor of the last page of a batch's shipments.
    pub async fn last_page(&self, batch: &str) -> Outcome<String> {
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

    /// Returns how long the first page and the last page take, in milliseconds.
    pub async fn compare_pages(&self, batch: &str, last: &str) -> Outcome<(f64, f64)> {
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

    /// Requests a file of a batch until it is complete. Returns the answer, and the most memory that the server used.
    async fn make_whole(&self, path: &str) -> Outcome<(Vec<u8>, f64)> {
        let began = Instant::now();
        let mut memory_mib = 0.0_f64;
        let make = request("POST", path, Some(&self.token), "");
        let make = with_header(&with_header(&make, "Prefer: wait=1"), "Connection: close");
        loop {
            let answer = fetch(&self.product, &make, |_| Ok(())).await?;
            memory_mib = memory_mib.max(self.product.resident_mib()?);
            if answer.starts_with(b"HTTP/1.1 201") || answer.starts_with(b"HTTP/1.1 200") {
                return Ok((answer, memory_mib));
            }
            if !answer.starts_with(b"HTTP/1.1 202") {
                return Err(String::from_utf8_lossy(&answer).into());
            }
            self.bench.progress(&format!("{path} since {} s", began.elapsed().as_secs()));
        }
    }

    /// Makes the manifests of a batch. Returns how long that took, and the most memory that the server used.
    pub async fn hand_over(&self, batch: &str) -> Outcome<(Duration, f64)> {
        let began = Instant::now();
        let (answer, memory_mib) = self.make_whole(&format!("/batches/{batch}/manifests")).await?;
        let time = began.elapsed();
        let made: serde_json::Value = serde_json::from_str(body(&answer)?)?;
        let manifests = made["data"].as_array().ok_or("no list of manifests")?;
        // The answer also contains manifests that the carrier refused.
        match manifests.iter().find(|manifest| manifest["status"] != "created") {
            Some(failed) => {
                Err(format!("not handed over: {} {}", failed["status"], failed["messages"]).into())
            }
            None if manifests.is_empty() => Err("nothing was handed over".into()),
            None => Ok((time, memory_mib)),
        }
    }

    /// Makes the labels of a batch, and fetches them in one file. Returns how long that took, the most memory that
    /// the server used, and the size of the file.
    pub async fn label(&self, batch: &str) -> Outcome<(Duration, f64, u64)> {
        let began = Instant::now();
        let (answer, mut memory_mib) = self.make_whole(&format!("/batches/{batch}/labels")).await?;
        let text = String::from_utf8(answer)?;
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

async fn serve(data: &Data) -> Outcome<Server> {
    data.serve_with(&["--carrier-calls-max", &CALLS.to_string()]).await
}

/// Returns a request with an additional header.
fn with_header(request: &Bytes, header: &str) -> Bytes {
    let text = String::from_utf8_lossy(request);
    text.replacen("\r\n", &format!("\r\n{header}\r\n"), 1).into()
}

/// Sends a request that closes the connection, and reads the answer: keeps the first mebibytes, enough for a list of
/// 100,000 shipments, and of the rest only the length.
async fn fetch(
    product: &Server,
    request: &Bytes,
    mut tell: impl FnMut(usize) -> Outcome<()>,
) -> Outcome<Vec<u8>> {
    const KEPT_BYTES: usize = 16 << 20;
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
