//! Orders, reservations, allocations and plans.

pub mod allocation_changes;
pub mod allocations;
pub mod backorder;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub mod orders;
pub mod plans;
pub mod reservations;
