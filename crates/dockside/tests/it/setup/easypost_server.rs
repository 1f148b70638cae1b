//! A real HTTP server on the loopback that replays EasyPost's recorded answers.
//!
//! A request that was recorded gets its recorded answer. For others, such as a look-up of a shipment, the server answers
//! with the shipment as it last showed it.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use testkit::easypost_recordings::{LABEL, SHIPMENTS, answers, failure, is_authorised};
use tokio::net::TcpListener;

/// The server. It ends when this value is dropped.
pub struct EasyPostServer {
    address: SocketAddr,
    state: Arc<Mutex<ServerState>>,
    serving: tokio::task::JoinHandle<()>,
}

/// What goes wrong with a purchase.
#[derive(Clone)]
pub enum PurchaseFault {
    /// It is made, and the answer is lost.
    LostAfter,
    /// The connection is cut before it is made.
    LostBefore,
    /// It is made, and the answer has this error status.
    FailsAfter(u16),
    Refuses(u16, Value),
}

struct ServerState {
    /// Answers by method and path, as they were recorded.
    recorded: BTreeMap<String, (u16, Value)>,
    /// Each shipment as the server last showed it, by its id.
    shipments: BTreeMap<String, Value>,
    seen: Vec<String>,
    troubles: VecDeque<PurchaseFault>,
    purchases: usize,
    wanted_rates: Vec<String>,
    told: Value,
    /// Whether look-ups of bought shipments are answered with 429.
    are_looks_limited: bool,
    /// Whether look-ups show shipments as they were before they were bought.
    are_looks_stale: bool,
}

impl EasyPostServer {
    /// Starts a server with the exchanges of this recording.
    pub async fn open(recording: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let recorded = answers(recording, address);
        let state = Arc::new(Mutex::new(ServerState {
            recorded,
            shipments: BTreeMap::new(),
            seen: Vec::new(),
            troubles: VecDeque::new(),
            purchases: 0,
            wanted_rates: Vec::new(),
            told: Value::Null,
            are_looks_limited: false,
            are_looks_stale: false,
        }));
        let serving = tokio::spawn(serve(listener, Arc::clone(&state)));
        Self { address, state, serving }
    }

    /// Returns the address that the operator sets for EasyPost.
    pub fn url(&self) -> String {
        format!("http://{}/v2", self.address)
    }

    /// Returns the recorded answer to the creation of a shipment.
    pub fn known(&self) -> Value {
        self.state.lock().unwrap().recorded[&format!("POST {SHIPMENTS}")].1.clone()
    }

    /// Returns the recorded answer to its purchase.
    pub fn bought(&self) -> Value {
        let state = self.state.lock().unwrap();
        let found = state.recorded.iter().find(|(name, _)| name.ends_with("/buy"));
        found.expect("a recorded purchase").1.1.clone()
    }

    /// Sells a shipment under this reference to another program that uses the same key.
    pub fn sell(&self, reference: &str) {
        let mut bought = self.bought();
        bought["reference"] = json!(reference);
        let mut state = self.state.lock().unwrap();
        state.shipments.insert("shp_sold_elsewhere".to_owned(), bought);
        state.purchases += 1;
    }

    /// Offers these rates from now on.
    pub fn offer(&self, rates: &Value) {
        let mut state = self.state.lock().unwrap();
        let known = state.recorded.get_mut(&format!("POST {SHIPMENTS}")).expect("a recorded shipment");
        known.1["rates"] = rates.clone();
    }

    /// The names of the rates in the requests to buy.
    pub fn wanted_rates(&self) -> Vec<String> {
        self.state.lock().unwrap().wanted_rates.clone()
    }

    /// The body of the last request that created a shipment.
    pub fn told(&self) -> Value {
        self.state.lock().unwrap().told.clone()
    }

    /// Sets the faults of the next purchases.
    pub fn trouble(&self, trouble: impl IntoIterator<Item = PurchaseFault>) {
        self.state.lock().unwrap().troubles.extend(trouble);
    }

    /// Answers every look-up of a bought shipment with 429 from now on.
    pub fn limit_looks(&self) {
        self.state.lock().unwrap().are_looks_limited = true;
    }

    /// Sets whether look-ups show shipments as they were before they were bought, or as they are.
    pub fn set_looks_stale(&self, are_stale: bool) {
        self.state.lock().unwrap().are_looks_stale = are_stale;
    }

    /// Sets a field of all shipments, and of those that will be bought.
    pub fn say(&self, field: &str, value: &Value) {
        let mut state = self.state.lock().unwrap();
        let ServerState { recorded, shipments, .. } = &mut *state;
        for (_, (_, body)) in recorded.iter_mut().filter(|(name, _)| name.ends_with("/buy")) {
            body[field] = value.clone();
        }
        for shipment in shipments.values_mut() {
            shipment[field] = value.clone();
        }
    }

    /// Returns the requests since the last call, in order, as `POST …/buy` and the like.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().seen)
    }

    /// How many purchases were made.
    pub fn purchases(&self) -> usize {
        self.state.lock().unwrap().purchases
    }
}

impl Drop for EasyPostServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, state: Arc<Mutex<ServerState>>) {
    // Dropping the set with this task ends all connections.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let state = Arc::clone(&state);
        connections.spawn(async move {
            let service = service_fn(move |request| answer(Arc::clone(&state), request));
            // An error is expected: a fault may cut the connection.
            let _ended = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn answer(
    state: Arc<Mutex<ServerState>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let (method, path) = (head.method.as_str(), head.uri.path());
    let mut state = state.lock().unwrap();
    state.seen.push(format!("{method} {path}"));
    if path.starts_with("/files/") {
        return Ok(Response::new(Full::new(Bytes::from(LABEL))));
    }
    let (status, answer) = if is_authorised(&head.headers) {
        state.answer(method, path, &body).ok_or_else(|| std::io::Error::other("cut"))?
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

impl ServerState {
    /// Returns the answer, or `None` if the connection is to be cut.
    fn answer(&mut self, method: &str, path: &str, body: &[u8]) -> Option<(u16, Value)> {
        let missing = || (404, failure("NOT_FOUND", "The requested resource could not be found."));
        let known = self.recorded.get(&format!("{method} {path}")).cloned();
        let steps: Vec<&str> = path.trim_start_matches(SHIPMENTS).split('/').skip(1).collect();
        match (method, &steps[..]) {
            ("POST", []) => {
                let (status, mut shipment) = known?;
                let told: Value = serde_json::from_slice(body).unwrap_or_default();
                self.told = told["shipment"].clone();
                shipment["reference"] = self.told["reference"].clone();
                let name = shipment["id"].as_str().expect("a name").to_owned();
                self.shipments.entry(name).or_insert_with(|| shipment.clone());
                Some((status, shipment))
            }
            ("GET", [name]) => {
                // By its id, or by its reference.
                let has_reference = |shipment: &&Value| shipment["reference"] == **name;
                let found = self.shipments.get(*name);
                let found = found.or_else(|| self.shipments.values().find(has_reference));
                let is_bought = found.is_some_and(|found| !found["selected_rate"].is_null());
                if self.are_looks_limited && is_bought {
                    return Some((429, failure("RATE_LIMITED", "Too many requests")));
                }
                let mut shown = found.cloned();
                if let Some(shown) = shown.as_mut().filter(|_| self.are_looks_stale) {
                    for field in ["selected_rate", "tracking_code", "postage_label", "fees"] {
                        shown[field] = Value::Null;
                    }
                }
                Some(shown.map_or_else(missing, |shown| (200, shown)))
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
            Some(PurchaseFault::LostBefore) => return None,
            Some(PurchaseFault::Refuses(status, answer)) => return Some((*status, answer.clone())),
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
        self.wanted_rates.extend(wanted["rate"]["id"].as_str().map(str::to_owned));
        let is_offered = |rate: &Value| rate["id"] == wanted["rate"]["id"];
        if !shipment["rates"].as_array().is_some_and(|rates| rates.iter().any(is_offered)) {
            return Some((422, failure("SHIPMENT.INVALID_PARAMS", "There is no such rate.")));
        }
        let reference = shipment["reference"].take();
        *shipment = bought.clone();
        shipment["reference"] = reference;
        self.purchases += 1;
        match trouble {
            Some(PurchaseFault::LostAfter) => None,
            Some(PurchaseFault::FailsAfter(status)) => Some((status, failure("", "Internal server error"))),
            _ => Some((status, bought)),
        }
    }
}
