//! Batches under chaos. The carriers, one of each mode, are separate processes that lose answers, fail, answer slowly, charge
//! twice and are killed. Clients make batches, buy them and buy the rest again. Servers are killed, restarted and frozen.
//! Then a judge compares three records without asking a server: the carriers' ledgers, the clients' journal, and the
//! database, which it reads by its own SQL.
//!
//! Beside the sandbox carriers there is a simulated EasyPost with its own ledger and its own faults.
//!
//! Waves, which turn orders into shipments, have kills, crash points and a judge of their own.
//!
//! Every test names its engine: one server on SQLite, two on PostgreSQL. `CHAOS_KILLS`, `CHAOS_CHARGES` and `CHAOS_EASYPOST`
//! set how much is killed and bought on each engine, `CHAOS_PROMOTIONS` how often a standby is promoted, `WAVE_ORDERS` and
//! `WAVE_KILLS` how many orders waves have and how often servers are killed then, `DOCKSIDE_TEST_SEED`
//! the moments and the faults' seeds. Faults also depend on shipments' ids, so they differ from run to run.
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
mod call_time;
mod crash_points;
mod easypost;
mod easypost_faults;
mod environment;
mod failover_client;
mod imports;
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
mod wave_judge;
mod waves;
