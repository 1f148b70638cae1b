//! The server: accepts connections and hands their requests to the app, until it is told to stop.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use service::log;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::App;

/// Headers of a request at most, and bytes of its head. A single read may bring more, so the pipeline counts too.
const HEADERS_MAX: usize = 100;
pub(crate) const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How long requests under way may take once the server is told to stop.
const STOP_TIME: Duration = Duration::from_secs(25);
/// The wait after a failed accept, as when all file descriptors are in use.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(20);

/// Serves until `stop` is done, then finishes what is under way.
pub async fn serve(listener: TcpListener, app: App, stop: impl Future<Output = ()>) {
    // Each connection holds a receiver: it hears of the stop, and its end is seen here.
    let (stopping, _) = watch::channel(());
    let permits = Arc::new(Semaphore::new(app.0.limits.connections_max));
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            permit = Arc::clone(&permits).acquire_owned() => {
                let Ok(permit) = permit else { break };
                tokio::select! {
                    () = &mut stop => break,
                    accepted = listener.accept() => match accepted {
                        Ok((stream, _)) => connect(stream, app.clone(), permit, stopping.subscribe()),
                        Err(error) => {
                            log::info("accept", &error.to_string());
                            tokio::time::sleep(ACCEPT_BACKOFF).await;
                        }
                    },
                }
            }
        }
    }
    drop(listener);
    stopping.send_replace(());
    let ended = async { tokio::join!(stopping.closed(), app.close_streams()) };
    if tokio::time::timeout(STOP_TIME, ended).await.is_err() {
        log::info("stop", "some requests did not end in time and were cut off");
    }
}

fn connect(stream: TcpStream, app: App, permit: OwnedSemaphorePermit, mut stop: watch::Receiver<()>) {
    // Small answers must not wait for more to send.
    let _best_effort = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(app.0.limits.header_time)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .half_close(false)
        // Not `pipeline_flush`: it keeps an answer back while any byte of a next request waits, and may lose it.
        .serve_connection(
            TokioIo::new(stream),
            service_fn(move |request| {
                let app = app.clone();
                async move { Ok::<_, Infallible>(app.handle(request).await) }
            }),
        );
    tokio::spawn(async move {
        let mut connection = std::pin::pin!(connection.with_upgrades());
        let is_open = tokio::select! {
            // A broken connection is the caller's affair; what it asked for was logged.
            _broken = &mut connection => false,
            _told = stop.changed() => true,
        };
        if is_open {
            connection.as_mut().graceful_shutdown();
            let _broken = connection.await;
        }
        drop((permit, stop));
    });
}
