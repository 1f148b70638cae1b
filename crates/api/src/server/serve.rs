//! The server: accepts connections and passes their requests to the app, until it is stopped.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use model::{Code, Problem};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tracing::warn;

use super::app::App;
use super::pipeline::RefusedHead;
use crate::platform::accept::{Acceptor, Permits};
use crate::platform::client_socket::{ClientSocket, Refusal, Returned};
use crate::platform::intake::{HEAD_BYTES_MAX, HEADERS_MAX, asks_for_websocket};
use crate::platform::linger::{LINGER_TIME, linger};
use crate::platform::response::Response;
use crate::platform::turns::Turns;

/// How long requests in progress may take once the server is stopping.
const STOP_TIME: Duration = Duration::from_secs(25);
const _: () = assert!(LINGER_TIME.as_secs() < STOP_TIME.as_secs());
const CLOSE: HeaderValue = HeaderValue::from_static("close");
/// The method under which the refusal of a head is logged, because the request's own method is unknown.
const REFUSED: &[u8] = b"REFUSED";

/// Serves until `stop` is done, then finishes the requests in progress.
pub async fn serve(listener: TcpListener, app: App, stop: impl Future<Output = ()>) {
    // Each connection holds a receiver. It is notified of the stop, and dropping it tells the server that the
    // connection has ended.
    let (stopping, _) = watch::channel(());
    let mut acceptor = Acceptor::new(listener, &app.0.state.limits);
    let turns = Turns::new(Handle::current().metrics().num_workers());
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            (stream, permits) = acceptor.next() => {
                connect(stream, app.clone(), &turns, permits, stopping.subscribe());
            }
        }
    }
    drop(acceptor);
    stopping.send_replace(());
    let ended = async { tokio::join!(stopping.closed(), app.close_streams()) };
    if tokio::time::timeout(STOP_TIME, ended).await.is_err() {
        warn!("requests cancelled, because they did not end within the stop time");
    }
}

/// The requests of one connection, and the state of its answers.
struct Dialogue {
    app: App,
    /// The network address at the other end of the connection.
    client: Option<IpAddr>,
    refusal: Refusal,
    /// Requests that hyper has passed on.
    requests: AtomicU64,
    /// Whether the last answer was sent. Afterwards the connection closes, although the client may still be sending.
    is_last_answer: AtomicBool,
}

impl Dialogue {
    async fn answer(&self, mut request: http::Request<Incoming>) -> Response {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let refusal = self.refusal.get().filter(|(refused, _)| *refused == number);
        if let Some((_, problem)) = refusal {
            request.extensions_mut().insert(RefusedHead(problem.clone()));
        }
        let mut upgrades = request.headers().get_all(header::UPGRADE).iter();
        let is_handshake = upgrades.any(|value| asks_for_websocket(value.as_bytes()));
        let mut response = self.app.handle(request, self.client).await;
        // The intake passes nothing behind a refused head or a handshake, so the connection can't be kept.
        let is_upgraded = response.status() == StatusCode::SWITCHING_PROTOCOLS;
        if refusal.is_some() || (is_handshake && !is_upgraded) {
            response.headers_mut().insert(header::CONNECTION, CLOSE);
        }
        if response.headers().get(header::CONNECTION).is_some_and(|value| *value == CLOSE) {
            self.is_last_answer.store(true, Ordering::Relaxed);
        }
        response
    }
}

fn connect(stream: TcpStream, app: App, turns: &Turns, permits: Permits, mut stop: watch::Receiver<()>) {
    let limits = &app.0.state.limits;
    let client = stream.peer_addr().ok().map(|address| address.ip());
    let (socket, refusal, mut returned) = ClientSocket::new(stream, permits.descriptor, limits.write_time);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .half_close(false);
    // Not `pipeline_flush`: it withholds an answer while any byte of a next request is buffered, and may lose it.
    let (requests, is_last_answer) = (AtomicU64::new(0), AtomicBool::new(false));
    let dialogue = Arc::new(Dialogue { app, client, refusal, requests, is_last_answer });
    let answering = Arc::clone(&dialogue);
    let connection = http.serve_connection(
        TokioIo::new(socket),
        service_fn(move |request| {
            let dialogue = Arc::clone(&answering);
            async move { Ok::<_, Infallible>(dialogue.answer(request).await) }
        }),
    );
    // Boxed, so that its memory is freed before the socket lingers: a task keeps all its variables until it ends.
    let connection = Box::pin(connection.with_upgrades());
    tokio::spawn(turns.share(async move {
        let outcome = {
            let mut connection = connection;
            tokio::select! {
                outcome = &mut connection => outcome,
                _told = stop.changed() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
            // Dropping the connection returns its socket, unless the connection was upgraded.
        };
        if let Ok(returned) = returned.try_recv() {
            close(returned, &dialogue, outcome).await;
        }
        drop((permits.connection, stop));
    }));
}

/// Closes a connection that hyper has finished with, so that the client can read the last answer.
async fn close(returned: Returned, dialogue: &Dialogue, outcome: hyper::Result<()>) {
    if returned.is_stalled {
        return;
    }
    let is_timeout = outcome.as_ref().is_err_and(hyper::Error::is_timeout);
    if is_timeout && returned.is_mid_head {
        // Boxed: otherwise the task of every connection would reserve space for it.
        let answer = Box::pin(timed_out(&dialogue.app)).await;
        // The connection is idle, so the kernel takes the whole answer at once, or the client is gone.
        let _gone = returned.stream.writable().await.and_then(|()| returned.stream.try_write(&answer));
        return linger(&returned.stream).await;
    }
    // In both cases an answer was sent while the client may still be sending. On any other error the client has
    // broken the connection, and its requests are logged already.
    let is_parse = outcome.is_err_and(|error| error.is_parse());
    if is_parse || dialogue.is_last_answer.load(Ordering::Relaxed) {
        linger(&returned.stream).await;
    }
}

/// Returns the bytes of the answer to a head that did not arrive in time. hyper sends none.
async fn timed_out(app: &App) -> Vec<u8> {
    let mut request = http::Request::new(Empty::<Bytes>::new());
    *request.method_mut() = Method::from_bytes(REFUSED).unwrap_or_default();
    let detail = "The head of the request took too long to arrive.";
    request.extensions_mut().insert(RefusedHead(Problem::from(Code::Timeout).with_detail(detail.to_owned())));
    let (parts, body) = app.handle(request, None).await.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let mut bytes = format!("HTTP/1.1 {}\r\n", parts.status).into_bytes();
    for (name, value) in &parts.headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            bytes.extend_from_slice(part);
        }
    }
    let now = SystemTime::UNIX_EPOCH
        + Duration::from_millis(app.0.state.service.context.machine_time().as_millis());
    let date = httpdate::fmt_http_date(now);
    let rest = format!("date: {date}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    bytes.extend_from_slice(rest.as_bytes());
    bytes.extend_from_slice(&body);
    bytes
}
