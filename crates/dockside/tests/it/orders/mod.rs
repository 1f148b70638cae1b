//! Orders, reservations, allocations and plans.

pub mod allocation_changes;
pub mod allocations;
pub mod backorder;
pub mod fulfilment;
pub mod holds;
pub mod order_exceptions;
pub mod order_fields;
pub mod order_filters;
pub mod order_lines;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub mod orders;
pub mod plans;
pub mod reservations;
