//! Stock: the tables of inventory items, their levels and bins, and the audit of both.

pub mod audit;
pub mod bins;
pub mod inventory_barcodes;
pub mod inventory_items;
pub mod inventory_levels;
pub mod item_filters;
