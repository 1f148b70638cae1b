//! The app: the route table with the state that its requests share.

use std::sync::Arc;

use service::{FairPermits, Service};
use tokio::sync::Semaphore;

use crate::access::admission::Admission;
use crate::access::state::ServerState;
use crate::access::table::Table;
use crate::docs::openapi;
use crate::platform::encoding::Encoded;
use crate::platform::limits::Limits;
use crate::platform::metrics::RequestMetrics;
use crate::platform::rate::Buckets;
use crate::routes;

/// The API of a running service. Clones share it.
#[derive(Clone)]
pub struct App(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub state: Arc<ServerState>,
    pub table: Table,
    pub rate: Buckets,
    pub admission: Admission,
}

impl App {
    pub fn new(service: Service, limits: Limits) -> model::Result<Self> {
        let published = routes::published();
        let routes: Vec<_> = published.iter().map(|row| row.route.clone()).collect();
        // If an external server has the stream connections, this one serves none.
        let streams = if service.streams.has_external_streams() { Vec::new() } else { routes::streams() };
        let table = Table::new(published.into_iter().chain(streams).chain(routes::pages()).collect())?;
        let rows = table.routes().iter().map(|row| (row.route.method.as_str(), row.route.path));
        let metrics = RequestMetrics::new(rows);
        let (rate, admission) =
            (Buckets::new(limits.rate_per_second, limits.rate_burst), Admission::new(&limits));
        let state = ServerState {
            openapi: Encoded::new(openapi::document(&routes).to_string()),
            metrics,
            export_permits: FairPermits::new(limits.exports_max, limits.exports_each_max()),
            stream_permits: Arc::new(Semaphore::new(limits.stream_connections_max)),
            service,
            limits,
            routes,
        };
        Ok(Self(Arc::new(Inner { state: Arc::new(state), table, rate, admission })))
    }

    /// Disconnects the clients of event streams, and waits until the last is gone.
    pub(super) async fn close_streams(&self) {
        let state = &self.0.state;
        state.service.streams.close_streams().await;
        let all = u32::try_from(state.limits.stream_connections_max).unwrap_or(u32::MAX);
        let _closed = state.stream_permits.acquire_many(all).await;
    }
}
