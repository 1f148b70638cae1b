//! All SQL. `engine` knows no domain; the other modules, one per group of tables, know no engine.
//!
//! Architecture Invariant: every statement names its owner, except the few that are written for work that spans
//! organisations, and say so.

pub mod access_tokens;
pub mod engine;
pub mod events;
pub mod idempotency;
pub mod location_configurations;
pub mod locations;
pub mod organisations;
pub mod page;

pub use engine::{Access, Db, Place, Sql, Tx};
pub use page::{Page, Start};

/// Every statement there is, so that a test can prepare each on both engines.
pub fn statements() -> impl Iterator<Item = &'static Sql> {
    [
        access_tokens::STATEMENTS,
        events::STATEMENTS,
        idempotency::STATEMENTS,
        location_configurations::STATEMENTS,
        locations::STATEMENTS,
        organisations::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
