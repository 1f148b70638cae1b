//! The integration suite: HTTP to the whole product, once per engine. `TEST_DB` is `sqlite` (default) or `postgres`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

mod world;

mod access_tokens;
mod any_input;
mod authorisation;
mod bad_fields;
mod bad_input;
mod bad_queries;
mod contract;
mod event_log;
mod headers;
mod idempotency;
mod lists;
mod location_configurations;
mod locations;
mod preconditions;
mod strangers;
