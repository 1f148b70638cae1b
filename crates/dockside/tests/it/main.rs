//! The integration suite: HTTP to the whole product, once per engine. `TEST_DB` is `sqlite` (default) or `postgres`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

mod world;

mod locations;
