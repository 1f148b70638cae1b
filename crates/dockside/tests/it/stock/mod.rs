//! Inventory items and levels.

pub mod inventory;
pub mod stock_events;
