//! Orders: operations on orders, reservations, allocations and plans.

pub(crate) mod allocations;
pub mod exceptions;
pub(crate) mod group_plans;
pub(crate) mod holds;
pub(crate) mod matching;
pub(crate) mod notes;
pub(crate) mod order_document;
pub(crate) mod order_items;
pub(crate) mod order_lines;
pub(crate) mod order_references;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub(crate) mod orders;
pub(crate) mod organisation_settings;
pub(crate) mod plans;
pub(crate) mod reservations;
pub(crate) mod stock_moves;
pub(crate) mod upkeep;
