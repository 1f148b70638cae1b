//! Platform: the two engines, pages, idempotency keys, nodes with their clocks, and restored backups.

pub mod clocks;
pub mod engine;
pub mod idempotency;
pub mod installation;
pub mod nodes;
pub mod page;
pub mod restorations;
pub mod suspects;
