//! Stock: operations on inventory items and their levels.

pub(crate) mod audit;
pub(crate) mod inventory_items;
pub(crate) mod inventory_levels;
