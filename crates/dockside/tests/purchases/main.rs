//! Purchases under `kill -9`: three carriers in processes of their own, that lose answers, fail, dawdle and are killed;
//! clients that buy, several at once; servers killed, started again and frozen. Then the carriers' ledgers are held
//! against what the API says: nothing is paid twice, and nothing that was paid is lost.
//!
//! `TEST_DB` says on which engine, as for the suite `it`; on PostgreSQL two servers share the database.
//! `PURCHASES` sets the number of shipments of each carrier, `PURCHASE_KILLS` that of the kills, `DOCKSIDE_TEST_SEED` the
//! moments and the faults' seeds. Faults are drawn by the shipments' ids too, so they differ from run to run.

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
#[path = "../process/random.rs"]
mod random;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/server.rs"]
mod server;

mod book;
mod buyers;
mod carrier;
mod judge;
mod kills;
mod late;
mod run;
mod shop;
mod suspects;
mod view;
mod wire;
mod words;
