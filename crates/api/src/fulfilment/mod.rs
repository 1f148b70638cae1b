//! Fulfilment: the endpoints of shipments from orders, package types, packings and shipping rules.

pub(crate) mod order_shipments;
pub(crate) mod package_types;
pub(crate) mod packings;
pub(crate) mod shipping_rules;
