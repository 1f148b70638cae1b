//! Stock: inventory items and their levels.

pub mod barcode;
pub mod bin;
pub mod inventory_item;
pub mod level_input;
pub mod searched_item;
