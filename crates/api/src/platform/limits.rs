//! The limits that an operator sets for connections and requests.

use std::time::Duration;

/// The default time limit of a request, in seconds.
pub const REQUEST_SECONDS_DEFAULT: u64 = 60;
/// Time that a request reserves for its answer after it has waited for a carrier, in seconds.
const ANSWER_SECONDS: u64 = 5;
const _: () = assert!(
    service::WAIT_SECONDS_MAX + ANSWER_SECONDS <= REQUEST_SECONDS_DEFAULT,
    "the longest wait must end before the request's time limit, so that it is answered with 202 and not 503"
);

/// Limits that an operator sets.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The largest body, in bytes.
    pub body_bytes_max: usize,
    /// The most memory that a parsed body may take, in bytes. Small values take many times their size in the body.
    pub body_memory_max: usize,
    /// How long a body may take to arrive, and how long a request may take to be answered.
    pub body_time: Duration,
    pub request_time: Duration,
    /// How long a request's head may take to arrive, and how long a connection may be idle.
    pub header_time: Duration,
    /// How long a client may take to read more of an answer.
    pub write_time: Duration,
    pub connections_max: usize,
    /// Open sockets of clients, whatever protocol they use. The limit reserves descriptors for the database, files
    /// and carriers.
    pub sockets_max: usize,
    /// Clients that are connected to event streams, in addition to `connections_max`.
    pub stream_connections_max: usize,
    /// Requests that are handled at once. One organisation may have at most seven eighths of them. Further requests
    /// are refused.
    pub requests_max: usize,
    /// Requests per second and organisation. Zero means no limit.
    pub rate_per_second: u32,
    /// Requests that an organisation may send at once before the rate applies.
    pub rate_burst: u32,
    /// Exports that are sent at once. One organisation may have at most half of them.
    pub exports_max: usize,
    /// How long an export may take, and its snapshot of the database may be open.
    pub export_time: Duration,
    /// Origins whose pages may call the API from a browser.
    pub cors_origins: Vec<String>,
}

impl Limits {
    /// Returns the longest time that a request may wait for a carrier. If the operator's time limit for requests is
    /// short, the wait is at most half of it, so that the request is answered with 202 before the limit ends it with
    /// 503.
    pub(crate) fn wait_time_max(&self) -> Duration {
        let answer_time = Duration::from_secs(ANSWER_SECONDS).min(self.request_time / 2);
        self.request_time - answer_time
    }
}

impl Limits {
    /// Returns how many exports one organisation may have at once.
    pub(crate) fn exports_each_max(&self) -> usize {
        self.exports_max.div_ceil(2)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 4 * 1024 * 1024,
            body_memory_max: 16 * 1024 * 1024,
            body_time: Duration::from_secs(30),
            request_time: Duration::from_secs(REQUEST_SECONDS_DEFAULT),
            header_time: Duration::from_secs(15),
            write_time: Duration::from_secs(30),
            connections_max: 10_000,
            sockets_max: usize::MAX,
            stream_connections_max: 50_000,
            requests_max: 2048,
            rate_per_second: 0,
            rate_burst: 100,
            exports_max: 4,
            export_time: Duration::from_secs(600),
            cors_origins: Vec::new(),
        }
    }
}
