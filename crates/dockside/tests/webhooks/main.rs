//! Webhooks under `kill -9`: twenty endpoints of which a third is ill, writers that don't rest, servers killed and
//! started again; then the receivers' own records are held against the log. And a replay that fills a lost one.
//!
//! `TEST_DB` says on which engine, as for the suite `it`; on PostgreSQL two servers share the database.
//! `WEBHOOK_EVENTS` sets the number of events, `WEBHOOK_KILLS` that of the kills, `DOCKSIDE_TEST_SEED` the moments.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that fails should stop there, and the counts are what the proof shows"
)]

#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/client.rs"]
mod client;
#[expect(dead_code, reason = "the suite `stock` uses the rest")]
#[path = "../stock/cluster.rs"]
mod cluster;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/contents.rs"]
mod contents;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/database.rs"]
mod database;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/load.rs"]
mod load;
#[path = "../../src/geo/progress.rs"]
mod progress;
#[path = "../process/random.rs"]
mod random;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/server.rs"]
mod server;

mod endpoints;
mod ill;
mod judge;
mod kills;
mod log;
mod message;
mod run;
mod sink;
mod suspects;
mod waiting;
mod writers;
