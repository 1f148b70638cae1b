//! Fulfilment: how the items of an order become parcels.

pub(crate) mod order_changes;
pub(crate) mod order_shipments;
pub(crate) mod package_types;
pub(crate) mod packings;
pub mod shipping_rules;
