//! The stream of the real program: subscribers that race with thousands of writes, servers that are killed while clients are
//! connected, clients that don't read, and the official Rust client in JSON and in Protobuf.
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

mod client_proxy;
mod follower;
mod frames;
mod hints;
mod kills;
mod large_events;
mod limits;
mod log;
mod official_client;
mod official_client_channels;
mod server_stop;
mod single_server;
mod slow_clients;
mod stream_account;
mod subscription_races;
mod websocket_client;
mod writers;
