//! Webhooks under `kill -9`: twenty endpoints of which a third is faulty, writers that don't pause, servers that are killed
//! and restarted. Then the judge compares the receivers' records with the log. And a replay that restores a lost record.
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

mod endpoint_behaviour;
mod endpoints;
mod judge;
mod judge_tests;
mod kills;
mod log;
mod message;
mod receivers;
mod run;
mod stall_meter;
mod waiting;
mod writers;
