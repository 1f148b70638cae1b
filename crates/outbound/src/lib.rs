//! The one client: every request to a URL that a user gave, and every socket to an address that a user gave, goes through this
//! crate. It knows nothing of the product.
//!
//! Architecture Invariant: only this crate opens sockets to the outside. `reach` judges every address after its look-up, and
//! the connection is made to exactly that address, so a DNS answer that changes between check and use has no effect. Redirects
//! are not followed, the environment's proxies are not used, and there is a limit on everything.

mod connect;
mod failure;
mod live;
mod lookup;
mod network;
mod pool;
mod reach;
mod response;
pub use response::Response;
mod target;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::{HeaderName, HeaderValue, Method};
use http_body_util::Full;

pub use failure::{Failure, Phase};
pub use lookup::{
    Addresses, GrantedPermit, LOOKUPS_EACH_MAX, LOOKUPS_MAX, Lookup, LookupPermits, Party, SystemLookup,
};
pub use network::Network;
pub use target::{Endpoint, Refusal, Target, URL_BYTES_MAX};
pub use tokio_rustls::rustls::Error as TlsError;

use connect::Connector;
pub use connect::roots;
pub use live::Sink;
use live::Trouble;
use pool::Pool;
use reach::Reach;
use tokio::net::TcpStream;

const AGENT: HeaderValue = HeaderValue::from_static(concat!("Dockside/", env!("CARGO_PKG_VERSION")));

/// Headers that frame a message or manage the connection. Only this client sets them.
const OWN_HEADERS: [HeaderName; 8] =
    [CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];

/// The client. One per process; clones share its connections.
#[derive(Clone)]
pub struct Outbound {
    inner: Arc<Inner>,
    /// The party that it sends for; the program itself if there is none.
    party: Option<Party>,
}

struct Inner {
    connector: Connector,
    pool: Arc<Pool>,
}

/// What to send, and how much to wait for.
pub struct Request {
    pub method: Method,
    pub target: Target,
    /// Headers that frame the message are dropped; `User-Agent` is set if it is missing.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Bytes,
    /// For everything: the look-up, the connection, and the whole answer.
    pub time_limit: Duration,
    /// How many bytes of the answer's body are kept. The rest is not read.
    pub body_bytes_max: usize,
}

impl Outbound {
    /// A client that reaches public addresses and these networks, and sends for the program itself.
    pub fn new(allow: &[Network]) -> Result<Self, TlsError> {
        Self::with_lookup(allow, Arc::new(SystemLookup::default()))
    }

    /// As [`Outbound::new`], with another way to look up host names.
    pub fn with_lookup(allow: &[Network], lookup: Arc<dyn Lookup>) -> Result<Self, TlsError> {
        Ok(Self::with_connector(Connector::new(Reach::new(allow), lookup, connect::roots())?))
    }

    /// A client that reaches these networks and nothing else: public addresses are refused, too.
    pub fn only(networks: &[Network], lookup: Arc<dyn Lookup>) -> Result<Self, TlsError> {
        Ok(Self::with_connector(Connector::new(Reach::only(networks), lookup, connect::roots())?))
    }

    fn with_connector(connector: Connector) -> Self {
        Self { inner: Arc::new(Inner { connector, pool: Arc::default() }), party: None }
    }

    /// Returns the same client, sending for this party: its look-ups of names are counted as the party's.
    pub fn of(&self, party: Party) -> Self {
        Self { inner: Arc::clone(&self.inner), party: Some(party) }
    }

    /// Reads a URL that a user gave, and refuses what can never be reached.
    pub fn parse_url(&self, text: &str) -> Result<Target, Refusal> {
        Target::parse(text, self.inner.connector.reach())
    }

    /// Reads a URL that credentials are sent to. Plain `http://` is for networks that the operator allowed; elsewhere, others on
    /// the network path could read the credentials.
    pub fn parse_private_url(&self, text: &str) -> Result<Target, Refusal> {
        Target::parse_private(text, self.inner.connector.reach())
    }

    /// Reads a host and a port that a user gave, and refuses what can never be reached.
    pub fn parse_endpoint(&self, text: &str, default_port: u16) -> Result<Endpoint, Refusal> {
        Endpoint::parse(text, default_port, self.inner.connector.reach())
    }

    /// Opens a socket, for a protocol that is not HTTP. The address that is connected was judged after its look-up.
    pub async fn open(&self, endpoint: &Endpoint, limit: Duration) -> Result<TcpStream, Failure> {
        let mut phase = Phase::Lookup;
        match tokio::time::timeout(limit, self.inner.connector.open(endpoint, self.party, &mut phase)).await {
            Ok(opened) => opened,
            Err(_) => Err(Failure::Timeout { phase, limit }),
        }
    }

    /// Sends the request and reads the answer, within the time limit. A request that failed may have been received: it is
    /// repeated here only if it was provably not sent.
    pub async fn send(&self, request: Request) -> Result<Response, Failure> {
        self.send_if(request, &|| true).await
    }

    /// As [`Outbound::send`], but checks `is_wanted` immediately before anything is written: connecting takes a while, and a
    /// process that was frozen does not know for how long.
    pub async fn send_if(
        &self,
        request: Request,
        is_wanted: &(dyn Fn() -> bool + Sync),
    ) -> Result<Response, Failure> {
        let limit = request.time_limit;
        let mut phase = Phase::Lookup;
        match tokio::time::timeout(limit, self.run(request, is_wanted, &mut phase)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Failure::Timeout { phase, limit }),
        }
    }

    /// Sends the request over a new connection. If the status of the answer is 200, its body is passed to `sink` while it arrives, without
    /// a limit on its bytes. The time limit is for each wait. An answer that breaks off is a failure.
    pub async fn download(&self, request: Request, sink: &mut Sink<'_>) -> Result<Response, Failure> {
        let limit = request.time_limit;
        let mut phase = Phase::Lookup;
        let origin = request.target.origin().clone();
        let keep_max = request.body_bytes_max;
        let connecting = self.inner.connector.connect(&origin, self.party, &mut phase);
        let Ok(connected) = tokio::time::timeout(limit, connecting).await else {
            return Err(Failure::Timeout { phase, limit });
        };
        connected?.download(message(request), keep_max, sink, limit).await
    }

    async fn run(
        &self,
        request: Request,
        is_wanted: &(dyn Fn() -> bool + Sync),
        phase: &mut Phase,
    ) -> Result<Response, Failure> {
        let origin = request.target.origin().clone();
        let keep_max = request.body_bytes_max;
        let mut message = message(request);
        while let Some(mut live) = self.inner.pool.take(&origin) {
            if !is_wanted() {
                return Err(Failure::Withdrawn);
            }
            match live.exchange(message, keep_max, phase).await {
                Ok(response) => {
                    self.inner.pool.put(origin, live, &response.headers);
                    return Ok(response);
                }
                // The kept connection was stale. Others that were kept may be stale, too, but a new one is not.
                Err(Trouble::Unsent(unsent, _)) => message = *unsent,
                Err(Trouble::Failed(failure)) => return Err(failure),
            }
        }
        *phase = Phase::Lookup;
        let mut live = self.inner.connector.connect(&origin, self.party, phase).await?;
        if !is_wanted() {
            return Err(Failure::Withdrawn);
        }
        let response = live.exchange(message, keep_max, phase).await.map_err(Trouble::failure)?;
        self.inner.pool.put(origin, live, &response.headers);
        Ok(response)
    }
}

/// The request as it goes over the wire.
fn message(request: Request) -> http::Request<Full<Bytes>> {
    let mut message = http::Request::new(Full::new(request.body));
    *message.method_mut() = request.method;
    *message.uri_mut() = request.target.path().clone();
    let headers = message.headers_mut();
    headers.reserve(request.headers.len() + 2);
    headers.insert(HOST, request.target.origin().authority.clone());
    for (name, value) in request.headers {
        if !OWN_HEADERS.contains(&name) {
            headers.append(name, value);
        }
    }
    headers.entry(USER_AGENT).or_insert(AGENT);
    message
}
