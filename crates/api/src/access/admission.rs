//! Admission: which requests are worked on at once, and which bodies may arrive at once.
//!
//! A permit covers work, never waiting for a client: it is taken when the token was checked and the body is there. Bodies have shares of their own.
//! Routes that need no token have small ones, since anybody may fill them.
//!
//! Permits are shared fairly by organisation. One that has its share of them is turned away at once; one that has less waits
//! for a moment, and the next free permit goes to the organisation that holds the fewest. No organisation can take all of them.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body::Body;
use model::platform::fair::Tenant;
use model::{Code, Owner, Result};
use service::platform::content::Content;
use service::{FairPermit, FairPermits};
use tokio::sync::mpsc;

use crate::access::route::{self, Route};
use crate::platform::arrivals::Arrivals;
use crate::platform::limits::Limits;
use crate::platform::upload::{Allowance, Upload};

/// Paths that answer under overload too, so that monitoring sees that the server lives.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// One part in so many of the permits is left to others by each organisation. So others need not wait until it has finished a
/// request, which may take as long as a carrier does.
const RESERVED_PART: usize = 8;
/// Longest wait for a permit.
const PERMIT_WAIT: Duration = Duration::from_secs(1);

/// Largest body of a route that needs no token, in bytes, unless the route names another limit.
pub const PUBLIC_BYTES_MAX: usize = 16 * 1024;
/// Bodies that arrive at once on such routes, and their bytes together.
const PUBLIC_BODIES_MAX: usize = 256;
const PUBLIC_SHARE_BYTES: usize = PUBLIC_BODIES_MAX * PUBLIC_BYTES_MAX;
/// The same where the route's limit is larger: for the messages of carriers.
const LARGE_SHARE_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of all bodies that arrive at once with a token, unless the operator's limit for one body needs more.
const KNOWN_SHARE_BYTES: usize = 256 * 1024 * 1024;
/// Largest bodies that fit into that share.
const KNOWN_BODIES_MIN: usize = 4;

/// Files that arrive at once. Each has parts of some megabytes in memory until the file store has them.
const FILES_MAX: usize = 8;
/// Pieces of a file that wait for the file store.
const PIECES_WAITING: usize = 4;

/// The permits for requests in flight, and the shares of bodies that are arriving.
pub struct Admission {
    in_flight: FairPermits,
    /// Bodies of requests with a valid token.
    known: Arrivals,
    public: Arrivals,
    public_large: Arrivals,
    /// Files that are passed on while they arrive.
    files: Arrivals,
    body_bytes_max: usize,
    body_time: Duration,
}

impl Admission {
    pub fn new(limits: &Limits) -> Self {
        let requests_max = limits.requests_max;
        let known_bytes = KNOWN_SHARE_BYTES.max(KNOWN_BODIES_MIN.saturating_mul(limits.body_bytes_max));
        Self {
            in_flight: FairPermits::new(requests_max, requests_max - requests_max / RESERVED_PART),
            known: Arrivals::new(requests_max, known_bytes),
            public: Arrivals::new(PUBLIC_BODIES_MAX, PUBLIC_SHARE_BYTES),
            public_large: Arrivals::new(PUBLIC_BODIES_MAX, LARGE_SHARE_BYTES),
            files: Arrivals::new(FILES_MAX, usize::MAX),
            body_bytes_max: limits.body_bytes_max,
            body_time: limits.body_time,
        }
    }

    /// Refuses a request of an organisation that would be refused its permit, before anything is done for it. The token or cookie only
    /// claims to be the organisation's, which is enough to refuse: what is not refused is checked.
    pub fn refuse_early(&self, route: &Route, claimed: Option<Owner>) -> Result<()> {
        let tenant = match route.needs_token() {
            true => claimed.map(Tenant::from),
            false => Some(Tenant::Unknown),
        };
        let has_share = tenant.is_none_or(|tenant| self.in_flight.has_share(tenant));
        if has_share || PROBES.contains(&route.path) { Ok(()) } else { Err(Code::Overloaded.into()) }
    }

    /// Takes one of the permits for requests in flight. Probes are worked on without one.
    async fn permit(&self, route: &Route, tenant: Tenant) -> Result<Option<FairPermit>> {
        if PROBES.contains(&route.path) {
            return Ok(None);
        }
        let permit = tokio::time::timeout(PERMIT_WAIT, self.in_flight.acquire_share(tenant)).await;
        permit.ok().flatten().map(Some).ok_or_else(|| Code::Overloaded.into())
    }

    /// Reads the body of a request, and takes the permit for the work on it once it is there.
    pub async fn read_body<B>(
        &self,
        route: &Route,
        tenant: Tenant,
        headers: &HeaderMap,
        body: &mut Upload<B>,
    ) -> Result<(Bytes, Option<FairPermit>)>
    where
        B: Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let bytes = match body.is_complete() {
            true => Bytes::new(),
            false => body.read(headers, &self.allowance(route, tenant)).await?,
        };
        Ok((bytes, self.permit(route, tenant).await?))
    }

    /// Returns the file that the body of a request is, and the work of passing it on. Neither holds a permit: a slow client would
    /// keep it from others.
    pub fn file<'a, B>(
        &'a self,
        tenant: Tenant,
        body: &'a mut Upload<B>,
    ) -> (Content, impl Future<Output = ()> + Send + 'a)
    where
        B: Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let (to, file) = mpsc::channel(PIECES_WAITING);
        let pass_on = async move {
            let (time, arrivals) = (self.body_time, &self.files);
            let allowance = Allowance { bytes_max: usize::MAX, time, has_pace: false, arrivals, tenant };
            body.pass_on(&allowance, to).await;
        };
        (file, pass_on)
    }

    /// Returns what a body on this route may take.
    fn allowance(&self, route: &Route, tenant: Tenant) -> Allowance<'_> {
        let (bytes_max, arrivals) = match route.body {
            _ if route.needs_token() => (self.body_bytes_max, &self.known),
            Some(route::Body::Raw { bytes_max }) if bytes_max > PUBLIC_BYTES_MAX => {
                (bytes_max, &self.public_large)
            }
            _ => (PUBLIC_BYTES_MAX, &self.public),
        };
        Allowance {
            bytes_max: bytes_max.min(self.body_bytes_max),
            time: self.body_time,
            has_pace: !route.needs_token(),
            arrivals,
            tenant,
        }
    }
}
