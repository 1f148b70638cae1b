//! Batches under chaos: carriers in processes of their own, one of each mode, that lose answers, fail, dawdle, charge twice
//! and are killed; clients that make batches, buy them and buy the rest again; servers killed, started again and frozen.
//! Then a judge who never asks a server holds three things against each other: the carriers' ledgers, the clients' journal,
//! and the database, by SQL of its own.
//!
//! Beside the sandbox carriers there is an EasyPost of the tests' own, which has a ledger too and troubles of its own.
//!
//! Every test names its engine: one server on SQLite, two on PostgreSQL. `CHAOS_KILLS`, `CHAOS_CHARGES` and `CHAOS_EASYPOST`
//! set how much is killed and bought on each engine, `CHAOS_PROMOTIONS` how often a standby is promoted, `DOCKSIDE_TEST_SEED`
//! the moments and the faults' seeds; shipments' ids have a part in the faults, so they differ from run to run.
//! `checks/scripts/chaos.sh --long` is the long form.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that fails should stop there, and the counts are what the proof shows"
)]

mod backup;
mod batch_client;
mod crash_points;
mod easypost;
mod easypost_faults;
mod environment;
mod failover_client;
mod invariants;
mod journal;
mod judge;
mod judge_tests;
mod kills;
mod ledger;
mod promotion;
mod quota;
mod restore;
mod reviewer;
mod run;
mod source;
mod sql;
mod standby;
