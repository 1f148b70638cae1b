//! Platform: the two engines, pages, search terms, idempotency keys, nodes with their clocks, and restored backups.

pub mod clocks;
pub mod engine;
pub mod idempotency;
pub mod installation;
pub mod nodes;
pub mod page;
pub mod restorations;
pub(crate) mod search_terms;
pub mod suspects;
