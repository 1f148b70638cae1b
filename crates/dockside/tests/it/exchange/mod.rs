//! Search: what it finds, in which order, for whom, and how its index follows what is stored.

pub mod search;
pub mod search_index;
pub mod search_order;
