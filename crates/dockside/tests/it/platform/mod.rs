//! What holds for every request, whatever it is about: headers, idempotency keys, lists, preconditions, clocks.

pub mod headers;
pub mod idempotency;
pub mod lists;
pub mod nodes;
pub mod preconditions;
pub mod wrong_clocks;
