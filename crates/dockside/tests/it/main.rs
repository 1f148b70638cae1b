//! The integration suite: HTTP to the whole product, once per engine. `TEST_DB` is `sqlite` (default) or `postgres`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

mod party;
mod shop;
mod world;

mod access_tokens;
mod allocation_changes;
mod allocations;
mod any_input;
mod authorisation;
mod backorder;
mod bad_fields;
mod bad_input;
mod bad_queries;
mod contract;
mod event_log;
mod geo;
mod headers;
mod idempotency;
mod inventory;
mod lists;
mod location_configurations;
mod locations;
mod orders;
mod plans;
mod preconditions;
mod reservations;
mod stock_events;
mod strangers;
