//! Stock: operations on inventory items and their levels.

pub(crate) mod audit;
pub(crate) mod inventory_items;
pub(crate) mod inventory_levels;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub(crate) mod stock;
