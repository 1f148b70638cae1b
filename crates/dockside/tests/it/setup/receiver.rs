//! A receiver of webhooks: a real HTTP server on the loopback that keeps what it is sent and answers by a script.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How long a test waits for a request. It is shorter than the time that a receiver may take to answer.
const WAIT_MAX: Duration = Duration::from_secs(14);

/// The server. It ends when this value is dropped.
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
    serving: tokio::task::JoinHandle<()>,
}

struct Shared {
    script: Mutex<Script>,
    seen: watch::Sender<Vec<Received>>,
}

struct Script {
    next: VecDeque<Answer>,
    otherwise: Answer,
}

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// What the receiver does with a request.
#[derive(Clone)]
pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Bytes,
    /// The receiver answers once this is open.
    gate: Option<Gate>,
    is_cut: bool,
}

impl Answer {
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::new(), gate: None, is_cut: false }
    }

    /// Closes the connection without an answer.
    pub fn cut() -> Self {
        Self { is_cut: true, ..Self::status(200) }
    }

    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn body(self, body: impl Into<Bytes>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Answers only after the gate is opened.
    pub fn behind(self, gate: &Gate) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }
}

/// Delays answers until a test opens it.
#[derive(Clone)]
pub struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    pub fn closed() -> Self {
        Self(Arc::new(watch::channel(false).0))
    }

    pub fn open(&self) {
        self.0.send_replace(true);
    }

    async fn pass(&self) {
        let mut state = self.0.subscribe();
        state.wait_for(|is_open| *is_open).await.expect("the gate stands");
    }
}

impl Receiver {
    /// Starts a receiver that answers 200 to everything until the test sets other answers.
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let script = Script { next: VecDeque::new(), otherwise: Answer::status(200) };
        let shared = Arc::new(Shared { script: Mutex::new(script), seen: watch::channel(Vec::new()).0 });
        let serving = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Self { address, shared, serving }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the answers to the next requests, in order.
    pub fn answer_next(&self, answers: impl IntoIterator<Item = Answer>) {
        self.shared.script.lock().unwrap().next.extend(answers);
    }

    /// Sets the answer to all requests beyond those of `answer_next`.
    pub fn answer(&self, answer: Answer) {
        self.shared.script.lock().unwrap().otherwise = answer;
    }

    /// Returns all requests, in order.
    pub fn seen(&self) -> Vec<Received> {
        self.shared.seen.borrow().clone()
    }

    /// Returns all requests since the last call.
    pub fn take(&self) -> Vec<Received> {
        self.shared.seen.send_replace(Vec::new())
    }

    /// Waits until so many requests have arrived.
    pub async fn wait_for(&self, count: usize) -> Vec<Received> {
        let mut seen = self.shared.seen.subscribe();
        let wait = tokio::time::timeout(WAIT_MAX, seen.wait_for(|seen| seen.len() >= count));
        match wait.await {
            Ok(seen) => seen.expect("the receiver serves").clone(),
            Err(_) => panic!("{} requests came, not {count}", self.seen().len()),
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    // Dropping the set with this task ends all connections.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            let service = service_fn(move |request| answer(Arc::clone(&shared), request));
            // An error is expected: the test may ask to cut the connection.
            let _ended = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Why a connection is cut.
#[derive(Debug)]
struct Cut;

impl std::fmt::Display for Cut {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("cut")
    }
}

impl std::error::Error for Cut {}

async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Cut> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Cut)?.to_bytes();
    let answer = {
        let mut script = shared.script.lock().unwrap();
        let otherwise = script.otherwise.clone();
        script.next.pop_front().unwrap_or(otherwise)
    };
    let received = Received { path: head.uri.path().to_owned(), headers: head.headers, body };
    shared.seen.send_modify(|seen| seen.push(received));
    if let Some(gate) = &answer.gate {
        gate.pass().await;
    }
    if answer.is_cut {
        return Err(Cut);
    }
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    Ok(response.body(Full::new(answer.body)).expect("an answer"))
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Returns the event's sequence, or `None` for a test message.
    pub fn sequence(&self) -> Option<i64> {
        self.json()["sequence"].as_i64()
    }

    /// Returns the signatures of the request.
    pub fn signatures(&self) -> Vec<String> {
        self.header("webhook-signature").split(' ').map(str::to_owned).collect()
    }

    /// Returns the signature of the request by this secret, computed as the Standard Webhooks specification describes.
    pub fn signature_by(&self, secret: &str) -> String {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
        for part in [self.header("webhook-id"), ".", self.header("webhook-timestamp"), "."] {
            mac.update(part.as_bytes());
        }
        mac.update(&self.body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// Returns the sequences of requests, in the order of arrival.
pub fn sequences(received: &[Received]) -> Vec<i64> {
    received.iter().map(|one| one.sequence().expect("an event of the log")).collect()
}
