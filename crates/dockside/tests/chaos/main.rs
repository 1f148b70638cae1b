//! Batches under chaos: carriers in processes of their own, one of each mode, that lose answers, fail, dawdle, charge twice
//! and are killed; clients that make batches, buy them and buy the rest again; servers killed, started again and frozen.
//! Then a judge who never asks a server holds three things against each other: the carriers' ledgers, the clients' journal,
//! and the database, by SQL of its own.
//!
//! Every test names its engine: one server on SQLite, two on PostgreSQL. `CHAOS_KILLS` and `CHAOS_CHARGES` set how much is
//! killed and bought on each engine, `DOCKSIDE_TEST_SEED` the moments and the faults' seeds; shipments' ids have a part in
//! the faults, so they differ from run to run. `checks/chaos.sh --long` is the long form.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that fails should stop there, and the counts are what the proof shows"
)]

#[path = "../purchases/book.rs"]
mod book;
#[expect(dead_code, reason = "the suite `purchases` uses the rest")]
#[path = "../purchases/carrier.rs"]
mod carrier;
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
#[path = "../process/random.rs"]
mod random;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/server.rs"]
mod server;
#[expect(dead_code, reason = "the suite `purchases` uses the rest")]
#[path = "../purchases/shop.rs"]
mod shop;

mod backup;
mod bar;
mod crash_points;
mod harm;
mod invariants;
mod journal;
mod judge;
mod ledger;
mod restore;
mod reviewer;
mod run;
mod scene;
mod shipper;
mod sql;
mod suspects;
mod way;
