//! Platform: clocks, randomness, cursors, commands and replies, sealed secrets, nodes and the HTTP client. Every
//! other area uses it.

pub(crate) mod backoff;
pub(crate) mod boxed;
pub(crate) mod clock;
pub mod content;
pub(crate) mod context;
pub mod crash_point;
pub(crate) mod cursor;
pub mod durable;
pub(crate) mod lookups;
pub(crate) mod nodes;
pub(crate) mod random;
pub(crate) mod resource;
pub(crate) mod restorations;
pub mod runner;
pub(crate) mod set_aside;
pub(crate) mod signal;
pub(crate) mod vault;
pub(crate) mod wait_deadline;
