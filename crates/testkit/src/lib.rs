//! What the test suites of the program share: clients, servers, databases, carriers, and checks of them.
//!
//! Each suite is a program of its own (`crates/dockside/tests`). What only one of them uses stays there.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that fails should stop there, and the seed of a run is worth seeing"
)]

pub mod carrier_ledger;
pub mod client;
pub mod clock;
pub mod cluster;
pub mod contents;
pub mod database;
pub mod easypost_recordings;
pub mod load;
pub mod mail_server;
pub mod nats;
pub mod product;
pub mod progress;
pub mod random;
pub mod resources;
pub mod sandbox_carrier;
pub mod server;
pub mod shipments;
pub mod stopwatch;
pub mod storage;
