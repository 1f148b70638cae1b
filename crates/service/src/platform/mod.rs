//! Platform: clocks, randomness, cursors, commands and replies, sealed secrets, nodes and the HTTP client. Every
//! other area uses it.

pub(crate) mod clock;
pub(crate) mod context;
pub mod crash_point;
pub(crate) mod cursor;
pub mod durable;
pub mod log;
pub(crate) mod nodes;
pub mod outbound;
pub(crate) mod patience;
pub(crate) mod reply;
pub(crate) mod restorations;
pub(crate) mod vault;
pub(crate) mod write;
