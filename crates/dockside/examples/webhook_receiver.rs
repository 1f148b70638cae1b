//! The receiver of docs/guide/webhooks.md: what stands below the next line is the block of that page, letter by letter,
//! which a test sees to. `./test webhook_libraries` sends real deliveries to it.
#![expect(clippy::print_stdout, reason = "a receiver that is there to be watched")]

// --- docs/guide/webhooks.md ---
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use standardwebhooks::Webhook;
use tokio::net::TcpListener;

const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Receiver {
    webhook: Webhook,
    seen: Mutex<HashSet<String>>, // better a unique key in your database
}

impl Receiver {
    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Response<Empty<Bytes>>, Failure> {
        let (head, body) = request.into_parts();
        let body = Limited::new(body, BODY_BYTES_MAX).collect().await?.to_bytes();
        let mut answer = Response::new(Empty::new());
        *answer.status_mut() = match self.webhook.verify(&body, &head.headers) {
            Ok(()) => self.receive(head.headers["webhook-id"].to_str()?, &body)?,
            Err(error) => {
                println!("refused: {error}");
                StatusCode::BAD_REQUEST
            }
        };
        Ok(answer)
    }

    fn receive(&self, id: &str, body: &[u8]) -> Result<StatusCode, Failure> {
        let event: serde_json::Value = serde_json::from_slice(body)?;
        let is_new = self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned());
        if is_new {
            println!("{} {id}", event["type"].as_str().unwrap_or_default());
        } else {
            println!("seen before: {id}");
        }
        Ok(StatusCode::NO_CONTENT)
    }
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let webhook = Webhook::new(&std::env::var("WEBHOOK_SECRET")?)?;
    let receiver = Arc::new(Receiver { webhook, seen: Mutex::default() });
    let port = std::env::var("PORT").map_or(Ok(3000), |text| text.parse())?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let receiver = Arc::clone(&receiver);
        let service = service_fn(move |request| Arc::clone(&receiver).answer(request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
