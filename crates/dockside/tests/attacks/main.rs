//! Attacks on the real binary: clients that do not read, that send half of what they announce, that take all descriptors, that
//! send as much as one organisation can, or that have the server wait for names.
//! Each test holds the server to three figures: the seconds until it has freed the connections, the memory that the attack
//! took, and how long another organisation's requests take meanwhile, beside the time they take when all is quiet.
//!
//! `TEST_DB` says on which engine, as for the suite `it`. One test at a time: the figures are times.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

mod name_server;
mod neighbour;
mod process_metrics;
mod target;

mod descriptors;
mod exports;
mod flood;
mod half_sent_bodies;
mod large_bodies;
mod lingering;
mod lookups;
mod one_organisation;
mod slow_streams;
mod unread_answers;
