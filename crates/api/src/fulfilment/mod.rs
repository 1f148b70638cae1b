//! Fulfilment: the endpoints of package types, packings and shipping rules.

pub(crate) mod package_types;
pub(crate) mod packings;
pub(crate) mod shipping_rules;
