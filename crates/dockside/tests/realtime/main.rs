//! The stream, by the real program: subscribers that race with thousands of writes, servers killed under their clients,
//! readers that don't read; and the official Rust client, in JSON and in Protobuf.
//!
//! `TEST_DB` says on which engine, as for the suite `it`; on PostgreSQL two servers share the database.
//! `STREAM_WRITES` sets how many writes the subscribers race with, `DOCKSIDE_TEST_SEED` the moments.

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
#[expect(dead_code, reason = "the suite `it` uses the rest")]
#[path = "../it/nats.rs"]
mod nats;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/random.rs"]
mod random;
#[expect(dead_code, reason = "the suite `process` uses the rest")]
#[path = "../process/server.rs"]
mod server;

mod account;
mod follower;
mod frames;
mod hints;
mod kills;
mod limits;
mod log;
mod official;
mod official_channel;
mod race;
mod single;
mod slow;
mod socket;
mod stop;
mod wire;
mod writers;
