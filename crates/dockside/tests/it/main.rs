//! The integration suite: HTTP to the whole product, once per engine. `TEST_DB` is `sqlite` (default) or `postgres`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

mod access;
mod events;
mod exchange;
mod fulfilment;
mod orders;
mod places;
mod platform;
mod product;
mod setup;
mod shipping;
mod stock;
