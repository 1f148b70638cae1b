//! Stock is never oversold: random sequences against a model of it, many clients at once on one order and on one
//! item's last units, histories checked for linearizability, and the same under `kill -9`. Random sequences from order to parcel
//! against the same model: what is packed is what is allocated.
//!
//! `TEST_DB` says on which engine, as for the suite `it`; on PostgreSQL two servers share the database.
//! `STOCK_SEQUENCES` sets the number of sequences, `STOCK_SEED` plays one of them alone; `PARCEL_SEQUENCES` and `PARCEL_SEED` do so
//! for those from order to parcel. `checks/scripts/parcels.sh --long` is their long form.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

mod contended_stock;
mod fitting;
mod inventory;
mod parcels;
mod reference_model;
mod replay;
mod requests;
mod sequences;
mod steps;

mod contention;
mod contention_run;
mod crashes;
mod histories;
mod journal;
mod linearizable;
