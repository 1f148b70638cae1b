//! Orders: operations on orders, reservations, allocations and plans.

pub(crate) mod allocations;
pub(crate) mod completion;
pub(crate) mod order_references;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub(crate) mod orders;
pub(crate) mod organisation_settings;
pub(crate) mod plans;
pub(crate) mod stock_moves;
