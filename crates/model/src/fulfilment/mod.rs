//! Fulfilment: how the items of an order become parcels.

pub mod packing;
pub mod shipping_rule;
