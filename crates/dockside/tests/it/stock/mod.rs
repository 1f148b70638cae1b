//! Inventory items and levels.

pub mod inventory;
pub mod item_details;
pub mod item_filters;
pub mod level_details;
pub mod stock_events;
