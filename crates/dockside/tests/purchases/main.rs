//! Purchases under `kill -9`. Three carriers in separate processes lose answers, fail, answer slowly and are killed. Several
//! clients buy at once. Servers are killed, restarted and frozen. Then the judge compares the carriers' ledgers with the
//! API: nothing is paid twice, and nothing that was paid is lost.
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

mod buyers;
mod carrier_proxy;
mod judge;
mod judge_tests;
mod kills;
mod late_requests;
mod run;
mod sandbox_words;
mod shipment_view;
