//! HTTP: the route table and everything that follows from it. The only crate that knows HTTP.
//!
//! A request is matched against the table, its caller is authenticated and held to the row's scope, and only then
//! a `Call` exists for a handler to work with: a handler without authorisation can't be written.

mod access_tokens;
mod allocations;
mod batches;
mod call;
mod carrier_webhooks;
mod carriers;
mod connection;
mod cors;
mod docs;
mod events;
mod files;
mod inventory_items;
mod location_configurations;
mod locations;
mod manifests;
mod metrics;
mod oauth;
pub mod openapi;
mod orders;
mod pipeline;
mod problem;
mod query;
mod rate;
mod respond;
pub mod route;
mod schema;
pub mod server;
mod shipments;
mod system;
mod webhook_endpoints;

use std::sync::Arc;
use std::time::Duration;

use service::Service;

pub use respond::Body;

/// The version of the interface that this server speaks.
pub const VERSION: &str = "2026-11-01";

/// Limits that an operator sets.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest body, in bytes.
    pub body_bytes_max: usize,
    /// How long a body may take to arrive, and a request to be answered.
    pub body_time: Duration,
    pub request_time: Duration,
    /// How long a request's head may take to arrive, and a connection may idle.
    pub header_time: Duration,
    pub connections_max: usize,
    /// Clients that follow the log live, beside `connections_max`.
    pub stream_connections_max: usize,
    /// Requests worked on at once; beyond it they are turned away.
    pub requests_max: usize,
    /// Requests per second and token; none where zero.
    pub rate_per_second: u32,
    /// Requests that a token may send at once before the rate holds it back.
    pub rate_burst: u32,
    /// Origins whose pages may call the API from a browser.
    pub cors_origins: Vec<String>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 4 * 1024 * 1024,
            body_time: Duration::from_secs(30),
            request_time: Duration::from_secs(30),
            header_time: Duration::from_secs(15),
            connections_max: 10_000,
            stream_connections_max: 50_000,
            requests_max: 2048,
            rate_per_second: 0,
            rate_burst: 100,
            cors_origins: Vec::new(),
        }
    }
}

/// The API of a running service. Clones share it.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    service: Service,
    limits: Limits,
    table: route::Table,
    metrics: metrics::Metrics,
    rate: rate::Buckets,
    in_flight: tokio::sync::Semaphore,
    /// One is held by each connection that streams.
    stream_places: Arc<tokio::sync::Semaphore>,
    /// The published contract, written once.
    openapi: bytes::Bytes,
}

impl App {
    /// Sends clients that stream away, and waits until the last is gone.
    pub(crate) async fn close_streams(&self) {
        self.0.service.close_streams().await;
        let all = u32::try_from(self.0.limits.stream_connections_max).unwrap_or(u32::MAX);
        let _closed = self.0.stream_places.acquire_many(all).await;
    }

    pub fn new(service: Service, limits: Limits) -> model::Result<Self> {
        let published = route::all();
        let openapi = openapi::document(&published).to_string().into();
        // Where an external server has the connections, there are none here.
        let connections = if service.has_external_streams() { Vec::new() } else { route::connections() };
        let table = route::Table::new(published.into_iter().chain(connections).collect())?;
        Ok(Self(Arc::new(Inner {
            metrics: metrics::Metrics::new(table.routes()),
            rate: rate::Buckets::new(limits.rate_per_second, limits.rate_burst),
            in_flight: tokio::sync::Semaphore::new(limits.requests_max),
            stream_places: Arc::new(tokio::sync::Semaphore::new(limits.stream_connections_max)),
            service,
            limits,
            table,
            openapi,
        })))
    }
}
