//! Settings of limits: how much a request may ask for, and how long it may take.

use std::time::Duration;

use model::shipping::batch::NAMED_MAX;

use super::declaration::{Subject, settings};
use crate::failure::Failure;

/// Memory that a parsed body may take for each byte that it may have, unless the operator says otherwise.
const MEMORY_PER_BODY_BYTE: usize = 4;
/// Memory that a parsed body may take, in bytes, unless bodies may be large.
const BODY_MEMORY: usize = 16 * 1024 * 1024;

settings! {
    /// Settings of limits.
    pub struct Limits("Limits") {
        /// Page size where a request names none.
        page_limit_default("N"): usize = 20, range(1..);

        /// Largest page size; larger ones are clamped.
        page_limit_max("N"): usize = 100, range(1..);

        /// Most shipments in a batch.
        batch_shipments_max("N"): usize = NAMED_MAX, range(1..);

        /// Largest request body, in bytes. Where no token is needed it is 16 KiB, for messages of carriers 1 MiB.
        body_bytes_max("BYTES"): usize = 4 * 1024 * 1024, range(1..);

        /// Most memory that a request body takes once it is parsed, in bytes; a body with more, such as a list of a million
        /// small values, gets 413.
        body_memory_max("BYTES"): usize, range(1..),
            shown(format!("{BODY_MEMORY}, or {MEMORY_PER_BODY_BYTE} times `body_bytes_max` if that is more"));

        /// Seconds for a request's head to arrive, and for a connection to idle.
        header_seconds("SECONDS"): u64 = 15, range(1..);

        /// Seconds for a client to read more of an answer; a client that does not is disconnected.
        write_seconds("SECONDS"): u64 = 30, range(1..);

        /// Seconds for a body to arrive.
        body_seconds("SECONDS"): u64 = 30, range(1..);

        /// Seconds for a request to be answered; more than `carrier_rate_seconds`. A request that waits for a carrier
        /// (`Prefer: wait`) waits less, and is answered with 202.
        request_seconds("SECONDS"): u64 = api::REQUEST_SECONDS_DEFAULT, range(1..);

        /// Connections held at once; more wait to be accepted.
        connections_max("N"): usize = 10_000, range(1..);

        /// Requests worked on at once; more get 503. One organisation has at most seven eighths of them.
        requests_max("N"): usize = 2048, range(1..);

        /// Exports sent at once; more get 503. One organisation has at most half of them, and gets 429 for more.
        exports_max("N"): usize = 4, range(1..);

        /// Seconds for an export to be sent. While it lasts, PostgreSQL keeps deleted rows, and SQLite its log.
        export_seconds("SECONDS"): u64 = 600, range(1..);

        /// Requests per second and organisation, whichever of its tokens it uses; 0 is no limit.
        rate_per_second("N"): u32 = 0;

        /// Requests that an organisation may send at once before the rate holds it back.
        rate_burst("N"): u32 = 100, range(1..);

        /// Hours that an answer is kept for a repeated `Idempotency-Key`.
        idempotency_hours("HOURS"): u32 = 24, range(1..);
    }
}

impl Limits {
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.check_values()?;
        let (default, max) = (self.page_limit_default(), self.page_limit_max());
        if default > max {
            return Err(Failure(format!(
                "the setting page_limit_default ({default}) is above page_limit_max ({max})"
            )));
        }
        Ok(())
    }

    pub(super) fn idempotency_seconds(&self) -> i64 {
        i64::from(self.idempotency_hours()) * 3600
    }

    /// Returns the limits of HTTP. Those that other subjects set have their defaults.
    pub(super) fn http(&self) -> api::Limits {
        let memory_max = self.body_bytes_max().saturating_mul(MEMORY_PER_BODY_BYTE).max(BODY_MEMORY);
        api::Limits {
            body_bytes_max: self.body_bytes_max(),
            body_memory_max: self.body_memory_max.unwrap_or(memory_max),
            body_time: Duration::from_secs(self.body_seconds()),
            request_time: Duration::from_secs(self.request_seconds()),
            header_time: Duration::from_secs(self.header_seconds()),
            write_time: Duration::from_secs(self.write_seconds()),
            connections_max: self.connections_max(),
            requests_max: self.requests_max(),
            exports_max: self.exports_max(),
            export_time: Duration::from_secs(self.export_seconds()),
            rate_per_second: self.rate_per_second(),
            rate_burst: self.rate_burst(),
            ..api::Limits::default()
        }
    }
}
