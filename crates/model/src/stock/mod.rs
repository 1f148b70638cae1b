//! Stock: inventory items and their levels.

pub mod inventory_item;
