//! The state of the server that handlers reach through their call.

use std::sync::Arc;

use service::{FairPermits, Service};
use tokio::sync::Semaphore;

use crate::access::route::Route;
use crate::platform::encoding::Encoded;
use crate::platform::limits::Limits;
use crate::platform::metrics::RequestMetrics;

/// What all requests of a running server share.
pub struct ServerState {
    pub service: Service,
    pub limits: Limits,
    /// The routes of the OpenAPI document, in the order of the documentation.
    pub routes: Vec<Route>,
    /// The OpenAPI document, rendered once.
    pub openapi: Encoded,
    pub metrics: RequestMetrics,
    /// A permit for each connection that streams events.
    pub stream_permits: Arc<Semaphore>,
    /// A permit for each export that is being sent.
    pub export_permits: FairPermits,
}
