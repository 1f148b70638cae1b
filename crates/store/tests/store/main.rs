//! The store on both engines, side by side. PostgreSQL is the server that `DOCKSIDE_TEST_POSTGRES` names.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

#[macro_use]
mod fresh;

mod documents;
mod event_log;
mod listen;
mod parity;
mod row_level_security;
mod statements;
mod transactions;
