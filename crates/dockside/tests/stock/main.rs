//! Stock is never oversold: random sequences against a model of it, many clients at once on one order and on one
//! item's last units, histories checked for linearizability, and the same under `kill -9`.
//!
//! `TEST_DB` says on which engine, as for the suite `it`; on PostgreSQL two servers share the database.
//! `STOCK_SEQUENCES` sets the number of sequences, `STOCK_SEED` plays one of them alone.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that fails should stop there, and the counts are what the proofs show"
)]

#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/client.rs"]
mod client;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/contents.rs"]
mod contents;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/database.rs"]
mod database;
#[path = "../it/home.rs"]
mod home;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/load.rs"]
mod load;
#[path = "../process/random.rs"]
mod random;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/server.rs"]
mod server;
#[expect(dead_code, reason = "the suite `it` uses the rest")]
#[path = "../it/world.rs"]
mod world;

mod ledger;
mod play;
mod requests;
mod sequences;
mod steps;

mod cluster;
mod contention;
mod crashes;
mod fight;
mod histories;
mod journal;
mod linearizable;
