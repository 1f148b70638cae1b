//! The carrier as a server: connections, what it remembers under each key, and the order of its doings: the ledger first,
//! then the answer.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use carriers::sandbox::desk::{Asked, Desk, Entry, Reply, serve as served};
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use service::{Clock, SystemClock};
use tokio::net::{TcpListener, TcpStream};

use super::ledger::Ledger;

/// The largest body of a request.
const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long a caller may take for the head of a request.
const HEADER_TIME: Duration = Duration::from_secs(30);
/// The wait after a failed accept, as when all file descriptors are in use.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(20);

/// What happened under one key. Its lock makes requests of one key wait for each other.
type History = Arc<tokio::sync::Mutex<Vec<Entry>>>;

pub struct Carrier {
    desk: Desk,
    ledger: Ledger,
    histories: Mutex<HashMap<String, History>>,
}

/// The connection ends without an answer.
#[derive(Debug)]
struct Cut;

impl fmt::Display for Cut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the answer is lost")
    }
}

impl std::error::Error for Cut {}

impl Carrier {
    /// A carrier that remembers what its ledger has.
    pub fn new(desk: Desk, ledger: Ledger, entries: Vec<Entry>) -> Self {
        let mut histories: HashMap<String, Vec<Entry>> = HashMap::new();
        for entry in entries {
            histories.entry(entry.key().to_owned()).or_default().push(entry);
        }
        let histories =
            histories.into_iter().map(|(key, entries)| (key, Arc::new(tokio::sync::Mutex::new(entries))));
        Self { desk, ledger, histories: Mutex::new(histories.collect()) }
    }

    fn history(&self, key: &str) -> History {
        let mut histories = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(history) = histories.get(key) {
            return Arc::clone(history);
        }
        Arc::clone(histories.entry(key.to_owned()).or_default())
    }

    /// Does what was asked, and remembers it, before anything is said.
    async fn deal(&self, asked: &Asked) -> Result<Reply, Cut> {
        let Some(key) = asked.reference() else {
            return Ok(served(&self.desk, asked, &[], SystemClock.now()));
        };
        let history = self.history(key);
        let mut earlier = history.lock().await;
        let reply = served(&self.desk, asked, &earlier, SystemClock.now());
        if !reply.entries.is_empty() {
            self.ledger.append(&reply.entries).await.map_err(|_| Cut)?;
            earlier.extend(reply.entries.iter().cloned());
        }
        Ok(reply)
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Cut> {
        let (head, body) = request.into_parts();
        let path = head.uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string);
        let Ok(body) = Limited::new(body, BODY_BYTES_MAX).collect().await else {
            let message = format!("The body has at most {BODY_BYTES_MAX} bytes.");
            return response(Reply::refusal(413, "too_large", message));
        };
        let reply = match Asked::read(head.method.as_str(), &path, &body.to_bytes()) {
            Err(refusal) => refusal,
            // On its own, because this future is dropped when the caller hangs up: what is in the ledger must be
            // remembered all the same.
            Ok(asked) => {
                let dealing = tokio::spawn(async move { self.deal(&asked).await });
                dealing.await.map_err(|_| Cut)??
            }
        };
        tokio::time::sleep(reply.delay).await;
        response(reply)
    }
}

fn response(reply: Reply) -> Result<Response<Full<Bytes>>, Cut> {
    if reply.is_cut {
        return Err(Cut);
    }
    let mut response = Response::builder().status(reply.status).header("content-type", "application/json");
    if let Some(wait) = reply.retry_after {
        response = response.header("retry-after", wait.as_secs());
    }
    response.body(Full::new(reply.body)).map_err(|_| Cut)
}

/// Serves for ever.
pub async fn serve(listener: TcpListener, carrier: Arc<Carrier>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => connect(stream, Arc::clone(&carrier)),
            Err(_) => tokio::time::sleep(ACCEPT_BACKOFF).await,
        }
    }
}

fn connect(stream: TcpStream, carrier: Arc<Carrier>) {
    // Small answers must not wait for more to send.
    let _best_effort = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .half_close(false)
        .serve_connection(
            TokioIo::new(stream),
            service_fn(move |request| Arc::clone(&carrier).answer(request)),
        );
    tokio::spawn(async move {
        // A connection that breaks, or is cut, is what this carrier is for.
        let _broken = connection.await;
    });
}
