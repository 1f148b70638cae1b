//! Orders: routes of orders, allocations and plans.

pub(crate) mod allocations;
pub(crate) mod order_filters;
pub(crate) mod order_progress;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub(crate) mod orders;
