//! Orders: routes of orders, allocations and plans.

pub(crate) mod allocations;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub(crate) mod orders;
