//! Stock: routes of inventory items and their levels.

pub(crate) mod inventory_items;
