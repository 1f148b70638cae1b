//! A desk at which EasyPost's recorded answers are given out again: a real HTTP server on the loopback.
//!
//! A request that was recorded gets the answer that was recorded with it. What was not, such as a look at a shipment, is
//! answered from what the desk said last of it. Where the recordings are not at hand, an exchange of our own writing with
//! the same paths stands in for them.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

pub const KEY: &str = "EZTKrecorded";
/// What is fetched where a label should be.
pub const LABEL: &str = "the image of a label";
/// Where recorded labels are.
const FILES: &str = "https://easypost-files.s3.us-west-2.amazonaws.com";
const SHIPMENTS: &str = "/v2/shipments";

/// The server. It is gone when this is.
pub struct Desk {
    address: SocketAddr,
    books: Arc<Mutex<Books>>,
    serving: tokio::task::JoinHandle<()>,
}

/// What goes wrong with a purchase.
#[derive(Clone)]
pub enum Trouble {
    /// It is made, and the answer is lost.
    LostAfter,
    /// The line is cut before it is made.
    LostBefore,
    /// It is made, and the answer says otherwise.
    FailsAfter(u16),
    Refuses(u16, Value),
}

struct Books {
    /// Answers by method and path, as they were recorded.
    recorded: BTreeMap<String, (u16, Value)>,
    /// What was last said of each shipment, by its name.
    shipments: BTreeMap<String, Value>,
    seen: Vec<String>,
    troubles: VecDeque<Trouble>,
    purchases: usize,
}

impl Desk {
    /// With the exchanges of this recording.
    pub async fn open(recording: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut recorded = BTreeMap::new();
        let text = self::recording(recording).unwrap_or_else(ours).to_string();
        let exchanges: Value =
            serde_json::from_str(&text.replace(FILES, &format!("http://{address}"))).unwrap();
        for exchange in exchanges["exchanges"].as_array().expect("exchanges") {
            let word = |name: &str| exchange["request"][name].as_str().expect("a text");
            let name = format!("{} {}", word("method"), word("path"));
            let status = exchange["response"]["status"].as_u64().expect("a status") as u16;
            recorded.insert(name, (status, exchange["response"]["body"].clone()));
        }
        let books = Arc::new(Mutex::new(Books {
            recorded,
            shipments: BTreeMap::new(),
            seen: Vec::new(),
            troubles: VecDeque::new(),
            purchases: 0,
        }));
        let serving = tokio::spawn(serve(listener, Arc::clone(&books)));
        Self { address, books, serving }
    }

    /// What an account's `url` is.
    pub fn url(&self) -> String {
        format!("http://{}/v2", self.address)
    }

    /// What was recorded of making a shipment known.
    pub fn known(&self) -> Value {
        self.books.lock().unwrap().recorded[&format!("POST {SHIPMENTS}")].1.clone()
    }

    /// What was recorded of buying it.
    pub fn bought(&self) -> Value {
        let books = self.books.lock().unwrap();
        let found = books.recorded.iter().find(|(name, _)| name.ends_with("/buy"));
        found.expect("a recorded purchase").1.1.clone()
    }

    /// Has the next purchases go wrong so.
    pub fn trouble(&self, trouble: impl IntoIterator<Item = Trouble>) {
        self.books.lock().unwrap().troubles.extend(trouble);
    }

    /// Has a field of what is bought, or was, say this.
    pub fn say(&self, field: &str, value: &Value) {
        let mut books = self.books.lock().unwrap();
        let Books { recorded, shipments, .. } = &mut *books;
        for (_, (_, body)) in recorded.iter_mut().filter(|(name, _)| name.ends_with("/buy")) {
            body[field] = value.clone();
        }
        for shipment in shipments.values_mut() {
            shipment[field] = value.clone();
        }
    }

    /// What was asked for, in its order, since this was last asked: `POST …/buy` and the like.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.books.lock().unwrap().seen)
    }

    /// How many purchases were made.
    pub fn purchases(&self) -> usize {
        self.books.lock().unwrap().purchases
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// A recorded file, where it is at hand.
pub fn recording(name: &str) -> Option<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/easypost");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).ok()?;
    Some(serde_json::from_str(&text).expect("a recording is JSON"))
}

/// An exchange of our own writing, for where there are no recordings.
#[expect(clippy::print_stdout, reason = "whoever reads the tests' output should know what was not tested")]
fn ours() -> Value {
    println!("there is no recorded traffic here: an exchange of our own writing stands in for it");
    let rate = |id: &str, service: &str, rate: &str| json!({"id": id, "carrier": "USPS", "service": service, "rate": rate, "currency": "USD", "delivery_days": 2});
    let rates = [rate("rate_1", "GroundAdvantage", "6.07"), rate("rate_2", "Express", "33.10")];
    let messages = [json!({"carrier": "UPS", "type": "rate_error", "message": "No rate response received."})];
    let known = json!({"id": "shp_ours", "rates": rates, "messages": messages, "selected_rate": null,
        "tracking_code": null, "postage_label": null, "refund_status": null, "tracker": null});
    let mut bought = known.clone();
    bought["selected_rate"] = known["rates"][0].clone();
    bought["tracking_code"] = json!("9400100208271089110898");
    bought["fees"] = json!([{"type": "PostageFee", "amount": "6.07000", "charged": true}]);
    bought["postage_label"] =
        json!({"label_url": format!("{FILES}/files/label.png"), "label_file_type": "image/png"});
    bought["tracker"] = json!({"status": "unknown", "status_detail": "unknown"});
    let exchange = |path: &str, status: u16, body: Value| json!({"request": {"method": "POST", "path": path}, "response": {"status": status, "body": body}});
    json!({"exchanges": [exchange(SHIPMENTS, 201, known), exchange("/v2/shipments/shp_ours/buy", 200, bought)]})
}

async fn serve(listener: TcpListener, books: Arc<Mutex<Books>>) {
    // Ends with the desk, and its connections with it.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let books = Arc::clone(&books);
        connections.spawn(async move {
            let service = service_fn(move |request| answer(Arc::clone(&books), request));
            // A connection that is cut is one of the answers.
            let _ended = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn answer(
    books: Arc<Mutex<Books>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let (method, path) = (head.method.as_str(), head.uri.path());
    let mut books = books.lock().unwrap();
    books.seen.push(format!("{method} {path}"));
    if path.starts_with("/files/") {
        return Ok(Response::new(Full::new(Bytes::from(LABEL))));
    }
    let expected = format!("Basic {}", STANDARD.encode(format!("{KEY}:")));
    let is_known = head.headers.get("authorization").is_some_and(|value| *value == expected);
    let (status, answer) = if is_known {
        books.answer(method, path, &body).ok_or_else(|| std::io::Error::other("cut"))?
    } else {
        (401, failure("APIKEY.INACTIVE", "This api key is no longer active."))
    };
    let body = Full::new(Bytes::from(answer.to_string()));
    Ok(Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(body)
        .expect("an answer"))
}

/// A failure in EasyPost's words.
pub fn failure(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message, "errors": []}})
}

impl Books {
    /// Nothing where the line is cut.
    fn answer(&mut self, method: &str, path: &str, body: &[u8]) -> Option<(u16, Value)> {
        let missing = || (404, failure("NOT_FOUND", "The requested resource could not be found."));
        let known = self.recorded.get(&format!("{method} {path}")).cloned();
        let steps: Vec<&str> = path.trim_start_matches(SHIPMENTS).split('/').skip(1).collect();
        match (method, &steps[..]) {
            ("POST", []) => {
                let (status, shipment) = known?;
                let name = shipment["id"].as_str().expect("a name").to_owned();
                self.shipments.entry(name).or_insert_with(|| shipment.clone());
                Some((status, shipment))
            }
            ("GET", [name]) => {
                Some(self.shipments.get(*name).map_or_else(missing, |found| (200, found.clone())))
            }
            ("POST", [name, "buy"]) => self.buy(name, known.unwrap_or_else(missing), body),
            ("POST", [name, "refund"]) => {
                let Some(shipment) = self.shipments.get_mut(*name) else { return Some(missing()) };
                shipment["refund_status"] = json!("submitted");
                Some((200, shipment.clone()))
            }
            _ => Some(known.unwrap_or_else(missing)),
        }
    }

    fn buy(&mut self, name: &str, (status, bought): (u16, Value), body: &[u8]) -> Option<(u16, Value)> {
        let trouble = self.troubles.pop_front();
        match &trouble {
            Some(Trouble::LostBefore) => return None,
            Some(Trouble::Refuses(status, answer)) => return Some((*status, answer.clone())),
            _ => {}
        }
        let Some(shipment) = self.shipments.get_mut(name) else {
            return Some((404, failure("NOT_FOUND", "The requested resource could not be found.")));
        };
        if !shipment["selected_rate"].is_null() {
            return Some((
                422,
                failure("SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment."),
            ));
        }
        let wanted: Value = serde_json::from_slice(body).unwrap_or_default();
        let is_offered = |rate: &Value| rate["id"] == wanted["rate"]["id"];
        if !shipment["rates"].as_array().is_some_and(|rates| rates.iter().any(is_offered)) {
            return Some((422, failure("SHIPMENT.INVALID_PARAMS", "There is no such rate.")));
        }
        *shipment = bought.clone();
        self.purchases += 1;
        match trouble {
            Some(Trouble::LostAfter) => None,
            Some(Trouble::FailsAfter(status)) => Some((status, failure("", "Internal server error"))),
            _ => Some((status, bought)),
        }
    }
}
