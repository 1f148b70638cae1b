//! The bare servers: the cost of a request without any logic.
//!
//! They run the same connection loop as the product (`api::server`), with the same settings, and return one answer
//! from memory. For writes, they first write the same rows with the same writer, without parsing or authorisation.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use model::access::access_token::Secret;
use model::events::actor::Actor;
use model::{Event, Location, Owner};
use service::{Clock, SystemClock};
use store::Db;
use store::events::events;
use store::places::locations;
use tokio::net::{TcpListener, TcpStream};

use crate::harness::outcome::Outcome;
use crate::harness::store::{new_id, open};
use crate::rivals::allocation_rows::AllocationRows;

type Response = http::Response<Full<Bytes>>;

/// An answer, and the rows to write before it.
struct Bare {
    answer: Response,
    rows: Option<Rows>,
}

/// The rows to write.
enum Rows {
    Location(Create),
    Allocation(Box<AllocationRows>),
}

struct Create {
    db: Db,
    owner: Owner,
    doc: String,
}

/// Serves until the process ends.
pub fn run(
    listen: SocketAddr,
    answer: &Path,
    store: Option<(&Path, &str)>,
    allocation_of: Option<&str>,
) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let answer = read_answer(&std::fs::read(answer)?)?;
        let rows = match store {
            Some((file, token)) => Some(Rows::open(file, token, answer.body(), allocation_of).await?),
            None => None,
        };
        let bare = Arc::new(Bare { answer, rows });
        let listener = TcpListener::bind(listen).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            connect(stream, Arc::clone(&bare));
        }
    })
}

fn connect(stream: TcpStream, bare: Arc<Bare>) {
    let _best_effort = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(15))
        .max_headers(100)
        .max_buf_size(64 * 1024)
        .half_close(false)
        .serve_connection(
            TokioIo::new(stream),
            service_fn(move |request| {
                let bare = Arc::clone(&bare);
                async move { Ok::<_, Infallible>(bare.handle(request).await) }
            }),
        );
    tokio::spawn(async move {
        let _broken = connection.await;
    });
}

impl Bare {
    async fn handle(&self, request: http::Request<hyper::body::Incoming>) -> Response {
        let Some(rows) = &self.rows else { return self.answer.clone() };
        let path = request.uri().path().to_owned();
        let is_written = request.into_body().collect().await.is_ok() && rows.write(&path).await.is_ok();
        if is_written {
            return self.answer.clone();
        }
        let mut failed = Response::default();
        *failed.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        failed
    }
}

impl Rows {
    async fn open(
        file: &Path,
        token: &str,
        body: &Full<Bytes>,
        allocation_of: Option<&str>,
    ) -> Outcome<Self> {
        let db = open(file).await?;
        let owner = Secret::owner_of(token).ok_or("the token names no owner")?;
        if let Some(order) = allocation_of {
            return Ok(Self::Allocation(Box::new(AllocationRows::open(db, owner, order).await?)));
        }
        let doc = body.clone().collect().await?.to_bytes();
        Ok(Self::Location(Create { db, owner, doc: String::from_utf8(doc.to_vec())? }))
    }

    async fn write(&self, path: &str) -> model::Result<()> {
        match self {
            Rows::Location(create) => create.write().await,
            Rows::Allocation(direct) => direct.write(path).await,
        }
    }
}

impl Create {
    async fn write(&self) -> model::Result<()> {
        let now = SystemClock.now();
        let (owner, id, event) = (self.owner, new_id::<Location>(now), new_id::<Event>(now));
        let doc = self.doc.clone();
        let write = self.db.write(owner, async move |tx| {
            locations::insert(tx, owner, id, &doc, &[]).await?;
            events::append(tx, owner, event, &Event::new("location.created", id, &doc), Actor::System, now)
                .await
        });
        write.await
    }
}

/// Parses the answer that the product gave. The connection loop itself writes date and length.
fn read_answer(bytes: &[u8]) -> Outcome<Response> {
    let text = std::str::from_utf8(bytes)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or("the answer has no head")?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).ok_or("the answer has no status")?;
    let mut response = http::Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())));
    *response.status_mut() = status.parse()?;
    for line in lines {
        let (name, value) = line.split_once(": ").ok_or("a header has no value")?;
        let name = HeaderName::try_from(name)?;
        if name != header::DATE && name != header::CONTENT_LENGTH {
            response.headers_mut().append(name, HeaderValue::try_from(value)?);
        }
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_keeps_its_status_its_headers_and_its_body() {
        let text = "HTTP/1.1 201 Created\r\netag: \"1\"\r\ncontent-length: 2\r\ndate: now\r\n\r\n{}";
        let answer = read_answer(text.as_bytes()).unwrap();
        assert_eq!(answer.status(), 201);
        assert_eq!(answer.headers().len(), 1);
        assert_eq!(answer.headers()["etag"], "\"1\"");
    }
}
