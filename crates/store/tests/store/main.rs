//! The store on both engines, side by side. PostgreSQL is the server that `DOCKSIDE_TEST_POSTGRES` names.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

#[macro_use]
mod fresh;

mod cancelled;
mod costs;
mod documents;
mod event_log;
mod follow_ups;
mod groups;
mod leases;
mod listen;
mod manifest_plans;
mod numbers;
mod parity;
mod plans;
mod restorations;
mod row_level_security;
mod silence;
mod statements;
mod suspects;
mod transactions;
mod upgrades;
