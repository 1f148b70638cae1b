//! A carrier that wants access tokens: the sandbox carrier behind a real HTTP server on the loopback, which counts the requests for
//! tokens, and fails as a test says.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use carriers::sandbox::desk::{Asked, Desk, Entry, Event, serve};
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use model::Timestamp;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The server. It ends when this value is dropped.
pub struct TokenServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    serving: tokio::task::JoinHandle<()>,
}

struct State {
    ledger: Vec<Entry>,
    /// The names of the tokens that were asked for, in order.
    asked: Vec<String>,
    valid: BTreeSet<String>,
    expires_in: u64,
    is_hanging: bool,
    /// Whether every token is refused, also a new one.
    refuses_all: bool,
    /// The bodies of the requests to buy.
    bodies: Vec<Bytes>,
    /// Whether all requests but those for tokens get no answer, and do nothing.
    loses_all: bool,
}

impl TokenServer {
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State {
            ledger: Vec::new(),
            asked: Vec::new(),
            valid: BTreeSet::new(),
            expires_in: 3600,
            is_hanging: false,
            refuses_all: false,
            bodies: Vec::new(),
            loses_all: false,
        }));
        let serving = tokio::spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, serving }
    }

    /// Returns the account that a client makes to use this carrier.
    pub fn account(&self, secret: &str) -> Value {
        json!({
            "carrier": {"handle": "sandbox"}, "name": "With tokens", "handle": "tokens",
            "configuration": {"url": format!("http://{}", self.address), "tokens": true},
            "credentials": {"client_secret": secret},
        })
    }

    /// The names of the tokens that were asked for.
    pub fn asked(&self) -> Vec<String> {
        self.state.lock().unwrap().asked.clone()
    }

    /// How many tokens of this name were asked for.
    pub fn count(&self, name: &str) -> usize {
        self.asked().iter().filter(|asked| *asked == name).count()
    }

    /// The tokens that are valid.
    pub fn valid(&self) -> Vec<String> {
        self.state.lock().unwrap().valid.iter().cloned().collect()
    }

    /// How many purchases were charged.
    pub fn charges(&self) -> usize {
        let state = self.state.lock().unwrap();
        state.ledger.iter().filter(|entry| matches!(entry.event, Event::Charged { .. })).count()
    }

    /// Sets for how many seconds tokens are valid.
    pub fn expire_in(&self, seconds: u64) {
        self.state.lock().unwrap().expires_in = seconds;
    }

    /// Sets whether all requests but those for tokens are lost on their way.
    pub fn lose(&self, loses_all: bool) {
        self.state.lock().unwrap().loses_all = loses_all;
    }

    /// The bodies of the requests to buy, in order.
    pub fn bodies(&self) -> Vec<Bytes> {
        self.state.lock().unwrap().bodies.clone()
    }

    /// Forgets all tokens, as a carrier does whose keys were replaced.
    pub fn revoke(&self) {
        self.state.lock().unwrap().valid.clear();
    }

    pub fn refuse_all(&self) {
        self.state.lock().unwrap().refuses_all = true;
    }

    /// Sets whether requests for tokens are left without an answer.
    pub fn hang(&self, is_hanging: bool) {
        self.state.lock().unwrap().is_hanging = is_hanging;
    }
}

impl Drop for TokenServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn accept(listener: TcpListener, state: Arc<Mutex<State>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        let answer = service_fn(move |request| answer(Arc::clone(&state), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}

async fn answer(
    state: Arc<Mutex<State>>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, std::io::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let is_hanging = path == "/v1/tokens" && state.lock().unwrap().is_hanging;
    if is_hanging {
        std::future::pending::<()>().await;
    }
    let mut state = state.lock().unwrap();
    if path == "/v1/purchases" && head.method == "POST" {
        state.bodies.push(body.clone());
    }
    if state.loses_all && path != "/v1/tokens" {
        return Err(std::io::Error::other("lost"));
    }
    let (status, body) = state.answer(head.method.as_str(), path, &head.headers, &body);
    let body = Full::new(body);
    Ok(Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(body)
        .expect("an answer"))
}

impl State {
    fn answer(&mut self, method: &str, path: &str, headers: &HeaderMap, body: &[u8]) -> (u16, Bytes) {
        if path == "/v1/tokens" {
            return self.token(headers, body);
        }
        let is_purchase = (method, path) == ("POST", "/v1/purchases");
        let is_known = self.has(headers, "authorization", "access")
            && (!is_purchase || self.has(headers, "x-payment-authorization", "payment"));
        if !is_known || self.refuses_all {
            return refusal("token_refused", "The token is not valid.");
        }
        let asked = match Asked::read(method, path, body) {
            Ok(asked) => asked,
            Err(reply) => return (reply.status, reply.body),
        };
        let key = asked.reference().unwrap_or_default();
        let earlier: Vec<Entry> = self.ledger.iter().filter(|entry| entry.key() == key).cloned().collect();
        let now = Timestamp::from_micros(1_800_000_000_000_000);
        let reply = serve(&Desk::default(), &asked, &earlier, now);
        self.ledger.extend(reply.entries.iter().cloned());
        (reply.status, reply.body)
    }

    fn token(&mut self, headers: &HeaderMap, body: &[u8]) -> (u16, Bytes) {
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        let name = asked["name"].as_str().unwrap_or_default().to_owned();
        self.asked.push(name.clone());
        if asked["client_secret"] == "wrong" {
            return refusal("credentials_invalid", "The client secret is wrong.");
        }
        // The second token is given for the first.
        if name != "access" && !self.has(headers, "authorization", "access") {
            return refusal("token_refused", "The token is not valid.");
        }
        let token = format!("hushed-{name}-{}", self.asked.len());
        self.valid.insert(token.clone());
        let answer = json!({"access_token": token, "expires_in": self.expires_in});
        (200, Bytes::from(answer.to_string()))
    }

    fn has(&self, headers: &HeaderMap, header: &str, name: &str) -> bool {
        let value = headers.get(header).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let token = value.strip_prefix("Bearer ").unwrap_or_default();
        token.starts_with(&format!("hushed-{name}-")) && self.valid.contains(token)
    }
}

fn refusal(code: &str, message: &str) -> (u16, Bytes) {
    let body = json!({"error": {"code": code, "message": message, "charged": false}});
    (401, Bytes::from(body.to_string()))
}
