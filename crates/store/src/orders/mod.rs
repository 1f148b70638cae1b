//! Orders: the tables of orders, reservations and allocations.

pub mod allocations;
pub mod order_facets;
pub mod order_filters;
pub mod order_references;
pub mod order_turns;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub mod orders;
