//! Settings of limits: how much a request may ask for, and how long it may take.

use std::time::Duration;

use clap::Args;

use super::group::{group, require_positive};
use crate::failure::Failure;

/// Memory that a parsed body may take for each byte that it may have, unless the operator says otherwise.
const MEMORY_PER_BODY_BYTE: usize = 4;
const PAGE_LIMIT_DEFAULT: usize = 20;
const PAGE_LIMIT_MAX: usize = 100;
const IDEMPOTENCY_HOURS: u32 = 24;

#[derive(Args, Default, Clone)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Page size where a request names none [default: 20].
    #[arg(long, env = "DOCKSIDE_PAGE_LIMIT_DEFAULT", value_name = "N")]
    pub page_limit_default: Option<usize>,

    /// Largest page size; larger ones are clamped [default: 100].
    #[arg(long, env = "DOCKSIDE_PAGE_LIMIT_MAX", value_name = "N")]
    pub page_limit_max: Option<usize>,

    /// Most shipments in a batch [default: 100000].
    #[arg(long, env = "DOCKSIDE_BATCH_SHIPMENTS_MAX", value_name = "N")]
    pub batch_shipments_max: Option<usize>,

    /// Largest request body, in bytes [default: 4194304].
    #[arg(long, env = "DOCKSIDE_BODY_BYTES_MAX", value_name = "BYTES")]
    pub body_bytes_max: Option<usize>,

    /// Most memory that a request body takes once it is parsed, in bytes; a body with more, such as a list of a million small
    /// values, gets 413 [default: 16777216, or four times the largest body].
    #[arg(long, env = "DOCKSIDE_BODY_MEMORY_MAX", value_name = "BYTES")]
    pub body_memory_max: Option<usize>,

    /// Seconds for a request's head to arrive, and for a connection to idle [default: 15].
    #[arg(long, env = "DOCKSIDE_HEADER_SECONDS", value_name = "SECONDS")]
    pub header_seconds: Option<u64>,

    /// Seconds for a client to read more of an answer; a client that does not is disconnected [default: 30].
    #[arg(long, env = "DOCKSIDE_WRITE_SECONDS", value_name = "SECONDS")]
    pub write_seconds: Option<u64>,

    /// Seconds for a body to arrive [default: 30].
    #[arg(long, env = "DOCKSIDE_BODY_SECONDS", value_name = "SECONDS")]
    pub body_seconds: Option<u64>,

    /// Seconds for a request to be answered. A request that waits for a carrier waits less, and is answered with 202
    /// [default: 60].
    #[arg(long, env = "DOCKSIDE_REQUEST_SECONDS", value_name = "SECONDS")]
    pub request_seconds: Option<u64>,

    /// Connections held at once; more wait to be accepted [default: 10000].
    #[arg(long, env = "DOCKSIDE_CONNECTIONS_MAX", value_name = "N")]
    pub connections_max: Option<usize>,

    /// Requests worked on at once; more get 503. One organisation has at most seven eighths of them [default: 2048].
    #[arg(long, env = "DOCKSIDE_REQUESTS_MAX", value_name = "N")]
    pub requests_max: Option<usize>,

    /// Requests per second and organisation, whichever of its tokens it uses; 0 is no limit [default: 0].
    #[arg(long, env = "DOCKSIDE_RATE_PER_SECOND", value_name = "N")]
    pub rate_per_second: Option<u32>,

    /// Requests that an organisation may send at once before the rate holds it back [default: 100].
    #[arg(long, env = "DOCKSIDE_RATE_BURST", value_name = "N")]
    pub rate_burst: Option<u32>,

    /// Hours that an answer is kept for a repeated Idempotency-Key [default: 24].
    #[arg(long, env = "DOCKSIDE_IDEMPOTENCY_HOURS", value_name = "HOURS")]
    pub idempotency_hours: Option<u32>,
}

group!(Limits {
    page_limit_default,
    page_limit_max,
    batch_shipments_max,
    body_bytes_max,
    body_memory_max,
    header_seconds,
    write_seconds,
    body_seconds,
    request_seconds,
    connections_max,
    requests_max,
    rate_per_second,
    rate_burst,
    idempotency_hours,
});

impl Limits {
    pub(super) fn check(&self) -> Result<(), Failure> {
        require_positive!(self {
            page_limit_default,
            page_limit_max,
            batch_shipments_max,
            body_bytes_max,
            body_memory_max,
            header_seconds,
            write_seconds,
            body_seconds,
            request_seconds,
            connections_max,
            requests_max,
            rate_burst,
            idempotency_hours,
        })?;
        let (default, max) = (self.page_limit_default(), self.page_limit_max());
        if default > max {
            return Err(Failure(format!(
                "the setting page_limit_default ({default}) is above page_limit_max ({max})"
            )));
        }
        Ok(())
    }

    pub(super) fn page_limit_default(&self) -> usize {
        self.page_limit_default.unwrap_or(PAGE_LIMIT_DEFAULT)
    }

    pub(super) fn page_limit_max(&self) -> usize {
        self.page_limit_max.unwrap_or(PAGE_LIMIT_MAX)
    }

    pub(super) fn request_seconds(&self) -> u64 {
        self.request_seconds.unwrap_or(api::REQUEST_SECONDS_DEFAULT)
    }

    pub(super) fn idempotency_seconds(&self) -> i64 {
        i64::from(self.idempotency_hours.unwrap_or(IDEMPOTENCY_HOURS)) * 3600
    }

    /// Returns the limits of HTTP. Those that other subjects set have their defaults.
    pub(super) fn http(&self) -> api::Limits {
        let defaults = api::Limits::default();
        let seconds = |given: Option<u64>, default: Duration| given.map_or(default, Duration::from_secs);
        let body_bytes_max = self.body_bytes_max.unwrap_or(defaults.body_bytes_max);
        let memory_max = body_bytes_max.saturating_mul(MEMORY_PER_BODY_BYTE).max(defaults.body_memory_max);
        api::Limits {
            body_bytes_max,
            body_memory_max: self.body_memory_max.unwrap_or(memory_max),
            body_time: seconds(self.body_seconds, defaults.body_time),
            request_time: seconds(self.request_seconds, defaults.request_time),
            header_time: seconds(self.header_seconds, defaults.header_time),
            write_time: seconds(self.write_seconds, defaults.write_time),
            connections_max: self.connections_max.unwrap_or(defaults.connections_max),
            requests_max: self.requests_max.unwrap_or(defaults.requests_max),
            rate_per_second: self.rate_per_second.unwrap_or(defaults.rate_per_second),
            rate_burst: self.rate_burst.unwrap_or(defaults.rate_burst),
            ..defaults
        }
    }
}
