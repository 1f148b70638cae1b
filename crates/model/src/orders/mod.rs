//! Orders: orders, allocations and plans.

pub mod allocation;
pub mod order;
pub mod plan;
