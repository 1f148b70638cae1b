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

mod buyers;
mod carrier_proxy;
mod judge;
mod judge_tests;
mod kills;
mod late_requests;
mod run;
mod sandbox_words;
mod shipment_view;
